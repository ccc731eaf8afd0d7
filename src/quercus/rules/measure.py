"""Measuring: how good each rule of a list is on labelled rows, alone and in its place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.names import short_number, significant
from quercus.data.values import plain_value, value_key
from quercus.errors import DataError, ParameterError
from quercus.results import Cells, Result, Table, frame_of

if TYPE_CHECKING:
    from quercus.rules.rule_list import RuleList


@dataclass(frozen=True, repr=False)
class RuleRow(Result):
    """One rule measured; the last row of a table is the default, which covers what no rule covers.

    - rule: its text. position: in the list; −1 for the default.
    - support: the weight it covers. coverage: its share of all weight.
    - precision: the share of its class in the covered weight, between ``low`` and ``high`` with the table's confidence
      (Wilson). recall: the share of its class's weight that it covers. lift: precision / share of its class in all.
    - newly_covered: the weight of the rows that it decides: in order, those that no earlier rule covers. errors: the
      weight among it that the list answers wrongly.
    - Rules that answer numbers: mean and squared_error (mean of the squared differences from its number) of the covered
      rows; ``errors`` is the sum of the squared differences from the list's answers where it decides.

    What does not apply or divides by 0 is NaN.
    """

    position: int
    rule: str
    support: float
    coverage: float
    precision: float
    low: float
    high: float
    recall: float
    lift: float
    mean: float
    squared_error: float
    newly_covered: float
    errors: float

    def __str__(self) -> str:
        """The rule and what it covers."""
        return f"{self.rule}: support {short_number(self.support)}, decides {short_number(self.newly_covered)}"


@dataclass(frozen=True, repr=False)
class RuleTable(Table):
    """The rows of a measured rule list, the default last; printed as aligned text."""

    rows: tuple[RuleRow, ...]
    confidence: float
    is_regression: bool

    def __len__(self) -> int:
        """How many rows there are: the rules and the default."""
        return len(self.rows)

    def __iter__(self) -> Iterator[RuleRow]:
        """Go through the rows in the list's order."""
        return iter(self.rows)

    def __getitem__(self, position: int) -> RuleRow:
        """The row of the rule at a position; −1: the default's."""
        return self.rows[position]

    @property
    def errors(self) -> float:
        """The weight that the list, in its order, answers wrongly (numbers: the sum of squared differences)."""
        return sum(row.errors for row in self.rows)

    @property
    def accuracy(self) -> float:
        """The share of the weight that the list, in its order, answers rightly."""
        total = sum(row.newly_covered for row in self.rows)
        return 1.0 - self.errors / total if total > 0 and not self.is_regression else math.nan

    def columns(self) -> dict[str, list[Any]]:
        """The table as columns by name, those that apply."""
        unused = ("precision", "low", "high", "recall", "lift") if self.is_regression else ("mean", "squared_error")
        names = [field.name for field in fields(RuleRow) if field.name not in unused]
        return {name: [getattr(row, name) for row in self.rows] for name in names}

    def to_frame(self) -> Any:
        """The table as a pandas data frame."""
        return frame_of(self.columns())

    def cells(self) -> Cells:
        """The table as texts; the interval is that of the precision."""
        if self.is_regression:
            header = ["", "support", "coverage", "mean", "squared error", "new", "squared differences", "rule"]
        else:
            header = ["", "support", "coverage", "precision", f"{100 * self.confidence:g} % interval", "recall", "lift"]
            header += ["new", "errors", "rule"]
        return Cells([header, *(self._cells(row) for row in self.rows)], left=(len(header) - 1,))

    def _cells(self, row: RuleRow) -> list[str]:
        cells = ["" if row.position < 0 else str(row.position + 1), short_number(row.support), _share(row.coverage)]
        if self.is_regression:
            cells += [significant(row.mean), significant(row.squared_error)]
            return [*cells, short_number(row.newly_covered), significant(row.errors), row.rule]
        interval = "–" if math.isnan(row.low) else f"{row.low:.2f}–{row.high:.2f}"
        cells += [_share(row.precision), interval, _share(row.recall), _share(row.lift)]
        return [*cells, short_number(row.newly_covered), short_number(row.errors), row.rule]


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


def measure(
    rules: RuleList,
    dataset: Dataset,
    target: ClassTarget | ArrayLike,
    weights: ArrayLike | None = None,
    confidence: float = 0.95,
) -> RuleTable:
    """Measure every rule; parameters as in ``RuleList.measure``.

    With weights the size in the interval's formula is Kish's effective number of rows, (Σ w)² / Σ w².
    """
    wilson(0.0, 1.0, confidence)
    sums = _sums(rules, dataset, target, weights)
    make = _number_row if rules.is_regression else _class_row
    texts = [*(rule.text(figures=False) for rule in rules.rules), f"otherwise {rules.default_text()}"]
    rows = tuple(make(rules, sums, number, text, confidence) for number, text in enumerate(texts))
    return RuleTable(rows, confidence, rules.is_regression)


def measured(
    rules: RuleList, dataset: Dataset, target: ClassTarget | ArrayLike, weights: ArrayLike | None = None
) -> RuleList:
    """The list with its rules' weights taken from labelled rows."""
    sums = _sums(rules, dataset, target, weights)
    if not rules.is_regression:
        new = tuple(rule.with_weights(sums.alone[i]) for i, rule in enumerate(rules.rules))
        uncovered = tuple(sums.alone[-1].tolist())
        return replace(rules, rules=new, default_weights=uncovered if sum(uncovered) > 0 else None)
    new = tuple(
        replace(rule, covered=float(sums.alone[i, 0]), spread=sums.spread(i)) for i, rule in enumerate(rules.rules)
    )
    return replace(rules, rules=new)


