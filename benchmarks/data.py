"""The tables that are timed: made ones with fixed seeds, and real ones from ../shared/data where they are present."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification, make_friedman1

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

        def column(name: str) -> np.ndarray:
            values = frame[name].cat.codes.where(frame[name].notna()) if name in self.nominal else frame[name]
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


def between(low: float, value: np.ndarray, high: float) -> np.ndarray:
    """low ≤ value ≤ high, in thousands."""
    return (value >= 1000 * low) & (value <= 1000 * high)


def agrawal_class(function: int, person: dict[str, np.ndarray]) -> np.ndarray:
    """Whether each person belongs to group A under one of the ten functions of Agrawal, Imielinski and Swami (1993)."""
    salary, loan, level = person["salary"], person["loan"], person["elevel"]
    income = salary + person["commission"]
    young, old = person["age"] < 40, person["age"] >= 60
    middle = ~young & ~old

    def by_age(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> np.ndarray:
        return (young & first) | (middle & second) | (old & third)

    studies = (level <= 1, (level >= 1) & (level <= 3), level >= 2)
    salaries = (between(50, salary, 100), between(75, salary, 125), between(25, salary, 75))
    if function == 1:
        return young | old
    if function == 2:
        return by_age(*salaries)
    if function == 3:
        return by_age(*studies)
    if function == 4:
        return by_age(
            np.where(studies[0], between(25, salary, 75), between(50, salary, 100)),
            np.where(studies[1], between(50, salary, 100), between(75, salary, 125)),
            np.where(studies[2], between(50, salary, 100), between(25, salary, 75)),
        )
    if function == 5:
        return by_age(
            np.where(salaries[0], between(100, loan, 300), between(200, loan, 400)),
            np.where(salaries[1], between(200, loan, 400), between(300, loan, 500)),
            np.where(salaries[2], between(300, loan, 500), between(100, loan, 300)),
        )
    if function == 6:
        return by_age(between(50, income, 100), between(75, income, 125), between(25, income, 75))
    equity = 0.1 * person["hvalue"] * np.maximum(person["hyears"] - 20, 0)
    disposable = {
        7: 0.67 * income - 0.2 * loan - 20_000,
        8: 0.67 * income - 5_000 * level - 20_000,
        9: 0.67 * income - 5_000 * level - 0.2 * loan - 10_000,
        10: 0.67 * income - 5_000 * level + 0.2 * equity - 10_000,
    }
    return disposable[function] > 0


@lru_cache(maxsize=1)
def agrawal(rows: int, function: int = 5, noise: float = 0.05) -> Table:
    """Agrawal's people: six numeric and three nominal attributes; `noise` of the labels are flipped.

    All uniform: salary 20–150 thousand; commission 0 above 75 thousand, else 10–75 thousand; age 20–80; level of
    education 0–4; 20 makes of car; 9 zip codes; the house's value 50–150 thousand times a number that depends on the
    zip code; years owned 1–30; loan 0–500 thousand.
    """
    random = np.random.default_rng(function)
    salary = random.uniform(20_000, 150_000, rows)
    zipcode = random.integers(0, 9, rows)
    person = {
        "salary": salary,
        "commission": np.where(salary >= 75_000, 0.0, random.uniform(10_000, 75_000, rows)),
        "age": random.uniform(20, 80, rows),
        "elevel": random.integers(0, 5, rows),
        "car": random.integers(1, 21, rows),
        "zipcode": zipcode,
        "hvalue": (zipcode + 1) * random.uniform(50_000, 150_000, rows),
        "hyears": random.integers(1, 31, rows).astype(float),
        "loan": random.uniform(0, 500_000, rows),
    }
    target = agrawal_class(function, person) ^ (random.random(rows) < noise)
    frame = pd.DataFrame({name: column.astype(np.float32) for name, column in person.items()})
    for name, prefix in (("elevel", "level"), ("car", "make"), ("zipcode", "zip")):
        values = np.unique(person[name])
        codes = np.searchsorted(values, person[name])
        frame[name] = pd.Categorical.from_codes(codes, categories=[f"{prefix}{value}" for value in values])
    return cut(f"Agrawal, function {function}", frame, target.astype(np.int64))


@lru_cache(maxsize=1)
def real(name: str) -> Table | None:
    """A table of ../shared/data in a fixed random order, 80 % for training; None if it is not there."""
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
    return cut(name, frame, np.unique(target, return_inverse=True)[1])
