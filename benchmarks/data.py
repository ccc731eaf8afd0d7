"""The tables that are timed: made ones with fixed seeds, and real ones from ../shared/data where they are present."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification, make_friedman1

from quercus.datasets.agrawal import agrawal_class, agrawal_people

REAL_TABLES = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@dataclass(frozen=True)
class Table:
    """A table cut into training and held-out rows; nominal columns are pandas categoricals, missing cells NaN."""

    name: str
    train: pd.DataFrame
    train_target: np.ndarray
    test: pd.DataFrame
    test_target: np.ndarray

    @property
    def nominal(self) -> list[str]:
        """The names of the nominal columns."""
        return [str(name) for name in self.train.columns if isinstance(self.train[name].dtype, pd.CategoricalDtype)]

    @property
    def shape(self) -> str:
        """Training rows × columns, in words."""
        return f"{len(self.train):,} × {self.train.shape[1]}"

    def head(self, rows: int) -> Table:
        """The same table with only the first training rows, and at most a quarter as many to test."""
        test, test_target = self.test.iloc[: rows // 4], self.test_target[: rows // 4]
        return Table(self.name, self.train.iloc[:rows], self.train_target[:rows], test, test_target)

    def codes(self, frame: pd.DataFrame) -> np.ndarray:
        """A float32 matrix for programs without nominal attributes: each category by its position."""
        nominal = set(self.nominal)

        nominal = set(self.nominal)

        def column(name: str) -> np.ndarray:
            values = frame[name].cat.codes.where(frame[name].notna()) if name in nominal else frame[name]
            return np.asarray(values, dtype=np.float32)

        return np.column_stack([column(name) for name in frame])


def cut(name: str, frame: pd.DataFrame, target: np.ndarray, share: float = 0.8) -> Table:
    """The first rows train, the rest is held out."""
    rows = int(share * len(frame))
    return Table(name, frame.iloc[:rows], target[:rows], frame.iloc[rows:].reset_index(drop=True), target[rows:])


@lru_cache(maxsize=2)
def numeric(rows: int) -> Table:
    """scikit-learn's make_classification, 20 columns, 10 informative, 5 % of the labels flipped, float32."""
    matrix, target = make_classification(rows, 20, n_informative=10, flip_y=0.05, random_state=0)
    frame = pd.DataFrame(np.asfortranarray(matrix.astype(np.float32)), columns=[f"x{j}" for j in range(20)])
    return cut("make_classification", frame, target)


@lru_cache(maxsize=1)
def friedman(rows: int) -> Table:
    """Friedman's first regression problem, 10 columns, noise 1, float32."""
    matrix, target = make_friedman1(rows, noise=1.0, random_state=0)
    frame = pd.DataFrame(np.asfortranarray(matrix.astype(np.float32)), columns=[f"x{j}" for j in range(10)])
    return cut("Friedman 1", frame, target)


def wide(rows: int) -> tuple[Table, Table]:
    """640 numeric columns, of which five matter: two classes, and the same as numbers."""
    random = np.random.default_rng(640)
    matrix = random.normal(size=(rows, 640)).astype(np.float32)
    target = matrix[:, :5].sum(axis=1) + random.normal(size=rows)
    frame = pd.DataFrame(np.asfortranarray(matrix), columns=[f"x{j}" for j in range(640)])
    return cut("640 columns", frame, (target > 0).astype(np.int64)), cut("640 columns, numbers", frame, target)


def twenty_values(rows: int) -> tuple[Table, Table]:
    """15 columns of 20 whole numbers each: two classes, and the same as numbers."""
    random = np.random.default_rng(20)
    matrix = random.integers(0, 20, size=(rows, 15)).astype(np.float32)
    target = matrix[:, 0] * matrix[:, 1] + 7 * matrix[:, 2] + random.normal(size=rows) * 60
    frame = pd.DataFrame(np.asfortranarray(matrix), columns=[f"x{j}" for j in range(15)])
    return cut("few values", frame, (target > 150).astype(np.int64)), cut("few values, numbers", frame, target)


def with_gaps(table: Table, share: float = 0.05) -> Table:
    """The same table without a share of its cells."""
    random = np.random.default_rng(5)
    train = table.train.mask(random.random(table.train.shape) < share)
    test = table.test.mask(random.random(table.test.shape) < share)
    return Table(f"{table.name}, gaps", train, table.train_target, test, table.test_target)


@lru_cache(maxsize=1)
def agrawal(rows: int, function: int = 5, noise: float = 0.05) -> Table:
    """Agrawal's people: six numeric and three nominal attributes; `noise` of the labels are flipped."""
    random = np.random.default_rng(function)
    person = agrawal_people(rows, random)
    target = agrawal_class(function, person) ^ (random.random(rows) < noise)
    frame = pd.DataFrame({name: column.astype(np.float32) for name, column in person.items()})
    for name, prefix in (("elevel", "level"), ("car", "make"), ("zipcode", "zip")):
        values = np.unique(person[name])
        codes = np.searchsorted(values, person[name])
        frame[name] = pd.Categorical.from_codes(codes, categories=[f"{prefix}{value}" for value in values])
    return cut(f"Agrawal, function {function}", frame, target.astype(np.int64))


