"""``quercus parameters``: what can be set of an algorithm, on the command line and in Python."""

from __future__ import annotations

from typing import Annotated

import typer

from quercus.cli.algorithms import NAMES
from quercus.cli.options import JSON, Task, known_algorithms
from quercus.cli.output import say, say_json, strict

EXAMPLES = (
    "quercus parameters c45",
    "quercus parameters forest --task regression",
    "quercus parameters cart --json",
)


def parameters(
    algorithm: Annotated[
        str, typer.Argument(metavar="NAME", help=NAMES, autocompletion=known_algorithms, show_default=False)
    ],
    task: Task = None,
    json: JSON = False,
) -> None:
    """List the parameters of an algorithm, with what each may be and what it means.

    Give them to fit as --param NAME=VALUE, and in Python to the class by their names.
    """
    from quercus.cli.algorithms import algorithm_of, chosen_algorithm, make_estimator
    from quercus.cli.tables import checked_task
    from quercus.estimators.base import method_of_model
    from quercus.estimators.declaration import parameter_table

    numbers = checked_task(task) == "regression" or algorithm_of(algorithm).classifier is None
    estimator = make_estimator(chosen_algorithm(algorithm, numbers), numbers, {})
    kind, values = type(estimator), method_of_model(estimator).parameters  # without functions, which have no text
    rows = [row for row in parameter_table(kind) if row.name in values]
    if json:
        say_json(strict({"class": kind.__name__, "parameters": [row._asdict() for row in rows]}))
        return
    say(f"{kind.__name__}, by --param NAME=VALUE:", heading=True)
    for row in rows:
        say()
        say(f"{row.name} = {row.default!r}: {row.allowed}.", fold=True)
        say(f"  {row.documentation}", fold=True)
