"""Pruning as the estimators offer it: which method ``prune`` names, what that method needs, and the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.rows import Floats, Rows
from quercus.errors import ParameterError
from quercus.estimators.base import algorithm_of
from quercus.estimators.parameters import check_choice, check_count, check_flag, check_number, is_whole, refuse
from quercus.fitted.hold_out import HoldOut
from quercus.growing.grower import Grower, GrowOptions, core_grower, one_tree
from quercus.growing.recipe import Recipe
from quercus.tree import Tree

if TYPE_CHECKING:  # pruning is imported when it is first asked for
    from quercus.pruning.alpha_table import CVTable
    from quercus.pruning.result import Pruned

ALPHA_CHOICES = ("1se", "min")


@dataclass(frozen=True)
class Situation:
    """All that a pruning method may need beside its parameters.

    training: the rows the tree was grown from. validation: rows it has not seen. Either is None if it is not known (a
    fitted estimator keeps no rows). recipe, n_jobs, grower: to grow a tree for each fold.
    """

    tree: Tree
    recipe: Recipe
    training: Rows | None
    validation: Rows | None
    costs: Floats | None
    n_jobs: int = 1
    grower: Grower = core_grower


@dataclass(frozen=True)
class Method:
    """A pruning method: the call, the estimator parameters that it reads, and what rows and which targets it needs.

    costs: whether it counts what mistakes cost.
    """

    call: Callable[[Situation, Mapping[str, Any]], Pruned]
    reads: tuple[str, ...] = ()
    rows: str | None = None
    numbers: bool = False
    costs: bool = True


def _error_based(situation: Situation, options: Mapping[str, Any]) -> Pruned:
    from quercus.pruning.error_based import error_based

    rows = situation.training
    assert rows is not None
    return error_based(
        situation.tree,
        rows.dataset,
        rows.target,
        weights=rows.weights,
        preset=options.get("preset", "c45"),
        confidence=float(options["confidence"]),
        raising=bool(options.get("subtree_raising", True)),
    )


def _reduced_error(situation: Situation, options: Mapping[str, Any]) -> Pruned:
    from quercus.pruning.reduced_error import reduced_error

    rows = situation.validation
    assert rows is not None
    return reduced_error(situation.tree, rows.dataset, rows.target, weights=rows.weights, cost_matrix=situation.costs)


def _stop_by_validation(situation: Situation, options: Mapping[str, Any]) -> Pruned:
    from quercus.pruning.validation import stop_by_validation

    rows = situation.validation
    assert rows is not None
    return stop_by_validation(
        situation.tree, rows.dataset, rows.target, weights=rows.weights, cost_matrix=situation.costs
    )


def _cost_complexity(situation: Situation, options: Mapping[str, Any]) -> Pruned:
    """At the price given, or at that which cross-validation chooses; then the table of it is kept."""
    from quercus.pruning.cost_complexity import cost_complexity, risk_of

    tree, costs = situation.tree, situation.costs
    alpha = options["ccp_alpha"]
    if alpha is None and tree.n_nodes > 1:
        table = _alpha_table(situation, options)
        return replace(table.path.pruned(table.best(options["alpha_choice"]).alpha), table=table)
    return cost_complexity(tree, float(alpha or 0.0), cost_matrix=costs, risk=risk_of(tree, costs))


def _alpha_table(situation: Situation, options: Mapping[str, Any]) -> CVTable:
    """Cross-validate every price of leaves, by the rows that have weight; one tree is grown a fold."""
    from quercus.pruning.alpha_table import cross_validated_alphas
    from quercus.pruning.cost_complexity import risk_of

    tree, costs, rows = situation.tree, situation.costs, situation.training
    if rows is None:
        raise ParameterError(
            "'cost_complexity' without a price needs the rows of fitting; give X and y, or a number as ccp_alpha."
        )
    rows = rows.with_weight()
    whole = rows.dataset

    def grown(dataset: Dataset, target: ClassTarget | Floats, weights: Floats | None) -> Tree:
        if dataset is whole:
            return tree
        part = Rows(dataset, target, weights)
        return one_tree(situation.grower, part, situation.recipe, GrowOptions(costs, situation.n_jobs))

    return cross_validated_alphas(
        grown,
        whole,
        rows.target,
        folds=min(int(options["folds"]), whole.n_rows),
        cost_matrix=costs,
        weights=rows.weights,
        risk=risk_of(tree, costs),
        random_state=seed_of(options["random_state"]),
    )


def _mdl(situation: Situation, options: Mapping[str, Any]) -> Pruned:
    from quercus.pruning.mdl import mdl

    rows = situation.training
    return mdl(situation.tree, None if rows is None else rows.with_weight().dataset)


def _minimum_error(situation: Situation, options: Mapping[str, Any]) -> Pruned:
    from quercus.pruning.minimum_error import minimum_error

    return minimum_error(situation.tree, m=float(options["m"]), cost_matrix=situation.costs)


def _critical_value(situation: Situation, options: Mapping[str, Any]) -> Pruned:
    from quercus.pruning.critical_value import critical_value

    if options.get("critical_gain") is not None:
        return critical_value(situation.tree, measure="gain", value=float(options["critical_gain"]))
    return critical_value(situation.tree, significance=float(options["pruning_significance"]))


def _chi_square(situation: Situation, options: Mapping[str, Any]) -> Pruned:
    from quercus.pruning.critical_value import chi_square

    return chi_square(situation.tree, significance=float(options["pruning_significance"]))


def _same_prediction(situation: Situation, options: Mapping[str, Any]) -> Pruned:
    from quercus.pruning.same_prediction import same_prediction

    return same_prediction(situation.tree, cost_matrix=situation.costs)


METHODS: dict[str, Method] = {
    "error_based": Method(_error_based, ("preset", "confidence", "subtree_raising"), rows="training", costs=False),
    "reduced_error": Method(_reduced_error, rows="validation", numbers=True),
    "stop_by_validation": Method(_stop_by_validation, rows="validation", numbers=True),
    "cost_complexity": Method(_cost_complexity, ("ccp_alpha", "alpha_choice", "folds", "random_state"), numbers=True),
    "mdl": Method(_mdl, costs=False),
    "minimum_error": Method(_minimum_error, ("m",)),
    "critical_value": Method(_critical_value, ("pruning_significance", "critical_gain"), costs=False),
    "chi_square": Method(_chi_square, ("pruning_significance",), costs=False),
    "same_prediction": Method(_same_prediction, numbers=True),
}

#: Other names of methods, which ``prune`` takes as well.
ALIASES = {"validation": "stop_by_validation"}


MANUAL = ("snip", "keep_depth", "keep_leaves")


def methods_for(estimator: Any) -> tuple[str, ...]:
    """The methods that an estimator's ``prune`` may name: all of them, or those that can do with numbers."""
    numbers = algorithm_of(estimator).numbers
    return tuple(name for name, method in METHODS.items() if method.numbers or not numbers)