@dataclass(frozen=True)
class _Sums:
    """What each rule covers (alone) and decides (newly, errors), the default last.

    Classes: weight of each class. Numbers: Σ w, Σ w·d, Σ w·d², d = y − center. squares: Σ w² alone.
    """

    alone: Floats
    newly: Floats
    errors: Floats
    squares: Floats
    center: float
    total: Floats

    def spread(self, number: int) -> float:
        weight, first, second = self.alone[number].tolist()
        return math.sqrt(max(second / weight - (first / weight) ** 2, 0.0)) if weight > 0 else 0.0


def _sums(rules: RuleList, dataset: Dataset, target: ClassTarget | ArrayLike, weights: ArrayLike | None) -> _Sums:
    w = _row_weights(dataset, weights)
    center = 0.0
    if rules.classes is None:
        if isinstance(target, ClassTarget):
            raise DataError("The target has classes, but the rules answer numbers: give an array of numbers.")
        y = _one_a_row(np.asarray(target, dtype=np.float64), dataset.n_rows)
        center = float(np.average(y, weights=w)) if w.sum() > 0 else 0.0
        parts = np.stack([w, w * (y - center), w * (y - center) ** 2], axis=1)
        wrong = w * (y - rules.predict(dataset)) ** 2
    else:
        codes = _class_codes(rules.classes, target, dataset.n_rows)
        parts = np.zeros((dataset.n_rows, len(rules.classes)))
        parts[np.arange(dataset.n_rows), codes] = w
        wrong = w * (codes != rules.predict(dataset))
    width = parts.shape[1]
    both = np.column_stack([parts, w * w])
    alone = np.zeros((len(rules.rules) + 1, width + 1))
    for covered in rules.coverage.all_rules(dataset):
        alone[covered.first : covered.first + covered.n_rules] += (
            covered.matrix().T.astype(np.float64) @ both[covered.rows]
        )
    fired = rules.fired(dataset)
    alone[-1] = both[fired < 0].sum(axis=0)
    newly, errors = (np.roll(np.bincount(fired + 1, part, len(alone)), -1).astype(np.float64) for part in (w, wrong))
    return _Sums(alone[:, :width], newly, errors, alone[:, width], center, parts.sum(axis=0))


def _class_row(rules: RuleList, sums: _Sums, number: int, text: str, confidence: float) -> RuleRow:
    is_default = number == len(rules.rules)
    code = int(rules.default if is_default else rules.rules[number].consequent)
    alone, total = sums.alone[number], float(sums.total.sum())
    support, correct, of_class = float(alone.sum()), float(alone[code]), float(sums.total[code])
    size = support * support / float(sums.squares[number]) if support > 0 else 0.0
    precision = _ratio(correct, support)
    low, high = wilson(0.0 if math.isnan(precision) else precision * size, size, confidence)
    return RuleRow(
        -1 if is_default else number,
        text,
        support,
        _ratio(support, total),
        precision,
        low,
        high,
        _ratio(correct, of_class),
        _ratio(precision * total, of_class),
        math.nan,
        math.nan,
        float(sums.newly[number]),
        float(sums.errors[number]),
    )


def _number_row(rules: RuleList, sums: _Sums, number: int, text: str, confidence: float) -> RuleRow:
    is_default = number == len(rules.rules)
    answer = float(rules.default if is_default else rules.rules[number].consequent) - sums.center
    weight, first, second = sums.alone[number].tolist()
    error = _ratio(second - 2 * answer * first + answer * answer * weight, weight)
    return RuleRow(
        -1 if is_default else number,
        text,
        weight,
        _ratio(weight, float(sums.total[0])),
        math.nan,
        math.nan,
        math.nan,
        math.nan,
        math.nan,
        sums.center + _ratio(first, weight),
        max(error, 0.0) if weight > 0 else math.nan,
        float(sums.newly[number]),
        float(sums.errors[number]),
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def _row_weights(dataset: Dataset, weights: ArrayLike | None) -> Floats:
    if weights is None:
        return np.ones(dataset.n_rows)
    numbers = np.asarray(weights, dtype=np.float64)
    if numbers.shape != (dataset.n_rows,) or not np.isfinite(numbers).all() or (numbers < 0).any():
        raise DataError(f"weights must be finite, not negative, one for each of the {dataset.n_rows} rows.")
    return numbers


def _one_a_row(values: NDArray[Any], n_rows: int) -> NDArray[Any]:
    if values.shape != (n_rows,):
        raise DataError(f"The target has the shape {values.shape}, but must have one entry for each of {n_rows} rows.")
    return values


def _class_codes(classes: tuple[Any, ...], target: ClassTarget | ArrayLike, n_rows: int) -> NDArray[np.int64]:
    """The classes of the rows as positions among the rules' classes."""
    if not isinstance(target, ClassTarget):
        codes = _one_a_row(np.asarray(target), n_rows)
        if codes.dtype.kind not in "iu" or (n_rows and not (codes.min() >= 0 and codes.max() < len(classes))):
            raise DataError("The target must be a ClassTarget (see encode_classes) or positions of classes.")
        return np.asarray(codes, dtype=np.int64)
    places = {value_key(label): place for place, label in enumerate(classes)}
    table = np.array([places.get(value_key(plain_value(label)), -1) for label in target.classes], dtype=np.int64)
    codes = np.asarray(table[_one_a_row(target.codes, n_rows)])
    if n_rows and codes.min() < 0:
        strange = plain_value(target.classes[target.codes[int(codes.argmin())]])
        raise DataError(f"The target holds {strange!r}, which is none of the rules' classes.")
    return codes
