"""Dialects of SQL: how each engine writes names, texts, numbers and dates. sqlglot knows the quoting of each."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from quercus.data.schema import Attribute
from quercus.data.values import value_text
from quercus.errors import DependencyError, ExportError, shorten
from quercus.export.sql_dates import date_bound, date_column

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
#: Where names of columns that differ by upper and lower case are different, if they are quoted.
_CASE_SENSITIVE = {"postgres", "snowflake", "oracle"}
_MATERIALIZED = {"sqlite", "duckdb", "postgres"}
#: DuckDB plans a join for every IN, which takes longer than so many comparisons.
_JOINED_IN = 100
#: Texts that every dialect writes alike: nothing in them is quoted.
_PLAIN = re.compile(r"[A-Za-z0-9 _.:+-]*")


def dialect_of(name: str) -> Dialect:
    """The dialect with this name; sqlglot must be installed."""
    try:
        import sqlglot  # noqa: F401
    except ImportError as error:
        raise DependencyError("Exports to SQL need sqlglot. Install it: pip install 'quercus[sql]'.") from error
    return Dialect(name)


def type_name(value: Any) -> str:
    """The type of a value as databases distinguish types: whole and other numbers are one type."""
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
        """The keyword that makes an engine compute a step only once."""
        return "MATERIALIZED " if self.label in _MATERIALIZED else ""

    @property
    def unmerged(self) -> str:
        """The end of a step that does the same where no keyword does: MySQL does not merge a step that has a limit."""
        return f"\nLIMIT {2**64 - 1}" if self.label == "mysql" else ""

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse columns that the engine takes for the same one, or that no table of it can have."""
        for name in names if self.label == "mysql" else ():
            if len(name) > 64 or name.endswith(" ") or max(name, default="") > "\uffff":
                raise ExportError(
                    f"No table of MySQL can have a column {shorten(name)}: a name has at most 64 characters, does not "
                    "end with a space and holds no emoji (nothing above U+FFFF). Rename the column before fitting."
                )
        seen: dict[str, str] = {}
        for name in () if self.label in _CASE_SENSITIVE else names:
            other = seen.setdefault(name.lower(), name)
            if other != name:
                raise ExportError(
                    f"The model reads the columns {other!r} and {name!r}, which are the same name in {self.label}: it "
                    "does not tell upper from lower case. Rename one before fitting."
                )

    def name(self, text: str) -> str:
        """The quoted name of a column or a view."""
        if "\0" in text:
            raise ExportError(f"The name {text!r} holds a zero character, which SQL cannot express. Rename the column.")
        self._check_variables(text)
        return str(self._sqlglot.to_identifier(text, quoted=True).sql(dialect=DIALECTS[self.label]))

    def table(self, text: str) -> str:
        """The quoted name of a table, perhaps with its schema before a dot."""
        return ".".join(self.name(part) for part in text.split("."))

    def comment(self, text: str) -> str:
        """A comment line."""
        return "-- " + " ".join(text.split())

    def text_of(self, value: Any) -> str:
        """The text of a class, for the name of a column."""
        return value if isinstance(value, str) else value_text(value)

    def literal(self, value: Any) -> str:
        """A value of a nominal attribute, or a class, as a literal."""
        if isinstance(value, bool):
            return ("1" if value else "0") if self.label in ("sqlite", "tsql", "oracle") else str(value).upper()
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float):
            return self.number(value)
        if isinstance(value, str):
            if "\0" in value:
                raise ExportError(f"The value {value!r} holds a zero character, which SQL cannot express.")
            self._check_variables(value)
            return self._text(value)
        raise ExportError(
            f"{value!r} is a value of type {type(value).__name__}; SQL can express texts, numbers and booleans. "
            "Convert the column to texts before fitting."
        )

    def _check_variables(self, text: str) -> None:
        """Refuse what Spark takes for a variable: it replaces these before it reads a query, also inside of quotes."""
        if self.label == "spark" and "${" in text:
            raise ExportError(
                f"{shorten(text)} holds '${{', which Spark takes for a variable. Rename it before fitting."
            )

    def _text(self, value: str) -> str:
        if _PLAIN.fullmatch(value):
            return f"N'{value}'" if self.label == "tsql" else f"'{value}'"
        if self.label == "tsql":
            return "N" + str(self._sqlglot.Literal.string(value).sql(dialect="tsql"))
        return str(self._sqlglot.Literal.string(value).sql(dialect=DIALECTS[self.label]))

    def number(self, number: float) -> str:
        """A number with all its digits, as a double."""
        if not math.isfinite(number):
            raise ExportError(f"SQL cannot express the number {number!r}.")
        text = repr(float(number))
        if self.label == "sqlite":
            return text if reads_exactly(text) else exact_quotient(number)
        if self.label in ("tsql", "mysql", "duckdb"):
            return text if "e" in text else f"{text}e0"
        return f"CAST('{text}' AS {_DOUBLE[self.label]})"

    def column(self, attribute: Attribute) -> str:
        """A column as the model compares it: NULL where its value is unknown."""
        name = self.name(attribute.name)
        if attribute.kind == "date":
            return date_column(self, name, attribute)
        if attribute.kind == "ordered":
            self._check_values(attribute)
            cases = " ".join(f"WHEN {self.literal(value)} THEN {code}" for code, value in enumerate(attribute.values))
            return f"CASE {self._known(self.exact_text(name, attribute.values), attribute)} {cases} END"
        if attribute.kind == "boolean" and self.label == "sqlite":
            return self._sqlite_truth(name, attribute)
        if attribute.kind == "boolean" and self.label == "mysql":
            return self._mysql_truth(name, attribute)
        if attribute.kind != "numeric":
            self._check_values(attribute)
            return self._known(self.exact_text(name, attribute.values), attribute)
        if self.label == "sqlite":
            known = self._known(name, attribute)
            return f"CASE WHEN typeof({name}) IN ('integer', 'real') THEN CAST({known} AS REAL) END"
        number = f"CAST({self._known(name, attribute)} AS {_DOUBLE[self.label]})"
        unknown = _NAN.get(self.label)
        return f"CASE WHEN NOT ({unknown.format(number)}) THEN {number} END" if unknown else number

    def exact_text(self, column: str, values: Sequence[Any]) -> str:
        """A column whose texts are compared byte by byte, with any collation; other columns stay as they are."""
        if not values or not isinstance(values[0], str):
            return column
        if self.label == "mysql":
            return f"CAST(CONVERT({column} USING utf8mb4) AS BINARY)"
        return column + _EXACT_TEXT.get(self.label, "")

    def _known(self, name: str, attribute: Attribute) -> str:
        """A column with NULL for the values that mean "missing"; values that the column cannot hold are left out."""
        held = {type_name(value) for value in attribute.values} or {"str" if attribute.from_text else "number"}
        return self._without(name, [token for token in attribute.missing_tokens if type_name(token) in held])

    def _without(self, name: str, tokens: list[Any]) -> str:
        """A column with NULL for some values."""
        if not tokens:
            return name
        return f"CASE WHEN {name} NOT IN ({', '.join(self.literal(token) for token in tokens)}) THEN {name} END"

    def _sqlite_truth(self, name: str, attribute: Attribute) -> str:
        """A column of booleans in SQLite, which has no such type: the numbers 0 and 1, and the texts that mean them.

        The model reads "true" and "false" in any case, with white space around them. A column of texts keeps 0 and 1
        as texts.
        """
        tokens = [token for token in attribute.missing_tokens if isinstance(token, str)]
        text = self._without(self.exact_text(name, [""]), tokens)
        spaces = ", ".join(str(code) for code in range(0x3001) if chr(code).isspace())
        words = "WHEN 'true' THEN 1 WHEN '1' THEN 1 WHEN 'false' THEN 0 WHEN '0' THEN 0"
        truth = f"CASE lower(trim({text}, char({spaces}))) {words} END"
        return f"CASE WHEN typeof({name}) = 'text' THEN {truth} ELSE {self._known(name, attribute)} END"

    def _mysql_truth(self, name: str, attribute: Attribute) -> str:
        """A column of booleans in MySQL, where they are numbers; to a number, a text such as "true" would be 0."""
        tokens = [token for token in attribute.missing_tokens if isinstance(token, str)]
        text = self._without(self.exact_text(f"LOWER(TRIM(CONVERT({name} USING utf8mb4)))", [""]), tokens)
        return f"CASE {text} WHEN 'true' THEN 1 WHEN '1' THEN 1 WHEN 'false' THEN 0 WHEN '0' THEN 0 END"

    def _check_values(self, attribute: Attribute) -> None:
        kinds = {type_name(value) for value in attribute.values}
        if len(kinds) > 1:
            raise ExportError(
                f"Column {attribute.name!r} has values of several types ({', '.join(sorted(kinds))}), which one column "
                "of a database cannot have. Convert them to texts before fitting."
            )

    def bound(self, attribute: Attribute, cut: float) -> str:
        """The number or the date with which a column is compared."""
        return date_bound(self, attribute, cut) if attribute.kind == "date" else self.number(cut)

    def greatest(self, columns: list[str]) -> str:
        """The largest of some columns that hold numbers."""
        function = "max" if self.label == "sqlite" else "GREATEST"
        while len(columns) > 1:  # SQLite's functions take about a hundred arguments
            groups = [columns[start : start + 100] for start in range(0, len(columns), 100)]
            columns = [f"{function}({', '.join(group)})" if len(group) > 1 else group[0] for group in groups]
        return columns[0]

    def among(self, column: str, values: list[Any]) -> str:
        """The condition that a column has one of some values; texts are compared letter by letter, case too."""
        if not values:
            return "1 = 0"
        if self.label != "mysql":  # there, the column is bytes already
            column = self.exact_text(column, values)
        if len(values) == 1:
            return f"{column} = {self.literal(values[0])}"
        if self.label == "duckdb" and len(values) <= _JOINED_IN:
            cases = " ".join(f"WHEN {self.literal(value)} THEN TRUE" for value in values)
            return f"CASE {column} {cases} ELSE FALSE END"
        return f"{column} IN ({', '.join(self.literal(value) for value in values)})"


