"""Value sets: only the values that have a branch are stored, and every reader finds the same branch."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quercus
from quercus import CARTClassifier, RandomForestClassifier, RandomForestRegressor, _core
from quercus.errors import DataError, FileError
from quercus.models.document import checksum
from quercus.tree import Tree
from quercus.tree.layout import GROUP_TABLES
from quercus.tree.numbering import renumbered
from quercus.tree.packing import checked_packed, records, value_sets
from quercus.tree.questions import Subset


def random_sets(random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sets of all sizes over domains of all sizes: start, value, child."""
    start, value, child = [0], [], []
    for _ in range(count):
        n_values = int(random.choice([1, 2, 30, 31, 32, 33, 64, 65, 500, 40_000]))
        size = int(random.integers(0, min(n_values, random.choice([2, 10, 70, 3000])) + 1))
        value += np.sort(random.choice(n_values, size, replace=False)).tolist()
        child += random.integers(0, 2, size).tolist()
        start.append(len(value))
    return np.array(start), np.array(value, dtype=np.int32), np.array(child, dtype=np.int32)


def test_packed_sets_are_read_back() -> None:
    random = np.random.default_rng(0)
    for _ in range(300):
        sets = random_sets(random, int(random.integers(0, 12)))
        keys, table = _core.packed_value_sets(*sets)
        again = _core.value_sets(keys, table)
        assert all(np.array_equal(one, other) for one, other in zip(sets, again, strict=True))
        assert len(table) <= len(sets[1]) + len(keys)  # a word for each value at most, and one for each set


def test_the_largest_value_of_all() -> None:
    sets = np.array([0, 1, 3]), np.array([2**31 - 1, 0, 2**31 - 1], np.int32), np.array([1, 0, 1], np.int32)
    again = _core.value_sets(*_core.packed_value_sets(*sets))
    assert [array.tolist() for array in again] == [array.tolist() for array in sets]


def table(n_rows: int, levels: tuple[int, ...], seed: int = 0, gaps: bool = False) -> tuple[dict[str, Any], np.ndarray]:
    """Nominal columns of so many levels, few of them common, and numbers that hang on them."""
    random = np.random.default_rng(seed)
    codes = [(random.pareto(1.0, n_rows) * n / 20).astype(int) % n for n in levels]
    y = sum(code * 7919 % 13 for code in codes) + random.normal(size=n_rows)
    columns: dict[str, Any] = {}
    for place, code in enumerate(codes):
        names = [f"v{c:05d}" for c in code]
        columns[f"c{place}"] = [None if gaps and random.random() < 0.1 else name for name in names]
    return columns, y


def answer_by_questions(tree: Any, row: tuple[int, ...]) -> int | None:
    """The leaf of a row of codes by the tree's questions alone; None: it follows several branches."""
    node = tree.root
    while not node.is_leaf:
        branch = node.test.branch_of_code(row[tree.schema.position(node.test.attribute.name)])
        if branch is None:
            return None
        node = node.children[branch]
    return int(node.id)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("random_thresholds", [False, True])
def test_forest_and_tree_follow_the_questions(gaps: bool, random_thresholds: bool) -> None:
    """Many levels: the way through packed trees, through compact trees and by the questions as values."""
    X, y = table(1200, (20, 31, 32, 700, 4000), gaps=gaps)
    train = {name: column[:800] for name, column in X.items()}  # the other rows have values without a branch
    forest = RandomForestRegressor(n_estimators=3, random_state=0, random_thresholds=random_thresholds, progress=False)
    model = forest.fit(train, y[:800])
    codes = model.model_.encode_rows(X)
    rows = list(zip(*(column.tolist() for column in codes.columns), strict=True))
    for number, (tree, leaves) in enumerate(zip(model.forest_, model.apply(X).T, strict=True)):
        assert (tree.kind == 4).any()
        by_questions = [answer_by_questions(tree, row) for row in rows]
        assert by_questions == leaves.tolist(), number
        assert quercus.predict.apply(tree, codes).tolist() == by_questions


def test_values_are_those_that_occur() -> None:
    X, y = table(600, (50, 3000), seed=1)
    tree = CARTClassifier().fit(X, y > np.median(y)).tree_
    asked = np.flatnonzero(tree.kind == 4)
    assert len(asked) > 10
    assert (tree.group_start[asked + 1] - tree.group_start[asked] <= tree.count[asked]).all()
    assert (tree.group_child >= 0).all()


def test_sizes_hang_on_the_values_that_occur() -> None:
    """3,000 levels: four bytes for each value that has a branch, and not one for each that is declared."""
    X, y = table(6000, (3000, 3000), seed=2)
    y += np.random.default_rng(2).normal(size=len(y)) * 8  # so that trees are large
    model = RandomForestClassifier(n_estimators=1, random_state=0, progress=False).fit(X, y > np.median(y))
    packed = model.forest_.stored[0]
    start, value, _ = value_sets(packed)
    assert packed["group"].nbytes <= 4 * (len(value) + len(start) - 1)
    declared = np.array([attribute.n_values for attribute in model.forest_.schema])
    asked = records(packed)["attribute"][records(packed)["kind"] == 4]
    assert packed["group"].nbytes < declared[asked].sum() / 10


