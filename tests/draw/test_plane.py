"""Class regions: the rectangles cover the plane once and answer as predicting does, whatever is unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from predict.random_trees import random_schema, random_tree

from quercus.data import Attribute, Dataset, encode, encode_classes
from quercus.draw import class_regions, tree_regions
from quercus.draw.chart import Points, Regions
from quercus.errors import ParameterError
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.predict import predict_distribution


def test_regions_answer_as_predicting_does() -> None:
    random = np.random.default_rng(1)
    checked = 0
    for seed in range(400):
        random = np.random.default_rng(seed)
        schema = random_schema(random, "mixed")
        numeric = [attribute.name for attribute in schema if attribute.is_numeric]
        if len(numeric) < 2:
            continue
        tree = random_tree(
            random, schema, ("any", "spread", "child")[seed % 3], n_classes=(3, 0)[seed % 2], most_nodes=25
        )
        given = {}
        for attribute in schema:
            if attribute.name not in numeric[:2] and random.random() < 0.5:
                given[attribute.name] = 0.1 if attribute.is_numeric else int(random.integers(attribute.n_values))
        regions = tree_regions(tree, numeric[0], numeric[1], given=given)
        points = random.choice([-9.0, -2.5, -1.0, 0.0, 0.05, 0.1, 0.3, 0.5, 0.55, 1.0, 2.0, 7.0], (20, 2))
        table = {attribute.name: [given.get(attribute.name)] * len(points) for attribute in schema}
        table[numeric[0]], table[numeric[1]] = points[:, 0].tolist(), points[:, 1].tolist()
        rows = Dataset(schema, tuple(_column(schema[name], table[name]) for name in schema.names), len(points))
        expected = predict_distribution(tree, rows)
        for (x, y), answer in zip(points, expected, strict=True):
            inside = [r for r in regions if r.x_low < x <= r.x_high and r.y_low < y <= r.y_high]
            assert len(inside) == 1
            assert inside[0].answer == pytest.approx(answer, abs=1e-12)
            checked += 1
    assert checked > 2000


def _column(attribute: Attribute, values: list[Any]) -> np.ndarray[Any, Any]:
    if attribute.is_numeric:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return np.array([-1 if value is None else attribute.code(value) for value in values], dtype=np.int32)


def test_the_rectangles_cover_the_limits_once() -> None:
    random = np.random.default_rng(5)
    x, y = random.random(200), random.random(200)
    data = encode({"x": x, "y": y})
    tree = grow(data, encode_classes(np.where((x > 0.5) ^ (y > 0.3), "a", "b")), cart_recipe())
    regions = tree_regions(tree, "x", "y", limits=(0, 1, 0, 1))
    assert sum((r.x_high - r.x_low) * (r.y_high - r.y_low) for r in regions) == pytest.approx(1.0)
    assert len(regions) <= tree.n_leaves


def test_the_chart_shows_regions_and_examples() -> None:
    data = encode({"x": [1, 2, 3, 4], "y": [1, 5, 2, None], "z": ["u", "u", "v", "v"]})
    target = encode_classes(["No", "No", "Yes", "Yes"])
    tree = grow(data, target, cart_recipe())
    chart = class_regions(tree, "x", "y", dataset=data, target=target, given={"z": "u"})
    regions = [mark for mark in chart.marks if isinstance(mark, Regions)]
    points = [mark for mark in chart.marks if isinstance(mark, Points)]
    assert {mark.name for mark in regions} <= {"No", "Yes"} and sum(len(mark.x) for mark in points) == 3
    assert "z = u" in chart.note
    assert {mark.colour for mark in points} == {0, 1}


def test_costs_move_the_answer() -> None:
    data = encode({"x": [1, 2, 3, 4], "y": [1, 1, 1, 1]})
    tree = grow(data, encode_classes(["No", "No", "No", "Yes"]), cart_recipe(max_depth=0))
    plain = class_regions(tree, "x", "y", limits=(0, 1, 0, 1)).marks
    costly = class_regions(tree, "x", "y", limits=(0, 1, 0, 1), cost_matrix=[[0, 1], [9, 0]]).marks
    assert [mark.name for mark in (*plain, *costly)] == ["No", "Yes"]


def test_wrong_attributes_are_refused() -> None:
    data = encode({"x": [1, 2], "z": ["u", "v"]})
    tree = grow(data, encode_classes(["a", "b"]), cart_recipe())
    with pytest.raises(ParameterError, match="'z'"):
        class_regions(tree, "x", "z")
    with pytest.raises(ParameterError, match="both 'x'"):
        class_regions(tree, "x", "x")
