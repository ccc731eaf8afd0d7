"""The commands that take a table or nothing: compare, tune, measures, datasets and demo."""

from __future__ import annotations

from pathlib import Path

import pytest

import quercus
from cli.calling import data, error, text
from quercus.cli.algorithms import ALGORITHMS

# compare


def test_all_algorithms_are_compared_on_the_same_folds() -> None:
    shown = text("compare", "play_tennis", "--folds", "3")
    assert "accuracy by 3-fold cross-validation of 14 rows" in shown and "← compared with" in shown
    assert all((f"\n{name} " in shown) != entry.collection for name, entry in ALGORITHMS.items())


def test_algorithms_and_prunings_are_crossed() -> None:
    found = data(
        "compare", "lemons_and_oranges", "-a", "c45", "-a", "rules", "-a", "ripper", "--prune", "no", "--prune", "mdl",
        "--folds", "3", "--repeats", "2", "--against", "rules", "-p", "min_objects=3",
    )  # fmt: skip
    names = [model["name"] for model in found["models"]]
    assert names == ["c45, unpruned", "c45, pruned: mdl", "rules", "ripper, unpruned", "ripper"]
    assert found["against"] == "rules" and len(found["models"][0]["scores"]) == 6
    assert found["models"][0]["depth"] is not None and found["models"][2]["size_unit"] == "rules"


def test_numbers_and_costs_are_compared(prices_csv: Path) -> None:
    assert data("compare", prices_csv, "-t", "price", "--folds", "3")["measure"] == "R²"
    found = data("compare", "lemons_and_oranges", "-a", "cart", "--folds", "3", "--costs", "orange:lemon=9")
    assert found["measure"] == "mean cost"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--folds", "1"], "'--folds'"),
        (["--folds", "15"], "folds is 15"),
        (["-a", "forests"], "--algorithm is 'forests'"),
        (["--against", "id4"], "against is 'id4'"),
        (["-p", "colour=3"], "None of the algorithms has a parameter 'colour'"),
    ],
)
def test_compare_says_what_is_wrong(arguments: list[str], words: str) -> None:
    assert words in error("compare", "play_tennis", *arguments, code=2)


# tune


def test_tuning_names_the_best_size_and_how_to_fit_it(tmp_path: Path) -> None:
    shown = text("tune", "lemons_and_oranges", "--folds", "4")
    assert "max_depth" in shown and "confidence" in shown and "alpha" in shown
    assert "Fit it with: quercus fit lemons_and_oranges --target fruit --algorithm c45" in shown
    path = tmp_path / "model.json"
    few = ["--depths", "1,2,3", "--confidences", "", "--alphas", ""]
    found = data("tune", "lemons_and_oranges", "-a", "cart", *few, "-o", path)
    assert found["best"] == {} and quercus.load(path).get_depth() == 2  # the tree as grown is as good as any
    again = data("tune", "lemons_and_oranges", "-a", "cart", "--leaves", "1,60", "--depths", "2", "--rule", "1se")
    assert again["best"]["min_samples_leaf"] == 1
    assert {choice["regrown"]["min_samples_leaf"] for choice in again["choices"]} == {1, 60}


def test_numbers_are_tuned(prices_csv: Path) -> None:
    found = data("tune", prices_csv, "-t", "price", "--folds", "3")
    assert {choice["parameter"] for choice in found["choices"]} == {"none", "max_depth", "alpha"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--depths", "deep"], "--depths is 'deep', but must be whole numbers"),
        (["--rule", "2se"], "--rule is '2se'"),
        (["-a", "rules"], "Only trees have sizes to tune; rules learns rules."),
        (["-a", "id3", "--leaves", "2"], "--leaves is not for id3"),
    ],
)
def test_tune_says_what_is_wrong(arguments: list[str], words: str) -> None:
    assert words in error("tune", "play_tennis", *arguments, code=2)


# measures


def test_counts_of_a_node() -> None:
    shown = text("measures", "9", "5")
    assert "entropy            = −9/14·log2(9/14) − 5/14·log2(5/14) = 0.9403" in shown
    assert "gini               = 1 − (9/14)² − (5/14)² = 0.4592" in shown
    assert data("measures", "9 5")["error"] == pytest.approx(5 / 14)


def test_counts_of_branches() -> None:
    shown = text("measures", "2 3", "4 0", "3 2")
    assert "gain               = 0.9403 − 0.6935 = 0.2467" in shown
    assert "gain ratio         = 0.2467 / 1.5774 = 0.1564" in shown
    assert data("measures", "2,3", "4,0", "3,2")["gain"] == pytest.approx(0.24675, abs=1e-5)


