"""Tuning: cross-validated choice of depth, ε, confidence, α and minimum leaf; no tree is grown that pruning can give.

One tree per fold, grown without the limit, holds the trees of every depth, every ε, every confidence and every α: what
a node asks does not depend on what stands below it, so cutting where the limit would have stopped gives the tree that
the limit would have grown. That is so for ``max_depth``, ``min_gain`` (ε) and ``min_impurity_decrease`` of depth-first
growth without collapsing. A minimum leaf changes which questions are allowed, so it needs a tree of its own for each
value: ``regrown``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats, Integers
from quercus.data.case_weight import case_weight_of
from quercus.data.dataset import Dataset, check_dataset
from quercus.data.names import significant
from quercus.data.rows import Rows
from quercus.data.target import Target
from quercus.data.weights import named_costs
from quercus.errors import ParameterError, checked_choice, checked_function, choice_message, shorten
from quercus.pruning.alpha_table import divisions, fold_numbers, midpoints
from quercus.pruning.columns import column_cells
from quercus.pruning.cost_complexity import Risk, cost_complexity_path
from quercus.pruning.curves import cut_in_order
from quercus.pruning.error_based import ErrorPreset, error_based
from quercus.pruning.nested import NestedTrees, StepLosses, checked_weights
from quercus.results import Cells, Result, Table, frame_of
from quercus.tree.tree import Tree


@dataclass(frozen=True)
class Choice(Result):
    """One line of the table: a value of a parameter, and its cross-validated error.

    parameter: ``"max_depth"``, ``"min_gain"``, ``"min_impurity_decrease"``, ``"confidence"``, ``"alpha"`` or
    ``"none"``, and its value. regrown: the settings that the trees were grown with. leaves: of the tree from all rows.
    error, standard_error: cross-validated, per row (with costs the mean cost; for numbers the mean squared error).
    """

    parameter: str
    value: Any
    leaves: int
    error: float
    standard_error: float
    regrown: Mapping[str, Any] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters of an estimator that make this tree: ``estimator.set_params(**choice.settings)``."""
        by = {"alpha": ("cost_complexity", "ccp_alpha"), "confidence": ("error_based", "confidence")}
        method, name = by.get(self.parameter, (False, self.parameter))
        return {**self.regrown, "prune": method} | ({} if name == "none" else {name: self.value})


@dataclass(frozen=True, eq=False, repr=False)
class TuningTable(Table):
    """All choices, in the order asked for; ``tree`` makes the tree of one from all rows without growing again.

    measure: what their errors are: "error", or, with costs of mistakes, "mean cost".
    """

    choices: tuple[Choice, ...]
    make: Callable[[Choice], Tree]
    measure: str = "error"

    def __len__(self) -> int:
        """The number of choices."""
        return len(self.choices)

    def best(self, rule: Literal["min", "1se"] = "min", parameter: str | None = None) -> Choice:
        """The choice to make, of all or of one parameter.

        rule: ``"min"``, the least error, of equal ones that of the fewest leaves; or ``"1se"``, the fewest leaves with
        an error at most one standard error above that, of equal ones that of the least error.
        """
        checked_choice("rule", rule, ("min", "1se"))
        among = [choice for choice in self.choices if parameter in (None, choice.parameter)]
        if not among:
            names = tuple(dict.fromkeys(choice.parameter for choice in self.choices))
            raise ParameterError(choice_message("parameter", parameter, names))
        least = min(among, key=lambda choice: (_rounded(choice.error), choice.leaves))
        if rule == "min":
            return least
        limit = least.error + least.standard_error + 1e-12
        return min(
            (choice for choice in among if choice.error <= limit),
            key=lambda choice: (choice.leaves, _rounded(choice.error)),
        )

    def tree(self, choice: Choice | Literal["min", "1se"] = "min") -> Tree:
        """The tree of a choice, or of the best by a rule, from all rows."""
        return self.make(choice if isinstance(choice, Choice) else self.best(choice))

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The table by column."""
        names = dict.fromkeys(name for choice in self.choices for name in choice.regrown)
        return {
            **{name: [choice.regrown.get(name) for choice in self.choices] for name in names},
            "parameter": [choice.parameter for choice in self.choices],
            "value": [choice.value for choice in self.choices],
            "leaves": [choice.leaves for choice in self.choices],
            self.measure: [choice.error for choice in self.choices],
            "standard error": [choice.standard_error for choice in self.choices],
        }

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame."""
        return frame_of(self.columns)

    def cells(self) -> Cells:
        """A line for every choice; the best ones are marked."""
        best = {"min": self.best("min"), "1se": self.best("1se")}
        marks = [" ".join(rule for rule, chosen in best.items() if chosen is choice) for choice in self.choices]
        shown = {
            name: _texts(column) if name not in ("leaves", self.measure, "standard error") else column
            for name, column in self.columns.items()
        }
        return column_cells({**shown, "best": marks}, limit=40, always=[i for i, mark in enumerate(marks) if mark])


