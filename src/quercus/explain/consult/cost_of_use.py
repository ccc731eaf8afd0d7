"""The expected cost of use: what answering costs on average, which attributes have to be learned how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.data import Dataset
from quercus.data.names import quoted_name, short_number, significant
from quercus.fitted.argument import of_models
from quercus.predict import decision_path
from quercus.results import Result
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree


@dataclass(frozen=True, repr=False)
class CostOfUse(Result):
    """What a tree's questions cost.

    mean: the cost of one answer, over the rows. attributes, costs: of the schema. asked: the share of the rows for
    which each attribute has to be learned; mean = Σ cost · asked. leaf_costs: of every leaf, by its number, the cost of
    the attributes on the way to it. leaf_shares: the share of the rows that ends there. questions: how many are
    answered on average.
    """

    mean: float
    attributes: tuple[str, ...]
    costs: tuple[float, ...]
    asked: tuple[float, ...]
    leaf_costs: dict[int, float]
    leaf_shares: dict[int, float]
    questions: float

    def to_dict(self) -> dict[str, Any]:
        """The costs as plain data."""
        rows = zip(self.attributes, self.costs, self.asked, strict=True)
        return {
            "mean": self.mean,
            "questions": self.questions,
            "attributes": [{"attribute": name, "cost": cost, "asked": share} for name, cost, share in rows],
            "leaves": [
                {"node": leaf, "cost": cost, "share": self.leaf_shares[leaf]} for leaf, cost in self.leaf_costs.items()
            ],
        }

    def __str__(self) -> str:
        """The mean, and what every attribute adds to it, the dearest first."""
        lines = [f"{significant(self.mean)} for an answer, {significant(self.questions, 3)} questions on average"]
        places = [place for place in range(len(self.attributes)) if self.asked[place] > 0]
        places.sort(key=lambda place: -self.costs[place] * self.asked[place])
        width = max((len(quoted_name(self.attributes[place])) for place in places), default=0)
        for place in places:
            name, cost, share = quoted_name(self.attributes[place]), self.costs[place], self.asked[place]
            lines.append(f"{name.ljust(width)}  {short_number(cost)} · {share:.1%} = {significant(cost * share)}")
        return "\n".join(lines)


@of_models(Tree)
def cost_of_use(tree: Tree, dataset: Dataset | None = None, *, weights: ArrayLike | None = None) -> CostOfUse:
    r"""The mean cost of an answer, :math:`\sum_a cost(a) \cdot share\ of\ rows\ asked\ for\ a`.

    An attribute is paid once on a path, however often it is asked. A row that follows several branches, because a value
    is unknown, counts in each by its part.

    tree: grown from attributes with costs, or a fitted model that answers by one. dataset, weights: rows to answer;
    without them the training rows, as the tree has counted them.

    >>> from quercus import C45Classifier
    >>> X = {"pulse": [60, 62, 64, 90, 92, 94], "blood": [1, 2, 2, 1, 2, 1]}
    >>> model = C45Classifier(attribute_costs={"pulse": 1, "blood": 150}, prune=False).fit(X, list("nnnyyn"))
    >>> print(cost_of_use(model.tree_))
    1 for an answer, 1 questions on average
    pulse  1 · 100.0% = 1
    """
    here = tree.weight if dataset is None else _weights_of(tree, dataset, weights)
    share = here / here[0] if here[0] > 0 else np.zeros(tree.n_nodes)
    costs = np.array([attribute.cost for attribute in tree.schema], dtype=np.float64)
    shares, leaf_costs = np.zeros(len(costs)), {}
    waiting: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
    while waiting:
        node, known = waiting.pop()
        if tree.kind[node] == LEAF:
            leaf_costs[node] = float(sum(costs[attribute] for attribute in known))
            continue
        positions = tree.node(node).positions
        for position in set(positions) - known:
            shares[position] += share[node]
        first = int(tree.first_child[node])
        below = known.union(positions)
        waiting.extend((child, below) for child in range(first, first + int(tree.n_children[node])))
    leaves = sorted(leaf_costs)
    return CostOfUse(
        mean=float(costs @ shares),
        attributes=tree.schema.names,
        costs=tuple(costs.tolist()),
        asked=tuple(shares.tolist()),
        leaf_costs={leaf: leaf_costs[leaf] for leaf in leaves},
        leaf_shares={leaf: float(share[leaf]) for leaf in leaves},
        questions=float(share[tree.kind != LEAF].sum()),
    )


def _weights_of(tree: Tree, dataset: Dataset, weights: ArrayLike | None) -> Floats:
    """The weight of the rows that comes to each node."""
    rows = np.ones(dataset.n_rows) if weights is None else np.asarray(weights, dtype=np.float64)
    return np.asarray(decision_path(tree, dataset, weights=True).T @ rows)
