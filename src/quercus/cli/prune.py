"""``quercus prune``: the same grown tree, pruned in another way."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli.options import JSON, Missing, ModelFile, Output, Parameters, Read, SchemaFile
from quercus.cli.output import say, say_json, strict

EXAMPLES = (
    "quercus prune model.json --method reduced_error --data validation.csv -o small.json",
    "quercus prune model.json --method error_based --data train.csv --param confidence=0.1 -o small.json",
    "quercus prune model.json --method keep_depth --param depth=3 -o small.json",
    "quercus prune model.json --method no -o grown.json",
)


def prune(
    model: ModelFile,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="error_based, reduced_error, validation, cost_complexity, mdl, minimum_error, critical_value, "
            "chi_square, same_prediction, keep_depth, keep_leaves, snip; yes: the algorithm's own; no: as grown.",
        ),
    ],
    data: Annotated[
        str | None,
        typer.Option("--data", help="Rows for methods that need some: unseen ones, or those of fitting (error_based)."),
    ] = None,
    parameter: Parameters = None,
    schema: SchemaFile = None,
    missing: Missing = None,
    read: Read = None,
    output: Output = None,
    json: JSON = False,
) -> None:
    """Prune the tree of a model in another way.

    It starts from the tree as it was grown, and says for every cut why it was made.
    """
    from quercus.cli.fitting import pruning_option
    from quercus.cli.models import describe, model_text, open_model, tree_of
    from quercus.cli.tables import read_rows
    from quercus.cli.values import named_values
    from quercus.errors import ParameterError

    opened = open_model(model)
    fitted = opened.model
    tree_of(fitted)
    if not hasattr(fitted, "prune_with"):
        raise ParameterError(f"A {type(fitted).__name__} has rules that are pruned while they are made; fit it anew.")
    given = named_values("--param", parameter)
    if isinstance(given.get("nodes"), int):
        given["nodes"] = [given["nodes"]]
    rows = None if data is None else read_rows(data, model=fitted, schema=schema, missing=missing, reading=read)
    labelled = () if rows is None else (rows.X, rows.y)
    pruned = fitted.prune_with(pruning_option(method), *labelled, **given)
    if output is not None:
        from quercus.models import save

        save(pruned, output, provenance=_provenance(opened, method, data, given), evidence=_evidence(opened.evidence))
    if json:
        removals = [] if pruned.pruning_ is None else [vars(removal) for removal in pruned.pruning_.removals]
        say_json(strict({"model": describe(pruned), "removals": removals, "output": output}))
        return
    say(pruned.tree_.to_text(max_nodes=60))
    say()
    say(model_text(pruned) if pruned.pruning_ is None else str(pruned.pruning_))
    if output is not None:
        say(f"Written to {output}")


def _provenance(opened: Any, method: str, data: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """How the model was made, and that it was pruned again."""
    before = dict(opened.provenance or {})
    step = {"method": method, "data": data, "parameters": strict(given)}
    return {**before, "pruned_again": [*before.get("pruned_again", []), step]}


def _evidence(before: Any) -> dict[str, Any] | None:
    """What is still true of the new tree: the summary of the data, and curves of growing."""
    kept = {name: before[name] for name in ("summary", "curves", "alpha_table") if before and name in before}
    return kept or None
