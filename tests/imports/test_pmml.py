"""PMML documents answer in Quercus as they do in an engine; what cannot be said is refused with its place."""

from __future__ import annotations

import datetime as dt
import shutil
from typing import Any

import numpy as np
import pytest
from export.models import MAKERS, random_model

import quercus
from quercus import CARTClassifier, from_pmml
from quercus.errors import DataError, ExportError, FileError
from quercus.export import Vectors, export, vectors_of
from quercus.export.pmml_engines import jpmml_outputs
from quercus.rules import RuleList


def answers(model: Any, vectors: Any) -> tuple[list[Any], Any]:
    """The labels and shares of test vectors."""
    columns = {name: [row[place] for row in vectors.rows] for place, name in enumerate(vectors.names)}
    return model.predict(columns).tolist(), None if vectors.classes is None else model.predict_proba(columns)


def round_trip(name: str, seed: int) -> None:
    model = random_model(name, seed)
    exact = name != "boosted"  # the weights of its votes are scaled
    try:
        text = export(model, "pmml")
    except ExportError:  # the import spreads unknown values again; leaves without rows have a little weight
        exact = False
        try:
            text = export(model, "pmml", unknown="refuse")
        except ExportError:
            return
    vectors = vectors_of(model, drawn=40, most=200, seed=seed)
    if not vectors.names:
        return
    labels, shares = answers(from_pmml(text), vectors)
    wanted = np.array(vectors.labels if vectors.classes is None else vectors.shares)
    about = f"{name}, seed {seed}"
    assert vectors.classes is None or labels == vectors.labels, about
    apart = np.abs(np.array(labels if shares is None else shares) - wanted).max()
    assert apart <= (0.0 if exact else 1e-15 * np.abs(wanted).max()), about


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_an_export_is_read_again_with_the_same_answers(name: str) -> None:
    for seed in range(6):
        round_trip(name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(MAKERS))
def test_many_exports_are_read_again_with_the_same_answers(name: str) -> None:
    for seed in range(100, 140):
        round_trip(name, seed)


def test_rule_sets_are_read_again() -> None:
    for seed in range(6):
        model = random_model("part", seed)
        vectors = vectors_of(model, drawn=40)
        if not vectors.names:
            continue
        read = from_pmml(export(model, "pmml", rules="rule_set"))
        assert isinstance(read.rule_list, RuleList)
        labels, shares = answers(read, vectors)
        assert labels == vectors.labels and np.array_equal(shares, vectors.shares)


def test_dates_booleans_ordered_values_and_tokens_are_read_again() -> None:
    days = [dt.datetime(2024, 1, 1) + dt.timedelta(days=day) for day in range(24)]
    size = ["S", "M", "L", "XL"] * 6
    columns = {"day": days, "size": size, "b": [True, False, False] * 8, "n": [1, 2, 5] * 8, "z": [1.0, -999.0] * 12}
    y = ["p" if day % 5 < 2 or size[day] == "XL" else "q" for day in range(24)]
    model = CARTClassifier(
        kinds={"size": "ordered", "n": "nominal"},
        domains={"size": ["S", "M", "L", "XL"]},
        missing_tokens={"z": [-999.0]},
    ).fit(columns, y)
    read = from_pmml(export(model, "pmml"))
    kinds = {attribute.name: attribute.kind for attribute in read.schema}
    assert kinds == {attribute.name: attribute.kind for attribute in model.model_.schema if attribute.name in kinds}
    assert np.array_equal(read.predict_proba(columns), model.predict_proba(columns))


