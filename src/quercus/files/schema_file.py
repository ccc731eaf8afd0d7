"""The schema file: the user's declarations about a table, in TOML; they override those of the table's own file.

Every key may be left out::

    target = "class"                      # the column to predict
    ignore = ["id", "name"]               # columns that are no attributes
    missing_tokens = ["?", "NA"]          # texts (or numbers) that mean "missing", in all columns
    not_applicable = ["N/A"]              # texts that mean "does not apply", which is not unknown, in all columns
    classes = ["healthy", "sick"]         # the target's values in their order
    weight = "copies"                     # the column that holds the weight of each row

    [columns.age]
    kind = "numeric"                      # numeric, nominal, ordered, boolean or date
    cost = 1.5                            # what it costs to learn the value
    missing_tokens = [-1]                 # in this column, instead of those for all columns
    not_applicable = ["none"]             # the same, as a text

    [columns.size]
    kind = "ordered"
    values = ["S", "M", "L"]              # the domain, in its order; other values are refused

    [columns."zip code"]
    kind = "nominal"
    ignore = true                         # the same as to name it in the list above

    [[cost_matrix]]                       # one entry per pair; others: 1 for a mistake, 0 for the right answer
    true = "sick"
    predicted = "healthy"
    cost = 10
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from quercus.data.costs import MOST_COST
from quercus.data.schema import KINDS, Schema
from quercus.data.values import is_missing, value_key
from quercus.errors import DataTypeError, FileError, did_you_mean, shorten, shown_list
from quercus.files.content import decode, read_content
from quercus.files.place import file_error
from quercus.files.rules import ColumnRule, Rules, rules_of_schema

__all__ = ["read_schema"]

_KEYS = ("target", "ignore", "missing_tokens", "not_applicable", "classes", "weight", "columns", "cost_matrix")
_COLUMN_KEYS = ("kind", "values", "cost", "ignore", "missing_tokens", "not_applicable")
_PAIR_KEYS = ("true", "predicted", "cost")


def read_schema(schema: Any) -> Rules:
    """Read a schema: the path of a TOML file, a dictionary of the same form, or the schema of a model.

    >>> rules = read_schema({"target": "class", "columns": {"age": {"kind": "numeric", "cost": 2}}})
    >>> rules.target, rules.columns["age"].cost
    ('class', 2.0)
    >>> read_schema({"columns": {"age": {"kind": "number"}}})
    Traceback (most recent call last):
    quercus.errors.FileError: the schema: columns.age.kind is 'number', but must be one of 'numeric', 'nominal', ...
    """
    if schema is None:
        return Rules()
    if isinstance(schema, Schema):
        return rules_of_schema(schema)
    if isinstance(schema, Mapping):
        return _rules("the schema", schema)
    if isinstance(schema, (str, os.PathLike)):
        path = os.fspath(schema)
        return _rules(path, _toml(path))
    raise DataTypeError(
        f"schema is {shorten(schema)}, but must be the path of a TOML file, a dict of the same form, or a Schema."
    )


def _toml(path: str) -> Mapping[str, Any]:
    text = decode(read_content(path))
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        match = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error), re.DOTALL)
        if match is None:
            end = text.count("\n") + 1
            raise file_error(
                path, f"this is not TOML: {str(error).removesuffix(' (at end of document)')}.", end
            ) from error
        raise file_error(path, f"this is not TOML: {match[1]}.", int(match[2]), int(match[3])) from error
    except (ValueError, RecursionError) as error:  # dates such as 2024-99-99, very deep nesting
        raise file_error(path, f"this is not TOML: {error}.") from error


def _rules(source: str, data: Mapping[str, Any]) -> Rules:
    _check_keys(source, "", data, _KEYS)
    columns: dict[str, ColumnRule] = {}
    for name, declaration in _table(source, "columns", data.get("columns", {})).items():
        columns[str(name)] = _column_rule(source, f"columns.{name}", declaration)
    for name in _strings(source, "ignore", data.get("ignore", [])):
        columns[name] = replace(columns.get(name, ColumnRule()), ignore=True)
    target = data.get("target")
    if target is not None and not isinstance(target, str):
        raise _wrong(source, "target", target, "the name of a column, a string")
    if target is not None and target in columns and columns[target].ignore:
        raise file_error(source, f"target is {target!r}, but that column is to be ignored. Choose one.")
    classes = _values(source, "classes", data["classes"]) if "classes" in data else None
    if classes and target is not None:
        columns[target] = _with_classes(source, target, columns.get(target, ColumnRule()), classes)
    tokens = _tokens(source, "missing_tokens", data["missing_tokens"]) if "missing_tokens" in data else None
    weight = data.get("weight")
    if weight is not None and (not isinstance(weight, str) or weight == target):
        raise _wrong(source, "weight", weight, "the name of a column, a string, and not the target")
    cost_matrix = _cost_matrix(source, data.get("cost_matrix"))
    return Rules(columns, target, classes, tokens, cost_matrix, True, source, _texts(source, "", data), weight)


def _with_classes(source: str, target: str, rule: ColumnRule, classes: tuple[Any, ...]) -> ColumnRule:
    if rule.values is not None and rule.values != classes:
        raise file_error(source, f"classes and columns.{target}.values differ. Give one of them.")
    return replace(rule, kind=rule.kind or "nominal", values=classes)


def _column_rule(source: str, key: str, declaration: Any) -> ColumnRule:
    table = _table(source, key, declaration)
    _check_keys(source, f"{key}.", table, _COLUMN_KEYS)
    kind, values, cost, ignore = (table.get(name) for name in ("kind", "values", "cost", "ignore"))
    if kind is not None and kind not in KINDS:
        raise _wrong(source, f"{key}.kind", kind, f"one of {shown_list(KINDS)}", did_you_mean(kind, KINDS))
    if values is not None:
        values = _values(source, f"{key}.values", values)
        if kind not in (None, "nominal", "ordered"):
            problem = f"{key} has values and the kind {kind}; values are for nominal and ordered columns."
            raise file_error(source, problem)
    if cost is not None:
        _check_cost(source, f"{key}.cost", cost)
    if ignore is not None and not isinstance(ignore, bool):
        raise _wrong(source, f"{key}.ignore", ignore, "true or false")
    tokens = _tokens(source, f"{key}.missing_tokens", table["missing_tokens"]) if "missing_tokens" in table else None
    texts = _texts(source, f"{key}.", table)
    return ColumnRule(kind, values, None if cost is None else float(cost), ignore, tokens, not_applicable=texts)


def _check_cost(source: str, key: str, cost: Any) -> None:
    if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not 0 <= cost <= MOST_COST:
        raise _wrong(source, key, cost, f"a number from 0 to {MOST_COST:g}")


def _cost_matrix(source: str, entries: Any) -> dict[tuple[Any, Any], float] | None:
    if entries is None:
        return None
    if not isinstance(entries, (list, tuple)):
        raise _wrong(source, "cost_matrix", entries, "a list of tables, [[cost_matrix]], with true, predicted and cost")
    costs: dict[tuple[Any, Any], float] = {}
    for position, entry in enumerate(entries):
        key = f"cost_matrix[{position}]"
        pair = _table(source, key, entry)
        _check_keys(source, f"{key}.", pair, _PAIR_KEYS)
        absent = [name for name in _PAIR_KEYS if name not in pair]
        if absent:
            raise file_error(source, f"{key} lacks {shown_list(absent)}; give {shown_list(_PAIR_KEYS)}.")
        cost = pair["cost"]
        _check_cost(source, f"{key}.cost", cost)
        for name in ("true", "predicted"):
            if not isinstance(pair[name], (str, int, float)):
                raise _wrong(source, f"{key}.{name}", pair[name], "a class: a string, a number or true/false")
        classes = (pair["true"], pair["predicted"])
        if classes in costs:
            raise file_error(source, f"{key} gives the cost of true {classes[0]!r}, predicted {classes[1]!r} again.")
        costs[classes] = float(cost)
    return costs


def _check_keys(source: str, prefix: str, table: Mapping[Any, Any], allowed: tuple[str, ...]) -> None:
    for key in table:
        if key not in allowed:
            hint = did_you_mean(key, allowed)
            raise file_error(source, f"the key {prefix}{key} is not known; allowed are {shown_list(allowed)}.{hint}")


def _wrong(source: str, key: str, value: object, allowed: str, hint: str = "") -> FileError:
    return file_error(source, f"{key} is {shorten(value)}, but must be {allowed}.{hint}")


def _table(source: str, key: str, value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise _wrong(source, key, value, f"a table, [{key}]")
    return value


def _strings(source: str, key: str, value: Any, what: str = "column names") -> list[str]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(name, str) for name in value):
        raise _wrong(source, key, value, f"a list of {what}")
    return list(value)


def _values(source: str, key: str, entry: Any) -> tuple[Any, ...]:
    if not isinstance(entry, (list, tuple)) or not entry:
        raise _wrong(source, key, entry, "a list of values")
    for value in entry:
        if isinstance(value, (list, Mapping)) or is_missing(value):
            raise _wrong(source, key, value, "strings, numbers, booleans or dates")
    if len({value_key(value) for value in entry}) < len(entry):
        raise file_error(source, f"{key} has a value twice: {shown_list(entry)}.")
    return tuple(entry)


def _tokens(source: str, key: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, (str, int, float)):
        return (value,)
    if not isinstance(value, (list, tuple)) or not all(isinstance(token, (str, int, float)) for token in value):
        raise _wrong(source, key, value, "a text or a number, or a list of them")
    return tuple(value)


def _texts(source: str, prefix: str, table: Mapping[Any, Any]) -> tuple[str, ...] | None:
    """Return the texts that mean "does not apply"; None: none are declared."""
    texts = table.get("not_applicable")
    texts = [texts] if isinstance(texts, str) else texts
    return None if texts is None else tuple(_strings(source, f"{prefix}not_applicable", texts, "texts"))
