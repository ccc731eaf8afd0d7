"""``quercus explain``: how the tree was grown, and why it answers as it does."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.output import say_json, strict

EXAMPLES = (
    "quercus explain model.json",
    "quercus explain model.json --node 0 --latex",
    "quercus explain model.json --latex --document -o growing.tex",
    "quercus explain model.json --step",
    "quercus explain model.json --case Outlook=Rain --case Wind=?",
    "quercus explain model.json test.csv --row 3 --change --reasons",
    "quercus explain model.json test.csv --row 3 --change --fixed Age --to well",
)


@options.reads("schema", "missing", "weight", "read", "unlabelled")
def explain(
    model: options.ModelFile,
    data: Annotated[
        str | None, options.rows_argument("Rows: to answer one of them, or to trace those of fitting.")
    ] = None,
    node: Annotated[
        int | None, typer.Option("--node", metavar="N", help="Only this node; 0 is the root.", min=0)
    ] = None,
    step: Annotated[bool, typer.Option("--step", help="Walk through the growing with keys, forward and back.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="The growing as LaTeX.")] = False,
    document: Annotated[bool, typer.Option("--document", help="With --latex: a whole document.")] = False,
    natural: Annotated[
        bool, typer.Option("--natural", help="Entropies by natural logarithms (nats); needs DATA.")
    ] = False,
    case: options.Case = None,
    row: Annotated[
        int | None, typer.Option("--row", metavar="N", help="Answer this row of DATA; 1 is the first.", min=1)
    ] = None,
    old_data: options.OldData = None,
    change: Annotated[bool, typer.Option("--change", help="What would have to change for another answer.")] = False,
    to: Annotated[str | None, typer.Option("--to", metavar="CLASS", help="With --change: the answer wanted.")] = None,
    above: Annotated[
        float | None, typer.Option("--above", metavar="NUMBER", help="With --change, of numbers: the answer wanted.")
    ] = None,
    below: Annotated[
        float | None, typer.Option("--below", metavar="NUMBER", help="With --change, of numbers: the answer wanted.")
    ] = None,
    fixed: Annotated[
        list[str] | None, typer.Option("--fixed", metavar="NAME", help="With --change: what may not change.")
    ] = None,
    change_cost: Annotated[
        list[str] | None,
        typer.Option("--change-cost", metavar="NAME=COST", help="With --change: NAME=COST of changing an attribute."),
    ] = None,
    number: Annotated[
        int, typer.Option("--number", "-n", metavar="N", help="How many changes, or reasons.", min=1)
    ] = 4,
    reasons: Annotated[bool, typer.Option("--reasons", help="How much each attribute pushed the answer.")] = False,
    reading: options.Reading = options.PLAIN_READING,
    output: options.Output = None,
    json: options.JSON = False,
) -> None:
    """Say how the tree was grown, or why a case gets its answer.

    Without a case: for every node the counts, the entropy with its numbers, every candidate, why the winner won and by
    what margin, ties, and why a leaf stopped. With --case, or DATA and --row: the path or paths of the case and how
    they add up, of a forest how its trees vote; --change says what would have to be different, --reasons what pushed
    the answer.
    """
    from quercus.cli.models import open_model, refuse_collection
    from quercus.errors import ParameterError

    data = options.one_table(data, old_data)
    opened = open_model(model)
    if not case and row is None:
        refuse_collection(opened.model)
    if case and row is not None:
        raise ParameterError("--case and --row each name the case to answer; give one of them.")
    if step and (json or latex or output is not None or case or row is not None):
        raise ParameterError("--step is a walk for people, without --json, --latex, --output, --case and --row.")
    if row is not None and data is None:
        raise ParameterError("--row needs DATA, the file that the row is in: quercus explain MODEL DATA --row 3.")
    has_goal = to is not None or above is not None or below is not None
    if (change or reasons or has_goal or fixed) and not case and row is None:
        raise ParameterError("--change and --reasons explain one answer; give a case with --case, or DATA and --row.")
    if case or row is not None:
        parts = {"change": change or has_goal or bool(fixed), "reasons": reasons, "number": number}
        changes = {"to": to, "above": above, "below": below, "fixed": fixed, "change_cost": change_cost}
        _explain_case(opened.model, case, row, data, reading, parts, changes, json, output)
        return
    _need_growing(opened)
    if natural and data is None:
        raise ParameterError(
            "--natural works the growing out again; give the rows of fitting: quercus explain MODEL DATA."
        )
    trace = trace_of(opened, data, node, reading, math.e if natural else 2.0)
    if step:
        from quercus.cli.step import walk

        walk(trace, node)
        return
    if json:
        content = trace.to_dict()
        nodes = content["nodes"] if node is None else [entry for entry in content["nodes"] if entry["node"] == node]
        say_json(strict({**content, "nodes": nodes}))
        return
    from quercus.cli.streams import give_text

    if latex:
        give_text(trace.to_latex(node, document=document), output)
    else:
        give_text(str(trace) if node is None else trace.to_text(node), output)


def _need_growing(opened: Any) -> None:
    """Refuse a tree that was not grown here, and so has no trace, whatever rows are given."""
    from quercus.cli.models import tree_of
    from quercus.errors import ParameterError

    tree_of(opened.model)
    if opened.model.model_.recipe is None and "trace" not in (opened.evidence or {}):
        raise ParameterError(
            "An imported model has no trace: its file does not tell how the tree was grown. Explain an answer instead: "
            "quercus explain MODEL DATA --row 1, or --case NAME=VALUE."
        )


def trace_of(opened: Any, data: str | None, node: int | None, reading: options.Reading, base: float = 2.0) -> Any:
    """The trace that the model file keeps; or, from the rows of fitting, one made now."""
    from quercus.cli.models import tree_of
    from quercus.cli.tables import read_rows
    from quercus.errors import ParameterError
    from quercus.explain import Trace

    fitted = opened.model
    tree = tree_of(fitted)
    if data is not None:
        rows = read_rows(data, model=fitted, **reading)
        return fitted.trace(*rows.labelled, nodes=None if node is None else [node], base=base)
    kept = (opened.evidence or {}).get("trace")
    if kept is None:
        raise ParameterError(
            "The model file keeps no trace of growing; give the rows of fitting: quercus explain MODEL DATA."
        )
    trace = Trace.from_dict(kept)
    if node is not None and node not in trace and node < tree.n_nodes:
        raise ParameterError(
            f"The model file keeps a trace of its {len(trace):,} heaviest nodes, and {node} is none of them; give the "
            "rows of fitting: quercus explain MODEL DATA."
        )
    return trace


def _explain_case(
    fitted: Any,
    case: Any,
    row: int | None,
    data: str | None,
    reading: options.Reading,
    parts: dict[str, Any],
    changes: dict[str, Any],
    json: bool,
    output: str | None,
) -> None:
    """Why one case gets its answer, what would change it, and what pushed it."""
    from quercus.cli.cases import typed_case
    from quercus.cli.streams import give_sections
    from quercus.errors import ParameterError

    if case:
        X, place = typed_case(fitted.model_.schema, case), 0
    else:
        X, place = _row_of(fitted, data, row, reading)
    result: dict[str, Any] = {"answer": fitted.explain(X, place)}
    if parts["change"]:
        result["changes"] = fitted.counterfactuals(X, place, **_change_options(fitted, changes, parts["number"]))
    if parts["reasons"]:
        if fitted.model_.answers_by_rules:
            raise ParameterError("--reasons follows the questions of trees; this model answers by rules.")
        result["reasons"] = fitted.reason_codes(X, place, n=parts["number"])
    if json:
        say_json(strict({name: entry.to_dict() for name, entry in result.items()}))
        return
    titles = {"answer": "Why this answer", "changes": "What would change it", "reasons": "What pushed it"}
    several = len(result) > 1
    give_sections([(titles[name] if several else "", str(entry)) for name, entry in result.items()], output)


def _row_of(fitted: Any, data: str | None, row: int | None, reading: options.Reading) -> tuple[Any, int]:
    from quercus.cli.tables import read_rows
    from quercus.errors import ParameterError

    assert data is not None and row is not None
    rows = read_rows(data, model=fitted, need_target=False, **{**reading, "unlabelled": False})
    if row > rows.n_rows:
        raise ParameterError(f"There is no row {row} in {data}; it has {rows.n_rows:,} rows.")
    return rows.X, row - 1


def _change_options(fitted: Any, changes: dict[str, Any], number: int) -> dict[str, Any]:
    """The arguments of counterfactuals."""
    from quercus.cli.cases import known_names
    from quercus.cli.values import named_numbers
    from quercus.data.values import plain_value, value_text
    from quercus.errors import ParameterError, shown_list

    arguments: dict[str, Any] = {"n": number}
    bounds = {name: changes[name] for name in ("above", "below") if changes[name] is not None}
    kind = fitted.model_.target_kind
    if "above" in kind.goal_names and not bounds:
        raise ParameterError("--change of a model that answers numbers needs --above or --below, the answer wanted.")
    if bounds:
        kind.need_numbers("--above and --below are for numbers; this model answers classes: use --to.")
        arguments |= bounds
    if changes["to"] is not None:
        kind.need_classes("--to names a class; this model answers numbers.")
        by_text = {value_text(plain_value(label)): plain_value(label) for label in fitted.model_.classes}
        if changes["to"] not in by_text:
            raise ParameterError(f"--to {changes['to']!r} is none of the classes {shown_list(list(by_text))}.")
        arguments["target"] = by_text[changes["to"]]
    for name in changes["fixed"] or ():
        if name not in fitted.model_.schema.names:
            raise ParameterError(f"--fixed {name!r} is no attribute. {known_names(fitted.model_.schema)}")
    arguments["fixed"] = tuple(changes["fixed"] or ())
    costs = named_numbers("--change-cost", changes["change_cost"])
    return {**arguments, "change_costs": costs} if costs else arguments
