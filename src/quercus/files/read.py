"""Reading a table file of any format; a schema overrides what the file declares."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from quercus.data.column import CodedColumn
from quercus.errors import ParameterError, choice_message, did_you_mean, shorten, shown_list
from quercus.files.arff import read_arff
from quercus.files.c45_files import C45_ENDINGS, c45_paths, read_c45
from quercus.files.content import Content, read_content
from quercus.files.delimited import read_delimited
from quercus.files.interpretation import interpret
from quercus.files.json_lines import read_json_lines
from quercus.files.parquet import read_parquet
from quercus.files.raw_table import RawTable
from quercus.files.schema_file import read_schema
from quercus.files.table_file import TableFile

__all__ = ["FORMATS", "read_file"]

#: The formats of table files by name, each with the function that reads it.
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
    drop: Any = None,
    keep: Any = None,
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
    - missing_tokens: texts or numbers that mean "missing" besides an empty cell, for all columns or by column. Among
      numbers and dates, NA, N/A, NaN, null, ?, "-" and "." mean it as well, unless this is "".
    - drop: the name, or a list of names, of columns that are no attributes.
    - keep: columns that are attributes though they would be left out: a first column without a name whose cells all
      differ is taken for row numbers, and what the file or the schema ignores stays out.
    - format_options: of delimited text: delimiter, header, quote, decimal ("." or ","), date_order ("dmy", "mdy" or
      "ymd"), encoding, strip (True: without the blanks around cells); of C4.5: part ("data", "test").

    In text, a column is numeric if all its cells are numbers, a date if all are dates such as 2024-05-01 or 31.12.2024,
    else nominal. ``1.234,5``, ``1,234,567`` and ``10%`` are numbers; where a column may be read in two ways (``1,234``,
    ``05/04/2024``) and no other column of the file tells, it stays text, and a note names the option that decides it.
    ``01234`` is not a number, and neither is a whole number beyond 2**53. The result's ``notes`` say what was decided.

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
    table = interpret(raw, rules, target, missing_tokens, drop, keep)
    if raw.texts is None:
        return table

    def again() -> RawTable:
        return reader(path if chosen == "c45" else read_content(path), **format_options)

    return replace(table, texts=partial(_texts, again), line=partial(_line, again), unnamed=raw.unnamed)


def _texts(again: Callable[[], RawTable]) -> Mapping[str, CodedColumn]:
    """Read the columns of a text file as they are written."""
    raw = again()
    assert raw.texts is not None
    return raw.texts(list(raw.columns))


def _line(again: Callable[[], RawTable], row: int) -> int:
    """Return the line on which a row begins."""
    raw = again()
    assert raw.place is not None
    return raw.place(row, 0)[0]


def _format_of(path: str | os.PathLike[str], format: str | None) -> tuple[str, Content | None]:
    """Return the format, and the content unless the format has several files."""
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(f"path is {shorten(path)}, but must be the path of a file.")
    shown = os.fspath(path)
    if format is not None:
        chosen = _NICKNAMES.get(format, format) if isinstance(format, str) else format
        if chosen not in FORMATS:
            raise ParameterError(choice_message("format", format, ["csv", *list(FORMATS)[1:]]))
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


def _check_format_options(chosen: str, reader: Callable[..., RawTable], options: Mapping[str, Any]) -> None:
    taken = [name for name in inspect.signature(reader).parameters if name not in ("content", "path")]
    allowed = [name for name in taken if name != "fast"]  # which is for tests of the readers
    for name in options:
        if name not in taken:
            hint = f"it takes {shown_list(allowed)}" if allowed else "it takes none"
            raise ParameterError(f"The format {chosen} has no option {name!r}; {hint}.{did_you_mean(name, allowed)}")
