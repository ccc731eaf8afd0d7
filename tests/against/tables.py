"""The tables on which other programs were run: scikit-learn's bundled sets, C4.5's own files, tables with gaps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

C45_FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "c45"

_LOADERS = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast_cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "diabetes": datasets.load_diabetes,
}


def bundled(name: str) -> tuple[np.ndarray, np.ndarray]:
    """One of scikit-learn's bundled sets as (float64 matrix, target codes or numbers)."""
    data = _LOADERS[name]()
    return np.ascontiguousarray(data.data, dtype=np.float64), np.asarray(data.target)


def uneven_weights(n_rows: int) -> np.ndarray:
    """Uneven sample weights, so that partitions which differ hardly ever have equal gains.

    Weight of row i: 128 + (31·i² + 17·i) mod 257. Whole numbers, so that sums are exact: rounding would leave
    pure nodes a trace of impurity, and scikit-learn would go on to split them.
    """
    row = np.arange(n_rows)
    return 128.0 + (31 * row**2 + 17 * row) % 257


def uneven_class_weight(n_classes: int) -> dict[int, float]:
    """Class weights 1, 2, 3, 1, 2, 3, …"""
    return {label: 1.0 + label % 3 for label in range(n_classes)}


def with_gaps(name: str, nominal: tuple[int, ...] = (), only: int | None = None) -> tuple[pd.DataFrame, np.ndarray]:
    """A bundled set with cells removed by a fixed rule, and some columns cut into four named bands.

    Cell (row i, column j) is removed when (i² + 3·j² + i·j) mod 5 = 0, unless j = i mod (number of columns): every
    row keeps something. With `only` the cells of that column alone are removed, when i² mod 5 = 1. A column in
    `nominal` becomes the letters a, b, c, d by its quartiles (numpy's linear rule).
    """
    matrix, target = bundled(name)
    row, column = np.indices(matrix.shape)
    if only is None:
        removed = ((row**2 + 3 * column**2 + row * column) % 5 == 0) & (column != row % matrix.shape[1])
    else:
        removed = (row**2 % 5 == 1) & (column == only)
    frame = pd.DataFrame({f"x{j}": matrix[:, j] for j in range(matrix.shape[1])})
    for j in nominal:
        bands = np.searchsorted(np.quantile(matrix[:, j], [0.25, 0.5, 0.75]), matrix[:, j], side="right")
        frame[f"x{j}"] = pd.Categorical.from_codes(bands, categories=["a", "b", "c", "d"])
    for j in range(matrix.shape[1]):
        frame.loc[removed[:, j], f"x{j}"] = None
    return frame, target


def table_of(case: dict[str, Any]) -> tuple[pd.DataFrame, np.ndarray]:
    """The table of a case of figures/rpart.json: complete, with gaps in one column, or with gaps everywhere."""
    if case["gaps"] is None:
        matrix, target = bundled(case["table"])
        return pd.DataFrame({f"x{j}": matrix[:, j] for j in range(matrix.shape[1])}), target
    only = None if case["gaps"] == "all" else int(case["gaps"])
    return with_gaps(case["table"], tuple(case["nominal"]), only)


@dataclass(frozen=True)
class C45Files:
    """The contents of NAME.names, NAME.data and NAME.test: categorical columns carry the declared values."""

    classes: tuple[str, ...]
    train: pd.DataFrame
    train_classes: pd.Categorical
    test: pd.DataFrame | None
    test_classes: pd.Categorical | None


def read_c45(name: str, folder: Path = C45_FOLDER) -> C45Files:
    """Read one of the sets that came with C4.5, in its own format."""
    classes, attributes = _read_names(folder / f"{name}.names")
    train, train_classes = _read_cases(folder / f"{name}.data", classes, attributes)
    test, test_classes = None, None
    if (folder / f"{name}.test").exists():
        test, test_classes = _read_cases(folder / f"{name}.test", classes, attributes)
    return C45Files(classes, train, train_classes, test, test_classes)


def _without_comments(path: Path) -> list[str]:
    return [line.split("|", 1)[0].strip() for line in path.read_text(encoding="latin-1").splitlines()]


def _names_in(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in re.sub(r"\.\s*$", "", text.strip()).split(","))


def _read_names(path: Path) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Classes, then for each attribute its values; an empty tuple means continuous."""
    text = "\n".join(line for line in _without_comments(path) if line)
    text = re.sub(r",\s*\n", ", ", text)
    first, *rest = text.split("\n")
    attributes = {}
    for line in rest:
        attribute, _, values = line.partition(":")
        names = _names_in(values)
        attributes[attribute.strip()] = () if names == ("continuous",) else names
    return _names_in(first), attributes


def _read_cases(
    path: Path, classes: tuple[str, ...], attributes: dict[str, tuple[str, ...]]
) -> tuple[pd.DataFrame, pd.Categorical]:
    rows = [_names_in(line) for line in _without_comments(path) if line]
    frame = pd.DataFrame()
    for position, (attribute, values) in enumerate(attributes.items()):
        cells = [None if row[position] == "?" else row[position] for row in rows]
        if values:
            unknown = {cell for cell in cells if cell is not None} - set(values)
            if unknown:
                raise ValueError(f"{path.name}: {attribute!r} has undeclared values {sorted(unknown)}")
            frame[attribute] = pd.Categorical(cells, categories=list(values))
        else:
            frame[attribute] = np.array([np.nan if cell is None else float(cell) for cell in cells])
    return frame, pd.Categorical([row[-1] for row in rows], categories=list(classes))
