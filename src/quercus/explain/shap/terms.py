"""The terms of an answer: trees, what their nodes say, and how much it counts; the answer is their sum.

Class shares and numbers are sums over the trees of a model, so that Shapley values are, too. What is explained:

- one tree: its class shares, smoothed as the model does it; its number, or the quantile of each level;
- forests and bagged trees: the mean of these;
- members that vote for one class each, such as boosted trees: the share of the votes. A row that is divided among
  several leaves of a tree gives each leaf's vote its part;
- trees that add up scores (imported boosters): the scores, before the link turns them into shares or a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quercus.arrays import Floats
from quercus.fitted.model import Model
from quercus.forests.score_sum import ScoreSum
from quercus.tree.distribution import node_answers
from quercus.tree.forest import Forest, tree_weights
from quercus.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Term:
    """One tree of a sum. values: what its nodes say [n_nodes, width]. factor: multiplies it. column: the first output
    that it adds to.
    """

    tree: Tree
    values: Floats
    factor: float
    column: int = 0


@dataclass(frozen=True, eq=False)
class Terms:
    """An answer as a sum. start: of each output, before any tree. mirrored: of two outputs that add up to 1, only the
    second is summed. names: of the outputs; empty: there is one, without a name.
    """

    model: Model
    start: Floats
    mirrored: bool
    names: tuple[str, ...]

    @classmethod
    def of(cls, model: Model) -> Terms:
        """The terms of a model that answers by trees; other models are refused."""
        model.need_trees("shap_values")
        kind, scores = model.target_kind, model.score_sum
        if scores is not None:
            start = np.array(scores.base)
        else:
            start = np.zeros(kind.width)
        names = tuple(str(name) for name in kind.answer_names) if kind.has_shares or len(start) > 1 else ()
        return cls(model, start, scores is None and kind.has_shares and len(start) == 2, names)

    @property
    def width(self) -> int:
        """How many outputs are summed."""
        return 1 if self.mirrored else len(self.start)

    def __iter__(self) -> Iterator[Term]:
        """The trees, each made when its turn comes."""
        model = self.model
        if model.score_sum is not None:
            yield from _scoring(model.score_sum)
        elif model.forest is not None:
            yield from self._voting(model.need_trees("shap_values"))
        else:
            tree = model.need_tree("shap_values")
            yield Term(tree, self._summed(model.decision.values(tree)), 1.0)

    def _voting(self, forest: Forest) -> Iterator[Term]:
        weights = tree_weights(forest)
        for tree, weight in zip(forest, weights / weights.sum(), strict=True):
            if not weight:
                continue
            said = node_answers(tree, self.model.decision.smoothing)
            said = tree.target_kind.votes(said) if self.model.vote == "majority" else said
            yield Term(tree, self._summed(said), float(weight))

    def _summed(self, values: Floats) -> Floats:
        return np.ascontiguousarray(values[:, 1:] if self.mirrored else values)


def _scoring(scores: ScoreSum) -> Iterator[Term]:
    for tree, weight, place in zip(scores, tree_weights(scores.trees), scores.places, strict=True):
        yield Term(tree, np.ascontiguousarray(tree.distributions()), float(weight), place)
