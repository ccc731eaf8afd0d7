"""Trees in SQL: the leaf that a row reaches, or, where it follows several branches, its share in every leaf."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, groupby

from quercus.errors import ExportError
from quercus.export.program import Ask, TreeTable
from quercus.export.sql_steps import Steps

#: So many levels of a tree are one expression; SQLite's parser allows no more than about twenty.
LEVELS = 10
#: So many shares of nodes are computed side by side; databases limit the number of columns.
BLOCK = 500
#: So many may wait for their turn.
MOST_WAITING = 900


class Trees(Steps):
    """The part of a query that follows rows through trees."""

    def looked_up(self, name: str, table: TreeTable) -> list[str]:
        """The answers of the nodes, by the number of the answer in a column; the most frequent answer is the last."""
        d, answers = self.dialect, table.leaf_answers
        expressions = []
        for column in answers.T.tolist():
            usual = Counter(column).most_common(1)[0][0]
            cases = [f"WHEN {i} THEN {d.number(number)}" for i, number in enumerate(column) if number != usual]
            expressions.append(
                f"CASE {name} {' '.join(cases)} ELSE {d.number(usual)} END" if cases else d.number(usual)
            )
        return expressions

    # One way through a tree

    def walk(self, walks: dict[int, TreeTable]) -> dict[int, str]:
        """Follow rows through some trees, a few levels in each step; the columns that hold the answers' numbers.

        A column holds the number of an answer, or, below 0, of a node that the next step goes on from.
        """
        names = {number: "" for number in walks}
        open_nodes = {number: [0] for number in walks}
        depth = 0
        while any(open_nodes.values()):
            columns, drop = [], []
            for number, nodes in open_nodes.items():
                if not nodes:
                    continue
                table, before = walks[number], names[number]
                names[number] = f"n{number}_{depth}"
                later: list[int] = []
                parts = {node: self._case(table, node, LEVELS, later) for node in nodes}
                if before:
                    drop.append(before)
                    cases = " ".join(f"WHEN {-1 - node} THEN {text}" for node, text in parts.items())
                    text = f"CASE {before} {cases} ELSE {before} END"
                else:
                    text = parts[0]
                columns.append((names[number], text))
                open_nodes[number] = later
            self.add(columns, drop)
            depth += 1
        return names

    def _case(self, table: TreeTable, node: int, levels: int, later: list[int]) -> str:
        """The number of the answer below a node."""
        if table.is_leaf(node):
            return str(table.leaf_row[node])
        if levels == 0:
            later.append(node)
            return str(-1 - node)
        below = {
            branch: self._case(table, child, levels - 1, later) for branch, child in enumerate(table.children(node))
        }
        if len(set(below.values())) == 1 and table.missing(node) >= 0:
            return below[0]
        cases = []
        for condition, branch in self._branches(table, node):
            cases.append(f"WHEN {condition} THEN {below[branch]}")
        return f"CASE {' '.join(cases)} ELSE {below[table.missing(node)]} END"

    def _branches(self, table: TreeTable, node: int) -> Iterator[tuple[str, int]]:
        """Conditions in the order in which they are tried, each with its branch; the last one is left out.

        First those of the value itself, then those of the surrogates; who fulfils none takes the branch of the unknown.
        """
        asks = [table.ask(node), *table.surrogates(node)]
        for place, ask in enumerate(asks):
            last = place == len(asks) - 1
            yield from self._conditions(ask, None if not last else table.missing(node))

    def _conditions(self, ask: Ask, left_out: int | None) -> Iterator[tuple[str, int]]:
        """The condition of each branch of a question; left_out: a branch whose condition is not needed."""
        d, column = self.dialect, f"x{self.place[ask.attribute]}"
        if ask.cut is None:
            values = self.program.attribute(ask.attribute).values
            for branch, codes in sorted(ask.groups().items()):
                if branch != left_out:
                    yield d.among(column, [values[code] for code in codes]), branch
            return
        low, high = (1, 0) if ask.swapped else (0, 1)
        if ask.cut == math.inf:
            yield f"{column} IS NOT NULL", low
            return
        cut = d.bound(self.program.attribute(ask.attribute), ask.cut)
        if low != left_out:
            yield f"{column} <= {cut}", low
        if high != left_out:
            yield f"{column} > {cut}", high

    # Several ways through a tree

    def spread(self, name: str, table: TreeTable) -> None:
        """Columns with what a tree answers where a row may follow several branches.

        A node has a column with the part of the row that comes there: the part of its parent by its share. The leaves'
        answers are added up in the order of the leaves, as Quercus adds them. A large tree is taken in blocks.
        """
        if table.has_surrogates:
            raise ExportError("SQL cannot express a tree that has surrogates and spreads unknown values over branches.")
        order, sizes = _order(table), _sizes(table)
        upper = self._down(table, [_Part(0, "")], lambda node: sizes[node] > BLOCK)
        if len(upper) > MOST_WAITING:
            raise ExportError(
                f"Unknown values are spread over the branches of a tree whose upper part alone has {len(upper):,} "
                'ends, which is more than a query can hold at once. Prune the tree, fit with missing="most_common", '
                'or export to "python", "c" or "javascript".'
            )
        upper.sort(key=lambda part: order[part.node])
        filled = accumulate(0 if part.ended else sizes[part.node] for part in upper)
        first = True
        for _, block in groupby(zip(filled, upper, strict=True), key=lambda pair: pair[0] // BLOCK):
            ends = self._down(table, [part for _, part in block], lambda node: True)
            self._add_answers(name, table, sorted(ends, key=lambda part: order[part.node]), first)
            first = False

    def _add_answers(self, name: str, table: TreeTable, ends: list[_Part], first: bool) -> None:
        """Add the answers of some ends to the sums, and drop the columns of these ends."""
        sums: dict[str, list[str]] = {f"{name}_{j}": [] for j in range(self.program.width)}
        if not first:
            sums = {column: [column] for column in sums}
        for part in ends:
            for terms, answer in zip(sums.values(), table.answers[part.node].tolist(), strict=True):
                if answer != 0.0:
                    terms.append(part.column if answer == 1.0 else f"{part.column} * {self.dialect.number(answer)}")
        self.add_sums(sums, [part.column for part in ends])

    def _down(self, table: TreeTable, parts: list[_Part], opens: Callable[[int], bool]) -> list[_Part]:
        """Divide parts of rows among the nodes below, some levels in each step; return what is not divided further."""
        ends: list[_Part] = []
        while True:
            inner = [part for part in parts if not part.ended and not table.is_leaf(part.node) and opens(part.node)]
            ends += [part for part in parts if part not in inner]
            if not inner:
                return ends
            levels = _levels(table, [part.node for part in inner], opens)
            divided = [pair for part in inner for pair in self._divided(table, part.node, part.column, levels, opens)]
            self.add([(part.column, text) for part, text in divided], [part.column for part in inner])
            parts = [part for part, _ in divided]

    def _divided(
        self, table: TreeTable, node: int, text: str, levels: int, opens: Callable[[int], bool]
    ) -> Iterator[tuple[_Part, str]]:
        """The parts of a row some levels below a node, each with its product."""
        before = f"{text} * " if text else ""
        conditions = {branch: condition for condition, branch in self._conditions(table.ask(node), None)}
        unknown, missing = self._unknown(table, node), table.missing(node)
        if table.ends(node):
            one, zero = self.dialect.number(1.0), self.dialect.number(0.0)
            yield _Part(node, f"u{node}", True), f"{before}CASE WHEN {unknown} THEN {one} ELSE {zero} END"
        for branch, child in enumerate(table.children(node)):
            share = float(table.shares[child]) if missing < 0 else float(branch == missing)
            factor = self._factor(unknown, conditions.get(branch), share)
            if factor is None:
                continue
            if levels > 1 and not table.is_leaf(child) and opens(child):
                yield from self._divided(table, child, before + factor, levels - 1, opens)
            else:
                yield _Part(child, f"w{child}"), before + factor

    def _unknown(self, table: TreeTable, node: int) -> str:
        """The condition that a value is unknown at a node, or has no branch there."""
        ask = table.ask(node)
        column = f"x{self.place[ask.attribute]}"
        if ask.cut is not None:
            return f"{column} IS NULL"
        values = self.program.attribute(ask.attribute).values
        known = [values[code] for code, branch in enumerate(ask.table) if branch >= 0]
        return f"({column} IS NULL OR NOT {self.dialect.among(column, known)})" if known else "1 = 1"

    def _factor(self, unknown: str, condition: str | None, share: float) -> str | None:
        """The part of a row that goes down a branch; None: no row ever does."""
        d = self.dialect
        one, zero = d.number(1.0), d.number(0.0)
        if condition is None:
            return None if share == 0.0 else f"CASE WHEN {unknown} THEN {d.number(share)} ELSE {zero} END"
        return f"CASE WHEN {condition} THEN {one} WHEN {unknown} THEN {d.number(share)} ELSE {zero} END"


@dataclass(frozen=True)
class _Part:
    """The part of a row that reaches a node, in a column; ended: it ends there, although the node has a question."""

    node: int
    column: str
    ended: bool = False


def _order(table: TreeTable) -> list[int]:
    """The place of each node in depth-first order."""
    order, stack, place = [0] * table.size, [0], 0
    while stack:
        node = stack.pop()
        order[node], place = place, place + 1
        stack.extend(reversed(table.children(node)))
    return order


def _sizes(table: TreeTable) -> list[int]:
    """The number of nodes of each subtree."""
    sizes = [1] * table.size
    for node in range(table.size - 1, -1, -1):
        sizes[node] += sum(sizes[child] for child in table.children(node))
    return sizes


def _levels(table: TreeTable, nodes: list[int], opens: Callable[[int], bool]) -> int:
    """How many levels one step goes down, so that the products stay short compared with the number of nodes."""
    levels = count = closed = 0
    while nodes and levels < LEVELS:
        below = [child for node in nodes for child in table.children(node)]
        nodes = [child for child in below if not table.is_leaf(child) and opens(child)]
        count += len(below)
        closed += (levels + 1) * (len(below) - len(nodes))
        if levels and closed + (levels + 1) * len(nodes) > 3 * count + 20:
            break
        levels += 1
    return max(levels, 1)
