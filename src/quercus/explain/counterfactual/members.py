"""Counterfactuals of many trees together: the values of an attribute fall into cells between all their thresholds.

Inside a cell no tree tells two values apart, so of each cell only the value nearest to the one now is tried. Sets of
attributes are taken in the order of their prices, and every combination of their cells is answered. A set that costs
more than what is found need not be tried: then the search is exact. If the combinations are more than ``max_steps``,
the search ends there and is not complete. What it has found by then is kept; if that is nothing, attributes are changed
one after the other, each to the cell that brings the answer nearest to the wanted one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.explain.cells import Unknown
from quercus.explain.counterfactual.change import Counterfactual, Counterfactuals
from quercus.explain.counterfactual.counterfactual import Bounds, Wishes, change_of, changed_row, changes_found
from quercus.explain.counterfactual.domains import Field, meet
from quercus.explain.counterfactual.search import Effort
from quercus.fitted.model import Model
from quercus.rules.explanation import one_row
from quercus.targets.payload import Goal
from quercus.tree.forest import Forest
from quercus.tree.packing import is_packed, records
from quercus.tree.questions import kinds_that

#: Rows that are answered in one call.
BLOCK = 4096


def member_counterfactuals(
    model: Model, dataset: Dataset | Mapping[str, Any], row: int, wishes: Wishes, bounds: Bounds
) -> Counterfactuals:
    """The cheapest changes of a row that give another answer of many trees together."""
    one = one_row(model.schema, dataset, row)
    cuts = thresholds(model.need_trees("counterfactuals"))
    asked = set(range(len(model.schema)) if model.asked is None else model.asked)

    def of_row(row: Dataset) -> tuple[Floats, float]:
        shares, chosen = model.answer(row)
        return shares[0], float(chosen[0])

    def search(fields: Sequence[Field], goal: Goal, effort: Effort, most: int) -> list[Counterfactual]:
        cells = {place: _cells(fields[place], cuts[place]) for place in sorted(asked)}
        trial = _Trial(model, one, fields, {place: found for place, found in cells.items() if found}, goal)
        results = trial.exact(effort, most)
        return results if results or effort.complete else trial.step_by_step(wishes)

    return changes_found(model.target_kind, one, of_row, search, wishes, bounds, model.decision)


def thresholds(forest: Forest) -> list[Floats]:
    """The distinct thresholds of each attribute in all trees, rising; those of surrogates, too."""
    found: list[list[Any]] = [[] for _ in forest.schema]
    for arrays in forest.stored:
        if is_packed(arrays):
            nodes = records(arrays)
            parts = [(nodes["kind"], nodes["attribute"], nodes["key"])]
        else:
            parts = [
                tuple(arrays[f"{prefix}{name}"] for name in ("kind", "attribute", "threshold"))  # type: ignore[misc]
                for prefix in ("", "surrogate_")
            ]
        for kind, attribute, threshold in parts:
            asks = kinds_that(kind, lambda one: one.has_threshold)
            for place in np.unique(attribute[asks]).tolist():
                found[place].append(threshold[asks & (attribute == place)])
    return [np.unique(np.concatenate(parts)) if parts else np.zeros(0) for parts in found]


@dataclass(frozen=True)
class _Cell:
    """A value that stands for all of its cell, what it costs, and how far it is."""

    cost: float
    far: float
    value: float
    domain: Any


def _cells(field: Field, cuts: Floats) -> list[_Cell]:
    """The cells that an attribute may move to, the cheapest first."""
    if field.start is None:
        return []
    if field.attribute.is_numeric:
        edges = [-math.inf, *cuts.tolist(), math.inf]
        domains: Iterator[Any] = (meet(field.start, part) for part in pairwise(edges))
    else:
        domains = (frozenset([code]) for code in sorted(field.start))
    result = []
    for domain in domains:
        value = field.nearest(domain)
        if value is None or (not isinstance(field.now, Unknown) and value == field.now):
            continue
        cost, far = field.effort(value)
        if cost < math.inf:
            result.append(_Cell(cost, far, value, domain))
    return sorted(result, key=lambda cell: (cell.cost, cell.far))


_Key = tuple[float, int, float]
_Chosen = dict[int, _Cell]


class _Trial:
    """Changes of one row, tried on the model."""

    def __init__(
        self, model: Model, one: Dataset, fields: Sequence[Field], cells: dict[int, list[_Cell]], goal: Goal
    ) -> None:
        self.model, self.one, self.fields, self.cells, self.goal = model, one, fields, cells, goal

    def exact(self, effort: Effort, most: int) -> list[Counterfactual]:
        """The cheapest distinct changes; ``effort.complete`` tells whether nothing cheaper can be left out."""
        found: list[tuple[_Key, int, Counterfactual]] = []
        results: list[Counterfactual] = []
        for bound, places in self._sets():
            if len(results) == most and bound > self._key_of(results[-1]):
                break
            size = math.prod(len(self.cells[place]) for place in places)
            if size > effort.left:
                effort.complete = False
                break
            effort.left -= size
            for chosen in self._fitting(places):
                found.append((_key(chosen), len(found), self._counterfactual(chosen)))
            found.sort(key=lambda entry: entry[:2])
            results = _distinct([change for _, _, change in found], most)
        return results

    def _key_of(self, result: Counterfactual) -> _Key:
        return (result.cost, len(result.changes), math.inf)

    def _sets(self) -> Iterator[tuple[_Key, tuple[int, ...]]]:
        """Sets of attributes, the cheapest first, with the least that they cost."""
        order = sorted(self.cells, key=lambda place: (self.cells[place][0].cost, place))
        prices = [self.cells[place][0].cost for place in order]
        heap: list[tuple[float, int, tuple[int, ...]]] = [(prices[0], 1, (0,))] if order else []
        while heap:
            price, size, chosen = heappop(heap)
            yield (price, size, 0.0), tuple(order[i] for i in chosen)
            last = chosen[-1]
            if last + 1 < len(order):
                heappush(heap, (price + prices[last + 1], size + 1, (*chosen, last + 1)))
                heappush(heap, (price - prices[last] + prices[last + 1], size, (*chosen[:-1], last + 1)))

    def _fitting(self, places: tuple[int, ...]) -> list[_Chosen]:
        """Of the combinations of cells that fit, the best of each way of changing: up, down, or to a value."""
        best: dict[tuple[Any, ...], tuple[_Key, _Chosen]] = {}
        sizes = [len(self.cells[place]) for place in places]
        for begin in range(0, math.prod(sizes), BLOCK):
            numbers = np.arange(begin, min(begin + BLOCK, math.prod(sizes)))
            picked = dict(zip(places, np.unravel_index(numbers, sizes), strict=True))
            for at in np.flatnonzero(self._fits(picked)).tolist():
                chosen = {place: self.cells[place][int(which[at])] for place, which in picked.items()}
                way = tuple(self._way(place, cell) for place, cell in chosen.items())
                key = _key(chosen)
                if way not in best or key < best[way][0]:
                    best[way] = key, chosen
        return [chosen for _, chosen in best.values()]

    def _way(self, place: int, cell: _Cell) -> Any:
        now = self.fields[place].now
        if not self.fields[place].attribute.is_numeric or isinstance(now, Unknown):
            return cell.value
        return cell.value > now

    def _rows(self, picked: Mapping[int, NDArray[Any]], kept: Mapping[int, _Cell]) -> Dataset:
        """The row as often as there are picks, with the values of the cells that are picked or kept."""
        count = len(next(iter(picked.values()))) if picked else 1
        base = changed_row(self.one, {place: cell.value for place, cell in kept.items()})
        columns = [np.repeat(column, count) for column in base.columns]
        for place, which in picked.items():
            values = np.array([cell.value for cell in self.cells[place]])[which]
            numeric = self.one.schema[place].is_numeric
            columns[place] = np.ascontiguousarray(values, dtype=np.float64 if numeric else np.int32)
        return replace(self.one, columns=tuple(columns), n_rows=count)

    def _fits(self, picked: Mapping[int, NDArray[Any]]) -> NDArray[np.bool_]:
        chosen = self.model.answer(self._rows(picked, {}))[1]
        known = {answer: self.goal.fits(answer) for answer in set(chosen.tolist())}
        return np.array([known[answer] for answer in chosen.tolist()], dtype=np.bool_)

    def step_by_step(self, wishes: Wishes) -> list[Counterfactual]:
        """One change after the other, each the most helpful; then those that are not needed are taken back."""
        chosen: _Chosen = {}
        while not self._answers(chosen):
            best: tuple[float, float, int, _Cell] | None = None
            for place, cells in self.cells.items():
                if place in chosen:
                    continue
                near = self._nearness(self._rows({place: np.arange(len(cells))}, chosen), wishes)
                at = int(np.argmax(near))
                if best is None or (near[at], -cells[at].cost) > best[:2]:
                    best = (float(near[at]), -cells[at].cost, place, cells[at])
            if best is None:
                return []
            chosen[best[2]] = best[3]
        for place in sorted(chosen, key=lambda place: -chosen[place].cost):
            fewer = {other: cell for other, cell in chosen.items() if other != place}
            if fewer and self._answers(fewer):
                chosen = fewer
        return [self._counterfactual(chosen)]

    def _answers(self, chosen: _Chosen) -> bool:
        return bool(chosen) and self.goal.fits(self.model.answer(self._rows({}, chosen))[1].tolist()[0])

    def _nearness(self, rows: Dataset, wishes: Wishes) -> Floats:
        """How near the answers are to a wanted one: the share of the wanted classes, or the distance to the bounds."""
        shares, chosen = self.model.answer(rows)
        if self.model.target_kind.has_shares:
            wanted = [code for code in range(shares.shape[1]) if self.goal.fits(code)]
            return np.asarray(shares[:, wanted].max(axis=1))
        away = np.zeros(len(chosen))
        if wishes.above is not None:
            away = np.maximum(away, wishes.above - chosen)
        if wishes.below is not None:
            away = np.maximum(away, chosen - wishes.below)
        return -away

    def _counterfactual(self, chosen: _Chosen) -> Counterfactual:
        shares, answers = self.model.answer(self._rows({}, chosen))
        kind, answer = self.model.target_kind, answers[0]
        changes = tuple(change_of(self.fields[place], cell.domain, cell.value) for place, cell in chosen.items())
        told = tuple(shares[0].tolist())
        return Counterfactual(changes, _key(chosen)[0], kind.label(answer), told, kind.share_of(told, answer))


def _key(chosen: _Chosen) -> _Key:
    cells = chosen.values()
    return math.fsum(cell.cost for cell in cells), len(chosen), math.fsum(cell.far for cell in cells)


def _distinct(found: Sequence[Counterfactual], most: int) -> list[Counterfactual]:
    """Without those that make all the changes of one before."""
    results: list[Counterfactual] = []
    for change in found:
        if len(results) == most:
            break
        if any(all(any(a.covers(b) for b in change.changes) for a in before.changes) for before in results):
            continue
        results.append(change)
    return results