# rpart 4.1.19, R 4.2.2: fit <- rpart(Species ~ ., iris), with its surrogates, in the form that R's package pmml writes.
IRIS = """<?xml version="1.0"?>
<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
 <Header description="RPart Decision Tree Model">
  <Extension name="user" value="x" extender="SoftwareAG PMML Generator"/>
  <Application name="SoftwareAG PMML Generator" version="2.5.2"/>
 </Header>
 <DataDictionary numberOfFields="5">
  <DataField name="Species" optype="categorical" dataType="string">
   <Value value="setosa"/><Value value="versicolor"/><Value value="virginica"/>
  </DataField>
  <DataField name="Sepal.Length" optype="continuous" dataType="double"/>
  <DataField name="Sepal.Width" optype="continuous" dataType="double"/>
  <DataField name="Petal.Length" optype="continuous" dataType="double"/>
  <DataField name="Petal.Width" optype="continuous" dataType="double"/>
 </DataDictionary>
 <TreeModel modelName="RPart_Model" functionName="classification" algorithmName="rpart"
   splitCharacteristic="binarySplit" missingValueStrategy="defaultChild" noTrueChildStrategy="returnLastPrediction">
  <MiningSchema>
   <MiningField name="Species" usageType="predicted" invalidValueTreatment="returnInvalid"/>
   <MiningField name="Sepal.Length" usageType="active" invalidValueTreatment="returnInvalid"/>
   <MiningField name="Sepal.Width" usageType="active" invalidValueTreatment="returnInvalid"/>
   <MiningField name="Petal.Length" usageType="active" invalidValueTreatment="returnInvalid"/>
   <MiningField name="Petal.Width" usageType="active" invalidValueTreatment="returnInvalid"/>
  </MiningSchema>
  <Output>
   <OutputField name="Predicted_Species" optype="categorical" dataType="string" feature="predictedValue"/>
  </Output>
  <Node id="1" score="setosa" recordCount="150" defaultChild="3">
   <True/>
   <ScoreDistribution value="setosa" recordCount="50" confidence="0.333333333333333"/>
   <ScoreDistribution value="versicolor" recordCount="50" confidence="0.333333333333333"/>
   <ScoreDistribution value="virginica" recordCount="50" confidence="0.333333333333333"/>
   <Node id="2" score="setosa" recordCount="50">
    <CompoundPredicate booleanOperator="surrogate">
     <SimplePredicate field="Petal.Length" operator="lessThan" value="2.45"/>
     <SimplePredicate field="Petal.Width" operator="lessThan" value="0.8"/>
     <SimplePredicate field="Sepal.Length" operator="lessThan" value="5.45"/>
     <SimplePredicate field="Sepal.Width" operator="greaterOrEqual" value="3.35"/>
    </CompoundPredicate>
    <ScoreDistribution value="setosa" recordCount="50" confidence="1"/>
    <ScoreDistribution value="versicolor" recordCount="0" confidence="0"/>
    <ScoreDistribution value="virginica" recordCount="0" confidence="0"/>
   </Node>
   <Node id="3" score="versicolor" recordCount="100" defaultChild="6">
    <CompoundPredicate booleanOperator="surrogate">
     <SimplePredicate field="Petal.Length" operator="greaterOrEqual" value="2.45"/>
     <SimplePredicate field="Petal.Width" operator="greaterOrEqual" value="0.8"/>
     <SimplePredicate field="Sepal.Length" operator="greaterOrEqual" value="5.45"/>
     <SimplePredicate field="Sepal.Width" operator="lessThan" value="3.35"/>
    </CompoundPredicate>
    <ScoreDistribution value="setosa" recordCount="0" confidence="0"/>
    <ScoreDistribution value="versicolor" recordCount="50" confidence="0.5"/>
    <ScoreDistribution value="virginica" recordCount="50" confidence="0.5"/>
    <Node id="6" score="versicolor" recordCount="54">
     <CompoundPredicate booleanOperator="surrogate">
      <SimplePredicate field="Petal.Width" operator="lessThan" value="1.75"/>
      <SimplePredicate field="Petal.Length" operator="lessThan" value="4.75"/>
      <SimplePredicate field="Sepal.Length" operator="lessThan" value="6.15"/>
      <SimplePredicate field="Sepal.Width" operator="lessThan" value="2.95"/>
     </CompoundPredicate>
     <ScoreDistribution value="setosa" recordCount="0" confidence="0"/>
     <ScoreDistribution value="versicolor" recordCount="49" confidence="0.907407407407407"/>
     <ScoreDistribution value="virginica" recordCount="5" confidence="0.0925925925925926"/>
    </Node>
    <Node id="7" score="virginica" recordCount="46">
     <CompoundPredicate booleanOperator="surrogate">
      <SimplePredicate field="Petal.Width" operator="greaterOrEqual" value="1.75"/>
      <SimplePredicate field="Petal.Length" operator="greaterOrEqual" value="4.75"/>
      <SimplePredicate field="Sepal.Length" operator="greaterOrEqual" value="6.15"/>
      <SimplePredicate field="Sepal.Width" operator="greaterOrEqual" value="2.95"/>
     </CompoundPredicate>
     <ScoreDistribution value="setosa" recordCount="0" confidence="0"/>
     <ScoreDistribution value="versicolor" recordCount="1" confidence="0.0217391304347826"/>
     <ScoreDistribution value="virginica" recordCount="45" confidence="0.978260869565217"/>
    </Node>
   </Node>
  </Node>
 </TreeModel>
</PMML>
"""
# predict(fit, rows, type = "class") of the same fit
ROWS = [
    ((5.1, 3.5, None, 0.2), "setosa"),
    ((5.8, 4.0, 1.2, None), "setosa"),
    ((None, 3.2, None, None), "virginica"),
    ((5.2, 2.7, 3.9, 1.4), "versicolor"),
    ((6.8, 2.8, None, None), "virginica"),
    ((5.1, 2.5, None, 1.1), "versicolor"),
    ((4.9, 2.5, 4.5, None), "versicolor"),
    ((None, None, None, None), "versicolor"),
    ((6.3, 2.8, 2.45, 1.75), "virginica"),
    ((5.9, 3.0, 5.1, None), "virginica"),
]


def test_a_tree_of_rpart_with_surrogates_answers_as_in_r() -> None:
    model = from_pmml(IRIS)
    rows = [list(row) for row, _ in ROWS]
    table = {name: [row[place] for row in rows] for place, name in enumerate(model.schema.names)}
    assert model.predict(table).tolist() == [label for _, label in ROWS]
    assert model.predict_proba(table)[2].tolist() == [0.0, 1 / 46, 45 / 46]
    assert [len(node.surrogates) for node in model.tree.walk() if node.test is not None] == [3, 3]
    assert model.schema.target == "Species" and len(model.schema) == 4


