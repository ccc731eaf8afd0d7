"""Trees to be drawn by other programs: which trees of a model, and the boxes of each with their places."""

from __future__ import annotations

from typing import Any

from quercus.draw.layout import Layout, tree_layout
from quercus.errors import ExportError, shorten
from quercus.export.program import Program, TreeTable

#: So many trees of a collection are drawn side by side.
MOST_TREES = 12


def pictured(program: Program, form: str, tree: Any) -> list[tuple[int, TreeTable]]:
    """The trees to draw, by number. form: the format. tree: the number of one tree; None: all."""
    tables = {number: one for number, one in enumerate(program.members) if isinstance(one, TreeTable)}
    if len(tables) < len(program.members):
        raise ExportError(
            f"The model answers by rules, and {form} draws trees. Print them (print(model.rules_)), or export them "
            'to "sql", "python", "javascript" or "c".'
        )
    if tree is not None:
        number = whole_number("tree", tree)
        if number not in tables:
            raise ExportError(f"tree is {number}, but the trees are 0 … {len(tables) - 1}.")
        return [(number, tables[number])]
    if len(tables) > MOST_TREES:
        raise ExportError(
            f"The model has {len(tables):,} trees, and at most {MOST_TREES} are drawn side by side. Choose one: tree=0."
        )
    return list(tables.items())


def whole_number(name: str, value: Any) -> int:
    """The value of an option that counts something; texts of digits are read, as the command line passes them."""
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text.isdecimal():
        text = int(text)
    if not isinstance(text, int) or isinstance(text, bool) or text < 0:
        raise ExportError(f"{name} is {shorten(value)}, but must be a whole number from 0.")
    return text


def layout_of(program: Program, table: TreeTable, max_depth: Any, max_nodes: Any) -> Layout:
    """The boxes of a tree, with the labels that the model answers."""
    costs = None if program.together else program.costs
    return tree_layout(
        table.tree,
        max_depth=None if max_depth is None else whole_number("max_depth", max_depth),
        max_nodes=None if max_nodes is None else whole_number("max_nodes", max_nodes),
        cost_matrix=costs,
    )
