"""What people read of the command line: no control characters, no type names, lines that fit, calls that work."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cli.calling import call, data, error, text
from quercus.cli import commands
from quercus.cli.csv_output import csv_text
from quercus.cli.output import json_text
from quercus.errors import visible
from quercus.models import read_model
from quercus.report import write_report

NAMES = [command.name for command in commands.COMMANDS]
#: Red text, the mark that turns writing around, C1's control sequence introducer and DEL.
NASTY = "a\x1b[31m\u202eb\x9bc\x7f"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def nasty_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose names, values and classes hold control characters."""
    path = tmp_path_factory.mktemp("tables") / "nasty.csv"
    rows = [f"{'x' + NASTY if i % 2 else 'y'},{i},{'yes' + NASTY if i % 2 else 'no'}" for i in range(40)]
    path.write_text("\n".join([f"attribute{NASTY},number,target{NASTY}", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory, nasty_csv: Path) -> Path:
    """A model of that table."""
    path = tmp_path_factory.mktemp("models") / "nasty.json"
    call("fit", nasty_csv, "-t", f"target{NASTY}", "-p", "min_objects=1", "-o", path)
    return path


def test_control_characters_of_data_and_arguments_are_shown_escaped(nasty: Path, nasty_csv: Path) -> None:
    target = f"target{NASTY}"
    for arguments in (
        ["fit", nasty_csv, "-t", target],
        ["fit", nasty_csv, "-t", target, "-a", "ripper"],
        ["fit", nasty_csv, "-t", target, "-a", "forest", "--trees", 3],
        ["measures", nasty_csv, "-t", target],
        ["show", nasty],
        ["explain", nasty],
        ["explain", nasty, nasty_csv, "--row", 2, "--change", "--reasons"],
        ["evaluate", nasty, nasty_csv],
        ["importance", nasty, nasty_csv],
        ["rules", nasty],
        ["rules", nasty, nasty_csv],
        ["show", nasty, "--json"],
        ["predict", nasty, nasty_csv, "--json"],
    ):
        result = call(*arguments)
        assert not CONTROLS.search(result.stdout + result.stderr), arguments
    for arguments in (["show", f"no{NASTY}"], ["evaluate", nasty, nasty_csv, "--costs", f"x{NASTY}:y=3"]):
        said = error(*arguments, code=2)
        assert r"\x1b[31m" in said and not CONTROLS.search(said)


def test_a_consultation_escapes_what_it_asks(nasty: Path) -> None:
    shown = text("consult", nasty, input="?\n?\n")
    assert r"\x1b[31m" in shown and not CONTROLS.search(shown)


def test_a_report_shows_control_characters_escaped(nasty: Path, nasty_csv: Path, tmp_path: Path) -> None:
    """Also in the command that made the model."""
    path = tmp_path / "report.html"
    opened = read_model(nasty)
    made = {"command": f"quercus fit table.csv -t 'target{NASTY}'", "data": {"file": f"table{NASTY}.csv"}}
    write_report(opened.model, path, provenance=made)
    assert r"table.csv -t &#39;targeta\x1b[31m" in path.read_text()
    assert "\x1b" not in path.read_text()


def test_a_pipe_gets_csv_as_it_is_and_a_terminal_gets_it_escaped(
    nasty: Path, nasty_csv: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    from quercus.cli.output import give

    assert NASTY in text("predict", nasty, nasty_csv)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    give(f"answer\n{NASTY}\n")
    assert capsys.readouterr().out == "answer\n" + r"a\x1b[31m\u202eb\x9bc\x7f" + "\n"


def test_visible_text_keeps_its_lines_and_letters() -> None:
    assert visible("größe\n\tΔ🌳 ا") == "größe\n\tΔ🌳 ا"
    assert visible("a\rb\nc", one_line=True) == r"a\rb\nc"
    assert json_text("\x7f\u202e") == r'"\u007f\u202e"'


# Spreadsheets


def test_safe_csv_holds_no_formulas(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    link = '=HYPERLINK("http://example.org")'
    rows = "".join(f'"{link.replace(chr(34), chr(34) * 2)}",{-i},=a\n+x,{i},b\n' for i in range(1, 9))
    path.write_text(f"name,number,@class\n{rows}")
    model = tmp_path / "links.json"
    call("fit", path, "-t", "@class", "-o", model)
    plain = text("predict", model, path, "--keep")
    assert f'"{link.replace(chr(34), chr(34) * 2)}",-1,=a,=a' in plain
    safe = text("predict", model, path, "--keep", "--safe").splitlines()
    assert safe[0] == "name,number,'@class,answer @class"
    assert safe[1].startswith("\"'=HYPERLINK(") and safe[1].endswith(",-1,'=a,'=a") and safe[2] == "'+x,1,b,b"
    assert ",'=a," in text("rules", model, "-f", "csv", "--safe") and ",=a," in text("rules", model, "-f", "csv")
    assert csv_text({"x": [-1.5, "-1.5", "-x"], "y": [1, 2, 3]}, safe=True) == "x,y\n-1.5,1\n-1.5,2\n'-x,3\n"


# Help


@pytest.mark.parametrize("name", NAMES)
def test_help_shows_no_type_of_python(name: str) -> None:
    shown = text(name, "--help")
    assert not re.search(r"<(str|int|float|bool|int range|float range)>|\b(INTEGER|FLOAT|BOOLEAN)\b", shown)


# Cells and streams


def test_keep_leaves_every_cell_of_every_column_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    lines = ["id,age,income,note,class"]
    lines += [f"{i:03d},{i},{'NA' if i % 5 == 0 else f'{i}.50'},n{i},{'a' if i < 20 else 'b'}" for i in range(1, 41)]
    path.write_text("\n".join(lines) + "\n")
    model = tmp_path / "people.json"
    call("fit", path, "-t", "class", "--missing", "NA", "-o", model)
    kept = text("predict", model, path, "--keep", "--missing", "NA").splitlines()
    assert [line.rpartition(",")[0] for line in kept] == lines
    first = data("predict", model, path, "--keep", "--missing", "NA")[4]
    assert first["age"] == 5 and isinstance(first["age"], int) and first["income"] is None


def test_a_dash_is_standard_input_and_output(tmp_path: Path) -> None:
    table = "x,class\n" + "".join(f"{i},{'a' if i < 10 else 'b'}\n" for i in range(20))
    made = call("fit", "-", "-t", "class", "-o", "-", input=table)
    assert "x <= 9" in made.stderr and "on standard input" in made.stderr
    model = tmp_path / "model.json"
    model.write_text(made.stdout)
    assert text("predict", model, "-", "-o", "-", input=table).splitlines()[:2] == ["answer class", "a"]
    assert "2 leaves" in text("show", "-", input=made.stdout)
    assert text("plot", model, "-o", "-").startswith("<svg")
    assert text("report", model, "-o", "-").startswith("<!DOCTYPE html>")
    assert text("rules", model, "-f", "csv", "-o", "-") == text("rules", model, "-f", "csv")
    assert "both write to standard output" in error("plot", model, "-o", "-", "--json", code=2)
    assert "nothing" in call("show", "-", input="", code=2).stderr


def test_a_fault_in_standard_input_is_named_so(tmp_path: Path) -> None:
    said = call("fit", "-", "-t", "y", input="x,y\n1,2,3\n", code=1).stderr
    assert "standard input" in said and "quercus-" not in said


def test_a_chart_is_written_under_its_own_name(tennis: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "Written to importance.svg" in text("plot", tennis, "-k", "importance")
    assert [path.name for path in tmp_path.iterdir()] == ["importance.svg"]


# Rows and calls


def test_rows_stand_behind_the_model_and_the_older_option_still_works(tennis: Path) -> None:
    for command, more in (("rules", []), ("importance", []), ("explain", ["--row", "3"])):
        assert text(command, tennis, "play_tennis", *more) == text(command, tennis, "--data", "play_tennis", *more)
        assert "--data" not in text(command, "--help")
    twice = error("rules", tennis, "play_tennis", "--data", "restaurant", code=2)
    assert "The rows are given twice, as play_tennis and as --data restaurant" in twice


@pytest.fixture(scope="module")
def gappy_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 60 rows with NA for unknown, and a name that a shell would take apart."""
    path = tmp_path_factory.mktemp("tables") / "gappy table.csv"
    rows = [f"{'NA' if i % 7 == 0 else i},{i % 3},{'ill' if i % 10 < 4 else 'well'}" for i in range(60)]
    path.write_text("\n".join(["x,z,state of health", *rows]) + "\n")
    return path


def test_tuning_names_the_call_that_fits_the_tree_with_every_option(gappy_csv: Path) -> None:
    options = ["--missing", "NA", "--costs", "ill:well=4", "-a", "c45", "-p", "min_objects=3", "--task"]
    shown = text("tune", gappy_csv, "-t", "state of health", *options, "classification", "--folds", 3)
    words = shlex.split(shown.split("Fit it with: ")[1])
    assert words[:3] == ["quercus", "fit", str(gappy_csv)] and words[-2:] == ["--output", "model.json"]
    pairs = list(zip(words[3::2], words[4::2], strict=True))
    for pair in (
        ("--target", "state of health"),
        ("--missing", "NA"),
        ("--costs", "ill:well=4"),
        ("--algorithm", "c45"),
        ("--param", "min_objects=3"),
        ("--task", "classification"),
    ):
        assert pair in pairs
    assert not any(word in words for word in ("--folds", "--depths", "--rule"))
    best = int(re.findall(r", ([\d,]+) lea(?:f|ves)\.", shown)[-1])
    assert data(*words[1:-2])["model"]["leaves"] == best


def test_measuring_or_pruning_by_the_rows_of_fitting_is_said(tmp_path: Path, gappy_csv: Path) -> None:
    model, pruned = tmp_path / "model.json", tmp_path / "pruned.json"
    call("fit", gappy_csv, "-t", "state of health", "--missing", "NA", "-o", model)
    result = call("evaluate", model, gappy_csv)
    assert "Note: " in result.stderr and "rows that the model was fitted to" in result.stderr
    assert "fitted to" in data("evaluate", model, gappy_csv)["notes"][0]
    by_same = call("prune", model, gappy_csv, "--method", "reduced_error").stderr
    assert "reduced_error cuts little or nothing" in by_same
    other = tmp_path / "other.csv"
    other.write_text("\n".join(gappy_csv.read_text().splitlines()[:31]) + "\n")
    assert call("evaluate", model, other).stderr == "" and data("evaluate", model, other)["notes"] == []
    assert call("prune", model, other, "-m", "reduced_error", "-o", pruned).stderr == ""
    assert "the rows that the model was pruned by" in call("evaluate", pruned, other).stderr
    held = tmp_path / "held.json"
    call("fit", gappy_csv, "-t", "state of health", "--validation", other, "-o", held)
    assert "the rows that the model was pruned by" in call("evaluate", held, other).stderr