def document(nodes: str, fields: str = "", model: str = 'missingValueStrategy="none"', mining: str = "") -> str:
    """A TreeModel over the numbers x and the texts c = u, v, w with the classes a, b."""
    return f"""<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4"><Header/><DataDictionary>
    <DataField name="y" optype="categorical" dataType="string"><Value value="a"/><Value value="b"/></DataField>
    <DataField name="x" optype="continuous" dataType="double"/>
    <DataField name="c" optype="categorical" dataType="string">
    <Value value="u"/><Value value="v"/><Value value="w"/></DataField>{fields}</DataDictionary>
    <TreeModel functionName="classification" {model}><MiningSchema><MiningField name="y" usageType="target"/>
    <MiningField name="x"/><MiningField name="c" {mining}/></MiningSchema>
    <Node id="0" score="a" recordCount="8"><True/>{nodes}</Node></TreeModel></PMML>"""


def leaf(number: int, score: str, predicate: str, more: str = "") -> str:
    return f'<Node id="{number}" score="{score}" recordCount="4" {more}>{predicate}</Node>'


def simple(field: str, operator: str, value: str = "") -> str:
    return f'<SimplePredicate field="{field}" operator="{operator}"{f" value={value!r}" if value else ""}/>'


def labels_of(text: str, **columns: list[Any]) -> list[Any]:
    length = len(next(iter(columns.values())))
    model = from_pmml(text)
    return model.predict({"x": [0.0] * length, "c": ["u"] * length} | columns).tolist()


def test_strict_and_weak_comparisons_differ_at_the_value() -> None:
    for low, high, at in (("lessThan", "greaterOrEqual", "b"), ("lessOrEqual", "greaterThan", "a")):
        text = document(leaf(1, "a", simple("x", low, "2.5")) + leaf(2, "b", simple("x", high, "2.5")))
        near = [np.nextafter(2.5, -1), 2.5, np.nextafter(2.5, 9)]
        assert labels_of(text, x=near) == ["a", at, "b"]


def test_several_pieces_of_numbers_become_several_cuts() -> None:
    inside = (
        '<CompoundPredicate booleanOperator="and">'
        + simple("x", "greaterThan", "1")
        + simple("x", "lessOrEqual", "2")
        + "</CompoundPredicate>"
    )
    text = document(
        leaf(1, "b", inside)
        + leaf(2, "a", simple("x", "lessOrEqual", "1"))
        + leaf(3, "a", simple("x", "greaterThan", "2"))
    )
    assert labels_of(text, x=[1.0, 1.5, 2.0, 2.5]) == ["a", "b", "b", "a"]


def test_sets_and_their_complements() -> None:
    array = '<Array n="2" type="string">"u" w</Array>'
    listed = f'<SimpleSetPredicate field="c" booleanOperator="{{}}">{array}</SimpleSetPredicate>'
    text = document(leaf(1, "b", listed.format("isIn")) + leaf(2, "a", listed.format("isNotIn")))
    assert labels_of(text, c=["u", "v", "w"]) == ["b", "a", "b"]
    text = document(leaf(1, "b", simple("c", "notEqual", "v")) + leaf(2, "a", simple("c", "equal", "v")))
    assert labels_of(text, c=["u", "v", "w"]) == ["b", "a", "b"]


def test_values_without_a_child_get_the_answer_of_the_node() -> None:
    nodes = leaf(1, "b", simple("c", "equal", "u"))
    text = document(nodes, model='missingValueStrategy="none" noTrueChildStrategy="returnLastPrediction"')
    assert labels_of(text, c=["u", "v", "w", None]) == ["b", "a", "a", "a"]
    text = document(leaf(1, "b", simple("x", "lessOrEqual", "1")), model='noTrueChildStrategy="returnLastPrediction"')
    assert labels_of(text, x=[1.0, 1.5, None]) == ["b", "a", "a"]


@pytest.mark.parametrize(
    "strategy, unknown",
    [
        ('missingValueStrategy="lastPrediction"', "a"),
        ('missingValueStrategy="none" noTrueChildStrategy="returnLastPrediction"', "a"),
    ],
)
def test_unknown_numbers_get_the_last_prediction(strategy: str, unknown: str) -> None:
    text = document(
        leaf(1, "b", simple("x", "lessOrEqual", "1")) + leaf(2, "b", simple("x", "greaterThan", "1")), model=strategy
    )
    assert labels_of(text, x=[0.0, 2.0, None]) == ["b", "b", unknown]


def test_unknown_values_go_to_their_child() -> None:
    nodes = leaf(1, "a", simple("x", "lessOrEqual", "1")) + leaf(2, "b", simple("x", "greaterThan", "1"))
    for default, label in (("1", "a"), ("2", "b")):
        text = document(nodes, model='missingValueStrategy="defaultChild"').replace(
            '<Node id="0"', f'<Node id="0" defaultChild="{default}"'
        )
        assert labels_of(text, x=[0.0, 2.0, None]) == ["a", "b", label]
    nodes += leaf(3, "b", simple("x", "isMissing"))
    assert labels_of(document(nodes), x=[0.0, 2.0, None]) == ["a", "b", "b"]
    nodes = (
        leaf(1, "a", simple("c", "equal", "u")) + leaf(2, "b", simple("c", "isNotMissing")) + leaf(3, "a", "<True/>")
    )
    assert labels_of(document(nodes), c=["u", "v", None]) == ["a", "b", "a"]


