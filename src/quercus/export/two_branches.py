"""Questions of many branches as chains of questions with two, for formats whose trees have no others."""

from __future__ import annotations

from typing import NamedTuple

from quercus.export.program import Ask, TreeTable


class Pair(NamedTuple):
    """A question with two branches.

    attribute: its position. cut: yes up to it; None: yes for the codes. codes: of values. unknown: whether an unknown
    value is a yes. child: the node behind yes; behind no stands the next question of the chain, or what is left.
    """

    attribute: int
    cut: float | None
    codes: list[int]
    unknown: bool
    child: int


def chain(table: TreeTable, node: int) -> tuple[list[Pair], int]:
    """The questions with two branches that a question is, asked one after the other, and the node behind the last no.

    Unknown values, and those that have no branch, reach the branch that takes them: of values it is the last no. A
    question whose every value goes there is left out; without any question the node is a leaf, or ends at one.
    """
    if table.is_leaf(node):
        return [], node
    ask, children, missing = table.ask(node), table.children(node), table.missing(node)
    if ask.cut is not None:
        return [Pair(ask.attribute, ask.cut, [], missing == 0, children[0])], children[1]
    codes = _codes(ask, len(children))
    branches = [branch for branch in range(len(children)) if branch != missing and codes[branch]]
    if not branches:
        return chain(table, children[missing])
    return [Pair(ask.attribute, None, codes[branch], False, children[branch]) for branch in branches], children[missing]


def _codes(ask: Ask, size: int) -> list[list[int]]:
    """The codes of each branch."""
    result: list[list[int]] = [[] for _ in range(size)]
    for code, branch in enumerate(ask.table):
        if 0 <= branch < size:
            result[branch].append(code)
    return result
