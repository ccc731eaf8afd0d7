"""``quercus prune``: the same grown tree, pruned in another way."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.output import note, say, say_json, strict

EXAMPLES = (
    "quercus prune model.json validation.csv --method reduced_error -o small.json",
    "quercus prune model.json train.csv --method error_based --param confidence=0.1 -o small.json",
    "quercus prune model.json --method keep_depth --param depth=3 -o small.json",
    "quercus prune model.json --method no -o grown.json",
)


@options.reads("schema", "missing", "weight", "read", "unlabelled")
def prune(
    model: options.ModelFile,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            metavar="METHOD",
            help="A method such as cost_complexity (quercus parameters lists them), keep_depth, keep_leaves or snip; "
            "yes: the algorithm's own; no: as grown.",
        ),
    ],
    data: Annotated[
        str | None,
        options.rows_argument("Rows for methods that need some: unseen ones, or those of fitting (error_based)."),
    ] = None,
    old_data: options.OldData = None,
    parameter: options.Parameters = None,
    reading: options.Reading = options.PLAIN_READING,
    output: options.Output = None,
    json: options.JSON = False,
) -> None:
    """Prune the tree of a model in another way.

    It starts from the tree as it was grown, and says for every cut why it was made.
    """
    from quercus.cli.fitting import pruning_option
    from quercus.cli.models import describe, model_text, open_model, tree_of
    from quercus.cli.seen import remark_on_pruning
    from quercus.cli.streams import keep_model, refuse_two_outputs
    from quercus.cli.tables import read_rows
    from quercus.cli.values import named_values
    from quercus.errors import ParameterError

    refuse_two_outputs(output, json)
    data = options.one_table(data, old_data)
    opened = open_model(model)
    fitted = opened.model
    tree_of(fitted)
    if fitted.model_.answers_by != "tree":
        raise ParameterError(f"A {type(fitted).__name__} has rules that are pruned while they are made; fit it anew.")
    values = named_values("--param", parameter)
    if isinstance(values.get("nodes"), int):
        values["nodes"] = [values["nodes"]]
    rows = None if data is None else read_rows(data, model=fitted, **reading)
    labelled = () if rows is None else rows.labelled
    chosen = pruning_option(method)
    remark = None if rows is None else remark_on_pruning(opened, rows, chosen)
    pruned = fitted.prune_with(chosen, *labelled, **values)
    if output is not None:
        made = _provenance(opened, method, rows, values)
        keep_model(pruned, output, provenance=made, evidence=_evidence(opened.evidence))
    if remark is not None:
        note(f"Note: {remark}")
    if json:
        removals = [] if pruned.pruning_ is None else [vars(removal) for removal in pruned.pruning_.removals]
        say_json(strict({"model": describe(pruned), "removals": removals, "output": output, "notes": _notes(remark)}))
        return
    say(pruned.tree_.to_text(max_nodes=60))
    say()
    say(model_text(pruned) if pruned.pruning_ is None else str(pruned.pruning_))
    if output not in (None, "-"):
        say(f"Written to {output}")


def _notes(remark: str | None) -> list[str]:
    return [] if remark is None else [remark]


def _provenance(opened: Any, method: str, rows: Any, values: dict[str, Any]) -> dict[str, Any]:
    """How the model was made, and that it was pruned again."""
    from quercus.cli.seen import table_record

    before = dict(opened.provenance or {})
    table = None if rows is None else table_record(rows)
    step = {
        "method": method,
        "data": None if rows is None else rows.name,
        "table": table,
        "parameters": strict(values),
    }
    return {**before, "pruned_again": [*before.get("pruned_again", []), step]}


def _evidence(before: Any) -> dict[str, Any] | None:
    """What is still true of the new tree: the summary of the data, and curves of growing."""
    kept = {name: before[name] for name in ("summary", "curves", "alpha_table") if before and name in before}
    return kept or None
