"""Words for classes: nodes that hold examples of them, and how one of them was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.names import class_counts, listed, look_like_numbers, percent, short_number, significant
from quercus.data.values import number_text
from quercus.errors import ParameterError, shorten
from quercus.targets.labels import label_codes
from quercus.targets.payload import Choice, ChosenBy, Words

#: Classes that a line of text names.
CLASSES_SHOWN = 6


@dataclass(frozen=True)
class ClassWords(Words):
    """Nodes that hold examples of classes, in words. names: of the classes."""

    names: Sequence[str]

    def answer(self, chosen: Any, answers: Floats) -> str:
        """The name of the class."""
        return self.names[int(chosen)]

    def short(self, value: Floats, weight: float, chosen: Any) -> str:
        """The text ``4: 3 Yes, 1 No``, or ``3`` if all examples have the class that is answered."""
        weights: list[float] = value.tolist()
        if weights[int(chosen)] == sum(weights):
            return short_number(weight)
        mark = ";" if look_like_numbers(self.names) else ":"  # not one colon after another
        return f"{short_number(weight)}{mark} {class_counts(weights, self.names, CLASSES_SHOWN)}"

    def held(self, value: Floats, weight: float, *, limit: int = 20) -> str:
        """The text ``: 3 Yes, 1 No``."""
        return f": {class_counts(value.tolist(), self.names, limit)}"


def class_choice(
    names: Sequence[str],
    shares: Floats,
    plain: Floats,
    smoothing: Any,
    cost_matrix: ArrayLike | None,
    threshold: float | None,
) -> Choice:
    """How one class was chosen by class shares. names: of the classes. plain: the shares without smoothing."""
    code, plain_code = int(label_codes(shares[None], cost_matrix, threshold)[0]), int(label_codes(plain[None])[0])
    costs = None if cost_matrix is None else tuple((shares @ np.asarray(cost_matrix, dtype=np.float64)).tolist())
    by: ChosenBy = "most likely"
    if costs is not None:
        by, sentence = "least expected cost", _cost_sentence(shares, np.asarray(cost_matrix), costs, names, code)
    elif threshold is not None:
        by, sentence = "decision threshold", _threshold_sentence(shares, threshold, names, code)
    else:
        sentence = _likely_sentence(shares, names, code)
    sentences = [sentence]
    if smoothing is not None:
        sentences.append(_smoothing_sentence(shares, plain, names, code, smoothing))
    if code != plain_code:
        sentences.append(f"By the plain shares alone the answer would be {names[plain_code]}.")
    return Choice(by, costs, tuple(sentences))


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


def read_smoothing(smoothing: Any) -> tuple[bool, float | None]:
    """Smoothing as estimators take it, None, "laplace" or ("m", m), as the arguments ``laplace`` and ``m_estimate``.

    >>> read_smoothing(None), read_smoothing("laplace"), read_smoothing(("m", 2))
    ((False, None), (True, None), (False, 2.0))
    """
    if smoothing is None:
        return False, None
    if isinstance(smoothing, str) and smoothing == "laplace":
        return True, None
    if isinstance(smoothing, tuple | list) and len(smoothing) == 2 and smoothing[0] == "m":
        return False, float(smoothing[1])
    raise ParameterError(
        f'smoothing is {shorten(smoothing)}, but must be None, "laplace", or ("m", m) with a number m of at least 0.'
    )
