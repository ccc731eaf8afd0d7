"""Cost-complexity pruning: what a leaf must cost for each question to go; all trees from one, by weakest links.

A tree costs :math:`R_α(T) = R(T) + α·|leaves of T|`. For every price α there is one smallest tree of least cost; as α
rises these trees shrink, each a pruning of the one before, from T(0) to the root alone (Breiman, Friedman, Olshen and
Stone). The next question to go is the weakest link, the one of least :math:`g(t) = (R(t) − R(T_t)) / (|T_t| − 1)`:
the risk a leaf would add for each leaf it saves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus import _core
from quercus.arrays import Floats
from quercus.data.names import significant
from quercus.data.weights import named_costs
from quercus.errors import DataError, ParameterError, checked_choice, shorten
from quercus.pruning.columns import column_cells
from quercus.pruning.nested import NestedTrees
from quercus.pruning.result import Cut, Pruned, Removal
from quercus.results import Cells, Table, frame_of
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree

Risk = Literal["error", "impurity"]


@dataclass(frozen=True, eq=False, repr=False)
class AlphaPath(Table):
    """All trees of cost-complexity pruning, from the one of α = 0 to the root.

    before: the tree that was given. risk: what R measures, ``"error"`` or ``"impurity"``. alphas: from each on, up to
    the next, tree i is the best; the first is 0. risks: R of each tree, per training example. errors: training errors
    of each tree, per training example (with costs the mean cost; regression: the mean squared error); the same as risks
    unless these are impurities. nested: the trees as one sequence. links: the questions in the order in which they are
    cut; every other one goes with a link above it. node_alpha, node_risk, branch_risk, branch_leaves: of each node its
    g, its risk as a leaf, and the risk and leaves of what stands below it at that price.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> x, y = [1, 2, 3, 4, 5, 6, 7, 8], ["a", "a", "b", "a", "b", "b", "b", "b"]
    >>> path = cost_complexity_path(grow(encode({"x": x}), encode_classes(y), cart_recipe()))
    >>> print(path)
    alpha   leaves  risk
    0            4  0
    0.0625       2  0.125
    0.25         1  0.375
    >>> print(path.tree(0.1))
    x <= 4.5: a (4: 3 a, 1 b)
    x > 4.5: b (4)
    """

    before: Tree
    risk: Risk
    alphas: Floats
    risks: Floats
    errors: Floats
    nested: NestedTrees
    links: NDArray[np.int32]
    node_alpha: Floats
    node_risk: Floats
    branch_risk: Floats
    branch_leaves: NDArray[np.int32]

    def __len__(self) -> int:
        """The number of trees."""
        return len(self.alphas)

    @property
    def n_leaves(self) -> NDArray[np.int64]:
        """The number of leaves of each tree."""
        return self.nested.n_leaves

    @property
    def n_nodes(self) -> NDArray[np.int64]:
        """The number of nodes of each tree."""
        return self.nested.n_nodes

    @property
    def relative_alphas(self) -> Floats:
        """The alphas as shares of the root's risk, rpart's cp; the alphas themselves if the root has no risk."""
        return self.alphas / (self.node_risk[0] if self.node_risk[0] > 0 else 1.0)

    def step(self, alpha: float) -> int:
        """Which tree is the best at a price α: the last whose own α is not greater."""
        if not isinstance(alpha, int | float | np.number) or not alpha >= 0:
            raise ParameterError(f"alpha is {shorten(alpha)}, but must be a number of at least 0.")
        reached = float(alpha) * (1 + 1e-12) + _noise(self.node_risk)
        return int(np.searchsorted(self.alphas, reached, side="right")) - 1

    def mask(self, alpha: float) -> NDArray[np.bool_]:
        """The questions cut at a price α, for :meth:`Tree.collapse`."""
        return self.nested.mask(self.step(alpha))

    def tree(self, alpha: float) -> Tree:
        """The smallest tree of least cost at a price α."""
        return self.before.collapse(self.mask(alpha))

    def pruned(self, alpha: float) -> Pruned:
        """The best tree at a price α, the cuts that lead to it in order, and why each question went."""
        mask = self.mask(alpha)
        made = self.links[mask[self.links]]
        return Pruned(
            tree=self.before.collapse(mask),
            method="cost_complexity",
            removals=self._removals(mask, float(alpha)),
            sequence=self._cuts(made),
            table=self,
            before=self.before,
        )

    def _cuts(self, made: NDArray[np.int32]) -> tuple[Cut, ...]:
        """The cuts one by one, by rising α."""
        step = np.full(self.before.n_nodes, len(made) + 1, dtype=np.int64)
        step[made] = np.arange(1, len(made) + 1)
        trees = NestedTrees(self.before, step, len(made) + 1)
        risks = trees.leaf_sums(self.node_risk)
        return tuple(
            Cut(int(node), int(trees.n_nodes[i]), int(trees.n_leaves[i]), {"alpha": alpha, "risk": float(risks[i])})
            for i, (node, alpha) in enumerate(zip(made, self.node_alpha[made].tolist(), strict=True), start=1)
        )

    def _removals(self, mask: NDArray[np.bool_], alpha: float) -> tuple[Removal, ...]:
        """One for every question that is gone: the weakest links, and those that went with one."""
        above = self._link_above
        inner = self.before.kind != LEAF
        gone = np.flatnonzero(inner & (mask | ((above >= 0) & mask[np.maximum(above, 0)])))
        shown, noise = significant(alpha), _noise(self.node_risk)
        columns = (self.node_alpha, self.node_risk, self.branch_risk, self.branch_leaves, above, mask)
        removals = []
        rows = zip(gone.tolist(), *(column[gone].tolist() for column in columns), strict=True)
        for node, g, own, branch, leaves, link, cut in rows:
            price = significant(g if abs(g) > noise else 0.0)
            words = f"g = ({significant(own)} − {significant(branch)}) / ({leaves} − 1) = {price}"
            ending = f" ≤ α = {shown}" if cut else f"; it went with node {link}, a weaker link above it"
            figures = {"g": g, "alpha": alpha, "risk": own, "branch_risk": branch, "branch_leaves": float(leaves)}
            removals.append(Removal(node, "leaf", words + ending, figures))
        return tuple(removals)

    @cached_property
    def _link_above(self) -> NDArray[np.int32]:
        """The nearest weakest link above each node, which is the first to go; −1 if there is none."""
        is_link = np.zeros(self.before.n_nodes, dtype=bool)
        is_link[self.links] = True
        above = self.before.parent.copy()
        while True:
            climbing = (above > 0) & ~is_link[np.maximum(above, 0)]
            if not climbing.any():
                break
            above[climbing] = above[above[climbing]]
        above[(above == 0) & ~is_link[0]] = -1
        return above

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The trees by column."""
        return {"alpha": self.alphas, "leaves": self.n_leaves, "risk": self.risks}

    def to_frame(self) -> Any:
        """The trees as a pandas DataFrame, one row for each."""
        return frame_of(self.columns)

    def cells(self) -> Cells:
        """A line for every tree; of a long path the first and last ten."""
        return column_cells(self.columns)