def test_the_gain_table_of_a_table() -> None:
    shown = text("measures", "play_tennis", "--by", "gini_gain")
    assert shown.startswith("entropy of PlayTennis: 0.9403\n  = −5/14·log2(5/14) − 9/14·log2(9/14)\n")
    assert "Overcast [0, 4]" in shown
    found = data("measures", "play_tennis")
    assert [row["attribute"] for row in found["attributes"]] == ["Outlook", "Humidity", "Wind", "Temperature"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["9", "x"], "'x' are not counts"),
        (["2 3", "4"], "Every branch needs a count for every class"),
        (["0", "0"], "All counts are 0"),
        (["nan", "1"], "finite number"),
        (["play_tennis", "--by", "luck"], "measure is 'luck'"),
        (["play_tenis"], "Did you mean 'play_tennis'?"),
        ([], "Missing argument"),
    ],
)
def test_measures_say_what_is_wrong(arguments: list[str], words: str) -> None:
    assert words in error("measures", *arguments, code=2)


def test_measures_are_for_classes(prices_csv: Path) -> None:
    assert "The measures are for classes" in error("measures", prices_csv, "-t", "price", code=1)


# datasets


def test_data_sets_are_listed_printed_and_written(tmp_path: Path) -> None:
    assert "play_tennis " in text("datasets") and "lemons_and_oranges " in text("datasets")
    assert {"name", "rows", "attributes", "target", "about"} <= set(data("datasets")[0])
    shown = text("datasets", "play_tennis")
    assert "Overcast  Hot" in shown and "14 rows; target PlayTennis" in shown
    assert "… 119 more rows" in text("datasets", "lemons_and_oranges")
    path = tmp_path / "tennis.csv"
    assert f"14 rows written to {path}" in text("datasets", "play_tennis", "-o", path)
    assert path.read_text().startswith("Outlook,Temperature,Humidity,Wind,PlayTennis\nSunny,Hot,High,Weak,No\n")
    assert "5 leaves" in text("fit", path, "-t", "PlayTennis")
    assert data("datasets", "play_tennis")["columns"]["Wind"][:2] == ["Weak", "Strong"]


def test_options_of_a_data_set_stand_behind_a_colon() -> None:
    assert data("datasets", "play_tennis:d15=true")["rows"] == 15
    assert data("fit", "agrawal:n_rows=120,function=2", "--no-evidence")["rows"] == 120
    assert "has no option 'rows'" in error("datasets", "agrawal:rows=3", code=2)
    options = {entry["name"]: entry["options"] for entry in data("datasets")}
    assert options["play_tennis"] == {"d15": False} and "n_rows" in options["agrawal"]


def test_data_sets_say_what_is_wrong() -> None:
    assert "Did you mean 'restaurant'?" in error("datasets", "restaurants", code=2)
    assert "-o needs the name" in error("datasets", "-o", "x.csv", code=2)


# demo


def test_the_demonstration_tells_the_whole_story(tmp_path: Path) -> None:
    shown = text("demo", "--folder", tmp_path / "demo")
    report = tmp_path / "demo" / "report.html"
    parts = [
        "1. The data", "−5/14·log2(5/14) − 9/14·log2(9/14) = 0.940", "2. Which question first?", "Outlook      0.2467",
        "Outlook wins, 0.247 bits against 0.152 of Humidity", "3. ID3", "|   Wind = Weak: Yes (3)", "(accuracy 1.00)",
        "4. The same as rules", "IF Outlook = Sunny AND Humidity = High THEN No", "5. A new day", "Answer: Yes.",
        "6. The same day, but nobody knows the wind", "Yes: 3/3·3/5 = 0.6", "7. A fifteenth day", "overfitting",
        "8. Reduced-error pruning", "11 nodes → 8 nodes", "9. The report", str(report.resolve()),
        "Now you. Each line works as it stands:", "quercus fit play_tennis -o model.json",
    ]  # fmt: skip
    places = [shown.find(part) for part in parts]
    assert -1 not in places and places == sorted(places)
    assert report.read_text().startswith("<!DOCTYPE html>")
    assert max(len(part.splitlines()) for part in _steps(shown)) <= 30


def _steps(shown: str) -> list[str]:
    """The demonstration's steps, each of which fits a screen."""
    places = [shown.index(f"{number}. ") for number in range(1, 10)]
    return [shown[a:b] for a, b in zip(places, [*places[1:], len(shown)], strict=True)]


def test_the_demonstration_without_its_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "9. The report" not in text("demo", "--no-report") and list(tmp_path.iterdir()) == []
    found = data("demo", "--no-report")
    assert found["report"] is None and found["text"].startswith("1. The data")