def surrogate(*predicates: str) -> str:
    return f'<CompoundPredicate booleanOperator="surrogate">{"".join(predicates)}</CompoundPredicate>'


def test_surrogates_of_a_question_whose_first_child_is_above() -> None:
    others = (
        '<SimpleSetPredicate field="c" booleanOperator="isIn"><Array type="string">v w</Array></SimpleSetPredicate>'
    )
    nodes = leaf(1, "b", surrogate(simple("x", "greaterThan", "1"), simple("c", "equal", "u")))
    nodes += leaf(2, "a", surrogate(simple("x", "lessOrEqual", "1"), others))
    text = document(nodes, model='missingValueStrategy="defaultChild"')
    for default, unknown in (("1", "b"), ("2", "a")):
        named = text.replace('<Node id="0"', f'<Node id="0" defaultChild="{default}"')
        rows = {"x": [1.0, 1.5, None, None, None], "c": ["u", "w", "u", "w", None]}
        assert labels_of(named, **rows) == ["a", "b", "b", "a", unknown]


def test_a_value_that_no_child_takes_gets_the_answer_of_a_node_with_surrogates() -> None:
    nodes = leaf(1, "b", surrogate(simple("c", "equal", "u"), simple("x", "lessThan", "1")))
    nodes += leaf(2, "b", surrogate(simple("c", "equal", "v"), simple("x", "greaterOrEqual", "1")))
    more = 'missingValueStrategy="defaultChild" noTrueChildStrategy="returnLastPrediction"'
    text = document(nodes, model=more).replace('<Node id="0"', '<Node id="0" defaultChild="1"')
    assert labels_of(text, c=["u", "v", "w", None]) == ["b", "b", "a", "b"]


def test_a_value_that_replaces_the_missing_one() -> None:
    nodes = leaf(1, "a", simple("c", "equal", "u")) + leaf(2, "b", simple("c", "notEqual", "u"))
    assert labels_of(document(nodes, mining='missingValueReplacement="w"'), c=["u", None, "w"]) == ["a", "b", "b"]


def asked(kind: str, first: str, second: str, values: str = "", model: str = "", more: str = "") -> str:
    """A tree whose children a and b ask for a field of this type."""
    field = f'<DataField name="o" optype="categorical" dataType="{kind}">{values}</DataField>'
    text = document(leaf(1, "a", first) + leaf(2, "b", second), field, model)
    return text.replace('<MiningField name="x"/>', f'<MiningField name="o" {more}/>')


@pytest.mark.parametrize("listed", ["", "true false", "false true"])
def test_truth_values_are_not_exchanged(listed: str) -> None:
    values = "".join(f'<Value value="{value}"/>' for value in listed.split())
    for second in (simple("o", "equal", "false"), simple("o", "notEqual", "true")):
        text = asked("boolean", simple("o", "equal", "true"), second, values)
        assert labels_of(text, o=[True, False]) == ["a", "b"]
    text = asked("boolean", simple("o", "equal", "false"), simple("o", "equal", "true"), values)
    assert labels_of(text, o=[True, False]) == ["b", "a"]


def test_classes_that_are_truth_values_keep_their_order() -> None:
    text = document(leaf(1, "a", simple("x", "lessThan", "1")) + leaf(2, "b", simple("x", "greaterOrEqual", "1")))
    text = text.replace(
        'name="y" optype="categorical" dataType="string"', 'name="y" optype="categorical" dataType="boolean"'
    )
    for name, value in (("a", "true"), ("b", "false")):
        text = text.replace(f'value="{name}"', f'value="{value}"').replace(f'score="{name}"', f'score="{value}"')
    assert from_pmml(text).labels == (True, False) and labels_of(text, x=[0.0, 1.0]) == [True, False]


@pytest.mark.parametrize("kind, value, others", [("string", "u", ["v", "z"]), ("integer", "3", [4, 5])])
def test_all_other_values_of_a_field_that_lists_none(kind: str, value: str, others: list[Any]) -> None:
    one = [value if kind == "string" else int(value)]
    array = f'<Array n="1" type="{kind}">{value}</Array>'
    for second in (
        simple("o", "notEqual", value),
        f'<SimpleSetPredicate field="o" booleanOperator="isNotIn">{array}</SimpleSetPredicate>',
        "<True/>",
    ):
        # a tree of one level whose last child is always true is a rule list, unless unknown values do not fail
        strategy = 'missingValueStrategy="nullPrediction"' if second != "<True/>" else ""
        assert labels_of(asked(kind, simple("o", "equal", value), second, model=strategy), o=one + others) == [
            *("a", "b", "b")
        ]
        text = asked(kind, simple("o", "notEqual", value), simple("o", "equal", value))
        assert labels_of(text, o=one + others) == ["b", "a", "a"]


