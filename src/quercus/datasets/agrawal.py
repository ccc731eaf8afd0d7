"""Agrawal's people: nine attributes and ten functions that put each person into group A or B."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.datasets.frames import check_share, generator, table, whole_number

__all__ = ["agrawal_class", "agrawal_people", "make_agrawal"]

_NOMINAL = {"elevel": ("level", 0, 5), "car": ("make", 1, 20), "zipcode": ("zip", 0, 9)}


def make_agrawal(function: int = 1, n_rows: int = 1000, noise: float = 0.0, random_state: Any = 0) -> tuple[Any, Any]:
    """Return people and their group, "A" or "B", by one of the ten functions of Agrawal, Imielinski and Swami (1993).

    All is drawn uniformly: salary 20 to 150 thousand; commission 0 above a salary of 75 thousand, else 10 to 75
    thousand; age 20 to 80; level of education 0 to 4; 20 makes of car; 9 zip codes; the value of the house 50 to 150
    thousand times a number from 1 to 9 that belongs to the zip code; years owned 1 to 30; loan 0 to 500 thousand.
    Level, car and zip code are nominal.

    - function: 1 to 10. n_rows: how many people. noise: the share of people whose group is turned round.

    >>> X, y = make_agrawal(function=1, n_rows=200)
    >>> list(X)
    ['salary', 'commission', 'age', 'elevel', 'car', 'zipcode', 'hvalue', 'hyears', 'loan']
    >>> set(y[(X["age"] < 40) | (X["age"] >= 60)])
    {'A'}
    """
    whole_number("function", function, least=1, most=10)
    check_share("noise", noise)
    random = generator(random_state)
    count = whole_number("n_rows", n_rows, least=1)
    people = agrawal_people(count, random)
    in_a = agrawal_class(function, people) ^ (random.random(count) < noise)
    columns: dict[str, Any] = {name: _column(name, values) for name, values in people.items()}
    codes = (~in_a).astype(np.int8)
    return table(columns, _labels(codes, ["A", "B"]), "group")


def _column(name: str, values: NDArray[Any]) -> Any:
    if name not in _NOMINAL:
        return values if _has_pandas() else values.tolist()
    prefix, first, count = _NOMINAL[name]
    return _labels((values - first).astype(np.int8), [f"{prefix}{first + k}" for k in range(count)])


def _has_pandas() -> bool:
    try:
        import pandas  # noqa: F401
    except ImportError:
        return False
    return True


def _labels(codes: NDArray[np.int8], values: list[str]) -> Any:
    """Return a categorical with pandas, else a list of labels."""
    try:
        import pandas as pd
    except ImportError:
        return np.array(values, dtype=object)[codes].tolist()
    return pd.Categorical.from_codes(codes, categories=values)


def agrawal_people(n_rows: int, random: np.random.Generator) -> dict[str, NDArray[Any]]:
    """Draw people, each attribute a column of numbers; nominal attributes are numbered."""
    salary = random.uniform(20_000, 150_000, n_rows)
    zipcode = random.integers(0, 9, n_rows)
    return {
        "salary": salary,
        "commission": np.where(salary >= 75_000, 0.0, random.uniform(10_000, 75_000, n_rows)),
        "age": random.uniform(20, 80, n_rows),
        "elevel": random.integers(0, 5, n_rows),
        "car": random.integers(1, 21, n_rows),
        "zipcode": zipcode,
        "hvalue": (zipcode + 1) * random.uniform(50_000, 150_000, n_rows),
        "hyears": random.integers(1, 31, n_rows).astype(np.float64),
        "loan": random.uniform(0, 500_000, n_rows),
    }


def _between(low: float, value: Any, high: float) -> Any:
    """low ≤ value ≤ high, in thousands."""
    return (value >= 1000 * low) & (value <= 1000 * high)


def agrawal_class(function: int, person: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Say whether each person belongs to group A under one of the ten functions."""
    salary, loan, level = person["salary"], person["loan"], person["elevel"]
    income = salary + person["commission"]
    young, old = person["age"] < 40, person["age"] >= 60
    middle = ~young & ~old

    def by_age(first: Any, second: Any, third: Any) -> NDArray[np.bool_]:
        return np.asarray((young & first) | (middle & second) | (old & third))

    studies = (level <= 1, (level >= 1) & (level <= 3), level >= 2)
    salaries = (_between(50, salary, 100), _between(75, salary, 125), _between(25, salary, 75))
    if function == 1:
        return np.asarray(young | old)
    if function == 2:
        return by_age(*salaries)
    if function == 3:
        return by_age(*studies)
    if function == 4:
        return by_age(
            np.where(studies[0], _between(25, salary, 75), _between(50, salary, 100)),
            np.where(studies[1], _between(50, salary, 100), _between(75, salary, 125)),
            np.where(studies[2], _between(50, salary, 100), _between(25, salary, 75)),
        )
    if function == 5:
        return by_age(
            np.where(salaries[0], _between(100, loan, 300), _between(200, loan, 400)),
            np.where(salaries[1], _between(200, loan, 400), _between(300, loan, 500)),
            np.where(salaries[2], _between(300, loan, 500), _between(100, loan, 300)),
        )
    if function == 6:
        return by_age(_between(50, income, 100), _between(75, income, 125), _between(25, income, 75))
    equity = 0.1 * person["hvalue"] * np.maximum(person["hyears"] - 20, 0)
    disposable = {
        7: 0.67 * income - 0.2 * loan - 20_000,
        8: 0.67 * income - 5_000 * level - 20_000,
        9: 0.67 * income - 5_000 * level - 0.2 * loan - 10_000,
        10: 0.67 * income - 5_000 * level + 0.2 * equity - 10_000,
    }
    return np.asarray(disposable[function] > 0)
