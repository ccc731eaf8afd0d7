"""The table of alphas: how well each tree of cost-complexity pruning does on rows it was not grown from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.case_weight import case_weight_of
from quercus.data.dataset import ClassTarget, Dataset, check_dataset
from quercus.data.names import significant
from quercus.data.rows import Rows
from quercus.data.target import Target, take_target
from quercus.data.weights import named_costs
from quercus.errors import DataError, ParameterError, checked_choice, checked_function, checked_random, shorten
from quercus.growing.grower import GrowOptions, one_tree
from quercus.pruning.columns import column_cells
from quercus.pruning.cost_complexity import AlphaPath, Risk, cost_complexity, cost_complexity_path, risk_of
from quercus.pruning.curves import Grow
from quercus.pruning.method import PruningMethod, Situation, validation_rows
from quercus.pruning.nested import StepLosses, checked_weights
from quercus.pruning.result import Pruned
from quercus.results import Cells, Table, frame_of
from quercus.tree.tree import Tree


class AlphaRow(NamedTuple):
    """One line of the table; errors as shares of the root's."""

    alpha: float
    relative_alpha: float
    leaves: int
    training_error: float
    cv_error: float
    standard_error: float


@dataclass(frozen=True, eq=False, repr=False)
class CVTable(Table):
    """A line for every tree of the path, the largest tree first.

    path: of the tree grown from all rows. training_error, cv_error, standard_error: as shares of the error of the root
    alone (``root_error``, per row), so that 1 means “no better than one leaf”; they are not
    divided if the root has no error. folds: the fold of each row. fold_paths: of the trees grown without each fold.
    measure: what the errors are: "error", or, with costs of mistakes, "mean cost".

    rpart prints the same table with the smallest tree first and ``relative_alpha`` as CP.
    """

    path: AlphaPath
    training_error: Floats
    cv_error: Floats
    standard_error: Floats
    root_error: float
    folds: NDArray[np.int64]
    fold_paths: tuple[AlphaPath, ...]
    measure: str = "error"

    def __len__(self) -> int:
        """The number of trees."""
        return len(self.path)

    def row(self, place: int) -> AlphaRow:
        """One line of the table."""
        return AlphaRow(
            float(self.path.alphas[place]),
            float(self.path.relative_alphas[place]),
            int(self.path.n_leaves[place]),
            float(self.training_error[place]),
            float(self.cv_error[place]),
            float(self.standard_error[place]),
        )

    def best(self, rule: Literal["min", "1se"] = "min") -> AlphaRow:
        """The line to choose.

        rule: ``"min"``, the least cross-validated error (the smallest tree if tied), or ``"1se"``, the smallest tree
        whose error is at most one standard error above that.
        """
        return self.row(chosen_place(self.cv_error, self.standard_error, rule))

    def tree(self, rule: Literal["min", "1se"] = "min") -> Tree:
        """The tree of the line to choose, from all rows."""
        return self.path.tree(self.best(rule).alpha)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The table by column."""
        return {
            "alpha": self.path.alphas,
            "relative alpha": self.path.relative_alphas,
            "leaves": self.path.n_leaves,
            f"training {self.measure}": self.training_error,
            f"cv {self.measure}": self.cv_error,
            "standard error": self.standard_error,
        }

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame."""
        return frame_of(self.columns)

    def cells(self) -> Cells:
        """The table with the choices of both rules, and what the errors are shares of."""
        places = {rule: chosen_place(self.cv_error, self.standard_error, rule) for rule in ("min", "1se")}
        marks = [" ".join(rule for rule, place in places.items() if place == i) for i in range(len(self))]
        n_folds = len(self.fold_paths)
        root = significant(self.root_error)
        head = f"cross-validated on {n_folds} folds; {self.measure}s as shares of the root's {root} per row"
        return column_cells({**self.columns, "best": marks}, always=places.values(), title=head)


