"""Export to Excel: a workbook in which an analyst types cases and reads the answers, by formulas alone.

- Sheet "Cases": one row per attribute and one column per case; below, the label and the shares of the classes.
- Sheet "Tree": one row per node: the branch that leads there, its share, its answer, and for each case the part of the
  case that comes there. A case whose value is unknown may come to several leaves.
- Sheet "Questions": one row per question; for each case the branch that its value takes (-1: none).
- Sheet "Values": the values of each attribute, and the branch of each value for each question about values.

Numbers stand in cells, not in formulas, where Excel keeps 15 digits of them only.
"""

from __future__ import annotations

import io
import math
from typing import Any

from quercus.data.schema import Attribute
from quercus.errors import DependencyError, ExportError, shorten
from quercus.export.pictured import whole_number
from quercus.export.program import Program, TreeTable, program_of
from quercus.export.tables import tree_data

__all__ = ["to_excel"]

#: A workbook with more formulas than this is slow to work with.
MOST_FORMULAS = 200_000
TIE = 1e-12


def to_excel(model: Any, *, cases: Any = 10) -> bytes:
    """A tree as a workbook (.xlsx): type the values of a case, and its answer appears.

    model: a fitted estimator, a model or a tree. cases: so many can be typed, side by side. An empty cell is unknown.
    """
    program = program_of(model)
    count = whole_number("cases", cases)
    member = program.members[0]
    if program.together or not isinstance(member, TreeTable):
        raise ExportError(
            "A workbook can express one tree, and this model is a collection or a list of rules. Export it to SQL, "
            "Python, JavaScript or C, or one of its trees (a forest's trees: model.forest_[0])."
        )
    if not 1 <= count <= 1_000:
        raise ExportError(f"cases is {count}, but must be from 1 to 1000.")
    if count * 2 * member.size > MOST_FORMULAS:
        raise ExportError(
            f"A tree of {member.size:,} nodes for {count} cases needs more than {MOST_FORMULAS:,} formulas. Prune it, "
            "ask for fewer cases, or export it to SQL, Python, JavaScript or C."
        )
    for place in program.inputs:
        _check(program.schema[place])
    try:
        import openpyxl
    except ImportError as error:
        raise DependencyError("Exports to Excel need openpyxl. Install it: pip install 'quercus[excel]'.") from error
    return _Workbook(program, member, count, openpyxl).file()


def _check(attribute: Attribute) -> None:
    if attribute.kind == "date":
        raise ExportError(
            f"Column {attribute.name!r} holds dates, which the workbook does not compare. Turn it into numbers (days, "
            "for instance) before fitting."
        )
    texts = [str(value) for value in attribute.values]
    if "" in texts:
        raise ExportError(
            f"Column {attribute.name!r} has an empty text as a value, and an empty cell is unknown. Give the value "
            "another name before fitting."
        )
    if len(set(texts)) < len(texts):
        raise ExportError(
            f"Column {attribute.name!r} has values of several types that are the same text, which a sheet cannot tell "
            "apart. Convert them before fitting."
        )


