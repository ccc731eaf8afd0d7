"""``quercus fit``: every algorithm, pruning, validation, costs, schema, parameters, and what is told."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import quercus
from cli.calling import call, data, error, text
from quercus.cli.algorithms import ALGORITHMS
from quercus.models import read_model

NOISY = "x,y\n" + "\n".join(f"{i},{'a' if i < 20 or i == 30 else 'b'}" for i in range(40)) + "\n"


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    path = tmp_path / "noisy.csv"
    path.write_text(NOISY)
    return path


def test_it_prints_the_tree_its_size_its_accuracy_and_where_it_is(tmp_path: Path) -> None:
    shown = text("fit", "play_tennis", "-o", tmp_path / "model.json")
    assert "|   Wind = Weak: Yes (3)" in shown
    assert "C4.5 on play_tennis: 14 rows, 4 attributes, target PlayTennis" in shown
    assert "8 nodes, 5 leaves, depth 2" in shown
    assert "right on 14 of 14 of these rows, accuracy 1.000" in shown
    assert f"Written to {tmp_path / 'model.json'}" in shown


def test_without_an_output_it_says_how_to_keep_the_model() -> None:
    assert "The model was not kept; -o model.json writes it to a file." in text("fit", "play_tennis")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_fits_and_is_loaded_again(algorithm: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    found = data("fit", "play_tennis", "--algorithm", algorithm, "-o", path)
    model = quercus.load(path)
    assert type(model).__name__ == ALGORITHMS[algorithm].classifier == found["model"]["estimator"]
    assert found["model"]["target"] == "PlayTennis" == model.schema_.target
    assert found["training"]["rows"] == 14


def test_a_numeric_target_is_predicted_as_a_number(prices_csv: Path, prices: Path) -> None:
    assert type(quercus.load(prices)).__name__ == "CARTRegressor"
    assert "R² " in text("fit", prices_csv, "-t", "price")


def test_a_few_whole_numbers_are_classes_unless_said_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("x,y\n" + "\n".join(f"{i},{i // 10}" for i in range(40)))
    result = call("fit", path, "-t", "y")
    assert "taken as classes" in result.stderr and "accuracy" in result.stdout
    assert "R²" in text("fit", path, "-t", "y", "--task", "regression")


def test_provenance_and_evidence_are_kept(tennis: Path) -> None:
    kept = read_model(tennis)
    assert kept.provenance["data"]["name"] == "play_tennis"
    assert kept.provenance["data"]["rows"] == 14
    assert len(kept.provenance["data"]["fingerprint"]) == 64
    assert kept.provenance["command"] == f"quercus fit play_tennis -o {tennis}"
    assert kept.provenance["versions"]["quercus"] == quercus.__version__
    assert kept.evidence["trace"]["nodes"][0]["formula"].endswith("= 0.940")


def test_the_evidence_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    call("fit", "play_tennis", "--no-evidence", "-o", path)
    assert not read_model(path).evidence


def test_pruning_by_a_share_and_by_a_file_of_validation_rows(noisy: Path, tmp_path: Path) -> None:
    whole = data("fit", noisy, "-t", "y", "-a", "cart", "--prune", "no")["model"]
    assert whole["leaves"] == 4
    held = data("fit", noisy, "-t", "y", "-a", "cart", "--prune", "reduced-error", "--validation", "0.5")["model"]
    assert held["leaves"] < 4
    clean = tmp_path / "clean.csv"
    clean.write_text("x,y\n" + "\n".join(f"{i + 0.5},{'a' if i < 20 else 'b'}" for i in range(40)))
    by_file = data("fit", noisy, "-t", "y", "-a", "cart", "--validation", clean)["model"]
    assert (by_file["unpruned_leaves"], by_file["leaves"]) == (4, 2)


def test_costs_of_mistakes_turn_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "ill.csv"
    path.write_text("fever,state\n" + "yes,ill\n" * 3 + "yes,well\n" * 5 + "no,well\n" * 6)
    plain = text("fit", path, "-t", "state", "--prune", "no")
    costly = text("fit", path, "-t", "state", "--prune", "no", "--costs", "ill:well=10")
    assert "fever = yes: ill" in costly and "fever = yes: ill" not in plain
    assert "mean cost" in costly
    costs = tmp_path / "ill.costs"
    costs.write_text("| predicted, true: cost\nwell, ill: 10\n")
    assert text("fit", path, "-t", "state", "--prune", "no", "--costs", costs) == costly


def test_it_is_said_if_the_pruning_does_not_count_the_costs() -> None:
    costs = ["play_tennis", "--costs", "Yes:No=10"]
    for silent in (
        costs[:1],
        [*costs, "--prune", "cost_complexity"],
        [*costs, "--prune", "no"],
        [*costs, "-a", "cart"],
    ):
        assert call("fit", *silent).stderr == ""
        assert data("fit", *silent)["notes"] == []
    told = "error_based pruning counts errors only; to prune by costs, too: --prune cost_complexity"
    said = call("fit", *costs)
    assert told in said.stderr and told not in said.stdout
    assert [told in note for note in data("fit", *costs)["notes"]] == [True]
    assert "mdl pruning counts errors only" in call("fit", *costs, "--prune", "mdl").stderr


def test_attribute_costs_reach_the_estimator(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    call("fit", "play_tennis", "--attribute-cost", "Outlook=5", "-o", path)
    assert quercus.load(path).schema_["Outlook"].cost == 5.0


def test_missing_texts_schema_file_and_weights(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("x,w,y\n1,1,a\n?,1,a\n3,2,b\n4,0,a\n")
    schema = tmp_path / "schema.toml"
    schema.write_text('target = "y"\n[columns.x]\nkind = "numeric"\n')
    out = tmp_path / "model.json"
    call("fit", path, "--schema", schema, "--missing", "?", "--weight", "w", "-a", "cart", "-o", out)
    model = quercus.load(out)
    assert model.schema_.names == ("x",) and model.schema_["x"].kind == "numeric"
    assert model.tree_.weight[0] == 4.0


def test_the_same_call_gives_the_same_tree(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    call("fit", "restaurant", "-o", first)
    call("fit", "restaurant", "-j", "2", "-o", second)
    assert quercus.load(first).tree_ == quercus.load(second).tree_


def test_parameters_have_their_types(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    call(
        "fit", "play_tennis", "-p", "confidence=0.1", "-p", "subtree_raising=false", "-p", "max_depth=none",
        "-p", 'smoothing=["m", 2]', "-p", "class_weight=balanced", "-o", path,
    )  # fmt: skip
    model = quercus.load(path)
    assert (model.confidence, model.subtree_raising, model.max_depth) == (0.1, False, None)
    assert tuple(model.smoothing) == ("m", 2) and model.class_weight == "balanced"
    assert model.progress is None


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["play_tenis"], 2, "Did you mean 'play_tennis'? quercus datasets lists them."),
        (["no/such/file.csv", "-t", "y"], 2, "There is no file 'no/such/file.csv'"),
        (["play_tennis", "-t", "Tennis"], 2, "There is no column 'Tennis' in play_tennis. Did you mean 'PlayTennis'?"),
        (["play_tennis", "-a", "c4.5"], 2, "--algorithm is 'c4.5', but must be one of 'id3', 'c45'"),
        (["play_tennis", "--prune", "hard"], 2, "prune='hard' is not allowed"),
        (["play_tennis", "-p", "confidenc=1"], 2, "C4.5 has no parameter 'confidenc'. Did you mean 'confidence'?"),
        (["play_tennis", "-p", "confidence=7"], 2, "confidence=7"),
        (["play_tennis", "-p", "confidence"], 2, "--param 'confidence' must have the form NAME=VALUE."),
        (["play_tennis", "--validation", "2"], 2, "must be a share between 0 and 1, or a file"),
        (["play_tennis", "--costs", "Yes:Maybe=3"], 2, "with two of the classes 'No', 'Yes'"),
        (["play_tennis", "--costs", "Yes:No=much"], 2, "must have a number"),
        (["play_tennis", "--task", "clustering"], 2, "must be classification or regression"),
        (["play_tennis", "-a", "rules", "--prune", "no"], 2, "--prune is not for C4.5 rules"),
        (["play_tennis", "--task", "regression", "-a", "c45"], 2, "c45 cannot predict numbers"),
        (["play_tennis", "--weight", "Weight"], 2, "There is no column 'Weight' for --weight"),
        (["play_tennis", "--weight", "Wind"], 1, "--weight Wind"),
        (["play_tennis", "--colour"], 2, "Try 'quercus fit --help'."),
        ([], 2, "Missing argument 'DATA'"),
        (["play_tennis", "-o", "no/such/folder/model.json"], 1, "there is no folder 'no/such/folder'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments: list[str], code: int, words: str) -> None:
    assert words in error("fit", *arguments, code=code)


def test_a_target_is_asked_for_with_the_columns(prices_csv: Path) -> None:
    shown = error("fit", prices_csv, code=2)
    assert "Give --target. The columns are 'size', 'place', 'price'." in shown


def test_a_damaged_file_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "damaged.csv"
    path.write_text("a,b\n1,2\n1,2,3\n")
    assert "damaged.csv, line 3" in error("fit", path, "-t", "b", code=1)


@pytest.mark.parametrize(
    ("content", "place", "more"),
    [
        ("a,b\n1,x\n2,\n3,y\n4,x\n", "line 3", ""),
        ('a,b\n"1\n",x\n\n2,\n3,y\n4,x\n', "line 5", ""),
        ("a,b\n1,1.5\n2,\n3,2.5\n4,\n", "line 3", ", and in 1 more"),
    ],
    ids=["class", "lines that are no rows", "number"],
)
def test_a_row_without_a_label_is_named_by_its_line(content: str, place: str, more: str, tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text(content)
    told = error("fit", path, "-t", "b", code=1)
    assert f"gaps.csv, {place}: the target 'b' is unknown in this row{more}." in told and "--drop-unlabelled" in told


def test_rows_without_a_label_can_be_dropped(tmp_path: Path) -> None:
    path, whole, model = tmp_path / "gaps.csv", tmp_path / "whole.csv", tmp_path / "model.json"
    lines = NOISY.splitlines()
    whole.write_text("\n".join(lines) + "\n")
    path.write_text("\n".join([*lines[:5], "7,", *lines[5:], "8,?", "9,"]) + "\n")
    result = call("fit", path, "-t", "y", "--missing", "?", "--drop-unlabelled", "-o", model)
    assert "3 rows of 43 left out, because y is unknown." in result.stderr and "40 rows" in result.stdout
    assert text("show", model).splitlines()[0] in text("fit", whole, "-t", "y")
    assert "line 6" in error("evaluate", model, path, code=1)
    assert data("evaluate", model, path, "--missing", "?", "--drop-unlabelled")["test"]["rows"] == 40


def test_a_table_without_any_label_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("a,b\n1,\n2,\n")
    assert "unknown in every row" in error("fit", path, "-t", "b", "--drop-unlabelled", code=1)


def test_blanks_around_cells_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "blanks.csv"
    path.write_text("a,b\n1,yes\n2, yes\n3,no\n4,no \n")
    for answer, classes in (("yes", ["no", "yes"]), ("no", [" yes", "no", "no ", "yes"])):
        fitted = data("fit", path, "-t", "b", "--read", f"strip={answer}")
        assert sorted(fitted["model"]["classes"]) == classes
    assert "give strip=yes or strip=no" in error("fit", path, "-t", "b", "--read", "strip=maybe", code=2)


def test_a_failed_fit_leaves_an_older_model_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("kept")
    error("fit", "play_tennis", "-p", "confidence=7", "-o", path, code=2)
    assert path.read_text() == "kept" and os.listdir(tmp_path) == ["model.json"]


@pytest.mark.parametrize(
    ("arguments", "threshold"),
    [
        (["-a", "cart"], 19.0),
        (["-a", "cart", "-p", "threshold=midpoint"], 19.5),
        (["-a", "id3"], 19.0),
        (["-a", "id3", "-p", "form=threshold"], 19.0),  # its own rule: a value of the data
        (["-a", "c45"], 19.0),  # the same
    ],
)
def test_thresholds_are_short_unless_said_otherwise(
    noisy: Path, tmp_path: Path, arguments: list[str], threshold: float
) -> None:
    path = tmp_path / "model.json"
    call("fit", noisy, "-t", "y", *arguments, "-p", "max_depth=1", "-o", path)
    model = quercus.load(path)
    assert model.unpruned_tree_.threshold[0] == threshold
    short = "short" if arguments[1:] == ["cart"] or arguments[1:] == ["id3"] else "short_value"
    assert model.get_params()["threshold"] == ("midpoint" if threshold == 19.5 else short)


@pytest.mark.parametrize("algorithm", ["c45", "rules", "part", "ripper", "bagging"])
@pytest.mark.parametrize("values", [False, True])
def test_measurements_kept_as_32_bit_numbers_have_readable_thresholds(
    tmp_path: Path, algorithm: str, values: bool
) -> None:
    path, model = tmp_path / "kept.csv", tmp_path / "model.json"
    rows = [(float(np.float32(i / 10)), "high" if i > 39 else "low") for i in range(25, 60) if i % 3]
    path.write_text("uria,y\n" + "".join(f"{value:.10g},{label}\n" for value, label in rows))
    member = "estimator__" if algorithm == "bagging" else ""
    asked = ["-p", f"{member}threshold=data_value"] if values else []
    call("fit", path, "-t", "y", "-a", algorithm, *(["-p", "estimator=c45"] if member else []), *asked, "-o", model)
    told = str(next(iter(quercus.load(model).forest_))) if member else text("rules", model)
    assert "uria" in told and ("000" in told or "999" in told) == values


def test_presets_of_other_programs_keep_their_thresholds(noisy: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    call("fit", noisy, "-t", "y", "-p", "preset=j48", "-o", path)
    assert quercus.load(path).get_params()["threshold"] is None


@pytest.mark.parametrize("algorithm", ["forest", "bagging"])
def test_collections_write_short_thresholds(noisy: Path, tmp_path: Path, algorithm: str) -> None:
    path = tmp_path / "model.json"
    call("fit", noisy, "-t", "y", "-a", algorithm, "--trees", "5", "-o", path)
    for tree in quercus.load(path).forest_:
        asked = tree.threshold[tree.kind == 1]
        assert len(asked) and (asked % 1 == 0).all()
