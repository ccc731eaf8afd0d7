"""``quercus import``: a model of another library as a model file."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.output import say, say_json, strict

EXAMPLES = (
    "quercus import model.txt --from lightgbm -o model.json",
    "quercus import booster.json --from xgboost --classes no,yes --target bought -o model.json",
    "quercus import model.txt --from lightgbm --features age,income -o model.json",
    "quercus import fit.pmml --from pmml -o model.json",
    "quercus import fit.txt --from rpart --classes absent,present --target Kyphosis -o model.json",
    "quercus import j48.txt --from j48 --schema table.arff -o model.json",
)


def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file of the other library.", show_default=False)],
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="NAME",
            help="lightgbm, xgboost, pmml, j48 (what Weka prints) or rpart (what R prints); sklearn says how it goes "
            "in Python.",
        ),
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The model file to write, or -.")],
    features: Annotated[
        str | None,
        typer.Option(
            "--features", metavar="NAMES", help="Names of the columns, divided by commas; of lightgbm and xgboost."
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            "--classes",
            metavar="NAMES",
            help="Names of the classes in their order, divided by commas; of lightgbm, xgboost and rpart.",
        ),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema", metavar="FILE", help="The ARFF file that names attributes, values and classes; of j48."
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", metavar="COLUMN", help="The column that is predicted, as tables call it."),
    ] = None,
    json: options.JSON = False,
) -> None:
    """Read a model of another library.

    It answers every row as the library does, and every command takes it: show, evaluate, report, export and others.
    """
    from quercus.cli.models import describe, model_text
    from quercus.cli.streams import input_path, keep_model, refuse_two_outputs
    from quercus.imports.importers import importer_of

    refuse_two_outputs(output, json)
    names = {"--features": features, "--classes": classes}
    given: dict[str, Any] = {option: _listed(text) for option, text in names.items() if text is not None}
    if schema is not None:
        given["--schema"] = schema
    model = importer_of(source).read(input_path(file), given)
    if target is not None:
        model = replace(model, schema=replace(model.schema, target=target, classes=model.labels))
    keep_model(model, output, provenance={"imported_from": source})
    if json:
        say_json({"model": strict(describe(model)), "output": output})
        return
    say(model_text(model))
    if output != "-":
        say(f"Written to {output}")


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]
