"""Reading a table file of any format, with what a schema says over what the file says."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from numbers import Number
from typing import Any

from quercus.data.conversion import suggested_kind
from quercus.data.table import read_column
from quercus.errors import DataError, ParameterError, choice_message, did_you_mean, shorten, shown_list
from quercus.files.arff import read_arff
from quercus.files.c45_files import C45_ENDINGS, c45_paths, read_c45
from quercus.files.content import Content, read_content
from quercus.files.delimited import read_delimited
from quercus.files.json_lines import read_json_lines
from quercus.files.parquet import read_parquet
from quercus.files.place import CellError, file_error
from quercus.files.raw_table import RawTable
from quercus.files.rules import ColumnRule, Rules, overlaid
from quercus.files.schema_file import read_schema
from quercus.files.table_file import TableFile
from quercus.files.text_column import TextColumn, has_decimal_commas, is_number, typed, usual_missing_tokens

__all__ = ["FORMATS", "read_file"]

FORMATS: Mapping[str, Callable[..., RawTable]] = {
    "delimited": read_delimited,
    "parquet": read_parquet,
    "arff": read_arff,
    "c45": read_c45,
    "json_lines": read_json_lines,
}
_NICKNAMES = {"csv": "delimited", "tsv": "delimited", "jsonl": "json_lines", "json": "json_lines", "names": "c45"}
_ENDINGS = {
    ".csv": "delimited", ".tsv": "delimited", ".tab": "delimited", ".txt": "delimited",
    ".parquet": "parquet", ".pq": "parquet", ".arff": "arff",
    ".jsonl": "json_lines", ".ndjson": "json_lines", ".json": "json_lines",
}  # fmt: skip


def read_file(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    target: str | None = None,
    schema: Any = None,
    missing_tokens: Any = None,
    **format_options: Any,
) -> TableFile:
    """Read a table file.

    - path: a CSV, TSV, Parquet, ARFF or JSON-lines file, or one of C4.5's files (``golf``, ``golf.names``,
      ``golf.data`` or ``golf.test``); each may be packed by gzip.
    - format: "csv" (any delimited text), "parquet", "arff", "c45" or "json_lines"; None goes by the name's ending, then
      by the first bytes.
    - target: the column to predict, if the file or the schema does not say so.
    - schema: the path of a schema file (see :mod:`quercus.files.schema_file`), a dict of the same form, or the
      ``schema`` of a fitted tree: then columns are read as that tree knows them.
    - missing_tokens: texts or numbers that mean "missing" besides an empty cell, for all columns or by column.
    - format_options: of delimited text: delimiter, header, quote, decimal, encoding; of C4.5: part ("data", "test").

    In text, a column is numeric if all its cells are numbers, a date if all are dates such as 2024-05-01, else nominal.
    ``01234`` is not a number, and neither is a whole number beyond 2**53.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "tennis.csv"
    ...     _ = file.write_text("Outlook,Humidity,Play\\nSunny,85,No\\nRain,?,Yes\\n")
    ...     table = read_file(file, target="Play", missing_tokens="?")
    >>> table.kinds, table.columns["Humidity"]
    ({'Outlook': 'nominal', 'Humidity': 'numeric', 'Play': 'nominal'}, array([85., nan]))
    """
    chosen, content = _format_of(path, format)
    rules = read_schema(schema)
    reader = FORMATS[chosen]
    _check_format_options(chosen, reader, format_options)
    raw = reader(path if content is None else content, **format_options)
    return _table_file(raw, rules, target, missing_tokens)


def _format_of(path: str | os.PathLike[str], given: str | None) -> tuple[str, Content | None]:
    """Return the format, and the content unless the format is made of several files."""
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(f"path is {shorten(path)}, but must be the path of a file.")
    shown = os.fspath(path)
    if given is not None:
        chosen = _NICKNAMES.get(given, given) if isinstance(given, str) else given
        if chosen not in FORMATS:
            raise ParameterError(choice_message("format", given, ["csv", *list(FORMATS)[1:]]))
        return chosen, None if chosen == "c45" else read_content(path)
    name = shown.lower().removesuffix(".gz")
    ending = os.path.splitext(name)[1]
    if ending in C45_ENDINGS or not os.path.isfile(shown):
        names, _ = c45_paths(shown)
        if ending == ".names" or os.path.isfile(names) or os.path.isfile(f"{names}.gz"):
            return "c45", None
    content = read_content(path)
    return _ENDINGS.get(ending) or _format_of_bytes(content.data), content


def _format_of_bytes(data: bytes) -> str:
    if data.startswith(b"PAR1"):
        return "parquet"
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:20].lower()
    if start.startswith((b"@relation", b"%")):
        return "arff"
    return "json_lines" if start.startswith(b"{") else "delimited"


def _check_format_options(chosen: str, reader: Callable[..., RawTable], given: Mapping[str, Any]) -> None:
    allowed = [name for name in inspect.signature(reader).parameters if name not in ("content", "path")]
    for name in given:
        if name not in allowed:
            said = f"it takes {shown_list(allowed)}" if allowed else "it takes none"
            raise ParameterError(f"The format {chosen} has no option {name!r}; {said}.{did_you_mean(name, allowed)}")


def _table_file(raw: RawTable, rules: Rules, target: str | None, missing_tokens: Any) -> TableFile:
    names = list(raw.columns)
    target = _chosen_target(raw, rules, target)
    _check_names(raw, rules)
    tokens = _tokens(raw, rules, missing_tokens)
    columns: dict[str, Any] = {}
    kinds: dict[str, str] = {}
    domains: dict[str, list[Any]] = {}
    notes = list(raw.notes)
    merged = {name: overlaid(_rule(raw.rules, name), _rule(rules, name)) for name in names}
    if target is not None and rules.target is None and rules.classes is not None:
        merged[target] = overlaid(merged[target], ColumnRule("nominal", rules.classes))
    for name, rule in merged.items():
        column, kind, domain = _column(raw, name, rule, tokens.get(name, ()), notes)
        columns[name] = column
        if kind is not None:
            kinds[name] = kind
        if domain is not None and not rule.unseen:
            domains[name] = domain
    own = raw.rules if target == raw.rules.target else Rules()  # what the file says of another target does not count
    classes = rules.classes if target is not None and rules.target in (None, target) else None
    classes = classes or own.classes or (tuple(domains[target]) if target in domains else None)
    ignored = tuple(name for name, rule in merged.items() if rule.ignore and name != target)
    costs = {name: rule.cost for name, rule in merged.items() if rule.cost is not None}
    cost_matrix = rules.cost_matrix if rules.cost_matrix is not None else own.cost_matrix
    return TableFile(
        raw.path, raw.format, columns, kinds, domains, _one_for_all(tokens, len(names)), costs, target, classes,
        cost_matrix, ignored, raw.fingerprint, raw.n_rows, tuple(notes),
        {name: column for name, column in raw.columns.items() if isinstance(column, TextColumn)},
    )  # fmt: skip


def _rule(rules: Rules, name: str) -> ColumnRule:
    return rules.columns.get(name, ColumnRule())


def _chosen_target(raw: RawTable, rules: Rules, target: str | None) -> str | None:
    names = list(raw.columns)
    for given, source in ((target, "target="), (rules.target, rules.source), (raw.rules.target, raw.path)):
        if given is None:
            continue
        if given in names:
            return given
        if given is target or rules.strict:
            problem = f"there is no column {shorten(given)} to predict ({source}); there are {shown_list(names)}."
            raise file_error(raw.path, problem + did_you_mean(given, names))
    return None


def _check_names(raw: RawTable, rules: Rules) -> None:
    names = list(raw.columns)
    for name in rules.columns if rules.strict else ():
        if name not in raw.columns:
            problem = f"columns.{name} speaks of a column that {raw.path} does not have; it has {shown_list(names)}."
            raise file_error(rules.source, problem + did_you_mean(name, names))


def _tokens(raw: RawTable, rules: Rules, given: Any) -> dict[str, tuple[Any, ...]]:
    """Return the missing tokens of each column: the caller's, else those of the schema."""
    every: tuple[Any, ...] = rules.missing_tokens or ()
    by_name: Mapping[Any, Any] = {}
    if isinstance(given, Mapping):
        by_name = given
        strange = [name for name in given if name not in raw.columns]
        if strange:
            hint = did_you_mean(strange[0], raw.columns)
            raise ParameterError(f"missing_tokens names {shown_list(strange)}, which is no column of {raw.path}.{hint}")
    elif given is not None:
        every = _token_tuple(given)
    result = {}
    for name in raw.columns:
        said = _rule(rules, name).missing_tokens
        result[name] = _token_tuple(by_name[name]) if name in by_name else every if said is None else said
    return {name: _with_numbers(tokens) for name, tokens in result.items() if tokens}


