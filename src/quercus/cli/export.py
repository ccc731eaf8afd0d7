"""``quercus export``: a model in another format, with test vectors that prove it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.output import say, say_json

EXAMPLES = (
    "quercus export model.json --format sql --dialect postgres -o model.sql",
    "quercus export model.json --format python -o model.py --vectors vectors.json",
    "quercus export model.json --format c --set prefix=loan",
    "quercus export model.json --list",
)


def export(
    model: options.ModelFile,
    format: Annotated[
        str | None, typer.Option("--format", "-f", metavar="FORMAT", help="The format; --list tells which there are.")
    ] = None,
    dialect: Annotated[
        str | None, typer.Option("--dialect", metavar="NAME", help="Of SQL: sqlite, duckdb, postgres, …")
    ] = None,
    table: Annotated[str | None, typer.Option("--table", metavar="NAME", help="Of SQL: the table of the rows.")] = None,
    key: Annotated[
        str | None, typer.Option("--key", metavar="COLUMN", help="Of SQL: the column that tells rows apart.")
    ] = None,
    view: Annotated[
        str | None, typer.Option("--view", metavar="NAME", help="Of SQL: make a view of this name.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Any other option of the format.")
    ] = None,
    vectors: Annotated[
        str | None,
        typer.Option("--vectors", metavar="FILE", help="Write test vectors, which quercus verify-export runs."),
    ] = None,
    list_formats: Annotated[
        bool, typer.Option("--list", help="Say what each format can express of this model, and stop.")
    ] = False,
    output: options.Output = None,
    json: options.JSON = False,
) -> None:
    """Write a model in another format.

    What is written answers as the model does, unknown and unseen values too, and carries the model's checksum. A format
    that cannot say the model is refused, with the node and the way out.
    """
    from quercus.cli.models import open_model
    from quercus.cli.streams import refuse_two_outputs, write_output
    from quercus.errors import ParameterError
    from quercus.export import FORMATS, program_of, vectors_of

    refuse_two_outputs(output, json)
    program = program_of(open_model(model).model, scores=True)
    if list_formats:
        _show_formats(program, json)
        return
    if format is None:
        raise ParameterError(f"--format is missing; give one of {', '.join(FORMATS)}, or --list.")
    named = {"dialect": dialect, "table": table, "key": key, "view": view}
    chosen: dict[str, Any] = {name: value for name, value in named.items() if value is not None} | _settings(settings)
    if format not in FORMATS:
        raise ParameterError(f"--format is {format!r}; allowed are {', '.join(FORMATS)}.")
    content = FORMATS[format].write(program, chosen)
    if vectors is not None:
        write_output(vectors, vectors_of(program).to_json())
    if output is None and json:
        text = content if isinstance(content, str) else content.hex()
        say_json({"format": format, "checksum": program.checksum, "content": text})
        return
    if write_output(output, content):
        lines = [f"Written to {output}", f"Checksum of the model: sha256:{program.checksum}"]
        lines += [] if vectors is None else [f"Test vectors written to {vectors}"]
        if json:
            say_json({"format": format, "checksum": program.checksum, "output": output, "vectors": vectors})
        else:
            say("\n".join(lines))


def _settings(texts: list[str] | None) -> dict[str, str]:
    from quercus.errors import ParameterError

    result = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise ParameterError(f"--set {text}: give NAME=VALUE, for example --set prefix=loan.")
        result[name] = value
    return result


def _show_formats(program: Any, json: bool) -> None:
    from quercus.evaluation.text_table import text_table
    from quercus.export import FORMATS

    rows = [(one, one.refusal(program)) for one in FORMATS.values()]
    if json:
        formats = [{"format": one.name, "title": one.title, "can": not why, "why_not": why} for one, why in rows]
        say_json({"checksum": program.checksum, "formats": formats})
        return
    lines = [["format", "can say this model", "what it is"]]
    lines += [[one.name, "no" if why else "yes", one.title] for one, why in rows]
    say(text_table(lines, left=(0, 1, 2)))
    for one, why in rows:
        if why:
            say(f"{one.name}: {why}")
