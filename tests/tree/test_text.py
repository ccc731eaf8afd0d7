"""The text form: names, counts, limits, and nothing that breaks a line."""

from __future__ import annotations

import pytest

import quercus
from quercus.data.schema import Attribute
from quercus.errors import ParameterError
from quercus.evaluation import evaluate
from quercus.tree import Tree, renumbered
from tree.build import build, cut, large_arrays, leaf, multiway, schema_of, subset
from tree.examples import every_kind, play_tennis, prices


def lines(text: str) -> list[str]:
    return text.split("\n")


def test_play_tennis_as_a_student_writes_it() -> None:
    assert lines(str(play_tennis())) == [
        "Outlook = Sunny",
        "|   Humidity = High: No (3)",
        "|   Humidity = Normal: Yes (2)",
        "Outlook = Overcast: Yes (4)",
        "Outlook = Rain",
        "|   Wind = Weak: Yes (3)",
        "|   Wind = Strong: No (2)",
    ]


def test_every_kind_of_test() -> None:
    assert lines(every_kind().to_text()) == [
        "Day <= 2024-05-01",
        "|   Soil in {clay, peat}",
        "|   |   Size <= S: b (2.4)",
        "|   |   Size > S",
        "|   |   |   Wet = False: b (0)",
        "|   |   |   Wet = True: b (3: 2 b, 1 a)",
        "|   Soil = loam: a (3)",
        "|   Soil = sand: c (4)",
        "Day > 2024-05-01",
        "|   Soil = clay",
        "|   |   Height known: a (2: 1 a, 1 c)",
        "|   |   Height unknown: b (1)",
        "|   Soil = sand: c (2)",
    ]


def test_regression_leaves_show_value_number_and_spread() -> None:
    assert lines(prices().to_text()) == [
        "Height <= 1.5",
        "|   Wet = False: 2 (n = 4, spread 0.5)",
        "|   Wet = True: 2 (n = 0, spread 0)",
        "Height > 1.5: 10 (n = 6, spread 0)",
    ]


def test_a_single_leaf_is_one_line() -> None:
    assert str(build(leaf([5, 9]), schema_of(), ["No", "Yes"])) == "Yes (14: 9 Yes, 5 No)"


def test_a_depth_limit_says_what_it_hides() -> None:
    tree = play_tennis()
    assert lines(tree.to_text(max_depth=1)) == [
        "Outlook = Sunny: No (5: 3 No, 2 Yes) … 2 more nodes, 2 leaves",
        "Outlook = Overcast: Yes (4)",
        "Outlook = Rain: Yes (5: 3 Yes, 2 No) … 2 more nodes, 2 leaves",
    ]
    assert tree.to_text(max_depth=0) == "Yes (14: 9 Yes, 5 No) … 7 more nodes, 5 leaves"
    assert tree.to_text(max_depth=2) == tree.to_text()


def test_a_node_limit_opens_the_heaviest_first() -> None:
    small, large = cut("x", 1, leaf([1, 0]), leaf([0, 1])), cut("x", 9, leaf([6, 0]), leaf([0, 6]))
    tree = build(cut("x", 5, small, large), schema_of(x="numeric"), ["a", "b"])
    assert lines(tree.to_text(max_nodes=5)) == [
        "x <= 5: a (2: 1 a, 1 b) … 2 more nodes, 2 leaves",
        "x > 5",
        "|   x <= 9: a (6)",
        "|   x > 9: b (6)",
    ]
    assert lines(tree.to_text(max_nodes=6)) == lines(tree.to_text())
    assert tree.to_text(max_nodes=1) == "a (14: 7 a, 7 b) … 6 more nodes, 4 leaves"
    assert lines(tree.to_text(max_nodes=5, max_depth=1))[1] == "x > 5: a (12: 6 a, 6 b) … 2 more nodes, 2 leaves"


def test_limits_are_checked() -> None:
    for limit in ({"max_depth": -1}, {"max_nodes": 0}, {"max_branches": 1.5}, {"max_values": True}):
        with pytest.raises(ParameterError, match=next(iter(limit))):
            play_tennis().to_text(**limit)  # type: ignore[arg-type]


def wide(n_values: int, n_seen: int, *, unknown: bool = False) -> Tree:
    values = tuple(f"v{i}" for i in range(n_values))
    children = [leaf([1 + i, 2 + i]) if i < n_seen else leaf([0, 0]) for i in range(n_values)]
    children += [leaf([0, 0])] if unknown else []
    return build(multiway("A", *children), schema_of(A=values), ["No", "Yes"])


def test_values_never_seen_share_a_line() -> None:
    assert lines(str(wide(100, 2))) == [
        "A = v0: Yes (3: 2 Yes, 1 No)",
        "A = v1: Yes (5: 3 Yes, 2 No)",
        "A … 98 values never seen: Yes",
    ]
    assert lines(str(wide(5, 2))) == [
        *lines(str(wide(100, 2)))[:2],
        "A = v2: Yes (0)",
        "A = v3: Yes (0)",
        "A = v4: Yes (0)",
    ]
    assert lines(str(wide(100, 2, unknown=True)))[2:] == ["A unknown: Yes (0)", "A … 98 values never seen: Yes"]
    assert len(lines(wide(20_000, 3).to_text())) == 4


