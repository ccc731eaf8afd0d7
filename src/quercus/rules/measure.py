"""Measuring: how good each rule of a list is on labelled rows, alone and in its place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.names import short_number
from quercus.errors import DataError
from quercus.results import Cells, Result, Table, frame_of
from quercus.rules.yardsticks import YARDSTICKS, Sums, Yardstick, share_text, wilson
from quercus.targets import TargetKind
from quercus.targets.kind import OfTarget

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
    precision: float = math.nan
    low: float = math.nan
    high: float = math.nan
    recall: float = math.nan
    lift: float = math.nan
    mean: float = math.nan
    squared_error: float = math.nan
    newly_covered: float = 0.0
    errors: float = 0.0

    def __str__(self) -> str:
        """The rule and what it covers."""
        return f"{self.rule}: support {short_number(self.support)}, decides {short_number(self.newly_covered)}"


@dataclass(frozen=True, repr=False)
class RuleTable(OfTarget, Table):
    """The rows of a measured rule list, the default last; printed as aligned text."""

    rows: tuple[RuleRow, ...]
    confidence: float
    target_kind: TargetKind

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
        return self._yardstick.accuracy(self.errors, total)

    @property
    def _yardstick(self) -> Yardstick:
        return YARDSTICKS[self.target_kind.task]

    def columns(self) -> dict[str, list[Any]]:
        """The table as columns by name, those that apply."""
        unused = {name for one in YARDSTICKS.values() for name in one.columns} - set(self._yardstick.columns)
        names = [field.name for field in fields(RuleRow) if field.name not in unused]
        return {name: [getattr(row, name) for row in self.rows] for name in names}

    def to_frame(self) -> Any:
        """The table as a pandas data frame."""
        return frame_of(self.columns())

    def cells(self) -> Cells:
        """The table as texts; the interval is that of the precision."""
        header = ["", "support", "coverage", *self._yardstick.header(self.confidence), "rule"]
        return Cells([header, *(self._cells(row) for row in self.rows)], left=(len(header) - 1,))

    def _cells(self, row: RuleRow) -> list[str]:
        number = "" if row.position < 0 else str(row.position + 1)
        return [number, short_number(row.support), share_text(row.coverage), *self._yardstick.cells(row), row.rule]


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
    yardstick, chosen = YARDSTICKS[rules.target_kind.task], [rule.consequent for rule in rules.rules]
    texts = [*(rule.text(figures=False) for rule in rules.rules), f"otherwise {rules.default_text()}"]
    rows = []
    for number, (text, answer) in enumerate(zip(texts, [*chosen, rules.default], strict=True)):
        figures = yardstick.figures(sums, number, answer, confidence)
        decided = {"newly_covered": float(sums.newly[number]), "errors": float(sums.errors[number])}
        rows.append(RuleRow(number if number < len(rules.rules) else -1, text, **figures, **decided))
    return RuleTable(tuple(rows), confidence, rules.target_kind)


def measured(
    rules: RuleList, dataset: Dataset, target: ClassTarget | ArrayLike, weights: ArrayLike | None = None
) -> RuleList:
    """The list with its rules' weights taken from labelled rows."""
    return YARDSTICKS[rules.target_kind.task].remeasured(rules, _sums(rules, dataset, target, weights))


def _sums(rules: RuleList, dataset: Dataset, target: ClassTarget | ArrayLike, weights: ArrayLike | None) -> Sums:
    w = _row_weights(dataset, weights)
    parts, wrong, center = YARDSTICKS[rules.target_kind.task].parts(rules, target, rules.predict(dataset), w)
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
    return Sums(alone[:, :width], newly, errors, alone[:, width], center, parts.sum(axis=0))


def _row_weights(dataset: Dataset, weights: ArrayLike | None) -> Floats:
    if weights is None:
        return np.ones(dataset.n_rows)
    numbers = np.asarray(weights, dtype=np.float64)
    if numbers.shape != (dataset.n_rows,) or not np.isfinite(numbers).all() or (numbers < 0).any():
        raise DataError(f"weights must be finite, not negative, one for each of the {dataset.n_rows} rows.")
    return numbers