# how a table is read


def test_reading_is_decided_by_options(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [
        f'{k};P{k};"{k % 9 + 1},{100 + k}";{k % 12 + 1:02d}/{k % 11 + 1:02d}/2024;{"ny"[k > 20]}' for k in range(40)
    ]
    path.write_text("\n".join([";name;price;day;y", *rows]))
    shown = text("fit", path, "-t", "y", "--drop", "name", "--read", "decimal=.", "--read", "date_order=dmy")
    assert "2 attributes" in shown
    assert "3 attributes" in text("fit", path, "-t", "y", "--drop", "name", "--keep", "x0", "--read", "decimal=.")
    model = tmp_path / "m.json"
    text("fit", path, "-t", "y", "--drop", "name", "--read", "decimal=.", "--read", "date_order=dmy", "-o", model)
    assert "--read" in error("evaluate", model, path, code=1)
    assert data("evaluate", model, path, "--read", "decimal=.", "--read", "date_order=dmy")
    assert "header=yes or header=no" in error("fit", path, "-t", "y", "--read", "header=maybe", code=2)
    assert "no column 'nam' for --drop" in error("fit", "play_tennis", "--drop", "nam", code=2)
    assert "3 attributes" in text("fit", "play_tennis", "--drop", "Wind")


def test_a_file_of_c50_brings_its_weights(tmp_path: Path) -> None:
    (tmp_path / "w.names").write_text("n, y.\na: continuous.\ncase weight: continuous.\n")
    (tmp_path / "w.data").write_text("".join(f"{k},{k % 3 + 1},{'ny'[k > 5]}\n" for k in range(12)))
    assert "of 24 of the weight of these 12 rows" in text("fit", tmp_path / "w")


def test_validation_rows_may_all_apply(tmp_path: Path) -> None:
    (tmp_path / "w.names").write_text("n, y.\na: continuous.\nb: continuous.\n")
    (tmp_path / "w.data").write_text("".join(f"{'N/A' if k > 8 else k},{k % 5},{'ny'[k > 8]}\n" for k in range(20)))
    (tmp_path / "w.test").write_text("1,2,n\n2,?,n\n")
    shown = text("fit", tmp_path / "w", "--validation", tmp_path / "w.test", "-p", "min_objects=1")
    assert "3 attributes" in shown


@pytest.mark.parametrize(
    ("algorithm", "parameter", "best"), [("id3", "epsilon", 0.1), ("cart", "min_impurity_decrease", 0.02)]
)
def test_epsilon_is_tuned(algorithm: str, parameter: str, best: float, tmp_path: Path) -> None:
    path, table = tmp_path / "tuned.json", "agrawal:n_rows=200,noise=0.2"
    few = ["--depths", "", "--confidences", "", "--alphas", "", "--folds", "5"]
    found = data("tune", table, "-a", algorithm, "--epsilons", f"0,{best},0.9", *few, "-o", path)
    tried = {choice["value"]: choice for choice in found["choices"] if choice["parameter"] == parameter}
    assert tried.keys() == {0.0, best, 0.9} and tried[0.9]["leaves"] == 1 < tried[best]["leaves"]
    assert found["best"] == {parameter: best}
    model = quercus.load(path)
    assert getattr(model, parameter) == best and model.get_n_leaves() == tried[best]["leaves"]
    said = text("tune", table, "-a", algorithm, "--epsilons", best, *few)
    assert f"--param {parameter}={best}" in said


def test_epsilon_of_c45_is_refused() -> None:
    said = error("tune", "play_tennis", "--epsilons", "0.1", code=2)
    assert "--epsilons is not for c45; it is for id3 and cart." in said


# parameters


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_parameter_that_can_be_typed_is_listed(name: str) -> None:
    entry = ALGORITHMS[name]
    for task, kind in (("classification", entry.classifier), ("regression", entry.regressor)):
        if kind is None:
            continue
        names = set(getattr(quercus, kind)().get_params(deep=False)) - {"progress"}
        found = data("parameters", name, "--task", task)
        assert found["class"] == kind and {row["name"] for row in found["parameters"]} == names
        shown = text("parameters", name, "--task", task)
        assert all(f"\n{row['name']} = " in shown and row["documentation"] in shown for row in found["parameters"])


def test_parameters_of_what_an_algorithm_cannot_do_are_refused() -> None:
    assert "--algorithm cart" in error("parameters", "c45", "--task", "regression", code=2)
    assert "must be classification or regression" in error("parameters", "c45", "--task", "both", code=2)
    assert "Did you mean 'cart'" in error("parameters", "carts", code=2)
