"""``quercus importance``: how much each attribute matters to a model, with intervals."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.output import note, say, say_json, strict

EXAMPLES = (
    "quercus importance forest.json",
    "quercus importance forest.json test.csv",
    "quercus importance forest.json train.csv --by unbiased",
    "quercus importance forest.json train.csv --by out_of_bag --level 0.9 --json",
)
BY_HELP = (
    "impurity (what the questions gained; without DATA); permutation (what is lost when values are shuffled; with "
    "DATA unless told otherwise); out_of_bag (the same, each tree on the rows it has not seen); unbiased (impurity "
    "on such rows: 0 in the mean for what tells nothing)."
)
#: What --by may be, and the arguments of ``quercus.importance`` that it means.
KINDS: dict[str, dict[str, Any]] = {
    "impurity": {"by": "impurity"},
    "permutation": {"by": "permutation"},
    "out_of_bag": {"by": "permutation", "out_of_bag": True},
    "unbiased": {"by": "unbiased"},
}
#: These ask each tree about the rows of fitting that it has not seen.
OF_FITTING = ("out_of_bag", "unbiased")


@options.reads("schema", "missing", "read", "unlabelled", "weight")
def importance(
    model: options.ModelFile,
    data: Annotated[
        str | None,
        options.rows_argument("Labelled rows: best unseen ones; for out_of_bag and unbiased those of fitting."),
    ] = None,
    by: Annotated[str | None, typer.Option("--by", metavar="KIND", help=BY_HELP, show_default=False)] = None,
    old_data: options.OldData = None,
    repeats: Annotated[
        int, typer.Option("--repeats", "-r", metavar="N", help="Shuffles of each attribute, of permutation.", min=1)
    ] = 5,
    level: Annotated[float, typer.Option("--level", metavar="SHARE", help="Confidence of the intervals.")] = 0.95,
    number: Annotated[int, typer.Option("--number", "-n", metavar="N", help="Print so many, the first.", min=1)] = 20,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the shuffles.", min=0)] = 0,
    reading: options.Reading = options.PLAIN_READING,
    json: options.JSON = False,
) -> None:
    """Measure how much each attribute matters to a model.

    Each value has an interval: over other rows, or over more trees grown in the same way. Impurity prefers attributes
    of many values; the other kinds do not.
    """
    from quercus.cli.models import open_model
    from quercus.cli.tables import read_rows

    data = options.one_table(data, old_data)
    opened = open_model(model)
    kind = kind_of(by, data is not None)
    rows = None
    if data is not None:
        rows = read_rows(data, model=opened.model, **reading)
    importances = measured(opened, kind, rows, repeats=repeats, level=level, random_state=seed)
    if json:
        say_json(strict({"by": kind, **importances.to_dict()}))
        return
    say(importances.text(limit=number))
    if importances.intervals is not None:
        say(f"low, high: the {100 * level:g} % interval, over {importances.about}")


def kind_of(by: str | None, with_rows: bool) -> str:
    """What --by means: unless given, permutation where there are rows, and impurity where there are none."""
    from quercus.errors import ParameterError, choice_message

    if by is None:
        return "permutation" if with_rows else "impurity"
    if by not in KINDS:
        raise ParameterError(choice_message("--by", by, tuple(KINDS)))
    if by == "impurity" and with_rows:
        raise ParameterError(
            "--by impurity looks at the trees alone and needs no rows; leave them out, or give --by permutation."
        )
    if by != "impurity" and not with_rows:
        which = "those of fitting" if by in OF_FITTING else "best such as the model has not seen"
        raise ParameterError(f"--by {by} needs labelled rows, {which}: quercus importance MODEL DATA.")
    return by


def measured(opened: Any, kind: str, rows: Any, **options: Any) -> Any:
    """The importances of a kind (one of KINDS); rows: those that were given."""
    from quercus.errors import ParameterError
    from quercus.estimators import importance as measure

    fitted = opened.model
    if kind in ("impurity", "unbiased") and fitted.model_.answers_by_rules:
        raise ParameterError(
            f"--by {kind} measures what the questions of trees gain; this {type(fitted).__name__} answers by rules. "
            "Give --by permutation and DATA."
        )
    if kind in OF_FITTING and (fitted.model_.draws is None or fitted.model_.draws.sampling is None):
        raise ParameterError(
            f"--by {kind} asks each tree about rows that it has not seen, which a {type(fitted).__name__} does not "
            "have; it is for forest and bagging. Give --by permutation and rows that the model has not seen."
        )
    if kind in OF_FITTING:
        _check_rows_of_fitting(opened, kind, rows)
    X, y, weights = (None, None, None) if rows is None else rows.labelled
    return measure(fitted, X, y, sample_weight=weights, **KINDS[kind], **options)


def _check_rows_of_fitting(opened: Any, kind: str, rows: Any) -> None:
    """Refuse rows that cannot be those of fitting; note those that may be others."""
    from quercus.errors import ParameterError

    data = (opened.provenance or {}).get("data") or {}
    name, count = data.get("name", "other data"), data.get("rows")
    if isinstance(count, int) and count != rows.n_rows:
        raise ParameterError(
            f"--by {kind} needs the rows of fitting: {rows.name} has {rows.n_rows:,} rows, but the model was fitted to "
            f"{count:,} ({name}). Give that file, or --by permutation for other rows."
        )
    if data.get("fingerprint") and data["fingerprint"] != rows.fingerprint:
        note(
            f"Note: --by {kind} needs the rows of fitting in their order, and {rows.name} is not the file that the "
            f"model was fitted to ({name}); with other rows the figures mean nothing."
        )
