"""Sparse matrices as tables: reading, what is refused, and estimators that learn from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

import quercus
from quercus.data import encode, encode_like
from quercus.data.sparse import SparseColumns
from quercus.errors import DataError, ParameterError

LAYOUTS = ("csr_matrix", "csc_matrix", "csr_array", "csc_array", "coo_array", "dok_array", "lil_array", "bsr_array")


def counts(rows: int = 200, columns: int = 30, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A table of counts, mostly 0, and classes that depend on three of its columns."""
    draw = np.random.default_rng(seed)
    table = np.where(draw.random((rows, columns)) < 0.15, draw.integers(1, 5, (rows, columns)), 0).astype(float)
    y = (table[:, 1] > 1).astype(int) + (table[:, 4] > 0) + (draw.random(rows) < 0.1)
    return table, y


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read(layout: str) -> None:
    table, _ = counts(7, 5)
    data = encode(getattr(scipy.sparse, layout)(table))
    assert isinstance(data.columns, SparseColumns) and data.n_rows == 7
    np.testing.assert_array_equal(np.column_stack(list(data.columns)), table)
    np.testing.assert_array_equal(np.column_stack(list(data.take([3, 3, 0]).columns)), table[[3, 3, 0]])
    np.testing.assert_array_equal(np.column_stack(list(encode_like(table, data.schema).columns)), table)


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint16, np.bool_, np.float32, np.float64])
def test_every_kind_of_number_is_read(kind: Any) -> None:
    table = np.array([[0, 1], [1, 0], [0, 0]]).astype(kind)
    np.testing.assert_array_equal(np.column_stack(list(encode(scipy.sparse.csr_array(table)).columns)), table)


def test_the_matrix_is_not_changed() -> None:
    matrix = scipy.sparse.csc_array(
        (np.array([1.0, 2.0, 0.0, 5.0]), np.array([2, 0, 1, 1]), np.array([0, 2, 4])), shape=(3, 2)
    )
    before = [array.copy() for array in (matrix.data, matrix.indices, matrix.indptr)]
    read = encode(matrix)
    for array, old in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
        np.testing.assert_array_equal(array, old)
    np.testing.assert_array_equal(np.column_stack(list(read.columns)), [[2, 0], [0, 5], [1, 0]])


