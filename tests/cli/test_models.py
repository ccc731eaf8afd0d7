"""The commands that take a model: show, evaluate, predict, rules, prune, report and plot."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import quercus
from cli.calling import call, data, error, text
from quercus.datasets import load_play_tennis

D15 = "Outlook,Temperature,Humidity,Wind,PlayTennis\nSunny,Hot,Normal,Strong,No\nRain,Mild,High,,Yes\n"


@pytest.fixture
def days(tmp_path: Path) -> Path:
    path = tmp_path / "days.csv"
    path.write_text(D15)
    return path


# show


def test_show_prints_the_tree_and_its_size(tennis: Path) -> None:
    shown = text("show", tennis)
    assert shown.startswith("Outlook = Overcast: Yes (4)") and "C4.5: 8 nodes, 5 leaves, depth 2" in shown
    assert "3 leaves" not in shown and "hid" not in shown
    assert len(text("show", tennis, "--depth", "1").splitlines()) < len(shown.splitlines())


def test_show_as_data_holds_the_tree(tennis: Path) -> None:
    found = data("show", tennis)
    assert quercus.load(tennis).tree_ == type(quercus.load(tennis).tree_).from_dict(found["tree"])
    assert found["model"]["classes"] == ["No", "Yes"]


def test_show_prints_rules_of_rule_models(ripper: Path) -> None:
    assert "Otherwise:" in text("show", ripper)
    assert data("show", ripper)["rules"]["version"] == 1
    assert "has rules and no tree" in error("show", ripper, "--unpruned", code=2)


# evaluate


def test_evaluate_shows_train_beside_test(tennis: Path, days: Path) -> None:
    shown = text("evaluate", tennis, days, "--train", "play_tennis")
    assert "train" in shown and "0.500" in shown
    assert "true \\ answered" in shown and "precision" in shown and "Calibration" in shown
    found = data("evaluate", tennis, days, "--train", "play_tennis")
    assert (found["test"]["accuracy"], found["train"]["accuracy"]) == (0.5, 1.0)
    assert found["test"]["confusion"] == [[0, 1], [0, 1]]


def test_evaluate_counts_costs(tennis: Path, days: Path) -> None:
    assert data("evaluate", tennis, days, "--costs", "No:Yes=7")["test"]["mean_cost"] == 3.5


def test_evaluate_numbers(prices: Path, prices_csv: Path) -> None:
    assert "root mean squared error" in text("evaluate", prices, prices_csv)
    assert data("evaluate", prices, prices_csv)["test"]["r2"] > 0.9


def test_evaluate_needs_the_target_and_all_columns(tennis: Path, tmp_path: Path) -> None:
    path = tmp_path / "less.csv"
    path.write_text("Outlook,Temperature,Humidity\nRain,Hot,High\n")
    assert "There is no column 'PlayTennis'" in error("evaluate", tennis, path, code=2)
    assert "lacks 'Wind', which the model was fitted with" in error("predict", tennis, path, code=1)


# predict


def test_predict_writes_the_answers_in_order(tennis: Path) -> None:
    rows = list(csv.reader(io.StringIO(text("predict", tennis, "play_tennis"))))
    assert rows[0] == ["answer PlayTennis"]
    assert [row[0] for row in rows[1:]] == list(load_play_tennis()[1])


def test_predict_with_probabilities_and_reasons(tennis: Path, days: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(text("predict", tennis, days, "--proba", "--explain", "--keep"))))
    assert rows[0]["P(Yes)"] == "1.0" and rows[0]["why"] == "Outlook = Sunny AND Humidity = Normal"
    assert rows[1]["P(Yes)"] == "0.6" and "for 60% of it; a value is unknown" in rows[1]["why"]
    assert rows[1]["Wind"] == "" and rows[0]["PlayTennis"] == "No" and rows[0]["answer PlayTennis"] == "Yes"


def test_predict_as_json_and_to_a_file(tennis: Path, days: Path, tmp_path: Path) -> None:
    assert [row["answer PlayTennis"] for row in data("predict", tennis, days)] == ["Yes", "Yes"]
    out = tmp_path / "out.csv"
    assert "2 answers written to" in text("predict", tennis, days, "-o", out)
    assert out.read_text().splitlines() == ["answer PlayTennis", "Yes", "Yes"]


def test_predict_keeps_an_empty_header_empty(tmp_path: Path) -> None:
    table, model = tmp_path / "rows.csv", tmp_path / "model.json"
    table.write_text(",a,y\n7,1,u\n8,2,u\n9,3,v\n6,4,v\n")
    text("fit", table, "-t", "y", "-a", "cart", "-o", model)
    kept = text("predict", model, table, "--keep").splitlines()
    assert kept[:2] == [",a,y,answer y", "7,1,u,u"]


def test_the_row_to_explain_is_counted_in_the_file(tmp_path: Path) -> None:
    table, model = tmp_path / "rows.csv", tmp_path / "model.json"
    table.write_text("a,y\n1,u\n2,\n3,u\n14,v\n15,v\n")
    text("fit", table, "-t", "y", "-a", "cart", "--drop-unlabelled", "-o", model)
    assert "Answer: u." in text("explain", model, table, "--row", "3", "--drop-unlabelled")


def test_predict_by_rules_names_the_rule(ripper: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(text("predict", ripper, "play_tennis", "--explain"))))
    assert {"no rule fires"} < {row["why"] for row in rows}


def test_predict_numbers(prices: Path, prices_csv: Path) -> None:
    assert float(text("predict", prices, prices_csv).splitlines()[1]) == pytest.approx(
        quercus.load(prices).tree_.distributions().min(), abs=30
    )
    assert "--proba is for classes" in error("predict", prices, prices_csv, "--proba", code=2)


# rules


def test_rules_in_every_format(tennis: Path, tmp_path: Path) -> None:
    assert "2. IF Outlook = Rain AND Wind = Strong THEN No (2, 1.00)" in text("rules", tennis)
    rows = list(csv.DictReader(io.StringIO(text("rules", tennis, "--format", "csv"))))
    assert list(rows[1].values()) == ["2", "Outlook = Rain AND Wind = Strong", "No", "2", "2"]
    assert rows[-1]["rule"] == "otherwise" and rows[-1]["answer"] == "Yes"
    assert "\\item $\\text{Outlook} = \\text{Overcast} \\Rightarrow \\text{Yes}$" in text(
        "rules", tennis, "-f", "latex"
    )
    assert len(data("rules", tennis)["rules"]) == 5
    out = tmp_path / "rules.txt"
    call("rules", tennis, "-o", out)
    assert out.read_text() == text("rules", tennis)


def test_rules_measured_on_rows(tennis: Path, days: Path) -> None:
    shown = text("rules", tennis, "--data", days)
    assert "precision" in shown and "Outlook = Sunny AND Humidity = Normal" in shown
    assert data("rules", tennis, "--data", days)["measured"]["support"][4] == 1
    assert text("rules", tennis, "--data", days, "-f", "csv").startswith("position,rule,support")


def test_rules_refuse_an_unknown_format(tennis: Path) -> None:
    assert "--format is 'xml'" in error("rules", tennis, "--format", "xml", code=2)


# prune


def test_prune_says_what_was_cut_and_why(tennis: Path, tmp_path: Path) -> None:
    out = tmp_path / "small.json"
    shown = text("prune", tennis, "--method", "keep_depth", "-p", "depth=1", "-o", out)
    assert "8 nodes → 4 nodes" in shown and "node 2 → leaf" in shown and f"Written to {out}" in shown
    assert quercus.load(out).get_n_leaves() == 3
    again = text("show", out, "--unpruned")
    assert again.startswith(text("show", tennis).split("\n\n")[0])


def test_prune_by_rows_and_back(fruit: Path, tmp_path: Path) -> None:
    found = data("prune", fruit, "--method", "reduced_error", "--data", "lemons_and_oranges")
    assert found["model"]["leaves"] <= found["model"]["unpruned_leaves"]
    assert data("prune", fruit, "--method", "no")["removals"] == []
    assert data("prune", fruit, "--method", "snip", "-p", "nodes=0")["model"]["leaves"] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--method", "reduced_error"], "needs rows that the tree has not seen"),
        (["--method", "hard"], "prune='hard' is not allowed"),
        (["--method", "keep_depth", "-p", "deep=3"], "deep"),
        ([], "Missing option '--method'"),
    ],
)
def test_prune_says_what_is_wrong(tennis: Path, arguments: list[str], words: str) -> None:
    assert words in error("prune", tennis, *arguments, code=2)


def test_rules_are_not_pruned(ripper: Path) -> None:
    assert "has rules and no tree" in error("prune", ripper, "--method", "no", code=2)


# report and plot


def test_report_writes_one_file(tennis: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert f"Written to {out}" in text("report", tennis, "-o", out, "--title", "My <tree>")
    page = out.read_text()
    assert page.startswith("<!DOCTYPE html>") and "My &lt;tree&gt;" in page
    found = data("report", tennis, "--data", "play_tennis", "--test", "play_tennis", "-o", out)
    assert found["bytes"] == out.stat().st_size
    shown = out.read_text()
    data("report", tennis, "--test", "play_tennis", "-o", out)
    assert page_data(out.read_text()) == page_data(shown)
    assert "test accuracy" in out.read_text()


def page_data(page: str) -> Any:
    """What the page's script works on."""
    return json.loads(page.split('id="report-data">')[1].split("</script>")[0])


