"""Models of LightGBM answer in Quercus as they do there; the numbers are those that LightGBM itself predicts."""

from __future__ import annotations

import copy
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from imports.boosters import lightgbm_booster, rows_beside
from long_tail import most_slow

import quercus
from quercus.errors import DataError, DataTypeError, FileError, ParameterError
from quercus.imports.lightgbm_trees import ZERO

BELOW, ABOVE = float(np.nextafter(-ZERO, -1)), float(np.nextafter(ZERO, 1))


def leaf(value: float, count: int = 2) -> dict[str, Any]:
    return {"leaf_value": value, "leaf_count": count}


def split(cut: Any, left: Any, right: Any, **more: Any) -> dict[str, Any]:
    node = {"split_feature": 0, "threshold": cut, "decision_type": "<=", "default_left": True, "missing_type": "NaN"}
    return {**node, "split_gain": 2.0, "internal_count": 4, "left_child": left, "right_child": right, **more}


def dump(*trees: Any, objective: str = "regression", **more: Any) -> dict[str, Any]:
    model = {"version": "v4", "objective": objective, "num_class": 1, "num_tree_per_iteration": 1}
    infos = {"feature_names": ["x"], "feature_infos": {}, "tree_info": [{"tree_structure": tree} for tree in trees]}
    return {**model, **infos, **more}