def test_many_branches_show_the_heaviest() -> None:
    assert lines(wide(1000, 900).to_text(max_branches=2)) == [
        "A = v898: Yes (1799: 900 Yes, 899 No)",
        "A = v899: Yes (1801: 901 Yes, 900 No)",
        "A … 100 values never seen: Yes",
        "A … 898 more branches: 898 nodes, 898 leaves",
    ]
    assert len(lines(wide(1000, 900).to_text(max_nodes=10))) == 10
    assert len(lines(wide(1000, 900).to_text(max_nodes=2))) <= 3
    assert len(lines(wide(1000, 900).to_text())) == 901
    short = lines(str(wide(1000, 900)))
    assert len(short) == 53 and short[-1] == "(shown: 151 of 1,001 nodes; to_text() shows all)"


def test_wide_sets_and_long_names_are_shortened() -> None:
    values = tuple(f"v{i}" for i in range(50))
    groups = {value: i % 2 for i, value in enumerate(values)}
    tree = build(subset("A", groups, leaf([1, 0]), leaf([0, 1])), schema_of(A=values), ["x" * 500, "y"])
    first, second = lines(str(tree))
    assert first.startswith("A in {v0, v2, v4, v6, v8, v10, v12, v14, v16, v18, … 15 more}: ")
    assert len(first) < 200
    assert tree.to_text(max_values=None).count("v") == 50
    assert second.endswith(": y (1)")


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ([0, 1], "1 (3; 1: 2, 0: 1)"),
        ([False, True], "True (3: 2 True, 1 False)"),
        (["-1", "+1"], "+1 (3; +1: 2, -1: 1)"),
        (["low", "2.5"], "2.5 (3; 2.5: 2, low: 1)"),
        (["-", "+"], "+ (3: 2 +, 1 -)"),
        (["3rd", "50K"], "50K (3: 2 50K, 1 3rd)"),
        (["nan", "inf"], "inf (3: 2 inf, 1 nan)"),
    ],
)
def test_counts_of_classes_whose_names_are_numbers_cannot_be_misread(names: list[object], shown: str) -> None:
    tree = build(leaf([1, 2]), schema_of(), names)
    assert str(tree) == shown
    counts = shown.split("(3")[1][2:-1]
    assert counts in tree.root.describe()


def test_many_classes_are_listed_up_to_a_limit() -> None:
    tree = build(leaf([1] * 10), schema_of(), list(range(10)))
    assert str(tree) == "0 (10; 0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1, … 4 more)"


def test_a_cost_matrix_changes_the_label_shown() -> None:
    tree = build(leaf([8, 2]), schema_of(), ["well", "ill"])
    assert tree.to_text() == "well (10: 8 well, 2 ill)"
    assert tree.to_text(cost_matrix=[[0, 1], [10, 0]]) == "ill (10: 8 well, 2 ill)"
    assert tree.short_text(cost_matrix=[[0, 1], [10, 0]]) == "ill (10: 8 well, 2 ill)"
    pure = build(leaf([8, 0]), schema_of(), ["well", "ill"])
    assert pure.to_text(cost_matrix=[[1, 0], [1, 0]]) == "ill (8: 8 well)"


def test_branches_of_unknown_values_are_marked_if_asked_for() -> None:
    marked = lines(every_kind().to_text(unknown=True))
    assert [line.strip("| ") for line in marked if "unknown" in line] == [
        "Day <= 2024-05-01 or unknown",
        "Size > S or unknown",
        "Height unknown: b (1)",
    ]


def test_a_large_tree_prints_short_and_says_so() -> None:
    arrays, schema = large_arrays(2000)
    tree = Tree.from_arrays(renumbered(arrays), schema, ["No", "Yes"], criterion="entropy")
    short = lines(str(tree))
    assert 150 < len(short) <= 200
    assert short[-1].startswith("(shown: ") and short[-1].endswith(" of 4,001 nodes; to_text() shows all)")
    assert len(lines(tree.to_text())) == 4000
    for limit in (1, 2, 3, 10, 77, 1000):
        assert len(lines(tree.to_text(max_nodes=limit))) <= limit


def test_a_deep_chain_neither_recurses_nor_indents_forever() -> None:
    arrays, schema = large_arrays(5000, chain=True)
    tree = Tree.from_arrays(renumbered(arrays), schema, ["No", "Yes"], criterion="entropy")
    assert tree.depth == 5000
    text = lines(tree.to_text())
    assert len(text) == 10_000 and max(map(len, text)) < 300
    assert any(line.startswith("|   " * 30 + "(depth 4999) ") for line in text)
    assert sum(1 for _ in tree.leaves()) == 5001
    assert max(len(node.path()) for node in list(tree.walk())[-2:]) == 5000


def test_html_is_escaped() -> None:
    script = "<script>alert(1)</script>"
    schema = schema_of(a=Attribute(script, "nominal", values=("<b>", "&")))
    html = build(multiway(script, leaf([1, 0]), leaf([0, 1])), schema, [script, "y"])._repr_html_()
    assert html.startswith("<div ") and html.endswith("</svg>\n</div></div>")
    assert "<script" not in html and "<b>" not in html and "&lt;script&gt;" in html


@pytest.mark.filterwarnings("error")
def test_one_is_no_plural() -> None:
    model = quercus.CARTClassifier().fit({"x": [1, 2]}, ["a", "a"])
    assert repr(model.tree_) == "<Tree: 1 node, 1 leaf, depth 0, 1 class>"
    assert repr(model.model_) == "<Model: CARTClassifier, 1 node, 1 attribute, 1 class>"
    forest = quercus.RandomForestClassifier(1).fit({"x": [1, 2]}, ["a", "a"])
    assert repr(forest.forest_) == "<Forest: 1 tree, 1 node, 1 class>"
    assert repr(evaluate(model, {"x": [1]}, ["a"])).startswith("<Evaluation: accuracy 1.000 on 1 row")
