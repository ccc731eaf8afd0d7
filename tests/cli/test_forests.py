"""Collections of trees on the command line: forest, bagging and boosted from fit to plot."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import quercus
from cli.calling import ROWS, UNSEEN, call, data, error, text

# fit


def test_fit_tells_size_quality_and_importances(tmp_path: Path) -> None:
    out = tmp_path / "forest.json"
    shown = text("fit", ROWS, "-a", "forest", "--trees", 12, "-o", out)
    assert "Random forest: 12 trees" in shown and "out of the bag" in shown
    assert "Share of each attribute in the gain:" in shown and "200 rows, 6 attributes" in shown
    model = quercus.load(out)
    assert len(model.forest_) == 12 and model.progress == "auto" and model.oob_score is True
    assert f"accuracy {model.oob_score_:.3f} out of the bag" in shown


def test_fit_as_data_and_the_same_for_any_number_of_threads(tmp_path: Path) -> None:
    found = data("fit", ROWS, "-a", "forest", "--trees", 12, "-j", 2, "-o", tmp_path / "two.json")["model"]
    call("fit", ROWS, "-a", "forest", "--trees", 12, "-o", tmp_path / "one.json")
    assert quercus.load(tmp_path / "one.json").forest_ == quercus.load(tmp_path / "two.json").forest_
    assert found["members"] == 12 and 0 < found["oob_score"] < 1 and not found["partial"]
    assert sum(found["importances"].values()) == pytest.approx(1.0)


def test_bagging_of_an_algorithm_with_its_parameters(tmp_path: Path) -> None:
    out = tmp_path / "bag.json"
    call(
        "fit", ROWS, "-a", "bagging", "-p", "estimator=c45", "-p", "estimator__confidence=0.1", "--trees", 3,
        "--prune", "mdl", "--costs", "no:yes=5", "--attribute-cost", "holding=2", "-o", out,
    )  # fmt: skip
    model = quercus.load(out)
    member = model.estimators_[1]
    assert isinstance(member, quercus.C45Classifier) and (member.confidence, member.prune) == (0.1, "mdl")
    assert member.cost_matrix == {("no", "yes"): 5.0} and model.schema_["holding"].cost == 2.0
    assert "mean cost" in text("evaluate", out, ROWS)


def test_bagging_of_rules_shows_each_list(tmp_path: Path) -> None:
    out = tmp_path / "rules.json"
    assert "3 rule lists" in text(
        "fit", "play_tennis", "-a", "bagging", "-p", "estimator=part", "--trees", 3, "-o", out
    )
    assert "Otherwise:" in text("show", out, "--tree", 2, "-o", tmp_path / "one.json")
    assert quercus.load(tmp_path / "one.json").rules_ == quercus.load(out).forest_.member(2)
    assert data("show", out)["model"]["importances"] is None
    assert "one rule list is needed" in error("consult", out, code=2)
    assert "--kind importance is for models" in error("plot", out, "--kind", "importance", code=2)


def test_rules_without_their_tree_are_shown_but_not_kept(tmp_path: Path) -> None:
    out, one = tmp_path / "rules.json", tmp_path / "one.json"
    call("fit", "play_tennis", "-a", "bagging", "-p", "estimator=rules", "--trees", 2, "-o", out)
    assert "Otherwise:" in text("show", out, "--tree", 1)
    said = error("show", out, "--tree", 1, "-o", one, code=2)
    assert "keeps its rules but not the tree that they were made from. Save the collection" in said and not one.exists()


def test_boosting_stops_by_rows_held_out(tmp_path: Path) -> None:
    out = tmp_path / "boosted.json"
    call("fit", ROWS, "-a", "boosted", "--trees", 40, "--validation", "0.3", "-o", out)
    model = quercus.load(out)
    assert model.early_stopping and model.validation_fraction == 0.3
    call("fit", ROWS, "-a", "boosted", "-p", "method=trials", "--trees", 4, "-o", out)
    assert isinstance(quercus.load(out).estimators_[0], quercus.C45Classifier)
    unseen = tmp_path / "unseen.csv"
    call("datasets", ROWS, "-o", unseen)
    assert "training" in (
        text("plot", out, "--kind", "curve", "-o", tmp_path / "c.svg") and (tmp_path / "c.svg").read_text()
    )
    call("fit", ROWS, "-a", "boosted", "--trees", 5, "--validation", unseen, "-o", out)
    assert "held-out error" in quercus.load(out).boosting_curve_.columns


def test_what_the_file_says_reaches_the_members(tmp_path: Path) -> None:
    table, schema, out = tmp_path / "t.csv", tmp_path / "t.toml", tmp_path / "m.json"
    table.write_text("x,y\n" + "".join(f"{i},{'ab'[i > 5]}\n" for i in range(12)))
    schema.write_text('target = "y"\n[columns.x]\nkind = "nominal"\n')
    for algorithm in ("forest", "bagging", "boosted"):
        call("fit", table, "--schema", schema, "-a", algorithm, "--trees", 2, "-o", out)
        assert quercus.load(out).schema_["x"].kind == "nominal"


def test_warnings_are_told_in_a_line(tmp_path: Path) -> None:
    told = call("fit", "play_tennis", "-a", "forest", "--trees", 1).stderr
    assert told.startswith("Note: ") and "more members help" in told and "Warning" not in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-a", "c45", "--trees", "5"], "--trees is not for C4.5; leave it out, or choose forest, bagging or boosted."),
        (["-a", "forest", "--prune", "mdl"], "--prune is not for Random forest"),
        (["-a", "forest", "--validation", "0.3"], "--validation is not for Random forest"),
        (["-a", "ripper", "--validation", "play_tennis"], "--validation is not for RIPPER"),
        (["-a", "forest", "-p", "n_trees=3"], "Random forest has no parameter 'n_trees'."),
        (["-a", "bagging", "-p", "estimator=forest"], "--param estimator is 'forest', but must be one of 'id3', 'c45'"),
        (["-a", "bagging", "-p", "estimator__min_object=1"], "no parameter 'estimator__min_object'"),
        (["-a", "boosted", "-p", "estimator=ripper"], "give None or a tree classifier"),
        (["-a", "boosted", "-p", "method=best"], "method='best' is not allowed"),
        (["-a", "boosted", "--task", "regression"], "boosted cannot predict numbers"),
        (["-a", "forest", "--trees", "0"], "--trees"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments: list[str], words: str) -> None:
    assert words in error("fit", "play_tennis", *arguments, code=2)


# the commands that take a model


def test_evaluate_and_predict(forest: Path, number_forest: Path, prices_csv: Path) -> None:
    assert text("evaluate", forest, ROWS).startswith("Random forest: 12 trees")
    assert data("evaluate", number_forest, prices_csv)["test"]["r2"] > 0.9
    rows = list(csv.DictReader(io.StringIO(text("predict", forest, ROWS, "--proba"))))
    model = quercus.load(forest)
    assert len(rows) == 200 and float(rows[0]["P(no)"]) + float(rows[0]["P(yes)"]) == pytest.approx(1.0)
    assert rows[0]["answer monk_1"] == str(model.classes_[int(float(rows[0]["P(yes)"]) > 0.5)])
    assert "one tree is needed here" in error("predict", forest, ROWS, "--explain", code=2)


def test_show_prints_a_summary_or_one_tree(forest: Path, tmp_path: Path) -> None:
    assert text("show", forest).startswith("Random forest: 12 trees")
    shown = text("show", forest, "--tree", 3)
    model = quercus.load(forest)
    assert shown.startswith(model.forest_.tree(3).to_text(max_nodes=200)) and "CART:" in shown
    tree = data("show", forest, "--tree", 3)["tree"]
    assert type(model.forest_.tree(3)).from_dict(tree) == model.forest_.tree(3)
    assert "There is no tree 12; this model's are 0 … 11." in error("show", forest, "--tree", 12, code=2)
    assert "give --tree too" in error("show", forest, "-o", tmp_path / "t.json", code=2)


def test_one_tree_becomes_a_model_of_its_own(forest: Path, tmp_path: Path) -> None:
    out = tmp_path / "tree.json"
    assert f"Written to {out}" in text("show", forest, "--tree", 3, "-o", out)
    assert quercus.load(out).tree_ == quercus.load(forest).forest_.tree(3)
    assert "IF" in text("rules", out)
    assert "--tree is for a forest" in error("show", out, "--tree", 0, code=2)


def test_show_numbers(number_forest: Path) -> None:
    assert "R² 0." in text("show", number_forest) and data("show", number_forest)["model"]["members"] == 9


@pytest.mark.parametrize(
    "arguments",
    [["explain"], ["rules"], ["consult"], ["prune", "--method", "no"], ["plot"]],
)
def test_commands_that_need_one_tree_say_how_to_get_one(forest: Path, arguments: list[str]) -> None:
    said = error(arguments[0], forest, *arguments[1:], code=2)
    assert "answers with 12 trees together; one tree is needed here" in said
    assert "show MODEL --tree 0 -o one.json" in said and "distill" in said


def test_an_answer_of_a_forest_is_explained(forest: Path) -> None:
    said = text("explain", forest, "-c", "holding=sword", "--reasons", "--change")
    assert "12 members vote: " in said and "What pushed it" in said and "What would change it" in said
    answer = data("explain", forest, ROWS, "--row", "1")["answer"]
    assert len(answer["members"]) == 12 and 0 < answer["agreement"] <= 1


@pytest.mark.parametrize("kind", ["importance", "confusion", "reliability", "curve"])
def test_every_kind_of_picture_is_drawn(forest: Path, tmp_path: Path, kind: str) -> None:
    out = tmp_path / "picture.svg"
    call("plot", forest, "--kind", kind, "--test", ROWS, "-o", out)
    assert out.read_text().startswith("<svg")


def test_one_tree_of_a_forest_is_drawn(forest: Path, tmp_path: Path) -> None:
    call("plot", forest, "--tree", 1, "-o", tmp_path / "one.svg")
    call("plot", forest, "--tree", 2, "-o", tmp_path / "two.svg")
    assert (tmp_path / "one.svg").read_text() != (tmp_path / "two.svg").read_text()


def test_a_curve_needs_out_of_bag_errors(tmp_path: Path) -> None:
    out = tmp_path / "m.json"
    call("fit", ROWS, "-a", "forest", "--trees", 3, "-p", "oob_score=false", "-o", out)
    said = error("plot", out, "--kind", "curve", code=2)
    assert "give --test" in said and "fit it with --param oob_score=true" in said
    call("plot", out, "--kind", "curve", "--test", UNSEEN, "-o", tmp_path / "c.svg")
    assert ">test<" in (tmp_path / "c.svg").read_text() and "out of the bag" not in (tmp_path / "c.svg").read_text()
    call("fit", ROWS, "-a", "forest", "--trees", 3, "-p", "bootstrap=false", "-o", out)
    assert "out of the bag" not in text("show", out)


def test_the_curve_of_given_rows_stands_beside_that_out_of_the_bag(forest: Path, tmp_path: Path) -> None:
    alone, one, both = (tmp_path / f"{name}.svg" for name in ("alone", "one", "both"))
    call("plot", forest, "--kind", "curve", "-o", alone)
    call("plot", forest, "--kind", "curve", "--test", UNSEEN, "-o", one)
    call("plot", forest, "--kind", "curve", "--test", UNSEEN, "--data", ROWS, "-o", both)
    names = [">out of the bag<", ">training<", ">test<"]
    assert [[name in path.read_text() for name in names] for path in (alone, one, both)] == [
        [True, False, False], [True, False, True], [True, True, True],
    ]  # fmt: skip


def test_boosting_with_costs_shows_mean_costs_alone(tmp_path: Path) -> None:
    out, picture = tmp_path / "m.json", tmp_path / "c.svg"
    call("fit", ROWS, "-a", "boosted", "--trees", 4, "--costs", "no:yes=5", "-o", out)
    call("plot", out, "--kind", "curve", "-o", picture)
    assert ">training<" in picture.read_text()
    call("plot", out, "--kind", "curve", "--test", UNSEEN, "-o", picture)
    assert ">training<" not in picture.read_text() and ">test<" in picture.read_text()


def test_report_keeps_what_fitting_saw(forest: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert "Written to" in text("report", forest, "-o", out)
    page = out.read_text()
    assert "out-of-bag accuracy" in page and "200 rows" in page and "quercus fit" in page


# compare and tune


def test_compare_takes_collections_beside_single_models() -> None:
    shown = data(
        "compare", ROWS, "-a", "cart", "-a", "forest", "-a", "bagging", "-a", "boosted", "--trees", 5, "-k", 3,
        "-p", "estimator=c45", "-p", "estimator__confidence=0.1", "--costs", "no:yes=2",
    )  # fmt: skip
    found = {row["name"]: row for row in shown["models"]}
    assert list(found) == ["cart", "forest", "bagging", "boosted"]
    assert found["forest"]["size"] == 5 and found["forest"]["size_unit"] == "trees"


def test_compare_takes_single_models_unless_told() -> None:
    names = [row["name"] for row in data("compare", "play_tennis", "-k", 2)["models"]]
    assert names == ["id3", "c45", "cart", "rules", "part", "ripper"]


def test_tune_is_for_one_tree() -> None:
    assert "tune finds the size of one tree" in error("tune", "play_tennis", "-a", "forest", code=2)
