"""Decisions: from class shares to one class, with the costs or the threshold that decided, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.names import listed, quoted_value, significant
from quercus.data.values import number_text, value_to_json
from quercus.errors import ParameterError
from quercus.targets import TargetKind, kind_of
from quercus.targets.classes import read_smoothing
from quercus.targets.labels import label_codes
from quercus.tree.distribution import added_weights, effective_counts
from quercus.tree.tree import Tree

Rule = Literal["most likely", "least expected cost", "decision threshold", "number", "deciding rule", "votes"]


def percent(share: float) -> str:
    """A share as text.

    >>> print(percent(0.625), percent(1.0), percent(1 / 3))
    62.5 % 100 % 33.33 %
    """
    return f"{significant(100.0 * share)} %"


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
    by: Rule
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

    >>> decide(np.array([0.375, 0.625]), ("No", "Yes"), np.array([0.375, 0.625]), decision_threshold=0.6).sentences
    ('Yes has the share 62.5 %, and the decision threshold is 60 %: Yes.',)
    """
    kind = kind_of(target)
    classes = kind.classes
    if classes is None:
        if cost_matrix is not None or decision_threshold is not None:
            raise ParameterError("cost_matrix and decision_threshold choose a class; this model answers numbers.")
        number = kind.label(kind.chosen(shares[None])[0])
        return Decision(number, "number", None, None, None, number, ())
    code = int(label_codes(shares[None], cost_matrix, decision_threshold)[0])
    plain_code = int(label_codes(plain[None])[0])
    names = [quoted_value(label) for label in classes]
    costs = None if cost_matrix is None else tuple((shares @ np.asarray(cost_matrix, dtype=np.float64)).tolist())
    by: Rule = "most likely"
    if costs is not None:
        by, sentence = "least expected cost", _cost_sentence(shares, np.asarray(cost_matrix), costs, names, code)
    elif decision_threshold is not None:
        by, sentence = "decision threshold", _threshold_sentence(shares, decision_threshold, names, code)
    else:
        sentence = _likely_sentence(shares, names, code)
    sentences = [sentence]
    if smoothing is not None:
        sentences.append(_smoothing_sentence(shares, plain, names, code, smoothing))
    if code != plain_code:
        sentences.append(f"By the plain shares alone the answer would be {names[plain_code]}.")
    return Decision(
        classes[code], by, float(shares[code]), costs, decision_threshold, classes[plain_code], tuple(sentences)
    )


def _likely_sentence(shares: Floats, names: Sequence[str], code: int) -> str:
    tied = [j for j in range(len(names)) if j != code and abs(shares[j] - shares[code]) <= 1e-12]
    if tied:
        both = listed((names[j] for j in sorted([code, *tied])), len(tied) + 1, 5)
        return f"{both} are equally likely ({percent(float(shares[code]))}); of these the first class: {names[code]}."
    return f"{names[code]} is the most likely class ({percent(float(shares[code]))})."


def _threshold_sentence(shares: Floats, threshold: float, names: Sequence[str], code: int) -> str:
    joined = "and" if code == 1 else "but"
    return (
        f"{names[1]} has the share {percent(float(shares[1]))}, {joined} the decision threshold is "
        f"{percent(threshold)}: {names[code]}."
    )


def _cost_sentence(
    shares: Floats, matrix: NDArray[Any], costs: Sequence[float], names: Sequence[str], code: int
) -> str:
    def sum_of(j: int) -> str:
        terms = [
            f"{significant(float(p))}·{significant(float(c))}"
            for p, c in zip(shares, matrix[:, j], strict=True)
            if p > 0 and c != 0
        ]
        if not terms:
            return f"{names[j]} 0"
        return (
            f"{names[j]} {' + '.join(terms)} = {significant(costs[j])}"
            if len(terms) <= 5
            else (f"{names[j]} {significant(costs[j])}")
        )

    order = sorted(range(len(names)), key=lambda j: (costs[j], j != code))
    each = listed((sum_of(j) for j in order), len(order), 5)
    return f"Expected costs of answering: {each}. The least: {names[code]}."


def _smoothing_sentence(shares: Floats, plain: Floats, names: Sequence[str], code: int, smoothing: Any) -> str:
    laplace, m_estimate = read_smoothing(smoothing)
    how = (
        "Laplace smoothing adds 1 to every count"
        if laplace
        else (
            f"The m-estimate adds {number_text(m_estimate or 0.0)} examples with the shares of the whole training table"
        )
    )
    return f"{how}: {names[code]} gets {percent(float(shares[code]))} instead of {percent(float(plain[code]))}."
