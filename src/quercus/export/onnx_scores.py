"""Scores that the trees of a program add up, and the link that turns them into answers, in an ONNX graph."""

from __future__ import annotations

from quercus.export.onnx_pieces import Pieces
from quercus.export.program import Program
from quercus.forests.score_sum import ScoreSum


def added_scores(pieces: Pieces, program: Program, scores: ScoreSum, trees: dict[int, str]) -> str:
    """The scores [rows, scores]: base + Σ weight · number. trees: what each says [rows, 1], by its identity."""
    op, totals = pieces.op, [""] * len(scores.base)
    for member, weight, place in zip(program.members, program.weights, scores.places, strict=True):
        term = trees[id(member)]
        if weight != 1.0:
            term = op("Mul", [term, pieces.double(weight)])
        totals[place] = op("Add", [totals[place], term]) if totals[place] else term
    zero = op("Mul", [next(total for total in totals if total), pieces.double(0.0)])  # of a score without trees
    based = [op("Add", [pieces.double(base), total or zero]) for base, total in zip(scores.base, totals, strict=True)]
    return based[0] if len(based) == 1 else op("Concat", based, axis=1)


def linked(pieces: Pieces, link: str, scores: str) -> str:
    """The answers that follow from the scores: the shares of the classes, or the numbers [rows, width]."""
    op = pieces.op
    if link != "softmax":
        return scores if link == "identity" else op("Exp", [scores])
    axis = pieces.whole([1])
    powers = op("Exp", [op("Sub", [scores, op("ReduceMax", [scores, axis], keepdims=1)])])
    return op("Div", [powers, op("ReduceSum", [powers, axis], keepdims=1)])