def test_long_indices_and_cells_given_twice() -> None:
    matrix = scipy.sparse.csr_array(
        (np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0], dtype=np.int64), np.array([0, 2, 3], dtype=np.int64)),
        shape=(2, 2),
    )
    tree = quercus.CARTClassifier().fit(matrix, ["a", "b"])
    assert tree.predict(matrix).tolist() == ["a", "b"]
    np.testing.assert_array_equal(np.column_stack(list(encode(matrix).columns)), [[0, 3], [4, 0]])


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (scipy.sparse.csr_array([[0, np.nan], [1, 0]]), r"NaN in row 0, column 1 .*\.toarray\(\)"),
        (scipy.sparse.csr_array([[0, 1], [-np.inf, 0]]), r"infinity .* row 1, column 0"),
        (scipy.sparse.csr_array([[0, 1j], [1, 0]]), "Complex data not supported"),
        (scipy.sparse.csr_array((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        (scipy.sparse.csr_array((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\)"),
    ],
)
def test_what_is_refused(matrix: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        encode(matrix)
    with pytest.raises(DataError, match=message):
        quercus.CARTClassifier().fit(matrix, [0, 1, 0][: matrix.shape[0]])


def test_kinds_and_tokens_do_not_fit_a_sparse_table() -> None:
    matrix = scipy.sparse.csr_array(np.eye(3))
    for options in ({"kinds": {"x1": "nominal"}}, {"domains": {"x1": [0, 1]}}, {"missing_tokens": [0]}):
        with pytest.raises(DataError, match="sparse table is numeric"):
            encode(matrix, **options)  # type: ignore[arg-type]


def test_a_schema_with_other_columns_is_refused() -> None:
    model = quercus.CARTClassifier().fit({"a": ["x", "y", "x"], "b": [1, 2, 3]}, [0, 1, 0])
    with pytest.raises(DataError, match="'a' is nominal: a sparse table holds numbers only"):
        model.predict(scipy.sparse.csr_array((2, 2)))
    model = quercus.CARTClassifier().fit(scipy.sparse.csr_array(np.eye(3)), [0, 1, 0])
    with pytest.raises(ValueError, match="2"):
        model.predict(scipy.sparse.csr_array((2, 2)))


@pytest.mark.parametrize("learner", ["PARTClassifier", "RIPPERClassifier", "C45RulesClassifier"])
def test_rules_are_learned_from_dense_tables(learner: str) -> None:
    with pytest.raises(TypeError, match=rf"{learner} learns from dense data"):
        getattr(quercus, learner)().fit(scipy.sparse.csr_array(np.eye(3)), [0, 1, 0])


def test_surrogates_are_not_for_sparse_tables() -> None:
    with pytest.raises(ParameterError, match=r"surrogate.* not for sparse"):
        quercus.CARTClassifier(missing="surrogate").fit(scipy.sparse.csr_array(np.eye(3)), [0, 1, 0])


LEARNERS = {
    "CART": quercus.CARTClassifier(),
    "CART pruned": quercus.CARTClassifier(ccp_alpha=0.01),
    "C4.5": quercus.C45Classifier(),
    "C4.5 reduced error": quercus.C45Classifier(prune="reduced_error", random_state=1),
    "ID3": quercus.ID3Classifier(form="threshold"),
    "forest": quercus.RandomForestClassifier(n_estimators=5, random_state=0),
    "bagging": quercus.BaggingClassifier(quercus.C45Classifier(), n_estimators=3, random_state=0),
    "boosting": quercus.BoostedClassifier(n_estimators=3),
    "number": quercus.CARTRegressor(min_samples_leaf=3),
    "forest of numbers": quercus.RandomForestRegressor(n_estimators=4, random_state=0),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_estimators_answer_as_from_the_dense_table(name: str) -> None:
    from sklearn.base import clone

    table, y = counts()
    new, _ = counts(50, 30, seed=9)
    sparse, dense = clone(LEARNERS[name]), clone(LEARNERS[name])
    sparse.fit(scipy.sparse.csr_matrix(table), y)
    dense.fit(table, y)
    np.testing.assert_array_equal(sparse.predict(new), dense.predict(new))
    np.testing.assert_array_equal(sparse.predict(scipy.sparse.coo_array(new)), dense.predict(new))
    if hasattr(dense, "predict_proba"):
        np.testing.assert_allclose(sparse.predict_proba(scipy.sparse.csc_array(new)), dense.predict_proba(new))
    np.testing.assert_array_equal(sparse.apply(scipy.sparse.csr_array(new)), dense.apply(new))


def test_a_model_of_a_sparse_table_is_an_ordinary_model(tmp_path: Any) -> None:
    table, y = counts()
    matrix = scipy.sparse.csr_array(table)
    model = quercus.C45Classifier().fit(matrix, y)
    quercus.save(model, tmp_path / "m.json")
    np.testing.assert_array_equal(quercus.load(tmp_path / "m.json").predict(matrix), model.predict(matrix))
    assert "x1" in str(model) and model.score(matrix, y) > 0.8
    assert model.explain(matrix, row=3).label == model.predict(matrix)[3]
    assert len(model.rules()) > 1


@pytest.mark.parametrize("name", ["CART", "forest", "number", "boosting"])
def test_many_rows_are_answered_block_by_block(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.base import clone

    table, y = counts()
    model = clone(LEARNERS[name]).fit(scipy.sparse.csr_array(table), y)
    whole = model.predict(table)
    monkeypatch.setattr("quercus.data.dataset.DENSE_CELLS", 64)
    np.testing.assert_array_equal(model.predict(scipy.sparse.csr_array(table)), whole)


def test_extremely_randomised_trees_draw_the_same_cuts() -> None:
    for seed in range(20):
        table, y = counts(80, 12, seed)
        table = table * np.random.default_rng(seed).choice([1.0, 0.1, -1.0], 12)
        for features in (None, 3, "sqrt"):
            arguments: Any = {"n_estimators": 3, "random_thresholds": True, "bootstrap": False, "random_state": seed}
            forest = quercus.RandomForestClassifier(max_features=features, **arguments)
            sparse = quercus.RandomForestClassifier(max_features=features, **arguments)
            forest.fit(table, y)
            sparse.fit(scipy.sparse.csr_array(table), y)
            assert [str(tree) for tree in sparse.model_.forest] == [str(tree) for tree in forest.model_.forest]


CONSTRAINTS: tuple[dict[str, Any], ...] = (
    {"monotonic_cst": [1, 1] + [0] * 28},
    {"interaction_cst": [list(range(5)), list(range(5, 30))]},
    {"monotonic_cst": {"x4": -1}, "interaction_cst": "pairwise"},
)


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=lambda one: "-".join(one))
@pytest.mark.parametrize("random", [None, False, True])
def test_constraints_hold_as_in_the_dense_table(constraints: dict[str, Any], random: bool | None) -> None:
    table, y = counts()
    y = y > 0
    if random is None:
        models: list[Any] = [quercus.CARTClassifier(**constraints) for _ in range(2)]
    else:
        models = [
            quercus.RandomForestClassifier(4, random_state=3, random_thresholds=random, **constraints) for _ in range(2)
        ]
    dense, sparse = models[0].fit(table, y), models[1].fit(scipy.sparse.csr_array(table), y)
    np.testing.assert_array_equal(sparse.predict_proba(table), dense.predict_proba(table))


@pytest.mark.parametrize("name", ["CART", "forest", "number"])
def test_shapley_values_of_sparse_rows(name: str) -> None:
    from sklearn.base import clone

    table, y = counts()
    model = clone(LEARNERS[name]).set_params(max_depth=4).fit(scipy.sparse.csr_array(table), y)
    sparse, dense = model.shap_values(scipy.sparse.csr_array(table[:5])), model.shap_values(table[:5])
    np.testing.assert_array_equal(sparse.values, dense.values)
