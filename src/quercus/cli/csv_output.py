"""CSV as the commands write it: columns by name; on request without cells that a spreadsheet would run as formulas."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any

import typer

#: A text cell that begins so is a formula, or hides one, in spreadsheets.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")

Safe = Annotated[
    bool,
    typer.Option("--safe", help="In CSV: a ' before texts that a spreadsheet would run as formulas, such as =1+1."),
]


def csv_text(columns: Mapping[str, Iterable[Any]], safe: bool = False, unnamed: Collection[str] = ()) -> str:
    """Columns as CSV, the names first; with ``safe`` no text is a formula to a spreadsheet.

    unnamed: columns that are written without a name.

    >>> print(csv_text({"x": ["=1+1", "-2", "a"], "y": [-2, 0.5, None]}, safe=True), end="")
    x,y
    '=1+1,-2
    -2,0.5
    a,
    """
    import csv
    import io

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    cells = zip(*columns.values(), strict=True)
    header = ["" if name in unnamed else name for name in columns]
    for row in [header, *map(list, cells)]:
        writer.writerow([harmless(cell) for cell in row] if safe else row)
    return stream.getvalue()


def harmless(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: a text that begins like one gets a ' in front; numbers stay.

    >>> harmless("=HYPERLINK(A1)"), harmless("-3.5"), harmless("plain"), harmless(-3.5)
    ("'=HYPERLINK(A1)", '-3.5', 'plain', -3.5)
    """
    if not isinstance(cell, str) or not cell.startswith(FORMULA_STARTS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
