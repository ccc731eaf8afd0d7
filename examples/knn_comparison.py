"""Trees and forests beside k nearest neighbours: discrete attributes, scale, irrelevant attributes, unknown values.

    python examples/knn_comparison.py

Nearest neighbours (scikit-learn's) measure distances, so that everything which changes a distance changes their
answers: the numbers that names are coded by, the unit of an attribute, attributes that say nothing, what is put in for
an unknown value. A tree asks one question at a time; it takes names and unknown values as they are, the unit of a
number cannot matter to it, and what says nothing is not asked. The price: its boundaries are steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from quercus import C45Classifier, RandomForestClassifier

Table = dict[str, np.ndarray]
COLOURS = ("amber", "blue", "cyan", "green", "lime", "pink", "red", "white")
WARM = ("amber", "cyan", "lime", "red")  # no neighbours in the alphabet


@dataclass(frozen=True)
class Line:
    """One row of the result: the situation, the accuracies on unseen rows, and how many answers changed."""

    situation: str
    tree: float
    forest: float
    knn: float
    tree_changed: float
    forest_changed: float
    knn_changed: float


def make_table(n_rows: int, seed: int) -> tuple[Table, np.ndarray]:
    """A class that hangs on two numbers and a colour, with one row in ten under the other name."""
    random = np.random.default_rng(seed)
    width, height = random.uniform(0, 10, (2, n_rows))
    colour = random.choice(COLOURS, n_rows)
    ripe = (width + height > 10) ^ np.isin(colour, WARM)
    ripe ^= random.random(n_rows) < 0.1
    return {"width": width, "height": height, "colour": colour}, np.where(ripe, "ripe", "green")


def as_matrix(table: Table, coding: str) -> np.ndarray:
    """The table as numbers, which distances need; names coded by their place in the alphabet, or one column each."""
    numbers = [column.astype(float) for column in table.values() if column.dtype.kind == "f"]
    names = [column for column in table.values() if column.dtype.kind != "f"]
    if names:
        coder = OrdinalEncoder() if coding == "alphabet" else OneHotEncoder(sparse_output=False)
        coder.fit(np.array(COLOURS, dtype=object)[:, None])
        numbers += list(coder.transform(np.array(names, dtype=object).T).T)
    return np.column_stack(numbers)


class Answers:
    """The answers of the three models in one situation, learnt from some rows and asked about others."""

    def __init__(self, learn: Table, y: np.ndarray, asked: Table, coding: str = "one column each", scale: bool = False):
        neighbours = [KNeighborsClassifier(n_neighbors=7)]
        if scale:
            neighbours.insert(0, StandardScaler())
        knn = make_pipeline(SimpleImputer(), *neighbours)
        self.knn = knn.fit(as_matrix(learn, coding), y).predict(as_matrix(asked, coding))
        self.tree = C45Classifier().fit(learn, y).predict(asked)
        self.forest = RandomForestClassifier(n_estimators=50).fit(learn, y).predict(asked)


def changed(table: Table, change: Callable[[Table, np.random.Generator], Table], seed: int) -> Table:
    """The table after a change that draws by a seed."""
    return change(dict(table), np.random.default_rng(seed))


def in_millimetres(table: Table, random: np.random.Generator) -> Table:
    """The width in another unit."""
    return {**table, "width": table["width"] * 1000}


def with_noise(table: Table, random: np.random.Generator) -> Table:
    """Ten numbers more that say nothing."""
    n_rows = len(table["width"])
    return {**table, **{f"noise{place}": random.uniform(0, 10, n_rows) for place in range(10)}}


def with_gaps(table: Table, random: np.random.Generator) -> Table:
    """A fifth of the numbers unknown."""
    gaps = {name: np.where(random.random(len(table[name])) < 0.2, np.nan, table[name]) for name in ("width", "height")}
    return {**table, **gaps}


def compare(n_rows: int = 600, n_asked: int = 2000, seed: int = 0) -> list[Line]:
    """All situations; changes are counted against the first, answers to the same rows."""
    learn, y = make_table(n_rows, seed)
    asked, truth = make_table(n_asked, seed + 1)
    before = Answers(learn, y, asked)
    situations: list[tuple[str, Answers]] = [
        ("as it is (a column for each colour)", before),
        ("colours numbered by the alphabet", Answers(learn, y, asked, "alphabet")),
    ]
    for name, change in (
        ("width in millimetres", in_millimetres),
        ("ten irrelevant numbers more", with_noise),
        ("a fifth of the numbers unknown", with_gaps),
    ):
        tables = changed(learn, change, seed + 2), changed(asked, change, seed + 3)
        situations.append((name, Answers(tables[0], y, tables[1])))
        if change is in_millimetres:
            situations.append(("… and all numbers scaled for KNN", Answers(tables[0], y, tables[1], scale=True)))
    return [make_line(name, answers, before, truth) for name, answers in situations]


def make_line(name: str, now: Answers, before: Answers, truth: np.ndarray) -> Line:
    """Accuracies, and shares of answers that differ from those of the first situation."""
    models = ("tree", "forest", "knn")
    accuracies = [float(np.mean(getattr(now, model) == truth)) for model in models]
    changes = [float(np.mean(getattr(now, model) != getattr(before, model))) for model in models]
    return Line(name, *accuracies, *changes)


def table_text(lines: list[Line]) -> str:
    """The result as a table."""
    width = max(len(line.situation) for line in lines)
    rows = [
        f"{'':{width}}   accuracy on unseen rows   answers changed",
        f"{'situation':{width}}    tree  forest     KNN     tree  forest     KNN",
    ]
    for line in lines:
        figures: tuple[Any, ...] = (line.tree, line.forest, line.knn)
        changes = (line.tree_changed, line.forest_changed, line.knn_changed)
        rows.append(
            f"{line.situation:{width}}  "
            + "".join(f"{figure:6.3f}  " for figure in figures)
            + " "
            + "".join(f"{100 * change:5.1f} % " for change in changes)
        )
    return "\n".join(rows)


if __name__ == "__main__":
    print(table_text(compare()))