@named_costs
def tune(
    grow: Callable[..., Tree],
    dataset: Dataset,
    target: Target,
    *,
    depths: Sequence[int | None] = (),
    min_gains: Sequence[float] = (),
    min_impurity_decreases: Sequence[float] = (),
    confidences: Sequence[float] = (),
    alphas: Sequence[float] | Literal["path"] = (),
    regrown: Mapping[str, Sequence[Any]] | None = None,
    folds: int | ArrayLike = 10,
    cost_matrix: Any = None,
    weights: ArrayLike | None = None,
    risk: Risk = "error",
    preset: ErrorPreset = "c45",
    raising: bool = True,
    random_state: int = 0,
) -> TuningTable:
    """Measure every value of every parameter on rows left out, from one tree per fold.

    Parameters
    ----------
    grow : a function of (dataset, target, weights) that gives a tree, grown without the limits to be tuned; with
        ``regrown`` it also takes those settings by name.
    depths, min_gains, min_impurity_decreases : limits of growth, cut out of the grown tree. None among the depths: no
        limit.
    confidences : of error-based pruning; only for classes. preset, raising : of :func:`error_based`.
    risk : of :func:`cost_complexity_path`.
    alphas : of cost-complexity pruning, or ``"path"``, all that the tree from all rows has; folds are then
        pruned at the geometric midpoints.
    regrown : values of settings that pruning cannot give, such as ``{"min_samples_leaf": [1, 2, 5]}``; for every
        combination of them one tree per fold is grown, and everything else is measured on each.
    folds, cost_matrix, weights, random_state : as in :func:`cross_validated_alphas`.

    The tree as grown is always among the choices, as ``"none"``.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> x = list(range(40))
    >>> y = ["b" if i in (3, 8, 17) or i > 19 else "a" for i in x]
    >>> table = tune(
    ...     lambda rows, classes, weights: grow(rows, classes, cart_recipe(), weights=weights),
    ...     encode({"x": x}), encode_classes(y), depths=[1, 2, 3], confidences=[0.25], folds=[i % 4 for i in x])
    >>> print(table)
    parameter   value  leaves  error  standard error  best
    none        -           8  0.175  0.06008
    max_depth   1           2  0.1    0.04743         min 1se
    max_depth   2           3  0.1    0.04743
    max_depth   3           5  0.175  0.06008
    confidence  0.25        2  0.1    0.04743
    """
    check_dataset(dataset)
    checked_function("grow", grow, dataset, target, weights)
    row_weights = checked_weights(weights, dataset.n_rows)
    whole = Rows(dataset, target, None if weights is None else row_weights)
    fold = fold_numbers(folds, target, dataset.n_rows, random_state)
    limits = {"max_depth": depths, "min_gain": min_gains, "min_impurity_decrease": min_impurity_decreases}
    pruners = _Pruners(cost_matrix, risk, preset, raising)
    settings = {name: list(values) for name, values in (regrown or {}).items()}
    choices: list[Choice] = []
    trees: dict[str, tuple[Tree, list[_Family]]] = {}
    for combination in product(*settings.values()):
        named = dict(zip(settings, combination, strict=True))
        tree = grow(*whole.growing, **named)
        families = pruners.families(tree, limits, confidences, alphas)
        trees[repr(named)] = tree, families
        sums = [np.zeros((2, len(family.values))) for family in families]
        for rows, left_out in divisions(fold):
            inside, outside = whole.take(rows), whole.take(left_out)
            fold_tree = grow(*inside.growing, **named)
            for family, added in zip(families, sums, strict=True):
                added += family.plan(fold_tree, inside).losses(outside, cost_matrix)
        for family, (total, squares) in zip(families, sums, strict=True):
            losses = StepLosses(float(row_weights.sum()), total, squares, case_weight_of(row_weights))
            choices += family.choices(tree, whole, losses, named)

    def make(choice: Choice) -> Tree:
        if repr(choice.regrown) not in trees:
            raise ParameterError(f"No tree was grown with {shorten(choice.regrown)}: give a choice of this table.")
        tree, families = trees[repr(choice.regrown)]
        family = next(family for family in families if family.parameter == choice.parameter)
        return family.plan(tree, whole).tree(family.values.index(choice.value))

    return TuningTable(tuple(choices), make, "error" if cost_matrix is None else "mean cost")


class _Cuts:
    """The trees of a parameter's values, all cut out of one: a step of a nested sequence for each."""

    def __init__(self, nested: NestedTrees, steps: Integers) -> None:
        self.nested, self.steps = nested, steps

    def losses(self, rows: Rows, cost_matrix: ArrayLike | None) -> Floats:
        result = self.nested.losses(*rows.growing, cost_matrix)
        return np.stack([result.total, result.squares])[:, self.steps]

    @property
    def n_leaves(self) -> Integers:
        return self.nested.n_leaves[self.steps]

    def tree(self, place: int) -> Tree:
        return self.nested.pruned(int(self.steps[place]))


