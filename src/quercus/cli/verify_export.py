"""``quercus verify-export``: run an export by its engine and compare its answers with the model's."""

from __future__ import annotations

from typing import Annotated

import typer

from quercus.cli import options
from quercus.cli.output import say, say_json

EXAMPLES = (
    "quercus verify-export model.sql vectors.json --engine sqlite",
    "quercus verify-export model.py --model model.json --engine python",
)


def verify_export(
    exported: Annotated[str, typer.Argument(metavar="EXPORT", help="The file that quercus export wrote.")],
    vectors: Annotated[
        str | None, typer.Argument(metavar="VECTORS", help="Test vectors that quercus export --vectors wrote.")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="python, node, cc, sqlite, duckdb, postgres, onnxruntime, treelite, libreoffice, jpmml, pypmml; "
            "else by ending.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Instead of VECTORS: the model to compare with."),
    ] = None,
    json: options.JSON = False,
) -> None:
    """Run an export on test vectors and print the largest difference from the model.

    A query in SQL must be over the table "rows" with the key "id" (quercus export --table rows --key id). The exit code
    is 1 if a label differs, or a number by more than 1e-12.
    """
    from quercus.cli.models import open_model
    from quercus.errors import ExportError, ParameterError
    from quercus.export import ENGINES, FORMATS, read_vectors, vectors_of, verify
    from quercus.export.workbooks import unpacked

    if (vectors is None) == (model is None):
        raise ParameterError("Give either VECTORS, a file of quercus export --vectors, or --model MODEL.")
    tried = read_vectors(vectors) if vectors is not None else vectors_of(open_model(str(model)).model)
    suffixes = {FORMATS[form].suffix: name for name, (form, _) in reversed(ENGINES.items())}
    suffixes[".js"] = "node"  # as modules are often called
    chosen = engine or next((name for suffix, name in suffixes.items() if exported.endswith(suffix)), None)
    if chosen is None:
        endings = ", ".join(sorted(suffixes))
        raise ParameterError(
            f"The ending of {exported!r} names no format that an engine runs ({endings}). Rename the file, or give "
            f"--engine: {', '.join(ENGINES)}."
        )
    with _opened(exported) as file:
        content = file.read()
    if tried.checksum.encode() not in unpacked(content):
        say("The export does not carry the checksum of this model: it was made from another one, or changed.")
        raise typer.Exit(1)
    binary = ENGINES.get(chosen, ("", None))[0] in ("onnx", "treelite", "excel")
    try:
        result = verify(content if binary else content.decode("utf-8"), tried, chosen)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ExportError(
            f"{exported}: The export is no text in line {line}. It was cut off or changed; export the model again."
        ) from error
    except ExportError as error:
        raise ExportError(f"{exported}: {error}") from error
    if json:
        fields = ("engine", "rows", "wrong", "largest", "bits", "left_out", "tried")
        say_json({name: getattr(result, name) for name in fields})
    else:
        say(str(result))
    if result.wrong or result.largest > 1e-12:
        raise typer.Exit(1)


def _opened(path: str):  # type: ignore[no-untyped-def]
    from quercus.errors import FileError

    try:
        return open(path, "rb")
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from error
