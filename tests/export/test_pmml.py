"""PMML: both engines answer as the model in special cases, names stay inside their quotes, and the rest is refused."""

from __future__ import annotations

import datetime as dt
import shutil
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from export.models import MAKERS, random_model

from quercus import (
    BaggingClassifier,
    C45Classifier,
    CARTClassifier,
    ID3Classifier,
    PARTClassifier,
    RandomForestClassifier,
    from_pmml,
)
from quercus.errors import ExportError, ParameterError
from quercus.export import Vectors, export, to_pmml, vectors_of, verify
from quercus.export.pmml_engines import jpmml_outputs, pypmml_outputs

ENGINES = {"jpmml": jpmml_outputs, "pypmml": pypmml_outputs}


@pytest.fixture(params=sorted(ENGINES))
def engine(request: Any) -> str:
    pytest.importorskip({"jpmml": "jpmml_evaluator"}.get(request.param, request.param))
    if shutil.which("java") is None:
        pytest.skip("no Java runtime is installed")
    return str(request.param)


def known_rows(vectors: Vectors) -> Vectors:
    """Only the rows whose values are all known and seen."""
    kept = [place for place, row in enumerate(vectors.rows) if None not in row and "never seen 6f1d" not in row]
    taken = {name: [getattr(vectors, name)[place] for place in kept] for name in ("rows", "labels")}
    return replace(vectors, **taken, shares=[vectors.shares[place] for place in kept] if vectors.shares else [])


def rows_of(columns: dict[str, list[Any]], model: Any) -> Vectors:
    """These rows as test vectors."""
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    shares, labels = model.predict_proba(columns).tolist(), model.predict(columns).tolist()
    return Vectors("", list(columns), rows, model.classes_.tolist(), labels, shares)


@pytest.mark.parametrize("name", sorted(set(MAKERS) - {"boosted"}))
def test_all_but_weighted_votes_are_equal_to_the_last_bit(engine: str, name: str) -> None:
    model = random_model(name, 7)
    try:
        text = export(model, "pmml")
    except ExportError:
        return
    assert verify(text, vectors_of(model, drawn=20, most=60), engine).is_exact


def test_costs_and_thresholds_choose_the_label(engine: str) -> None:
    chance = np.random.default_rng(3)
    X, y = {"x": np.round(chance.normal(size=120), 1)}, np.array(["no", "yes"])[chance.integers(0, 2, 120)]
    costs = {"cost_matrix": {("yes", "no"): 3.0}}
    for options in (costs, {"decision_threshold": 0.3}):
        models = [
            CARTClassifier(max_depth=3, **options),
            RandomForestClassifier(5, random_state=1, max_depth=3, **options),
        ]
        for model in models:
            model.fit(X, y)
            result = verify(export(model, "pmml"), vectors_of(model), engine)
            assert result.wrong == 0 and result.largest < 1e-15, str(result)


def test_tied_shares_of_a_forest_get_the_first_class(engine: str) -> None:
    tree = CARTClassifier().fit({"x": [0.0, 1.0]}, ["a", "b"])
    other = CARTClassifier().fit({"x": [0.0, 1.0]}, ["b", "a"])
    from quercus.tree.forest import Forest

    forest = Forest.from_trees([tree.tree_, other.tree_])
    vectors = vectors_of(forest)
    assert set(vectors.labels) == {"a"} and verify(to_pmml(forest), vectors, engine).is_exact


def test_dates_booleans_ordered_values_and_tokens_for_missing(engine: str) -> None:
    days = [dt.datetime(2024, 1, 1) + dt.timedelta(days=day, microseconds=day) for day in range(24)]
    size = ["S", "M", "L", "XL"] * 6
    columns = {"day": days, "size": size, "b": [True, False, False] * 8, "n": [1, 2, 5] * 8, "z": [1.0, -999.0] * 12}
    y = ["p" if day % 5 < 2 or size[day] == "XL" else "q" for day in range(24)]
    model = CARTClassifier(
        kinds={"size": "ordered", "n": "nominal"},
        domains={"size": ["S", "M", "L", "XL"]},
        missing_tokens={"z": [-999.0]},
    )
    model.fit(columns, y)
    result = verify(export(model, "pmml"), vectors_of(model), engine)
    assert result.is_exact, str(result)


