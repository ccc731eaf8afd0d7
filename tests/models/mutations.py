"""Ways to damage a model file: its JSON, its arrays, its bytes."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from pathlib import Path
from typing import Any

from quercus.models.document import checksum

JUNK: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 1024, 2**31, -(2**31) - 1, 2**63, 2**64, 10**25, 10**400, 0.5, -0.5,
    1e300, -1e308, "", "x", "inf", "-inf", "nan", "numeric", "nominal", "boolean", "date", "Tree", "RuleList",
    "CARTRegressor", "\ud800", [], {}, [[]], [0], [None], ["inf"], [1, 2, 3], [0.5] * 8, [[1, 2]] * 8, [{}],
    {"tensor": "trees.0.kind"}, {"tensor": "packed.kind"}, {"tensor": "packed.leaf_value"}, "RandomForestClassifier",
    {"estimator": {"class": "CARTClassifier", "parameters": {}}}, {"flat_curve": {"window": 3}}, "BoostedClassifier",
    {"estimator": {"class": "BaggingClassifier", "parameters": {}}}, {"flat_curve": {"window": 0}},
    {"tensor": 1}, {"tensor": "?"}, {"float": "nan"}, {"float": "inf"}, {"float": 3}, {"date": "2024-05-01"},
    {"date": "yesterday"}, {"datetime": 5}, {"time": "25:00"}, {"duration": [10**30, 0, 0]}, {"bytes": "0g"},
    {"tuple": []}, {"tuple": [1, [2]]}, {"set": [[1]]}, {"set": [1, 1]}, {"dict": [[[], 1]]}, {"dict": [[1, 2]]},
    {"array": {"dtype": "int64", "shape": [2], "values": [1, 2]}},
    {"array": {"dtype": "text", "shape": [], "values": []}},
    {"array": {"dtype": "float64", "shape": [0, 10**12], "values": []}},
    {"array": {"dtype": "datetime64[ns]", "shape": [1], "values": [-(2**63)]}},
    {"array": {"dtype": "object", "shape": [1], "values": [[1, 2]]}},
    {"random_state": {"key": [2**32 - 1] * 624, "position": 10**6, "has_gauss": 0, "gauss": 0.0}},
    {"random_state": {"key": [2**32] * 624, "position": 1, "has_gauss": 0, "gauss": 0.0}},
]  # fmt: skip


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all parts of a document."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(place for key, value in inside for place in places(value, (*path, key)))]


def mutated(document: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The document with a few parts deleted, replaced, swapped, doubled, or slightly changed; its checksum is right."""
    document = copy.deepcopy(document)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        among = [place for place in places(document) if place and place[0] != "checksum"]
        place = _chosen(among, chance)
        container = _at(document, place[:-1])
        _mutate(container, place[-1], chance, lambda among=among: _at(document, _chosen(among, chance)))
    document["checksum"] = checksum(document)
    return document


def _chosen(among: list[tuple[Any, ...]], chance: random.Random) -> tuple[Any, ...]:
    """A place; every member of the document, and every depth, has its chance against long arrays."""
    member = chance.choice(sorted({place[0] for place in among}))
    inside = [place for place in among if place[0] == member]
    depth = chance.choice(sorted({len(place) for place in inside}))
    return chance.choice([place for place in inside if len(place) == depth])


def _at(document: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        document = document[key]
    return document


def _mutate(container: Any, key: Any, chance: random.Random, other: Any) -> None:
    value = container[key]
    kind = chance.randrange(8)
    if kind == 0:
        del container[key]
    elif kind == 1:
        container[key] = copy.deepcopy(other())
    elif kind == 2 and isinstance(value, int | float) and not isinstance(value, bool):
        container[key] = chance.choice(
            [value + 1, value - 1, -value, value / 2 if abs(value) < 1e300 else 0, 2 * value]
        )
        if abs(container[key]) > 1e308 and isinstance(value, float):
            container[key] = 1e308
    elif kind == 3 and isinstance(value, list) and value:
        chance.choice([value.pop, value.reverse, lambda: value.append(copy.deepcopy(value[0])), value.clear])()
    elif kind == 4 and isinstance(container, list) and len(container) > 1:
        place = chance.randrange(len(container))
        container[key], container[place] = container[place], container[key]
    elif kind == 5:
        container[key] = chance.choice([str, lambda v: [v], lambda v: {"value": v}, bool])(value)
    elif kind == 6 and isinstance(container, dict):
        container[chance.choice(["x", "version", "tensor", "tuple", "if"])] = copy.deepcopy(chance.choice(JUNK))
    else:
        container[key] = copy.deepcopy(chance.choice(JUNK))


def write_document(document: dict[str, Any], file: Path) -> None:
    """Write a document as it is."""
    file.write_text(json.dumps(document), encoding="ascii")


def damaged_bytes(data: bytes, chance: random.Random) -> bytes:
    """A few bytes flipped, cut off, doubled, taken out or put in."""
    result = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5])):
        at = chance.randrange(len(result))
        kind = chance.randrange(5)
        if kind == 0:
            result[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            result[at] = chance.choice(b'\x00\xff{}[]",:0123456789-eE.nulltrfas')
        elif kind == 2:
            del result[at : at + chance.randrange(1, 20)]
        elif kind == 3:
            result[at:at] = result[at : at + chance.randrange(1, 20)]
        else:
            del result[at:]
        if not result:
            break
    return bytes(result)


def with_arrays(document: dict[str, Any], data: bytes) -> dict[str, Any]:
    """The document that names these bytes as its arrays."""
    document = copy.deepcopy(document)
    document["arrays_file"]["sha256"] = hashlib.sha256(data).hexdigest()
    document["checksum"] = checksum(document)
    return document
