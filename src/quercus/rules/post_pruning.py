"""Rule post-pruning: C4.5's way from a tree to an ordered list of few short rules.

::

    C4.5RULES(unpruned tree, rows)
        for each leaf that holds a case: the rule IF all questions on its path THEN its class
            while the rule is no worse without some condition: drop the one without which it is best
        reject rules without conditions, that cover nothing, or are no better than guessing; keep one of equal rules
        for each class: keep the subset of its rules that describes the class in the fewest bits
        order the classes, and the rules in each; the default is the class of most uncovered rows
        drop rules without which the list makes fewer errors
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus import _core
from quercus.arrays import Floats
from quercus.data.case_weight import case_weight_of
from quercus.data.costs import MOST_COST, are_costs
from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.values import plain_value, value_key
from quercus.errors import DataError, ParameterError, choice_message, shown_list
from quercus.growing.grow import multipliers_from_costs, weights_in_cases
from quercus.predict.arguments import thread_count
from quercus.predict.predict import apply
from quercus.pruning.error_based import PRESETS, ErrorPreset, added_errors
from quercus.rules.extract import Unknown
from quercus.rules.path_conditions import ConditionLists, condition_arrays, path_rules
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList
from quercus.rules.subset_choice import Covers, choose_subsets, condition_bits, covers_of, order_rules, rule_bits
from quercus.tree.tree import Tree

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Cases:
    """Labelled rows: codes in the order of the tree's classes, their weights (None: ones), and the costs in them.

    unit: what one case weighs; the weights are numbers of cases. With a cost matrix ``counted`` are the weights times
    the share of the row's class in all costs, k Σ_j L(i, j) / Σ L.
    """

    dataset: Dataset
    codes: NDArray[np.int32]
    n_classes: int
    weights: Floats | None
    counted: Floats | None
    unit: float = 1.0

    def lightest(self) -> float:
        """The weight that makes a case: 1, or that of the lightest row if it is less."""
        return self.unit * (1.0 if self.weights is None else min(1.0, float(self.weights[self.weights > 0].min())))

    def totals(self, weights: Floats | None) -> Floats:
        """The weight of each class."""
        return np.bincount(self.codes, weights, minlength=self.n_classes).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Steps:
    """What each step of rule post-pruning was given and left, for who wants to say why something went.

    tree, confidence, preset: as given. by_validation: whether rows that the tree has not seen judged. paths: a rule
    for each leaf. shortened: the different rules when conditions were dropped, judged by ``judged``; figures:
    theirs. good: the places among them of those better than guessing, with their covers, bits; chosen: the places
    among the good ones of those that describe their class; order, left_out: the places among the chosen ones of the
    list, and of what the clean-up took, with their pessimistic rates ``rank``. errors: the cost of each answer for
    each class. training_weights: of the training rows; None: ones.
    """

    tree: Tree
    confidence: float
    preset: ErrorPreset
    by_validation: bool
    paths: ConditionLists
    judged: Cases
    shortened: ConditionLists
    figures: Figures
    good: NDArray[np.intp]
    covers: Covers
    bits: Floats
    chosen: NDArray[np.intp]
    order: NDArray[np.int32]
    left_out: NDArray[np.int32]
    rank: Floats
    errors: Floats
    training_weights: Floats | None
    rules: RuleList


def post_pruning_steps(
    tree: Tree,
    dataset: Dataset,
    target: ClassTarget,
    *,
    weights: ArrayLike | None = None,
    confidence: float = 0.25,
    preset: ErrorPreset = "c45",
    validation: tuple[Any, ...] | None = None,
    cost_matrix: ArrayLike | None = None,
    unknown: Unknown = "fails",
    seed: int = 0,
    n_jobs: int | None = 1,
) -> Steps:
    """Post-pruning step by step; the arguments are explained at :func:`c45_rules`."""
    _check(tree, target, confidence, preset, unknown)
    costs = None if cost_matrix is None else _checked_costs(cost_matrix, len(tree.classes or ()))
    threads = thread_count(n_jobs)
    cases = _cases(tree, dataset, target, weights, costs)
    paths = path_rules(tree, least=cases.lightest(), unknown=unknown, cost_matrix=costs)
    arrays = condition_arrays(paths.conditions, tree.schema)
    judged = cases if validation is None else _cases(tree, *_three(validation), costs, cases.unit)
    shortened = _drop(tree, paths, arrays, judged, confidence, preset, validation is not None, threads)
    covers = covers_of(shortened, arrays, dataset, cases.codes, cases.n_classes, cases.counted, threads)
    figures = Figures(shortened, covers, cases, confidence, preset)
    good = np.flatnonzero(figures.better_than_guessing())
    lists, covers = shortened.take(good), covers.take(good)
    bits = rule_bits(lists, condition_bits(lists.conditions, dataset))
    mask, _ = choose_subsets(covers, lists.label, bits, seed=seed, n_threads=threads)
    chosen = np.flatnonzero(mask)
    lists, rank = lists.take(chosen), figures.pessimistic[good][chosen]
    last = covers.take(chosen)
    plain = Covers(last.start, last.rows, last.labels, last.n_classes, cases.weights)
    errors = 1.0 - np.eye(cases.n_classes) if costs is None else costs
    order, default, left_out = order_rules(plain, lists.label, rank, errors)
    rules = _rule_list(tree, lists, plain, order, default, cases.unit)
    return Steps(
        tree=tree,
        confidence=confidence,
        preset=preset,
        by_validation=validation is not None,
        paths=paths,
        judged=judged,
        shortened=shortened,
        figures=figures,
        good=good,
        covers=covers,
        bits=bits,
        chosen=chosen,
        order=order,
        left_out=left_out,
        rank=rank,
        errors=errors,
        training_weights=cases.weights,
        rules=rules,
    )


def _after(first: Callable[P, Steps]) -> Callable[[Callable[[Steps], R]], Callable[P, R]]:
    """Turn a function of what another one returns into one that takes the other's arguments, by the same signature."""

    def chained(second: Callable[[Steps], R]) -> Callable[P, R]:
        @wraps(second)
        def both(*args: P.args, **options: P.kwargs) -> R:
            return second(first(*args, **options))

        returns = signature(second).return_annotation
        both.__signature__ = signature(first).replace(return_annotation=returns)  # type: ignore[attr-defined]
        return both

    return chained


