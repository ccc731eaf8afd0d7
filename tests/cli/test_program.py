"""The program itself: help, exit codes, colours, pipes, speed, completion, and what happens without its library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import quercus
from cli.calling import call, error, program, text
from quercus.cli import algorithms, commands
from quercus.cli.program import explained
from quercus.errors import DataError, DependencyError, ParameterError, missing_extra

NAMES = [command.name for command in commands.COMMANDS]


def test_the_help_lists_every_command_and_starts_with_examples() -> None:
    shown = text("--help")
    assert all(f"\n  {name} " in shown for name in NAMES)
    assert "Examples:\n    quercus demo" in shown and "Exit codes: 0 done, 1" in shown


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_examples_that_name_it(name: str) -> None:
    shown = text(name, "--help")
    assert "Examples:" in shown and text(name, "-h") == shown
    examples = shown.split("Examples:")[1].strip().splitlines()
    assert examples and all(f"quercus {name}" in line for line in examples)
    command = next(one for one in commands.COMMANDS if one.name == name)
    assert [line.strip() for line in examples] == list(command.examples)


def test_no_name_of_an_algorithm_is_broken_in_two() -> None:
    """In a terminal of 80 columns; a line ends between words only."""
    for name in ("fit", "compare", "tune", "parameters"):
        shown = program(name, "--help", COLUMNS="80").stdout.split()
        offered = [word.strip(".,;") for word in shown]
        assert all(algorithm in offered for algorithm in algorithms.ALGORITHMS) == (name != "tune"), name


@pytest.mark.parametrize("name", NAMES)
def test_every_command_speaks_json(name: str) -> None:
    assert "--json" in text(name, "--help")


def test_every_option_of_an_example_exists() -> None:
    for command in commands.COMMANDS:
        shown = text(command.name, "--help")
        for example in command.examples:
            for word in example.split("#")[0].split():
                if word.startswith("--") or (word.startswith("-") and len(word) == 2 and word[1].isalpha()):
                    assert word in shown, (command.name, word)


def test_the_algorithms_are_one_table() -> None:
    import quercus.estimators as estimators

    offered = {entry.classifier for entry in algorithms.ALGORITHMS.values()}
    offered |= {entry.regressor for entry in algorithms.ALGORITHMS.values()} - {None}
    assert offered == set(estimators.__all__) & offered
    assert all(name in text("fit", "--help") for name in algorithms.ALGORITHMS)


def test_the_version() -> None:
    assert text("--version") == f"quercus {quercus.__version__}\n"


def test_wrong_calls_end_with_2_and_a_hint() -> None:
    assert error("xyz", code=2) == "Error: No such command 'xyz'. Try 'quercus --help'."
    assert "'plot'" in error("plott", code=2)
    assert error("show", code=2) == "Error: Missing argument 'MODEL'. Try 'quercus show --help'."
    call(code=2)


@pytest.mark.parametrize(
    ("given", "words", "code"),
    [
        (ParameterError("a"), "Error: a", 2),
        (DataError("two\nlines"), "Error: two lines", 1),
        (missing_extra("pyarrow", "files"), 'pip install "quercus[files]"', 1),
        (FileNotFoundError(2, "No such file", "x.csv"), "Error: x.csv: No such file.", 1),
        (MemoryError(), "There is not enough memory for this. Give fewer rows", 1),
        (MemoryError("There is not enough memory for a tree."), "for a tree. Give fewer rows", 1),
        (KeyError("x"), "--debug shows where it comes from", 1),
    ],
)
def test_errors_become_one_line(given: Exception, words: str, code: int) -> None:
    line, found = explained(given)
    assert words in line and "\n" not in line and found == code
    assert isinstance(missing_extra("a", "b"), DependencyError)


def test_debug_shows_where_an_error_comes_from() -> None:
    for arguments in (["--debug", "show", "none.json"], ["show", "none.json", "--debug"]):
        result = program(*arguments)
        assert result.returncode == 1 and "Traceback" in result.stderr and "ParameterError" in result.stderr
    assert "Traceback" in program("show", "none.json", QUERCUS_DEBUG="1").stderr
    quiet = program("show", "none.json", QUERCUS_DEBUG="0")
    assert quiet.returncode == 2 and quiet.stderr.count("\n") == 1 and quiet.stdout == ""


def test_a_pipe_gets_plain_text_and_json_alone(tennis: Path) -> None:
    shown = program("show", tennis)
    assert shown.returncode == 0 and shown.stderr == "" and "\x1b" not in shown.stdout
    assert json.loads(program("show", tennis, "--json").stdout)["model"]["leaves"] == 5
    plain = program("--help")
    assert "\x1b" not in plain.stdout and "╭" not in plain.stdout


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
@pytest.mark.parametrize("no_colour", ["", "1"])
def test_colours_are_for_terminals_and_obey_no_color(no_colour: str) -> None:
    shown = _on_terminal("--help", NO_COLOR=no_colour)
    assert ("\x1b[" in shown) == (not no_colour)
    assert "quercus demo" in shown


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_progress_is_shown_on_a_terminal_and_gone_at_the_end() -> None:
    shown = _on_terminal("compare", "play_tennis", "--folds", "3")
    assert "fitting" in shown and "← compared with" in shown


def _on_terminal(*arguments: str, **environment: str) -> str:
    """What a terminal shows of a call."""
    ours, theirs = os.openpty()
    source = str(Path(__file__).resolve().parents[2] / "src")
    child = subprocess.Popen(
        [sys.executable, "-m", "quercus", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": source, "TERM": "xterm-256color", **environment},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    child.wait(timeout=600)
    os.close(ours)
    return shown.decode(errors="replace")


@pytest.mark.slow
def test_a_reader_that_has_enough_is_no_error(tennis: Path) -> None:
    source = str(Path(__file__).resolve().parents[2] / "src")
    child = subprocess.Popen(
        [sys.executable, "-m", "quercus", "datasets", "lemons_and_oranges", "--rows", "149"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": source, "PYTHONUNBUFFERED": "1"},
    )
    assert child.stdout is not None and child.stderr is not None
    child.stdout.close()
    assert child.stderr.read() == b"" and child.wait(timeout=600) == 0


def test_without_its_library_the_program_says_how_to_get_it() -> None:
    code = "import sys; sys.modules['typer'] = None; from quercus.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=600)
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr.strip().splitlines() == [f"quercus: {missing_extra('typer', 'cli')}"]


@pytest.mark.slow
def test_it_works_without_pandas(tmp_path: Path) -> None:
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("x,y\n1,a\n2,a\n3,b\n4,b\n")
    calls = [["fit", str(table), "-t", "y", "-o", str(model)], ["rules", str(model), "--data", str(table)]]
    code = (
        "import sys\nclass No:\n    def find_spec(self, name, *_):\n        if name == 'pandas':\n"
        "            raise ModuleNotFoundError(name)\nsys.meta_path.insert(0, No())\nfrom quercus.cli.app import app\n"
        f"for call in {calls!r}:\n    try:\n        app(call, prog_name='quercus')\n"
        "    except SystemExit as end:\n        assert end.code == 0, end.code\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=600)
    assert result.returncode == 0, result.stderr
    assert quercus.load(model).schema_.target == "y" and "precision" in result.stdout


def test_help_loads_nothing_heavy() -> None:
    heavy = "numpy", "scipy", "sklearn", "pandas", "pyarrow", "matplotlib", "jinja2"
    code = (
        "import sys\nfrom quercus.cli.app import app\n"
        "try:\n    app(['fit', '--help'], prog_name='quercus')\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    assert result.stdout.splitlines()[-1] == "[]"


def test_shells_can_complete_commands() -> None:
    environment = {"_QUERCUS_COMPLETE": "complete_bash", "COMP_WORDS": "quercus ev", "COMP_CWORD": "1"}
    assert "evaluate" in program(**environment).stdout


@pytest.mark.slow
def test_names_that_a_terminal_cannot_show_do_not_stop_it(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("größe,→\n1,ja\n2,nein\n3,nein\n", encoding="utf-8")
    result = program("fit", path, "-t", "→", "-a", "cart", PYTHONIOENCODING="ascii")
    assert result.returncode == 0, result.stderr


def test_an_interrupt_is_quiet(tennis: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("quercus.cli.models.open_model", interrupted)
    result = call("show", tennis, code=130)
    assert "Traceback" not in result.output
