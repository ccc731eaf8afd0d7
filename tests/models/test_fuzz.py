"""Damaged files: a model that works, or an error of ours; never another exception, never a crash."""

from __future__ import annotations

import gzip
import json
import os
import random
import warnings
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import quercus
from models.cases import a_table_for, fitted_models, works_or_is_refused
from models.mutations import damaged_bytes, mutated, with_arrays, write_document
from quercus.data.dataset import encode_like
from quercus.errors import QuercusError
from quercus.models import schema, validation
from quercus.models.damage import DamageError
from quercus.models.validation import check
from quercus.predict.forest import forest_distribution, forest_leaves
from quercus.tree.forest import Forest

#: How often everything is tried, and with which draws; the environment can ask for more.
TIMES, SEED = int(os.environ.get("QUERCUS_FUZZ", "1")), os.environ.get("QUERCUS_FUZZ_SEED", "")
MODELS = fitted_models(n_rows=40)
VALIDATOR = Draft202012Validator(schema())


def saved(name: str, folder: Path, arrays: Any = "inline") -> tuple[Path, dict[str, Any]]:
    file = folder / "model.json"
    quercus.save(MODELS[name][0], file, arrays=arrays, evidence={"curve": [1, 2.5]})
    return file, json.loads(file.read_text(encoding="ascii"))


@pytest.mark.parametrize("name", MODELS)
def test_changed_json_with_a_right_checksum(name: str, tmp_path: Path) -> None:
    file, document = saved(name, tmp_path)
    chance = random.Random(name + SEED)
    messages = []
    for _ in range(25 * TIMES):
        write_document(mutated(document, chance), file)
        messages.append(works_or_is_refused(file))
    assert sum(map(bool, messages)) > 8 * TIMES  # most damage is seen


@pytest.mark.parametrize("name", ["c45 r8", "cart", "cart cross-validated", "forest", "forest of numbers"])
def test_changed_arrays_with_a_right_checksum(name: str, tmp_path: Path) -> None:
    file, document = saved(name, tmp_path, "beside")
    beside = tmp_path / document["arrays_file"]["name"]
    data = beside.read_bytes()
    chance = random.Random(name + SEED)
    for _ in range(40 * TIMES):
        changed = damaged_bytes(data, chance)
        beside.write_bytes(changed)
        write_document(with_arrays(document, changed), file)
        works_or_is_refused(file)
    for _ in range(20 * TIMES):
        beside.write_bytes(data)
        write_document(mutated(document, chance), file)
        works_or_is_refused(file)


@pytest.mark.parametrize("name", ["cart", "cart cross-validated", "part"])
def test_changed_bytes_are_noticed(name: str, tmp_path: Path) -> None:
    file, _ = saved(name, tmp_path)
    model, X = MODELS[name]
    wanted = list(model.predict(X))
    data = file.read_bytes()
    chance = random.Random(name + SEED)
    for _ in range(40 * TIMES):
        file.write_bytes(damaged_bytes(data, chance))
        if not works_or_is_refused(file):  # a change of layout only
            assert list(quercus.load(file).predict(X)) == wanted


@pytest.mark.parametrize("zipped", [False, True])
def test_a_file_cut_off_anywhere_is_refused(zipped: bool, tmp_path: Path) -> None:
    file, _ = saved("c45", tmp_path)
    data = file.read_bytes().rstrip()
    data = gzip.compress(data) if zipped else data
    for end in [*range(0, len(data) - 1, 97 if TIMES == 1 else 1), len(data) - 1]:
        file.write_bytes(data[:end])
        assert works_or_is_refused(file)


def test_arrays_cut_off_anywhere_are_refused(tmp_path: Path) -> None:
    file, document = saved("c45", tmp_path, "beside")
    beside = tmp_path / document["arrays_file"]["name"]
    data = beside.read_bytes()
    for end in range(0, len(data), 97 if TIMES == 1 else 1):
        beside.write_bytes(data[:end])
        assert "SHA-256" in works_or_is_refused(file)
        write_document(with_arrays(document, data[:end]), file)
        assert "damaged" in works_or_is_refused(file)
        write_document(document, file)


