"""``quercus datasets``: the bundled data sets, listed, printed or written to a file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli.options import JSON, Output
from quercus.cli.output import say, say_json, strict

EXAMPLES = (
    "quercus datasets",
    "quercus datasets play_tennis",
    "quercus datasets play_tennis:d15=true -o tennis.csv",
    "quercus datasets agrawal:n_rows=1000,function=2 -o people.csv",
)


def datasets(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One of them, to print its rows.", show_default=False)
    ] = None,
    output: Output = None,
    rows: Annotated[int, typer.Option("--rows", metavar="N", help="Print at most so many.", min=1)] = 30,
    json: JSON = False,
) -> None:
    """List the bundled data sets, or print one.

    Every command takes their names in place of a data file; options stand behind a colon.
    """
    from quercus.cli.bundled import bundled_names, bundled_table, is_bundled
    from quercus.cli.csv_output import csv_text
    from quercus.cli.streams import refuse_two_outputs, write_output
    from quercus.errors import ParameterError, choice_message

    if name is None:
        if output is not None:
            raise ParameterError("-o needs the name of a data set; quercus datasets lists them.")
        _list(json)
        return
    if not is_bundled(name):
        raise ParameterError(choice_message("The data set", name, bundled_names()))
    table = bundled_table(name)
    if output is not None:
        refuse_two_outputs(output, json)
        written = write_output(output, csv_text(table.columns))
        if not written:
            return
        if not json:
            say(f"{table.n_rows:,} rows written to {output}")
            return
    if json:
        data = {"name": name, "target": table.target, "rows": table.n_rows, "output": output}
        say_json(strict({**data, "columns": table.columns if output is None else list(table.columns)}))
        return
    _print(table, rows)


def _list(json: bool) -> None:
    from quercus.cli.bundled import bundled_names, described
    from quercus.evaluation.text_table import text_table

    tables = [described(name) for name in bundled_names()]
    if json:
        say_json(tables)
        return
    head = [["name", "rows", "attributes", "target", "what it is"]]
    names = ("name", "rows", "attributes", "target", "about")
    say(text_table(head + [[str(entry[name]) for name in names] for entry in tables], left=(0, 3, 4)))
    say()
    say("Options, behind a colon and with commas, such as agrawal:n_rows=1000,function=2:")
    rows = [
        [entry["name"], ", ".join(f"{option}={_option(value)}" for option, value in entry["options"].items())]
        for entry in tables
        if entry["options"]
    ]
    say(text_table(rows, left=(0, 1)))


def _option(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _print(table: Any, limit: int) -> None:
    from quercus.data.values import value_text
    from quercus.evaluation.text_table import text_table

    shown = [[value_text(value) for value in list(column)[:limit]] for column in table.columns.values()]
    lines = [list(map(str, table.columns)), *map(list, zip(*shown, strict=True))]
    say(text_table(lines, left=range(len(lines[0]))))
    if table.n_rows > limit:
        say(f"… {table.n_rows - limit:,} more rows (--rows)")
    say()
    say(f"{table.n_rows:,} rows; target {table.target}")
