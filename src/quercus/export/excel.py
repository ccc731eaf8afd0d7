"""Export to Excel: a workbook in which an analyst types cases and reads the answers, by formulas alone.

- Sheet "Cases": one row per attribute and one column per case; below, the label and the shares of the classes.
- Sheet "Tree": one row per node: the branch that leads there, its share, whether cases end there, for each case the
  part of the case that comes there, and the node's answer. A case whose value is unknown may come to several leaves.
- Sheet "Questions": one row per question; for each case the branch that its value takes (-1: none).
- Sheet "Values": the values of each attribute, and the branch of each value for each question about values.

Numbers stand in cells, not in formulas, where Excel keeps 15 digits of them only.
"""

from __future__ import annotations

import math
from typing import Any

from quercus.data.schema import Attribute
from quercus.errors import ExportError
from quercus.export.pictured import whole_number
from quercus.export.program import Program, TreeTable, program_of
from quercus.export.sheets import BOLD, GROUND, Sheet, column_letter, workbook
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
    for place in program.inputs:
        _check(program.schema[place])
    data = tree_data(member)
    formulas = count * (member.size + len(data["asks"]))
    if formulas > MOST_FORMULAS:
        raise ExportError(
            f"A tree of {member.size:,} nodes for {count} cases needs {formulas:,} formulas, and a workbook with more "
            f"than {MOST_FORMULAS:,} formulas is slow to work with. Prune the tree, ask for fewer cases, or export it "
            "to SQL, Python, JavaScript or C."
        )
    return _Workbook(program, member, count, data).file()


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
    def __init__(self, program: Program, table: TreeTable, count: int, data: dict[str, Any]) -> None:
        self.program, self.table, self.count, self.data = program, table, count, data
        self.cases, self.tree = Sheet("Cases", (28, 34)), Sheet("Tree", (8, 34, 10, 10, 10))
        self.questions, self.values = Sheet("Questions", (28, 22, 10, 10)), Sheet("Values")
        self.first = 6  # the column of the first case, in "Tree" and "Questions"
        self.letters = [column_letter(self.first + case) for case in range(count)]  # of the cases there
        self.row_of = {place: number + 2 for number, place in enumerate(program.inputs)}  # in "Cases"
        self.codes: dict[int, str] = {}  # the cells of an attribute's values, by position
        self.branches: list[str] = []  # the cells of each table of branches

    def file(self) -> bytes:
        self._values()
        self._questions()
        self._tree()
        self._cases()
        return workbook([self.cases, self.tree, self.questions, self.values], self.program.title)

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
        self.values.put(1, column, name, BOLD)
        for row, value in enumerate(values, 2):
            self.values.put(row, column, value)
        letter = column_letter(column)
        return f"Values!${letter}$2:${letter}${max(len(values), 1) + 1}"

    def _input(self, place: int, case: int) -> str:
        """The cell that holds a case's value."""
        return f"Cases!{column_letter(case + 3)}${self.row_of[place]}"

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
        sheet.heads(["attribute", "up to", "swapped", "table", "", *self._case_names()])
        coded = [place for place in self.program.inputs if place in self.codes]
        rows = {place: 2 + number for number, place in enumerate(coded)}
        for place, row in rows.items():  # first, the codes of the values
            sheet.put(row, 1, f"{self.program.schema[place].name}: place among its values")
            for case in range(self.count):
                sheet.formula(row, self.first + case, self._code(place, case))
        self.start = 2 + len(rows)
        for number, (place, cut, table, swapped) in enumerate(self.data["asks"]):
            row = self.start + number
            sheet.put(row, 1, self.program.schema[place].name)
            if cut is not None and math.isfinite(cut):
                sheet.put(row, 2, cut)
            sheet.put(row, 3, swapped)
            if table is not None:
                sheet.put(row, 4, table)
            for case, letter in enumerate(self.letters):
                code = f"{letter}${rows[place]}" if place in rows else ""
                sheet.formula(row, self.first + case, self._branch(row, place, cut, table, swapped, case, code))

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
        """The part of each case that reaches each node, and the answers of the nodes.

        An inner node where unknown values end has a second row below the tree, for the parts that end there.
        """
        sheet, table = self.tree, self.table
        self.answers = self.first + self.count
        outputs = [str(one) for one in self.program.classes or ("number",)]
        sheet.heads(["node", "reached by", "above", "share", "ends", *self._case_names(), *outputs])
        parents: dict[int, tuple[int, int]] = {}
        for node in range(table.size):
            for branch, child in enumerate(table.children(node)):
                parents[child] = (node, branch)
        self.last = 1
        for node in range(table.size):
            above, branch = parents.get(node, (-1, 0))
            parts = self._parts(above, branch) if above >= 0 else ["1"] * self.count
            self._node(node, int(table.is_leaf(node)), parts)
            if above >= 0:
                question = table.tree.node(above).test
                sheet.put(self.last, 2, "" if question is None else question.branch(branch, limit=5))
                sheet.put(self.last, 3, above)
                sheet.put(self.last, 4, float(table.shares[node]))
        for node in range(table.size):
            if not table.is_leaf(node) and table.ends(node):
                ended = [f"IF({self._taken(node, letter)}<0,{letter}{node + 2},0)" for letter in self.letters]
                self._node(node, 1, ended)

    def _node(self, node: int, ends: int, parts: list[str]) -> None:
        """A row of a node: the parts of the cases, and its answer."""
        sheet, data = self.tree, self.data
        self.last += 1
        sheet.put(self.last, 1, node)
        sheet.put(self.last, 5, ends)
        for case, part in enumerate(parts):
            sheet.formula(self.last, self.first + case, part)
        for place, number in enumerate(data["answers"][data["answer"][node]]):
            sheet.put(self.last, self.answers + place, float(number))

    def _parts(self, above: int, branch: int) -> list[str]:
        """The part of each case that comes to a branch of a node."""
        row, result = self.last + 1, []
        for letter in self.letters:
            taken = self._taken(above, letter)
            share = f"IF({taken}<0,$D{row},0)" if self.table.missing(above) < 0 else "0"
            result.append(f"{letter}{above + 2}*IF({taken}={branch},1,{share})")
        return result

    def _taken(self, node: int, letter: str) -> str:
        """The branch of a case at a node: by its value, by a surrogate, or that of unknown values; -1: by shares."""
        asks = [self.data["ask"][node], *self.data.get("surrogates", {}).get(node, ())]
        cells = [f"Questions!{letter}${self.start + ask}" for ask in asks]
        missing = self.table.missing(node)
        text = cells.pop() if missing < 0 else str(missing)  # a question without a branch says -1 itself
        for cell in reversed(cells):
            text = f"IF({cell}>=0,{cell},{text})"
        return text

    def _cases(self) -> None:
        """The cells where cases are typed, and the cells where their answers appear."""
        sheet, program = self.cases, self.program
        sheet.heads(["attribute", "what it is", *self._case_names()])
        for place, row in self.row_of.items():
            attribute = program.schema[place]
            sheet.put(row, 1, attribute.name, BOLD)
            words = "a number" if attribute.kind == "numeric" else ", ".join(map(str, attribute.values[:8]))
            sheet.put(row, 2, words + (", …" if attribute.n_values > 8 else ""))
            for case in range(self.count):
                sheet.empty(row, case + 3, GROUND)
        start = len(self.row_of) + 3
        ends = f"Tree!$E$2:$E${self.last}"
        sheet.put(start, 1, "answer", BOLD)
        sheet.put(start, 2, "empty cells are unknown")
        labels = list(program.classes)
        for number, label in enumerate(labels):
            sheet.put(start + 1 + number, 1, f"share of {label}")
            sheet.put(start + 1 + number, 2, label)
        for case, letter in enumerate(self.letters):
            parts, sums = f"Tree!{letter}$2:{letter}${self.last}", []
            for place in range(program.width):
                answers = column_letter(self.answers + place)
                sums.append(f"SUMPRODUCT({parts},{ends},Tree!${answers}$2:${answers}${self.last})")
            if not labels:
                sheet.formula(start, case + 3, sums[0])
                continue
            for place, text in enumerate(sums):
                sheet.formula(start + 1 + place, case + 3, text)
            self._label(start, case + 3, len(labels))

    def _label(self, start: int, column: int, count: int) -> None:
        """The class of a case: cells below the shares score each class; a cell above shows the first of the best."""
        sheet, letter, program = self.cases, column_letter(column), self.program
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
            sheet.put(below + place, 1, "how good the class is" if place == 0 else "")
            sheet.formula(below + place, column, text)
        goods = f"{letter}${below}:{letter}${below + count - 1}"
        best = f"SUMPRODUCT(MAX(({goods}>=MAX({goods})-{tie!r})*({count}+{below}-ROW({goods}))))"  # the first of them
        first = f"({count}-{best})"
        names = f"$B${start + 1}:$B${start + count}"
        empty = '&""' if "" in (program.classes or ()) else ""  # an empty cell would be answered as 0
        sheet.formula(start, column, f"INDEX({names},{first}+1){empty}")
