"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from quercus.cli.algorithms import ALGORITHMS, COLLECTIONS, NAMES, listed
from quercus.cli.output import note
from quercus.errors import RENAMED, ParameterError

DATA_HELP = (
    "A data file (CSV, TSV, Parquet, ARFF, C4.5, JSON lines; also .gz), a bundled data set by name, or - (standard "
    "input)."
)
MODEL_HELP = "A model file, or - (standard input)."
COST_HELP = "What a mistake costs, TRUE:ANSWERED=COST; may be given several times."

Data = Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP, show_default=False)]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help=MODEL_HELP, show_default=False)]
#: The older way to name the rows of a command that takes a model: DATA stands behind MODEL now.
OldData = Annotated[str | None, typer.Option("--data", hidden=True)]


def rows_argument(help: str) -> Any:
    """The argument DATA of a command that can do without rows."""
    return typer.Argument(metavar="DATA", help=help, show_default=False)


def one_table(data: str | None, old: str | None) -> str | None:
    """The rows that a command was given: as its argument, or in the older way as ``--data``."""
    if data is not None and old is not None:
        raise ParameterError(f"The rows are given twice, as {data} and as --data {old}; give them once, behind MODEL.")
    if old is not None:
        note(RENAMED["--data"].message)
    return old if data is None else data


def known_algorithms(begun: str) -> list[str]:
    """The algorithms that shells complete to.

    >>> known_algorithms("c")
    ['c45', 'cart']
    """
    return [name for name in ALGORITHMS if name.startswith(begun)]


JSON = Annotated[bool, typer.Option("--json", help="Write JSON to standard output, and nothing else.")]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write, or - (standard output).")
]

Target = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict; needed unless the file names it."),
]
Task = Annotated[
    str | None,
    typer.Option("--task", metavar="TASK", help="classification or regression; found from the target unless given."),
]
SchemaFile = Annotated[
    str | None,
    typer.Option("--schema", metavar="FILE", help="A TOML file that says kinds, domains, costs or the target."),
]
Missing = Annotated[
    list[str] | None,
    typer.Option("--missing", metavar="TEXT", help="A text that means unknown, such as ?. Several are possible."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop", metavar="COLUMN", help="A column that is no attribute, such as an id. Several are possible."
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="COLUMN", help="A column to use though it looks like row numbers, or is ignored."),
]
Read = Annotated[
    list[str] | None,
    typer.Option(
        "--read",
        metavar="NAME=VALUE",
        help="How the file is written, such as decimal=, or date_order=dmy; also delimiter, header, quote, encoding, "
        "strip.",
    ),
]
DropUnlabelled = Annotated[bool, typer.Option("--drop-unlabelled", help="Leave out the rows whose target is unknown.")]
Weight = Annotated[
    str | None, typer.Option("--weight", metavar="COLUMN", help="A column that holds the weight of each row.")
]

#: How a table is read: the values of such options, as ``read_rows`` of ``cli/tables.py`` takes them.
Reading = Mapping[str, Any]
PLAIN_READING: Reading = {}
#: These options with their defaults.
READING: dict[str, tuple[Any, Any]] = {
    "schema": (SchemaFile, None),
    "missing": (Missing, None),
    "drop": (Drop, None),
    "keep": (Keep, None),
    "read": (Read, None),
    "unlabelled": (DropUnlabelled, False),
    "weight": (Weight, None),
}


def reads(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command some of the options of reading, in place of its parameter ``reading``, which gets their values.

    names: of these options, in the order of the help.
    """

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def called(**values: Any) -> None:
            command(reading={name: values.pop(name) for name in names}, **values)

        kind, form = Parameter.KEYWORD_ONLY, signature(command, eval_str=True)
        own = [Parameter(name, kind, default=READING[name][1], annotation=READING[name][0]) for name in names]
        parameters: list[Parameter] = []
        for parameter in form.parameters.values():
            parameters += own if parameter.name == "reading" else [parameter.replace(kind=kind)]
        called.__signature__ = form.replace(parameters=parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return called

    return with_options


OneAlgorithm = Annotated[
    str | None,
    typer.Option(
        "--algorithm",
        "-a",
        metavar="NAME",
        autocompletion=known_algorithms,
        help=f"{NAMES}; c45, and cart for numbers, unless given.",
    ),
]
Algorithms = Annotated[
    list[str] | None,
    typer.Option(
        "--algorithm",
        "-a",
        metavar="NAME",
        autocompletion=known_algorithms,
        help=f"{NAMES}. Several are possible; all that make one tree or rule list unless given.",
    ),
]
Monotone = Annotated[
    list[str] | None,
    typer.Option(
        "--monotone",
        metavar="NAME[:CLASS]=+|-",
        help="An attribute with which the answer must rise (+) or fall (-): the number, the share of the second of two "
        "classes, or of CLASS. Several are possible.",
    ),
]
Together = Annotated[
    list[str] | None,
    typer.Option(
        "--together",
        metavar="NAME,NAME",
        help="Attributes that may meet on one path; or pairwise, or no_interactions. Several are possible.",
    ),
]
Trees = Annotated[
    int | None,
    typer.Option("--trees", metavar="N", help=f"Of {listed(COLLECTIONS, 'and')}: how many trees.", min=1),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        "-p",
        metavar="NAME=VALUE",
        help="A parameter of the algorithm; quercus parameters lists them.",
    ),
]
Costs = Annotated[list[str] | None, typer.Option("--costs", metavar="TRUE:ANSWERED=COST", help=COST_HELP)]
Case = Annotated[
    list[str] | None,
    typer.Option(
        "--case", "-c", metavar="NAME=VALUE", help="NAME=VALUE of the case; what is not named, or is ?, is unknown."
    ),
]
Folds = Annotated[int, typer.Option("--folds", "-k", metavar="N", help="Parts of the cross-validation.", min=2)]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Of the dealing of rows into folds.", min=0)]
