"""Test vectors: rows that try every threshold and value of a model, with the answers that an export must give."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from quercus.data.schema import Attribute
from quercus.data.values import value_from_json, value_to_json
from quercus.errors import FileError
from quercus.export.program import Program, RuleTables, TreeTable, program_of
from quercus.targets import TargetKind, kind_of

#: A text that no table has as a value.
UNSEEN = "never seen 6f1d"
_EPOCH = dt.datetime(1970, 1, 1)


@dataclass(frozen=True, eq=False)
class Vectors:
    """Rows of raw values and what the model answers.

    checksum: of the model. names: of the columns. rows: one list of raw values for each row, None for unknown.
    classes: None, if numbers are answered. labels: the classes, or the numbers. shares: of the classes; else empty.
    tried: how many test values have a row of their own, and how many test values there are; None: all of them have one.
    """

    checksum: str
    names: list[str]
    rows: list[list[Any]]
    classes: list[Any] | None
    labels: list[Any]
    shares: list[list[float]]
    tried: tuple[int, int] | None = None

    @cached_property
    def target_kind(self) -> TargetKind:
        """What is answered."""
        return kind_of(self.classes)

    @property
    def has_classes(self) -> bool:
        """Whether classes are answered, with the share of each; else numbers."""
        return self.target_kind.has_shares

    def to_json(self) -> str:
        """The vectors as a JSON document that :func:`read_vectors` reads."""
        data = {
            "format": "quercus test vectors",
            "checksum": self.checksum,
            "names": self.names,
            "rows": [[value_to_json(value) for value in row] for row in self.rows],
            "classes": None,
            **self.target_kind.to_json(),
            "labels": [value_to_json(label) for label in self.labels],
            "shares": self.shares,
            **({} if self.tried is None else {"tried": list(self.tried)}),
        }
        return json.dumps(data, allow_nan=False) + "\n"


def vectors_of(model: Any, *, drawn: int = 200, most: int = 5_000, seed: int = 0) -> Vectors:
    """Rows that test a model: thresholds and the floats next to them, values, unseen and unknown ones, random rows.

    model: a fitted estimator, a model, a tree, a forest or a rule list. drawn: the number of random rows; their values
    are drawn from all test values. most: so many test values at most have a row of their own, evenly chosen; if there
    are more, ``tried`` says how many of how many, and :func:`quercus.export.verify` repeats it. seed: of the draws.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> vectors = vectors_of(ID3Classifier().fit(*load_play_tennis()), drawn=2)
    >>> vectors.names, len(vectors.rows), vectors.rows[0], vectors.labels[0]
    (['Outlook', 'Humidity', 'Wind'], 16, [None, None, None], 'Yes')
    """
    program = program_of(model, scores=True)
    attributes = [program.schema[place] for place in program.inputs]
    cuts = cuts_of(program)
    tried = [
        _tried(attribute, cuts.get(place, set())) for place, attribute in zip(program.inputs, attributes, strict=True)
    ]
    chance = np.random.default_rng(seed)
    rows: list[list[Any]] = [[None] * len(attributes)]
    places = [(number, value) for number, values in enumerate(tried) for value in values]
    tested = None
    if len(places) > most:
        tested = (most, len(places))
        places = [places[index] for index in np.linspace(0, len(places) - 1, most).astype(int).tolist()]
    for number, value in places:
        row = _drawn(tried, chance)
        row[number] = value
        rows.append(row)
    rows += [_drawn(tried, chance) for _ in range(drawn)]
    return replace(_answered(program, attributes, rows), tried=tested)


def _drawn(tried: list[list[Any]], chance: np.random.Generator) -> list[Any]:
    return [values[int(chance.integers(len(values)))] for values in tried]


def _answered(program: Program, attributes: list[Attribute], rows: list[list[Any]]) -> Vectors:
    model = program.model
    names = [attribute.name for attribute in attributes]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    others = {attribute.name: [None] * len(rows) for attribute in model.schema if attribute.name not in columns}
    dataset = model.encode_rows(columns | others)
    shares, chosen = model.answer(dataset)
    labels = [program.target_kind.label(one) for one in chosen.tolist()]
    told = shares.tolist() if program.has_classes else []
    return Vectors(program.checksum, names, rows, list(program.classes) or None, labels, told)


def cuts_of(program: Program) -> dict[int, set[float]]:
    """The thresholds that questions and rules compare each attribute with."""
    result: dict[int, set[float]] = {}
    for table in program.trees():
        _add_cuts(table, result)
    for member in program.members:
        if isinstance(member, RuleTables):
            for test in (test for tests in member.tests for test in tests):
                bounds = {test[name] for name in ("above", "up_to") if name in test}
                result.setdefault(test["attribute"], set()).update(bounds)
    return result


def _add_cuts(table: TreeTable, result: dict[int, set[float]]) -> None:
    tree = table.tree
    for attribute, cut in zip(tree.attribute.tolist(), tree.threshold.tolist(), strict=True):
        if math.isfinite(cut):
            result.setdefault(attribute, set()).add(cut)
    for attribute, cut in zip(tree.surrogate_attribute.tolist(), tree.surrogate_threshold.tolist(), strict=True):
        if math.isfinite(cut):
            result.setdefault(attribute, set()).add(cut)


def _tried(attribute: Attribute, cuts: set[float]) -> list[Any]:
    """The test values of one column: values that decide, values next to them, values for "missing", and unknown."""
    return [*_decisive(attribute, cuts), *_tokens(attribute), None]


def _tokens(attribute: Attribute) -> list[Any]:
    """The values that mean "missing" and have the column's own type."""
    if attribute.kind in ("numeric", "boolean", "date"):
        return list(number_tokens(attribute))
    types = {type(value) for value in attribute.values}
    return [token for token in attribute.missing_tokens if type(token) in types]


