"""Constraints of the reference grower: where the answers of a node must lie, and which divisions keep them there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quercus.arrays import Floats, Truths
from quercus.growing.constraints import Order
from quercus.growing.reference.purity import (
    FIRST,
    WEIGHT,
    AbsoluteError,
    ClassPurity,
    PinballError,
    Purity,
    divided,
    lower_quantile,
    upper_quantile,
)


@dataclass(frozen=True, eq=False)
class Bounds:
    """Between which numbers the watched answers of a node, and of all nodes below it, must lie."""

    order: Order
    low: Floats
    high: Floats

    @classmethod
    def none(cls, order: Order | None) -> Bounds | None:
        """The bounds of the root: any answer is allowed. None: there is no order."""
        if order is None:
            return None
        free = np.full(order.signs.shape[1], np.inf)
        return cls(order, -free, free)

    def divided(self, attribute: int, left: Floats, right: Floats) -> tuple[Bounds, Bounds]:
        """The bounds of both sides of a cut: the middle of their answers is the bound between them."""
        signs, middle = self.order.signs[attribute], left / 2 + right / 2
        below, above = np.minimum(self.high, middle), np.maximum(self.low, middle)
        return (
            Bounds(self.order, np.where(signs < 0, above, self.low), np.where(signs > 0, below, self.high)),
            Bounds(self.order, np.where(signs > 0, above, self.low), np.where(signs < 0, below, self.high)),
        )

    def stored(self, value: Floats) -> Floats:
        """The watched answers of a node from what the tree keeps of it."""
        if not self.order.watched:
            return value[: len(self.low)]
        return divided(value[list(self.order.watched)], np.asarray(value.sum()))

    def clipped(self, value: Floats) -> Floats:
        """What the tree keeps of a node, the numbers that it predicts put between the bounds (rounding moved them)."""
        if self.order.watched:
            return value
        n = len(self.low)
        return np.concatenate([np.clip(value[:n], self.low, self.high), value[n:]])


def keeps_order(
    bounds: Bounds | None,
    purity: Purity,
    attribute: int,
    divisions: Floats,
    spread: Floats | None = None,
    is_cut: Truths | bool = False,
) -> Truths:
    """Whether the answers of all branches lie between the bounds and, of a cut, in the order that is asked for.

    divisions: tallies [..., branches, columns]. spread: the tally of instances that go down every branch by the
    branch's share of the weight. is_cut: whether the first of two branches holds the smaller values.
    """
    if bounds is None:
        return np.ones(divisions.shape[:-2], dtype=bool)
    if spread is not None:
        weights = divisions[..., WEIGHT]
        divisions = divisions + (weights / weights.sum(axis=-1, keepdims=True))[..., None] * spread
    answers, slack = watched_answers(bounds.order, purity, divisions), bounds.order.slack
    empty = divisions[..., WEIGHT, None] <= 0
    inside = empty | ((answers >= bounds.low - slack) & (answers <= bounds.high + slack))
    allowed = inside.all(axis=(-1, -2))
    if np.any(is_cut):
        signs = bounds.order.signs[attribute]
        ordered = (signs * (answers[..., 0, :] - answers[..., 1, :]) <= slack).all(axis=-1)
        allowed &= ordered | ~np.asarray(is_cut)
    return np.asarray(allowed)


def watched_answers(order: Order, purity: Purity, tallies: Floats) -> Floats:
    """What a leaf of each tally would answer [..., watched]: class shares, the mean, or the quantiles."""
    if isinstance(purity, ClassPurity):
        return divided(tallies[..., FIRST:][..., list(order.watched)], tallies[..., WEIGHT, None])
    if isinstance(purity, AbsoluteError):
        weights = tallies[..., FIRST:]
        levels = purity.quantiles if isinstance(purity, PinballError) else (0.5,)
        ends = [(lower_quantile(weights, level), upper_quantile(weights, level)) for level in levels]
        return np.stack([purity.distinct[low] / 2 + purity.distinct[high] / 2 for low, high in ends], axis=-1)
    return np.asarray(purity.mean + purity.centre(tallies))[..., None]
