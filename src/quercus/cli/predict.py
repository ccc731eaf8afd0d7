"""``quercus predict``: the answers of a model for new rows, as CSV."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.csv_output import Safe
from quercus.cli.output import say, say_json, strict

EXAMPLES = (
    "quercus predict model.json new.csv",
    "quercus predict model.json new.csv --proba -o answers.csv",
    "quercus predict model.json new.csv --explain --keep",
    "quercus predict prices.json new.csv --quantiles 0.1,0.9",
)


@options.reads("schema", "missing", "read")
def predict(
    model: options.ModelFile,
    data: options.Data,
    output: options.Output = None,
    proba: Annotated[bool, typer.Option("--proba", help="A column with the probability of each class, too.")] = False,
    quantiles: Annotated[
        str | None,
        typer.Option(
            "--quantiles",
            metavar="LEVELS",
            help="A column with each of these quantiles, too, such as 0.1,0.9; all: those of fitting.",
        ),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="A column that says why, too.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="All columns of DATA first, as they are.")] = False,
    safe: Safe = False,
    reading: options.Reading = options.PLAIN_READING,
    json: options.JSON = False,
) -> None:
    """Answer every row of a table.

    The answers come in the order of the rows. The table needs the columns of the model; others do not matter.
    """
    from quercus.cli.csv_output import csv_text
    from quercus.cli.models import open_model
    from quercus.cli.streams import write_output
    from quercus.cli.tables import read_rows

    fitted = open_model(model).model
    rows = read_rows(data, model=fitted, need_target=False, **reading)
    columns = _answers(fitted, rows, proba, quantiles, explain)
    to_stdout = output in (None, "-")
    if keep:
        columns = {**kept_columns(rows.table, as_text=not (json and to_stdout)), **columns}
    if json and to_stdout:
        say_json(strict([dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]))
        return
    if not write_output(output, csv_text(columns, safe, rows.table.unnamed if keep else ())):
        return
    if json:
        say_json({"rows": rows.n_rows, "columns": list(columns), "output": output})
        return
    say(f"{rows.n_rows:,} answers written to {output}")


def _answers(fitted: Any, rows: Any, proba: bool, quantiles: str | None, explain: bool) -> dict[str, list[Any]]:
    """The answers by column: the answer, probabilities, quantiles and reasons as asked for."""
    from quercus.data.values import value_text
    from quercus.targets.pinball import asked_levels

    known = set(rows.table.columns)
    answer = "answer" if fitted.model_.schema.target is None else f"answer {fitted.model_.schema.target}"
    while answer in known:
        answer += "_"
    model = fitted.model_
    if proba:
        model.target_kind.need_classes("--proba is for classes; this model answers numbers.")
    dataset = fitted.encode_rows(rows.X)
    shares, answered = model.answer(dataset, fitted.n_threads)
    columns: dict[str, list[Any]] = {answer: _plain(model.named(answered))}
    if proba:
        for place, label in enumerate(model.labels):
            columns[f"P({value_text(label)})"] = shares[:, place].tolist()
    if quantiles is not None:
        levels = model.quantile_levels if quantiles.strip() == "all" else asked_levels(quantiles, "--quantiles")
        numbers = model.quantiles(dataset, levels or None, fitted.n_threads)
        columns |= {f"quantile {level:g}": numbers[:, place].tolist() for place, level in enumerate(levels)}
    if explain:
        columns["why"] = reasons_of(fitted, rows)
    return columns


def reasons_of(fitted: Any, rows: Any) -> list[str]:
    """For every row the conditions of its leaf, or its rule; the share of a leaf that takes only part of the row."""
    from quercus.cli.models import refuse_collection

    refuse_collection(fitted)
    if fitted.model_.rule_list is not None:
        rules = fitted.model_.rule_list
        texts = [_condition_words(rule.conditions) for rule in rules]
        return [texts[place] if place >= 0 else "no rule fires" for place in fitted.fired(rows.X).tolist()]
    from quercus.data.dataset import encode_like
    from quercus.predict import decision_path
    from quercus.rules.extract import leaf_conditions

    tree = fitted.model_.tree
    words = {leaf: _condition_words(conditions) for leaf, conditions in leaf_conditions(tree)}
    parts = decision_path(tree, encode_like(rows.X, fitted.model_.schema), weights=True)
    cells = []
    for row, leaf in enumerate(fitted.apply(rows.X).tolist()):
        text = words.get(leaf, "no branch has examples")
        share = float(parts[row, leaf])
        cells.append(text if share > 1 - 1e-12 else f"{text} (for {share:.0%} of it; a value is unknown)")
    return cells


def _condition_words(conditions: Any) -> str:
    from quercus.rules.condition import joined_texts

    return " AND ".join(joined_texts(conditions, limit=10)) or "always"


def kept_columns(table: Any, as_text: bool) -> dict[str, list[Any]]:
    """The columns of the table: the cells of text files as they are written there; for JSON as values."""
    if table.texts is None:
        return {name: _plain(column) for name, column in table.columns.items()}
    columns = {}
    for name, column in table.texts().items():  # not the companions of columns that do not always apply
        texts = ["" if text is None else text for text in column]
        values = zip(_plain(table.columns[name]), texts, strict=True)
        columns[name] = texts if as_text else [_whole(value, text) for value, text in values]
    return columns


def _whole(cell: Any, text: str) -> Any:
    """A number that was written without a point, as a whole number."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() and text.strip().lstrip("+-").isdigit() else cell


def _plain(column: Any) -> list[Any]:
    """A column as plain values that CSV and JSON can hold."""
    from quercus.data.values import is_missing

    values = (
        column.to_pylist()
        if hasattr(column, "to_pylist")
        else column.tolist()
        if hasattr(column, "tolist")
        else list(column)
    )
    return [None if is_missing(value) else value for value in values]