def _token_tuple(tokens: Any) -> tuple[Any, ...]:
    if isinstance(tokens, (str, Number)) or not isinstance(tokens, Iterable):
        tokens = (tokens,)
    return tuple(tokens)


def _with_numbers(tokens: tuple[Any, ...]) -> tuple[Any, ...]:
    """Add the number that a token's text stands for, so that "-999" is found among numbers too."""
    numbers = [float(token) for token in tokens if isinstance(token, str) and is_number(token)]
    plain = [int(number) if number.is_integer() else number for number in numbers]
    return tuple(dict.fromkeys([*tokens, *plain]))


def _one_for_all(tokens: dict[str, tuple[Any, ...]], n_columns: int) -> Any:
    """Return the tokens as one tuple if all columns have the same, else by column."""
    distinct = set(tokens.values())
    return distinct.pop() if len(distinct) == 1 and len(tokens) == n_columns else tokens or ()


def _column(
    raw: RawTable, name: str, rule: ColumnRule, tokens: tuple[Any, ...], notes: list[str]
) -> tuple[Any, str | None, list[Any] | None]:
    """Return a column as an estimator takes it, its kind and its declared values."""
    source = raw.columns[name]
    if not isinstance(source, TextColumn):
        return _column_of_values(raw, name, rule, source)
    text = source.without(tokens)
    if rule.ignore and rule.kind is None:
        return text.objects(text.values), "nominal", None
    try:
        column, kind = typed(text, rule, raw.decimal)
    except CellError as error:
        raise raw.cell_error(error.row, name, error.problem) from error
    if rule.kind is None and kind == "nominal":
        strange = usual_missing_tokens(text)
        if strange:
            said = f"Column {name!r} was read as text because of {shown_list(strange)}; all else in it are numbers."
            notes.append(f"{said} If that means missing, give it as a missing token.")
        if has_decimal_commas(text):
            notes.append(f'Column {name!r} was read as text; if its commas are decimal ones, give decimal=",".')
    return column, kind, None if rule.values is None else list(rule.values)


def _column_of_values(
    raw: RawTable, name: str, rule: ColumnRule, source: Any
) -> tuple[Any, str | None, list[Any] | None]:
    """Judge a column that already has values: from Parquet and JSON."""
    try:
        column = read_column(name, source)
    except DataError as error:
        raise file_error(raw.path, str(error)) from error
    declared = list(column.values) if column.declared and column.codes is not None else None
    if rule.values is not None:
        return source, rule.kind or "nominal", list(rule.values)
    if rule.kind in (None, "nominal", "ordered"):
        suggested = suggested_kind(column) if len(column) and (column.numbers is not None or column.values) else None
        return source, rule.kind or suggested, declared
    return source, rule.kind, None
