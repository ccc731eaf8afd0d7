"""Results: how every result of Quercus is shown: in one line, as text and in a notebook."""

from __future__ import annotations

import html
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from quercus.errors import missing_extra, shorten, visible

_LINE = 100
_FRAME = '<div class="quercus-result" style="overflow:auto">{}</div>'
#: Notebooks set texts in a proportional font, in which columns do not stand under each other.
_TEXT = '<pre style="font-family:monospace">'
_LEFT, _RIGHT = ' style="text-align:left"', ' style="text-align:right"'


class Result:
    """Something that was asked for: ``print`` shows its text, a console one line, a notebook HTML.

    A class gives its text by ``__str__``; the other forms follow from it. As a dataclass it needs ``repr=False``, so
    that the line here is not replaced by all fields.

    >>> from quercus.measures import gain_table
    >>> table = gain_table({"x": [1, 2, 3, 4]}, ["No", "No", "Yes", "Yes"])
    >>> table
    <GainTable: attribute gain split information gain ratio branches [No, Yes] … (print shows all 2 lines)>
    >>> table.to_text() == str(table)
    True
    """

    __slots__ = ()

    def to_text(self) -> str:
        """The result as text, as ``print`` shows it."""
        return str(self)

    def to_html(self) -> str:
        """The result as a piece of HTML: its text, every character of it escaped."""
        return framed(f"{_TEXT}{escaped(str(self))}</pre>")

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.to_html()

    def __str__(self) -> str:
        """One line for each part; a class with a better text has its own."""
        return "\n".join(f"{name}: {_part_text(value)}" for name, value in _parts(self).items())

    def __repr__(self) -> str:
        """The result in one line."""
        lines = [line for line in str(self).splitlines() if line.strip()] or [""]
        first = visible(" ".join(lines[0].split()), one_line=True)
        is_long = len(first) > _LINE
        first = first[: _LINE - 1] + "…" if is_long else first
        more = f"{'' if is_long else ' …'} (print shows all {len(lines)} lines)" if len(lines) > 1 else ""
        return f"<{type(self).__name__}: {first}{more}>"


@dataclass(frozen=True)
class Cells:
    """A table as texts, from which all its forms are made.

    rows: the first one is the head; a row that is one text, such as "… 80 more", goes across the table. left: the
    columns that begin at the left, the others end at the right. title, note: a line above and lines below it.

    >>> print(Cells([["class", "rows"], ["No", "5"], "… 3 more", ["Maybe", "12"]], title="the classes").text())
    the classes
    class  rows
    No        5
    … 3 more
    Maybe    12
    """

    rows: Sequence[Sequence[str] | str]
    left: Collection[int] = (0,)
    title: str = ""
    note: str = ""

    def text(self) -> str:
        """The columns under each other."""
        whole = [row for row in self.rows if not isinstance(row, str)]
        widths = [max(map(len, column)) for column in zip(*whole, strict=True)]
        lines = [self.title] if self.title else []
        for row in self.rows:
            if isinstance(row, str):
                lines.append(row)
                continue
            cells = [
                cell.ljust(width) if place in self.left else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(cells).rstrip())
        return "\n".join([*lines, self.note] if self.note else lines)

    def html(self) -> str:
        """The same as an HTML table, every text escaped."""
        head, *rows = self.rows
        width = len(head)
        caption = f'<caption style="caption-side:top;text-align:left">{escaped(self.title)}</caption>'
        lines = [f"<table>{caption if self.title else ''}", f"<thead>{self._row(head, 'th', width)}</thead>", "<tbody>"]
        lines += [self._row(row, "td", width) for row in rows]
        note = "".join(f"<p>{escaped(line)}</p>" for line in self.note.splitlines())
        return framed("\n".join([*lines, f"</tbody></table>{note}"]))

    def latex(self) -> str:
        r"""The same as a LaTeX table, every text escaped; the title stands above it and the note below.

        >>> print(Cells([["class", "rows"], ["50 %", "5"]]).latex())
        \begin{tabular}{lr}
        \hline
        class & rows \\
        \hline
        50 \% & 5 \\
        \hline
        \end{tabular}
        """
        from quercus.data.latex import LONG_IN_LATEX, latex_words

        width = len(self.rows[0])
        whole = [row for row in self.rows if not isinstance(row, str)]
        long = {place for place in range(width) if any(len(row[place]) > LONG_IN_LATEX for row in whole)}
        kinds = "".join(
            r"p{0.4\linewidth}" if place in long else "l" if place in self.left else "r" for place in range(width)
        )
        lines = [
            rf"\multicolumn{{{width}}}{{l}}{{{latex_words(row)}}} \\"
            if isinstance(row, str)
            else " & ".join(map(latex_words, row)) + r" \\"
            for row in self.rows
        ]
        table = [
            rf"\begin{{tabular}}{{{kinds}}}",
            r"\hline",
            lines[0],
            r"\hline",
            *lines[1:],
            r"\hline",
            r"\end{tabular}",
        ]
        parts = [latex_words(self.title), "\n".join(table), latex_words(self.note)]
        return "\n\n".join(part for part in parts if part)

    def _row(self, row: Sequence[str] | str, tag: str, width: int) -> str:
        if isinstance(row, str):
            return f'<tr><{tag} colspan="{width}"{_LEFT}>{escaped(row)}</{tag}></tr>'
        cells = (
            f"<{tag}{_LEFT if place in self.left else _RIGHT}>{escaped(cell)}</{tag}>" for place, cell in enumerate(row)
        )
        return f"<tr>{''.join(cells)}</tr>"


