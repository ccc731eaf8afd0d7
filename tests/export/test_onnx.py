"""ONNX says every model: divided rows, surrogates and rules too, in graphs that grow with the nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from export.models import random_model, random_table

import quercus as q
from quercus.data.schema import Attribute, Schema
from quercus.errors import ExportError
from quercus.export import export, program_of, vectors_of, verify
from quercus.export import onnx as onnx_file
from quercus.export.onnx_ensemble import _Nodes
from quercus.export.program import TreeTable
from quercus.rules.condition import is_known, is_unknown
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList
from quercus.tree.tree import Tree

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def exact(model: Any, **options: Any) -> None:
    result = verify(export(model, "onnx"), vectors_of(model, **options), "onnxruntime")
    assert result.is_exact, str(result)


def run(model: Any, columns: dict[str, Any]) -> list[Any]:
    session = onnxruntime.InferenceSession(export(model, "onnx"), providers=["CPUExecutionProvider"])
    answers: list[Any] = session.run(None, {one.name: columns[one.name] for one in session.get_inputs()})
    return answers


@pytest.mark.parametrize("name", ["part", "c45 rules", "ripper"])
def test_rules_that_vote_answer_alike_up_to_rounding(name: str) -> None:
    for seed in range(4):
        rules = random_model(name, seed).model_.rule_list.with_mode("voting")
        result = verify(export(rules, "onnx"), vectors_of(rules, drawn=60, most=200, seed=seed), "onnxruntime")
        assert result.wrong == 0 and result.largest <= 1e-12, f"{name}, seed {seed}: {result}"


def test_votes_for_numbers_are_a_mean() -> None:
    chance = np.random.default_rng(3)
    tree = q.CARTRegressor(max_depth=3).fit(random_table(chance, 60), chance.normal(size=60))
    rules = tree.rules()
    rules = getattr(rules, "rule_list", rules).with_mode("voting")
    result = verify(export(rules, "onnx"), vectors_of(rules), "onnxruntime")
    assert result.largest <= 1e-12, str(result)


@pytest.mark.parametrize("size", [64, 65, 1000])
@pytest.mark.parametrize(
    "model", [q.CARTClassifier(max_depth=4), q.C45Classifier(prune=False, value_groups=True), q.PARTClassifier()]
)
def test_sets_of_many_values(model: Any, size: int) -> None:
    chance = np.random.default_rng(size)
    if size == 1000 and isinstance(model, q.C45Classifier):
        size = 150  # merging groups of more values takes long
    columns = {"c": [f"v{i}" for i in range(size)] * 3, "n": np.arange(3 * size) % 13}
    exact(model.fit(columns, np.tile(chance.integers(0, 2, size), 3)))


@pytest.mark.parametrize(
    "model", [q.CARTClassifier(max_depth=3), q.ID3Classifier(prune=False), q.C45Classifier(prune=False)]
)
def test_ten_thousand_values(model: Any) -> None:
    columns = {"c": [f"v{i}" for i in range(10_000)] * 2, "n": np.arange(20_000) % 13}
    model.fit(columns, np.tile(np.arange(10_000) % 7 % 2, 2))
    content = export(model, "onnx")
    assert len(content) < 2_000_000
    result = verify(content, vectors_of(model, most=10_100), "onnxruntime")
    assert result.is_exact and result.rows > 10_000, str(result)


def test_rules_on_many_values_stay_small() -> None:
    columns = {"c": [f"v{i}" for i in range(2_000)] * 3}
    model = q.PARTClassifier().fit(columns, np.tile(np.arange(2_000) % 7 % 2, 3))
    assert len(model.rules_) > 1_000
    assert len(export(model, "onnx")) < 200 * len(model.rules_)


def test_five_hundred_questions_with_divided_rows() -> None:
    x = np.arange(501.0)
    model = q.CARTClassifier(criterion="misclassification", missing="fractional")
    model.fit(x[:, None], np.arange(501) % 2)
    assert model.get_depth() >= 400
    exact(model, drawn=20, most=100)


def test_graphs_grow_with_the_nodes_and_not_faster() -> None:
    chance = np.random.default_rng(0)
    sizes = []
    for n in (2_000, 8_000):
        X, y = chance.normal(size=(n, 4)), chance.integers(0, 2, n)
        model = q.C45Classifier(prune=False).fit(X, y)
        content = export(model, "onnx")
        sizes.append((len(content) / model.tree_.n_nodes, len(onnx.load_from_string(content).graph.node)))
    assert sizes[1][0] < 1.1 * sizes[0][0]
    assert sizes[0][1] == sizes[1][1]


@pytest.mark.parametrize("name", ["c45 whole", "cart surrogates", "part", "bagged rules", "forest", "bagging votes"])
def test_no_rows_give_no_answers(name: str) -> None:
    model = random_model(name, 2)
    session = onnxruntime.InferenceSession(export(model, "onnx"), providers=["CPUExecutionProvider"])
    kinds = {"tensor(double)": np.float64, "tensor(string)": object}
    labels, shares = session.run(None, {one.name: np.empty((0, 1), kinds[one.type]) for one in session.get_inputs()})
    assert labels.shape == (0,) and shares.shape == (0, program_of(model).width)


def test_a_large_batch_is_added_up_in_order() -> None:
    chance = np.random.default_rng(5)
    columns: dict[str, Any] = {f"x{i}": chance.normal(size=400).tolist() for i in range(4)}
    y = np.array(["a", "b", "c"])[chance.integers(0, 3, 400)]
    model = q.BaggingClassifier(q.C45Classifier(prune=False), 3, random_state=0).fit(columns, y)
    cells = chance.normal(size=(4_000, 4))
    cells[chance.random(cells.shape) < 0.4] = np.nan
    rows = {f"x{i}": cells[:, i] for i in range(4)}
    labels, shares = run(model, {name: column[:, None] for name, column in rows.items()})
    assert np.array_equal(shares, model.predict_proba(rows)) and np.array_equal(labels, model.predict(rows))


def test_a_model_without_questions_answers_for_every_row() -> None:
    model = q.CARTClassifier().fit({"x": [1.0, 1.0, 1.0], "c": ["a", "a", "a"]}, ["u", "v", "v"])
    assert model.tree_.n_nodes == 1
    labels, shares = run(model, {"x": np.zeros((2, 1))})
    assert labels.tolist() == ["v", "v"] and np.array_equal(shares, model.predict_proba({"x": [0, 0], "c": ["a"] * 2}))
    exact(model)


def test_columns_may_have_the_names_that_a_graph_would_use() -> None:
    names = ["_t1", "_c0", "t1", "__t2", "n/a: 'x'"]
    chance = np.random.default_rng(1)
    columns = {name: chance.integers(0, 9, 200).astype(float).tolist() for name in names}
    exact(q.C45Classifier(prune=False).fit(columns, chance.integers(0, 2, 200)))


def test_a_boolean_that_is_neither_is_unknown() -> None:
    chance = np.random.default_rng(2)
    columns = {"b": [True, False] * 20, "x": chance.normal(size=40).tolist()}
    model = q.C45Classifier(prune=False).fit(columns, np.array(columns["b"]) ^ (np.array(columns["x"]) > 1))
    cells = {"b": np.array([[2.0], [np.nan]]), "x": np.array([[0.1], [0.1]])}
    _, shares = run(model, cells)
    assert shares[0].tolist() == shares[1].tolist() == model.predict_proba({"b": [None], "x": [0.1]})[0].tolist()


def test_a_graph_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_file, "MOST_BYTES", 1_000)
    with pytest.raises(ExportError, match=r"larger than the 1,000 bytes.*export to C"):
        export(random_model("forest", 1), "onnx")


def test_no_root_has_a_leaf_and_a_question_of_the_same_number() -> None:
    """onnxruntime before 1.24 takes such a root for a leaf."""
    for seed in range(40):
        program = program_of(random_model("forest", seed))
        nodes = _Nodes(program.inputs or [0])
        for place, table in enumerate(program.members):
            assert isinstance(table, TreeTable)
            nodes.add(table, place)
        for root in nodes.roots:
            assert nodes.true[root] != nodes.false[root] or nodes.true_leaf[root] == nodes.false_leaf[root]


def test_a_question_whose_values_all_take_one_branch() -> None:
    model = q.CARTClassifier().fit({"c": ["a", "b", "a", "b"]}, ["x", "y", "x", "y"])
    tree = model.tree_
    one_way = {**tree.arrays, "group_child": np.full_like(tree.group_child, int(tree.missing_child[0]))}
    exact(Tree.from_arrays(one_way, tree.schema, tree.target_kind, criterion=tree.criterion))


def test_an_unknown_value_ends_where_no_branch_has_weight() -> None:
    X = {"x": [1.0, 2.0, 3.0, 4.0] * 3, "z": [0.0, 0.0, 1.0, 1.0] * 3}
    tree = q.C45Classifier(prune=False).fit(X, ["a", "b", "c", "c"] * 3).tree_
    node = int(np.flatnonzero(tree.n_children)[-1])
    children = slice(int(tree.first_child[node]), int(tree.first_child[node]) + 2)
    arrays = {name: array.copy() for name, array in tree.arrays.items()}
    for name in ("weight", "count", "value"):
        arrays[name][children] = 0
    changed = Tree.from_arrays(arrays, tree.schema, tree.target_kind, criterion=tree.criterion)
    table = program_of(changed).members[0]
    assert isinstance(table, TreeTable) and table.ends(node) and node > 0
    exact(changed)


def test_rules_that_ask_whether_a_value_is_unknown() -> None:
    schema = Schema((Attribute("x", "numeric"), Attribute("c", "nominal", ("u", "v", "w"))))
    number, value = schema["x"], schema["c"]
    conditions = [(is_unknown(number), is_unknown(value)), (is_known(value), is_unknown(number)), (is_known(number),)]
    rules = [Rule(one, place, ("a", "b", "c", "d")) for place, one in enumerate(conditions)]
    exact(RuleList(rules, 3, schema, ("a", "b", "c", "d")))


@pytest.mark.parametrize("threshold", [0.25, 0.5, 0.75])
def test_a_share_that_reaches_the_decision_threshold(threshold: float) -> None:
    X = {"x": [1.0] * 4 + [2.0] * 4 + [3.0] * 4}
    y = ["n", "n", "n", "y", "n", "n", "y", "y", "n", "y", "y", "y"]
    model = q.CARTClassifier(decision_threshold=threshold).fit(X, y)
    assert threshold in model.predict_proba(X)[:, 1]
    exact(model)


def test_a_number_that_means_missing_is_unknown() -> None:
    chance = np.random.default_rng(7)
    x, z = chance.integers(-2, 9, 200).astype(float), chance.normal(size=200)
    for maker in (q.CARTClassifier, q.C45Classifier):
        model = maker(missing_tokens=[-1, -2.0], prune=False).fit({"x": x.tolist(), "z": z.tolist()}, (x + z > 4))
        assert model.model_.schema["x"].missing_tokens
        exact(model)
        cells = {"x": np.array([[-1.0], [-2.0], [np.nan]]), "z": np.full((3, 1), 0.5)}
        assert len(set(map(tuple, run(model, cells)[1].tolist()))) == 1