def method_of(estimator: Any) -> str | None:
    """The method that the parameters ask for; None: no pruning. As in scikit-learn, a price of leaves asks for it too.

    >>> from quercus import C45Classifier, CARTClassifier
    >>> method_of(C45Classifier()), method_of(CARTClassifier()), method_of(CARTClassifier(ccp_alpha=0.01))
    ('error_based', None, 'cost_complexity')
    """
    prune = vars(estimator).get("prune", False)
    if isinstance(prune, str):
        return ALIASES.get(prune, prune)
    if prune:
        return str(estimator.own_pruning)
    return "cost_complexity" if vars(estimator).get("ccp_alpha") else None


def ignores_costs(estimator: Any) -> bool:
    """Whether mistakes have costs that count in growing and answering, but not in the pruning that is asked for.

    >>> from quercus import C45Classifier
    >>> costs = {("ill", "well"): 10.0}
    >>> ignores_costs(C45Classifier(cost_matrix=costs)), ignores_costs(C45Classifier(prune=False, cost_matrix=costs))
    (True, False)
    """
    if algorithm_of(estimator).answers_by != "tree":
        return False
    method = METHODS.get(method_of(estimator) or "")
    return method is not None and not method.costs and vars(estimator).get("cost_matrix") is not None


def remark_on_costs(estimator: Any, choose: str = 'prune="cost_complexity"') -> str | None:
    """What to say where costs do not count in pruning; None: they do.

    choose: how the user chooses a method that counts them.

    >>> from quercus import C45Classifier
    >>> remark_on_costs(C45Classifier(cost_matrix={("ill", "well"): 10.0})).split("; ")[1]
    'to prune by costs, too: prune="cost_complexity" (or minimum_error, reduced_error, no pruning).'
    """
    if not ignores_costs(estimator):
        return None
    return (
        f"The costs of mistakes count in growing and answering, but {method_of(estimator)} pruning counts errors only; "
        f"to prune by costs, too: {choose} (or minimum_error, reduced_error, no pruning)."
    )


def needs_validation(method: str | None) -> bool:
    """Whether a method compares on rows that the tree was not grown from."""
    return method is not None and METHODS[method].rows == "validation"


