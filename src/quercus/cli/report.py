"""``quercus report``: one offline HTML file in which a model can be walked through."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli.options import JSON, Missing, ModelFile, Read, SchemaFile
from quercus.cli.output import say, say_json

EXAMPLES = (
    "quercus report model.json -o report.html",
    "quercus report model.json --test test.csv -o report.html",
    "quercus report model.json --data train.csv --test test.csv -o report.html",
)


def report(
    model: ModelFile,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The HTML file; an older one is replaced.")
    ] = "report.html",
    data: Annotated[
        str | None, typer.Option("--data", help="The rows of fitting, if the model file keeps nothing of them.")
    ] = None,
    test: Annotated[str | None, typer.Option("--test", help="Rows that the model has not seen.")] = None,
    title: Annotated[str | None, typer.Option("--title", help="The heading.")] = None,
    schema: SchemaFile = None,
    missing: Missing = None,
    read: Read = None,
    json: JSON = False,
) -> None:
    """Write one HTML file to walk through the model.

    The tree to zoom, fold and search, how each question was chosen, a pruning slider, the rules, a form for new cases,
    curves, the data and how the model was made. It needs no network.
    """
    import os

    from quercus.cli.models import open_model
    from quercus.cli.progress import progress_bar
    from quercus.cli.tables import read_rows
    from quercus.report import write_report

    opened = open_model(model)
    reading: dict[str, Any] = {"model": opened.model, "schema": schema, "missing": missing, "reading": read}
    options: dict[str, Any] = {"evidence": opened.evidence, "provenance": opened.provenance, "title": title}
    if test is not None:
        options["test"] = read_rows(test, **reading).labelled
    if data is not None:
        rows = read_rows(data, **reading)
        options |= {"evidence": None, "X": rows.X, "y": rows.y}
    with progress_bar("writing the report", json):
        write_report(opened.model, output, **options)
    size = os.path.getsize(output)
    if json:
        say_json({"output": output, "bytes": size})
        return
    say(f"Written to {output} ({size / 1e6:.1f} MB); open it in a browser, it needs no network.")
