"""``quercus explain`` and ``quercus consult``: the trace, steps, why an answer, changes, reasons, a conversation."""

from __future__ import annotations

import os
import select
import sys
import time
from pathlib import Path

import pytest

from cli.calling import call, data, error, text

# the trace


def test_the_trace_has_the_figures_of_the_lecture(tennis: Path) -> None:
    shown = text("explain", tennis)
    assert "entropy = −9/14·log2(9/14) − 5/14·log2(5/14) = 0.940" in shown
    assert "Outlook is asked: its gain ratio 0.156 is the largest" in shown
    one = text("explain", tennis, "--node", "0")
    assert one in shown or one.strip() in shown
    assert "\\log" in text("explain", tennis, "--node", "0", "--latex")
    assert [node["node"] for node in data("explain", tennis, "--node", "2")["nodes"]] == [2]


def test_the_trace_can_be_made_from_the_rows(tennis: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.json"
    call("fit", "play_tennis", "--no-evidence", "-o", bare)
    assert "keeps no trace of growing" in error("explain", bare, code=2)
    again = text("explain", bare, "--data", "play_tennis", "--node", "0")
    assert again == text("explain", tennis, "--node", "0")
    out = tmp_path / "trace.tex"
    call("explain", bare, "--data", "play_tennis", "--latex", "-o", out)
    assert "\\frac" in out.read_text()


def test_steps_go_forward_and_back_by_lines_of_a_pipe(tennis: Path) -> None:
    shown = text("explain", tennis, "--step", input="n\n\nb\n7\n99\nb\nb\nb\nb\nb\nb\nb\nb\nhuh\nr\nq\n")
    steps = [line for line in shown.splitlines() if line.startswith("Step")]
    assert [step.split()[1] for step in steps[:5]] == ["1", "2", "3", "2", "8"]
    assert "There is no node 99; this walk has 8 nodes." in shown
    assert "This is the first node." in shown and "Enter or n: next" in shown
    assert "This was the last node." in text("explain", tennis, "--step", "--node", "7", input="n\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a pseudo-terminal")
def test_steps_go_by_single_keys_on_a_terminal(tennis: Path) -> None:
    import pty

    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover
        source = str(Path(__file__).resolve().parents[2] / "src")
        os.environ.update({"TERM": "xterm", "PYTHONPATH": source, "COLUMNS": "100"})
        os.environ.pop("NO_COLOR", None)
        os.execv(sys.executable, [sys.executable, "-m", "quercus", "explain", str(tennis), "--step"])
    shown = _until(terminal, "", "quit] ")
    assert "Step 1 of 8" in shown and "\x1b[2J" in shown
    for key, expected in (
        ("n", "Step 2 of 8"),
        ("\x1b[C", "Step 3 of 8"),
        ("\x1b[D", "Step 2 of 8"),
        ("7\n", "Step 8 of 8"),
    ):
        os.write(terminal, key.encode())
        assert expected in _until(terminal, expected, "quit] ")
    os.write(terminal, b"q")
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    os.close(terminal)


def _until(terminal: int, first: str, last: str, seconds: float = 600.0) -> str:
    """What the terminal shows until both words have come."""
    shown, end = "", time.monotonic() + seconds
    while (first not in shown or last not in shown) and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                shown += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                break
    return shown


# why this answer


def test_a_case_is_explained_with_all_its_paths(tennis: Path) -> None:
    shown = text("explain", tennis, "--case", "Outlook=Rain", "-c", "Wind=?")
    assert "3/5 = 60 % of it" in shown and "Yes: 3/3·3/5 = 0.6" in shown and "Answer: Yes." in shown
    assert data("explain", tennis, "-c", "Outlook=overcast")["answer"]["label"] == "Yes"


def test_changes_and_reasons(tennis: Path) -> None:
    row = ["--data", "play_tennis", "--row", "1"]
    shown = text("explain", tennis, *row, "--change", "--reasons")
    assert "Outlook from Sunny to Overcast → Yes" in shown and "raised the share of No" in shown
    fixed = data("explain", tennis, *row, "--fixed", "Outlook", "--to", "Yes", "--change-cost", "Humidity=3")
    assert [change["attribute"] for change in fixed["changes"]["counterfactuals"][0]["changes"]] == ["Humidity"]
    assert fixed["changes"]["counterfactuals"][0]["cost"] == 3.0


def test_rules_say_which_one_fired(ripper: Path) -> None:
    assert "Rule 1" in text("explain", ripper, "-c", "Outlook=Sunny", "-c", "Humidity=High", "-c", "Wind=Weak")
    assert "answers by rules" in error("explain", ripper, "-c", "Outlook=Sunny", "--reasons", code=2)
    assert "has rules and no tree" in error("explain", ripper, code=2)


def test_numbers_are_explained_and_changed(prices: Path) -> None:
    case = ["-c", "size=10", "-c", "place=city"]
    assert "Answer: " in text("explain", prices, *case)
    assert "size from 10 to" in text("explain", prices, *case, "--above", "80")
    assert "needs --above or --below" in error("explain", prices, *case, "--change", code=2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--case", "Outlook"], "--case 'Outlook' must have the form NAME=VALUE."),
        (["--case", "Outlok=Rain"], "'Outlok' is no attribute. Did you mean 'Outlook'?"),
        (["--case", "Outlook=Rainy"], "Did you mean 'Rain'?"),
        (["--case", "Outlook=Rain,Sunny"], "quercus consult takes ranges"),
        (["--case", "Wind=Weak", "-c", "Wind=Strong"], "gives 'Wind' twice"),
        (["--case", "Wind=Weak", "--row", "1"], "give one of them"),
        (["--row", "1"], "--row needs DATA"),
        (["--step", "--json"], "--step is a walk for people"),
        (["play_tennis", "--row", "15"], "There is no row 15 in play_tennis; it has 14 rows."),
        (["--change"], "give a case with --case"),
        (["-c", "Wind=Weak", "--to", "Maybe"], "none of the classes 'No', 'Yes'"),
        (["-c", "Wind=Weak", "--above", "3"], "use --to"),
        (["-c", "Wind=Weak", "--fixed", "Rain"], "--fixed 'Rain' is no attribute"),
        (["--node", "99"], "There is no node 99"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tennis: Path, arguments: list[str], words: str) -> None:
    assert words in error("explain", tennis, *arguments, code=2)


# consult


def test_the_model_asks_only_what_it_needs(tennis: Path) -> None:
    shown = text("consult", tennis, input="Rain\nWeak\n")
    assert "Outlook? (Overcast, Rain, Sunny) Rain" in shown and "Wind? (Strong, Weak) Weak" in shown
    assert "Humidity?" not in shown and "Answer: Yes (Yes 100 %)." in shown
    assert "So far: Yes (Yes 60 %, No 40 %); still possible: No, Yes." in shown


def test_unknown_several_back_why_and_mistakes(tennis: Path) -> None:
    shown = text("consult", tennis, input="Snow\nrain, sunny\nback\nRain\nwhy\nhelp\n?\n")
    assert "allowed are Overcast, Rain, Sunny" in shown
    assert shown.count("Outlook? (") == 3 and "It asks: Wind" in shown and "60..80" in shown
    assert shown.endswith("1. Outlook? Rain\n2. Wind? unknown\nAnswer: Yes (Yes 60 %, No 40 %).\n")


def test_a_range_is_taken_for_a_number(fruit: Path) -> None:
    assert "5..6" in text("consult", fruit, input="5..6\n5..6\n")
    assert "Answer:" in text("consult", fruit, input="<= 6\n> 3\n")


def test_quit_and_the_end_of_the_answers_tell_what_is_known(tennis: Path) -> None:
    for given in ("Rain\nquit\n", "Rain\n"):
        shown = text("consult", tennis, input=given)
        assert "So far: Yes" in shown and "(not finished)" in shown


def test_costs_are_shown_and_summed(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    call("fit", "play_tennis", "--attribute-cost", "Outlook=5", "--attribute-cost", "Wind=2", "-o", path)
    shown = text("consult", path, input="Rain\nWeak\n")
    assert "Outlook? (Overcast, Rain, Sunny, cost 5)" in shown and "Cost so far 5." in shown
    assert "together 7" in shown and "The tests cost 7." in shown
    assert text("consult", path, input="Rain\n?\n").endswith("The tests cost 5.\n")
    paid = text("consult", path, input="Rain\n?!\n")
    assert "2. Wind? unknown (cost 2, together 7)" in paid and paid.endswith("The tests cost 7.\n")


def test_what_is_known_before_is_not_asked(tennis: Path) -> None:
    found = data("consult", tennis, "--case", "Outlook=Rain", input="?\n")
    assert found["label"] == "Yes" and found["done"] and len(found["answers"]) == 2
    assert found["distribution"] == [0.4, 0.6]


def test_rules_ask_too(ripper: Path) -> None:
    assert "Answer:" in text("consult", ripper, input="High\nSunny\n" + "?\n" * 5)


def test_a_wrong_order_is_refused(tennis: Path) -> None:
    assert "order is 'size'" in error("consult", tennis, "--order", "size", code=2)
