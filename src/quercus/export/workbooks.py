"""LibreOffice as the engine of exported workbooks: cases are typed in, and the answers are read."""

from __future__ import annotations

import csv
import io
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from quercus.errors import DependencyError
from quercus.export.engines import Answers, run_program
from quercus.export.sheets import coded_text, column_letter
from quercus.export.vectors import Vectors

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_IGNORABLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Ignorable"
#: A formula, and behind it what a program computed for the cases that were typed before.
_COMPUTED = re.compile(rb"(</f>|<f [^>]*/>)<v>[^<]*</v>")
#: LibreOffice's format for the first sheet: commas, UTF-8, numbers with all their digits.
_TABLE = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false"


def unpacked(exported: bytes) -> bytes:
    """An export as it can be searched: of a workbook, which is an archive, all its files; others as they are."""
    if not exported.startswith(b"PK"):
        return exported
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


def thresholds_of(exported: bytes) -> dict[str, list[float]]:
    """The thresholds in an exported workbook, by the names of their columns."""
    try:
        import openpyxl
    except ImportError as error:
        raise DependencyError(
            "Verifying workbooks needs openpyxl. Install it: pip install 'quercus[excel]'."
        ) from error
    sheet = openpyxl.load_workbook(io.BytesIO(exported), read_only=True)["Questions"]
    result: dict[str, list[float]] = {}
    for name, cut in sheet.iter_rows(min_row=2, max_col=2, values_only=True):
        if cut is not None:
            result.setdefault(str(name), []).append(float(cut))
    return result


def apart(thresholds: Mapping[str, Iterable[float]], vectors: Vectors) -> Vectors:
    """The rows whose numbers are not beside a threshold: sheets take numbers that agree to 14 digits for the same."""
    columns = [sorted(thresholds.get(name, ())) for name in vectors.names]

    def clear(value: Any, bounds: list[float]) -> bool:
        if not isinstance(value, float) or 0 < abs(value) < 1e-300:
            return not isinstance(value, float)
        return all(value == cut or abs(value - cut) > 1e-12 * max(abs(value), abs(cut)) for cut in bounds)

    kept = [place for place, row in enumerate(vectors.rows) if all(map(clear, row, columns))]
    rows, labels = ([items[place] for place in kept] for items in (vectors.rows, vectors.labels))
    return replace(
        vectors, rows=rows, labels=labels, shares=[vectors.shares[place] for place in kept if vectors.shares]
    )


def run_excel(exported: Any, vectors: Vectors) -> Answers:
    """Type test vectors into an exported workbook and let LibreOffice compute the answers."""
    return run_workbooks([(exported, vectors)])[0]


def run_workbooks(pairs: list[tuple[Any, Vectors]]) -> list[Answers]:
    """The same for many workbooks; LibreOffice starts only once."""
    program = shutil.which("soffice") or shutil.which("libreoffice")
    if program is None:
        raise DependencyError(
            "Running exports to Excel needs LibreOffice, and no program called soffice is on the path."
        )
    with tempfile.TemporaryDirectory() as folder:
        typed = [_typed(*pair, Path(folder), number) for number, pair in enumerate(pairs)]
        words = ["--headless", f"-env:UserInstallation=file://{folder}/home", "--convert-to", _TABLE]
        paths = [str(path) for one in typed for path in one]
        run_program([program, *words, "--outdir", f"{folder}/out", *paths])
        return [
            _answers([Path(folder) / "out" / f"{path.stem}.csv" for path in one], vectors)
            for one, (_, vectors) in zip(typed, pairs, strict=True)
        ]


def _typed(exported: bytes, vectors: Vectors, folder: Path, number: int) -> list[Path]:
    """Write files with all cases, each with as many cases as the workbook has room for."""
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        files = {name: _COMPUTED.sub(rb"\1", archive.read(name)) for name in archive.namelist()}
    name = _path_of(files, "Cases")
    sheet, paths = ElementTree.fromstring(files[name]), []
    sheet.attrib.pop(_IGNORABLE, None)
    rows = {int(row.get("r", 0)): row for row in sheet.iter(f"{_MAIN}row")}
    room = len(rows[1]) - 2
    for start in range(0, len(vectors.rows), room):
        some = vectors.rows[start : start + room]
        some = some + [[None] * len(vectors.names)] * (room - len(some))
        for place in range(len(vectors.names)):
            _type_cells(rows[place + 2], place + 2, [row[place] for row in some])
        paths.append(folder / f"model{number}cases{start}.xlsx")
        with zipfile.ZipFile(paths[-1], "w") as archive:
            for other, content in files.items():
                archive.writestr(other, ElementTree.tostring(sheet, "utf-8") if other == name else content)
    return paths


def _path_of(files: dict[str, bytes], title: str) -> str:
    """Where the archive of a workbook keeps a sheet."""
    sheets = ElementTree.fromstring(files["xl/workbook.xml"]).iter(f"{_MAIN}sheet")
    link = next(sheet.get(f"{_LINK}id") for sheet in sheets if sheet.get("name") == title)
    links = ElementTree.fromstring(files["xl/_rels/workbook.xml.rels"])
    target = next(one.get("Target", "") for one in links if one.get("Id") == link)
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _type_cells(row: ElementTree.Element, number: int, values: list[Any]) -> None:
    """Put values into the cells of a row of the sheet "Cases", from its third column on."""
    for cell in list(row)[2:]:
        row.remove(cell)
    for place, value in enumerate(values):
        if value is None:
            continue
        kind = "inlineStr" if isinstance(value, str) else "b" if isinstance(value, bool) else "n"
        cell = ElementTree.SubElement(row, f"{_MAIN}c", r=f"{column_letter(place + 3)}{number}", t=kind)
        if isinstance(value, str):
            text = ElementTree.SubElement(ElementTree.SubElement(cell, f"{_MAIN}is"), f"{_MAIN}t")
            text.text = coded_text(value)
            text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        else:
            ElementTree.SubElement(cell, f"{_MAIN}v").text = repr(int(value) if isinstance(value, bool) else value)


def _answers(paths: list[Path], vectors: Vectors) -> Answers:
    """Read the answers from the computed sheets."""
    columns: list[tuple[str, ...]] = []
    for path in paths:
        with open(path, encoding="utf-8", newline="") as file:
            columns += list(zip(*csv.reader(file), strict=True))[2:]
    del columns[len(vectors.rows) :]
    start = len(vectors.names) + 2
    labels = [column[start] for column in columns]
    if not vectors.classes:
        return [float(label) for label in labels], []
    known = {str(one).upper() if isinstance(one, bool) else str(one): one for one in vectors.classes}
    shares = [[float(cell) for cell in column[start + 1 : start + 1 + len(known)]] for column in columns]
    return [known.get(label, label) for label in labels], shares