def compare(seed: int, way: str, folder: Path) -> None:
    """One booster through one of the ways in: scores to 1e-12, answers to 1e-12, labels all."""
    booster, X, parameters, kind = lightgbm_booster(seed)
    source: Any = booster
    if way == "text":
        source = folder / "model.txt"
        booster.save_model(source)
    elif way == "json":
        source = folder / "model.json"
        source.write_text(json.dumps(booster.dump_model()))
    model = quercus.from_lightgbm(source)
    rows = rows_beside(np.random.default_rng(seed), X, model)
    theirs = booster.predict(rows, raw_score=True).reshape(len(rows), -1)
    if parameters["boosting"] == "rf":
        theirs = theirs / booster.current_iteration()  # raw_score leaves the mean out
    ours = model.score_sum.scores(model.encode_rows(rows))
    if kind == "binary":
        ours = ours[:, 1:] / parameters.get("sigmoid", 1.0)
    if parameters["boosting"] != "rf" and "sigmoid" not in parameters:
        assert (ours == theirs).all(), (seed, parameters)
    assert np.abs(ours - theirs).max() <= 1e-12 * (1e-9 + np.abs(theirs).max()), (seed, parameters)
    said = booster.predict(rows)
    if kind not in ("binary", "classes"):
        assert np.abs(model.predict(rows) - said).max() <= 1e-12 * np.abs(said).max(), (seed, parameters)
        return
    shares = np.column_stack([1 - said, said]) if kind == "binary" else said
    assert np.abs(model.predict_proba(rows) - shares).max() <= 1e-12, (seed, parameters)
    ordered = np.sort(shares, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > 1e-11
    assert (model.predict(rows) == shares.argmax(axis=1))[clear].all(), (seed, parameters)


@pytest.mark.parametrize("begin", most_slow([0, 10, 20], 1))
@pytest.mark.parametrize("way", ["booster", "text", "json"])
def test_random_boosters_answer_as_in_lightgbm(way: str, begin: int, tmp_path: Path) -> None:
    pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    for seed in range(begin, begin + 10):
        compare(seed, way, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("start", [1000, 2000])
def test_many_random_boosters_answer_as_in_lightgbm(start: int, tmp_path: Path) -> None:
    pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    for seed in range(start, start + 120):
        compare(seed, ["booster", "text"][seed % 2], tmp_path)


def test_importances_are_the_gains_of_lightgbm() -> None:
    pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    for seed in range(10):
        booster, _, _, _ = lightgbm_booster(seed)
        gains = booster.feature_importance("gain")
        ours = quercus.from_lightgbm(booster).feature_importances_
        assert np.allclose(ours, gains / max(gains.sum(), 1e-300), atol=1e-12)


def test_an_estimator_brings_its_classes_and_its_best_iteration() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    chance = np.random.default_rng(0)
    X = chance.normal(size=(200, 3))
    y = np.where(X[:, 0] + chance.normal(size=200) > 0, "yes", "no")
    theirs = lightgbm.LGBMClassifier(n_estimators=50, verbose=-1, early_stopping_rounds=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions call eval_set eval_X and eval_y
        theirs.fit(X[:100], y[:100], eval_set=[(X[100:], y[100:])])
    model = quercus.from_lightgbm(theirs, feature_names=["a", "b", "c"])
    assert model.schema.names == ("a", "b", "c") and len(model.forest) == theirs.best_iteration_ < 50
    assert (model.predict(X) == theirs.predict(X)).all()
    assert np.abs(model.predict_proba(X) - theirs.predict_proba(X)).max() <= 1e-12
    short = quercus.from_lightgbm(theirs, n_iterations=2)
    assert np.allclose(short.predict_proba(X), theirs.predict_proba(X, num_iteration=2), rtol=1e-12)


@pytest.mark.parametrize(
    ("missing_type", "default_left", "cut", "left"),
    [
        # what goes left, of: below zero, zero, above zero up to 1, above 1, unknown
        ("None", False, 1.0, (True, True, True, False, True)),
        ("None", True, -1e-36, (True, False, False, False, False)),
        ("NaN", False, 1.0, (True, True, True, False, False)),
        ("NaN", True, 0.0, (True, True, False, False, True)),
        ("Zero", False, 1.0, (True, False, True, False, False)),
        ("Zero", True, 1.0, (True, True, True, False, True)),
        ("Zero", True, -5.0, (False, True, False, False, True)),
        ("Zero", False, -5.0, (False, False, False, False, False)),
        ("Zero", True, 0.0, (True, True, False, False, True)),
        ("Zero", False, 0.0, (True, False, False, False, False)),
    ],
)
def test_missing_values_and_zeros_go_lightgbms_way(
    missing_type: str, default_left: bool, cut: float, left: Any
) -> None:
    tree = split(cut, leaf(1.0), leaf(0.0), missing_type=missing_type, default_left=default_left)
    model = quercus.from_lightgbm(dump(tree))
    groups = [[-1.0, BELOW], [-ZERO, 0.0, 1e-36, ZERO], [ABOVE, 1.0], [1.5], [None]]
    for values, goes_left in zip(groups, left, strict=True):
        assert model.predict({"x": values}).tolist() == [float(goes_left)] * len(values)


def test_copies_below_torn_questions_share_their_gain() -> None:
    inner = split(3.0, leaf(1.0), leaf(2.0), missing_type="Zero", default_left=False, split_gain=5.0)
    below = {**split(0.5, leaf(5.0), leaf(6.0), split_gain=7.0), "split_feature": 1}
    tree = split(2.0, inner, below, missing_type="Zero", default_left=False, split_gain=1.0)
    model = quercus.from_lightgbm(dump(tree, feature_names=["x", "z"]))
    assert np.allclose(model.feature_importances_, [6 / 13, 7 / 13])


def test_sets_of_codes_and_of_categories() -> None:
    tree = split("0||2", leaf(1.0), leaf(0.0), decision_type="==", missing_type="None", default_left=False)
    infos = {"feature_infos": {"x": {"values": [-1, 2, 0, 1]}}}
    model = quercus.from_lightgbm(dump(tree, **infos))
    assert model.predict({"x": [0, 1, 2, 2.0, None, 7]}).tolist() == [1.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    named = quercus.from_lightgbm(dump(tree, **infos, pandas_categorical=[["r", "g", "b"]]))
    assert named.predict({"x": ["r", "g", "b", None, "?"]}).tolist() == [1.0, 0.0, 1.0, 0.0, 0.0]
    given = quercus.from_lightgbm(dump(tree, **infos), categories={"x": ["R", "G", "B"]})
    assert given.predict({"x": ["R", "G"]}).tolist() == [1.0, 0.0]
    assert "x in {R, B}" in str(given.member_model(0))


def test_categories_of_a_column_with_thresholds_are_an_order() -> None:
    model = quercus.from_lightgbm(dump(split(0.5, leaf(1.0), leaf(0.0))), categories={"x": ["low", "high"]})
    assert model.schema["x"].kind == "ordered"
    assert model.predict({"x": ["low", "high"]}).tolist() == [1.0, 0.0]


def test_unclear_categories_are_asked_for() -> None:
    tree = split("0", leaf(1.0), leaf(0.0), decision_type="==")
    with pytest.raises(ParameterError, match=r"2 categorical columns of pandas.*categories="):
        quercus.from_lightgbm(dump(tree, pandas_categorical=[["a"], ["b"]]))
    with pytest.raises(ParameterError, match="'x' has 1 categories, but its code 3"):
        quercus.from_lightgbm(dump(split("3", leaf(1.0), leaf(0.0), decision_type="==")), categories={"x": ["a"]})
    with pytest.raises(ParameterError, match="names the column 'y'"):
        quercus.from_lightgbm(dump(tree), categories={"y": ["a"]})


@pytest.mark.parametrize(
    "objective",
    ["lambdarank", "rank_xendcg", "multiclassova num_class:3", "cross_entropy", "regression sqrt", "", None],
)
def test_other_objectives_are_refused(objective: Any) -> None:
    with pytest.raises(ParameterError, match=r"objective of LightGBM's model is .* can be imported"):
        quercus.from_lightgbm(dump(leaf(1.0), objective=objective))


def without(data: dict[str, Any], *path: Any) -> dict[str, Any]:
    data = copy.deepcopy(data)
    place: Any = data
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return data


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "'version' is missing"),
        (dump(leaf(1.0), version="v9"), "'v9'; v3 and v4"),
        (without(dump(leaf(1.0)), "tree_info"), "'tree_info' is missing"),
        (without(dump(split(1, leaf(1.0), leaf(2.0))), "tree_info", 0, "tree_structure", "threshold"), "Tree 0: 'thre"),
        (dump(leaf(1.0), split(1, leaf(1.0), {})), "Tree 1: 'leaf_value' is missing"),
        (dump(split(1, leaf(1.0), leaf(2.0), split_feature=4)), "Tree 0, node 0 asks for column 4 of 1"),
        (dump(split(1, leaf(1.0), leaf(2.0), missing_type="Odd")), "missing_type is 'Odd'"),
        (dump(split(1, leaf(1.0), leaf(2.0), decision_type="<")), "decision_type is '<'"),
        (dump(split(1, leaf(1.0), "leaf")), "Tree 0: something is not as expected"),
        (dump(split("?", leaf(1.0), leaf(2.0))), "Tree 0: something is not as expected"),
        (dump(leaf(float("nan"))), "value must hold finite numbers"),
        (dump({**leaf(1.0), "leaf_const": 1.0}), "linear trees"),
        (dump(), "at least one tree"),
        (dump(leaf(1.0), num_tree_per_iteration=3), "num_tree_per_iteration is 3"),
    ],
)
def test_damaged_models_name_the_place(data: Any, words: str) -> None:
    with pytest.raises(DataError, match=words.replace("?", r"\?")):
        quercus.from_lightgbm(data)


TEXT = """tree
version=v4
num_class=1
num_tree_per_iteration=1
objective=regression
feature_names=x
feature_infos=[0:4]
tree_sizes=1

Tree=0
num_leaves=3
num_cat=0
split_feature=0 0
split_gain=2 1
threshold=2.5 1.5
decision_type=2 10
left_child=1 -1
right_child=-2 -3
leaf_value=1 2 3
leaf_count=1 2 1
internal_count=4 2
is_linear=0
shrinkage=1


end of trees

pandas_categorical:null
"""


def test_a_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model.txt"
    path.write_text(TEXT)
    assert quercus.from_lightgbm(path).predict({"x": [1.0, 2.0, 3.0, None]}).tolist() == [1.0, 3.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("left_child=1 -1", "left_child=0 -1", "Tree 0, node 0: its child 0 is a child already, or the root"),
        ("left_child=1 -1", "left_child=9 -1", "Tree 0, node 0: its child 9 is no node; there are 5"),
        ("right_child=-2 -3", "right_child=-2 -1", "Tree 0, node 1: its child 2 is a child already"),
        ("leaf_value=1 2 3", "leaf_value=1 2", "leaf_value has 2 numbers, but 3 are needed"),
        ("threshold=2.5 1.5", "threshold=2.5 x", "Tree 0: something is not as expected"),
        ("end of trees", "end", "cut off"),
        ("is_linear=0", "is_linear=1", "linear trees"),
        ("feature_names=x", "feature_nam=x", "'feature_names' is missing"),
        ("tree\n", "bush\n", "not LightGBM's model"),
        ("pandas_categorical:null", "pandas_categorical:[", "pandas_categorical: something"),
    ],
)
def test_a_damaged_text_names_the_place(old: str, new: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "model.txt"
    path.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(DataError, match=words):
        quercus.from_lightgbm(path)


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataTypeError, match="no model of LightGBM"):
        quercus.from_lightgbm(3)
    with pytest.raises(FileError, match="cannot be read"):
        quercus.from_lightgbm(tmp_path / "none.txt")
    (tmp_path / "bad.json").write_text('{"version": ')
    with pytest.raises(DataError, match="cut off"):
        quercus.from_lightgbm(tmp_path / "bad.json")
    with pytest.raises(ParameterError, match="2 feature_names, but the model was fitted with 1"):
        quercus.from_lightgbm(dump(leaf(1.0)), ["a", "b"])
    with pytest.raises(ParameterError, match="answers numbers"):
        quercus.from_lightgbm(dump(leaf(1.0)), class_names=["a", "b"])
    with pytest.raises(ParameterError, match="3 class_names, but the model has 2"):
        quercus.from_lightgbm(dump(leaf(1.0), objective="binary sigmoid:1"), class_names=["a", "b", "c"])
    with pytest.raises(ParameterError, match="n_iterations is 0"):
        quercus.from_lightgbm(dump(leaf(1.0)), n_iterations=0)


