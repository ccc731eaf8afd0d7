"""Checks of parameters: what a value may be, in words and as a test, and the value as the library uses it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np

from quercus.errors import ParameterError
from quercus.predict.arguments import MOST_THREADS
from quercus.targets.pinball import checked_levels

#: The largest count that the core takes, for every parameter that counts rows, levels, leaves or attributes.
LARGEST_COUNT = 2**31 - 1
#: One of 256 codes of a column is kept for unknown values.
MOST_BINS = 255
#: Trees of one forest: more than any machine holds.
MOST_TREES = 1_000_000
#: Votes are multiplied by it; beyond, only the mistakes of the last tree would count.
MOST_LEARNING_RATE = 1000.0
#: Of the rows, drawn with replacement.
MOST_SHARE = 1000.0


def refuse(name: str, value: object, allowed: str) -> NoReturn:
    """Raise the one form of message that a wrong parameter gets.

    >>> refuse("max_depth", 0, "None or a whole number of at least 1")
    Traceback (most recent call last):
    quercus.errors.ParameterError: max_depth=0 is not allowed; give None or a whole number of at least 1.
    """
    raise ParameterError(f"{name}={value!r} is not allowed; give {allowed}.")


def is_whole(value: object) -> bool:
    """Whether a value is a whole number; True and False are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: object) -> bool:
    """Whether a value is a finite number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Check:
    """What a parameter may be.

    allowed: in words. accepts: whether a value is allowed. read: the value as a recipe takes it. told: other words for
    a value that is refused, such as an upper limit, which few reach, for those who do. choices: the words that are
    allowed, each with its meaning. old: earlier words for some of them, which fitting warns of.
    """

    allowed: str
    accepts: Callable[[Any], bool]
    read: Callable[[Any], Any] = _same
    told: Callable[[Any], str] | None = None
    choices: Mapping[str, str] = field(default_factory=dict)
    old: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, name: str, value: Any) -> None:
        """Refuse a wrong value.

        >>> count(least=2, most=255)("max_bins", 300)
        Traceback (most recent call last):
        quercus.errors.ParameterError: max_bins=300 is not allowed; give a whole number of at least 2 and at most 255.
        """
        if not self.accepts(value):
            refuse(name, value, self.allowed if self.told is None else self.told(value))


def together(check: Check) -> Check:
    """The same words for a value that the class checks itself, together with others."""
    return replace(check, accepts=lambda value: True)


def optional(check: Check) -> Check:
    """The same, or None."""
    told = check.told
    return replace(
        check,
        allowed=f"None or {check.allowed}",
        accepts=lambda value: value is None or check.accepts(value),
        read=lambda value: None if value is None else check.read(value),
        told=None if told is None else lambda value: f"None or {told(value)}",
    )


def anything(allowed: str) -> Check:
    """Any value: what it means is found, and refused, where the table or the target is read."""
    return Check(allowed, lambda value: True)


def choice(words: Iterable[str], read: Callable[[Any], Any] = _same) -> Check:
    """One of some words; a mapping gives the meaning of each.

    >>> choice(("with", "without")).allowed
    "one of 'with', 'without'"
    """
    known = tuple(words)
    return Check(
        "one of " + ", ".join(map(repr, known)),
        lambda value: isinstance(value, str) and value in known,
        read,
        choices=words if isinstance(words, Mapping) else {},
    )


def flag() -> Check:
    """True or False."""
    return Check("True or False", lambda value: isinstance(value, bool | np.bool_), bool)


def count(*, least: int, most: int = LARGEST_COUNT) -> Check:
    """A whole number from ``least`` to ``most``."""
    return Check(
        f"a whole number of at least {least}",
        lambda value: is_whole(value) and least <= value <= most,
        int,
        lambda value: count_text(value, least, most),
    )


def count_text(value: Any, least: int, most: int) -> str:
    """What a count may be, for the message on a value: the upper limit is named to those who pass it."""
    return f"a whole number of at least {least}" + (f" and at most {most}" if is_real(value) and value > most else "")


def number(low: float = 0.0, high: float = math.inf, *, above_low: bool = False, below_high: bool = False) -> Check:
    """A number in an interval; ``above_low`` and ``below_high`` leave the ends out.

    >>> number(high=1.0, above_low=True).allowed
    'a number > 0 and <= 1'
    """

    def accepts(value: Any) -> bool:
        inside = is_real(value) and low <= value <= high
        return inside and not (above_low and value == low) and not (below_high and value == high)

    text = f"a number {'>' if above_low else '>='} {low:g}"
    if high < math.inf:
        text += f" and {'<' if below_high else '<='} {high:g}"
    return Check(text, accepts, float)


def share_inside() -> Check:
    """A share between 0 and 1, neither of them."""
    return number(high=1.0, above_low=True, below_high=True)


def count_or_share(*, least: int) -> Check:
    """A count of rows, or a share of them."""
    share = "or a share of the rows: a float > 0.0 and <= 1.0"
    return Check(
        f"a whole number of at least {least}, {share}",
        lambda value: least <= value <= LARGEST_COUNT if is_whole(value) else is_real(value) and 0.0 < value <= 1.0,
        told=lambda value: f"{count_text(value, least, LARGEST_COUNT)}, {share}",
    )


def count_of(value: Any, n_rows: int, *, least: int) -> int:
    """Turn a count or a share of the rows into a count, rounded up.

    >>> count_of(5, 100, least=2), count_of(0.025, 100, least=2)
    (5, 3)
    """
    return int(value) if is_whole(value) else max(least, math.ceil(value * n_rows))


def rows_drawn() -> Check:
    """How many rows are drawn: None, a count or a share, which with replacement may be above 1."""
    few = "None, a whole number of rows from 1 on, or a share above 0"
    all_limits = f"None, a whole number of rows from 1 to {LARGEST_COUNT}, or a share above 0 up to {MOST_SHARE:g}"
    return Check(
        few,
        lambda value: (
            value is None
            or (1 <= value <= LARGEST_COUNT if is_whole(value) else is_real(value) and 0 < value <= MOST_SHARE)
        ),
        told=lambda value: all_limits if is_real(value) and value > MOST_SHARE else few,
    )


def attributes_drawn() -> Check:
    """How many attributes are drawn, in scikit-learn's forms."""

    def accepts(value: Any) -> bool:
        if value is None or isinstance(value, str):
            return value in (None, "sqrt", "log2")
        return bool(value >= 1) if is_whole(value) else is_real(value) and 0 < value <= 1

    text = "None (all), 'sqrt', 'log2', a whole number of attributes from 1 on, or a share above 0 up to 1.0"
    return Check(text, accepts)


