"""The table of criteria: whole, in step with the names that type checkers read, and with the core."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from quercus.criteria import (
    CLASS_CRITERIA,
    CRITERIA,
    NUMBER_CRITERIA,
    ClassCriterionName,
    CriterionName,
    NumberCriterionName,
)
from quercus.data import encode, encode_classes
from quercus.data.notation import LATEX, TEXT
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.measures.gain_table import MEASURES
from quercus.measures.impurity import reduction

TABLES = np.random.default_rng(0).integers(0, 9, (200, 4)).astype(np.float64)


def test_the_names_for_type_checkers_are_those_of_the_table() -> None:
    assert get_args(ClassCriterionName) == tuple(CLASS_CRITERIA)
    assert get_args(NumberCriterionName) == tuple(NUMBER_CRITERIA)
    assert get_args(CriterionName) == tuple(CRITERIA)
    assert all(name == row.name for name, row in CRITERIA.items())


@pytest.mark.parametrize("name", CRITERIA)
def test_a_row_says_everything(name: str) -> None:
    row = CRITERIA[name]
    assert row.title and row.formula and row.source


@pytest.mark.parametrize("name", CLASS_CRITERIA)
def test_an_impurity_is_0_of_one_class_and_concave(name: str) -> None:
    impurity = CLASS_CRITERIA[name].impurity
    assert impurity(np.diag([1.0, 3.0, 0.1, 1e9])).tolist() == [0.0] * 4
    assert float(impurity(np.zeros(3))) == 0.0
    half = len(TABLES) // 2
    first, second = TABLES[:half], TABLES[half:]
    apart = first.sum(axis=1) * impurity(first) + second.sum(axis=1) * impurity(second)
    together = (first + second).sum(axis=1) * impurity(first + second)
    assert (together >= apart - 1e-9).all()
    weight = TABLES.sum(axis=1)
    assert np.allclose(CLASS_CRITERIA[name].purity(TABLES), -weight * impurity(TABLES), rtol=1e-12, atol=1e-12)
    assert np.allclose(impurity(TABLES), impurity(7.5 * TABLES)), "only the shares of the classes matter"
    assert np.allclose(impurity(TABLES), impurity(TABLES[:, ::-1])), "the order of the classes does not matter"


@pytest.mark.parametrize("name", CLASS_CRITERIA)
def test_an_impurity_is_written_with_every_present_class(name: str) -> None:
    text = CLASS_CRITERIA[name].written(["9/14", "5/14"], TEXT)
    assert "9/14" in text
    assert CLASS_CRITERIA[name].written([r"\\frac{9}{14}"], LATEX).count(r"\\frac{9}{14}") >= 1


@pytest.mark.parametrize("name", CLASS_CRITERIA)
def test_the_gain_of_the_table_is_the_gain_of_the_core(name: str) -> None:
    x, y = [1, 2, 3, 4, 5, 6, 7], ["a", "b", "a", "a", "b", "b", "c"]
    tree = grow(encode({"x": x}), encode_classes(y), cart_recipe(CLASS_CRITERIA[name].name, max_depth=1))
    assert reduction(tree.value[1:3], CLASS_CRITERIA[name].impurity) == pytest.approx(tree.gain[0], abs=1e-12)


def test_every_class_criterion_has_a_measure_of_splits() -> None:
    assert [row.gain_name for row in CLASS_CRITERIA.values() if row.gain_name not in MEASURES] == []
    assert list(MEASURES)[:2] == ["gain", "gain_ratio"]


def test_the_core_refuses_a_criterion_that_is_not_in_the_table() -> None:
    with pytest.raises(ValueError, match="'criterion' is 'chaos', but must be one of entropy, gini"):
        grow(encode({"x": [1, 2]}), encode_classes(["a", "b"]), cart_recipe("chaos"))  # type: ignore[arg-type]