def test_all_other_values_that_go_another_way_than_missing_ones_are_refused() -> None:
    equal, rest = simple("o", "equal", "u"), simple("o", "notEqual", "u")
    words = "'o' lists no values.*List the values"
    for model in (
        'missingValueStrategy="lastPrediction"',
        'missingValueStrategy="weightedConfidence"',
        'noTrueChildStrategy="returnLastPrediction"',
    ):
        with pytest.raises(DataError, match=words):
            from_pmml(asked("string", equal, rest, model=model))
    with pytest.raises(DataError, match=words):
        from_pmml(asked("string", simple("o", "isMissing"), simple("o", "isNotMissing")))
    default = asked("string", equal, rest, model='missingValueStrategy="defaultChild"')
    assert labels_of(default.replace('id="0"', 'id="0" defaultChild="2"'), o=["u", "v", None]) == ["a", "b", "b"]
    with pytest.raises(DataError, match=words):
        from_pmml(default.replace('id="0"', 'id="0" defaultChild="1"'))
    for first, second in ((equal, rest), (simple("x", "lessThan", "1"), simple("x", "greaterOrEqual", "1"))):
        text = document(
            leaf(1, "a", surrogate(first, equal)) + leaf(2, "b", surrogate(second, rest)),
            '<DataField name="o" optype="categorical" dataType="string"/>',
        ).replace('<MiningField name="x"/>', '<MiningField name="x"/><MiningField name="o"/>')
        with pytest.raises(DataError, match=words):
            from_pmml(text)
    with pytest.raises(DataError, match=words):  # a rule list: missing values fail, others do not
        from_pmml(asked("string", rest, "<True/>"))
    replaced = asked("string", equal, rest, more='missingValueReplacement="z"')
    assert labels_of(replaced, o=["u", "v", "z", None]) == ["a", "b", "b", "b"]


def test_numbers_of_float32_are_rounded_as_engines_round_them() -> None:
    nodes = leaf(1, "a", simple("f", "lessOrEqual", "0.1")) + leaf(2, "b", simple("f", "greaterThan", "0.1"))
    text = document(nodes, fields='<DataField name="f" optype="continuous" dataType="float"/>')
    text = text.replace('<MiningField name="x"/>', '<MiningField name="f"/>')
    model = from_pmml(text)
    near = float(np.float32(0.1))
    assert model.predict({"f": [0.1, near, near + 1e-10, 0.1001], "c": ["u"] * 4}).tolist() == ["a", "a", "a", "b"]


def ranged(nodes: str, field: str = "", mining: str = "", kind: str = "double") -> str:
    """A tree over x with children of the field's element, and attributes of its element in the mining schema."""
    text = document(nodes).replace(
        '<DataField name="x" optype="continuous" dataType="double"/>',
        f'<DataField name="x" optype="continuous" dataType="{kind}">{field}</DataField>',
    )
    return text.replace('<MiningField name="x"/>', f'<MiningField name="x" {mining}/>')


CUT = leaf(1, "a", simple("x", "lessOrEqual", "5")) + leaf(2, "b", simple("x", "greaterThan", "5"))
ENDS = leaf(1, "a", simple("x", "equal", "0")) + leaf(2, "b", simple("x", "notEqual", "0"))


@pytest.mark.parametrize("kind", ["double", "float"])
@pytest.mark.parametrize(
    "nodes, limits, expected",
    [
        (CUT, 'lowValue="0" highValue="4"', "aaaaaaaa"),
        (CUT, 'lowValue="6"', "bbbbbbbb"),
        (CUT, 'lowValue="0" highValue="10"', "aaaaaabb"),
        (ENDS, 'lowValue="0" highValue="3"', "aaaabbbb"),
        (ENDS, 'highValue="0"', None),
        (ENDS, 'lowValue="1"', "bbbbbbbb"),
        (ENDS, 'lowValue="0" highValue="0"', "aaaaaaaa"),
    ],
)
def test_outliers_count_as_the_ends_of_the_range(kind: str, nodes: str, limits: str, expected: str | None) -> None:
    text = ranged(nodes, mining=f'outliers="asExtremeValues" {limits}', kind=kind)
    rows = [-99.0, -1.0, -0.5, 0.0, 0.5, 5.0, 6.0, 99.0]
    labels = labels_of(text, x=rows)
    assert labels == list(expected or "bbbaaaaa")
    if shutil.which("java") is not None:
        pytest.importorskip("jpmml_evaluator")
        vectors = Vectors("", ["x", "c"], [[x, "u"] for x in rows], ["a", "b"], [], [])
        assert list(jpmml_outputs(text, vectors)["y"]) == labels


