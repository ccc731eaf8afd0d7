"""``quercus rules``: a model as IF … THEN rules."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.csv_output import Safe
from quercus.cli.output import say_json

EXAMPLES = (
    "quercus rules model.json",
    "quercus rules model.json --format latex --document -o rules.tex",
    "quercus rules model.json test.csv",
    "quercus rules model.json --format csv",
)
FORMATS = ("text", "csv", "latex", "json")


@options.reads("schema", "missing", "weight", "read", "unlabelled")
def rules(
    model: options.ModelFile,
    data: Annotated[str | None, options.rows_argument("Labelled rows to measure every rule on.")] = None,
    format: Annotated[str, typer.Option("--format", "-f", metavar="FORMAT", help="text, csv, latex or json.")] = "text",
    document: Annotated[bool, typer.Option("--document", help="With --format latex: a whole document.")] = False,
    safe: Safe = False,
    old_data: options.OldData = None,
    reading: options.Reading = options.PLAIN_READING,
    output: options.Output = None,
    json: options.JSON = False,
) -> None:
    """Print a model as IF … THEN rules.

    A tree gives a rule for each leaf, conditions on the same attribute merged. Behind each rule stand the examples that
    it covers and the share of them that it answers rightly.
    """
    from quercus.cli.models import open_model, refuse_collection
    from quercus.cli.streams import give_text
    from quercus.errors import ParameterError, choice_message

    form = "json" if json else format
    if form not in FORMATS:
        raise ParameterError(choice_message("--format", form, FORMATS))
    data = options.one_table(data, old_data)
    fitted = open_model(model).model
    refuse_collection(fitted)
    rule_list = fitted.rules() if fitted.model_.rule_list is None else fitted.model_.rule_list
    measured = None if data is None else _measured(fitted, rule_list, data, reading)
    if form == "json" and output in (None, "-"):
        say_json(_as_data(rule_list, measured))
        return
    text = rules_text(rule_list, form, measured, safe, document)
    give_text(text, output)


def _measured(fitted: Any, rules: Any, data: str, reading: options.Reading) -> Any:
    from quercus.cli.tables import read_rows
    from quercus.data.dataset import encode_like

    rows = read_rows(data, model=fitted, **reading)
    target = rules.target_kind.encode(rows.y)
    return rules.measure(encode_like(rows.X, fitted.model_.schema), target, rows.weights)


def rules_text(rules: Any, form: str, measured: Any = None, safe: bool = False, document: bool = False) -> str:
    """The rules in a format. document: of LaTeX, a whole one."""
    from quercus.cli.output import json_text

    if form == "json":
        return json_text(_as_data(rules, measured))
    if form == "csv":
        return rules_csv(rules, measured, safe)
    if form == "latex":
        return str(rules.to_latex(document=document))
    return str(measured) if measured is not None else str(rules.text())


def rules_csv(rules: Any, measured: Any = None, safe: bool = False) -> str:
    """One line per rule: its conditions, its answer and its numbers; the default last."""
    from quercus.cli.csv_output import csv_text
    from quercus.data.values import value_text
    from quercus.rules.condition import joined_texts

    if measured is not None:
        return csv_text(measured.columns(), safe).rstrip("\n")
    lines = [
        [number, " AND ".join(joined_texts(rule.conditions)), value_text(rule.label), *map(_cell, _weights(rule))]
        for number, rule in enumerate(rules, 1)
    ]
    lines.append(["otherwise", "", rules.default_text(), "", ""])
    names = ("rule", "conditions", "answer", "covered", "correct")
    return csv_text(dict(zip(names, zip(*lines, strict=True), strict=True)), safe).rstrip("\n")


def _weights(rule: Any) -> tuple[float, float]:
    return rule.covered, rule.correct


def _cell(number: float | None) -> str:
    return "" if number is None else f"{number:g}"


def _as_data(rules: Any, measured: Any) -> dict[str, Any]:
    from quercus.cli.output import strict

    data = {"rules": [str(rule) for rule in rules], "otherwise": rules.default_text(), "list": rules.to_dict()}
    if measured is not None:
        data["measured"] = strict(measured.columns())
    result: dict[str, Any] = strict(data)
    return result
