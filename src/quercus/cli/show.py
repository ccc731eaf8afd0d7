"""``quercus show``: the model as text."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli.options import JSON, ModelFile
from quercus.cli.output import say, say_json, strict

EXAMPLES = (
    "quercus show model.json",
    "quercus show model.json --depth 2",
    "quercus show model.json --unpruned --nodes 50",
    "quercus show forest.json",
    "quercus show forest.json --tree 3 -o tree.json",
)


def show(
    model: ModelFile,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="N", help="At most so many questions on a path.", min=0)
    ] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", metavar="N", help="At most so many lines, the heaviest.", min=1)
    ] = None,
    unpruned: Annotated[bool, typer.Option("--unpruned", help="The tree as it was grown.")] = False,
    tree: Annotated[
        int | None, typer.Option("--tree", metavar="N", help="Of a forest: this tree; 0 is the first.", min=0)
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="With --tree: keep it as a model of its own.")
    ] = None,
    unknown: Annotated[bool, typer.Option("--unknown", help="Mark the branches that unknown values take.")] = False,
    json: JSON = False,
) -> None:
    """Print the model as text.

    A line is a branch; a leaf says its answer and, in brackets, its examples. What is cut off says how much it hides.
    Of a forest: its size, how it does out of the bag and the importances, or with --tree one of its trees.
    """
    from quercus.cli.forests import is_collection, member_of, summary_text
    from quercus.cli.models import describe, open_model, tree_of
    from quercus.cli.streams import keep_model, refuse_two_outputs
    from quercus.errors import ParameterError

    refuse_two_outputs(output, json)
    opened = open_model(model)
    shown = opened.model if tree is None else member_of(opened.model, tree)
    if output is not None:
        if tree is None:
            raise ParameterError("--output keeps one tree of a forest; give --tree too.")
        keep_model(shown, output, provenance={**(opened.provenance or {}), "tree_of_forest": tree})
    if json:
        fitted = shown.model_
        content = None if fitted.tree is None else tree_of(shown, unpruned).to_dict()
        data = {"model": strict(describe(shown)), "tree": content}
        if fitted.rule_list is not None:
            data["rules"] = fitted.rule_list.to_dict()
        say_json(data)
        return
    if is_collection(shown):
        say(summary_text(shown))
        return
    _say_one(shown, depth, nodes, unpruned, unknown)
    if output not in (None, "-"):
        say(f"Written to {output}")


def _say_one(shown: Any, depth: int | None, nodes: int | None, unpruned: bool, unknown: bool) -> None:
    """Print one tree or rule list."""
    from quercus.cli.models import model_text, tree_of

    if shown.model_.rule_list is not None and not unpruned:
        say(shown.model_.rule_list.text(limit=nodes), fold=True)
    else:
        tree = tree_of(shown, unpruned)
        limits = {"max_depth": depth, "max_nodes": nodes if nodes is not None or depth is not None else 200}
        say(tree.to_text(**limits, unknown=unknown))
    say()
    say(model_text(shown, unpruned=unpruned))
