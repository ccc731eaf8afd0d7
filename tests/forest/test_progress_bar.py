"""The progress bar: on a terminal only, after a second, with the time left; a function is called instead."""

from __future__ import annotations

import builtins
import io
from typing import Any

import pytest
from sklearn.datasets import load_iris

from quercus import BaggingClassifier, C45Classifier, RandomForestClassifier
from quercus.estimators import progress_bar
from quercus.estimators.progress_bar import BarProgress, progress_for


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal in the place of stderr, and a bar that is drawn at once."""
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress_bar, "PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    return stream


def without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = builtins.__import__

    def refuse(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith("rich"):
            raise ImportError(name)
        return usual(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)


def test_nothing_is_written_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress_bar, "PATIENCE", 0.0)
    RandomForestClassifier(20).fit(*load_iris(return_X_y=True))
    assert stream.getvalue() == ""
    monkeypatch.setattr("sys.stderr", None)
    RandomForestClassifier(2).fit(*load_iris(return_X_y=True))


def test_a_plain_bar_counts_trees_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = terminal(monkeypatch)
    without_rich(monkeypatch)
    with progress_for("auto") as bar:
        assert isinstance(bar, BarProgress)
        bar.began -= 10.0
        bar.update(25, 100)
        bar.update(26, 100)  # too soon after the last
        bar.update(100, 100)
    written = stream.getvalue().split("\r")
    assert "25/100 trees, 31 s left" in written[1] and "100/100 trees, 0 s left" in written[2]
    assert written[-2].strip() == "" and written[-1] == ""


def test_a_bar_by_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = terminal(monkeypatch)
    pytest.importorskip("rich")
    with progress_for(True) as bar:
        assert isinstance(bar, BarProgress)
        bar.began -= 10.0
        bar.update(25, 100)
    assert "25/100" in stream.getvalue() and "s left" in stream.getvalue()


def test_short_work_needs_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = terminal(monkeypatch)
    monkeypatch.setattr(progress_bar, "PATIENCE", 60.0)
    RandomForestClassifier(20).fit(*load_iris(return_X_y=True))
    assert stream.getvalue() == ""


def test_false_means_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = terminal(monkeypatch)
    BaggingClassifier(C45Classifier(), 12, progress=False).fit(*load_iris(return_X_y=True))
    assert stream.getvalue() == ""


@pytest.mark.parametrize("estimator", [RandomForestClassifier(25), BaggingClassifier(C45Classifier(), 25)])
def test_a_function_is_told_how_many_are_there(estimator: Any) -> None:
    told: list[tuple[int, int]] = []
    estimator.set_params(progress=lambda done, total: told.append((done, total)))
    estimator.fit(*load_iris(return_X_y=True))
    assert told == sorted(told) and all(total == 25 for _, total in told)
    if isinstance(estimator, BaggingClassifier):
        assert told[-1] == (25, 25)
