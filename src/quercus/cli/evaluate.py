"""``quercus evaluate``: how good a model is on labelled rows."""

from __future__ import annotations

from typing import Annotated

import typer

from quercus.cli import options
from quercus.cli.output import note, say, say_json, strict

EXAMPLES = (
    "quercus evaluate model.json test.csv",
    "quercus evaluate model.json test.csv --train train.csv",
    "quercus evaluate model.json test.csv --costs ill:well=10 --json",
)


@options.reads("schema", "missing", "read", "unlabelled", "weight")
def evaluate(
    model: options.ModelFile,
    data: Annotated[
        str, typer.Argument(metavar="DATA", help=options.DATA_HELP + " With the target.", show_default=False)
    ],
    train: Annotated[
        str | None, typer.Option("--train", metavar="DATA", help="The rows of fitting, to show beside.")
    ] = None,
    target: options.Target = None,
    costs: options.Costs = None,
    reading: options.Reading = options.PLAIN_READING,
    json: options.JSON = False,
) -> None:
    """Measure a model on rows whose answer is known.

    Best on rows that it has not seen. Accuracy with its 95 % interval, confusion, each class, cost, log loss, Brier
    score, calibration, ROC AUC; for numbers R², mean absolute and root mean squared error.
    """
    from quercus.cli.models import model_text, open_model
    from quercus.cli.seen import remark_on_evaluation
    from quercus.cli.streams import shown_name
    from quercus.cli.tables import read_rows
    from quercus.cli.values import mistake_costs
    from quercus.evaluation import evaluate as measure

    opened = open_model(model)
    fitted = opened.model
    rows = read_rows(data, target, model=fitted, **reading)
    beside = None if train is None else read_rows(train, target, model=fitted, **reading)
    matrix = mistake_costs(costs, fitted.model_.labels or []) if costs else None
    scores = measure(fitted, *rows.labelled, train=None if beside is None else beside.labelled, cost_matrix=matrix)
    remark = remark_on_evaluation(opened, rows)
    if remark is not None:
        note(f"Note: {remark}")
    if json:
        say_json(strict({**scores.to_dict(), "notes": [] if remark is None else [remark]}))
        return
    say(f"{model_text(fitted)}; on {shown_name(data)}")
    say()
    say(str(scores))
