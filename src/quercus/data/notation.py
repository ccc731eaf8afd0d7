"""Notation: how the parts of a formula are written, as text or as LaTeX."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quercus.data.names import short_number, significant

#: Terms of a sum that are written out.
MOST_TERMS = 12


@dataclass(frozen=True)
class Style:
    """How the parts of a formula are written."""

    minus: str
    dot: str
    dots: str
    fraction_form: str
    logarithm: str
    square: str
    root: str
    total: str
    latex: bool = False
    base: float = 2.0

    def fraction(self, top: str, bottom: str) -> str:
        """A share as a fraction."""
        return self.fraction_form.replace("TOP", top).replace("BOTTOM", bottom)

    def bracket(self, inside: str) -> str:
        """A term in parentheses."""
        return f"({inside})" if not self.latex else rf"\left({inside}\right)"

    def limited(self, terms: Sequence[str]) -> list[str]:
        """The terms of a sum, dots for those that are too many."""
        return [*terms] if len(terms) <= MOST_TERMS else [*terms[: MOST_TERMS - 1], self.dots]

    def square_root(self, inside: str) -> str:
        """A square root.

        >>> TEXT.square_root("9/14"), LATEX.square_root("x")
        ('√(9/14)', '\\\\sqrt{x}')
        """
        return self.root.replace("INSIDE", inside)

    def number(self, value: float) -> str:
        """A measured number; LaTeX's own minus sign."""
        return measured(value) if not self.latex else _scientific(measured(value).replace("−", "-"))

    def weight(self, value: float) -> str:
        """A weight or a count."""
        return short_number(value) if not self.latex else _scientific(short_number(value))


TEXT = Style("−", "·", "…", "TOP/BOTTOM", "log2(SHARE)", "²", "√(INSIDE)", "Σ")
LATEX = Style(
    *("-", r"\cdot ", r"\dots", r"\frac{TOP}{BOTTOM}", r"\log_2 SHARE", "^2", r"\sqrt{INSIDE}", r"\sum "), latex=True
)


def style_of(base: float, style: Style = TEXT) -> Style:
    """A style whose logarithms have another base.

    >>> style_of(math.e).logarithm, style_of(10, LATEX).logarithm
    ('ln(SHARE)', '\\\\log_{10} SHARE')
    """
    if base == style.base:
        return style
    if base == math.e:
        return replace(style, logarithm=r"\ln SHARE" if style.latex else "ln(SHARE)", base=base)
    name = rf"\log_{{{base:g}}} SHARE" if style.latex else f"log{base:g}(SHARE)"
    return replace(style, logarithm=name, base=base)


def _scientific(text: str) -> str:
    """1e-05 as LaTeX writes it."""
    if "e" not in text:
        return text
    digits, power = text.split("e")
    return rf"{digits}\cdot 10^{{{int(power)}}}"


def measured(value: float) -> str:
    """A measured number as lectures write it: three decimals; tiny and large ones by significant digits.

    >>> measured(0.9402859), measured(0.0), measured(0.000123), measured(-0.5), measured(12345.678)
    ('0.940', '0', '0.000123', '−0.500', '12345.7')
    """
    size = abs(value)
    if size < 1e-14:
        return "0"
    text = f"{size:.3f}" if 0.001 <= size < 1000 else significant(size, 3 if size < 1 else 6)
    return f"−{text}" if value < 0 else text
