"""Sheets of a workbook (.xlsx): cells of texts, numbers and formulas, written as XML (Office Open XML, ISO 29500).

A library for workbooks keeps an object for every cell; a tree of thousands of nodes has hundreds of thousands of them.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from quercus.errors import ExportError, shorten

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = "application/vnd.openxmlformats-package"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
#: The styles of cells: plain, bold, and with a coloured ground.
PLAIN, BOLD, GROUND = range(3)
_STYLES = (
    f'{_HEAD}<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '<fill><patternFill patternType="solid"><fgColor rgb="FFFFF2CC"/></patternFill></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="3"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/>'
    '<xf xfId="0" fillId="2" applyFill="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
#: Characters that no XML can hold.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
#: What sheets would read as the code of a character.
_CODED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")


def column_letter(number: int) -> str:
    """The letters of a column, the first of which has the number 1.

    >>> column_letter(1), column_letter(26), column_letter(27), column_letter(703)
    ('A', 'Z', 'AA', 'AAA')
    """
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def coded_text(text: str) -> str:
    """A text as sheets write it: some characters by their codes.

    >>> coded_text("a_x0041_" + chr(13))
    'a_x005F_x0041__x000D_'
    """
    return _CODED.sub("_x005F_", text).replace("\r", "_x000D_")


@dataclass
class Sheet:
    """A sheet in the making. name: of the sheet. widths: of its first columns, in characters."""

    name: str
    widths: Sequence[int] = ()
    rows: dict[int, dict[int, str]] = field(default_factory=dict)

    def put(self, row: int, column: int, value: Any, style: int = PLAIN) -> None:
        """Write a value to a cell; a text stays a text, also if it begins like a formula."""
        if isinstance(value, bool):
            self._cell(row, column, style, 't="b"', f"<v>{int(value)}</v>")
        elif isinstance(value, int | float):
            if not math.isfinite(value):
                raise ExportError(f"A sheet cannot hold the number {value!r}.")
            self._cell(row, column, style, "", f"<v>{value!r}</v>")
        else:
            if _ILLEGAL.search(value):
                raise ExportError(f"The text {shorten(value)} has a character that no sheet can hold. Rename it.")
            text = f'<is><t xml:space="preserve">{escape(coded_text(value))}</t></is>'
            self._cell(row, column, style, 't="inlineStr"', text)

    def formula(self, row: int, column: int, text: str) -> None:
        """Write a formula to a cell."""
        if len(text) > 8_000:
            raise ExportError(
                "A formula would have more than 8,000 characters, and Excel allows 8,192. Prune the tree."
            )
        self._cell(row, column, PLAIN, "", f"<f>{escape(text)}</f>")

    def empty(self, row: int, column: int, style: int) -> None:
        """A cell without a value."""
        self._cell(row, column, style, "", "")

    def heads(self, names: Sequence[str]) -> None:
        """The names of the columns, in the first row."""
        for number, name in enumerate(names, 1):
            self.put(1, number, name, BOLD)

    def _cell(self, row: int, column: int, style: int, kind: str, content: str) -> None:
        words = f' s="{style}"' if style else ""
        self.rows.setdefault(row, {})[column] = f"{words} {kind}>{content}</c>" if kind else f"{words}>{content}</c>"

    def xml(self) -> str:
        """The sheet; its first row and column stay in sight."""
        columns = {column for cells in self.rows.values() for column in cells}
        letters = {column: column_letter(column) for column in columns}
        widths = [
            f'<col min="{n}" max="{n}" width="{width}" customWidth="1"/>' for n, width in enumerate(self.widths, 1)
        ]
        parts = [
            f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
            '<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/>'
            '</sheetView></sheetViews><sheetFormatPr defaultRowHeight="15" customHeight="1"/>'
            f"{'<cols>' + ''.join(widths) + '</cols>' if widths else ''}<sheetData>"
        ]
        for row, cells in sorted(self.rows.items()):
            parts.append(f'<row r="{row}">')
            parts += [f'<c r="{letters[column]}{row}"{cells[column]}' for column in sorted(cells)]
            parts.append("</row>")
        return "".join([*parts, "</sheetData></worksheet>"])


def workbook(sheets: Sequence[Sheet], title: str) -> bytes:
    """The file of a workbook. title: stands in its properties."""
    numbers = range(1, len(sheets) + 1)
    listed = [f'<sheet name="{one.name}" sheetId="{n}" r:id="rId{n}"/>' for n, one in zip(numbers, sheets, strict=True)]
    links = [_link(f"rId{n}", "worksheet", f"worksheets/sheet{n}.xml") for n in numbers]
    types = [f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_TYPE}.worksheet+xml"/>' for n in numbers]
    core = f"{_PACKAGE}/relationships/metadata/core-properties"
    files = {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{_PARTS}.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>'
        f'<Override PartName="/docProps/core.xml" ContentType="{_PARTS}.core-properties+xml"/>'
        f"{''.join(types)}</Types>",
        "_rels/.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{_link('rId1', 'officeDocument', 'xl/workbook.xml')}"
        f'<Relationship Id="rId2" Type="{core}" Target="docProps/core.xml"/></Relationships>',
        "docProps/core.xml": f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title></cp:coreProperties>',
        "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{"".join(listed)}</sheets>'
        '<calcPr calcId="191029" fullCalcOnLoad="1"/></workbook>',
        "xl/_rels/workbook.xml.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{''.join(links)}{_link('styles', 'styles', 'styles.xml')}</Relationships>",
        "xl/styles.xml": _STYLES,
        **{f"xl/worksheets/sheet{n}.xml": one.xml() for n, one in zip(numbers, sheets, strict=True)},
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text.encode(), zipfile.ZIP_DEFLATED, 3)
    return content.getvalue()


def _link(name: str, kind: str, target: str) -> str:
    return f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
