"""``quercus rules``: a model as IF … THEN rules."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli.options import JSON, Missing, ModelFile, Output, Read, SchemaFile
from quercus.cli.output import say, say_json

EXAMPLES = (
    "quercus rules model.json",
    "quercus rules model.json --format latex --document -o rules.tex",
    "quercus rules model.json --data test.csv",
    "quercus rules model.json --format csv",
)
FORMATS = ("text", "csv", "latex", "json")


def rules(
    model: ModelFile,
    format: Annotated[str, typer.Option("--format", "-f", help="text, csv, latex or json.")] = "text",
    document: Annotated[bool, typer.Option("--document", help="With --format latex: a whole document.")] = False,
    data: Annotated[str | None, typer.Option("--data", help="Labelled rows to measure every rule on.")] = None,
    schema: SchemaFile = None,
    missing: Missing = None,
    read: Read = None,
    output: Output = None,
    json: JSON = False,
) -> None:
    """Print a model as IF … THEN rules.

    A tree gives a rule for each leaf, conditions on the same attribute merged. Behind each rule stand the examples that
    it covers and the share of them that it answers rightly.
    """
    from quercus.cli.models import open_model, refuse_collection
    from quercus.errors import ParameterError, choice_message

    form = "json" if json else format
    if form not in FORMATS:
        raise ParameterError(choice_message("--format", form, FORMATS))
    fitted = open_model(model).model
    refuse_collection(fitted)
    found = fitted.rules_ if hasattr(fitted, "rules_") else fitted.rules()
    measured = (
        None
        if data is None
        else _measured(fitted, found, data, {"schema": schema, "missing": missing, "reading": read})
    )
    if form == "json" and output is None:
        say_json(_as_data(found, measured))
        return
    text = rules_text(found, form, measured, document)
    if output is None:
        say(text)
        return
    from quercus.files import write_whole

    write_whole(output, text + "\n")
    say(f"Written to {output}")


def _measured(fitted: Any, rules: Any, data: str, reading: dict[str, Any]) -> Any:
    from quercus.cli.tables import read_rows
    from quercus.data.dataset import encode_classes, encode_like
    from quercus.data.target import encode_numbers

    rows = read_rows(data, model=fitted, **reading)
    target = encode_numbers(rows.y) if rules.is_regression else encode_classes(rows.y)
    return rules.measure(encode_like(rows.X, fitted.schema_), target, rows.weights)


def rules_text(rules: Any, form: str, measured: Any = None, document: bool = False) -> str:
    """The rules in a format. document: of LaTeX, a whole one."""
    import json as json_format

    if form == "json":
        return json_format.dumps(_as_data(rules, measured), ensure_ascii=False, allow_nan=False, indent=2)
    if form == "csv":
        return rules_csv(rules, measured)
    if form == "latex":
        return str(rules.to_latex(document=document))
    return str(measured) if measured is not None else str(rules.text())


def rules_csv(rules: Any, measured: Any = None) -> str:
    """A line a rule: its conditions, its answer and its numbers; the default last."""
    import csv
    import io

    from quercus.data.values import value_text

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    if measured is not None:
        columns = measured.columns()
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
        return stream.getvalue().rstrip("\n")
    writer.writerow(["rule", "conditions", "answer", "covered", "correct"])
    for number, rule in enumerate(rules, 1):
        conditions = " AND ".join(condition.text() for condition in rule.conditions)
        answer = value_text(rule.label)
        writer.writerow([number, conditions, answer, _cell(rule.covered), _cell(rule.correct)])
    writer.writerow(["otherwise", "", rules.default_text(), "", ""])
    return stream.getvalue().rstrip("\n")


def _cell(number: float | None) -> str:
    return "" if number is None else f"{number:g}"


def _as_data(rules: Any, measured: Any) -> dict[str, Any]:
    from quercus.cli.output import strict

    data = {"rules": [str(rule) for rule in rules], "otherwise": rules.default_text(), "list": rules.to_dict()}
    if measured is not None:
        data["measured"] = strict(measured.columns())
    found: dict[str, Any] = strict(data)
    return found
