"""Exact figures: entropy and gain once more, from fractions and 40-digit decimals, sharing no code with the library."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 40


def decimal(fraction: Fraction) -> Decimal:
    """A fraction to 40 digits."""
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def exact_entropy(counts: Iterable[int]) -> Decimal:
    """Entropy in bits of integer counts."""
    present = [count for count in counts if count > 0]
    shares = [decimal(Fraction(count, sum(present))) for count in present]
    return -sum((share * share.ln() for share in shares), Decimal(0)) / Decimal(2).ln()


def exact_gain(branches: Sequence[Sequence[int]]) -> Decimal:
    """Information gain in bits of a table branches × classes of integer counts."""
    total = sum(map(sum, branches))
    after = sum((decimal(Fraction(sum(row), total)) * exact_entropy(row) for row in branches), Decimal(0))
    return exact_entropy([sum(column) for column in zip(*branches, strict=True)]) - after


def branches_of(values: Sequence[Hashable], labels: Sequence[Hashable]) -> list[list[int]]:
    """Count a column against the labels, with nothing but loops."""
    classes = list(dict.fromkeys(labels))
    pairs = list(zip(values, labels, strict=True))
    return [[pairs.count((value, label)) for label in classes] for value in dict.fromkeys(values)]


def is_exactly(value: float, exact: Decimal, figure: str) -> bool:
    """Whether a value is exact to 1e-12 and the exact value rounds to a lecture's figure such as ``"0.940"``."""
    return abs(Decimal(value) - exact) < Decimal("1e-12") and exact.quantize(Decimal(figure)) == Decimal(figure)