def test_a_text_is_taken_as_a_file_is(tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_text(TEXT)
    theirs = quercus.from_lightgbm(tmp_path / "model.txt")
    rows = {theirs.schema.names[0]: [1.0, 3.0, None]}
    assert quercus.from_lightgbm(TEXT).predict(rows).tolist() == theirs.predict(rows).tolist()
    told = json.dumps(dump(split(2.5, leaf(1.0), leaf(3.0))), indent=1)
    assert quercus.from_lightgbm(told).predict({"x": [1.0, 3.0]}).tolist() == [1.0, 3.0]
    with pytest.raises(DataError, match="begins neither with 'tree' nor as JSON"):
        quercus.from_lightgbm("some\nlines")
    with pytest.raises(FileError, match="The path is empty"):
        quercus.from_lightgbm("")


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_bytes(b"tree\n\xff\x00")
    with pytest.raises(DataError, match=r"model\.txt is not LightGBM's model: byte 5 is no text in UTF-8"):
        quercus.from_lightgbm(tmp_path / "model.txt")


def test_names_with_blanks_are_given() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    table = pd.DataFrame({"a b": np.arange(40.0)})
    theirs = lightgbm.LGBMRegressor(n_estimators=1, min_child_samples=2, verbose=-1).fit(table, np.arange(40.0))
    model = quercus.from_lightgbm(theirs, feature_names=list(table.columns))
    assert model.predict(table).tolist() == theirs.predict(table).tolist()
