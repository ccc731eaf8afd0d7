"""Pruning as the estimators offer it: which method ``prune`` names, what that method needs, and the call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

from quercus.arrays import Floats
from quercus.data.rows import Rows
from quercus.errors import ParameterError, shown_list, warn_renamed
from quercus.estimators.base import algorithm_of
from quercus.estimators.checks import Check, is_whole, seed_of
from quercus.fitted.hold_out import HoldOut
from quercus.growing.recipe import Recipe
from quercus.tree import Tree

if TYPE_CHECKING:  # pruning is imported when it is first asked for
    from quercus.pruning.method import PruningMethod
    from quercus.pruning.result import Pruned

#: Old names of methods, which ``prune`` still takes.
ALIASES = {"validation": "stop_by_validation"}
#: What ``prune_with`` takes besides: the user says what goes.
MANUAL = ("snip", "keep_depth", "keep_leaves")


class _Methods(Mapping[str, str]):
    """The methods that ``prune`` may name, each with its meaning; the room of pruning is imported when it is read."""

    def __init__(self, numbers: bool) -> None:
        self.numbers = numbers

    def _table(self) -> dict[str, str]:
        from quercus.pruning import METHODS

        return {name: row.documentation for name, row in METHODS.items() if row.numbers or not self.numbers}

    def __getitem__(self, name: str) -> str:
        return self._table()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table())

    def __len__(self) -> int:
        return len(self._table())


def pruning_methods(own: str, *, numbers: bool = False) -> Check:
    """What ``prune`` may be, of an algorithm whose own method is ``own``; numbers: whether it predicts numbers."""
    methods = _Methods(numbers)
    return Check(
        f"False, True ({own}) or the name of a method",
        lambda value: isinstance(value, bool) or (isinstance(value, str) and ALIASES.get(value, value) in methods),
        told=lambda value: f"False, True ({own}) or one of {', '.join(map(repr, methods))}",
        choices=methods,
        old=ALIASES,
    )


def known_method(name: str) -> PruningMethod:
    """The row of a method in the table of methods."""
    from quercus.pruning import METHODS

    return METHODS[name]


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
    if algorithm_of(estimator).answers_by != "tree" or vars(estimator).get("cost_matrix") is None:
        return False
    name = method_of(estimator)
    return name is not None and not known_method(name).costs


def remark_on_costs(estimator: Any, choose: str = 'prune="cost_complexity"') -> str | None:
    """What to say where costs do not count in pruning; None: they do.

    choose: how the user chooses a method that counts them.

    >>> from quercus import C45Classifier
    >>> remark_on_costs(C45Classifier(cost_matrix={("ill", "well"): 10.0})).split("; ")[1]
    'to prune by costs, too: prune="cost_complexity" (or minimum_error, reduced_error, no pruning).'
    """
    if not ignores_costs(estimator):
        return None
    from quercus.pruning import BY_COST

    return (
        f"The costs of mistakes count in growing and answering, but {method_of(estimator)} pruning counts errors only; "
        f"to prune by costs, too: {choose} (or {', '.join(method.name for method in BY_COST)}, no pruning)."
    )


def needs_validation(method: str | None) -> bool:
    """Whether a method compares on rows that the tree was not grown from."""
    return method is not None and known_method(method).rows == "validation"


def check_validation_given(estimator: Any) -> None:
    """Refuse validation rows that the pruning method would not look at."""
    if not needs_validation(method_of(estimator)):
        methods = _Methods(algorithm_of(estimator).numbers)
        able = " or ".join(repr(name) for name in methods if needs_validation(name))
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


def set_method(estimator: Any, method: str | bool, parameters: Mapping[str, Any]) -> None:
    """Give an estimator a method and its parameters; those that the method does not read are refused."""
    if method is False and not parameters:
        estimator.set_params(prune=False, ccp_alpha=None)
        return
    method = estimator.own_pruning if method is True else method
    if isinstance(method, str) and method in ALIASES:
        warn_renamed(method)
        method = ALIASES[method]
    read = known_method(method).reads if isinstance(method, str) and method in _Methods(False) else ()
    for name in parameters:
        if name not in read or name not in vars(estimator):
            allowed = [known for known in read if known in vars(estimator)]
            raise ParameterError(
                f"prune_with({method!r}, {name}=…) is not allowed; {method!r} reads {', '.join(allowed) or 'nothing'}."
            )
    estimator.set_params(prune=method, **parameters)


def prune_tree(
    estimator: Any,
    method: str | None,
    tree: Tree,
    recipe: Recipe,
    training: Rows | None,
    validation: Rows | None,
    costs: Floats | None,
    n_jobs: int,
) -> Pruned | None:
    """Prune a tree by a method with the estimator's parameters; None if there is no method.

    training: the rows that the tree was grown from. validation: rows that it has not seen. Either is None if it is not
    known.
    """
    if method is None:
        return None
    from quercus.pruning.method import Situation

    row, values = known_method(method), vars(estimator)
    if row.rows is not None and (training if row.rows == "training" else validation) is None:
        which = "the rows of fitting" if row.rows == "training" else "rows that the tree has not seen"
        raise ParameterError(f"{method!r} needs {which}; give X and y.")
    situation = Situation(
        *(tree, recipe, training, validation, costs, n_jobs, estimator.grower),
        seed=lambda: seed_of(values["random_state"]),
    )
    return row.prune(situation, values)


def prune_by_hand(method: str, tree: Tree, arguments: Mapping[str, Any]) -> Pruned:
    """Cut what the user names: by "snip", "keep_depth" or "keep_leaves"."""
    from quercus import pruning

    function: Callable[..., Pruned] = getattr(pruning, method)
    known = [name for name in signature(function).parameters if name != "tree"]
    unknown = [name for name in arguments if name not in known]
    if unknown:
        raise ParameterError(f"{method} has no option {shown_list(unknown)}; it takes {shown_list(known)}.")
    try:
        return function(tree, **arguments)
    except TypeError as error:
        raise ParameterError(f"{method} takes {shown_list(known)}: {error}.") from error
