"""Weka's J48, unpruned: the preset "j48" grows its trees, line by line of what it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from quercus import C45Classifier

from .figures import read
from .tables import C45_FOLDER, bundled, read_c45

FIGURES = read("j48")
BUNDLED = ("iris", "wine", "breast_cancer", "digits")
C45_SETS = ("golf", "labor-neg", "vote", "hypo")
MIN_OBJECTS = {"-U": 2, "-U -M 1": 1, "-U -M 5": 5, "-U -M 10": 10}
Tables = tuple[pd.DataFrame, Any, pd.DataFrame | None, Any]

c45_sets_present = pytest.mark.skipif(
    not C45_FOLDER.is_dir(), reason="the sets that came with C4.5 are not in ../shared/data/c45"
)
every_table = pytest.mark.parametrize(
    "name", [*BUNDLED, *(pytest.param(name, marks=c45_sets_present) for name in C45_SETS)]
)


def tables(name: str) -> Tables:
    """Training rows and classes, test rows and classes or None."""
    if name in BUNDLED:
        matrix, target = bundled(name)
        return pd.DataFrame({f"x{j}": matrix[:, j] for j in range(matrix.shape[1])}), target, None, None
    files = read_c45(name)
    return files.train, files.train_classes, files.test, files.test_classes


def errors(model: C45Classifier, frame: pd.DataFrame, classes: Any) -> int:
    """How many rows are given another class than theirs."""
    return int(np.sum(model.predict(frame) != np.asarray(classes)))


@every_table
@pytest.mark.parametrize("options", MIN_OBJECTS)
def test_size_and_errors(name: str, options: str) -> None:
    train, train_classes, test, test_classes = tables(name)
    figures = FIGURES[name][options]
    model = C45Classifier(preset="j48", prune=False, min_objects=MIN_OBJECTS[options]).fit(train, train_classes)
    assert (model.tree_.n_nodes, model.tree_.n_leaves) == (figures["size"], figures["leaves"])
    assert errors(model, train, train_classes) == figures["training_errors"]
    if test is not None:
        assert errors(model, test, test_classes) == figures["test_errors"]


LEAF = r"(: (?P<label>[^:]*) \((?P<weight>[\d.]+)(/(?P<errors>[\d.]+))?\))?"
LINE = re.compile(r"(?P<indent>(\|   )*)(?P<name>.*?) (?P<sign>=|<=|>) (?P<value>.*?)" + LEAF)
Line = tuple[tuple[int, str, str, str | None], str, float, float]


def lines_of_j48(printed: list[str]) -> Iterator[Line]:
    """(Depth, attribute, sign, class at a leaf), value or threshold, and the weight and errors at a leaf."""
    for line in printed:
        found = LINE.fullmatch(line)
        assert found is not None, line
        what = (len(found["indent"]) // 4, found["name"], found["sign"], found["label"])
        yield what, found["value"], float(found["weight"] or 0), float(found["errors"] or 0)


def lines_of_ours(model: C45Classifier) -> Iterator[Line]:
    """The same of our tree."""
    for node in model.tree_.walk():
        if not node.path():
            continue
        step = node.path()[-1]
        attribute, sign = step.test.attribute, "="
        if attribute.is_numeric:
            sign, value = ("<=", ">")[step.branch], f"{step.test.threshold:.6f}".rstrip("0").rstrip(".")
        else:
            value = str(attribute.values[step.branch])
        weight = node.weight if node.is_leaf else 0.0
        errors = weight - float(max(node.class_weights)) if node.is_leaf else 0.0
        yield (node.depth - 1, attribute.name, sign, str(node.label) if node.is_leaf else None), value, weight, errors


def same_value(ours: str, theirs: str, column: pd.Series) -> bool:
    """Equal, or neighbours: J48 takes the largest value of the column up to the midpoint, or 1e-6 above it."""
    if ours == theirs or not pd.api.types.is_numeric_dtype(column):
        return ours == theirs
    values = np.unique(column.dropna())
    return bool(np.sum((values > float(ours)) & (values <= float(theirs))) == 1)


@every_table
def test_printed_tree(name: str) -> None:
    train, train_classes, _, _ = tables(name)
    model = C45Classifier(preset="j48", prune=False).fit(train, train_classes)
    theirs, ours = list(lines_of_j48(FIGURES[name]["-U"]["tree"])), list(lines_of_ours(model))
    assert [line[0] for line in ours] == [line[0] for line in theirs]
    for mine, line in zip(ours, theirs, strict=True):
        assert same_value(mine[1], line[1], train[line[0][1]]), (mine, line)
    np.testing.assert_allclose([line[2:] for line in ours], [line[2:] for line in theirs], atol=0.0051)


# Weka 3.6.14: java -cp weka.jar weka.classifiers.trees.J48 -U -no-cv -t TABLE.arff; (leaves, training errors).
GAPS = {5e-06: (1, 39), 1e-05: (1, 39), 2e-05: (6, 9)}


@pytest.mark.parametrize("base", [0.0, 1.0, 1.5, 100.0, -3.0])
@pytest.mark.parametrize("step", GAPS)
def test_values_a_hundred_thousandth_apart_are_not_divided(base: float, step: float) -> None:
    """J48 cuts where low + 0.00001 < high, in floating point; the answer is the same from every base."""
    levels = [7 * i % 23 for i in range(80)]
    frame = pd.DataFrame({"x": [round(base + level * step, 7) for level in levels]})
    classes = ["above" if (level // 4 + (i % 9 == 0)) % 2 else "below" for i, level in enumerate(levels)]
    model = C45Classifier(preset="j48", prune=False).fit(frame, classes)
    assert (model.tree_.n_leaves, errors(model, frame, classes)) == GAPS[step]
