"""The terms of an answer: trees, what their nodes say, and how much it counts; the answer is their sum.

Class shares and numbers are sums over the trees of a model, so that Shapley values are, too. What is explained:

- one tree: its class shares, smoothed as the model does it; its number, or the quantile of each level;
- forests and bagged trees: the mean of these;
- members that vote for one class each, such as boosted trees: the share of the votes. A row that is divided among
  several leaves of a tree gives each leaf's vote its part;
- trees that add up scores (imported boosters): the scores, before the link turns them into shares or a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quercus import _core
from quercus.arrays import Array, Floats
from quercus.fitted.model import Model
from quercus.targets import TargetKind
from quercus.tree.distribution import node_answers
from quercus.tree.forest import Forest, tree_weights
from quercus.tree.layout import LEAF, with_empty_side_tables
from quercus.tree.packing import is_packed, leaf_weights, records, unpacked_questions


@dataclass(frozen=True, eq=False)
class Term:
    """One tree of a sum.

    tree: its questions, as the core follows them. weight: of the training rows at each node; by_leaves: only at the
    leaves, whose sums the others have. values: what its nodes say [n_nodes, width]. factor: multiplies it. column: the
    first output that it adds to.
    """

    tree: Any
    weight: Floats
    values: Floats
    factor: float
    column: int = 0
    by_leaves: bool = False


@dataclass(frozen=True, eq=False)
class Terms:
    """An answer as a sum.

    start: of each output, before any tree. mirrored: of two outputs that add up to 1, only the second is summed. names:
    of the outputs; empty: there is one, without a name.
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
        start = np.zeros(kind.width) if scores is None else np.array(scores.base)
        names = tuple(str(name) for name in kind.answer_names) if kind.has_shares or len(start) > 1 else ()
        return cls(model, start, scores is None and kind.has_shares and len(start) == 2, names)

    @property
    def asked(self) -> tuple[int, ...]:
        """The positions of the attributes that the trees read."""
        return tuple(range(len(self.model.schema))) if self.model.asked is None else self.model.asked

    @property
    def width(self) -> int:
        """How many outputs are summed."""
        return 1 if self.mirrored else len(self.start)

    def __iter__(self) -> Iterator[Term]:
        """The trees, each made when its turn comes."""
        model = self.model
        if model.score_sum is not None:
            scores = model.score_sum
            for tree, weight, place in zip(scores, tree_weights(scores.trees), scores.places, strict=True):
                yield Term(tree.compact, tree.weight, np.ascontiguousarray(tree.distributions()), float(weight), place)
        elif model.forest is not None:
            yield from self._voting(model.need_trees("shap_values"))
        else:
            tree = model.need_tree("shap_values")
            yield Term(tree.compact, tree.weight, self._summed(model.decision.values(tree)), 1.0)

    def _voting(self, forest: Forest) -> Iterator[Term]:
        weights = tree_weights(forest)
        for number, weight in enumerate(weights / weights.sum()):
            if is_packed(forest.stored[number]) and self.model.decision.smoothing is None:
                yield self._packed(forest, forest.stored[number], float(weight))
                continue
            tree = forest.tree(number)
            said = self._voted(tree.target_kind, node_answers(tree, self.model.decision.smoothing))
            yield Term(tree.compact, tree.weight, self._summed(said), float(weight))

    def _packed(self, forest: Forest, arrays: Mapping[str, Array], factor: float) -> Term:
        """The term of a packed tree, without unpacking what its inner nodes hold."""
        nodes, kind = records(arrays), forest.target_kind
        leaf, n = nodes["kind"] == LEAF, len(nodes)
        weight, values = np.zeros(n), np.zeros((n, len(self.start)))
        weight[leaf] = held = leaf_weights(arrays, kind)
        said = arrays["leaf_value"] / held[:, None] if kind.leaf_table else nodes["key"][leaf][:, None]
        values[leaf] = self._voted(kind, said)
        questions = with_empty_side_tables({**unpacked_questions(arrays), "weight": weight}, n)
        tree = _core.CompactTree(tuple(questions[name] for name in _core.predict_arrays), len(forest.schema))
        return Term(tree, weight, self._summed(values), factor, by_leaves=True)

    def _voted(self, kind: TargetKind, said: Floats) -> Floats:
        return kind.votes(said) if self.model.vote == "majority" else said

    def _summed(self, values: Floats) -> Floats:
        return np.ascontiguousarray(values[:, 1:] if self.mirrored else values)
