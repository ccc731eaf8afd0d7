"""Coverage: which rules cover which rows, many rules and rows at a time.

Each attribute's cells are replaced by ranks among the bounds that the rules use. A table says for every rank, with one
bit per rule, which rules that cell does not rule out; the rules that cover a row are the bits left when the rows of all
tables are joined by AND. Rules are taken in groups of 512, so that a row of a table is one line of the processor's
cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quercus.data.dataset import Dataset
from quercus.data.schema import Attribute
from quercus.errors import DataError
from quercus.rules.condition import Condition, Interval, ValueSet, one_attribute
from quercus.rules.rule import Rule

GROUP = 512
BLOCK = 1 << 15

Ranks = NDArray[np.int32]
Bits = NDArray[np.uint64]


@dataclass(frozen=True)
class Covered:
    """Some rows (positions) and, one bit per rule from ``first`` on, the rules that cover them."""

    rows: NDArray[np.intp]
    first: int
    n_rules: int
    bits: Bits

    def first_rule(self) -> NDArray[np.int64]:
        """The first covering rule of the group for each row; −1: none."""
        word = (self.bits != 0).argmax(axis=1)
        value = self.bits[np.arange(len(word)), word]
        lowest = value & (~value + np.uint64(1))
        bit = np.frexp(lowest.astype(np.float64))[1].astype(np.int64) - 1
        return np.where(value == 0, -1, self.first + 64 * word + bit)

    def matrix(self) -> NDArray[np.bool_]:
        """Rows × rules of the group, True where the rule covers the row."""
        octets = self.bits.view(np.uint8)
        return np.unpackbits(octets, axis=1, bitorder="little", count=self.n_rules).astype(np.bool_)


class Coverage:
    """The conditions of some rules, ready to be met by rows."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.n_rules = len(rules)
        conditions: dict[str, list[tuple[int, Condition]]] = {}
        for number, rule in enumerate(rules):
            for condition in rule.conditions:
                conditions.setdefault(one_attribute(condition).name, []).append((number, condition))
        self._attributes = [_Ranking(pairs) for pairs in conditions.values()]

    def first_rules(self, dataset: Dataset) -> NDArray[np.int64]:
        """The first rule that covers each row; −1: none does."""
        result = np.full(dataset.n_rows, -1, dtype=np.int64)
        ranks = [attribute.ranks(dataset) for attribute in self._attributes]
        undecided = np.arange(dataset.n_rows)
        for first in range(0, self.n_rules, GROUP):
            for covered in self._group(first, ranks, undecided):
                result[covered.rows] = covered.first_rule()
            undecided = undecided[result[undecided] < 0]
            if not len(undecided):
                break
        return result

    def all_rules(self, dataset: Dataset) -> Iterator[Covered]:
        """All rules that cover each row, block by block; each block of rows comes once for every group of rules."""
        ranks = [attribute.ranks(dataset) for attribute in self._attributes]
        rows = np.arange(dataset.n_rows)
        for first in range(0, self.n_rules, GROUP):
            yield from self._group(first, ranks, rows)

    def _group(self, first: int, ranks: Sequence[Ranks], rows: NDArray[np.intp]) -> Iterator[Covered]:
        n_rules = min(GROUP, self.n_rules - first)
        pairs = zip(self._attributes, ranks, strict=True)
        tables = [(attribute.table(first, n_rules), cells) for attribute, cells in pairs]
        used = [(table, cells) for table, cells in tables if table is not None]
        every = _packed(np.ones((n_rules, 1), dtype=np.bool_))
        whole = len(rows) and len(rows) == rows[-1] + 1
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            places = slice(start, start + len(block)) if whole else block
            bits = np.repeat(every, len(block), axis=0)
            for (local, table), cells in used:
                bits &= table.take(local.take(cells[places]), axis=0)
            yield Covered(block, first, n_rules, bits)


