"""Models of XGBoost answer in Quercus as they do there: every row reaches the same leaves, whose numbers are added up.

XGBoost adds in float32, so that its own scores are off by some 1e-7 of what is added; Quercus adds in doubles.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from imports.boosters import rows_beside, xgboost_booster
from long_tail import most_slow

import quercus
from quercus.errors import DataError, DataTypeError, FileError, ParameterError


def tree(**more: Any) -> dict[str, Any]:
    return {
        "left_children": [1, -1, -1],
        "right_children": [2, -1, -1],
        "split_indices": [0, 0, 0],
        "split_conditions": [2.5, -1.0, 1.0],
        "split_type": [0, 0, 0],
        "default_left": [1, 0, 0],
        "sum_hessian": [4.0, 2.0, 2.0],
        "loss_changes": [4.0, 0.0, 0.0],
        **more,
    }


def nominal(right: list[int], default_left: int = 1) -> dict[str, Any]:
    """A tree that sends some codes right."""
    sets = {"categories": right, "categories_nodes": [0], "categories_segments": [0], "categories_sizes": [len(right)]}
    return tree(split_type=[1, 0, 0], default_left=[default_left, 0, 0], **sets)


def booster(
    *trees: Any,
    objective: str = "reg:squarederror",
    base: str = "0",
    places: Any = None,
    n_classes: int = 0,
    **more: Any,
) -> dict[str, Any]:
    model = {"trees": list(trees), "tree_info": places or [0] * len(trees), **more.pop("model", {})}
    learner = {
        "feature_names": ["x"],
        "feature_types": ["float"],
        "objective": {"name": objective},
        "gradient_booster": {"name": "gbtree", "model": model},
        "learner_model_param": {"base_score": base, "num_class": str(n_classes), "num_feature": "1"},
        **more,
    }
    return {"version": [3, 2, 0], "learner": learner}


def compare(seed: int, way: str, folder: Path) -> None:
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed")
    theirs, X, parameters, kind = xgboost_booster(seed)
    source: Any = theirs
    if way != "booster":
        source = folder / f"model.{way}"
        theirs.save_model(source)
    model = quercus.from_xgboost(source)
    rows = rows_beside(np.random.default_rng(seed), X, model)
    data = xgboost.DMatrix(rows, enable_categorical=True)
    raw = theirs.predict(data, output_margin=True).reshape(len(rows), -1).astype(float)
    scores = model.score_sum.scores(model.encode_rows(rows))
    scores = scores[:, 1:] if kind == "binary" else scores
    size = np.abs(raw).max() + np.abs(model.score_sum.base).max() + 1e-9
    assert np.abs(scores - raw).max() <= 1e-6 * size, (seed, parameters)
    leaves, ours = theirs.predict(data, pred_leaf=True).reshape(len(rows), -1), model.apply(rows)
    for number in range(ours.shape[1]):
        pairs = set(zip(leaves[:, number].tolist(), ours[:, number].tolist(), strict=True))
        assert len(pairs) == len({one for one, _ in pairs}) == len({two for _, two in pairs}), (seed, parameters)
    if kind in ("binary", "classes"):
        ordered = np.sort(model.predict_proba(rows), axis=1)
        clear = ordered[:, -1] - ordered[:, -2] > 1e-5
        labels = (raw[:, 0] > 0).astype(int) if kind == "binary" else raw.argmax(axis=1)
        assert (model.predict(rows) == labels)[clear].all(), (seed, parameters)
    elif kind == "positive":
        assert np.allclose(model.predict(rows), theirs.predict(data), rtol=1e-5)


@pytest.mark.parametrize("begin", most_slow([0, 10, 20], 1))
@pytest.mark.parametrize("way", ["booster", "json", "ubj"])
def test_random_boosters_answer_as_in_xgboost(way: str, begin: int, tmp_path: Path) -> None:
    for seed in range(begin, begin + 10):
        compare(seed, way, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("start", [1000, 2000])
def test_many_random_boosters_answer_as_in_xgboost(start: int, tmp_path: Path) -> None:
    for seed in range(start, start + 120):
        compare(seed, ["booster", "json"][seed % 2], tmp_path)


def test_importances_are_the_total_gains_of_xgboost() -> None:
    pytest.importorskip("xgboost", reason="xgboost is not installed")
    for seed in range(10):
        theirs, X, _, _ = xgboost_booster(seed)
        told = theirs.get_score(importance_type="total_gain")
        gains = np.array([told.get(name, 0.0) for name in X.columns])
        ours = quercus.from_xgboost(theirs).feature_importances_
        assert np.allclose(ours, gains / max(gains.sum(), 1e-300), atol=1e-5)


def test_estimators_forests_and_early_stopping() -> None:
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed")
    chance = np.random.default_rng(0)
    X = chance.normal(size=(200, 3))
    y = (X[:, 0] + chance.normal(size=200) > 0).astype(int)
    early = xgboost.XGBClassifier(n_estimators=50, max_depth=3, early_stopping_rounds=2, n_jobs=1)
    early.fit(X[:100], y[:100], eval_set=[(X[100:], y[100:])], verbose=False)
    model = quercus.from_xgboost(early, ["a", "b", "c"], ["no", "yes"])
    assert len(model.forest) == early.best_iteration + 1 < early.get_booster().num_boosted_rounds()
    assert (model.predict(X) == np.array(["no", "yes"])[early.predict(X)]).all()
    assert np.abs(model.predict_proba(X) - early.predict_proba(X)).max() < 1e-6
    forest = xgboost.XGBRFRegressor(n_estimators=5, n_jobs=1).fit(X, X[:, 0] * 3)
    assert np.allclose(quercus.from_xgboost(forest).predict(X), forest.predict(X), rtol=1e-5)
    with pytest.raises(DataTypeError, match="not fitted"):
        quercus.from_xgboost(xgboost.XGBClassifier())


def test_texts_that_xgboost_cuts_off_are_asked_for() -> None:
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed")
    pandas = pytest.importorskip("pandas")
    words = ["a", "ü", "üü"]
    X = pandas.DataFrame({"c": pandas.Categorical(words * 20, categories=words)})
    y = np.array([0.0, 1.0, 5.0] * 20)
    theirs = xgboost.train({"max_depth": 2}, xgboost.DMatrix(X, y, enable_categorical=True), 3)
    if "cats" not in json.loads(bytes(theirs.save_raw("json")))["learner"]["gradient_booster"]["model"]:
        pytest.skip("this version of xgboost keeps no categories")
    with pytest.raises(ParameterError, match=r"not ASCII.*categories="):
        quercus.from_xgboost(theirs)
    model = quercus.from_xgboost(theirs, categories={"c": words})
    assert np.allclose(model.predict(X), theirs.predict(xgboost.DMatrix(X, enable_categorical=True)), rtol=1e-5)


def test_a_row_is_rounded_and_goes_left_below_the_split() -> None:
    model = quercus.from_xgboost(booster(tree(split_conditions=[0.1, -1.0, 1.0])))
    split = np.float32(0.1)
    beside = [float(np.nextafter(split, np.float32(side))) for side in (-1, 1)]
    values = [0.1, float(split), *beside, (float(split) + beside[0]) / 2, -0.0, None]
    left = [bool(np.float32(value) < split) if value is not None else True for value in values]
    assert model.predict({"x": values}).tolist() == [-1.0 if one else 1.0 for one in left]


def test_a_split_at_zero() -> None:
    model = quercus.from_xgboost(booster(tree(split_conditions=[0.0, -1.0, 1.0], default_left=[0, 0, 0])))
    values = [-1.0, -1e-44, -1e-46, -0.0, 0.0, 5e-324, 1.0, None]
    assert model.predict({"x": values}).tolist() == [-1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("objective", "base", "n_classes", "scores", "answer"),
    [
        ("reg:squarederror", "5E-1", 0, [1.5], [1.5]),
        ("count:poisson", "[2E0]", 0, [1 + np.log(2)], [2 * np.e]),
        ("binary:logistic", "[7.5E-1]", 0, [0.0, 1 + np.log(3)], [1 / (1 + 3 * np.e), 1 - 1 / (1 + 3 * np.e)]),
        ("multi:softprob", "[0E0,1E0,-1E0]", 3, [1.0, 1.0, -1.0], np.exp([1, 1, -1]) / np.exp([1, 1, -1]).sum()),
        ("multi:softmax", "5E-1", 3, [1.5, 0.5, 0.5], np.exp([1.5, 0.5, 0.5]) / np.exp([1.5, 0.5, 0.5]).sum()),
    ],
)
def test_bases_and_links(objective: str, base: str, n_classes: int, scores: Any, answer: Any) -> None:
    model = quercus.from_xgboost(booster(tree(), objective=objective, base=base, n_classes=n_classes))
    dataset = model.encode_rows({"x": [3.0]})
    assert np.allclose(model.score_sum.scores(dataset)[0], scores, rtol=1e-6)
    assert np.allclose(model.shares(dataset)[0], answer, rtol=1e-6)


def test_dropped_trees_have_weights() -> None:
    data = booster(tree(), tree())
    inner = data["learner"]["gradient_booster"]
    data["learner"]["gradient_booster"] = {"name": "dart", "gbtree": inner, "weight_drop": [0.5, 0.25]}
    assert quercus.from_xgboost(data).predict({"x": [3.0]}).tolist() == [0.75]


def test_codes_in_the_set_go_right() -> None:
    kinds = {"feature_types": ["c"]}
    model = quercus.from_xgboost(booster(nominal([1, 2]), **kinds))
    assert model.predict({"x": [0, 1, 2, None, 9]}).tolist() == [-1.0, 1.0, 1.0, -1.0, -1.0]
    with pytest.raises(ParameterError, match=r"does not keep the values of the nominal column 'x'.*tree 0, node 0"):
        quercus.from_xgboost(booster(nominal([1], default_left=0), **kinds))
    given = quercus.from_xgboost(booster(nominal([1], default_left=0), **kinds), categories={"x": ["r", "g", "b"]})
    assert given.predict({"x": ["r", "g", "b", None]}).tolist() == [-1.0, 1.0, -1.0, 1.0]
    kept = {"model": {"cats": {"enc": [{"offsets": [0, 1, 3, 3], "values": [114, 103, 33]}]}}}
    own = quercus.from_xgboost(booster(nominal([1], default_left=0), **kinds, **kept))
    assert own.schema["x"].values == ("r", "g!", "")
    numbers = {"model": {"cats": {"enc": [{"type": 15, "values": [5, 7]}]}}}
    assert quercus.from_xgboost(booster(nominal([1]), **kinds, **numbers)).schema["x"].values == (5, 7)
    with pytest.raises(ParameterError, match="'x' has 1 categories, but its code 1"):
        quercus.from_xgboost(booster(nominal([1]), **kinds), categories={"x": ["r"]})


def test_iterations_of_older_files() -> None:
    trees = [tree(split_conditions=[2.5, -1.0, float(number)]) for number in range(6)]
    parameters = {"gbtree_model_param": {"num_parallel_tree": "1"}}
    data = booster(
        *trees, objective="multi:softprob", base="0", n_classes=3, places=[0, 1, 2, 0, 1, 2], model=parameters
    )
    assert len(quercus.from_xgboost(data, n_iterations=1).forest) == 3
    assert len(quercus.from_xgboost(data, n_iterations=9).forest) == 6
    data["learner"]["attributes"] = {"best_iteration": "0"}
    assert len(quercus.from_xgboost(data).forest) == 3


@pytest.mark.parametrize("objective", ["rank:ndcg", "survival:cox", "survival:aft", "binary:hinge", "binary:logitraw"])
def test_other_objectives_are_refused(objective: str) -> None:
    with pytest.raises(ParameterError, match=f"'{objective}'.*can be imported"):
        quercus.from_xgboost(booster(tree(), objective=objective))


def changed(data: dict[str, Any], value: Any, *path: Any) -> dict[str, Any]:
    data = copy.deepcopy(data)
    place: Any = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return data


PARTS = ("learner", "learner_model_param")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "'version' is missing"),
        ({"version": [9, 0, 0], "learner": {}}, "versions 1, 2 and 3 are read"),
        ({"version": [3, 0, 0]}, "'learner' is missing"),
        (booster(tree(left_children=[0, -1, -1])), "Tree 0, node 0: its child 0 is a child already, or the root"),
        (booster(tree(left_children=[7, -1, -1])), "Tree 0, node 0: its child 7 is no node; there are 3"),
        (booster(tree(right_children=[-1, -1, -1])), "Tree 0, node 0: its child -1 is no node"),
        (booster(tree(), tree(right_children=[1, -1, -1])), "Tree 1, node 0: its child 1 is a child already"),
        (booster(tree(left_children=[])), "Tree 0"),
        (booster(tree(split_conditions=[1.0])), "Tree 0: split_conditions has 1 entries, but there are 3 nodes"),
        (booster(tree(split_indices=[5, 0, 0])), "Tree 0, node 0 asks for column 5 of 1"),
        (booster(tree(default_left=[3, 0, 0])), "default_left holds 0 and 1 only"),
        (booster(tree(split_conditions=[1.0, None, 2.0])), "Tree 0"),
        (booster(tree(split_type=[1, 0, 0])), "categories_nodes does not list the nodes of split_type 1"),
        (booster({**nominal([1]), "categories_sizes": [5]}), "the categories of node 0 are not there"),
        (booster(tree(), places=[0, 0]), "There are 1 trees, but tree_info has 2 entries"),
        (booster(tree(), base="nan"), "base_score is 'nan'"),
        (booster(tree(), places=[3]), "places must name one score"),
        (booster(), "at least one tree"),
        (changed(booster(tree()), "gblinear", "learner", "gradient_booster", "name"), "gbtree and dart"),
        (changed(booster(tree()), "2", *PARTS, "num_target"), "2 targets"),
        (booster(tree(tree_param={"size_leaf_vector": "3"})), "several numbers in a leaf"),
    ],
)
def test_damaged_models_name_the_place(data: Any, words: str) -> None:
    with pytest.raises((DataError, ParameterError), match=words):
        quercus.from_xgboost(data)


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"version": [3, 0')
    with pytest.raises(DataError, match="cut off"):
        quercus.from_xgboost(tmp_path / "bad.json")
    with pytest.raises(DataTypeError, match="no model of XGBoost"):
        quercus.from_xgboost([1, 2])
    (tmp_path / "good.json").write_text(json.dumps(booster(tree())))
    assert quercus.from_xgboost(str(tmp_path / "good.json")).predict({"x": [3.0]}).tolist() == [1.0]


def test_no_file_ends_the_process(tmp_path: Path) -> None:
    contents = [
        b"",
        b" \n",
        b"x",
        b"{",
        b"[1]",
        b"\xff\xfe\x00",
        b"binf" + bytes(100),
        b"{L",
        b"{L" + bytes(8) + b"[" * 9999,
    ]
    for place, content in enumerate(contents):
        (tmp_path / f"{place}.json").write_bytes(content)
    code = (
        "import sys, quercus\n"
        "from quercus.errors import DataError, DependencyError\n"
        "for path in sys.argv[1:]:\n"
        "    try:\n        quercus.from_xgboost(path)\n"
        "    except (DataError, DependencyError):\n        print('refused')"
    )
    paths = [str(tmp_path / f"{place}.json") for place in range(len(contents))]
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "refused\n" * len(contents)), done.stderr


def test_a_damaged_ubj_is_read_or_refused(tmp_path: Path) -> None:
    pytest.importorskip("xgboost", reason="xgboost is not installed")
    theirs, *_ = xgboost_booster(3)
    whole = bytes(theirs.save_raw("ubj"))
    chance, path, refused = np.random.default_rng(0), tmp_path / "model.ubj", 0
    for number in range(300):
        data = bytearray(whole[: int(chance.integers(len(whole)))] if number % 2 else whole)
        for place in chance.integers(0, len(data), 0 if number % 2 else 3).tolist():
            data[place] = int(chance.choice([0, 91, 93, 123, 125, 36, 35, 76, 83, 255]))
        path.write_bytes(bytes(data))
        try:
            quercus.from_xgboost(path)
        except (DataError, ParameterError):
            refused += 1
    assert refused > 200


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{L" + bytes(7) + b"\x01a", "1 bytes are announced, and 0 are left"),
        (b"{L" + bytes(7) + b"\x01a[$S#", "must be of numbers"),
        (b"{L" + bytes(7) + b"\x01a[$d#L" + b"\x7f" * 8, "bytes are announced, and 0 are left"),
        (b"{L" + b"\xff" * 8, "-1 is no length"),
        (b"{L" + bytes(7) + b"\x01\xff", "not in UTF-8"),
        (b"{L" + bytes(7) + b"\x01aQ", "'Q' stands where a number should begin"),
        (b"{L" + bytes(7) + b"\x01aZ}}", "more behind its end"),
        (b"{L" + bytes(7) + b"\x01a" + b"[" * 200, "nested too deeply"),
    ],
)
def test_an_error_in_ubj_names_the_byte(data: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "model.ubj").write_bytes(data)
    with pytest.raises(DataError, match=rf"{words}.*\(byte \d+\)"):
        quercus.from_xgboost(tmp_path / "model.ubj")


@pytest.mark.parametrize("missing", [0.0, -999, 0.1])
def test_the_missing_number_of_an_estimator_is_missing_here(missing: float) -> None:
    xgboost = pytest.importorskip("xgboost")
    chance = np.random.default_rng(3)
    X = chance.normal(size=(200, 2))
    X[chance.random(X.shape) < 0.3] = missing
    y = (np.where(X[:, 0] == missing, 5.0, X[:, 0]) + 0.3 * X[:, 1] * (X[:, 1] != missing) > 0.5).astype(int)
    theirs = xgboost.XGBClassifier(n_estimators=5, max_depth=3, missing=missing, n_jobs=1).fit(X, y)
    model = quercus.from_xgboost(theirs)
    assert {one.missing_tokens for one in model.schema} == {tuple(sorted({missing, float(np.float32(missing))}))}
    X[:5, 0], X[5:9, 1] = np.nan, missing
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(
        model.predict_proba(X.astype(np.float32)), theirs.predict_proba(X.astype(np.float32)), atol=1e-6
    )


def test_a_missing_number_that_cannot_be_said_is_refused() -> None:
    xgboost = pytest.importorskip("xgboost")
    table = pd.DataFrame({"c": pd.Categorical(["a", "b"] * 20), "x": np.arange(40.0)})
    y = np.arange(40) % 2
    theirs = xgboost.XGBClassifier(n_estimators=1, missing=0.0, enable_categorical=True, n_jobs=1).fit(table, y)
    with pytest.raises(ParameterError, match=r"takes 0 for missing.*'c'"):
        quercus.from_xgboost(theirs)
    theirs = xgboost.XGBClassifier(n_estimators=1, n_jobs=1).fit(table[["x"]], y).set_params(missing=np.inf)
    with pytest.raises(ParameterError, match="takes inf for missing"):
        quercus.from_xgboost(theirs)


@pytest.mark.parametrize(
    ("objective", "base"), [("binary:logistic", "0"), ("binary:logistic", "1"), ("count:poisson", "0")]
)
def test_a_base_without_a_finite_score_is_explained(objective: str, base: str) -> None:
    with pytest.raises(DataError, match=f"base_score is .{base}., which gives no finite score: all rows of fitting"):
        quercus.from_xgboost(booster(tree(), objective=objective, base=base))


def test_a_text_is_taken_as_a_file_is() -> None:
    theirs = booster(tree())
    rows = {"x": [1.0, 3.0, None]}
    assert (
        quercus.from_xgboost(json.dumps(theirs)).predict(rows).tolist()
        == quercus.from_xgboost(theirs).predict(rows).tolist()
    )
    with pytest.raises(DataError, match="or it is cut off"):
        quercus.from_xgboost(json.dumps(theirs)[:-5])
    with pytest.raises(FileError, match="The path is empty"):
        quercus.from_xgboost("")