def as_older_file(document: dict[str, Any]) -> dict[str, Any]:
    """The same model as files had it before: a child for each declared value."""
    older = copy.deepcopy(document)
    packed = packed_part(older)
    sizes = [len(attribute.get("values", ())) for attribute in older["schema"]["attributes"]]
    value, child, group = iter(packed.pop("group_value")), iter(packed["group"]), []
    counts = iter(packed.pop("group_size"))
    for kind, attribute in zip(packed["kind"], packed["attribute"], strict=True):
        if kind == 4:
            listed = {next(value): next(child) for _ in range(next(counts))}
            group += [listed.get(code, -1) for code in range(sizes[attribute])]
    packed["group"] = group
    return older


def saved(tmp_path: Path) -> tuple[Any, dict[str, Any]]:
    X, y = table(200, (12, 90), seed=3)
    model = RandomForestClassifier(n_estimators=2, random_state=0, progress=False).fit(X, y > np.median(y))
    quercus.save(model, tmp_path / "new.json", arrays="inline")
    return model, json.loads((tmp_path / "new.json").read_text())


def loaded(tmp_path: Path, document: dict[str, Any]) -> Any:
    document["checksum"] = checksum(document)
    (tmp_path / "other.json").write_text(json.dumps(document))
    return quercus.load(tmp_path / "other.json")


def packed_part(document: dict[str, Any]) -> dict[str, Any]:
    """The packed trees of a document, wherever the model has them."""
    waiting: list[Any] = [document["model"]]
    for part in waiting:
        if isinstance(part, dict) and "leaf_count" in part:
            return part
        waiting += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    raise AssertionError("no packed trees")


def test_older_files_are_read(tmp_path: Path) -> None:
    model, document = saved(tmp_path)
    older = as_older_file(document)
    assert len(packed_part(older)["group"]) > len(packed_part(document)["group"])
    assert loaded(tmp_path, older).forest_ == model.forest_
    packed_part(older)["group"][0] = 2
    with pytest.raises(FileError, match="a value's child is −1, 0 or 1"):
        loaded(tmp_path, older)


@pytest.mark.parametrize(
    ("name", "number", "message"),
    [
        ("group", -1, "a value's child is 0 or 1"),
        ("group_value", 5000, "among those of its attribute, ascending"),
        ("group_value", -1, "among those of its attribute, ascending"),
        ("group_size", 5000, "at most the values of its attribute"),
        ("group_size", 0, "elements"),
    ],
)
def test_damaged_sets_in_files_are_refused(tmp_path: Path, name: str, number: int, message: str) -> None:
    _, document = saved(tmp_path)
    packed_part(document)[name][0] = number
    with pytest.raises(FileError, match=message):
        loaded(tmp_path, document)


def test_damaged_packed_sets_are_refused() -> None:
    X, y = table(300, (40, 300), seed=4)
    forest = RandomForestClassifier(n_estimators=1, random_state=0, progress=False).fit(X, y > np.median(y)).forest_
    arrays = {name: array.copy() for name, array in forest.stored[0].items()}
    assert len(arrays["group"]) and len(value_sets(arrays)[1])
    for place, word in ((0, 2**32 - 1), (0, 2**31)):
        damaged = {**arrays, "group": arrays["group"].copy()}
        damaged["group"][place] = word
        with pytest.raises(DataError, match="The packed tree is damaged"):
            checked_packed(damaged, forest.schema, forest.target_kind)
    longer = {**arrays, "group": np.append(arrays["group"], np.uint32(0))}
    with pytest.raises(DataError, match="words behind the last set"):
        checked_packed(longer, forest.schema, forest.target_kind)
    subset = records(arrays)["kind"] == 4
    hostile = {name: array.copy() for name, array in arrays.items()}
    hostile["nodes"].view(np.uint64)[np.flatnonzero(subset), 0] = 2**62
    with pytest.raises(ValueError, match="damaged"):
        _core.forest_leaves(
            [(hostile["nodes"], hostile["group"], hostile["leaf_value"])], (np.zeros(3, np.int32),) * 2, 3
        )


def test_nodes_are_numbered_anew_also_with_the_child_of_every_declared_value() -> None:
    columns, y = table(400, (40, 6), gaps=True)
    tree = CARTClassifier(missing="surrogate", max_depth=4).fit(columns, (y > np.median(y)).astype(str)).tree_
    assert len(tree.group_child) and len(tree.surrogate_group_child)
    sizes = np.array([attribute.n_values for attribute in tree.schema])
    arrays = dict(tree.arrays)
    for start, (value, child) in GROUP_TABLES.items():
        old, values, children = (tree.arrays[name] for name in (start, value, child))
        kinds, places = (tree.arrays[start.replace("group_start", name)] for name in ("kind", "attribute"))
        length = np.where(kinds == Subset.kind, sizes[places], 0)
        arrays[start] = np.concatenate([[0], np.cumsum(length)])
        arrays[child] = np.full(int(length.sum()), -1, dtype=np.int32)
        arrays[child][np.repeat(arrays[start][:-1], np.diff(old)) + values] = children
        del arrays[value]
    again = Tree.from_arrays(renumbered(arrays), tree.schema, tree.target_kind, criterion=tree.criterion)
    assert all(np.array_equal(again.arrays[name], array, equal_nan=True) for name, array in tree.arrays.items())