@pytest.mark.parametrize(
    "values", [[1, 2, 3], [0.5, -0.0, 2.5], [" a", "a", "a "], ["NaN", "", "x y"], ["\n", '"', "\\"]]
)
def test_values_that_engines_may_read_otherwise(engine: str, values: list[Any]) -> None:
    chance = np.random.default_rng(1)
    v, w = ([values[place] for place in chance.integers(0, 3, 60)] for _ in range(2))
    gaps = [None if chance.random() < 0.3 else value for value in v]
    y = [str(values.index(one) + values.index(other) // 2) for one, other in zip(v, w, strict=True)]
    for missing in ("surrogate", "most_common"):
        model = CARTClassifier(kinds={"v": "nominal", "w": "nominal"}, missing=missing, max_depth=4)
        result = verify(export(model.fit({"v": gaps, "w": w}, y), "pmml"), vectors_of(model), engine)
        assert result.is_exact, str(result)


@pytest.mark.parametrize("classes", [[1, 2, 3], [False, True], [" a", "a "], [3_000_000_000, 1]])
def test_classes_of_other_types(engine: str, classes: list[Any]) -> None:
    chance = np.random.default_rng(2)
    y = [classes[place] for place in chance.integers(0, len(classes), 60)]
    for model in (CARTClassifier(max_depth=3), RandomForestClassifier(3, max_depth=3, random_state=0)):
        model.fit({"x": np.round(chance.normal(size=60), 1)}, y)
        assert verify(export(model, "pmml"), vectors_of(model, drawn=20), engine).is_exact


@pytest.mark.parametrize(
    "name",
    ["<=50K", ">50K", "&lt;", "a<b", "a & b", " <a", "x]]", "<![CDATA[y", "🌳\t", "x🌳y", "a\nb", "a b " * 20_000],
)
def test_a_forest_answers_classes_with_signs_of_xml(engine: str, name: str) -> None:
    model = RandomForestClassifier(3, random_state=0).fit({"a": [1.0, 2.0, 3.0, 4.0] * 9}, [name, name, "z", "z"] * 9)
    assert verify(to_pmml(model), vectors_of(model, drawn=5), engine).is_exact


def test_surrogates_know_values_with_signs_of_xml(engine: str) -> None:
    chance = np.random.default_rng(1)
    values = np.array(["<1", ">=2", "&", "a<b", "c", "🌳\t", "d🌳 🌳"], dtype=object)[chance.integers(0, 7, 150)]
    X = {"v": values.copy(), "w": values.copy(), "x": chance.normal(size=150)}
    for column in ("v", "w"):
        X[column][chance.random(150) < 0.15] = None
    y = [str(len(one) + (x > 0)) for one, x in zip(values, X["x"], strict=True)]
    model = CARTClassifier(missing="surrogate").fit(X, y)
    text = to_pmml(model)
    assert "<![CDATA[" in text.partition("</TransformationDictionary>")[0]
    assert verify(text, vectors_of(model), engine).is_exact


def test_a_token_for_missing_is_missing(engine: str) -> None:
    columns = {"z": [1.0, 2.0, -999.0, -999.0, 3.0], "c": ["u", "v", "?", "u", "v"]}
    model = CARTClassifier(missing="own_value", missing_tokens={"z": [-999.0], "c": ["?"]})
    model.fit(columns, ["a", "b", "c", "c", "b"])
    assert verify(export(model, "pmml"), rows_of(columns, model), engine).is_exact


def test_rows_with_unknown_values_get_no_answer_on_demand(engine: str) -> None:
    chance = np.random.default_rng(5)
    X = {"x": np.round(chance.normal(size=80), 1), "c": np.array(["u", "v", "w"])[chance.integers(0, 3, 80)]}
    y = np.array(["a", "b", "c"])[chance.integers(0, 3, 80)]
    models = [C45Classifier(prune=False), C45Classifier(prune=False, smoothing="laplace")]
    for model in [*models, BaggingClassifier(C45Classifier(prune=False), 2, random_state=1)]:
        model.fit(X, y)
        vectors, text = vectors_of(model, drawn=60), export(model, "pmml", unknown="refuse")
        assert verify(text, known_rows(vectors), engine).is_exact
        with pytest.raises(ExportError, match="answer"):
            verify(text, vectors, engine)


def test_a_rule_set_answers_the_labels(engine: str) -> None:
    for seed in (1, 3):
        model = random_model("part", seed)
        vectors = vectors_of(model, drawn=40, most=100)
        text = export(model, "pmml", rules="rule_set")
        assert "<RuleSet " in text and ENGINES[engine](text, vectors)["label"] == vectors.labels
        with pytest.raises(ExportError, match="tells no shares"):
            verify(text, vectors, engine)


def test_a_deep_chain_and_many_values(engine: str) -> None:
    deep = CARTClassifier(criterion="misclassification").fit(np.arange(301.0)[:, None], np.arange(301) % 2)
    wide = ID3Classifier(prune=False).fit({"c": [f"v {i}" for i in range(2_000)]}, np.arange(2_000) % 7 % 2)
    for model in (deep, wide):
        assert verify(export(model, "pmml"), vectors_of(model, drawn=10, most=100), engine).is_exact


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_names_and_values_stay_inside_their_quotes(name: str) -> None:
    model = random_model(name, 4)
    try:
        root = ET.fromstring(export(model, "pmml"))
    except ExportError:
        return
    names = {one.get("name") for one in root.iter("{http://www.dmg.org/PMML-4_4}DataField")}
    assert set(vectors_of(model).names) <= names
    assert {one.tag.partition("}")[2] for one in root} <= {
        *("Header", "DataDictionary", "TransformationDictionary"),
        *("TreeModel", "MiningModel"),
    }


def test_every_field_that_a_predicate_names_is_declared() -> None:
    for name in MAKERS:
        try:
            root = ET.fromstring(export(random_model(name, 2), "pmml"))
        except ExportError:
            continue
        space = "{http://www.dmg.org/PMML-4_4}"
        kinds = ("DataField", "DerivedField", "OutputField")
        declared = {one.get("name") for kind in kinds for one in root.iter(space + kind)}
        assert {one.get("field") for one in root.iter() if one.get("field")} <= declared
        for inner in root.iter(space + "Node"):
            children = {child.get("id") for child in inner.findall(space + "Node")}
            assert inner.get("defaultChild") is None or inner.get("defaultChild") in children


def test_what_pmml_cannot_say_is_refused() -> None:
    c45 = C45Classifier().fit({"x": [1.0, 2.0, 3.0, 4.0]}, ["a", "a", "b", "b"])
    with pytest.raises(ExportError, match=r"Node 0 of tree 0 spreads unknown values.*unknown=.refuse."):
        to_pmml(c45)
    with pytest.raises(ExportError, match="leaves rows with unknown values to the tree"):
        to_pmml(c45.rules())
    rules = PARTClassifier().fit({"x": [1.0, 2.0, 3.0, 4.0]}, ["a", "a", "b", "b"]).rules_
    with pytest.raises(ExportError, match="how ties are decided"):
        to_pmml(rules.with_mode("voting"))
    with pytest.raises(ExportError, match="character that XML cannot hold"):
        to_pmml(CARTClassifier().fit({"a\x01": [1.0, 2.0]}, ["a", "b"]))
    with pytest.raises(ExportError, match="of several types"):
        to_pmml(ID3Classifier(kinds={"c": "nominal"}).fit({"c": [1, "1", 1, "1"]}, ["a", "b", "a", "b"]))
    with pytest.raises(ExportError, match="whole numbers above"):
        to_pmml(ID3Classifier(kinds={"c": "nominal"}).fit({"c": [2**60, 1, 2**60, 1]}, ["a", "b", "a", "b"]))
    for y, words in ((["", "b"], "A class is an empty text"), (["a", "a"], "one class only")):
        with pytest.raises(ExportError, match=words):
            to_pmml(RandomForestClassifier(2, random_state=0).fit({"x": [1.0, 2.0] * 4}, y * 4))
    with pytest.raises(ExportError, match="is called 'label'"):
        to_pmml(CARTClassifier().fit({"label": [1.0, 2.0]}, ["a", "b"]))
    with pytest.raises(ExportError, match="rules"):
        to_pmml(rules, rules="list")
    with pytest.raises(ExportError, match="is for one rule list"):
        to_pmml(CARTClassifier().fit({"x": [1.0, 2.0]}, ["a", "b"]), rules="rule_set")
    with pytest.raises(ParameterError, match="no option 'dialect'"):
        export(rules, "pmml", dialect="x")


def test_the_end_of_a_section_of_xml_is_refused_where_constants_are_written() -> None:
    columns, classes = {"a": [1.0, 2.0, 3.0, 4.0]}, ["a]]>b", "a]]>b", "z", "z"]
    with pytest.raises(ExportError, match=r"holds '\]\]>'.*Rename it before"):
        to_pmml(RandomForestClassifier(3, random_state=0).fit(columns, classes))
    assert "a]]&gt;b" in to_pmml(CARTClassifier().fit(columns, classes))


def test_a_carriage_return_is_refused_where_constants_are_written(engine: str) -> None:
    """XML makes it a line feed in a CDATA section; in attributes it is escaped and stays as it is."""
    columns, classes = {"a": [1.0, 2.0, 3.0, 4.0]}, ["a\rb", "a\rb", "z", "z"]
    with pytest.raises(ExportError, match=r"holds '\\r'.*Rename it before"):
        to_pmml(RandomForestClassifier(3, random_state=0).fit(columns, classes))
    tree = CARTClassifier().fit(columns, classes)
    assert verify(to_pmml(tree), vectors_of(tree), engine).is_exact


def test_the_header_tells_name_version_and_checksum() -> None:
    model = random_model("cart", 1)
    text = export(model, "pmml")
    assert vectors_of(model).checksum in text.partition("<DataDictionary")[0]
    assert 'name="Quercus"' in text and "CARTClassifier" in text


def test_a_document_is_read_again() -> None:
    model = random_model("cart", 1)
    assert str(from_pmml(export(model, "pmml"))) == str(model.tree_)
