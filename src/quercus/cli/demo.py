"""``quercus demo``: the story of a decision tree on one small table."""

from __future__ import annotations

from typing import Annotated

import typer

from quercus.cli.options import JSON
from quercus.cli.output import say_json

EXAMPLES = ("quercus demo", "quercus demo --no-report")


def demo(
    folder: Annotated[str, typer.Option("--folder", metavar="FOLDER", help="Where the report goes.")] = "quercus-demo",
    report: Annotated[bool, typer.Option(help="Write the report.")] = True,
    json: JSON = False,
) -> None:
    """Tell the story of a decision tree on one small table.

    Data, gains, tree, rules, a new example, an unknown value, overfitting and pruning, the report.
    """
    from quercus.demo import main

    if not json:
        main(folder if report else None)
        return
    import contextlib
    import io
    import os

    story = io.StringIO()
    with contextlib.redirect_stdout(story):
        main(folder if report else None)
    say_json({"text": story.getvalue(), "report": os.path.join(folder, "report.html") if report else None})
