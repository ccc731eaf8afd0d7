"""The answer of all members of a program together, in an ONNX graph."""

from __future__ import annotations

import numpy as np

from quercus.arrays import Floats
from quercus.export.onnx_choice import chosen
from quercus.export.onnx_columns import read_columns
from quercus.export.onnx_ensemble import ensemble, is_plain
from quercus.export.onnx_pieces import Pieces
from quercus.export.onnx_rules import rule_answers
from quercus.export.onnx_scores import added_scores, linked
from quercus.export.onnx_walk import walked
from quercus.export.program import Member, Program, RuleTables, TreeTable


def answered(pieces: Pieces, program: Program, cells: str) -> tuple[str, str | None]:
    """The shares of the classes (or the numbers) [rows, width], and the positions of the classes [rows].

    cells: the columns of ``read_columns`` side by side, as doubles: numbers, or codes of values; NaN is unknown.
    """
    width, classes = program.width, program.has_classes
    trees = _tree_answers(pieces, program, cells)
    if program.scores is not None:
        scores = added_scores(pieces, program, program.scores, trees)
        shares = linked(pieces, program.scores.link, scores)
        if program.by_scores:
            return shares, chosen(pieces, scores, width) if classes else None
    elif program.together:
        shares = _mean(pieces, program, cells, trees)
    elif isinstance(member := program.members[0], RuleTables):
        shares, labels = _rule_answers(pieces, program, cells, member, trees)
        by_costs = classes and program.costs is not None
        return shares, chosen(pieces, shares, width, program.costs) if by_costs else labels
    else:
        shares = trees[id(member)]
    return shares, chosen(pieces, shares, width, program.costs, program.threshold) if classes else None


def _mean(pieces: Pieces, program: Program, cells: str, trees: dict[int, str]) -> str:
    """The mean of the members' answers, added up in their order; or of their votes, if the majority decides."""
    total, used = "", 0.0
    for member, weight in zip(program.members, program.weights, strict=True):
        term = _vote(pieces, program, cells, member, trees)
        if weight != 1.0:
            term = pieces.op("Mul", [term, pieces.double(weight)])
        total = term if not total else pieces.op("Add", [total, term])
        used += weight
    return pieces.op("Div", [total, pieces.double(used)])


def _vote(pieces: Pieces, program: Program, cells: str, member: Member, trees: dict[int, str]) -> str:
    """The part that one of several members adds to the sum."""
    ballots = np.eye(program.width)
    if isinstance(member, RuleTables):
        shares, labels = _rule_answers(pieces, program, cells, member, trees)
        if not program.majority or labels is None:
            return shares
        return pieces.op("Gather", [pieces.double(ballots), labels])
    shares = trees[id(member)]
    if not program.majority or is_plain(member, pieces):  # plain trees have looked up their votes
        return shares
    return pieces.op("Gather", [pieces.double(ballots), chosen(pieces, shares, program.width)])


def _rule_answers(
    pieces: Pieces, program: Program, cells: str, member: RuleTables, trees: dict[int, str]
) -> tuple[str, str | None]:
    behind = None if member.behind is None else trees[id(member.behind)]
    return rule_answers(pieces, cells, member, read_columns(program), behind)


# Trees


def _tree_answers(pieces: Pieces, program: Program, cells: str) -> dict[int, str]:
    """The answer of each tree, also of trees that rules use: shares, or votes of plain trees under majority vote."""
    tables = list(program.trees())
    plain = [table for table in tables if is_plain(table, pieces)]
    others = [table for table in tables if not is_plain(table, pieces)]
    result: dict[int, str] = {}
    if plain:
        numbers = ensemble(pieces, cells, plain, read_columns(program))
        for place, table in enumerate(plain):
            term = pieces.double(_distinct_answers(program, table))
            result[id(table)] = pieces.op("Gather", [term, pieces.column(numbers, place)])
    if others:
        answers = walked(pieces, cells, others, read_columns(program))
        for place, table in enumerate(others):
            result[id(table)] = pieces.op("Gather", [answers, pieces.whole(place)])
    return result


def _distinct_answers(program: Program, table: TreeTable) -> Floats:
    """The different answers of a tree; under majority vote each is the vote for one class."""
    votes = program.majority and any(table is member for member in program.members)
    return table.tree.target_kind.votes(table.leaf_answers) if votes else table.leaf_answers
