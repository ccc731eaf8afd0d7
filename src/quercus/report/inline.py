"""The report in a notebook: the whole page in a frame of its own."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from pathlib import Path

from quercus.results import Result


@dataclass(frozen=True, repr=False)
class Report(Result):
    """A report, made by :func:`quercus.report.report`. html: the page.

    A notebook shows it in place. The frame keeps the page apart from the notebook: its scripts run, but reach nothing
    outside of it.
    """

    html: str

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, whole or not at all, and return where it stands."""
        from quercus.files.atomic import write_whole

        write_whole(path, self.html)
        return Path(path)

    def to_html(self, height: int = 720) -> str:
        """A frame that holds the page, to stand in another one. height: in pixels."""
        return (
            f'<iframe class="quercus-report" sandbox="allow-scripts allow-downloads" srcdoc="{html.escape(self.html)}" '
            f'style="width:100%;height:{height}px;border:1px solid #8884"></iframe>'
        )

    def __str__(self) -> str:
        """The size of the page, and how to see it."""
        return f"a page of {len(self.html.encode()) / 1e6:.1f} MB; a notebook shows it, write(path) saves it"
