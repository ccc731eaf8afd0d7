"""Brute force: the best split of a node by trying everything, in exact arithmetic; no code is shared with the growers.

Gini, misclassification, squared and absolute error are rational numbers and are computed as fractions. Entropy and
Poisson deviance have logarithms, Hellinger has roots: they are computed to 50 decimal digits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import combinations

Number = Fraction | Decimal
Instance = tuple[Fraction, Fraction]  # a class (its code) or a number to predict, and a weight
TIE = Fraction(1, 10**12)
FIFTY_DIGITS = Context(prec=50)


def as_instances(target: Sequence[float], weights: Sequence[float]) -> list[Instance]:
    """Exact copies of floating-point numbers."""
    return [(Fraction(y), Fraction(w)) for y, w in zip(target, weights, strict=True)]


def weighted_impurity(criterion: str, instances: Sequence[Instance]) -> Number:
    """The weight of some instances times their impurity, exactly (or to 50 digits)."""
    if not instances:
        return Fraction(0)
    total = sum((w for _, w in instances), Fraction(0))
    by_value: dict[Fraction, Fraction] = defaultdict(Fraction)
    for y, w in instances:
        by_value[y] += w
    mean = sum((y * w for y, w in instances), Fraction(0)) / total
    if criterion == "gini":
        return total - sum((w * w for w in by_value.values()), Fraction(0)) / total
    if criterion == "misclassification":
        return total - max(by_value.values())
    if criterion == "hellinger":
        pairs = combinations(by_value.values(), 2)
        return 2 * sum((_decimal(one * other).sqrt(FIFTY_DIGITS) for one, other in pairs), Decimal(0))
    if criterion == "squared_error":
        return sum((w * (y - mean) ** 2 for y, w in instances), Fraction(0))
    if criterion == "absolute_error":
        return min(sum((w * abs(y - centre) for y, w in instances), Fraction(0)) for centre in by_value)
    if criterion == "entropy":
        return sum((_decimal(w) * (_ln(total) - _ln(w)) for w in by_value.values()), Decimal(0)) / _ln(Fraction(2))
    assert criterion == "poisson"
    return sum((_decimal(w * y) * (_ln(y) - _ln(mean)) for y, w in instances if y > 0), Decimal(0))


def _decimal(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 50
        return Decimal(number.numerator) / Decimal(number.denominator)


def _ln(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 50
        return (Decimal(number.numerator) / Decimal(number.denominator)).ln()


def gain(criterion: str, branches: Sequence[Sequence[Instance]], weight: Fraction) -> Fraction:
    """What a division gains: (impurity before − impurity after) / the weight of all instances at the node."""
    together = [instance for branch in branches for instance in branch]
    before = weighted_impurity(criterion, together)
    after = [weighted_impurity(criterion, branch) for branch in branches]
    return sum((-Fraction(part) for part in after), Fraction(before)) / weight


def first_best(gains: Sequence[Fraction], tie: Fraction = TIE) -> int:
    """The first of the best, but for ties."""
    return next(i for i, g in enumerate(gains) if g >= max(gains) - tie)


def cut_gains(criterion: str, x: Sequence[float], instances: Sequence[Instance]) -> dict[float, Fraction]:
    """The gain of every cut x ≤ a | x > a, a each value but the largest; where x is NaN only the weight counts."""
    weight = sum((w for _, w in instances), Fraction(0))
    known = [(value, instance) for value, instance in zip(x, instances, strict=True) if value == value]
    levels = sorted({value for value, _ in known})
    result = {}
    for a in levels[:-1]:
        low, high = [i for v, i in known if v <= a], [i for v, i in known if v > a]
        result[a] = gain(criterion, [low, high], weight)
    return result


def class_changes(x: Sequence[float], classes: Sequence[int]) -> set[float]:
    """The values a after which a cut can win: not both neighbouring groups of equal x are of one and the same class."""
    levels = sorted(set(x))
    groups = [{c for v, c in zip(x, classes, strict=True) if v == level} for level in levels]
    return {a for a, low, high in zip(levels, groups, groups[1:], strict=False) if len(low | high) > 1}


def subset_gains(criterion: str, codes: Sequence[int], instances: Sequence[Instance]) -> dict[frozenset[int], Fraction]:
    """The gain of every division of the values into two sets, by the set that holds the smallest value."""
    weight = sum((w for _, w in instances), Fraction(0))
    known = [(code, instance) for code, instance in zip(codes, instances, strict=True) if code >= 0]
    values = sorted({code for code, _ in known})
    result = {}
    for size in range(len(values) - 1):
        for others in combinations(values[1:], size):
            left = frozenset(values[:1] + list(others))
            sides = [[i for c, i in known if (c in left) == inside] for inside in (True, False)]
            result[left] = gain(criterion, sides, weight)
    return result


def value_gain(criterion: str, codes: Sequence[int], instances: Sequence[Instance]) -> Fraction:
    """The gain of one branch per value."""
    weight = sum((w for _, w in instances), Fraction(0))
    values = sorted({code for code in codes if code >= 0})
    branches = [[i for c, i in zip(codes, instances, strict=True) if c == value] for value in values]
    return gain(criterion, branches, weight)
