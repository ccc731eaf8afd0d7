"""``quercus demo``: the story of a decision tree on one small table."""

from __future__ import annotations

from typing import Annotated

import typer

EXAMPLES = ("quercus demo", "quercus demo --no-report")


def demo(
    folder: Annotated[str, typer.Option("--folder", help="Where the report is put.")] = "quercus-demo",
    report: Annotated[bool, typer.Option(help="Write the report.")] = True,
) -> None:
    """Tell the story of a decision tree on one small table.

    Data, gains, tree, rules, a new example, an unknown value, overfitting and pruning, the report.
    """
    from quercus.demo import main

    main(folder if report else None)
