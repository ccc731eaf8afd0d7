"""Progress bars: on a terminal, on standard error, gone when the work is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from quercus.cli.output import on_terminal


@contextmanager
def progress_bar(words: str, quiet: bool = False) -> Iterator[Callable[..., None] | None]:
    """Give a function of (done, total, …) that moves a bar with the time left; None where nobody would see it."""
    if quiet or not on_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(words, total=None)

        def moved(done: int, total: int, *_: object) -> None:
            bar.update(task, completed=done, total=total)

        yield moved
