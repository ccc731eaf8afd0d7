"""The errors of nodes on some rows: the cost of each node as a leaf, and its cost with its subtree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget, Dataset, check_dataset
from quercus.errors import DataError
from quercus.predict.predict import decision_path
from quercus.predict.tally import tally
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree


@dataclass(frozen=True)
class NodeErrors:
    """What the rows that reach each node cost.

    as_leaf: if the node were a leaf of the tree's training labels. staying: of the rows that a question cannot send on
    (all its branches empty). weight: of the rows at each node. unit: ``"errors"`` (weight of the rows answered wrong),
    ``"cost"``, ``"squared error"`` or ``"pinball loss"``. tie: differences up to this are rounding.
    """

    as_leaf: Floats
    staying: Floats
    children_as_leaves: Floats
    weight: Floats
    unit: str
    tie: float

    @property
    def total_weight(self) -> float:
        """The weight of all rows."""
        return float(self.weight[0])

    def rates(self, cost: float) -> dict[str, float]:
        """The figures to show for a cost of the whole tree: accuracy and errors, or cost, or squared error per row."""
        share = cost / self.total_weight
        if self.unit == "errors":
            return {"accuracy": 1.0 - share, "errors": cost}
        return {"mean " + self.unit: share, self.unit: cost}


def node_errors(
    tree: Tree,
    dataset: Dataset,
    target: ClassTarget | NDArray[Any],
    weights: ArrayLike | None = None,
    cost_matrix: ArrayLike | None = None,
) -> NodeErrors:
    r"""What rows cost at each node, each node labelled by the training examples.

    Formula: :math:`\sum_{i} n_i(v) L(i, label(v))`, with n_i the weight of the rows of class i at v and L 0 on the
    diagonal and 1 elsewhere unless ``cost_matrix`` gives it; for numbers :math:`\sum w (y - value(v))^2`, for quantiles
    the pinball losses :math:`\sum w \sum_q \rho_q(y - value_q(v))`. A row with an unknown value
    counts in each branch it follows by its part.
    """
    check_dataset(dataset)
    if dataset.n_rows == 0:
        raise DataError("There are no validation rows; pruning by validation needs at least one.")
    kind = tree.target_kind
    kind.refuse_costs(cost_matrix)
    costs = None if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64)
    reached = tally(tree, dataset, target, weights)
    weight, _ = kind.tallied(reached)
    if not weight[0] > 0:
        raise DataError("The validation rows have no weight; at least one weight must be positive.")
    chosen = kind.chosen(tree.distributions(), cost_matrix)

    def losses(speaker: NDArray[Any]) -> Floats:
        """What the rows at each node cost if another node answers for it."""
        if kind.sums_tell_losses:
            return kind.tally_losses(reached, chosen[speaker], costs)
        return _losses_by_row(tree, dataset, target, weights, speaker)

    as_leaf = losses(np.arange(tree.n_nodes))
    parent = tree.parent[1:]
    children = np.bincount(parent, weights=as_leaf[1:], minlength=tree.n_nodes)
    staying = np.zeros(tree.n_nodes)
    inner = np.flatnonzero(tree.kind != LEAF)
    stuck = inner[_sends_nothing(tree)[inner]]
    if len(stuck):
        below = losses(np.maximum(tree.parent, 0))[1:]
        staying[stuck] = as_leaf[stuck] - np.bincount(parent, weights=below, minlength=tree.n_nodes)[stuck]
    unit = kind.loss_unit(cost_matrix)
    scale = float(np.abs(as_leaf).max()) if unit != "errors" else float(weight[0])
    return NodeErrors(as_leaf, staying, children + staying, weight, unit, 1e-10 * scale)


def _losses_by_row(
    tree: Tree,
    dataset: Dataset,
    target: ClassTarget | NDArray[Any],
    weights: ArrayLike | None,
    speaker: NDArray[Any],
) -> Floats:
    """What the rows at each node cost, counted row by row, if the node ``speaker[node]`` answers for it."""
    reached = decision_path(tree, dataset, weights=True).tocoo()
    kind, rows = tree.target_kind, reached.row
    losses = kind.losses(tree.distributions()[speaker[reached.col]], kind.truth(target, dataset.n_rows)[rows])
    part = reached.data if weights is None else reached.data * np.asarray(weights, dtype=np.float64)[rows]
    return np.asarray(np.bincount(reached.col, weights=part * losses, minlength=tree.n_nodes), dtype=np.float64)


def _sends_nothing(tree: Tree) -> NDArray[np.bool_]:
    """Whether unknown values go down every branch by weight and no branch has any: such rows stay."""
    heaviest = np.zeros(tree.n_nodes)
    np.maximum.at(heaviest, tree.parent[1:], tree.weight[1:])
    return np.asarray((heaviest <= 0) & (tree.missing_child < 0))


def refuse_numbers(tree: Tree, method: str) -> None:
    """Say that a method needs classes."""
    tree.target_kind.need_classes(
        f"{method} needs class counts, but this tree predicts numbers. Use reduced_error (squared error), "
        "cost_complexity, stop_by_validation or a manual cut."
    )
