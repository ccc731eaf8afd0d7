"""Writing small files for the tests of the readers."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quercus.files import TableFile, read_file


def written(folder: Path, name: str, data: str | bytes) -> Path:
    """Write a file; a name that ends with .gz is packed."""
    content = data.encode() if isinstance(data, str) else data
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


def read(folder: Path, name: str, data: str | bytes, **options: Any) -> TableFile:
    """Write a file and read it."""
    return read_file(written(folder, name, data), **options)


def cells(table: TableFile) -> dict[str, list[Any]]:
    """The columns as lists; missing numbers are None."""
    lists = {
        name: column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()
        for name, column in table.columns.items()
    }
    return {name: [None if cell != cell else cell for cell in column] for name, column in lists.items()}


def csv_text(names: Sequence[str], rows: Sequence[Sequence[Any]], **options: Any) -> str:
    """Write a table as Python's csv module does."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, **options)
    writer.writerow(names)
    writer.writerows(rows)
    return stream.getvalue()
