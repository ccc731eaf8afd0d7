"""The bundled tables are those of the lectures."""

import sys
from math import log2

import pytest

from quercus import datasets
from quercus.data import encode, encode_classes

LOADERS = [name for name in datasets.__all__ if name.startswith(("load_", "make_"))]


def entropy(*counts: int) -> float:
    return sum(-count / sum(counts) * log2(count / sum(counts)) for count in counts if count)


def gain(column: list, labels: list) -> float:
    def of(rows: list[int]) -> float:
        return entropy(*[sum(labels[row] == label for row in rows) for label in set(labels)])

    n = len(labels)
    groups = [[row for row in range(n) if column[row] == value] for value in set(column)]
    return of(list(range(n))) - sum(len(group) / n * of(group) for group in groups)


@pytest.mark.parametrize("name", LOADERS)
def test_every_table_can_be_encoded(name: str) -> None:
    X, y = getattr(datasets, name)()
    dataset = encode(X)
    assert dataset.n_rows == len(encode_classes(y).codes) == len(y)
    unknown = {"load_subscription_example": 2}.get(name, 0)
    assert sum((column == -1).sum() for column in dataset.columns) == unknown


@pytest.mark.parametrize("name", LOADERS)
def test_without_pandas_a_table_is_a_dict_of_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = getattr(datasets, name)()
    monkeypatch.setitem(sys.modules, "pandas", None)
    columns, labels = getattr(datasets, name)()
    assert isinstance(columns, dict) and isinstance(labels, list)
    seen = {column: [None if value != value else value for value in X[column].tolist()] for column in X.columns}
    assert columns == seen and labels == y.tolist()


def test_play_tennis() -> None:
    X, y = datasets.load_play_tennis()
    assert X.columns.tolist() == ["Outlook", "Temperature", "Humidity", "Wind"] and y.name == "PlayTennis"
    assert X.index.tolist() == [f"D{day}" for day in range(1, 15)]
    gains = {name: round(gain(X[name].tolist(), y.tolist()), 4) for name in X}
    assert gains == {"Outlook": 0.2467, "Temperature": 0.0292, "Humidity": 0.1518, "Wind": 0.0481}
    X15, y15 = datasets.load_play_tennis(d15=True)
    assert X15.loc["D15"].tolist() == ["Sunny", "Hot", "Normal", "Strong"] and y15["D15"] == "No" and len(X15) == 15


def test_restaurant() -> None:
    X, y = datasets.load_restaurant()
    assert X.shape == (12, 10) and y.name == "Wait"
    assert round(gain(X["Pat"].tolist(), y.tolist()), 3) == 0.541
    assert abs(gain(X["Type"].tolist(), y.tolist())) < 1e-12
    assert encode(X).schema["Pat"].values == ("Full", "None", "Some")


def test_order_example() -> None:
    X, y = datasets.load_order_example()
    assert gain(X["Outlook"].tolist(), y.tolist()) == 1.0 and gain(X["Temperature"].tolist(), y.tolist()) == 0.0


def test_threshold_example() -> None:
    X, y = datasets.load_threshold_example()
    low = y[X["x"] <= 4.5]
    high = y[X["x"] > 4.5]
    assert (low.sum(), len(low), high.sum(), len(high)) == (5, 6, 4, 10)
    assert low.mean() * 6 / 16 + high.mean() * 10 / 16 == 0.5625


def test_temperature_example() -> None:
    X, y = datasets.load_temperature_example()
    t, label = X["Temperature"].tolist(), y.tolist()
    assert [(a + b) / 2 for a, b, c, d in zip(t, t[1:], label, label[1:], strict=False) if c != d] == [54, 85]


def test_lemons_and_oranges() -> None:
    X, y = datasets.load_lemons_and_oranges()
    narrow, flat = X["width"] <= 6.5, X["height"] <= 8.5
    assert (len(y), (y == "orange").sum(), narrow.sum(), (y[~narrow] == "orange").sum()) == (149, 49, 50, 49)
    assert round(entropy(49, 100), 2) == 0.91
    assert round(gain(narrow.tolist(), y.tolist()), 4) == 0.2494 == round(gain(flat.tolist(), y.tolist()), 4)
    assert ((~narrow & flat) == (y == "orange")).all()
    for column in X:  # no other threshold of either column gains more
        best = max(gain((X[column] <= t).tolist(), y.tolist()) for t in X[column])
        assert round(best, 4) == 0.2494


def test_subscription_example_is_the_table_as_printed() -> None:
    X, y = datasets.load_subscription_example()
    assert X.columns.tolist() == ["Age", "Income", "Previous Subscription"] and y.name == "Will Subscribe?"
    known = X["Income"].notna().tolist()
    assert known == [True, False, True, False, True]
    assert X["Age"].tolist() == [25, 40, 35, 30, 45] and X["Income"][known].tolist() == ["High", "Low", "Medium"]
    assert X["Previous Subscription"].tolist() == ["Yes", "No", "Yes", "Yes", "No"]
    assert y.tolist() == ["No", "Yes", "Yes", "No", "Yes"]


def test_income_example() -> None:
    X, y = datasets.load_income_example()
    low = X["Income"] == "Low"
    shares = [(y[low] == "Yes").mean(), (y[~low] == "Yes").mean()]
    assert shares == [0.75, 0.5] and sum(shares) / 2 == 0.625
    assert low.mean() == 0.5 and sorted(set(X["Income"])) == ["High", "Low", "Medium"]
