"""``quercus report``: one offline HTML file in which a model can be walked through."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.output import say, say_json

EXAMPLES = (
    "quercus report model.json -o report.html",
    "quercus report model.json --test test.csv -o report.html",
    "quercus report model.json train.csv --test test.csv -o report.html",
)


@options.reads("schema", "missing", "weight", "read", "unlabelled")
def report(
    model: options.ModelFile,
    data: Annotated[
        str | None, options.rows_argument("The rows of fitting, if the model file keeps nothing of them.")
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The HTML file to write, or - (standard output).")
    ] = "report.html",
    old_data: options.OldData = None,
    test: Annotated[
        str | None, typer.Option("--test", metavar="DATA", help="Rows that the model has not seen.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="The heading.")] = None,
    reading: options.Reading = options.PLAIN_READING,
    json: options.JSON = False,
) -> None:
    """Write one HTML file to walk through the model.

    The tree to zoom, fold and search, how each question was chosen, a pruning slider, the rules, a form for new cases,
    curves, the data and how the model was made. It needs no network.
    """
    from quercus.cli.models import open_model
    from quercus.cli.progress import progress_bar
    from quercus.cli.streams import refuse_two_outputs, write_output
    from quercus.cli.tables import read_rows
    from quercus.errors import DataError
    from quercus.explain.trace.decisions import OTHER_ROWS
    from quercus.report import report_html

    refuse_two_outputs(output, json)
    data = options.one_table(data, old_data)
    opened = open_model(model)
    contents: dict[str, Any] = {"evidence": opened.evidence, "provenance": opened.provenance, "title": title}
    if test is not None:
        contents["test"] = read_rows(test, model=opened.model, **reading).labelled
    if data is not None:
        rows = read_rows(data, model=opened.model, **reading)
        contents |= {"evidence": None, "X": rows.X, "y": rows.y, "sample_weight": rows.weights}
    try:
        with progress_bar("writing the report", json):
            page = report_html(opened.model, **contents).encode()
    except DataError as error:
        if data is None or not str(error).startswith(OTHER_ROWS):
            raise
        raise DataError(
            f"{data} does not hold the rows that the model was fitted to. Give rows that the model has not seen as "
            f"--test: quercus report {shlex.quote(model)} --test {shlex.quote(data)}."
        ) from error
    if not write_output(output, page):
        return
    size = len(page)
    if json:
        say_json({"output": output, "bytes": size})
        return
    say(f"Written to {output} ({size / 1e6:.1f} MB); open it in a browser, it needs no network.")
