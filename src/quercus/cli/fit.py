"""``quercus fit``: grow a model from a table."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.output import note, say, say_json, strict

EXAMPLES = (
    "quercus fit play_tennis -o model.json",
    "quercus fit patients.csv --target ill --algorithm cart --prune cost_complexity -o model.json",
    "quercus fit patients.csv -t ill --prune reduced_error --validation 0.3 --missing '?' -o model.json",
    "quercus fit patients.csv -t ill --costs ill:well=10 --param min_objects=5 -o model.json",
    "quercus fit loans.csv -t granted -a cart --monotone income=+ --monotone debts=- --together income,debts -o m.json",
    "quercus fit diamonds.csv.gz -t price --param max_depth=6 -o prices.json",
    "quercus fit patients.csv -t ill --algorithm forest --trees 500 --jobs -1 -o forest.json",
    "quercus fit patients.csv -t ill -a bagging --param estimator=c45 --param estimator__confidence=0.1 -o bag.json",
)
PRUNINGS = "yes, no, or a method such as cost_complexity or reduced_error; quercus parameters lists them."


@options.reads("schema", "missing", "drop", "keep", "read", "unlabelled", "weight")
def fit(
    data: options.Data,
    target: options.Target = None,
    algorithm: options.OneAlgorithm = None,
    trees: options.Trees = None,
    prune: Annotated[str | None, typer.Option("--prune", metavar="METHOD", help=PRUNINGS)] = None,
    validation: Annotated[
        str | None,
        typer.Option(
            "--validation", metavar="FILE|SHARE", help="Rows to prune by: a file, or a share of DATA such as 0.3."
        ),
    ] = None,
    costs: Annotated[
        list[str] | None,
        typer.Option(
            "--costs",
            metavar="TRUE:ANSWERED=COST",
            help="What a mistake costs, TRUE:ANSWERED=COST, or a file of such lines (or C4.5's).",
        ),
    ] = None,
    attribute_cost: Annotated[
        list[str] | None,
        typer.Option("--attribute-cost", metavar="NAME=COST", help="What it costs to learn an attribute, NAME=COST."),
    ] = None,
    monotone: options.Monotone = None,
    together: options.Together = None,
    task: options.Task = None,
    reading: options.Reading = options.PLAIN_READING,
    parameter: options.Parameters = None,
    output: options.Output = None,
    evidence: Annotated[
        bool, typer.Option(help="Keep in the model file what explain and report show of the training rows.")
    ] = True,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", help="Threads; -1: all. The tree is the same.")
    ] = None,
    json: options.JSON = False,
) -> None:
    """Grow a tree or many, or learn rules, from a table.

    Numbers are predicted if the target is numeric, else classes. Unknown values, text and dates may stay as they are.
    Thresholds that could lie anywhere between two values are written short; --param threshold=midpoint: half-way.
    C4.5 writes values of the table, unless they have many digits; --param threshold=data_value: always.
    """
    from quercus.cli import fitting
    from quercus.cli.streams import keep_model, refuse_two_outputs
    from quercus.cli.tables import is_numeric_target, read_rows
    from quercus.evaluation.evaluate import rows_scores

    refuse_two_outputs(output, json)
    rows = read_rows(data, target, **reading)
    numbers, remark = is_numeric_target(rows, task, algorithm)
    share, validation_rows = fitting.validation_rows(validation, rows, reading)
    name, estimator = fitting.prepared(
        rows,
        algorithm,
        numbers,
        prune=prune,
        validation_share=share,
        validated=validation is not None,
        costs=costs,
        attribute_costs=attribute_cost,
        monotone=monotone,
        together=together,
        parameters=parameter,
        jobs=jobs,
        trees=trees,
    )
    training, model = fitting.fitted(estimator, rows, validation_rows, quiet=json), estimator
    scores = rows_scores(model.model_, training.rows, n_jobs=model.n_threads)
    if output is not None:
        kept = fitting.evidence_of(model, training, scores, quiet=json) if evidence else None
        made = fitting.provenance_of(model, rows, validation_rows)
        keep_model(model, output, provenance=made, evidence=kept)
    remarks = fitting.notes_on_quantiles(model.model_, output is not None)
    notes = [*([remark] if remark else []), *fitting.notes_on(model), *remarks]
    for text in notes:
        note(text)
    _tell(model, name, rows, scores, output, notes if json else None)


def _tell(model: Any, name: str, rows: Any, scores: Any, output: str | None, notes: list[str] | None) -> None:
    """Print the tree, its size, how it does on its own rows, and where it is; with notes (not None): as JSON."""
    from quercus.cli.algorithms import ALGORITHMS
    from quercus.cli.forests import is_collection, summary_text
    from quercus.cli.models import answers_by_tree, describe, model_text
    from quercus.cli.streams import STREAM, shown_name
    from quercus.data.names import counted, quoted_name

    if notes is not None:
        described = {"algorithm": name, **strict(describe(model))}
        say_json(
            {"model": described, "training": scores.to_dict(), "rows": rows.n_rows, "output": output, "notes": notes}
        )
        return
    if is_collection(model):
        say(summary_text(model))
    elif answers_by_tree(model):
        say(model.tree_.to_text(max_nodes=60))
    else:
        say(model.rules_.text(limit=60), fold=True)
    say()
    size = f"{rows.n_rows:,} rows, {counted(len(rows.X), 'attribute')}, target {quoted_name(str(rows.target))}"
    say(f"{ALGORITHMS[name].title} on {shown_name(rows.name)}: {size}")
    if not is_collection(model):
        say(model_text(model))
    say(_training_text(scores))
    if output is None:
        say("The model was not kept; -o model.json writes it to a file.")
    elif output != STREAM:
        more = "show, evaluate, importance, distill, plot or report"
        more = more if is_collection(model) else "show, explain, evaluate, plot or report"
        say(f"Written to {output}; next: quercus {more} {shlex.quote(output)}")


def _training_text(scores: Any) -> str:
    """How the model does on the rows that it was made from."""
    from quercus.data.names import short_number, significant
    from quercus.evaluation import ClassScores, NumberScores
    from quercus.evaluation.text_table import share_text

    if isinstance(scores, NumberScores):
        return f"R² {share_text(scores.r2)} and mean absolute error {significant(scores.mae)} on these rows"
    if not isinstance(scores, ClassScores):
        return str(scores.headline())
    right = sum(scores.confusion[i, i] for i in range(len(scores.classes)))
    what = "these rows" if scores.weight == scores.n_rows else f"the weight of these {scores.n_rows:,} rows"
    text = f"right on {short_number(right)} of {short_number(scores.weight)} of {what}, accuracy {scores.accuracy:.3f}"
    text += f" (always the largest class: {scores.baseline:.3f})"
    return f"{text}, mean cost {scores.cost_text}" if scores.cost_text else text