class _Trees:
    """The trees of a parameter's values where one does not hold the next: branches may have been raised."""

    def __init__(self, trees: list[Tree]) -> None:
        self.trees = trees

    def losses(self, rows: Rows, cost_matrix: ArrayLike | None) -> Floats:
        result = [cut_in_order(tree, []).losses(*rows.growing, cost_matrix) for tree in self.trees]
        return np.array([[losses.total[0] for losses in result], [losses.squares[0] for losses in result]])

    @property
    def n_leaves(self) -> Integers:
        return np.array([tree.n_leaves for tree in self.trees])

    def tree(self, place: int) -> Tree:
        return self.trees[place]


@dataclass(frozen=True, eq=False)
class _Family:
    """A parameter, its values, and how a tree gives the trees of all of them."""

    parameter: str
    values: list[Any]
    plan: Callable[[Tree, Rows], _Cuts | _Trees]

    def choices(self, tree: Tree, rows: Rows, losses: StepLosses, regrown: Mapping[str, Any]) -> list[Choice]:
        """The choices of all values: the leaves of the tree from all rows, and the losses on rows left out."""
        figures = zip(self.values, self.plan(tree, rows).n_leaves, losses.mean, losses.standard_error, strict=True)
        return [
            Choice(self.parameter, value, int(size), float(error), float(spread), regrown)
            for value, size, error, spread in figures
        ]


@dataclass(frozen=True)
class _Pruners:
    """What the parameters that are cut out of a tree need to know."""

    cost_matrix: ArrayLike | None
    risk: Risk
    preset: ErrorPreset
    raising: bool

    def families(
        self,
        tree: Tree,
        limits: Mapping[str, Sequence[Any]],
        confidences: Sequence[float],
        alphas: Sequence[float] | Literal["path"],
    ) -> list[_Family]:
        """The families of the parameters that have values."""
        result = [_Family("none", [None], lambda grown, _: _Cuts(cut_in_order(grown, []), np.zeros(1, dtype=np.int64)))]
        for name, values in limits.items():
            if len(values):
                result.append(self._limit(name, _depths(values) if name == "max_depth" else _numbers(name, values)))
        if len(confidences):
            result.append(self._confidences(_numbers("confidences", confidences)))
        if isinstance(alphas, str):
            if alphas != "path":
                raise ParameterError(f"alphas is {alphas!r}, but must be numbers of at least 0, or 'path'.")
            path = cost_complexity_path(tree, self.cost_matrix, self.risk)
            result.append(self._alphas(path.alphas.tolist(), midpoints(path.alphas)))
        elif len(alphas):
            result.append(self._alphas(_numbers("alphas", alphas), np.asarray(alphas, dtype=np.float64)))
        return result

    def _limit(self, name: str, values: list[Any]) -> _Family:
        return _Family(name, values, lambda tree, _: limited(tree, name, values))

    def _confidences(self, values: list[Any]) -> _Family:
        def plan(tree: Tree, rows: Rows) -> _Trees:
            options: Any = {"weights": rows.weights, "preset": self.preset, "raising": self.raising}
            parts = rows.dataset, rows.target
            return _Trees([error_based(tree, *parts, confidence=value, **options).tree for value in values])

        return _Family("confidence", values, plan)

    def _alphas(self, values: list[Any], prices: Floats) -> _Family:
        def plan(tree: Tree, _: Rows) -> _Cuts:
            path = cost_complexity_path(tree, self.cost_matrix, self.risk)
            return _Cuts(path.nested, np.array([path.step(price) for price in prices.tolist()]))

        return _Family("alpha", values, plan)


def limited(tree: Tree, name: str, values: Sequence[Any]) -> _Cuts:
    """The trees that growing with each value of a limit would have given, cut out of the tree grown without it."""
    if name == "max_depth":
        limits = -np.array([np.inf if value is None else value for value in values], dtype=np.float64)
        strength = -tree.node_depth.astype(np.float64)
        side: Literal["left", "right"] = "left"  # a node at the limit is a leaf
    else:
        limits = np.asarray(values, dtype=np.float64)
        share = tree.weight / tree.weight[0] if name == "min_impurity_decrease" else 1.0
        strength, side = share * tree.gain + tree.target_kind.gain_tie(tree.value, tree.weight), "right"
    order = np.unique(limits)
    cut_step = np.searchsorted(order, strength, side=side).astype(np.int64)
    return _Cuts(NestedTrees(tree, cut_step, len(order)), np.searchsorted(order, limits).astype(np.int64))


def _depths(values: Sequence[Any]) -> list[int | None]:
    for value in values:
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if value is not None and not (whole and value >= 0):
            raise ParameterError(f"depths holds {shorten(value)}, but must hold whole numbers of at least 0, or None.")
    return [None if value is None else int(value) for value in values]


def _numbers(name: str, values: Sequence[Any]) -> list[float]:
    for value in values:
        if not isinstance(value, int | float | np.number) or not 0 <= value < np.inf:
            raise ParameterError(f"{name} holds {shorten(value)}, but must hold finite numbers of at least 0.")
    return [float(value) for value in values]


def _rounded(error: float) -> float:
    """An error without what rounding adds, for ties."""
    return round(error, 12)


def _texts(column: list[Any]) -> list[str]:
    """Values as short texts; a dash if there is no value."""
    return ["-" if cell is None else significant(cell) if isinstance(cell, float) else str(cell) for cell in column]