@named_costs
def cost_complexity_path(tree: Tree, cost_matrix: Any = None, risk: Risk = "error") -> AlphaPath:
    r"""The whole sequence of cost-complexity pruning from one tree, in O(n log n).

    Formula: question t goes at the price :math:`α(t) = (R(t) − R(T_t)) / (|T_t| − 1)`, T_t what is left below it at
    that price. Questions of the same α go together.

    Parameters
    ----------
    tree : a grown tree; questions may have any number of branches.
    cost_matrix : L(i, j), the cost of answering j when i is true; the risk of a node is the least cost of one label.
    risk : ``"error"``, R(t) = weight of the training examples that one answer gets wrong, as rpart counts (regression:
        their squared error); or ``"impurity"``, R(t) = weight · impurity by the tree's own criterion, as scikit-learn
        counts. Both are divided by the weight of all examples.

    Unlike scikit-learn's list this one begins with the tree of α = 0, in which questions that lower no risk are gone.
    """
    node_risk, node_error = _risks(tree, cost_matrix, risk)
    alpha, branch_risk, branch_leaves, links = _core.weakest_links(tree.first_child, tree.n_children, node_risk)
    links = links[np.isfinite(alpha[links])]
    alphas, steps = _distinct(alpha[links], _noise(node_risk))
    cut_step = np.full(tree.n_nodes, len(alphas), dtype=np.int64)
    cut_step[links] = steps
    nested = NestedTrees(tree, cut_step, len(alphas))
    return AlphaPath(
        before=tree,
        risk=risk,
        alphas=alphas,
        risks=nested.leaf_sums(node_risk),
        errors=nested.leaf_sums(node_error),
        nested=nested,
        links=links,
        node_alpha=alpha,
        node_risk=node_risk,
        branch_risk=branch_risk,
        branch_leaves=branch_leaves,
    )


