"""Large delimited files by pyarrow, if it is installed and would read them exactly as the careful reader does."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from quercus.files.delimited_records import Dialect
from quercus.files.text_column import TextColumn

__all__ = ["FAST_FROM", "fast_columns"]

FAST_FROM = 1_000_000  # characters; below, the careful reader is fast enough
_BLOCK = 1 << 23


def fast_columns(text: str, names: list[str], dialect: Dialect, skip_lines: int) -> list[TextColumn] | None:
    """Return the columns of a text after its first lines; None where the careful reader is needed.

    That is: without pyarrow, with one column (blank lines count), with quotes that are not properly paired, and with
    any fault at all, which the careful reader then names.

    >>> columns = fast_columns("a,b\\n1,x\\n2,\\n", ["a", "b"], Dialect(), skip_lines=1)
    >>> [(column.codes.tolist(), list(column.values)) for column in columns]
    [([0, 1], ['1', '2']), ([0, -1], ['x'])]
    """
    try:
        import pyarrow as pa
        import pyarrow.csv as reading
    except ImportError:
        return None
    quote = dialect.quote if dialect.quote is not None and dialect.quote in text else None
    if len(names) < 2 or len(dialect.delimiter) != 1 or not (dialect.delimiter + (quote or "")).isascii():
        return None
    data = text.encode("utf-8", "surrogatepass")
    if quote is not None and (dialect.skip_space or not _paired(data, quote, dialect.delimiter)):
        return None
    labels = [str(position) for position in range(len(names))]
    kind = pa.dictionary(pa.int32(), pa.string())
    try:
        table = reading.read_csv(
            pa.BufferReader(data),
            read_options=reading.ReadOptions(column_names=labels, skip_rows=skip_lines, block_size=_BLOCK),
            parse_options=reading.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char=quote if quote is not None else False,
                double_quote=quote is not None,
                newlines_in_values=quote is not None,
            ),
            convert_options=reading.ConvertOptions(
                column_types=dict.fromkeys(labels, kind),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
    except (pa.ArrowException, OSError):
        return None
    return [_text_column(name, column, dialect) for name, column in zip(names, table.columns, strict=True)]


def _paired(data: bytes, quote: str, delimiter: str) -> bool:
    """Whether every quote opens a cell, closes one, or is one of two; then quotes mean the same to every reader."""
    array = np.frombuffer(data, dtype=np.uint8)
    places = np.flatnonzero(array == ord(quote))
    if len(places) % 2:
        return False
    edges = np.zeros(256, dtype=np.bool_)
    edges[[ord(quote), ord(delimiter), 10, 13]] = True
    opening, closing = places[::2], places[1::2]
    before = edges[array[opening - 1]] | (opening == 0)
    after = edges[array[np.minimum(closing + 1, len(array) - 1)]] | (closing == len(array) - 1)
    return bool(before.all() and after.all())


def _text_column(name: str, column: Any, dialect: Dialect) -> TextColumn:
    chunks = column.unify_dictionaries().chunks
    if not chunks:
        return TextColumn(name, np.empty(0, dtype=np.int32), ())
    parts = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in chunks]
    text = TextColumn(name, np.concatenate(parts), chunks[0].dictionary.to_pylist())
    if dialect.skip_space and any(re.match(" ", value) for value in text.values):
        return text.mapped(lambda value: value.lstrip(" ") or None)
    return text