class _Ranking:
    """The conditions on one attribute: how its cells become ranks, and which rules a rank lets through."""

    def __init__(self, pairs: Sequence[tuple[int, Condition]]) -> None:
        self.attribute: Attribute = pairs[0][1].attribute
        self.rules = np.array([number for number, _ in pairs])
        self.unknown = np.array([condition.unknown for _, condition in pairs])
        self.bounds = np.zeros(0)
        self.sets: list[NDArray[np.intp]] = []
        if self.attribute.is_numeric:
            low = np.array([condition.low for _, condition in pairs if isinstance(condition, Interval)])
            high = np.array([condition.high for _, condition in pairs if isinstance(condition, Interval)])
            both = np.concatenate([low, high])
            self.bounds = np.unique(both[np.isfinite(both)])
            # Rank r means bounds[r − 1] < x <= bounds[r]; the last known rank is above all bounds.
            self.first = np.where(np.isinf(low), np.where(low > 0, len(self.bounds) + 1, 0), self._place(low) + 1)
            self.last = np.where(np.isinf(high), np.where(high > 0, len(self.bounds), -1), self._place(high))
            self.n_ranks = len(self.bounds) + 2  # the last is "unknown"
        else:
            sets = [condition for _, condition in pairs if isinstance(condition, ValueSet)]
            self.sets = [np.array(condition.codes, dtype=np.intp) for condition in sets]
            self.n_ranks = self.attribute.n_values + 1

    def _place(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        return np.searchsorted(self.bounds, values)

    def ranks(self, dataset: Dataset) -> Ranks:
        """The rank of every cell."""
        position = dataset.schema.position(self.attribute.name)
        column, other = dataset.columns[position], dataset.schema.attributes[position]
        if other is not self.attribute and (other.kind, other.values) != (self.attribute.kind, self.attribute.values):
            raise DataError(
                f"Attribute {other.name!r} ({other.kind}, {other.n_values} values) is not encoded as the rules' "
                f"({self.attribute.kind}, {self.attribute.n_values} values). Encode the rows with encode_like(table, "
                "schema)."
            )
        if not self.attribute.is_numeric:
            return np.where(column < 0, self.n_ranks - 1, column).astype(np.int32)
        ranks = np.searchsorted(self.bounds, column.astype(np.float64, copy=False)).astype(np.int32)
        ranks[np.isnan(column)] = self.n_ranks - 1
        return ranks

    def table(self, first: int, n_rules: int) -> tuple[NDArray[np.intp], Bits] | None:
        """For a group of rules: the row of the table for each rank, and the table; None if none asks the attribute."""
        begin, end = np.searchsorted(self.rules, [first, first + n_rules])
        if begin == end:
            return None
        if self.attribute.is_numeric:
            starts, stops = self.first[begin:end], self.last[begin:end] + 1
            cuts = np.unique(np.concatenate([[0, self.n_ranks - 1], starts, stops]).clip(0, self.n_ranks - 1))
            local = np.repeat(np.arange(len(cuts)), np.diff(np.append(cuts, self.n_ranks)))
            places = np.arange(len(cuts))
            inside = (places >= np.searchsorted(cuts, starts)[:, None]) & (
                places < np.searchsorted(cuts, stops)[:, None]
            )
        else:
            local = np.arange(self.n_ranks)
            inside = np.zeros((end - begin, self.n_ranks), dtype=np.bool_)
            for row, codes in enumerate(self.sets[begin:end]):
                inside[row, codes] = True
        inside[:, -1] = self.unknown[begin:end]
        allowed = np.ones((n_rules, inside.shape[1]), dtype=np.bool_)
        allowed[self.rules[begin:end] - first] = inside
        return local, _packed(allowed)


def _packed(allowed: NDArray[np.bool_]) -> Bits:
    """Rules × ranks as ranks × words, one bit per rule."""
    padded = np.zeros((allowed.shape[1], -(-allowed.shape[0] // 64) * 64), dtype=np.bool_)
    padded[:, : allowed.shape[0]] = allowed.T
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