def test_numbers_that_a_range_makes_missing_are_refused() -> None:
    interval = '<Interval closure="closedClosed" leftMargin="0" rightMargin="9"/>'
    for field, mining, words in (
        ("", 'outliers="asMissingValues" lowValue="0"', "'x' takes numbers outside its range as missing"),
        (interval, 'invalidValueTreatment="asMissing"', "'x' takes numbers outside its range as missing"),
        (interval, 'invalidValueTreatment="returnInvalid"', "'x' gives no answer to numbers outside its range"),
        (interval, "", "'x' gives no answer to numbers outside its range"),
        ('<Value value="3"/>', 'invalidValueTreatment="asMissing"', "'x' takes numbers outside its range"),
        (interval, 'invalidValueTreatment="asValue" invalidValueReplacement="3"', "'x' replaces invalid numbers"),
        ("", 'outliers="asOther"', "outliers 'asOther'"),
        ("", 'outliers="asExtremeValues" lowValue="3" highValue="2"', "above its highValue"),
        ("", 'outliers="asExtremeValues" lowValue="low"', "lowValue of 'x' has 'low'"),
        (
            "",
            'outliers="asExtremeValues" lowValue="3" missingValueReplacement="1"',
            "replacement of 'x', 1, is outside",
        ),
    ):
        with pytest.raises(DataError, match=words):
            from_pmml(ranged(CUT, field, mining))
    other = leaf(1, "a", simple("c", "equal", "u")) + leaf(2, "b", simple("c", "notEqual", "u"))
    text = ranged(other, mining='outliers="asMissingValues" lowValue="0"')  # nobody asks for x
    assert labels_of(text, c=["u", "v"]) == ["a", "b"]
    text = ranged(CUT, interval, 'invalidValueTreatment="asIs"')
    assert labels_of(text, x=[1.0, 8.0, 99.0]) == ["a", "b", "b"]


def test_a_number_that_is_invalid_is_unknown() -> None:
    nodes = CUT + leaf(3, "b", simple("x", "isMissing"))
    value = '<Value value="-999" property="invalid"/>'
    for treatment, label in (("asMissing", "b"), ("returnInvalid", "b"), ("asIs", "a")):
        text = ranged(nodes, value, f'invalidValueTreatment="{treatment}"')
        assert labels_of(text, x=[-999.0, -998.0, None]) == [label, "a", "b"]


def test_two_classes_may_need_another_share() -> None:
    shares = '<ScoreDistribution value="a" recordCount="{}"/><ScoreDistribution value="b" recordCount="{}"/>'
    nodes = leaf(1, "b", simple("x", "lessOrEqual", "1") + shares.format(6, 4))
    nodes += leaf(2, "a", simple("x", "greaterThan", "1") + shares.format(9, 1))
    model = from_pmml(document(nodes))
    assert model.predict({"x": [0.0, 2.0], "c": ["u", "u"]}).tolist() == ["b", "a"]
    assert model.predict_proba({"x": [0.0, 2.0], "c": ["u", "u"]}).tolist() == [[0.6, 0.4], [0.9, 0.1]]
    costly = from_pmml(document(nodes), cost_matrix={("b", "a"): 2.0})
    assert costly.predict({"x": [0.0, 2.0], "c": ["u", "u"]}).tolist() == ["b", "a"]
    with pytest.raises(DataError, match=r"Node '2' answers 'a'.*cost_matrix"):
        from_pmml(document(nodes), cost_matrix={("b", "a"): 20.0})


def rule_set(rules: str, more: str = 'defaultScore="b"', classes: str = "a b") -> str:
    text = document("").replace("TreeModel", "RuleSetModel")
    values = "".join(f'<Value value="{name}"/>' for name in classes.split())
    text = text.replace('<Value value="a"/><Value value="b"/>', values)
    begin, end = text.index('<Node id="0"'), text.index("</RuleSetModel>")
    inside = f'<RuleSet {more}><RuleSelectionMethod criterion="firstHit"/>{rules}</RuleSet>'
    return text[:begin] + inside + text[end:]


@pytest.mark.parametrize(
    "figures, shares, printed",
    [
        ('recordCount="10" nbCorrect="9" confidence="0.9"', [0.9, 0.05, 0.05], "THEN a (10, 0.90)"),
        ('recordCount="10" confidence="0.8"', [0.8, 0.1, 0.1], "THEN a (10, 0.80)"),
        ('recordCount="10"', [1.0, 0.0, 0.0], "THEN a (10, 1.00)"),
        ('confidence="0.5"', [0.5, 0.25, 0.25], "THEN a (1, 0.50)"),
        ("", [1.0, 0.0, 0.0], "THEN a (1, 1.00)"),
    ],
)
def test_the_figures_of_a_rule_are_its_shares(figures: str, shares: list[float], printed: str) -> None:
    rule = f'<SimpleRule score="a" {figures}>{simple("x", "greaterThan", "1")}</SimpleRule>'
    model = from_pmml(rule_set(rule, 'defaultScore="b" defaultConfidence="0.5"', "a b c"))
    assert printed in str(model)
    wanted = [shares, [0.25, 0.5, 0.25]]
    assert np.allclose(model.predict_proba({"x": [2.0, 0.0], "c": ["u"] * 2}), wanted, atol=1e-15)
    assert model.predict({"x": [2.0, 0.0], "c": ["u"] * 2}).tolist() == ["a", "b"]