def reads_exactly(text: str) -> bool:
    """Whether SQLite reads a decimal number as the nearest double, in every version and on every machine.

    It multiplies or divides the digits by a power of ten. That is one rounding if both are exact, which digits below
    2^53 and powers up to 10^22 are; where it computes in 64 bits, the second rounding must not change the result.

    >>> reads_exactly("0.25"), reads_exactly("0.47058823529411764"), reads_exactly("4.136261688759695e-300")
    (True, False, False)
    """
    _, digits, exponent = Decimal(text).as_tuple()
    whole = int("".join(map(str, digits)))
    assert isinstance(exponent, int)
    if whole >= 2**53 or abs(exponent) > 22:
        return whole == 0
    exact = Fraction(whole) * Fraction(10) ** exponent
    shift = 64 - (exact.numerator.bit_length() - exact.denominator.bit_length())  # at least 64 bits are kept
    wide = Fraction(round(exact * Fraction(2) ** shift)) / Fraction(2) ** shift
    return float(wide) == abs(float(text))


def exact_quotient(number: float) -> str:
    """A double as a whole number and the powers of two that it is divided or multiplied by: no step rounds.

    >>> exact_quotient(0.47058823529411764)
    '(4238682002231055.0 / 9007199254740992.0)'
    """
    top, exponent = math.frexp(number)
    whole, power = int(top * 2**53), exponent - 53
    while power < 0 and whole % 2 == 0:
        whole, power = whole // 2, power + 1
    steps = [min(53, abs(power) - done) for done in range(0, abs(power), 53)]
    sign = "*" if power > 0 else "/"
    return "(" + f" {sign} ".join([f"{whole}.0", *(f"{2**step}.0" for step in steps)]) + ")"