class Table(Result):
    """A result that is a table: ``cells`` gives its texts, and all forms show the same ones."""

    __slots__ = ()

    def cells(self) -> Cells:
        """The table as texts."""
        raise TypeError(f"{type(self).__name__} gives no cells; a table must say what it shows.")

    def to_html(self) -> str:
        """The table as HTML, every name escaped."""
        return self.cells().html()

    def to_latex(self, *, document: bool = False) -> str:
        """The table as LaTeX, every name escaped. document: a whole one, to be set by itself."""
        from quercus.data.latex import latex_document

        text = self.cells().latex()
        return latex_document(text) if document else text

    def __str__(self) -> str:
        """The table as aligned text."""
        return self.cells().text()

    def __repr__(self) -> str:
        """What the table is about, or its columns, and how many lines it has."""
        cells = self.cells()
        head = cells.title or ", ".join(filter(None, cells.rows[0]))
        head = visible(head if len(head) <= _LINE else head[: _LINE - 1] + "…", one_line=True)
        size = len(cells.rows) - 1
        return f"<{type(self).__name__}: {head}; {size} {'row' if size == 1 else 'rows'}>"


def frame_of(rows: Sequence[Mapping[str, Any]] | Mapping[str, Any], index: str | None = None) -> Any:
    """Rows, or columns by name, as a pandas DataFrame. index: the column that names the rows; None: none does."""
    try:
        import pandas
    except ImportError as error:
        raise missing_extra("pandas", "tables") from error
    frame = pandas.DataFrame(dict(rows) if isinstance(rows, Mapping) else list(rows))
    return frame if index is None else frame.set_index(index)


def escaped(text: str) -> str:
    """Any text as part of an HTML page: no character of it can begin or end an element or command a terminal.

    >>> escaped('<img src=x onerror="alert(1)">')
    '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;'
    """
    return html.escape(visible(text))


def framed(content: str) -> str:
    """HTML in a frame that scrolls where it is wider than the page."""
    return _FRAME.format(content)


def _parts(result: Any) -> dict[str, Any]:
    names = [field.name for field in fields(result)] if is_dataclass(result) else []
    return {name: getattr(result, name) for name in names}


def _part_text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return visible(value, one_line=True) if isinstance(value, str) else shorten(value, _LINE)