def test_the_probabilities_of_a_rule_are_its_figures() -> None:
    shares = '<ScoreDistribution value="a" probability="0.75"/><ScoreDistribution value="b" probability="0.25"/>'
    rule = f'<SimpleRule score="a" recordCount="8">{simple("x", "greaterThan", "1")}{shares}</SimpleRule>'
    model = from_pmml(rule_set(rule))
    assert "THEN a (8, 0.75)" in str(model)
    assert model.predict_proba({"x": [2.0], "c": ["u"]}).tolist() == [[0.75, 0.25]]


def test_figures_of_rules_that_contradict_are_refused() -> None:
    for figures, words in (
        ('recordCount="4" nbCorrect="5"', "'r' is right for 5 rows, more than the 4"),
        ('confidence="1.5"', "'r' is right for 1.5 rows"),
        ('recordCount="-4"', "negative recordCount"),
        ('recordCount="many"', "has 'many', but must have a number"),
    ):
        with pytest.raises(DataError, match=words):
            from_pmml(rule_set(f'<SimpleRule id="r" score="a" {figures}><True/></SimpleRule>'))
    with pytest.raises(DataError, match="The RuleSet has no defaultScore"):
        from_pmml(rule_set('<SimpleRule score="a"><True/></SimpleRule>', ""))


def test_classes_are_not_added_up() -> None:
    text = document("").replace("</TreeModel>", "</TreeModel></Segment></Segmentation></MiningModel>")
    outer = '<MiningModel functionName="classification"><MiningSchema><MiningField name="y" usageType="target"/>'
    outer += '<MiningField name="x"/></MiningSchema><Segmentation multipleModelMethod="sum"><Segment><True/><TreeModel'
    with pytest.raises(DataError, match=r"joined by 'sum'; of classes an import takes [^.]*weightedMajorityVote\.$"):
        from_pmml(text.replace("<TreeModel", outer))


def mining(method: str, *weights: float) -> str:
    trees = "".join(
        f'<Segment id="{place}" weight="{weight}"><True/><TreeModel functionName="regression"><MiningSchema/>'
        f'<Node id="0" score="{place + 1}"><True/></Node></TreeModel></Segment>'
        for place, weight in enumerate(weights)
    )
    return f"""<PMML version="4.4"><Header/><DataDictionary><DataField name="y" optype="continuous" dataType="double"/>
    <DataField name="x" optype="continuous" dataType="double"/></DataDictionary><MiningModel functionName="regression">
    <MiningSchema><MiningField name="y" usageType="target"/><MiningField name="x"/></MiningSchema>
    <Segmentation multipleModelMethod="{method}">{trees}</Segmentation></MiningModel></PMML>"""


@pytest.mark.parametrize("method, value", [("average", 2.0), ("weightedAverage", 2.5), ("sum", 6.0)])
def test_numbers_of_segments_are_joined(method: str, value: float) -> None:
    assert from_pmml(mining(method, 1, 1, 4)).predict({"x": [0.0]}).tolist() == [value]


def random_predicate(chance: np.random.Generator, field: str) -> str:
    """A comparison, a set, or two of them joined, about one field."""
    kind = chance.integers(0, 8)
    if kind == 0:
        return simple(field, str(chance.choice(["isMissing", "isNotMissing"])))
    if kind == 1:
        parts = "".join(random_predicate(chance, field) for _ in range(2))
        return f'<CompoundPredicate booleanOperator="{chance.choice(["and", "or"])}">{parts}</CompoundPredicate>'
    if field == "c":
        values = [str(value) for value in chance.choice(["u", "v", "w"], chance.integers(1, 3), replace=False)]
        if len(values) == 1:
            return simple("c", str(chance.choice(["equal", "notEqual"])), values[0])
        array = f'<Array n="{len(values)}" type="string">{" ".join(values)}</Array>'
        operator = chance.choice(["isIn", "isNotIn"])
        return f'<SimpleSetPredicate field="c" booleanOperator="{operator}">{array}</SimpleSetPredicate>'
    operators = ["lessThan", "lessOrEqual", "greaterThan", "greaterOrEqual", "equal", "notEqual"]
    return simple("x", str(chance.choice(operators[: 4 if chance.random() < 0.8 else 6])), str(chance.integers(0, 3)))


def random_node(chance: np.random.Generator, number: int, predicate: str, depth: int) -> str:
    """A node with up to three children that ask for one field; the last is often the rest."""
    score = chance.choice(["a", "b"])
    if depth == 0 or chance.random() < 0.2:
        return f'<Node id="{number}" score="{score}" recordCount="{chance.integers(1, 9)}">{predicate}</Node>'
    field, size = str(chance.choice(["x", "c"])), int(chance.integers(1, 4))
    asked = [random_predicate(chance, field) for _ in range(size)]
    if chance.random() < 0.5:
        asked[-1] = "<True/>"
    children = [random_node(chance, 4 * number + place + 1, one, depth - 1) for place, one in enumerate(asked)]
    default = 4 * number + int(chance.integers(0, size)) + 1
    start = f'<Node id="{number}" score="{score}" recordCount="9" defaultChild="{default}">{predicate}'
    return start + "".join(children) + "</Node>"