@pytest.mark.parametrize(
    "kind", ["tree", "curve", "pruning", "alpha", "importance", "confusion", "reliability", "regions"]
)
def test_every_kind_of_picture_is_drawn(fruit: Path, tmp_path: Path, kind: str) -> None:
    out = tmp_path / "picture.svg"
    rows = ["--data", "lemons_and_oranges", "--test", "lemons_and_oranges"]
    assert text("plot", fruit, "--kind", kind, *rows, "-o", out) == f"Written to {out}\n"
    assert out.read_text().startswith("<svg")


def test_the_learning_curve_and_the_entropy_curve_are_drawn(fruit: Path, tmp_path: Path) -> None:
    out = tmp_path / "picture.svg"
    call("plot", fruit, "--kind", "learning", "--data", "lemons_and_oranges", "--test", "lemons_and_oranges", "-o", out)
    assert data("plot", "--kind", "entropy", "-o", out) == {"output": str(out), "kind": "entropy"}


def test_the_learning_curve_is_that_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees of the curve are pruned as the model is."""
    import quercus.draw
    from quercus.cli.tables import read_rows
    from quercus.models import load

    path, rows, unseen = tmp_path / "model.json", "monks:n_rows=120,noise=0.3", "monks:n_rows=90,random_state=1"
    call("fit", rows, "--prune", "error_based", "-o", path)
    drawn: list[Any] = []
    chart = quercus.draw.learning_chart
    monkeypatch.setattr(quercus.draw, "learning_chart", lambda curve: drawn.append(curve) or chart(curve))
    call("plot", path, rows, "--kind", "learning", "--test", unseen, "-o", tmp_path / "learning.svg")
    model = load(path)
    sets = {name: read_rows(data, model=model).labelled for name, data in (("training", rows), ("test", unseen))}
    assert str(drawn[0]) == str(model.curve(sets, kind="learning", repeats=5))
    model.prune = False
    assert str(drawn[0]) != str(model.curve(sets, kind="learning", repeats=5))


def test_the_path_of_a_case_is_lit(tennis: Path, tmp_path: Path) -> None:
    plain, lit = tmp_path / "plain.svg", tmp_path / "lit.svg"
    call("plot", tennis, "-o", plain)
    call("plot", tennis, "-o", lit, "--case", "Outlook=Rain", "-c", "Wind=?")
    assert plain.read_text() != lit.read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--kind", "pie"], "--kind is 'pie'"),
        (["--kind", "confusion"], "--kind confusion needs --test, rows that the model has not seen."),
        (["--kind", "regions"], "--attributes must be two numeric ones"),
        (["-o", "tree.bmp"], ".bmp"),
        (["--case", "Outlook=Snow"], "allowed are Overcast, Rain, Sunny"),
    ],
)
def test_plot_says_what_is_wrong(tennis: Path, arguments: list[str], words: str) -> None:
    assert words in error("plot", tennis, *arguments, code=2)


def test_plot_needs_a_model() -> None:
    assert "--kind tree needs a model file" in error("plot", code=2)


# model files


@pytest.mark.parametrize("command", ["show", "rules", "explain", "report", "consult"])
def test_a_model_file_that_is_not_there_or_damaged(command: str, tmp_path: Path) -> None:
    assert "There is no model file" in error(command, tmp_path / "none.json", code=2)
    damaged = tmp_path / "damaged.json"
    damaged.write_text('{"format": "quercus')
    assert "damaged.json" in error(command, damaged, code=1)
    assert "this is a folder" in error(command, tmp_path, code=1)


def test_prune_prints_the_answers_that_the_model_gives(tmp_path: Path) -> None:
    table, model = tmp_path / "patients.csv", tmp_path / "model.json"
    table.write_text("pulse,state\n" + "50,well\n55,well\n60,well\n65,ill\n70,well\n75,well\n")
    text("fit", table, "-t", "state", "--prune", "no", "--costs", "ill:well=10", "-o", model)
    assert text("prune", model, "--method", "keep_depth", "--param", "depth=0").startswith("ill (6: 5 well, 1 ill)")
    assert "Node 0 predicts ill." in _drawn(model, tmp_path)


def _drawn(model: Path, folder: Path) -> str:
    small, picture = folder / "small.json", folder / "tree.svg"
    text("prune", model, "--method", "keep_depth", "--param", "depth=0", "-o", small)
    text("plot", small, "--kind", "tree", "-o", picture)
    return picture.read_text()


# Values that the model does not know


def _flags(folder: Path, name: str, flags: str, sizes: str) -> Path:
    path = folder / name
    rows = zip(flags.split() * 6, sizes.split() * 6, ["yes", "no"] * 6, strict=True)
    path.write_text("flag,size,cls\n" + "".join(f"{flag},{size},{label}\n" for flag, size, label in rows))
    return path


def test_a_column_without_a_value_of_the_model_is_noted(tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    call("fit", _flags(tmp_path, "fit.csv", "True False", "big small"), "-t", "cls", "-a", "cart", "-o", model)
    other = _flags(tmp_path, "other.csv", "TRUE FALSE", "big small")
    words = (
        "Note: no cell of 'flag' is a value of the model: the model has 'False', 'True'; the table has 'TRUE', 'FALSE'."
    )
    for command in ("predict", "evaluate"):
        assert call(command, model, other).stderr.splitlines() == [words]
    both = call("predict", model, _flags(tmp_path, "both.csv", "TRUE FALSE", "BIG SMALL")).stderr.splitlines()
    assert both == [f"{words} So it is in 'size'."]
    for flags in ("True FALSE", "? ?", "True False"):  # one known value, none at all, all of them
        seen = _flags(tmp_path, "seen.csv", flags, "big small")
        assert call("predict", model, seen, "--missing", "?").stderr == ""
