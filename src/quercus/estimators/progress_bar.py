"""A progress bar on the terminal: trees grown, of how many, and an estimate of the time left."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable
from typing import Any, Self

#: Work that takes less needs no bar, in seconds.
PATIENCE = 1.0
WIDTH = 30


def progress_for(value: Any, start: int = 0) -> Progress:
    """What follows the growing: a bar, the user's function, or nothing.

    start: the trees that are there already; they count as done, but not in the estimate of the time left.
    """
    if callable(value):
        return Progress(value, start)
    worker = multiprocessing.parent_process() is not None  # several fits at once would write over one another
    if value is True or (value == "auto" and not worker and _is_terminal()):
        return BarProgress(start)
    return Progress(None, start)


def _is_terminal() -> bool:
    try:
        return bool(sys.stderr.isatty())
    except (AttributeError, ValueError):  # no stderr at all, or a closed one
        return False


class Progress:
    """Follows the growing by calling a function, if there is one, with (trees grown, trees)."""

    def __init__(self, call: Callable[[int, int], object] | None, start: int = 0) -> None:
        self.call = call
        self.start = start

    def __enter__(self) -> Self:
        """Begin to show the bar."""
        return self

    def __exit__(self, *raised: object) -> None:
        """End, whatever happened."""

    def update(self, done: int, total: int) -> None:
        """So many trees, of so many, are there."""
        if self.call is not None:
            self.call(done, total)


class BarProgress(Progress):
    """A bar on stderr once the work has taken a second; drawn by rich if that is there, else plain text."""

    def __init__(self, start: int = 0) -> None:
        super().__init__(None, start)
        self.began = time.monotonic()
        self.bar: Any = None
        self.task: Any = None
        self.plain = False
        self.drawn = 0.0

    def update(self, done: int, total: int) -> None:
        """Draw the bar, at most ten times a second."""
        now = time.monotonic()
        if now - self.began < PATIENCE or (now - self.drawn < 0.1 and done < total):
            return
        self.drawn = now
        if self.bar is None and not self.plain:
            self._open(done, total)
        left = time_left(now - self.began, done - self.start, total - self.start)
        if self.plain:
            sys.stderr.write("\r" + bar_text(done, total, left))
            sys.stderr.flush()
        else:
            self.bar.update(self.task, completed=done, left=duration_text(left))

    def _open(self, done: int, total: int) -> None:
        try:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
            from rich.progress import Progress as RichProgress
        except ImportError:
            self.plain = True
            return
        columns = (TextColumn("growing"), BarColumn(), MofNCompleteColumn(), TextColumn("trees, {task.fields[left]}"))
        self.bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.bar.add_task("growing", total=total, completed=done, left="")
        self.bar.start()

    def __exit__(self, *raised: object) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()
        elif self.plain:
            sys.stderr.write("\r" + " " * 79 + "\r")
            sys.stderr.flush()


def time_left(seconds: float, done: int, total: int) -> float | None:
    """The seconds that the rest will take if it goes on as it did; None: nothing is done yet.

    >>> time_left(10.0, 20, 100)
    40.0
    """
    return None if done <= 0 else seconds * (total - done) / done


def duration_text(seconds: float | None) -> str:
    """A time as text, short.

    >>> duration_text(None), duration_text(8.2), duration_text(95), duration_text(7300)
    ('time left unknown', '9 s left', '1 min 35 s left', '2 h 1 min left')
    """
    if seconds is None:
        return "time left unknown"
    whole = -int(-seconds // 1)
    if whole < 60:
        return f"{whole} s left"
    hours, minutes = whole // 3600, whole % 3600 // 60
    return f"{hours} h {minutes} min left" if hours else f"{minutes} min {whole % 60} s left"


def bar_text(done: int, total: int, left: float | None) -> str:
    """One line of the plain bar.

    >>> bar_text(25, 100, 9.0)
    'growing ███████░░░░░░░░░░░░░░░░░░░░░░░ 25/100 trees, 9 s left      '
    """
    full = WIDTH * done // max(1, total)
    return f"growing {'█' * full}{'░' * (WIDTH - full)} {done}/{total} trees, {duration_text(left)}".ljust(67)