def random_document(chance: np.random.Generator) -> str:
    strategy = chance.choice(["none", "defaultChild", "lastPrediction"])
    last = chance.choice(["returnLastPrediction", "returnNullPrediction"], p=[0.7, 0.3])
    text = document("", model=f'missingValueStrategy="{strategy}" noTrueChildStrategy="{last}"')
    begin, end = text.index('<Node id="0"'), text.index("</TreeModel>")
    return text[:begin] + random_node(chance, 0, "<True/>", int(chance.integers(1, 4))) + text[end:]


def open_and_ranged(chance: np.random.Generator, text: str) -> str:
    """A document whose texts may be any, and whose numbers have a range."""
    low, high = sorted(chance.integers(-1, 4, 2).tolist())
    limits = f'outliers="asExtremeValues" lowValue="{low}" highValue="{high}"'
    text = text.replace('<Value value="u"/><Value value="v"/><Value value="w"/>', "")
    return text.replace('<MiningField name="x"/>', f'<MiningField name="x" {limits}/>')


@pytest.mark.parametrize("seed, is_open", [(0, False), (1, False), (2, False), (3, False), (4, True), (5, True)])
def test_random_documents_answer_as_in_an_engine(seed: int, is_open: bool) -> None:
    pytest.importorskip("jpmml_evaluator")
    if shutil.which("java") is None:
        pytest.skip("no Java runtime is installed")
    chance = np.random.default_rng(seed)
    rows = [[x, c] for x in (None, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0) for c in (None, "u", "v", "w")]
    rows += [[x, "z"] for x in (-1.0, 0.5, 1.0, 2.0, 3.0)] if is_open else []
    compared = 0
    for _ in range(60):
        text = random_document(chance)
        text = open_and_ranged(chance, text) if is_open else text
        try:
            model = from_pmml(text)
        except DataError:  # several fields or ranges
            continue
        outputs = jpmml_outputs(text, Vectors("", ["x", "c"], rows, ["a", "b"], [], []))["y"]
        labels = model.predict({"x": [x for x, _ in rows], "c": [c for _, c in rows]}).tolist()
        answered = [(row, ours, one) for row, ours, one in zip(rows, labels, outputs, strict=True) if one in ("a", "b")]
        wrong = [row for row, ours, theirs in answered if theirs != ours]
        assert not wrong, f"{wrong[0]}: {text}"
        compared += len(answered)
    assert compared > 400


def test_what_an_import_cannot_say_is_refused_with_its_place() -> None:
    two = leaf(1, "a", simple("x", "lessOrEqual", "1")) + leaf(2, "b", simple("c", "equal", "u"))
    gap = leaf(1, "a", simple("x", "lessOrEqual", "1")) + leaf(2, "b", simple("x", "greaterThan", "2"))
    for text, words in (
        (document(two), "Node '0': its children ask for the fields 'c' and 'x'"),
        (document(gap), "Node '0': numbers above 1.0 have no child"),
        (document(two, model='missingValueStrategy="aggregateNodes"'), "missingValueStrategy 'aggregateNodes'"),
        (document(leaf(1, "z", simple("x", "isNotMissing"))), "Node '1' names 'z'"),
        (document(leaf(1, "a", simple("q", "equal", "1"))), "asks for 'q'"),
        (document(leaf(1, "a", simple("x", "like", "1"))), "operator 'like'"),
        (document(leaf(1, "a", simple("x", "equal", "one"))), "has 'one'"),
        (document(leaf(1, "a", "")), "Node '1' has no predicate"),
        (mining("modelChain", 1), "joined by 'modelChain'"),
        (document("").replace("TreeModel", "NeuralNetwork"), "NeuralNetwork"),
        (document("").replace('dataType="double"', 'dataType="dateTime"'), "of the type 'dateTime'"),
    ):
        with pytest.raises(DataError, match=words):
            from_pmml(text)


def test_text_that_is_no_pmml_is_refused(tmp_path: Any) -> None:
    for text, words in (
        ("<a/>", "its first element is 'a'"),
        ("<PMML", "no XML"),
        ("", "The source is an empty text"),
        (" ", "The source is an empty text"),
        ('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><PMML>&e;</PMML>', "document type"),
    ):
        with pytest.raises(FileError, match=words):
            from_pmml(text)
    path = tmp_path / "model.pmml"
    path.write_text(IRIS)
    assert from_pmml(path).labels == ("setosa", "versicolor", "virginica")
    assert quercus.from_pmml(str(path)).labels is not None
    with pytest.raises(FileError, match="more than 100 bytes"):
        from_pmml(path, max_bytes=100)
    with pytest.raises(FileError, match="max_bytes=100"):
        from_pmml(IRIS, max_bytes=100)
    with pytest.raises(FileError, match="No such file"):
        from_pmml(tmp_path / "no.pmml")


def test_a_deep_tree_is_read() -> None:
    model = CARTClassifier(criterion="misclassification").fit(np.arange(1501.0)[:, None], np.arange(1501) % 2)
    assert model.get_depth() > 1000
    assert from_pmml(export(model, "pmml")).tree.depth == model.get_depth()


def test_what_follows_from_an_import() -> None:
    model = from_pmml(IRIS)
    assert "Petal.Length" in str(model.rules()) and "<svg" in model.to_svg()
    again = from_pmml(export(model, "pmml"))
    assert str(again) == str(model)
