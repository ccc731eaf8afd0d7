"""Decisions: from class shares to one class, with the costs or the threshold that decided, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.data.values import value_to_json
from quercus.targets import TargetKind, kind_of
from quercus.targets.class_words import read_smoothing
from quercus.targets.payload import ChosenBy
from quercus.tree.distribution import added_weights, effective_counts
from quercus.tree.tree import Tree


def node_counts(tree: Tree, smoothing: Any = None) -> Floats:
    """The class weights that each node answers from, with what smoothing adds to them."""
    laplace, m_estimate = read_smoothing(smoothing)
    return effective_counts(tree) + added_weights(tree, laplace, m_estimate, None)


def node_values(tree: Tree, smoothing: Any = None) -> Floats:
    """What each node answers: class shares, smoothed if asked for, or the number of a regression tree.

    smoothing: None, "laplace" or ("m", m), as the estimators' parameter.
    """
    laplace, m_estimate = read_smoothing(smoothing)
    return tree.distributions(laplace, m_estimate)


@dataclass(frozen=True)
class Decision:
    """How the answer was chosen.

    label: the answer. by: what chose it. share: of the class answered (None: a number). costs: the expected cost of
    answering each class, if costs decide. threshold: the share that the second class needs, if one is set. without: the
    answer of the plain shares, without smoothing, costs and threshold. sentences: the choice in words.
    """

    label: Any
    by: ChosenBy
    share: float | None
    costs: tuple[float, ...] | None
    threshold: float | None
    without: Any
    sentences: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether smoothing, costs or the threshold changed the answer."""
        return bool(self.label != self.without)

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            "label": value_to_json(self.label),
            "by": self.by,
            "share": self.share,
            "expected_costs": None if self.costs is None else list(self.costs),
            "threshold": self.threshold,
            "without_smoothing_costs_threshold": value_to_json(self.without),
            "changed": self.changed,
            "text": " ".join(self.sentences),
        }


def decide(
    shares: Floats,
    target: TargetKind | Sequence[Any] | None,
    plain: Floats,
    *,
    smoothing: Any = None,
    cost_matrix: ArrayLike | None = None,
    decision_threshold: float | None = None,
) -> Decision:
    """The answer to class shares, or numbers. target: their kind, or the classes. plain: the shares without smoothing.

    >>> import numpy as np
    >>> decide(np.array([0.375, 0.625]), ("No", "Yes"), np.array([0.375, 0.625]), decision_threshold=0.6).sentences
    ('Yes has the share 62.5 %, and the decision threshold is 60 %: Yes.',)
    """
    kind = kind_of(target)
    choice = kind.choice(shares, plain, smoothing, cost_matrix, decision_threshold)
    chosen, without = kind.chosen(shares[None], cost_matrix, decision_threshold)[0], kind.chosen(plain[None])[0]
    return Decision(
        kind.label(chosen),
        choice.by,
        kind.share_of(shares.tolist(), chosen),
        choice.costs,
        decision_threshold,
        kind.label(without),
        choice.sentences,
    )