@named_costs
def cross_validated_alphas(
    grow: Grow,
    dataset: Dataset,
    target: Target,
    *,
    folds: int | ArrayLike = 10,
    cost_matrix: Any = None,
    weights: ArrayLike | None = None,
    risk: Risk = "error",
    random_state: int = 0,
) -> CVTable:
    r"""Grow a tree from all rows and one without each fold, and measure every tree of the path on the rows left out.

    Tree i of the path is the best for :math:`α_i ≤ α < α_{i+1}`; the trees of the folds are pruned at the geometric
    midpoint :math:`\sqrt{α_i α_{i+1}}`. One tree per fold serves all alphas. The error of a row is 1 if its class is
    not the one answered, with costs L(true, answered), for numbers the squared difference; the standard error is
    :math:`\sqrt{\sum w e^2 − (\sum w e)^2 / W}` as a share of the root's whole error.

    Parameters
    ----------
    grow : a function of (dataset, target, weights) that gives a tree, large enough to be pruned.
    folds : how many (rows are dealt at random, the rows of each class evenly), or the fold of each row.
    cost_matrix : L(i, j), the cost of answering j when i is true; for pruning, for answering and for the errors.
    weights : one per row. risk : as in :func:`cost_complexity_path`. random_state : of the dealing.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> x = list(range(24))
    >>> y = ["b" if i in (3, 8) or i > 11 else "a" for i in x]
    >>> table = cross_validated_alphas(
    ...     lambda rows, classes, weights: grow(rows, classes, cart_recipe(), weights=weights),
    ...     encode({"x": x}), encode_classes(y), folds=[i % 4 for i in x])
    >>> print(table)
    cross-validated on 4 folds; errors as shares of the root's 0.4167 per row
    alpha    relative alpha  leaves  training error  cv error  standard error  best
    0        0                    6  0               0.5       0.199
    0.02083  0.05                 2  0.2             0.3       0.162           min 1se
    0.3333   0.8                  1  1               1         0.2415
    """
    check_dataset(dataset)
    checked_function("grow", grow, dataset, target, weights)
    row_weights = checked_weights(weights, dataset.n_rows)
    drawn = None if weights is None else row_weights
    fold = fold_numbers(folds, target, dataset.n_rows, random_state)
    path = cost_complexity_path(grow(dataset, target, drawn), cost_matrix, risk)
    prices = midpoints(path.alphas)
    total, squares = np.zeros(len(path)), np.zeros(len(path))
    fold_paths = []
    for rows, left_out in divisions(fold):
        fold_tree = grow(dataset.take(rows), take_target(target, rows), None if drawn is None else drawn[rows])
        fold_path = cost_complexity_path(fold_tree, cost_matrix, risk)
        losses = fold_path.nested.losses(
            dataset.take(left_out),
            take_target(target, left_out),
            None if drawn is None else drawn[left_out],
            cost_matrix,
        )
        steps = np.array([fold_path.step(price) for price in prices])
        total += losses.total[steps]
        squares += losses.squares[steps]
        fold_paths.append(fold_path)
    measured = StepLosses(float(row_weights.sum()), total, squares, case_weight_of(row_weights))
    root_error = float(path.errors[-1])
    scale = 1.0 / root_error if root_error > 0 else 1.0
    return CVTable(
        path=path,
        training_error=path.errors * scale,
        cv_error=measured.mean * scale,
        standard_error=measured.standard_error * scale,
        root_error=root_error,
        folds=fold,
        fold_paths=tuple(fold_paths),
        measure="error" if cost_matrix is None else "mean cost",
    )


def midpoints(alphas: Floats) -> Floats:
    """The geometric midpoints of the intervals of rising alphas; the last goes on without end.

    >>> midpoints(np.array([0.0, 0.01, 0.04]))
    array([0.  , 0.02,  inf])
    """
    return np.sqrt(alphas * np.append(alphas[1:], np.inf)) if len(alphas) > 1 else np.array([np.inf])


def chosen_place(error: Floats, standard_error: Floats, rule: str) -> int:
    """The place to choose among trees of falling size: the last of least error, or the last within a standard error."""
    checked_choice("rule", rule, ("min", "1se"))
    least = float(error.min())
    tie = 1e-12 * max(abs(least), 1e-3)
    place = int(np.flatnonzero(error <= least + tie)[-1])
    if rule == "1se":
        place = int(np.flatnonzero(error <= least + float(standard_error[place]) + tie)[-1])
    return place


