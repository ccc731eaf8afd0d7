"""Names and numbers as text: any name on one line, quoted only where it would be misread; weights printed short."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from quercus.data.values import value_text

#: A width of names that cuts none.
UNLIMITED = 1 << 60
_MISREAD_IN_VALUES = frozenset(",:;{}|\"'\\…")
_MISREAD_IN_NAMES = _MISREAD_IN_VALUES | frozenset("=<>")


@lru_cache(maxsize=4096)
def quoted(text: str, misread: frozenset[str] = _MISREAD_IN_VALUES) -> str:
    r"""The text itself; in double quotes if it is empty, has blanks in odd places or holds a mark the layout uses.

    >>> print(quoted("light rain"), quoted(""), quoted("a, b"), quoted('say "hi"'), quoted("two\nlines"))
    light rain "" "a, b" "say \"hi\"" "two\nlines"
    """
    plain = text.isprintable() and text == " ".join(text.split()) and misread.isdisjoint(text)
    return text if plain and text else '"' + "".join(_escaped(character) for character in text) + '"'


def quoted_name(text: str) -> str:
    """An attribute's name: as :func:`quoted`, and also quoted if it holds a comparison sign.

    >>> print(quoted_name("petal length (cm)"), quoted_name("a <= b"))
    petal length (cm) "a <= b"
    """
    return quoted(text, _MISREAD_IN_NAMES)


def quoted_value(value: object, width: int = UNLIMITED) -> str:
    """A value or class, its text of at most ``width`` characters, quoted only when needed.

    >>> print(quoted_value("a, b"), quoted_value(3.0), quoted_value(True), quoted_value("a very long name", 8))
    "a, b" 3 True "a ve…ame"
    """
    return quoted(shortened(value if isinstance(value, str) else value_text(value), width))


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else ascii(character)[1:-1]


def shortened(text: str, width: int) -> str:
    """At most ``width`` characters: a longer text loses its middle.

    >>> shortened("abcdefghijklmnop", 9)
    'abcd…mnop'
    """
    if len(text) <= width:
        return text
    left = width // 2
    return text[:left] + "…" + text[len(text) - (width - left - 1) :]


@lru_cache(maxsize=4096)
def short_number(number: float) -> str:
    """A weight or statistic as a student writes it: at most two decimals, none that are not needed.

    >>> [short_number(weight) for weight in (3.0, 2.4000000001, 12345.678, 0.00012, 1e20)]
    ['3', '2.4', '12345.68', '0.00012', '1e+20']
    """
    size = abs(number)
    if 0 < size < 0.01 or size >= 1e15:
        return f"{number:.3g}"
    return _without_zeros(f"{number:.2f}")


def significant(number: float, digits: int = 4) -> str:
    """A measured number with a few significant digits, never fewer than its whole part has.

    >>> print(significant(0.246749), significant(123456.7), significant(12.5))
    0.2467 123457 12.5
    """
    if number == 0 or not abs(number) < 1e15 or abs(number) < 1e-4:
        return f"{number:.{digits}g}"
    whole = len(str(int(abs(number)))) if abs(number) >= 1 else 0
    text = f"{number:.{max(digits - whole, 0)}f}" if whole else f"{number:.{digits}g}"
    return _without_zeros(text)


def evenly(numbers: Sequence[float], digits: int = 6, most: int = 12) -> list[str]:
    """The numbers of one sum, all with the same number of decimals: as many as the largest has digits for.

    digits: significant ones of the largest. most: decimals at most.

    >>> evenly([52.25, 12.8, 0.5]), evenly([1200.0, 30.0]), evenly([0.1234567, 2.0])
    (['52.25', '12.80', '0.50'], ['1200', '30'], ['0.12346', '2.00000'])
    """
    largest = max((abs(number) for number in numbers), default=0.0)
    if not largest < 1e15:
        return [significant(number, digits) for number in numbers]
    whole = len(str(int(largest))) if largest >= 1 else 0
    decimals = min(max(digits - whole, 0), most)
    while decimals and all(round(number, decimals) == round(number, decimals - 1) for number in numbers):
        decimals -= 1
    return [f"{number:.{decimals}f}" for number in numbers]


def without_noise(number: float) -> float:
    """A difference of shares, or 0 if nothing is left of it but the rounding of its parts.

    >>> without_noise(0.3 - 0.1 * 3), without_noise(0.25)
    (0.0, 0.25)
    """
    return 0.0 if abs(number) < 1e-12 else number


def _without_zeros(text: str) -> str:
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def listed(items: Iterable[str], total: int, limit: int | None) -> str:
    """Items with commas between; beyond the limit their number only.

    >>> print(listed(["a", "b", "c", "d"], 4, None), "|", listed(["a", "b", "c", "d"], 4, 2))
    a, b, c, d | a, b, … 2 more
    """
    if limit is None or total <= limit:
        return ", ".join(items)
    shown = [item for item, _ in zip(items, range(limit), strict=False)]
    return ", ".join([*shown, f"… {total - limit:,} more"])


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number and its noun.

    >>> print(counted(1, "leaf", "leaves"), counted(1200, "leaf", "leaves"))
    1 leaf 1,200 leaves
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def look_like_numbers(names: Iterable[str]) -> bool:
    """Whether one of the names could be read as a number, and so be taken for a count.

    >>> look_like_numbers(["0", "1"]), look_like_numbers(["No", "-2.5"]), look_like_numbers(["+", "3rd", "nan"])
    (True, True, False)
    """
    return any(name[-1:].isdigit() and _is_number(name) for name in names)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def class_counts(weights: Sequence[float], names: Sequence[str], limit: int) -> str:
    """The classes present with their weights, the heaviest first; behind the names if these look like numbers.

    >>> class_counts([5.0, 9.0, 0.0], ["No", "Yes", "Maybe"], limit=5)
    '9 Yes, 5 No'
    >>> class_counts([5.0, 9.0], ["0", "1"], limit=5)
    '1: 9, 0: 5'
    """
    present = sorted((j for j, weight in enumerate(weights) if weight > 0), key=lambda j: -weights[j])
    shown = "{1}: {0}" if look_like_numbers(names) else "{0} {1}"
    return listed((shown.format(short_number(weights[j]), names[j]) for j in present), len(present), limit)


def percent(share: float) -> str:
    """A share as text.

    >>> print(percent(0.625), percent(1.0), percent(1 / 3))
    62.5 % 100 % 33.33 %
    """
    return f"{significant(100.0 * share)} %"
