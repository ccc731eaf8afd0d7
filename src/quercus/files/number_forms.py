"""How the numbers of a text column are written: decimal sign, sign between thousands, percent sign."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats

__all__ = [
    "PLAIN",
    "NumberForm",
    "has_leading_zeros",
    "is_comma_number",
    "is_money",
    "is_number",
    "is_program_number",
    "number_forms",
]

_SOME = 1024  # numbers that are looked through at a time

# A number has no leading zeros (01234 is a name) and is not "nan" or "inf"; blanks around it do not count.
_NUMBER = re.compile(r"\s*[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*", re.ASCII)
_MONEY = re.compile(r"\s*([+-]?)\s*(?:[$€£¥]\s*([^$€£¥]+)|([^$€£¥]+?)\s*[$€£¥])\s*")
_LEADING_ZEROS = re.compile(r"\s*[+-]?0+[0-9]+(?:\.[0-9]*)?\s*", re.ASCII)
# As programmers write whole numbers; what is longer than a float's 53 bits is a name.
_PROGRAM_NUMBER = re.compile(r"\s*[+-]?(?:0[xX][0-9a-fA-F]{1,13}|[1-9][0-9]{0,2}(?:_[0-9]{3}){1,4})\s*", re.ASCII)


@dataclass(frozen=True)
class NumberForm:
    """One way to write numbers.

    >>> NumberForm(",", ".").plain("1.234,5"), NumberForm(percent=True).plain("10 %")
    ('1234.5', '10')
    """

    decimal: str = "."
    thousands: str = ""
    percent: bool = False

    def plain(self, text: str) -> str:
        """Return the text as Python's ``float`` reads it."""
        if self.percent:
            text = text.rstrip().removesuffix("%").rstrip()
        if self.thousands:
            text = text.strip().replace(self.thousands, "")
        return text if self.decimal == "." else text.replace(self.decimal, ".")

    def fits(self, values: Collection[str]) -> bool:
        """Whether every value is a number in this form, and at least one value shows that this form is used."""
        if self.percent:
            if not all(value.rstrip().endswith("%") for value in values):
                return False
            values = [value.rstrip().removesuffix("%") for value in values]
        return all(map(self._pattern.fullmatch, values)) and (
            not self.thousands or any(self.thousands in value.strip() for value in values)
        )

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        if not self.thousands and self.decimal == ".":
            return _NUMBER
        point = re.escape(self.decimal)
        if not self.thousands:
            number = rf"(?:(?:0|[1-9][0-9]*)(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
        else:
            group = re.escape(self.thousands)
            number = rf"(?:0|[1-9][0-9]*|[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+)(?:{point}[0-9]*)?"
        return re.compile(rf"\s*[+-]?{number}\s*", re.ASCII)

    def example(self, numbers: ArrayLike) -> str:
        """Show by one of the numbers how the form reads a text; "" if it reads all as plain numbers.

        >>> NumberForm(".", ",").example([7.0, 1234.5]), NumberForm(",", percent=True).example([1.5])
        ('1,234.5 is 1234.5', '1,5% is 1.5')
        """
        array = np.asarray(numbers, dtype=np.float64)
        number = float(array[np.argmax(np.abs(array))] if self.thousands else _first_fraction(array))
        shown = f"{int(number) if number == int(number) else number:,}"
        text = shown.translate({ord(","): self.thousands, ord("."): self.decimal})
        plain, text = shown.replace(",", ""), f"{text}{'%' * self.percent}"
        return f"{text} is {plain}" if text != plain else ""


def _first_fraction(array: Floats) -> float:
    """Return the first number that is not whole; the first of all if there is none."""
    for begin in range(0, len(array), _SOME):
        part = array[begin : begin + _SOME]
        with np.errstate(invalid="ignore"):  # infinite ones have no fraction
            fractions = part % 1 > 0
        if bool(fractions.any()):
            return float(part[np.argmax(fractions)])
    return float(array[0])


PLAIN = NumberForm()
_POINT = (PLAIN, *(NumberForm(".", sign) for sign in (",", " ", "'", "\u00a0", "\u202f", "\u2019")))
_COMMA = (NumberForm(","), *(NumberForm(",", sign) for sign in (".", " ", "'", "\u00a0", "\u202f", "\u2019")))


def number_forms(values: Sequence[str], decimal: str | None = None) -> list[NumberForm]:
    """Return the forms in which all values are numbers: none, one, or several if the values do not tell.

    Numbers with a decimal point, or without a sign at all, have that form alone, unless the decimal sign is said to be
    the comma.

    >>> number_forms(["1,5", "2"]), number_forms(["1,234", "1,234,567"])
    ([NumberForm(decimal=',', thousands='', percent=False)], [NumberForm(decimal='.', thousands=',', percent=False)])
    >>> len(number_forms(["1,234"])), number_forms(["1,234"], decimal=",")
    (2, [NumberForm(decimal=',', thousands='', percent=False)])
    """
    if not values:
        return []
    percent = values[0].rstrip().endswith("%")
    tried = {None: [*_POINT, *_COMMA], ".": [*_POINT], ",": [*_COMMA, PLAIN]}[decimal]
    forms = []
    for form in tried:
        form = NumberForm(form.decimal, form.thousands, True) if percent else form
        if form.fits(values):
            if decimal is not None or (form.decimal == "." and not form.thousands):
                return [form]
            forms.append(form)
    meanings: dict[tuple[str, ...], NumberForm] = {}
    for form in forms:  # forms that mean the same leave no doubt
        meanings.setdefault(tuple(map(form.plain, values)), form)
    return list(meanings.values())


def is_number(text: str) -> bool:
    """Whether a cell looks like a number; 01234 does not.

    >>> [is_number(text) for text in ("1", "-2.5", "1e5", "01234", "1e5x", "nan", "")]
    [True, True, True, False, False, False, False]
    """
    return _NUMBER.fullmatch(text) is not None


def is_comma_number(text: str) -> bool:
    """Whether a cell is a number with a decimal comma.

    >>> is_comma_number("7,5"), is_comma_number("7.5"), is_comma_number("7")
    (True, False, False)
    """
    return "," in text and _COMMA[0].fits([text])


def is_money(text: str) -> bool:
    """Whether a cell is a number with the sign of a currency.

    >>> is_money("$7.5"), is_money("-1.234,50 €"), is_money("7.5"), is_money("$a")
    (True, True, False, False)
    """
    match = _MONEY.fullmatch(text)
    return match is not None and bool(number_forms([match[1] + (match[2] or match[3])]))


def has_leading_zeros(text: str) -> bool:
    """Whether a cell would be a number without its leading zeros.

    >>> has_leading_zeros("007"), has_leading_zeros("0.7"), has_leading_zeros("10")
    (True, False, False)
    """
    return _LEADING_ZEROS.fullmatch(text) is not None


def is_program_number(text: str) -> bool:
    """Whether a cell is a whole number as programmers write it, which Python's ``int(text, 0)`` reads.

    >>> is_program_number("0x1F"), is_program_number("1_000"), is_program_number("1000")
    (True, True, False)
    """
    return _PROGRAM_NUMBER.fullmatch(text) is not None
