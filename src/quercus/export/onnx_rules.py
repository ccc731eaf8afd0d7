"""Rule lists in an ONNX graph: which conditions rows fulfil, which rule is the first, or how all of them vote."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from quercus.data.schema import Schema
from quercus.export.onnx_choice import chosen, near_largest
from quercus.export.onnx_pieces import Pieces
from quercus.export.program import RuleTables

Test = dict[str, Any]


def rule_answers(
    pieces: Pieces, cells: str, member: RuleTables, inputs: list[int], behind: str | None
) -> tuple[str, str | None]:
    """What a rule list answers: shares (or numbers) [rows, width], and the positions of the classes [rows].

    inputs: the positions of the attributes that cells hold. behind: what the tree behind the rules answers.
    """
    covered, rules, width = _covered(pieces, cells, member, inputs), member.rules, member.answers.shape[1]
    if rules.mode == "voting":
        return _voted(pieces, member, covered)
    op = pieces.op
    first = op("ArgMax", [pieces.cast(covered, pieces.types.INT32)], axis=1, keepdims=0)
    shares = op("Gather", [pieces.double(member.answers), first])
    labels = op("Gather", [pieces.whole(rules.consequents), first]) if rules.target_kind.has_shares else None
    if behind is None:
        return shares, labels
    none = op("Equal", [first, pieces.whole(len(rules))])
    shares = op("Where", [op("Unsqueeze", [none, pieces.whole([1])]), behind, shares])
    if labels is not None:
        theirs = chosen(pieces, behind, width, member.behind_costs, member.behind_decision.threshold)
        labels = op("Where", [none, theirs, labels])
    return shares, labels


def _covered(pieces: Pieces, cells: str, member: RuleTables, inputs: list[int]) -> str:
    """Whether each rule covers each row: [rows, rules + 1]; the last column is the default, which covers all rows."""
    always: Test = {"attribute": inputs[0], "unknown": True}
    truth, place = _fulfilled(pieces, cells, [always, *(t for rule in member.tests for t in rule)], member, inputs)
    rules = [[place[_key(test)] for test in rule] for rule in member.tests] + [[]]
    covered = ""
    for number in range(max(1, *(len(rule) for rule in rules))):
        asked = [rule[number] if number < len(rule) else place[_key(always)] for rule in rules]
        column = pieces.op("Gather", [truth, pieces.whole(asked)], axis=1)
        covered = column if not covered else pieces.op("And", [covered, column])
    return covered


def _key(test: Test) -> str:
    return repr(sorted(test.items()))


def _fulfilled(
    pieces: Pieces, cells: str, tests: list[Test], member: RuleTables, inputs: list[int]
) -> tuple[str, dict[str, int]]:
    """Whether each row fulfils each of the different conditions [rows, conditions], and the place of each."""
    different = {_key(test): test for test in tests}
    coded = {key: test for key, test in different.items() if _bounds(test) is None}
    plain = {key: test for key, test in different.items() if key not in coded}
    truth = _within(pieces, *_cells(pieces, cells, list(plain.values()), inputs), list(plain.values()))
    if coded:
        asked = list(coded.values())
        among = _among(pieces, *_cells(pieces, cells, asked, inputs), asked, member.rules.schema)
        truth = pieces.op("Concat", [truth, among], axis=1)
    return truth, {key: place for place, key in enumerate([*plain, *coded])}


def _cells(pieces: Pieces, cells: str, tests: list[Test], inputs: list[int]) -> tuple[str, str]:
    """The values that conditions test [rows, conditions], and whether they are unknown."""
    at = {position: number for number, position in enumerate(inputs)}
    values = pieces.op("Gather", [cells, pieces.whole([at[test["attribute"]] for test in tests])], axis=1)
    return values, pieces.op("IsNaN", [values])


def _bounds(test: Test) -> tuple[float, float] | None:
    """The value must not be at most the first and not above the second (NaN: open); None: it needs a table."""
    if "codes" not in test:
        return test.get("above", math.nan), test.get("up_to", math.nan)
    if not test["codes"]:
        return math.inf, math.nan
    low, high = min(test["codes"]), max(test["codes"])
    return (low - 0.5, high + 0.5) if high - low + 1 == len(test["codes"]) else None


def _within(pieces: Pieces, values: str, unknown: str, tests: list[Test]) -> str:
    """Whether each row fulfils the conditions that have bounds."""
    low, high = zip(*(_bounds(test) or (0.0, 0.0) for test in tests), strict=True)
    below = pieces.op("LessOrEqual", [values, pieces.double(low)])
    outside = pieces.op("Or", [below, pieces.op("Greater", [values, pieces.double(high)])])
    return _either(pieces, unknown, tests, pieces.op("Not", [outside]))


def _among(pieces: Pieces, values: str, unknown: str, tests: list[Test], schema: Schema) -> str:
    """Whether each row fulfils the conditions that have codes: one table holds the codes of all of them."""
    op = pieces.op
    sizes = [schema[test["attribute"]].n_values for test in tests]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    table = np.zeros(starts[-1], dtype=np.bool_)
    for start, test in zip(starts.tolist(), tests, strict=False):
        table[[start + code for code in test["codes"]]] = True
    codes = pieces.to_whole(op("Where", [unknown, pieces.double(0.0), values]))
    fulfilled = op("Gather", [pieces.constant(table, np.bool_), op("Add", [codes, pieces.whole(starts[:-1])])])
    return _either(pieces, unknown, tests, fulfilled)


def _either(pieces: Pieces, unknown: str, tests: list[Test], known: str) -> str:
    """Whether conditions are fulfilled: an unknown value as each condition says, a known value by its test."""
    flags = pieces.constant([test.get("unknown", False) for test in tests], np.bool_)
    among = pieces.op("And", [known, pieces.op("Not", [unknown])])
    return pieces.op("Or", [pieces.op("And", [unknown, flags]), among])


def _voted(pieces: Pieces, member: RuleTables, covered: str) -> tuple[str, str | None]:
    """The shares of the votes, and the class with the most; among ties the default, else the first."""
    op, rules, width = pieces.op, member.rules, member.answers.shape[1]
    strength = np.array(member.strengths)[:, None]
    ballots = np.zeros((len(rules) + 1, width + 1))  # the last line: the default does not vote
    ballots[:-1] = np.hstack([strength * rules.target_kind.ballots(rules.consequents[:-1]), strength])
    totals = op("MatMul", [pieces.cast(covered), pieces.double(ballots)])
    sums = op("Gather", [totals, pieces.whole(range(width))], axis=1)
    total = op("Gather", [totals, pieces.whole([width])], axis=1)
    voted = op("Greater", [total, pieces.double(0.0)])
    shares = op("Where", [voted, op("Div", [sums, total]), pieces.double(member.answers[-1:])])
    if not rules.target_kind.has_shares:
        return shares, None
    tied = pieces.column(near_largest(pieces, shares), int(rules.default))
    return shares, op("Where", [tied, pieces.whole(rules.default), chosen(pieces, shares, width)])