class _Workbook:
    def __init__(self, program: Program, table: TreeTable, count: int, openpyxl: Any) -> None:
        self.program, self.table, self.count = program, table, count
        self.data = tree_data(table)
        self.book = openpyxl.Workbook()
        self.letter = openpyxl.utils.get_column_letter
        self.bold = openpyxl.styles.Font(bold=True)
        self.ground = openpyxl.styles.PatternFill("solid", fgColor="FFF2CC")
        self.illegal = openpyxl.utils.exceptions.IllegalCharacterError
        self.cases = self.book.active
        self.cases.title = "Cases"
        self.tree, self.questions, self.values = (
            self.book.create_sheet(name) for name in ("Tree", "Questions", "Values")
        )
        self.first = 5  # the column of the first case, in "Tree" and "Questions"
        self.row_of = {place: number + 2 for number, place in enumerate(program.inputs)}  # in "Cases"
        self.codes: dict[int, str] = {}  # the cells of an attribute's values, by position
        self.branches: list[str] = []  # the cells of each table of branches

    def file(self) -> bytes:
        self._values()
        self._questions()
        self._tree()
        self._cases()
        self.book.properties.title = self.program.title
        for sheet, widths in ((self.cases, (28, 34)), (self.tree, (8, 34, 10, 10)), (self.questions, (28, 22, 10, 10))):
            for number, width in enumerate(widths, 1):
                sheet.column_dimensions[self.letter(number)].width = width
            sheet.freeze_panes = sheet.cell(2, 2)
        content = io.BytesIO()
        self.book.save(content)
        return content.getvalue()

    # Cells

    def _put(self, sheet: Any, row: int, column: int, value: Any, bold: bool = False) -> None:
        """Write a value to a cell; a text stays a text, also if it begins like a formula."""
        if isinstance(value, float) and not math.isfinite(value):
            raise ExportError(f"A sheet cannot hold the number {value!r}.")
        cell = sheet.cell(row, column)
        try:
            cell.value = value
        except self.illegal as error:
            raise ExportError(
                f"The text {shorten(value)} has a character that no sheet can hold. Rename it."
            ) from error
        if isinstance(value, str):
            cell.data_type = "s"
        if bold:
            cell.font = self.bold

    def _formula(self, sheet: Any, row: int, column: int, text: str) -> None:
        if len(text) > 8_000:
            raise ExportError(
                "A formula would have more than 8,000 characters, and Excel allows 8,192. Prune the tree."
            )
        sheet.cell(row, column).value = f"={text}"

    def _heads(self, sheet: Any, names: list[str]) -> None:
        for number, name in enumerate(names, 1):
            self._put(sheet, 1, number, name, bold=True)

    # Sheets

    def _values(self) -> None:
        """The values of each attribute, one column each, and then the branches of each table."""
        column = 0
        for place in self.program.inputs:
            attribute = self.program.schema[place]
            if attribute.kind != "numeric":
                column += 1
                self.codes[place] = self._column(column, attribute.name, attribute.values)
        for number, branches in enumerate(self.data["tables"]):
            column += 1
            self.branches.append(self._column(column, f"branch by table {number}", branches))

    def _column(self, column: int, name: str, values: Any) -> str:
        self._put(self.values, 1, column, name, bold=True)
        for row, value in enumerate(values, 2):
            self._put(self.values, row, column, value)
        letter = self.letter(column)
        return f"Values!${letter}$2:${letter}${max(len(values), 1) + 1}"

    def _input(self, place: int, case: int) -> str:
        """The cell that holds a case's value."""
        return f"Cases!{self.letter(case + 3)}${self.row_of[place]}"

    def _code(self, place: int, case: int) -> str:
        """One more than the code of a case's value; 0: the value is unknown or was never seen."""
        values, cell, attribute = self.codes[place], self._input(place, case), self.program.schema[place]
        if attribute.kind == "boolean":
            return f"IF(ISBLANK({cell}),0,IF(OR({cell}=TRUE,{cell}=1),2,IF(OR({cell}=FALSE,{cell}=0),1,0)))"
        if all(isinstance(value, int | float) for value in attribute.values):
            return f"IF(ISNUMBER({cell}),SUMPRODUCT(({cell}={values})*(ROW({values})-1)),0)"
        return f"SUMPRODUCT(EXACT({cell},{values})*(ROW({values})-1))"

    def _questions(self) -> None:
        """For each case the branch that its value takes at each question; -1: none."""
        sheet = self.questions
        self._heads(sheet, ["attribute", "up to", "swapped", "table", *self._case_names()])
        coded = [place for place in self.program.inputs if place in self.codes]
        rows = {place: 2 + number for number, place in enumerate(coded)}
        for place, row in rows.items():  # first, the codes of the values
            self._put(sheet, row, 1, f"{self.program.schema[place].name}: place among its values")
            for case in range(self.count):
                self._formula(sheet, row, self.first + case, self._code(place, case))
        self.start = 2 + len(rows)
        for number, (place, cut, table, swapped) in enumerate(self.data["asks"]):
            row = self.start + number
            self._put(sheet, row, 1, self.program.schema[place].name)
            if cut is not None and math.isfinite(cut):
                self._put(sheet, row, 2, cut)
            self._put(sheet, row, 3, swapped)
            if table is not None:
                self._put(sheet, row, 4, table)
            for case in range(self.count):
                letter = self.letter(self.first + case)
                code = f"{letter}${rows[place]}" if place in rows else ""
                self._formula(sheet, row, self.first + case, self._branch(row, place, cut, table, swapped, case, code))

    def _branch(self, row: int, place: int, cut: Any, table: Any, swapped: int, case: int, code: str) -> str:
        if table is not None:
            return f"IF({code}=0,-1,INDEX({self.branches[table]},{code}))"
        cell = self._input(place, case)
        value, unknown = (f"({code}-1)", f"{code}=0") if code else (cell, f"NOT(ISNUMBER({cell}))")
        for token in self.program.schema[place].missing_tokens if not code else ():
            if isinstance(token, int | float):
                unknown = f"OR({unknown},{cell}={token!r})"
        low, high = (1, 0) if swapped else (0, 1)
        if not math.isfinite(cut):
            return f"IF({unknown},-1,{low})"
        return f"IF({unknown},-1,IF({value}<=$B{row},{low},{high}))"

    def _case_names(self) -> list[str]:
        return [f"case {case + 1}" for case in range(self.count)]

    def _tree(self) -> None:
        """The part of each case that reaches each node, and the answers of the parts that end there."""
        sheet, table, data = self.tree, self.table, self.data
        width, names = self.program.width, self._case_names()
        self.ends = self.first + self.count  # the first column of what ends at a node
        self.answers = self.ends + self.count
        outputs = [str(one) for one in self.program.classes or ("number",)]
        heads = ["node", "reached by", "above", "share", *names, *(f"{name} ends" for name in names), *outputs]
        self._heads(sheet, heads)
        parents: dict[int, tuple[int, int]] = {}
        for node in range(table.size):
            for branch, child in enumerate(table.children(node)):
                parents[child] = (node, branch)
        for node in range(table.size):
            row, (above, branch) = node + 2, parents.get(node, (-1, 0))
            question = None if above < 0 else table.tree.node(above).test
            self._put(sheet, row, 1, node)
            self._put(sheet, row, 2, "" if question is None else question.branch(branch, limit=5))
            if above >= 0:
                self._put(sheet, row, 3, above)
                self._put(sheet, row, 4, float(table.shares[node]))
            for case in range(self.count):
                letter = self.letter(self.first + case)
                part = "1" if above < 0 else self._part(above, branch, row, letter)
                self._formula(sheet, row, self.first + case, part)
                self._formula(sheet, row, self.ends + case, self._ending(node, row, letter))
            for place in range(width):
                self._put(sheet, row, self.answers + place, float(data["answers"][data["answer"][node]][place]))

    def _part(self, above: int, branch: int, row: int, letter: str) -> str:
        taken = self._taken(above, letter)
        return f"{letter}{above + 2}*IF({taken}={branch},1,IF({taken}<0,$D{row},0))"

    def _taken(self, node: int, letter: str) -> str:
        """The branch of a case at a node: by its value, by a surrogate, or that of unknown values; -1: by shares."""
        asks = [self.data["ask"][node], *self.data.get("surrogates", {}).get(node, ())]
        text = str(self.table.missing(node))
        for ask in reversed(asks):
            cell = f"Questions!{letter}${self.start + ask}"
            text = f"IF({cell}>=0,{cell},{text})"
        return text

    def _ending(self, node: int, row: int, letter: str) -> str:
        if self.table.is_leaf(node):
            return f"{letter}{row}"
        return f"IF({self._taken(node, letter)}<0,{letter}{row},0)" if self.table.ends(node) else "0"

    def _cases(self) -> None:
        """The cells where cases are typed, and the cells where their answers appear."""
        sheet, program = self.cases, self.program
        self._heads(sheet, ["attribute", "what it is", *self._case_names()])
        for place, row in self.row_of.items():
            attribute = program.schema[place]
            self._put(sheet, row, 1, attribute.name, bold=True)
            words = "a number" if attribute.kind == "numeric" else ", ".join(map(str, attribute.values[:8]))
            self._put(sheet, row, 2, words + (", …" if attribute.n_values > 8 else ""))
            for case in range(self.count):
                sheet.cell(row, case + 3).fill = self.ground
        start = len(self.row_of) + 3
        last = self.table.size + 1
        self._put(sheet, start, 1, "answer", bold=True)
        self._put(sheet, start, 2, "empty cells are unknown")
        labels = [] if program.classes is None else list(program.classes)
        for number, label in enumerate(labels):
            self._put(sheet, start + 1 + number, 1, f"share of {label}")
            self._put(sheet, start + 1 + number, 2, label)
        for case in range(self.count):
            ends = self.letter(self.ends + case)
            sums = []
            for place in range(program.width):
                answers = self.letter(self.answers + place)
                sums.append(f"SUMPRODUCT(Tree!{ends}$2:{ends}${last},Tree!${answers}$2:${answers}${last})")
            if not labels:
                self._formula(sheet, start, case + 3, sums[0])
                continue
            for place, text in enumerate(sums):
                self._formula(sheet, start + 1 + place, case + 3, text)
            self._label(start, case + 3, len(labels))

    def _label(self, start: int, column: int, count: int) -> None:
        """The class of a case: cells below the shares score each class; a cell above shows the first of the best."""
        sheet, letter, program = self.cases, self.letter(column), self.program
        below, tie = start + count + 2, TIE
        if program.costs is not None:
            tie *= max(1.0, *(abs(cost) for line in program.costs for cost in line))
        for place in range(count):
            text = f"{letter}{start + 1 + place}"
            if program.costs is not None:
                paid = [f"{letter}{start + 1 + i}*{line[place]!r}" for i, line in enumerate(program.costs)]
                text = f"-({'+'.join(paid)})"
            elif program.threshold is not None:
                text = str(place) if place == 0 else f"IF({text}>={program.threshold - TIE!r},2,-1)"
            self._put(sheet, below + place, 1, "how good the class is" if place == 0 else "")
            self._formula(sheet, below + place, column, text)
        goods = f"{letter}${below}:{letter}${below + count - 1}"
        best = f"SUMPRODUCT(MAX(({goods}>=MAX({goods})-{tie!r})*({count}+{below}-ROW({goods}))))"  # the first of them
        first = f"({count}-{best})"
        names = f"$B${start + 1}:$B${start + count}"
        self._formula(sheet, start, column, f"INDEX({names},{first}+1)")
