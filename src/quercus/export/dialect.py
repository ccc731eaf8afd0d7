"""Dialects of SQL: how each engine writes names, texts, numbers and dates. sqlglot knows the quoting of each."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from quercus.data.schema import Attribute
from quercus.data.values import value_text
from quercus.errors import DependencyError, ExportError

#: The dialects by our names; the values are sqlglot's.
DIALECTS = {
    "sqlite": "sqlite",
    "duckdb": "duckdb",
    "postgres": "postgres",
    "bigquery": "bigquery",
    "snowflake": "snowflake",
    "spark": "spark",
    "mysql": "mysql",
    "tsql": "tsql",
    "oracle": "oracle",
}
#: Where a value that is not a number can stand in a column of numbers; by these conditions.
_NAN = {
    "duckdb": "isnan({0})",
    "postgres": "{0} = CAST('NaN' AS DOUBLE PRECISION)",
    "bigquery": "IS_NAN({0})",
    "snowflake": "{0} = CAST('NaN' AS DOUBLE)",
    "spark": "isnan({0})",
    "oracle": "{0} IS NAN",
}
_DOUBLE = {
    "sqlite": "REAL",
    "duckdb": "DOUBLE",
    "postgres": "DOUBLE PRECISION",
    "bigquery": "FLOAT64",
    "snowflake": "DOUBLE",
    "spark": "DOUBLE",
    "mysql": "DOUBLE",
    "tsql": "FLOAT(53)",
    "oracle": "BINARY_DOUBLE",
}
#: Behind a column: its texts are compared byte by byte, whatever the collation of the table.
_EXACT_TEXT = {"sqlite": " COLLATE BINARY", "tsql": " COLLATE Latin1_General_100_BIN2"}
_MATERIALIZED = {"sqlite", "duckdb", "postgres"}


def dialect_of(name: str) -> Dialect:
    """The dialect of a name; sqlglot must be installed."""
    try:
        import sqlglot  # noqa: F401
    except ImportError as error:
        raise DependencyError("Exports to SQL need sqlglot. Install it: pip install 'quercus[sql]'.") from error
    return Dialect(name)


def type_name(value: Any) -> str:
    """The type of a value as databases tell types apart: whole and other numbers are one."""
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


@dataclass(frozen=True)
class Dialect:
    """How one engine writes names and values."""

    label: str

    @cached_property
    def _sqlglot(self) -> Any:
        import sqlglot.expressions as expressions

        return expressions

    @property
    def materialized(self) -> str:
        """The word that makes an engine compute a step once."""
        return "MATERIALIZED " if self.label in _MATERIALIZED else ""

    def name(self, text: str) -> str:
        """A name of a column or a view, quoted."""
        if "\0" in text:
            raise ExportError(f"The name {text!r} holds a zero character, which no SQL can say. Rename the column.")
        return str(self._sqlglot.to_identifier(text, quoted=True).sql(dialect=DIALECTS[self.label]))

    def table(self, text: str) -> str:
        """A table, perhaps with its schema before a dot."""
        return ".".join(self.name(part) for part in text.split("."))

    def comment(self, text: str) -> str:
        """A line that is not read."""
        return "-- " + " ".join(text.split())

    def text_of(self, value: Any) -> str:
        """The words of a class, for the name of a column."""
        return value if isinstance(value, str) else value_text(value)

    def literal(self, value: Any) -> str:
        """A value of a nominal attribute or a class."""
        if isinstance(value, bool):
            return ("1" if value else "0") if self.label in ("sqlite", "tsql", "oracle") else str(value).upper()
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float):
            return self.number(value)
        if isinstance(value, str):
            if "\0" in value:
                raise ExportError(f"The value {value!r} holds a zero character, which no SQL can say.")
            return self._text(value)
        raise ExportError(
            f"{value!r} is a value of type {type(value).__name__}; SQL can say texts, numbers and booleans. Convert "
            "the column to texts before fitting."
        )

    def _text(self, value: str) -> str:
        if self.label == "tsql":
            return "N" + str(self._sqlglot.Literal.string(value).sql(dialect="tsql"))
        return str(self._sqlglot.Literal.string(value).sql(dialect=DIALECTS[self.label]))

    def number(self, number: float) -> str:
        """A number with all its digits, as a double."""
        if not math.isfinite(number):
            raise ExportError(f"SQL cannot say the number {number!r}.")
        text = repr(float(number))
        if self.label in ("sqlite", "tsql", "mysql"):
            return text if "e" in text or self.label == "sqlite" else f"{text}e0"
        return f"CAST('{text}' AS {_DOUBLE[self.label]})"

    def column(self, attribute: Attribute) -> str:
        """A column as the model compares it: NULL where its value is unknown."""
        name = self.name(attribute.name)
        if attribute.kind == "ordered":
            cases = " ".join(f"WHEN {self.literal(value)} THEN {code}" for code, value in enumerate(attribute.values))
            return f"CASE {self._known(name, attribute)} {cases} END"
        if attribute.kind == "date":
            return self._date_column(name, attribute)
        if attribute.kind != "numeric":
            self._check_values(attribute)
            texts = self.label == "mysql" and all(isinstance(value, str) for value in attribute.values)
            return f"CAST({self._known(name, attribute)} AS BINARY)" if texts else self._known(name, attribute)
        kind = _DOUBLE[self.label]
        if self.label == "sqlite":
            number = f"CASE WHEN typeof({name}) IN ('integer', 'real') THEN CAST({name} AS REAL) END"
        else:
            number = f"CAST({self._known(name, attribute)} AS {kind})"
        unknown = _NAN.get(self.label)
        return f"CASE WHEN NOT ({unknown.format(number)}) THEN {number} END" if unknown else number

    def _known(self, name: str, attribute: Attribute) -> str:
        """A column without the values that mean "missing"."""
        tokens = [token for token in attribute.missing_tokens if attribute.kind != "numeric" or attribute.from_text]
        if not tokens:
            return name
        return f"CASE WHEN {name} NOT IN ({', '.join(self.literal(token) for token in tokens)}) THEN {name} END"

    def _check_values(self, attribute: Attribute) -> None:
        kinds = {type_name(value) for value in attribute.values}
        if len(kinds) > 1:
            raise ExportError(
                f"Column {attribute.name!r} has values of several types ({', '.join(sorted(kinds))}), which one column "
                "of a database cannot have. Convert them to texts before fitting."
            )

    def _date_column(self, name: str, attribute: Attribute) -> str:
        if self.label == "sqlite" or attribute.date_type not in ("local", "utc"):
            raise ExportError(
                f"Column {attribute.name!r} holds {attribute.date_type} dates, which exports to {self.label} cannot "
                "compare. Turn it into numbers (days, for instance) before fitting."
            )
        return f"CAST({name} AS {'DATETIME' if self.label in ('mysql', 'bigquery') else 'TIMESTAMP'})"

    def bound(self, attribute: Attribute, cut: float) -> str:
        """The number, or the moment, that a column is compared with."""
        if attribute.kind != "date":
            return self.number(cut)
        try:
            moment = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=math.floor(cut))
        except OverflowError as error:
            raise ExportError(f"A threshold of {attribute.name!r} lies outside the years 1 to 9999.") from error
        kind = "DATETIME" if self.label in ("mysql", "bigquery") else "TIMESTAMP"
        return f"CAST('{moment.isoformat(sep=' ', timespec='microseconds')}' AS {kind})"

    def among(self, column: str, values: list[Any]) -> str:
        """The condition that a column has one of some values; texts are compared letter by letter, case too."""
        if not values:
            return "1 = 0"
        if isinstance(values[0], str):
            column += _EXACT_TEXT.get(self.label, "")
        if len(values) == 1:
            return f"{column} = {self.literal(values[0])}"
        return f"{column} IN ({', '.join(self.literal(value) for value in values)})"