def check_pruning(estimator: Any) -> None:
    """Refuse wrong pruning parameters, those of the methods that are not asked for too."""
    given = vars(estimator)
    if "prune" not in given:
        return
    methods = methods_for(estimator)
    prune = estimator.prune
    if not isinstance(prune, bool) and not (isinstance(prune, str) and method_of(estimator) in methods):
        refuse("prune", prune, f"False, True ({estimator.own_pruning}) or one of {', '.join(map(repr, methods))}")
    if "confidence" in given:
        check_number("confidence", estimator.confidence, high=1.0, above_low=True)
        check_number("m", estimator.m)
        level = estimator.pruning_significance
        check_number("pruning_significance", level, high=1.0, above_low=True, below_high=True)
        check_number("critical_gain", estimator.critical_gain, optional=True)
    if "subtree_raising" in given:
        check_flag("subtree_raising", estimator.subtree_raising)
    check_number("ccp_alpha", estimator.ccp_alpha, optional=True)
    check_choice("alpha_choice", estimator.alpha_choice, ALPHA_CHOICES)
    check_count("folds", estimator.folds, least=2)
    check_number("validation_fraction", estimator.validation_fraction, high=1.0, above_low=True, below_high=True)
    check_random_state(estimator.random_state)


def check_random_state(random_state: Any) -> None:
    """Refuse what no seed can be made of."""
    known = random_state is None or isinstance(random_state, np.random.RandomState)
    if not known and not (is_whole(random_state) and 0 <= random_state < 2**32):
        refuse("random_state", random_state, "a whole number from 0 to 2**32 - 1, None or a RandomState")


def seed_of(random_state: Any) -> int:
    """The seed of a scikit-learn ``random_state``: a whole number stays itself, a generator or None gives one.

    >>> seed_of(7)
    7
    """
    check_random_state(random_state)
    if random_state is None:
        return int(np.random.default_rng().integers(2**32))
    return int(random_state.randint(2**31)) if isinstance(random_state, np.random.RandomState) else int(random_state)


def check_validation_given(estimator: Any) -> None:
    """Refuse validation rows that the pruning method would not look at."""
    if not needs_validation(method_of(estimator)):
        able = " or ".join(repr(name) for name in methods_for(estimator) if needs_validation(name))
        raise ParameterError(
            f"X_val and y_val are given, but prune={estimator.prune!r} does not compare on validation rows; "
            f"give prune={able}, or leave them out."
        )


def hold_out_of(estimator: Any) -> HoldOut | None:
    """How the parameters hold rows out to prune by; None: they do not."""
    if not needs_validation(method_of(estimator)):
        return None
    return HoldOut(float(estimator.validation_fraction), seed_of(estimator.random_state))


def known_hold_out(estimator: Any) -> HoldOut | None:
    """The same for a model that was read from a file: None also if the seed was drawn and is not known."""
    return hold_out_of(estimator) if is_whole(vars(estimator).get("random_state")) else None


def check_parameters_of(estimator: Any, method: str | bool, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Give an estimator the method and its parameters; return the arguments of a manual method, which are none."""
    if isinstance(method, str) and method in MANUAL:
        return dict(parameters)
    if method is False and not parameters:
        estimator.set_params(prune=False, ccp_alpha=None)
        return {}
    method = estimator.own_pruning if method is True else method
    method = ALIASES.get(method, method) if isinstance(method, str) else method
    read = METHODS[method].reads if isinstance(method, str) and method in METHODS else ()
    for name in parameters:
        if name not in read or name not in vars(estimator):
            allowed = [known for known in read if known in vars(estimator)]
            raise ParameterError(
                f"prune_with({method!r}, {name}=…) is not allowed; {method!r} reads {', '.join(allowed) or 'nothing'}."
            )
    estimator.set_params(prune=method, **parameters)
    return {}


def prune_tree(
    estimator: Any, method: str | None, situation: Situation, manual: Mapping[str, Any] | None = None
) -> Pruned | None:
    """Prune a tree by a method with the estimator's parameters; None if there is no method."""
    if method is None:
        return None
    if method in MANUAL:
        from quercus import pruning

        try:
            pruned: Pruned = getattr(pruning, method)(situation.tree, **(manual or {}))
        except TypeError as error:
            raise ParameterError(f"prune_with({method!r}, …): {error}.") from error
        return pruned
    needed = METHODS[method].rows
    if needed is not None and getattr(situation, needed) is None:
        which = "the rows of fitting" if needed == "training" else "rows that the tree has not seen"
        raise ParameterError(f"{method!r} needs {which}; give X and y.")
    return METHODS[method].call(situation, vars(estimator))