def test_every_link_of_a_tree_turned_to_every_node(tmp_path: Path) -> None:
    file, document = saved("id3", tmp_path)
    arrays = document["trees"][0]["arrays"]
    size = len(arrays["kind"])
    nodes = range(size) if TIMES > 1 else range(0, size, max(1, size // 6))
    for name in ("first_child", "n_children", "missing_child", "attribute", "kind"):
        for node in nodes:
            for target in {-2, -1, 0, node, node + 1, size - 1, size, 2**31 - 1}:
                changed = json.loads(json.dumps(document))
                changed["trees"][0]["arrays"][name][node] = target
                write_document(with_checksum(changed), file)
                works_or_is_refused(file)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["forest", "forest of numbers"])
def test_every_field_of_packed_trees_changed(name: str, tmp_path: Path) -> None:
    file, document = saved(name, tmp_path)
    chance = random.Random(name + SEED)
    for field, numbers in document["model"]["members"]["forest"]["packed"].items():
        for _ in range(25 * TIMES):
            changed = json.loads(json.dumps(document))
            packed = changed["model"]["members"]["forest"]["packed"]
            place = chance.randrange(max(1, len(numbers)))
            part = packed[field]
            if part and chance.random() < 0.8:
                near = [part[place] + step for step in (-1, 1)] if part[place] is not None else []
                part[place] = chance.choice([*near, -2, -1, 0, 1, 2, 4, 7, 255, 65535, 2**31 - 1, 1e300, None, "inf"])
            else:
                packed[field] = chance.choice([part[:-1], part + part[:1], part[::-1], [], part[1:] + part[:1]])
            write_document(with_checksum(changed), file)
            works_or_is_refused(file)


@pytest.mark.parametrize("name", ["forest", "forest of numbers"])
def test_packed_trees_of_any_bytes_are_refused_or_answer(name: str) -> None:
    model, _ = MODELS[name]
    forest, chance = model.forest_, random.Random(name + SEED)
    rows = encode_like(a_table_for(model.schema_), model.schema_)
    refused = 0
    for _ in range(400 * TIMES):
        stored = [{key: array.copy() for key, array in tree.items()} for tree in forest.stored]
        tree = chance.choice(stored)
        array = tree[chance.choice([key for key in tree if tree[key].size])]
        flat = array.reshape(-1).view(np.uint8)
        for _ in range(chance.choice([1, 1, 4])):
            flat[chance.randrange(len(flat))] = chance.choice([0, 1, 2, 127, 128, 254, 255, chance.randrange(256)])
        if chance.random() < 0.1:
            key = chance.choice(list(tree))
            tree[key] = tree[key][:-1]
        try:
            changed = Forest.from_arrays(stored, forest.schema, forest.classes, criterion=forest.criterion)
        except QuercusError:
            refused += 1
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            forest_distribution(changed, rows)
            forest_distribution(changed, rows, vote="majority")
            forest_leaves(changed, rows)
            try:
                list(changed)
            except QuercusError as error:
                assert str(error)
    assert refused > 80 * TIMES  # many changes are to numbers that may be any


def with_checksum(document: dict[str, Any]) -> dict[str, Any]:
    from quercus.models.document import checksum

    return {**document, "checksum": checksum(document)}


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"format": "quercus model", "version": 1, "evidence": ' + "[" * 5000 + "]" * 5000 + "}",
        '{"format": "quercus model", "version": 1, "version": 1}',
        '{"format": "quercus model", "version": 1, "x": NaN}',
        '{"format": "quercus model", "version": 1, "x": 1e999}',
        '{"format": "quercus model", "version": 1, "x": ' + "9" * 5000 + "}",
        '{"format": "quercus model", "version": 1, "x": "\\ud800"}',
        "\x00",
        "",
        "null",
        '"quercus model"',
    ],
)
def test_strange_json_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(text)
    assert works_or_is_refused(tmp_path / "m.json")


def test_our_checks_know_every_word_of_the_schema() -> None:
    known = {*validation._WORDS, "type", "$ref", "allOf", "anyOf", "if", "then", "properties", "items"}
    known |= {"additionalProperties", "$schema", "$id", "$defs", "title", "description"}
    rules = [schema()]
    for rule in rules:
        assert set(rule) <= known, set(rule) - known
        lists = [rule.get(word, []) for word in ("allOf", "anyOf")]
        maps = [rule.get(word, {}).values() for word in ("properties", "$defs")]
        single = [rule[word] for word in ("if", "then", "items", "additionalProperties") if word in rule]
        rules += [part for part in [*chain(*lists, *maps), *single] if isinstance(part, dict)]
    assert len(rules) > 100


def test_our_checks_and_jsonschema_agree() -> None:
    chance = random.Random("5" + SEED)
    agreed = {True: 0, False: 0}
    for name in ("c45", "cart cross-validated", "ripper", "rule list", "forest, flat", "bagged rules"):
        document = json.loads(_text(name))
        for _ in range(40 * TIMES):
            changed = mutated(document, chance)
            try:
                check(changed, schema())
                ours = True
            except DamageError:
                ours = False
            assert ours == VALIDATOR.is_valid(changed), changed
            agreed[ours] += 1
    assert min(agreed.values()) > 15 * TIMES


def _text(name: str) -> str:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return json.dumps(saved(name, Path(folder))[1])


def test_random_bytes_are_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50 * TIMES):
        (tmp_path / "m.json").write_bytes(rng.bytes(int(rng.integers(0, 200))))
        assert works_or_is_refused(tmp_path / "m.json")