#: For functions that look at the steps and are called with the arguments of post-pruning.
after_post_pruning = _after(post_pruning_steps)


@after_post_pruning
def c45_rules(steps: Steps) -> RuleList:
    """An ordered rule list from an unpruned tree and the rows that it was grown from.

    A condition may go if without it the pessimistic error rate of the rule, the upper limit at ``confidence`` of what
    it shows on all rows, is not higher, or the plain one is not; of such conditions the one of lowest pessimistic rate
    goes first (ties: the fewest errors, then the last of the path). A rule that covers nothing has the rate 1.

    - tree: with classes, as grown. dataset, target: all rows it was grown from, encoded.
    - weights: one per row, not negative; None: each row counts 1. They are for counting only: a row of unknown value is
      not split.
    - confidence, preset: of the pessimistic rate, as in :func:`quercus.pruning.error_based`.
    - validation: (dataset, target) or (dataset, target, weights) that the tree has not seen: conditions are dropped by
      the plain error rate there, not higher without the condition; the rest is done on the training rows.
    - cost_matrix: L(i, j), the cost of answering j when i is true. A leaf's class is that of least cost; where cases
      are counted (dropping, description length) each counts by its class's share in all costs; class order, default
      and clean-up add up the costs themselves.
    - unknown: "fails": an unknown value fulfils no condition. "tree": it fulfils that of the branch which takes unknown
      values, where the tree has one.
    - seed: of the search for the best subset, if a class has more than 10 rules; see ``subset_choice``.
    - n_jobs: threads; the rules do not depend on it.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.datasets import load_play_tennis
    >>> from quercus.growing.c45 import c45_recipe
    >>> from quercus.growing.grow import grow
    >>> X, y = load_play_tennis()
    >>> data, target = encode(X), encode_classes(y)
    >>> print(c45_rules(grow(data, target, c45_recipe()), data, target))
    1. IF Outlook = Sunny AND Humidity = High THEN No (3, 1.00)
    2. IF Outlook = Rain AND Wind = Strong THEN No (2, 1.00)
    3. IF Outlook = Overcast THEN Yes (4, 1.00)
    4. IF Humidity = Normal THEN Yes (7, 0.86)
    5. IF Outlook = Rain AND Wind = Weak THEN Yes (3, 1.00)
    Otherwise: Yes
    """
    return steps.rules


def _check(tree: Tree, target: Any, confidence: float, preset: str, unknown: str) -> None:
    if not tree.target_kind.has_shares or not isinstance(target, ClassTarget):
        raise DataError("C4.5's rules are about classes: give a tree with classes, and encode_classes(y).")
    if preset not in PRESETS:
        raise ParameterError(choice_message("preset", preset, tuple(PRESETS)))
    if unknown not in get_args(Unknown):
        raise ParameterError(choice_message("unknown", unknown, get_args(Unknown)))
    if not 0.0 < confidence <= 1.0:
        raise ParameterError(f"confidence is {confidence!r}, but must be above 0 and at most 1.")


def _checked_costs(cost_matrix: ArrayLike, n_classes: int) -> Floats:
    costs = np.ascontiguousarray(cost_matrix, dtype=np.float64)
    if costs.shape != (n_classes, n_classes) or not are_costs(costs):
        raise ParameterError(
            f"cost_matrix has the shape {costs.shape}, but must be {n_classes} × {n_classes} numbers from 0 to "
            f"{MOST_COST:g}: a row for each true class, a column for each answer."
        )
    return costs