def fold_numbers(folds: int | ArrayLike, target: Target, n_rows: int, random_state: int = 0) -> NDArray[np.int64]:
    """The fold of each row: as given, or dealt at random, the rows of each class evenly."""
    numbers = np.asarray(folds)
    if numbers.ndim == 1:
        if numbers.shape != (n_rows,) or numbers.dtype.kind not in "iu":
            raise DataError(f"folds must hold a whole number for each of the {n_rows} rows, or be one number.")
        if len(np.unique(numbers)) < 2:
            raise DataError(
                "folds gives all rows the same number, so no tree could be grown from the others: give two."
            )
        return numbers.astype(np.int64)
    if numbers.ndim != 0 or numbers.dtype.kind not in "iu" or not 2 <= int(numbers) <= n_rows:
        raise ParameterError(f"folds is {shorten(folds)}, but must be a number from 2 to the {n_rows} rows.")
    order = checked_random("random_state", random_state).permutation(n_rows)
    if isinstance(target, ClassTarget):
        order = order[np.argsort(target.codes[order], kind="stable")]
    fold = np.empty(n_rows, dtype=np.int64)
    fold[order] = np.arange(n_rows) % int(numbers)
    return fold


def divisions(fold: NDArray[np.int64]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For every fold the rows to grow from and the rows left out."""
    return [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in np.unique(fold)]


def _prune(situation: Situation, options: Mapping[str, Any]) -> Pruned:
    """At the price given, or at that which cross-validation chooses; then the table of it is kept."""
    tree, costs = situation.tree, situation.costs
    alpha = options["ccp_alpha"]
    if alpha is None and tree.n_nodes > 1:
        table = _alpha_table(situation, int(options["folds"]))
        return replace(table.path.pruned(table.best(options["alpha_choice"]).alpha), table=table)
    return cost_complexity(tree, float(alpha or 0.0), cost_matrix=costs, risk=risk_of(tree, costs))


def _alpha_table(situation: Situation, folds: int) -> CVTable:
    """Cross-validate every price of leaves, by the rows that have weight; one tree is grown for each fold."""
    tree, costs, rows, recipe = situation.tree, situation.costs, situation.training, situation.recipe
    if rows is None or recipe is None:
        raise ParameterError(
            "'cost_complexity' without a price needs the rows of fitting; give X and y, or a number as ccp_alpha."
        )
    rows = rows.with_weight()
    whole = rows.dataset

    def grown(dataset: Dataset, target: Target, weights: Floats | None) -> Tree:
        if dataset is whole:
            return tree
        part = Rows(dataset, target, weights)
        return one_tree(situation.grower, part, recipe, GrowOptions(costs, situation.n_jobs))

    return cross_validated_alphas(
        grown,
        whole,
        rows.target,
        folds=min(folds, whole.n_rows),
        cost_matrix=costs,
        weights=rows.weights,
        risk=risk_of(tree, costs),
        random_state=situation.seed(),
    )


def _compare(situation: Situation) -> tuple[str, Pruned]:
    """The tree of the α-sequence that does best on the validation rows, the smallest of equals."""
    rows, path = validation_rows(situation), cost_complexity_path(situation.tree, situation.costs)
    losses = path.nested.losses(rows.dataset, rows.target, rows.weights, situation.costs).total
    best = int(np.flatnonzero(losses <= losses.min() + 1e-10 * abs(float(losses.max())))[-1])
    alpha = float(path.alphas[best])
    return f"alpha {significant(alpha)}, best on validation", path.pruned(alpha)


COST_COMPLEXITY = PruningMethod(
    "cost_complexity",
    "CART's method: a leaf takes the place of questions that lower the impurity by less than the price of their leaves",
    _prune,
    reads=("ccp_alpha", "alpha_choice", "folds", "random_state"),
    numbers=True,
    place=4,
    compare=_compare,
)
