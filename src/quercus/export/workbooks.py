"""LibreOffice as the engine of exported workbooks: cases are typed in, and the answers are read."""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

from quercus.errors import DependencyError
from quercus.export.engines import Answers, run_program
from quercus.export.vectors import Vectors


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
        words = [
            "--headless",
            f"-env:UserInstallation=file://{folder}/home",
            "--convert-to",
            "xlsx:Calc MS Excel 2007 XML",
        ]
        paths = [str(path) for one in typed for path in one]
        run_program([program, *words, "--outdir", f"{folder}/out", *paths])
        return [
            _answers([Path(folder) / "out" / path.name for path in one], vectors)
            for one, (_, vectors) in zip(typed, pairs, strict=True)
        ]


def _typed(exported: Any, vectors: Vectors, folder: Path, number: int) -> list[Path]:
    """Write files with all cases, each with as many cases as the workbook has room for."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(exported))
    sheet, paths = book["Cases"], []
    room = sheet.max_column - 2
    unknown: list[Any] = [None] * len(vectors.names)
    for start in range(0, len(vectors.rows), room):
        for case in range(room):
            row = vectors.rows[start + case] if start + case < len(vectors.rows) else unknown
            for place, value in enumerate(row):
                cell = sheet.cell(place + 2, case + 3)
                cell.value = value
                cell.data_type = "s" if isinstance(value, str) else cell.data_type
        paths.append(folder / f"model{number}cases{start}.xlsx")
        book.save(paths[-1])
    return paths


def _answers(paths: list[Path], vectors: Vectors) -> Answers:
    """Read the answers from the computed files."""
    import openpyxl

    labels: list[Any] = []
    shares: list[list[float]] = []
    start = len(vectors.names) + 3
    known = {str(one): one for one in vectors.classes or ()}
    for path in paths:
        sheet = openpyxl.load_workbook(path, data_only=True)["Cases"]
        for column in range(3, sheet.max_column + 1):
            label = sheet.cell(start, column).value
            labels.append(label if vectors.classes is None else known.get(str(label), label))
            shares.append([sheet.cell(start + 1 + place, column).value for place in range(len(known))])
    count = len(vectors.rows)
    return labels[:count], shares[:count] if vectors.classes is not None else []
