"""Yardsticks: how rules are measured; there is one for rules that answer a class and one for numbers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.names import short_number, significant
from quercus.data.target import ClassTarget
from quercus.data.values import plain_value, value_key
from quercus.errors import DataError, ParameterError

if TYPE_CHECKING:
    from quercus.rules.rule_list import RuleList


@dataclass(frozen=True)
class Sums:
    """What each rule covers (alone) and decides (newly, errors), the default last.

    Classes: weight of each class. Numbers: Σ w, Σ w·d, Σ w·d², d = y − center. squares: Σ w² alone.
    """

    alone: Floats
    newly: Floats
    errors: Floats
    squares: Floats
    center: float
    total: Floats


class Yardstick(ABC):
    """How the rules of one kind of target are measured. columns: the figures that it has."""

    columns: ClassVar[tuple[str, ...]]

    @abstractmethod
    def parts(
        self, rules: RuleList, target: ClassTarget | ArrayLike, answers: NDArray[Any], w: Floats
    ) -> tuple[Floats, Floats, float]:
        """What each row adds to the sums [rows, parts], the loss of its answer, and the center. w: of the rows."""

    @abstractmethod
    def figures(self, sums: Sums, number: int, chosen: Any, confidence: float) -> dict[str, float]:
        """Support, coverage and the other figures of one rule. chosen: its answer."""

    @abstractmethod
    def remeasured(self, rules: RuleList, sums: Sums) -> RuleList:
        """The same list; the weights of its rules are taken from the sums."""

    @abstractmethod
    def accuracy(self, errors: float, total: float) -> float:
        """The share of right answers; NaN where there is none."""

    @abstractmethod
    def header(self, confidence: float) -> list[str]:
        """The names of the cells."""

    @abstractmethod
    def cells(self, row: Any) -> list[str]:
        """A measured rule as texts; they stand between its coverage and its text."""


class ClassYardstick(Yardstick):
    """The measures of rules that answer a class: how often the class is right."""

    columns = ("precision", "low", "high", "recall", "lift")

    def parts(
        self, rules: RuleList, target: ClassTarget | ArrayLike, answers: NDArray[Any], w: Floats
    ) -> tuple[Floats, Floats, float]:
        """The weight of each row, in the column of its class."""
        kind = rules.target_kind
        codes = _class_codes(kind.classes or (), target, len(w))
        parts = np.zeros((len(w), kind.width))
        parts[np.arange(len(w)), codes] = w
        return parts, w * (codes != answers), 0.0

    def figures(self, sums: Sums, number: int, chosen: Any, confidence: float) -> dict[str, float]:
        """Precision with its interval, recall and lift."""
        alone, total = sums.alone[number], float(sums.total.sum())
        support, correct, of_class = float(alone.sum()), float(alone[int(chosen)]), float(sums.total[int(chosen)])
        size = support * support / float(sums.squares[number]) if support > 0 else 0.0
        precision = _ratio(correct, support)
        low, high = wilson(0.0 if math.isnan(precision) else precision * size, size, confidence)
        return {
            "support": support,
            "coverage": _ratio(support, total),
            "precision": precision,
            "low": low,
            "high": high,
            "recall": _ratio(correct, of_class),
            "lift": _ratio(precision * total, of_class),
        }

    def remeasured(self, rules: RuleList, sums: Sums) -> RuleList:
        """The same list with the weight of each class."""
        new = tuple(rule.with_weights(sums.alone[i]) for i, rule in enumerate(rules.rules))
        uncovered = tuple(sums.alone[-1].tolist())
        return replace(rules, rules=new, default_weights=uncovered if sum(uncovered) > 0 else None)

    def accuracy(self, errors: float, total: float) -> float:
        """The share of the weight of the rows whose answer is right."""
        return 1.0 - errors / total if total > 0 else math.nan

    def header(self, confidence: float) -> list[str]:
        """The names of the cells; the interval is that of the precision."""
        return ["precision", f"{100 * confidence:g} % interval", "recall", "lift", "new", "errors"]

    def cells(self, row: Any) -> list[str]:
        """The texts below the header."""
        interval = "–" if math.isnan(row.low) else f"{row.low:.2f}–{row.high:.2f}"
        figures = [share_text(row.precision), interval, share_text(row.recall), share_text(row.lift)]
        return [*figures, short_number(row.newly_covered), short_number(row.errors)]


class NumberYardstick(Yardstick):
    """The measures of rules that answer a number: how far the numbers of the rows are from it."""

    columns = ("mean", "squared_error")

    def parts(
        self, rules: RuleList, target: ClassTarget | ArrayLike, answers: NDArray[Any], w: Floats
    ) -> tuple[Floats, Floats, float]:
        """Weight, deviation and squared deviation from the mean of all."""
        if isinstance(target, ClassTarget):
            raise DataError("The target has classes, but the rules answer numbers: give an array of numbers.")
        y = _one_per_row(np.asarray(target, dtype=np.float64), len(w))
        center = float(np.average(y, weights=w)) if w.sum() > 0 else 0.0
        parts = np.stack([w, w * (y - center), w * (y - center) ** 2], axis=1)
        return parts, w * (y - answers) ** 2, center

    def figures(self, sums: Sums, number: int, chosen: Any, confidence: float) -> dict[str, float]:
        """The mean, and the mean squared difference from the rule's number."""
        answer = float(chosen) - sums.center
        weight, first, second = sums.alone[number].tolist()
        error = _ratio(second - 2 * answer * first + answer * answer * weight, weight)
        return {
            "support": weight,
            "coverage": _ratio(weight, float(sums.total[0])),
            "mean": sums.center + _ratio(first, weight),
            "squared_error": max(error, 0.0) if weight > 0 else math.nan,
        }

    def remeasured(self, rules: RuleList, sums: Sums) -> RuleList:
        """The same list with the covered weight and its spread."""

        def spread(sums_of_rule: Sequence[float]) -> float:
            weight, first, second = sums_of_rule
            return math.sqrt(max(second / weight - (first / weight) ** 2, 0.0)) if weight > 0 else 0.0

        alone = sums.alone.tolist()
        pairs = zip(rules.rules, alone, strict=False)  # the last sums are the default's
        return replace(rules, rules=tuple(replace(rule, covered=row[0], spread=spread(row)) for rule, row in pairs))

    def accuracy(self, errors: float, total: float) -> float:
        """NaN, since a number is not simply right or wrong."""
        return math.nan

    def header(self, confidence: float) -> list[str]:
        """The names of the cells; there is no interval."""
        return ["mean", "squared error", "new", "squared differences"]

    def cells(self, row: Any) -> list[str]:
        """The texts below the header."""
        figures = [significant(row.mean), significant(row.squared_error)]
        return [*figures, short_number(row.newly_covered), significant(row.errors)]


