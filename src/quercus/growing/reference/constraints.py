"""Constraints of the reference grower: where the answers of a node must lie, and which divisions keep them there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quercus.arrays import Floats, Truths
from quercus.growing.constraints import Order
from quercus.growing.reference.purity import FIRST, WEIGHT, ClassPurity, Purity, divided


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
        free = np.full(order.n_answers, np.inf)
        return cls(order, -free, free)

    def divided(self, attribute: int, left: Floats, right: Floats) -> tuple[Bounds, Bounds]:
        """The bounds of both sides of a cut, from what the tree keeps of them: the middle of their answers divides."""
        middle = np.clip(self.stored(left) / 2 + self.stored(right) / 2, self.low, self.high)
        below, above = Bounds(self.order, self.low, middle), Bounds(self.order, middle, self.high)
        sign = self.order.signs[attribute]
        return (below, above) if sign > 0 else (above, below) if sign < 0 else (self, self)

    def stored(self, value: Floats) -> Floats:
        """The watched answers of a node from what the tree keeps of it."""
        if self.order.watched is None:
            return value[: self.order.n_answers]
        return divided(value[[self.order.watched]], value.sum(keepdims=True))

    def kept(self, value: Floats) -> Floats:
        """What the tree keeps of a node, changed so that the node answers between the bounds."""
        answers, n, watched = self.stored(value), self.order.n_answers, self.order.watched
        nearer = np.clip(answers, self.low, self.high)
        if (nearer == answers).all():
            return value
        if watched is None:
            return np.concatenate([nearer, value[n:]])
        whole, others = value.sum(), value.sum() - value[watched]
        left = whole - nearer[0] * whole
        result = value * (left / others) if others > 0 else np.full(len(value), left / (len(value) - 1))
        result[watched] = nearer[0] * whole
        return np.asarray(result)


def keeps_order(bounds: Bounds | None, purity: Purity, attribute: int, cuts: Floats) -> Truths:
    """Whether both sides of each cut answer between the bounds, and in the order that the attribute has.

    cuts: tallies [cuts, 2 sides, columns].
    """
    if bounds is None or not bounds.order.signs[attribute]:
        return np.ones(len(cuts), dtype=bool)
    answers, slack = watched_answers(bounds.order, purity, cuts), bounds.order.slack
    inside = (answers >= bounds.low - slack) & (answers <= bounds.high + slack)
    ordered = bounds.order.signs[attribute] * (answers[:, 0] - answers[:, 1]) <= slack
    return np.asarray(inside.all(axis=(1, 2)) & ordered.all(axis=1))


def watched_answers(order: Order, purity: Purity, tallies: Floats) -> Floats:
    """What a leaf of each tally would answer [..., answers]: a class share, the mean, or the quantiles."""
    if isinstance(purity, ClassPurity):
        assert order.watched is not None
        return divided(tallies[..., FIRST:][..., [order.watched]], tallies[..., WEIGHT, None])
    return purity.leaf_answers(tallies)