def _three(validation: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    if not isinstance(validation, tuple) or len(validation) not in (2, 3):
        raise ParameterError("validation must be (dataset, target) or (dataset, target, weights), or None.")
    return validation[0], validation[1], validation[2] if len(validation) == 3 else None


def _cases(
    tree: Tree,
    dataset: Dataset,
    target: ClassTarget,
    weights: Any,
    costs: Floats | None,
    case_weight: float | None = None,
) -> Cases:
    """Labelled rows, checked, with the codes of the tree's classes; case_weight: what one case weighs, if known."""
    classes = tree.classes or ()
    positions = {value_key(label): position for position, label in enumerate(classes)}
    known = [positions.get(value_key(plain_value(label)), -1) for label in target.classes]
    codes = np.array(known, dtype=np.int32)[target.codes]
    if codes.shape != (dataset.n_rows,) or dataset.n_rows == 0:
        raise DataError(
            f"The target has {len(codes)} labels for {dataset.n_rows} rows: give one per row, and some rows."
        )
    if (codes < 0).any():
        strange = target.classes[target.codes[int(np.argmax(codes < 0))]]
        raise DataError(f"The target has the class {strange!r}, which the tree does not know: {shown_list(classes)}.")
    checked = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    if checked is not None and (
        checked.shape != codes.shape or not np.isfinite(checked).all() or (checked < 0).any() or not checked.any()
    ):
        raise DataError("weights must be finite numbers, 0 or more and not all 0, one per row.")
    unit = 1.0
    if checked is not None:
        unit = case_weight_of(checked) if case_weight is None else case_weight
        checked = weights_in_cases(checked, unit)
    counted = checked
    if costs is not None:
        factors = multipliers_from_costs(costs)[codes]
        counted = np.ascontiguousarray(factors if checked is None else factors * checked)
    return Cases(dataset, codes, len(classes), checked, counted, unit)


def _drop(
    tree: Tree,
    lists: ConditionLists,
    arrays: tuple[NDArray[Any], ...],
    cases: Cases,
    confidence: float,
    preset: str,
    plain: bool,
    threads: int,
) -> ConditionLists:
    """The different rules that are left when conditions are dropped; rows in the order of the leaves, for speed."""
    order = np.argsort(apply(tree, cases.dataset, threads), kind="stable").astype(np.int32)
    rules = PRESETS[preset]
    estimate = np.array([confidence, rules.deviate(confidence), rules.top_share, float(rules.never_negative)])
    start, condition, label = _core.drop_conditions(
        tuple(cases.dataset.columns),
        cases.dataset.n_rows,
        cases.codes,
        cases.n_classes,
        cases.counted,
        arrays,
        lists.arrays,
        order,
        estimate,
        plain,
        threads,
    )
    return ConditionLists(lists.conditions, start, condition, label)


class Figures:
    """What each rule covers on the training rows, and its pessimistic error rate."""

    def __init__(
        self, lists: ConditionLists, covers: Covers, cases: Cases, confidence: float, preset: ErrorPreset
    ) -> None:
        weights = covers.class_weights(cases.counted)
        self.some_conditions = np.diff(lists.start) > 0
        self.covered = weights.sum(axis=1)
        self.wrong = self.covered - weights[np.arange(len(lists)), lists.label]
        totals = cases.totals(cases.counted)
        self.guessing = 1.0 - totals[lists.label] / totals.sum() if totals.sum() > 0 else np.ones(len(lists))
        size = np.where(self.covered > 0, self.covered, 1.0)
        added = added_errors(self.covered, self.wrong, confidence=confidence, preset=preset)
        self.plain = np.where(self.covered > 0, self.wrong / size, 1.0)
        self.pessimistic = np.where(self.covered > 0, (self.wrong + added) / size, 1.0)

    def better_than_guessing(self) -> NDArray[np.bool_]:
        """The rules to keep: with conditions, covering something, and right more often than their class is frequent."""
        return np.asarray(self.some_conditions & (self.covered > 0) & (self.plain < self.guessing - 1e-12))


def _rule_list(
    tree: Tree, lists: ConditionLists, covers: Covers, order: NDArray[np.int32], default: int, unit: float
) -> RuleList:
    """The ordered rules with the weights they cover; the default with those of the rows that no rule covers."""
    weights = covers.class_weights(covers.weights) * unit
    rules = []
    for number in order.tolist():
        rule = Rule(lists.merged(number), int(lists.label[number]), tree.classes)
        rules.append(rule.with_weights(weights[number].tolist()))
    left = np.ones(len(covers.labels), dtype=np.bool_)
    left[covers.take(order.astype(np.intp)).rows] = False
    row_weights = None if covers.weights is None else covers.weights[left]
    rest = np.bincount(covers.labels[left], row_weights, minlength=covers.n_classes) * unit
    uncovered = tuple(rest.astype(np.float64).tolist()) if rest.sum() > 0 else None
    return RuleList(tuple(rules), default, tree.schema, tree.classes, default_weights=uncovered)
