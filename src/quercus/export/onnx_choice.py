"""From class shares to one class in an ONNX graph: the most likely, of least expected cost, or by a threshold."""

from __future__ import annotations

import numpy as np

from quercus.export.onnx_pieces import Pieces
from quercus.targets.labels import TIE


def chosen(
    pieces: Pieces, shares: str, width: int, costs: list[list[float]] | None = None, threshold: float | None = None
) -> str:
    """The positions of the classes to answer [rows], as ``quercus.targets.labels`` chooses them."""
    op, scores, tie = pieces.op, shares, TIE
    if threshold is not None:
        reached = op("GreaterOrEqual", [pieces.column(shares, 1), pieces.double(threshold - TIE)])
        return pieces.to_whole(reached)
    if costs is not None:
        scores = op("Neg", [op("MatMul", [shares, pieces.double(costs)])])
        tie = TIE * max(1.0, float(np.abs(np.array(costs)).max()))
    if width == 2:
        first = op("Add", [pieces.column(scores, 0), pieces.double(tie)])
        return pieces.to_whole(op("Greater", [pieces.column(scores, 1), first]))
    close = pieces.cast(near_largest(pieces, scores, tie))
    return op("ArgMax", [close], axis=1, keepdims=0)


def near_largest(pieces: Pieces, scores: str, tie: float = TIE) -> str:
    """Whether each score is the largest of its row, up to rounding."""
    most = pieces.op("ReduceMax", [scores, pieces.whole([1])], keepdims=1)
    least = pieces.op("Sub", [most, pieces.double(tie)])
    return pieces.op("GreaterOrEqual", [scores, least])
