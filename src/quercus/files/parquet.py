"""Parquet files by pyarrow; the categories of a dictionary column are its declared values."""

from __future__ import annotations

from typing import Any

from quercus.errors import missing_extra
from quercus.files.content import Content
from quercus.files.place import file_error
from quercus.files.raw_table import RawTable, distinct_names

__all__ = ["read_parquet"]


def read_parquet(content: Content) -> RawTable:
    """Read a Parquet file; its columns stay pyarrow columns. Lists and structures in a column are refused.

    >>> import io, pyarrow as pa, pyarrow.parquet
    >>> stream = io.BytesIO()
    >>> pyarrow.parquet.write_table(pa.table({"zip": ["01234", None], "age": [41, 42]}), stream)
    >>> raw = read_parquet(Content("a.parquet", stream.getvalue(), ""))
    >>> {name: column.to_pylist() for name, column in raw.columns.items()}
    {'zip': ['01234', None], 'age': [41, 42]}
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as reading
    except ImportError as error:
        raise missing_extra("pyarrow", "files") from error
    if not content.data.startswith(b"PAR1"):
        raise file_error(content.path, 'expected a Parquet file, which begins with "PAR1"; this one does not.')
    if not content.data.endswith(b"PAR1"):
        raise file_error(
            content.path, 'expected a Parquet file to end with "PAR1": the file is cut off. Copy it again.'
        )
    try:
        table = reading.ParquetFile(pa.BufferReader(content.data)).read()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise file_error(content.path, f"the Parquet data are damaged ({reason[0][:200]}).") from error
    names = distinct_names(content.path, [str(name) for name in table.column_names])
    if not names or not table.num_rows:
        what = "columns" if not names else "rows"
        raise file_error(content.path, f"expected a table, found one without {what}.")
    columns = {name: _column(content.path, name, table.column(k)) for k, name in enumerate(names)}
    return RawTable(content.path, "parquet", content.fingerprint, table.num_rows, columns)


def _column(path: str, name: str, column: Any) -> Any:
    import pyarrow as pa

    kind = column.type
    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_nested(values):
        problem = f"column {name!r} is of type {kind}; expected text, numbers, booleans or dates."
        raise file_error(path, f"{problem} Split it into one column per part first.")
    try:
        if pa.types.is_dictionary(kind):
            return column.unify_dictionaries()
        if pa.types.is_string_view(kind):
            return column.cast(pa.large_string())
        if pa.types.is_binary_view(kind):
            return column.cast(pa.large_binary())
    except pa.ArrowException as error:
        raise file_error(path, f"column {name!r} of type {kind} cannot be read ({error}).") from error
    return column
