"""The decision: from the shares of leaves and rules to the answer, by costs of mistakes, a threshold and smoothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.names import quoted_value, significant
from quercus.data.weights import read_cost_matrix
from quercus.errors import ParameterError, shown_list
from quercus.targets import kind_of
from quercus.targets.class_words import read_smoothing
from quercus.targets.kind import TargetKind
from quercus.targets.labels import TIE, label_codes
from quercus.tree.distribution import added_weights, effective_counts, node_answers
from quercus.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Decision:
    """How a model chooses its answer.

    costs: L(i, j), what it costs to answer class j when class i is true, in the order of the classes; None: every
    mistake costs the same. threshold: of two classes the second is answered if its share reaches this; None: the most
    likely. smoothing: of the class shares: None, "laplace" or ("m", m). in_rules: whether the costs have had their say
    when the rules were made, so that they do not choose the answer any more.

    >>> decision = Decision.read(["ill", "well"], cost_matrix={("ill", "well"): 10})
    >>> decision.codes(np.array([[0.2, 0.8]]))
    array([0])
    """

    costs: Floats | None = None
    threshold: float | None = None
    smoothing: Any = None
    in_rules: bool = False

    @classmethod
    def read(
        cls,
        classes: Sequence[Any] | NDArray[Any] | None,
        *,
        cost_matrix: Any = None,
        decision_threshold: float | None = None,
        smoothing: Any = None,
        in_rules: bool = False,
    ) -> Decision:
        """Make a decision from parameters of an estimator. classes: None, if the model answers numbers."""
        labels = list(kind_of(classes).classes or ())
        check_decision_threshold(decision_threshold, labels)
        return cls(read_cost_matrix(cost_matrix, labels), decision_threshold, smoothing, in_rules)

    @classmethod
    def of(
        cls, parameters: Mapping[str, Any], classes: Sequence[Any] | NDArray[Any] | None, in_rules: bool = False
    ) -> Decision:
        """Make a decision from all parameters of an estimator; those that it does not have are None."""
        names = ("cost_matrix", "decision_threshold", "smoothing")
        return cls.read(classes, in_rules=in_rules, **{name: parameters.get(name) for name in names})

    @property
    def choosing(self) -> Floats | None:
        """The costs by which an answer is chosen."""
        return None if self.in_rules else self.costs

    @property
    def is_plain(self) -> bool:
        """Whether the most likely class is answered, by plain shares."""
        return self.costs is None and self.threshold is None and self.smoothing is None

    @property
    def options(self) -> dict[str, Any]:
        """The decision as the arguments that explanations of trees take."""
        return {
            "smoothing": self.smoothing,
            "cost_matrix": self.choosing,
            "decision_threshold": self.threshold,
        }

    def answered_from(self, code: int) -> float | None:
        """The share from which one of two classes is answered, by the costs or the threshold; None: there is none.

        With costs L the second class is answered where p₂ L(2, 1) is more than p₁ L(1, 2): from the share
        L(1, 2) / (L(1, 2) + L(2, 1)) on.

        >>> Decision.read(["bad", "good"], cost_matrix={("bad", "good"): 5}).answered_from(0)
        0.16666666666666666
        """
        if self.choosing is not None and len(self.choosing) == 2:
            other, own = float(self.choosing[1 - code, code]), float(self.choosing[code, 1 - code])
            return other / (other + own)
        if self.threshold is not None:
            return self.threshold if code == 1 else 1.0 - self.threshold
        return None

    def reason(self, classes: Sequence[Any]) -> str:
        """Why a class is answered that is not the more likely of the two, as a sentence; empty: none ever is.

        >>> print(Decision.read(["bad", "good"], cost_matrix={("bad", "good"): 5}).reason(["bad", "good"]))
        bad is answered from 16.7 % on, since answering good where bad is true costs 5 times the other mistake.
        """
        first = self.answered_from(0)
        code = None if first is None or abs(first - 0.5) < TIE else int(first > 0.5)
        share = None if code is None else self.answered_from(code)
        if code is None or share is None:
            return ""
        rare, other = quoted_value(classes[code]), quoted_value(classes[1 - code])
        start = f"{rare} is answered from {significant(100.0 * share, 3)} % on, "
        if self.choosing is None:
            return start + "by the decision threshold."
        ratio = significant(float(self.choosing[code, 1 - code] / self.choosing[1 - code, code]), 3)
        return start + f"since answering {other} where {rare} is true costs {ratio} times the other mistake."

    def why_unlikely(self, shares: Sequence[float] | Floats, code: int, kind: TargetKind) -> str:
        """The reason, if the class answered is not the most likely; else empty.

        shares: of the classes. code: the position of the class answered. kind: of the target.
        """
        return self.reason(kind.classes or ()) if kind.is_unlikely(shares, code, TIE) else ""

    def codes(self, shares: Floats) -> NDArray[np.intp]:
        """The position of the class that each row of class shares is answered by."""
        return label_codes(shares, self.choosing, self.threshold)

    def choices(self, kind: TargetKind, answers: Floats) -> NDArray[Any]:
        """The class (by position) or number that each row of answers comes down to."""
        return kind.chosen(answers, self.choosing, self.threshold)

    def node_choices(self, tree: Tree) -> NDArray[Any]:
        """The class (by position) or number that each node answers; also in a tree from which rules were made."""
        return tree.target_kind.chosen(self.values(tree), self.costs, self.threshold)

    def values(self, tree: Tree) -> Floats:
        """What each node answers: its class shares, smoothed, or its number.

        By Laplace (n_c + 1)/(n + k); by the m-estimate (n_c + m p_c)/(n + m), which pulls a leaf to the shares p_c of
        the whole training table with the weight of m examples.
        """
        return node_answers(tree, self.smoothing)

    def added(self, tree: Tree) -> Floats | None:
        """What smoothing adds to the class weights of a node; None: nothing."""
        return None if self.smoothing is None else added_weights(tree, *read_smoothing(self.smoothing), None)

    def counts(self, tree: Tree) -> Floats:
        """The class weights that each node answers from, with what smoothing adds to them."""
        return effective_counts(tree) + added_weights(tree, *read_smoothing(self.smoothing), None)


def check_decision_threshold(value: float | None, classes: Sequence[Any]) -> None:
    """Refuse a decision threshold unless there are two classes to decide between."""
    if value is not None and len(classes) != 2:
        raise ParameterError(
            f"decision_threshold={value!r} decides between two classes, but y has {len(classes)}: "
            f"{shown_list(classes)}. Give None."
        )