def smoothing() -> Check:
    """None, "laplace" or ("m", a number >= 0)."""

    def accepts(value: Any) -> bool:
        if value is None or isinstance(value, str):
            return value in (None, "laplace")
        is_pair = isinstance(value, tuple | list) and len(value) == 2 and isinstance(value[0], str) and value[0] == "m"
        return is_pair and is_real(value[1]) and value[1] >= 0

    return Check('None, "laplace", or ("m", m) with a number m >= 0', accepts)


def quantile_levels() -> Check:
    """Levels of quantiles."""

    def accepts(value: Any) -> bool:
        try:
            checked_levels(value)
        except ParameterError:
            return False
        return True

    return Check("numbers above 0 and below 1, such as (0.1, 0.5, 0.9)", accepts, checked_levels)


def threads() -> Check:
    """A number of threads, in scikit-learn's form."""

    def text(value: Any) -> str:
        return f"None (one), {count_text(value, 1, MOST_THREADS)}, or -1 for all cores (-2: all but one)"

    return Check(
        text(1),
        lambda value: value is None or (is_whole(value) and value != 0 and value <= MOST_THREADS),
        told=text,
    )


def seed() -> Check:
    """What a seed can be made of."""
    return Check(
        "a whole number from 0 to 2**32 - 1, None or a RandomState",
        lambda value: (
            value is None or isinstance(value, np.random.RandomState) or (is_whole(value) and 0 <= value < 2**32)
        ),
    )


def seed_of(random_state: Any) -> int:
    """The seed of a scikit-learn ``random_state``: a whole number stays itself, a generator or None gives one.

    >>> seed_of(7)
    7
    """
    seed()("random_state", random_state)
    if random_state is None:
        return int(np.random.default_rng().integers(2**32))
    return int(random_state.randint(2**31)) if isinstance(random_state, np.random.RandomState) else int(random_state)