def number_tokens(attribute: Attribute) -> list[float]:
    """The numbers that mean "missing" in a column of numbers."""
    if attribute.kind != "numeric" or attribute.from_text:
        return []
    return [float(token) for token in attribute.missing_tokens if type(token) in (int, float)]


def _decisive(attribute: Attribute, cuts: set[float]) -> list[Any]:
    if attribute.kind in ("nominal", "ordered"):
        return [*attribute.values, *_unseen(attribute)]
    if attribute.kind == "boolean":
        return [False, True]
    numbers = sorted(cuts)
    if attribute.kind == "date":
        moments = sorted({math.floor(cut) + step for cut in numbers for step in (0, 1)} or {0})
        return [_date(moment, attribute) for moment in moments]
    beside = {math.nextafter(cut, side) for cut in numbers for side in (-math.inf, math.inf)}
    finite = {number for number in {*numbers, *beside, 0.0, 1e300, -1e300, 5e-324} if math.isfinite(number)}
    return [*sorted(finite), -0.0]


def _unseen(attribute: Attribute) -> list[Any]:
    """A value that the attribute does not have, of the type of those that it has."""
    values = attribute.values
    if not values or all(isinstance(value, str) for value in values):
        return [UNSEEN]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [max(values) + 1]
    return []


def _date(moment: int, attribute: Attribute) -> Any:
    """Microseconds as a date, a duration or a time of day."""
    if attribute.date_type == "duration":
        return dt.timedelta(microseconds=moment)
    if attribute.date_type == "time":
        return (_EPOCH + dt.timedelta(microseconds=moment % 86_400_000_000)).time()
    value = _EPOCH + dt.timedelta(microseconds=moment)
    return value.replace(tzinfo=dt.UTC) if attribute.date_type == "utc" else value


def _tried_of(counts: Any) -> tuple[int, int] | None:
    if counts is None:
        return None
    tried, of = counts
    return int(tried), int(of)


def read_vectors(path: str | os.PathLike[str]) -> Vectors:
    """Test vectors from a file.

    path: a file that was written from :meth:`Vectors.to_json`.
    """
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        return Vectors(
            data["checksum"],
            list(data["names"]),
            [[value_from_json(value) for value in row] for row in data["rows"]],
            None if data["classes"] is None else [value_from_json(label) for label in data["classes"]],
            [value_from_json(label) for label in data["labels"]],
            data["shares"],
            _tried_of(data.get("tried")),
        )
    except OSError as error:
        raise FileError(f"{os.fspath(path)} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileError(f"{os.fspath(path)} holds no test vectors; write them by quercus export --vectors.") from error
