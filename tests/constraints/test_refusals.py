"""Constraints that cannot be meant are refused with a message that says what is wrong and what to give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quercus import (
    BaggingClassifier,
    BoostedClassifier,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    RandomForestClassifier,
)
from quercus.errors import ParameterError

TABLE = {
    "income": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    "age": [30, 20, 50, 40, 60, 10],
    "town": ["x", "y", "x", "y", "x", "y"],
}
TWO = ["no", "no", "yes", "no", "yes", "yes"]
THREE = ["granted", "later", "refused", "granted", "later", "refused"]

WRONG_ORDERS: list[tuple[Any, str]] = [
    ([1, 0], "has shape 2 but the input data X has 3 features"),
    ([1, 0, 0, 0], "has shape 4 but"),
    ([2, 0, 0], "must be None or an array-like of -1, 0 or 1.* gives 2 for attribute 0"),
    ([True, 0, 0], "gives True"),
    ([[1, 0, 0]], "one per attribute, or a dict"),
    (1, "one per attribute, or a dict"),
    ("income", "one per attribute, or a dict"),
    ({"income": 0.5}, "gives 0.5 for 'income'"),
    ({"income": "+"}, "gives '[+]'"),
    ({"incom": 1}, "names the attribute 'incom'.*Did you mean 'income'"),
    ({"town": 1}, "this attribute is nominal"),
    ([0, 0, 1], "'town', but this attribute is nominal"),
    ({"income": {}}, "an empty dict"),
    ({"income": {"maybe": 1}}, "names the class 'maybe', but the target has 'no', 'yes'"),
    ({"income": {"no": 1, "yes": 1}}, "contradicts itself"),
]


@pytest.mark.parametrize(("order", "message"), WRONG_ORDERS)
@pytest.mark.parametrize("kind", [CARTClassifier, RandomForestClassifier])
def test_wrong_orders(kind: Any, order: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        kind(monotonic_cst=order).fit(TABLE, TWO)


WRONG_SETS: list[tuple[Any, str]] = [
    ("all", "give None, 'pairwise', 'no_interactions' or a list of sets"),
    (3, "give None, 'pairwise'"),
    ({"income": "age"}, "give None, 'pairwise'"),
    (["income"], "must hold sets of attributes"),
    ([[]], "an empty set"),
    ([{0, 3}], "names the attribute 3, but the table has the positions 0 to 2"),
    ([{-1}], "names the attribute -1"),
    ([{"wage"}], "names the attribute 'wage'"),
    ([{0.5}], "give its name, or its position"),
    ([{True}], "give its name, or its position"),
]


@pytest.mark.parametrize(("sets", "message"), WRONG_SETS)
def test_wrong_sets(sets: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        CARTClassifier(interaction_cst=sets).fit(TABLE, TWO)


def test_classes_and_numbers() -> None:
    with pytest.raises(
        ParameterError, match="multiclass classification unless one class is named: the target has 3 classes"
    ):
        CARTClassifier(monotonic_cst={"income": 1}).fit(TABLE, THREE)
    with pytest.raises(
        ParameterError, match="multiclass classification unless one class is named: the target has 3 classes"
    ):
        CARTClassifier(monotonic_cst=[1, 0, 0]).fit(TABLE, THREE)
    every = {"income": {"granted": 1, "later": 1, "refused": 1}}
    with pytest.raises(ParameterError, match="names the classes 'granted', 'later', 'refused'; give one"):
        CARTClassifier(monotonic_cst=every).fit(TABLE, THREE)
    several = {"income": {"granted": 1}, "age": {"later": -1}}
    with pytest.raises(ParameterError, match="give one of them"):
        CARTClassifier(monotonic_cst=several).fit(TABLE, THREE)
    with pytest.raises(ParameterError, match="the target is a number: give 1 or -1"):
        CARTRegressor(monotonic_cst={"income": {"granted": 1}}).fit(TABLE, range(6))
    CARTClassifier(monotonic_cst=[0, 0, 0]).fit(TABLE, THREE)


ORDER = {"monotonic_cst": {"income": 1}}
WAYS: list[tuple[Any, Any, str]] = [
    (CARTClassifier(**ORDER, smoothing="laplace"), TWO, "smoothing='laplace'"),
    (BaggingClassifier(CARTClassifier(**ORDER, smoothing=("m", 2.0)), 2), TWO, "smoothing="),
    (BoostedClassifier(CARTClassifier(**ORDER), method="trials"), TWO, "method='trials'"),
    (
        RandomForestClassifier(2, monotonic_cst={"income": {"later": 1}}, vote="majority"),
        THREE,
        "votes for one of 3 classes",
    ),
    (BoostedClassifier(CARTClassifier(monotonic_cst={"income": {"later": 1}})), THREE, "votes for one of 3 classes"),
]


@pytest.mark.parametrize(("model", "y", "message"), WAYS)
def test_ways_to_answer_that_do_not_keep_an_order(model: Any, y: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        model.fit(TABLE, y)
    assert not model.__sklearn_is_fitted__()


def test_other_algorithms_have_no_constraints() -> None:
    with pytest.raises(TypeError, match="monotonic_cst"):
        C45Classifier(monotonic_cst=[1, 0, 0])


def test_ordered_attributes_and_dates_have_an_order() -> None:
    sizes = ["s", "m", "l", "s", "m", "l"]
    days = np.array(["2024-01-01", "2024-02-01", "2024-03-01"] * 2, dtype="datetime64[D]")
    model = CARTRegressor(
        kinds={"size": "ordered"}, domains={"size": ["s", "m", "l"]}, monotonic_cst={"size": 1, "day": -1}
    )
    model.fit({"size": sizes, "day": days}, [1.0, 2.0, 3.0, 1.5, 2.5, 2.0])
    assert model.tree_.n_nodes >= 1
