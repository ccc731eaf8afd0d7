"""Whatever form rows come in and however they go down a tree, the answers are the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import quercus
from predict import twin
from predict.random_trees import random_rows, random_schema, random_tree
from quercus import _core
from quercus.data import Dataset, encode_like
from quercus.data.asked import AskedDataset, CellDataset, encode_asked
from quercus.errors import DataError
from quercus.predict.predict import SparseValues, apply, predict_codes, predict_distribution, predict_sparse
from quercus.targets.labels import TIE, label_codes
from quercus.tree import Tree


def with_steps(tree: Tree, steps: str) -> Tree:
    """The tree whose rows go down in step, one after the other, or in blocks that are divided."""
    arrays = tuple(getattr(tree, name) for name in _core.predict_arrays)
    tree.__dict__["compact"] = _core.CompactTree(arrays, len(tree.schema), steps)
    return tree


@pytest.mark.parametrize("steps", ["together", "alone", "divided"])
@pytest.mark.parametrize("style", ["numbers", "codes", "mixed"])
def test_rows_end_as_by_the_twin_however_they_go_down(style: str, steps: str) -> None:
    """Trees of all kinds of question, with surrogates and unknown values, in columns and in matrices of any layout."""
    for seed in range(120):
        random = np.random.default_rng([seed, len(style)])
        schema = random_schema(random, style)
        tree = with_steps(random_tree(random, schema, random.choice(["any", "spread", "child"])), steps)
        rows = random_rows(random, schema, int(random.integers(1, 80)), 0.2, float(random.choice([0.0, 0.5, 1.0])))
        routes = twin.all_reached(tree, rows)
        values, where = tree.distributions(), f"{style}, seed {seed}"
        expected = twin.distributions(routes, values)
        assert np.array_equal(predict_distribution(tree, rows), expected), where
        assert apply(tree, rows).tolist() == twin.leaves(routes), where
        codes = predict_codes(tree, rows, values, label_codes(values).astype(np.int64), label_codes)
        assert np.array_equal(codes, label_codes(expected)), where
        if style != "numbers":
            continue
        cells = np.column_stack(rows.columns)
        wide = np.full((len(cells), 2 * cells.shape[1]), 7.0, dtype=cells.dtype)
        wide[:, ::2] = cells
        for form in (cells, np.asfortranarray(cells), wide[:, ::2], cells[::-1].copy()[::-1]):
            assert np.array_equal(
                predict_distribution(tree, CellDataset.of(schema, form, range(len(schema)))), expected
            ), where


@pytest.mark.parametrize("missing", ["surrogate", "fractional", "most_common"])
@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_many_rows_with_codes_end_as_each_alone(number: Any, missing: Any) -> None:
    """More rows than one block holds, more levels than a word has bits, levels that the tree does not know, gaps."""
    random = np.random.default_rng(0)
    n, levels = 40_000, 300
    code = random.integers(0, levels, n)
    frame = pd.DataFrame({"level": code, "few": random.integers(0, 5, n), "x": random.normal(size=n).astype(number)})
    y = random.random(levels)[code] + 0.3 * frame["x"] + 0.1 * frame["few"] > 0.7
    frame = frame.mask(random.random(frame.shape) < 0.05)
    kinds: Any = {"level": "nominal", "few": "nominal"}
    model = quercus.CARTClassifier(missing=missing, kinds=kinds, max_leaf_nodes=400)
    model.fit(frame[frame["level"] != 7].iloc[:4000], y[frame["level"] != 7].iloc[:4000])
    tree, rows = model.tree_, encode_like(frame, model.schema_)
    expected = apply(with_steps(tree, "alone"), rows)
    assert len(np.unique(expected)) > 100
    for steps in ("divided", "chosen", "together"):
        assert np.array_equal(apply(with_steps(tree, steps), rows), expected), steps
        assert np.array_equal(apply(tree, rows, n_jobs=2), expected), steps


def test_an_infinite_number_off_the_way_of_a_row_does_not_count() -> None:
    """Blocks that are divided copy all cells; the others tell whether a question reads an infinite one."""
    random = np.random.default_rng(0)
    cells = random.normal(size=(3000, 2))
    tree = quercus.CARTClassifier().fit(cells, (cells[:, 0] > 0) | (cells[:, 1] > 1)).tree_
    asked_second = int(tree.attribute[0] == 0)  # by rows on one side of the first cut only
    cells[cells[:, 1 - asked_second] > 1.5, asked_second] = np.inf
    found = {
        steps: with_steps(tree, steps).compact.find_leaves(cells, len(cells), refuse_infinite=True) is None
        for steps in ("alone", "together", "divided")
    }
    assert len({*found.values()}) == 1, found


def test_values_without_zeros_say_the_same() -> None:
    """Shares written one by one are those that are copied whole."""
    for seed in range(100):
        random = np.random.default_rng(seed)
        schema = random_schema(random, "mixed")
        tree = random_tree(random, schema)
        rows = random_rows(random, schema, 40, 0.3)
        values = np.where(random.random((tree.n_nodes, 200)) < 0.02, random.random((tree.n_nodes, 200)), 0.0)
        sparse = SparseValues.of(values)
        assert sparse is not None
        assert np.array_equal(predict_sparse(tree, rows, sparse), predict_distribution(tree, rows, values)), seed


def test_the_first_of_tied_scores_is_found() -> None:
    """The core's rule is the one that NumPy said before: within the tolerance of the largest, the first."""
    random = np.random.default_rng(0)
    for width in (1, 2, 3, 4, 7, 128):
        few = [0.0, 0.25, 0.25 + TIE / 2, 0.25 + 3 * TIE, 0.5, np.nan]
        scores = random.choice(few, (300, width), p=[0.2, 0.2, 0.2, 0.2, 0.15, 0.05])
        if width == 2:
            expected = scores[:, 1] > scores[:, 0] + TIE
        else:
            expected = (scores >= scores.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
        assert np.array_equal(_core.first_largest(scores, TIE), expected)


def table(n: int) -> pd.DataFrame:
    random = np.random.default_rng(n)
    colour = pd.Categorical(random.choice(["red", "green", "blue", None], n), categories=["blue", "green", "red"])
    frame = pd.DataFrame(
        {
            "x": random.normal(size=n),
            "narrow": random.normal(size=n).astype(np.float32),
            "whole": random.integers(0, 9, n),
            "colour": colour,
            "size": pd.Categorical(random.choice(["S", "M"], n), categories=["S", "M"], ordered=True),
            "text": random.choice(["a", "b", "c"], n),
            "yes": random.random(n) < 0.5,
            "day": pd.Timestamp("2024-05-01") + pd.to_timedelta(random.integers(0, 90, n), unit="D"),
            "unused": random.normal(size=n),
        }
    )
    frame.loc[random.random(n) < 0.1, "x"] = np.nan
    frame.loc[random.random(n) < 0.1, "text"] = None
    return frame


def answers(model: Any, rows: Any) -> np.ndarray:
    return np.asarray(model.predict_proba(rows))


@pytest.mark.parametrize("without", [[], ["day"], ["day", "yes", "size", "text", "colour"]])
@pytest.mark.parametrize(
    "model",
    [
        quercus.CARTClassifier(),
        quercus.CARTClassifier(missing="surrogate", max_depth=3),
        quercus.C45Classifier(),
        quercus.RandomForestClassifier(n_estimators=3, random_state=0),
    ],
)
def test_a_frame_is_answered_as_its_encoded_rows(model: Any, without: list[str]) -> None:
    """Whole frames and single rows, of pandas and polars, by the asked columns or by all."""
    frame = table(300).drop(columns=without)
    y = np.where(frame["x"].fillna(0) + frame["whole"] % 3 > 1, "in", "out")
    model = model.fit(frame, y)
    expected = answers(model, encode_like(frame, model.schema_))
    for given in (frame, pl.from_pandas(frame)) if not without or "size" in without else (frame,):
        assert np.array_equal(answers(model, given), expected)
        assert np.array_equal(model.predict(given), model.predict(encode_like(frame, model.schema_)))
    for row in range(40):
        one = frame.iloc[row : row + 1]
        assert np.array_equal(answers(model, one), expected[row : row + 1]), row
        if "size" in without:
            assert np.array_equal(answers(model, pl.from_pandas(one)), expected[row : row + 1]), row


def test_one_row_is_read_by_its_values() -> None:
    """Values that need care go the long way, with the same result or the same error."""
    frame = table(200)[["x", "whole", "colour", "text"]]
    model = quercus.CARTClassifier().fit(frame, (frame["whole"] > 4) ^ (frame["text"] == "a"))
    schema, asked = model.schema_, range(4)
    assert type(encode_asked(frame.iloc[:1], schema, asked)) is AskedDataset
    strange = frame.iloc[:1].assign(text="new")
    got = encode_asked(strange, schema, asked)
    assert type(got) is AskedDataset and got.columns[3].tolist() == [-1]
    for change in ({"whole": 2**60 + 1}, {"x": "text"}, {"x": np.inf}, {"text": 7}):
        other = frame.iloc[:1].assign(**change)
        with pytest.raises(DataError) as found:
            encode_like(other, schema)
        with pytest.raises(DataError, match=r"Column|Input") as again:
            encode_asked(other, schema, asked)
        assert str(found.value) == str(again.value)


def test_only_asked_columns_are_read() -> None:
    """An infinite number, or text, matters only where a question reads it; then it is refused by name."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 5))
    model = quercus.CARTClassifier().fit(X, X[:, 2] > 0)
    forest = quercus.RandomForestClassifier(n_estimators=3, random_state=0, max_features=None).fit(X, X[:, 2] > 0)
    other = X.copy()
    other[:, 0] = np.inf
    for fitted in (model, forest):
        assert np.array_equal(fitted.predict(other), fitted.predict(X))
        spoiled = X.copy()
        spoiled[7, 2] = -np.inf
        with pytest.raises(DataError, match=r"column 'x2' holds -inf in row 7"):
            fitted.predict(spoiled)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(a="text")
    named = quercus.CARTClassifier().fit(pd.DataFrame(X, columns=list("abcde")), X[:, 2] > 0)
    assert np.array_equal(named.predict(frame), model.predict(X))
    with pytest.raises(DataError, match="column 'c' holds inf"):
        named.predict(frame.assign(c=np.inf))


def test_datasets_with_infinite_numbers_are_routed() -> None:
    """Encoded by hand they are answered as before: an infinite number is above or below every threshold."""
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 2))
    model = quercus.CARTClassifier().fit(X, X[:, 0] > 0)
    rows = Dataset(model.schema_, (np.array([np.inf, -np.inf]), np.zeros(2)), 2)
    assert model.predict(rows).tolist() == [True, False]


def test_texts_are_encoded_straight_as_by_their_distinct_values() -> None:
    """Objects, texts of pandas, categoricals and polars; with gaps, new values, and values that need care."""
    random = np.random.default_rng(0)
    letters = np.array([*"abcdefgh"], dtype=object)
    y = random.random(600) < 0.5
    model = quercus.CARTClassifier().fit(pd.DataFrame({"t": random.choice(letters[:6], 600)}), y)
    asked, schema = [0], model.schema_
    for n in (3, 499, 500, 700):
        cells = random.choice(letters, n)
        cells[random.random(n) < 0.1] = None
        forms: list[Any] = [
            pd.DataFrame({"t": pd.Series(cells, dtype=kind)}) for kind in (object, "string[pyarrow]", "str", "category")
        ]
        texts = pl.DataFrame({"t": pl.Series(cells.tolist(), dtype=pl.String)})
        forms += [texts, texts.with_columns(pl.col("t").cast(pl.Categorical)), pl.concat([texts[:1], texts[1:]])]
        for form in forms:
            expected = encode_like(form, schema).columns[0]
            found = encode_asked(form, schema, asked).columns[0]
            assert found.dtype == np.int32 and np.array_equal(found, expected), (n, type(form))
            assert not len(form) or len({*expected.tolist()}) > 1
    for wrong in ([1, 2, 3], [["a"], ["b"]], [b"a", b"b"]):
        with pytest.raises(DataError) as straight:
            encode_asked(pd.DataFrame({"t": pd.Series(wrong, dtype=object)}), schema, asked)
        with pytest.raises(DataError) as long:
            encode_like(pd.DataFrame({"t": pd.Series(wrong, dtype=object)}), schema)
        assert str(straight.value) == str(long.value)
    mixed = pd.DataFrame({"t": pd.Series(["a", 1, True, None, "new"], dtype=object)})
    assert encode_asked(mixed, schema, asked).columns[0].tolist() == encode_like(mixed, schema).columns[0].tolist()


def test_a_categorical_with_other_categories_is_encoded_by_their_values() -> None:
    """The codes of the categories that were read last are kept; others must not be taken for them."""
    frame = table(300)[["x", "colour"]]
    model = quercus.CARTClassifier().fit(frame, (frame["colour"] == "red") ^ (frame["x"] > 0))
    expected = model.predict(frame)
    turned = frame.assign(colour=pd.Categorical(frame["colour"], categories=["red", "new", "green", "blue"]))
    for given in (frame, turned, frame, turned):
        assert np.array_equal(model.predict(given), expected)


@pytest.mark.parametrize("number", [pl.Float32, pl.Float64, pl.Int64])
def test_numbers_of_polars_are_read_where_they_are(number: Any) -> None:
    """With nulls, which are unknown, in several chunks, and infinite, which is refused by its name."""
    values = pl.Series("x", [1, None, 3, 4, 5, 6] * 100, dtype=number)
    frame = pl.DataFrame({"x": pl.concat([values[:100], values[100:]], rechunk=False)})
    model = quercus.CARTClassifier().fit(frame, [0, 1, 0, 0, 1, 1] * 100)
    found = encode_asked(frame, model.schema_, [0]).columns[0]
    assert np.array_equal(found, encode_like(frame, model.schema_).columns[0], equal_nan=True)
    if number != pl.Int64:
        with pytest.raises(DataError, match="infinity"):
            model.predict(pl.DataFrame({"x": pl.Series([1.0, float("inf")] * 300, dtype=number)}))