def risk_of(tree: Tree, cost_matrix: ArrayLike | None) -> Risk:
    """What the price of a leaf is paid in: impurity, as in scikit-learn, or errors if these have costs.

    A tree grown for absolute or Poisson error keeps squared deviations only, so that these are its errors.
    """
    return "impurity" if cost_matrix is None and tree.target_kind.keeps_impurity(tree.criterion) else "error"


@named_costs
def cost_complexity(tree: Tree, alpha: float, *, cost_matrix: Any = None, risk: Risk = "error") -> Pruned:
    """The smallest tree of least ``R(T) + α · leaves``; parameters as in :func:`cost_complexity_path`.

    alpha: the price of a leaf, in risk per training example: with 0.01 a question must save one error in a hundred
    examples for every leaf it adds.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> x, y = [1, 2, 3, 4, 5, 6, 7, 8], ["a", "a", "b", "a", "b", "b", "b", "b"]
    >>> print(cost_complexity(grow(encode({"x": x}), encode_classes(y), cart_recipe()), 0.1))
    cost_complexity: 7 nodes → 3 nodes, 4 leaves → 2 leaves
    node 1 → leaf: g = (0.125 − 0) / (3 − 1) = 0.0625 ≤ α = 0.1
    node 4 → leaf: g = (0.125 − 0) / (2 − 1) = 0.125; it went with node 1, a weaker link above it
    """
    return cost_complexity_path(tree, cost_matrix, risk).pruned(alpha)


def _noise(risk: Floats) -> float:
    """Differences of risk that rounding can make."""
    return 1e-14 * abs(float(risk[0]))


def _distinct(alpha: Floats, noise: float) -> tuple[Floats, NDArray[np.int64]]:
    """The path's alphas, 0 first, and the place of each given one (rising) among them; closer ones count as equal."""
    before = np.concatenate([[0.0], alpha[:-1]])
    steps = np.cumsum(alpha > before * (1 + 1e-12) + noise).astype(np.int64)
    alphas = np.zeros(int(steps[-1]) + 1 if len(steps) else 1)
    alphas[steps] = alpha  # rising, so the greatest of a group stays
    alphas[0] = 0.0
    return alphas, steps


def _risks(tree: Tree, cost_matrix: ArrayLike | None, risk: str) -> tuple[Floats, Floats]:
    """The risk and the error of each node as a leaf, divided by the weight of all training examples."""
    checked_choice("risk", risk, ("error", "impurity"))
    whole = float(tree.weight[0])
    if not whole > 0:
        raise DataError("The tree's root has no weight, so its nodes have no risk: grow it from at least one example.")
    kind = tree.target_kind
    kind.refuse_costs(cost_matrix)
    if cost_matrix is not None and risk == "impurity":
        raise ParameterError("cost_matrix prices errors; risk='impurity' counts none. Use risk='error'.")
    error = kind.node_losses(tree.value, cost_matrix) / whole
    return (error if risk == "error" else kind.impurities(tree.value, tree.criterion) / whole), error
