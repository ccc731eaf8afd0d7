"""``quercus plot``: the tree and its charts as pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from quercus.cli.options import JSON, Case, Missing, SchemaFile
from quercus.cli.output import say, say_json

EXAMPLES = (
    "quercus plot model.json -o tree.svg",
    "quercus plot model.json -o tree.png --depth 4",
    "quercus plot model.json -o path.svg --case Outlook=Rain --case Wind=?",
    "quercus plot model.json --kind confusion --data test.csv -o confusion.svg",
    "quercus plot --kind entropy -o entropy.svg",
)


def plot(
    model: Annotated[str | None, typer.Argument(help="A model file.", show_default=False)] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The picture: .svg, .png or .pdf; an older one is replaced.")
    ] = "tree.svg",
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            "-k",
            help="tree, curve (accuracy against size), alpha (the price of leaves), importance, confusion, "
            "reliability, regions (of two numeric attributes), learning, entropy.",
        ),
    ] = "tree",
    depth: Annotated[int | None, typer.Option("--depth", help="Of a tree: at most so many questions.", min=0)] = None,
    nodes: Annotated[int | None, typer.Option("--nodes", help="Of a tree: at most so many boxes.", min=1)] = None,
    case: Case = None,
    attributes: Annotated[str | None, typer.Option("--attributes", help="Of regions: two, with a comma.")] = None,
    data: Annotated[str | None, typer.Option("--data", help="Rows for the charts that measure or show some.")] = None,
    schema: SchemaFile = None,
    missing: Missing = None,
    json: JSON = False,
) -> None:
    """Draw the tree, or a chart about it."""
    from quercus.draw import save_picture
    from quercus.errors import ParameterError, choice_message

    if kind not in KINDS:
        raise ParameterError(choice_message("--kind", kind, list(KINDS)))
    if kind == "entropy":
        from quercus.draw import entropy_curve

        svg = entropy_curve().to_svg()
    else:
        if model is None:
            raise ParameterError(f"--kind {kind} needs a model file: quercus plot model.json --kind {kind} -o {output}")
        options = {"depth": depth, "nodes": nodes, "case": case, "attributes": attributes}
        svg = KINDS[kind](model, options, data, {"schema": schema, "missing": missing})
    save_picture(svg, output)
    if json:
        say_json({"output": output, "kind": kind})
        return
    say(f"Written to {output}")


def _tree(path: str, options: dict[str, Any], data: str | None, reading: dict[str, Any]) -> str:
    from quercus.cli.cases import typed_case
    from quercus.cli.models import costs_of, open_model, tree_of
    from quercus.data.dataset import encode_like
    from quercus.draw import path_parts, tree_svg

    fitted = open_model(path).model
    tree = tree_of(fitted)
    more: dict[str, Any] = {"max_depth": options["depth"]}
    if options["nodes"] is not None:
        more["max_nodes"] = options["nodes"]
    if options["case"]:
        row = encode_like(typed_case(fitted.schema_, options["case"]), fitted.schema_)
        more["highlight"] = path_parts(tree, row)
    return tree_svg(tree, cost_matrix=costs_of(fitted), **more)


def _rows(path: str, data: str | None, reading: dict[str, Any], kind: str) -> tuple[Any, Any]:
    """The model, and the rows that a chart needs."""
    from quercus.cli.models import open_model
    from quercus.cli.tables import read_rows
    from quercus.errors import ParameterError

    if data is None:
        raise ParameterError(f"--kind {kind} needs rows: give --data.")
    fitted = open_model(path).model
    return fitted, read_rows(data, model=fitted, **reading)


def _importance(path: str, options: dict[str, Any], data: str | None, reading: dict[str, Any]) -> str:
    from quercus.cli.models import open_model, tree_of
    from quercus.draw import importance_chart

    fitted = open_model(path).model
    tree_of(fitted)
    names = dict(zip(fitted.schema_.names, fitted.feature_importances_.tolist(), strict=True))
    return str(importance_chart(names).to_svg())


def _confusion(path: str, options: dict[str, Any], data: str | None, reading: dict[str, Any]) -> str:
    from quercus.draw import confusion_chart

    scores = _class_scores(path, data, reading, "confusion")
    return str(confusion_chart(scores.confusion, scores.classes).to_svg())


def _reliability(path: str, options: dict[str, Any], data: str | None, reading: dict[str, Any]) -> str:
    from quercus.draw import reliability_chart

    table = _class_scores(path, data, reading, "reliability").calibration
    kept = [entry for entry in table.bins if entry.weight > 0]
    return str(
        reliability_chart([e.predicted for e in kept], [e.observed for e in kept], [e.weight for e in kept]).to_svg()
    )


def _class_scores(path: str, data: str | None, reading: dict[str, Any], kind: str) -> Any:
    from quercus.errors import ParameterError
    from quercus.evaluation import evaluate

    fitted, rows = _rows(path, data, reading, kind)
    if not hasattr(fitted, "classes_"):
        raise ParameterError(f"--kind {kind} is for classes; this model answers numbers.")
    return evaluate(fitted, *rows.labelled).test


KINDS: dict[str, Callable[..., str]] = {
    "tree": _tree,
    "importance": _importance,
    "confusion": _confusion,
    "reliability": _reliability,
    "entropy": _tree,
}
