"""``quercus show``: the model as text."""

from __future__ import annotations

from typing import Annotated

import typer

from quercus.cli.options import JSON, ModelFile
from quercus.cli.output import say, say_json, strict

EXAMPLES = (
    "quercus show model.json",
    "quercus show model.json --depth 2",
    "quercus show model.json --unpruned --nodes 50",
)


def show(
    model: ModelFile,
    depth: Annotated[int | None, typer.Option(help="At most so many questions on a path.", min=0)] = None,
    nodes: Annotated[int | None, typer.Option(help="At most so many lines, the heaviest.", min=1)] = None,
    unpruned: Annotated[bool, typer.Option("--unpruned", help="The tree as it was grown.")] = False,
    unknown: Annotated[bool, typer.Option("--unknown", help="Mark the branches that unknown values take.")] = False,
    json: JSON = False,
) -> None:
    """Print the model as text.

    A line is a branch; a leaf says its answer and, in brackets, its examples. What is cut off says how much it hides.
    """
    from quercus.cli.models import costs_of, describe, model_text, open_model, tree_of

    opened = open_model(model)
    if json:
        tree = tree_of(opened.model, unpruned) if hasattr(opened.model, "tree_") else None
        data = {"model": strict(describe(opened.model)), "tree": None if tree is None else tree.to_dict()}
        if hasattr(opened.model, "rules_"):
            data["rules"] = opened.model.rules_.to_dict()
        say_json(data)
        return
    if hasattr(opened.model, "rules_") and not unpruned:
        say(opened.model.rules_.text(limit=nodes))
    else:
        tree = tree_of(opened.model, unpruned)
        limits = {"max_depth": depth, "max_nodes": nodes if nodes is not None or depth is not None else 200}
        say(tree.to_text(**limits, cost_matrix=costs_of(opened.model), unknown=unknown))
    say()
    say(model_text(opened.model, unpruned=unpruned))
