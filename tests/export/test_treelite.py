"""treelite answers as the model does, and what its trees cannot say is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from export.models import CLASSES, NAMES, VALUES, random_table

import quercus as q
from quercus.errors import ExportError
from quercus.export import export, treelite_model, treelite_rows, vectors_of, verify
from quercus.export.program import ELSEWHERE
from quercus.tree.tree import Tree

treelite = pytest.importorskip("treelite", reason="treelite is not installed")


@pytest.mark.parametrize(
    "model",
    [
        q.CARTClassifier(missing="most_common"),
        q.ID3Classifier(missing="own_value"),
        q.RandomForestClassifier(5, random_state=0),
        q.RandomForestClassifier(5, random_state=0, vote="majority", max_depth=3),
        q.RandomForestRegressor(5, random_state=0),
    ],
)
def test_encoded_tables_are_answered_to_the_last_bit(model: Any) -> None:
    chance = np.random.default_rng(4)
    columns = random_table(chance, 500)
    X, rows = ({name: cells[part] for name, cells in columns.items()} for part in (slice(300), slice(300, 500)))
    numbers = "Regressor" in type(model).__name__
    model.fit(X, chance.normal(size=300) if numbers else np.array(CLASSES[0])[chance.integers(0, 4, 300)])
    wanted = model.predict(rows)[:, None] if numbers else model.predict_proba(rows)
    answers = treelite.gtil.predict(treelite_model(model), treelite_rows(model, rows))
    assert np.array_equal(answers.reshape(200, -1), wanted)


def test_the_file_tells_how_rows_are_encoded() -> None:
    names = NAMES[:6]
    X = dict(zip(names, [VALUES[:6], *([float(number) for number in range(6)] for _ in names[1:])], strict=True))
    model = q.CARTClassifier().fit(X, ["p", "q", 'r"', "p", "q", "p"])
    content = export(model, "treelite")
    assert isinstance(content, bytes)
    said = json.loads(str(treelite.Model.deserialize_bytes(content).get_header_accessor().get_field("attributes")))
    columns = said["quercus"]["columns"]
    assert [column["name"] for column in columns] == names
    assert said["quercus"]["classes"] == list(model.classes_) and said["quercus"]["checksum"].encode() in content
    assert [column["kind"] for column in columns] == ["nominal", *["numeric"] * 5]
    rows = X | {names[0]: [*columns[0]["values"][:5], "never seen"]}
    assert np.array_equal(treelite_rows(model, rows)[:, 0], [0, 1, 2, 3, 4, np.nan], equal_nan=True)


@pytest.mark.parametrize("maker", [q.CARTClassifier, q.ID3Classifier])
def test_ten_thousand_values(maker: Any) -> None:
    columns = {"c": [f"v{i}" for i in range(10_000)], "n": np.arange(10_000) % 13}
    model = maker(prune=False).fit(columns, np.arange(10_000) % 7 % 2)
    result = verify(export(model, "treelite"), vectors_of(model, most=10_100), "treelite")
    assert result.is_exact, str(result)


def test_one_leaf_and_one_class() -> None:
    for y in (["a", "b", "b"], ["a", "a", "a"], [1.5, 2.0, 2.5]):
        maker = q.CARTRegressor if isinstance(y[0], float) else q.CARTClassifier
        model = maker().fit({"x": [1.0, 1.0, 1.0]}, y)
        result = verify(export(model, "treelite"), vectors_of(model), "treelite")
        assert result.is_exact, str(result)


def test_a_question_whose_values_all_take_one_branch() -> None:
    tree = q.CARTClassifier().fit({"c": ["a", "b", "a", "b"]}, ["x", "y", "x", "y"]).tree_
    one_way = {**tree.arrays, "group_child": np.full_like(tree.group_child, int(tree.missing_child[0]))}
    changed = Tree.from_arrays(one_way, tree.schema, tree.target_kind, criterion=tree.criterion)
    result = verify(export(changed, "treelite"), vectors_of(changed), "treelite")
    assert result.is_exact, str(result)


@pytest.mark.parametrize(
    "model, words",
    [
        (q.C45Classifier(prune=False), "Node 0 of tree 0 spreads unknown values"),
        (q.CARTClassifier(missing="surrogate", max_depth=5), r"Node \d+ of tree 0 has surrogates"),
        (q.PARTClassifier(), "no rule lists"),
        (q.CARTClassifier(cost_matrix=[[0, 2], [1, 0]]), "costs of mistakes"),
        (q.CARTClassifier(decision_threshold=0.3), "decision threshold"),
        (q.BoostedClassifier(n_estimators=3), "different weights"),
    ],
)
def test_what_treelite_cannot_say_is_refused_with_the_way_out(model: Any, words: str) -> None:
    chance = np.random.default_rng(0)
    X = chance.normal(size=(120, 3))
    y = (X[:, 0] + 0.5 * X[:, 1] + chance.normal(size=120) > 0).astype(int)
    X[:, 1] = X[:, 0] + 0.1 * chance.normal(size=120)
    X[chance.random(X.shape) < 0.1] = np.nan
    with pytest.raises(ExportError, match=words) as refusal:
        export(model.fit(X, y), "treelite")
    assert str(refusal.value).endswith(ELSEWHERE)
