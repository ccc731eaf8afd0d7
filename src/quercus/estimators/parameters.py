"""Parameter checks: every wrong value is refused before any work starts, with what was given and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, NoReturn, get_args

from quercus.errors import ParameterError
from quercus.growing.recipe import ThresholdRule
from quercus.predict.arguments import MOST_THREADS

#: The largest count that the core takes, for every parameter that counts rows, levels, leaves or attributes.
LARGEST_COUNT = 2**31 - 1
#: One of 256 codes of a column is kept for unknown values.
MOST_BINS = 255
#: Trees of one forest: more than any machine holds.
MOST_TREES = 1_000_000
#: Votes are multiplied by it; beyond, only the mistakes of the last tree would count.
MOST_LEARNING_RATE = 1000.0

THRESHOLD_RULES = get_args(ThresholdRule)
MISSING_POLICIES = ("fractional", "most_common", "class_most_common", "own_value", "surrogate")


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


def check_choice(name: str, value: object, allowed: Iterable[str]) -> None:
    """Refuse a value that is not one of the allowed words."""
    words = tuple(allowed)
    if not isinstance(value, str) or value not in words:
        refuse(name, value, "one of " + ", ".join(repr(word) for word in words))


def check_flag(name: str, value: object) -> None:
    """Refuse a value that is neither True nor False."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        refuse(name, value, "True or False")


def check_count(name: str, value: Any, *, least: int, most: int = LARGEST_COUNT, optional: bool = False) -> None:
    """Refuse a value that is not a whole number from ``least`` to ``most`` (or None, if that is allowed).

    >>> check_count("max_bins", 300, least=2, most=255)
    Traceback (most recent call last):
    quercus.errors.ParameterError: max_bins=300 is not allowed; give a whole number of at least 2 and at most 255.
    """
    if value is None and optional:
        return
    if not is_whole(value) or not least <= value <= most:
        refuse(name, value, ("None or " if optional else "") + _count_text(value, least, most))


def _count_text(value: Any, least: int, most: int) -> str:
    """What a count may be; its upper limit, which few reach, is named to those who do."""
    above = is_real(value) and value > most
    return f"a whole number of at least {least}" + (f" and at most {most}" if above else "")


def check_number(
    name: str,
    value: Any,
    *,
    low: float = 0.0,
    high: float = math.inf,
    above_low: bool = False,
    below_high: bool = False,
    optional: bool = False,
) -> None:
    """Refuse a value outside an interval; ``above_low`` and ``below_high`` leave the ends out."""
    if value is None and optional:
        return
    inside = is_real(value) and low <= value <= high
    if inside and not (above_low and value == low) and not (below_high and value == high):
        return
    text = f"a number {'>' if above_low else '>='} {low:g}"
    if high < math.inf:
        text += f" and {'<' if below_high else '<='} {high:g}"
    refuse(name, value, ("None or " if optional else "") + text)


def check_count_or_share(name: str, value: Any, *, least: int) -> None:
    """Refuse what is neither a count (whole number >= ``least``) nor a share of the rows (a float in (0, 1])."""
    allowed = least <= value <= LARGEST_COUNT if is_whole(value) else is_real(value) and 0.0 < value <= 1.0
    if not allowed:
        count = _count_text(value, least, LARGEST_COUNT)
        refuse(name, value, f"{count}, or a share of the rows: a float > 0.0 and <= 1.0")


def count_of(value: Any, n_rows: int, *, least: int) -> int:
    """Turn a count or a share of the rows into a count, rounded up.

    >>> count_of(5, 100, least=2), count_of(0.025, 100, least=2)
    (5, 3)
    """
    return int(value) if is_whole(value) else max(least, math.ceil(value * n_rows))


def check_missing(value: object, *, binary: bool, classes: bool = True) -> None:
    """Refuse an unknown missing-value policy, and one that the splits or the target cannot serve."""
    allowed = [
        policy
        for policy in MISSING_POLICIES
        if (binary or policy != "surrogate") and (classes or policy != "class_most_common")
    ]
    if value == "surrogate" and not binary:
        refuse(
            "missing", value, f"one of {', '.join(map(repr, allowed))} (surrogates exist for two-way splits, as CART's)"
        )
    check_choice("missing", value, allowed)


def check_threshold(value: object, preset: str = "c45") -> None:
    """Refuse an unknown rule for thresholds, and a short one where a preset writes them as another program does."""
    if value is None:
        return
    if value == "short" and preset != "c45":
        refuse("threshold", value, f"None or another preset: {preset!r} writes thresholds as that program does")
    if value not in THRESHOLD_RULES:
        refuse("threshold", value, "None or one of " + ", ".join(map(repr, THRESHOLD_RULES)))


def check_selection(selection: object, allowed: Iterable[str], cost_exponent: Any, attribute_costs: object) -> None:
    """Refuse an unknown selection measure, a wrong exponent, and a cost measure without costs."""
    check_choice("selection", selection, allowed)
    check_number("cost_exponent", cost_exponent, low=0.0, high=1.0)
    if selection == "tan_schlimmer" and attribute_costs is None:
        raise ParameterError(
            "selection='tan_schlimmer' divides by the cost of each attribute, but attribute_costs is None; "
            "give attribute_costs, a number > 0 for every attribute."
        )


def check_smoothing(value: Any) -> None:
    """Refuse what is not None, "laplace" or ("m", a number >= 0)."""
    if value is None or (isinstance(value, str) and value == "laplace"):
        return
    is_pair = isinstance(value, tuple | list) and len(value) == 2 and isinstance(value[0], str) and value[0] == "m"
    if not is_pair or not is_real(value[1]) or value[1] < 0:
        refuse("smoothing", value, 'None, "laplace", or ("m", m) with a number m >= 0')


def check_running(n_jobs: Any, progress: Any) -> None:
    """Refuse a wrong number of jobs and a progress callback that cannot be called."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0 or n_jobs > MOST_THREADS):
        count = _count_text(n_jobs, 1, MOST_THREADS)
        refuse("n_jobs", n_jobs, f"None (one), {count}, or -1 for all cores (-2: all but one)")
    if progress is not None and not callable(progress):
        refuse("progress", progress, "None or a function")