#: The yardstick of each task of kinds of target.
YARDSTICKS: dict[str, Yardstick] = {"classification": ClassYardstick(), "regression": NumberYardstick()}


def wilson(correct: float, size: float, confidence: float = 0.95) -> tuple[float, float]:
    r"""Wilson's interval of a share p = correct / size.

    Formula: :math:`\frac{p + z^2/2n \pm z \sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}`, z the normal quantile.

    >>> low, high = wilson(9, 14)
    >>> round(low, 4), round(high, 4)
    (0.3876, 0.8366)
    """
    from scipy.special import ndtri

    if not 0.0 < confidence < 1.0:
        raise ParameterError(f"confidence is {confidence!r}, but must be a share between 0 and 1.")
    if not size > 0:
        return math.nan, math.nan
    z = float(ndtri(0.5 + confidence / 2))
    share = min(max(correct / size, 0.0), 1.0)
    middle = share + z * z / (2 * size)
    margin = z * math.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    scale = 1 + z * z / size
    return max((middle - margin) / scale, 0.0), min((middle + margin) / scale, 1.0)


def share_text(value: float) -> str:
    """A share with two decimals."""
    return "–" if math.isnan(value) else f"{value:.2f}"


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


def _one_per_row(values: NDArray[Any], n_rows: int) -> NDArray[Any]:
    if values.shape != (n_rows,):
        raise DataError(f"The target has the shape {values.shape}, but must have one entry for each of {n_rows} rows.")
    return values


def _class_codes(classes: tuple[Any, ...], target: ClassTarget | ArrayLike, n_rows: int) -> NDArray[np.int64]:
    """The classes of the rows as positions among the rules' classes."""
    if not isinstance(target, ClassTarget):
        codes = _one_per_row(np.asarray(target), n_rows)
        if codes.dtype.kind not in "iu" or (n_rows and not (codes.min() >= 0 and codes.max() < len(classes))):
            raise DataError("The target must be a ClassTarget (see encode_classes) or positions of classes.")
        return np.asarray(codes, dtype=np.int64)
    places = {value_key(label): place for place, label in enumerate(classes)}
    table = np.array([places.get(value_key(plain_value(label)), -1) for label in target.classes], dtype=np.int64)
    codes = np.asarray(table[_one_per_row(target.codes, n_rows)])
    if n_rows and codes.min() < 0:
        strange = plain_value(target.classes[target.codes[int(codes.argmin())]])
        raise DataError(f"The target holds {strange!r}, which is none of the rules' classes.")
    return codes
