"""``quercus importance`` and its picture: every kind equals the library's, wrong rows and models are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import quercus
from cli.calling import ROWS, UNSEEN, call, data, error, text
from quercus.cli.tables import read_rows


def labelled(path: str, model: Any) -> tuple[Any, Any]:
    rows = read_rows(path, model=model)
    return rows.X, rows.y


@pytest.mark.parametrize(
    ("arguments", "kind", "rows", "options"),
    [
        ([], "impurity", None, {}),
        (["--by", "impurity", "--level", "0.8"], "impurity", None, {"level": 0.8}),
        ([UNSEEN], "permutation", UNSEEN, {"by": "permutation"}),
        (
            [UNSEEN, "--by", "permutation", "--repeats", "3", "--seed", "7"],
            "permutation",
            UNSEEN,
            {"by": "permutation", "repeats": 3, "random_state": 7},
        ),
        ([ROWS, "--by", "out_of_bag"], "out_of_bag", ROWS, {"by": "permutation", "out_of_bag": True}),
        ([ROWS, "--by", "unbiased"], "unbiased", ROWS, {"by": "unbiased"}),
    ],
)
def test_every_kind_is_that_of_the_library(
    forest: Path, arguments: list[str], kind: str, rows: str | None, options: dict[str, Any]
) -> None:
    model = quercus.load(forest)
    expected = quercus.importance(model, *(() if rows is None else labelled(rows, model)), **options)
    found = data("importance", forest, *arguments)
    assert found == {"by": kind, **expected.to_dict()}
    shown = text("importance", forest, *arguments)
    assert shown.startswith(str(expected)) and f"interval, over {expected.about}" in shown


def test_the_kinds_differ_and_find_what_matters(forest: Path) -> None:
    kinds = [[], [UNSEEN], [ROWS, "--by", "out_of_bag"], [ROWS, "--by", "unbiased"]]
    tables = [data("importance", forest, *more) for more in kinds]
    assert len({tuple(table["values"]) for table in tables}) == 4
    for table in tables:
        best = sorted(zip(table["values"], table["names"], strict=True))[-3:]
        assert {name for _, name in best} == {"head_shape", "body_shape", "jacket_color"}  # monk 1 is about these


def test_weights_of_the_rows_count(tmp_path: Path) -> None:
    table, out = tmp_path / "t.csv", tmp_path / "m.json"
    lines = [f"{i % 7},{i % 3},{'ab'[i % 7 > 3]},{1 + i % 2}" for i in range(60)]
    table.write_text("x,z,y,w\n" + "\n".join(lines) + "\n")
    call("fit", table, "-t", "y", "--weight", "w", "-a", "forest", "--trees", 5, "-o", out)
    weighed = data("importance", out, "--by", "unbiased", table, "--weight", "w")
    assert weighed["values"] != data("importance", out, "--by", "unbiased", table)["values"]
    assert len(weighed["names"]) == 2


def test_the_first_so_many_are_printed(forest: Path) -> None:
    shown = text("importance", forest, "-n", 2).splitlines()
    assert len(shown) == 7 and shown[4] == "… and 4 more"
    assert len(text("importance", forest).splitlines()) == 10


def test_trees_rules_and_numbers_have_importances_too(
    tennis: Path, ripper: Path, prices: Path, prices_csv: Path
) -> None:
    assert data("importance", tennis)["names"][0] == "Outlook"
    assert data("importance", ripper, "play_tennis")["by"] == "permutation"
    shown = text("importance", prices, prices_csv).splitlines()
    assert shown[2].startswith("size ") and all(len(line.split()) == 5 for line in shown[1:4])


def test_rows_of_fitting_are_checked(forest: Path) -> None:
    said = error("importance", forest, "--by", "unbiased", UNSEEN, code=2)
    assert "needs the rows of fitting" in said and "has 150 rows, but the model was fitted to 200" in said
    other = "monks:n_rows=200,noise=0.1,random_state=3"
    assert (
        "is not the file that the model was fitted to" in call("importance", forest, "--by", "out_of_bag", other).stderr
    )
    assert call("importance", forest, "--by", "out_of_bag", ROWS).stderr == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--by", "gain"], "--by is 'gain', but must be one of 'impurity', 'permutation'"),
        (["--by", "impurity", ROWS], "needs no rows; leave them out"),
        (["--by", "permutation"], "--by permutation needs labelled rows, best such as the model has not seen"),
        (["--by", "unbiased"], "--by unbiased needs labelled rows, those of fitting: quercus importance MODEL DATA."),
        (["--level", "1"], "give a confidence between 0 and 1"),
        (["--repeats", "0"], "--repeats"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(forest: Path, arguments: list[str], words: str) -> None:
    assert words in error("importance", forest, *arguments, code=2)


def test_models_without_what_a_kind_needs_are_refused(tennis: Path, ripper: Path, tmp_path: Path) -> None:
    assert "this RIPPERClassifier answers by rules" in error("importance", ripper, code=2)
    for path in (tennis, tmp_path / "boosted.json"):
        if path is not tennis:
            call("fit", "play_tennis", "-a", "boosted", "--trees", 2, "-o", path)
        said = error("importance", path, "--by", "unbiased", "play_tennis", code=2)
        assert "it is for forest and bagging. Give --by permutation" in said
    whole = tmp_path / "whole.json"
    call("fit", "play_tennis", "-a", "forest", "--trees", 2, "-p", "bootstrap=false", "-o", whole)
    assert "Without draws" in error("importance", whole, "--by", "unbiased", "play_tennis", code=2)


def test_the_picture_of_a_kind(forest: Path, ripper: Path, tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}.svg" for name in ("gain", "permutation", "out_of_bag", "unbiased")}
    call("plot", forest, "--kind", "importance", "-o", paths["gain"])
    call("plot", forest, "--kind", "importance", "--test", UNSEEN, "-o", paths["permutation"])
    for by in ("out_of_bag", "unbiased"):
        call("plot", forest, "--kind", "importance", "--by", by, ROWS, "-o", paths[by])
    drawn = {name: path.read_text() for name, path in paths.items()}
    assert "Importance by permutation on 150 rows" in drawn["permutation"] and "over other rows" in drawn["permutation"]
    assert "permutation out of the bag" in drawn["out_of_bag"] and "on unseen rows" in drawn["unbiased"]
    assert [name for name in paths if "95 % interval" in drawn[name]] == ["permutation", "out_of_bag", "unbiased"]
    call("plot", ripper, "--kind", "importance", "--test", "play_tennis", "-o", tmp_path / "rules.svg")


def test_a_picture_takes_by_only_for_importance(forest: Path) -> None:
    assert "--by is for --kind importance" in error("plot", forest, "--kind", "curve", "--by", "unbiased", code=2)
    said = error("plot", forest, "--kind", "importance", "--by", "unbiased", "--test", ROWS, code=2)
    assert "needs DATA, the rows of fitting" in said