@lru_cache(maxsize=1)
def few_values(rows: int) -> Table:
    """Twelve columns of few distinct numbers, two with gaps, and nominal ones of 3 to 200 levels by Zipf's law."""
    random = np.random.default_rng(0)
    normal = random.normal(size=(rows, 12))
    columns: dict[str, object] = {f"n{j}": np.round(normal[:, j] * (1 + j)).astype(np.float32) for j in range(12)}
    worth = normal[:, 0] + normal[:, 3] * normal[:, 4]
    for levels in (3, 5, 12, 40, 200):
        codes, effect = zipf_codes(random, rows, levels), random.normal(size=levels)
        columns[f"c{levels}"] = pd.Categorical.from_codes(codes, categories=[f"v{i}" for i in range(levels)])
        worth += 0.5 * effect[codes]
    frame = pd.DataFrame(columns)
    for name in ("n1", "n5"):
        frame.loc[random.random(rows) < 0.1, name] = np.nan
    return cut("few values", frame, (worth + random.normal(size=rows) > 1).astype(np.int64))


def zipf_codes(random: np.random.Generator, rows: int, levels: int) -> np.ndarray:
    """Levels by Zipf's law."""
    shares = 1 / np.arange(1, levels + 1)
    return random.choice(levels, rows, p=shares / shares.sum())


@lru_cache(maxsize=1)
def real(name: str, regression: bool = False) -> Table | None:
    """A table of ../shared/data in a fixed random order, 80 % for training; None if it is not there.

    The target are numbers for regression, else codes of classes.
    """
    file = REAL_TABLES / f"{name}.csv.gz"
    if not file.exists():
        return None
    about = json.loads((REAL_TABLES / f"{name}.json").read_text())
    kinds, target_name = about["kinds"], about["target"]
    types = {column: "float32" if kind == "num" else "str" for column, kind in kinds.items()}
    frame = pd.read_csv(file, dtype=types, keep_default_na=False, na_values=[""])
    frame = frame.sample(frac=1.0, random_state=0, ignore_index=True)
    for column, kind in kinds.items():
        if kind != "num" and column != target_name:
            values = sorted(frame[column].dropna().unique())
            frame[column] = pd.Categorical(frame[column], categories=values)
    target = frame.pop(target_name).to_numpy()
    return cut(name, frame, target if regression else np.unique(target, return_inverse=True)[1])


# ---- made tables with the traits of real ones ----


def levels_by_rank(random: np.random.Generator, rows: int, levels: int, exponent: float = 0.8) -> np.ndarray:
    """Codes of levels, the r-th most frequent about as often as 1 / r ** exponent."""
    shares = 1.0 / np.arange(1, levels + 1) ** exponent
    return random.choice(levels, rows, p=shares / shares.sum())


def categories(codes: np.ndarray, prefix: str) -> pd.Categorical:
    """Codes as named levels."""
    values, positions = np.unique(codes, return_inverse=True)
    return pd.Categorical.from_codes(positions, categories=[f"{prefix}{value}" for value in values])


@lru_cache(maxsize=1)
def many_classes(rows: int, n_classes: int = 128) -> Table:
    """Sixteen columns of sixteen values each, and many classes, as in a table of printed letters."""
    random = np.random.default_rng(n_classes)
    target = random.integers(0, n_classes, rows)
    centers = 1.5 * random.normal(size=(n_classes, 16))
    matrix = np.clip(np.round(2 * (centers[target] + random.normal(size=(rows, 16)))) + 8, 0, 15)
    frame = pd.DataFrame(matrix.astype(np.float32), columns=[f"x{j}" for j in range(16)])
    return cut(f"{n_classes} classes, 16 values", frame, target)


@lru_cache(maxsize=1)
def word_counts(rows: int, words: int = 2000, n_classes: int = 2) -> Table:
    """How often each of many words stands in a text: most counts are 0."""
    random = np.random.default_rng(words)
    target = random.integers(0, n_classes, rows)
    rates = np.exp(0.5 * random.normal(size=(n_classes, words))) / np.arange(1, words + 1)
    rates *= 80 / rates.sum(axis=1, keepdims=True)
    counts = random.poisson(rates[target] * random.gamma(2.0, 0.5, rows)[:, None])
    frame = pd.DataFrame(np.asfortranarray(counts.astype(np.float32)), columns=[f"w{j}" for j in range(words)])
    return cut("word counts", frame, target)


@lru_cache(maxsize=1)
def many_levels(rows: int, levels: int = 3000, n_classes: int = 2) -> Table:
    """Nominal columns of very many levels beside numbers of few values."""
    random = np.random.default_rng(levels)
    route, carrier, hour = (
        levels_by_rank(random, rows, levels),
        levels_by_rank(random, rows, 20),
        random.integers(0, 24, rows),
    )
    scores = random.normal(size=(levels, n_classes))[route] + 0.5 * random.normal(size=(20, n_classes))[carrier]
    scores += np.outer(hour / 24, np.arange(n_classes)) + 1.2 * random.gumbel(size=(rows, n_classes))
    frame = pd.DataFrame(
        {
            "route": categories(route, "route"),
            "carrier": categories(carrier, "carrier"),
            "hour": hour.astype(np.float32),
            "distance": random.integers(50, 3000, rows).astype(np.float32),
        }
    )
    return cut(f"{levels:,} levels, {n_classes} classes", frame, np.argmax(scores, axis=1))


@lru_cache(maxsize=1)
def event_counts(rows: int) -> Table:
    """A count to be predicted from nominal columns and numbers of few and of many values."""
    random = np.random.default_rng(5)
    age, region = random.integers(18, 90, rows), levels_by_rank(random, rows, 30)
    power, density = random.integers(4, 16, rows), random.exponential(5.0, rows)
    rate = np.exp(0.02 * (50 - age) + random.normal(0, 0.4, 30)[region] + 0.05 * power + 0.02 * density)
    frame = pd.DataFrame(
        {
            "age": age.astype(np.float32),
            "power": power.astype(np.float32),
            "density": np.round(density, 2).astype(np.float32),
            "region": categories(region, "region"),
        }
    )
    return cut("event counts", frame, random.poisson(rate).astype(np.float64))
