"""Formulas with the numbers filled in: impurity, gain, split information and worth, as text or as LaTeX."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quercus.explain.trace import CandidateTrace, NodeTrace
from quercus.tree.names import short_number, significant

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
    total: str
    latex: bool = False
    base: float = 2.0

    def fraction(self, top: str, bottom: str) -> str:
        """A share."""
        return self.fraction_form.replace("TOP", top).replace("BOTTOM", bottom)

    def bracket(self, inside: str) -> str:
        """Parentheses."""
        return f"({inside})" if not self.latex else rf"\left({inside}\right)"

    def number(self, value: float) -> str:
        """A measured number; LaTeX's own minus sign."""
        return measured(value) if not self.latex else _scientific(measured(value).replace("−", "-"))

    def weight(self, value: float) -> str:
        """A weight or a count."""
        return short_number(value) if not self.latex else _scientific(short_number(value))


TEXT = Style("−", "·", "…", "TOP/BOTTOM", "log2(SHARE)", "²", "Σ")
LATEX = Style("-", r"\cdot ", r"\dots", r"\frac{TOP}{BOTTOM}", r"\log_2 SHARE", "^2", r"\sum ", latex=True)


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


def impurity_formula(
    criterion: str,
    entering: Sequence[float],
    impurity: float,
    *,
    weight: float = 0.0,
    centre: float = 0.0,
    unit_weights: bool = True,
    style: Style = TEXT,
) -> str:
    """An impurity with its numbers: of class weights, or of the sum of deviations from ``centre``.

    entering: the class weights that enter it; empty for numbers, whose weight and centre are given.

    >>> impurity_formula("entropy", [5, 9], 0.94029)
    '−9/14·log2(9/14) − 5/14·log2(5/14) = 0.940'
    >>> impurity_formula("gini", [5, 9], 0.45918), impurity_formula("misclassification", [5, 9], 0.35714)
    ('1 − (9/14)² − (5/14)² = 0.459', '1 − 9/14 = 0.357')
    >>> impurity_formula("squared_error", (), 14 / 3, weight=3, centre=3.0)
    'Σ(y − 3)²/3 = 14/3 = 4.667'
    """
    result = f" = {style.number(impurity)}"
    if criterion in ("squared_error", "absolute_error", "poisson"):
        return _deviations(criterion, impurity, weight, centre, unit_weights, style) + result
    total = float(sum(entering))
    if total <= 0:
        return f"0{result}" if impurity else "0"
    shares = [style.fraction(style.weight(w), style.weight(total)) for w in sorted(entering, reverse=True) if w > 0]
    if criterion == "entropy":
        return entropy_sum(shares, style) + result
    if criterion == "gini":
        squares = [f"{style.bracket(share)}{style.square}" for share in shares]
        return "1 " + "".join(f"{style.minus} {term} " for term in _limited(squares, style)).rstrip() + result
    return f"1 {style.minus} {shares[0]}{result}"


def entropy_sum(shares: Sequence[str], style: Style) -> str:
    """−p·log2(p) − q·log2(q) … of shares that are written already."""
    terms = [f"{share}{style.dot}{style.logarithm.replace('SHARE', share)}" for share in shares]
    return style.minus + f" {style.minus} ".join(_limited(terms, style))


def _limited(terms: Sequence[str], style: Style) -> list[str]:
    return [*terms] if len(terms) <= MOST_TERMS else [*terms[: MOST_TERMS - 1], style.dots]


def _deviations(criterion: str, impurity: float, weight: float, centre: float, unit: bool, style: Style) -> str:
    """Σ of what the criterion sums over the instances, divided by their weight."""
    latex = style.latex
    middle = _short(centre, style)
    factor = "" if unit else ("w\\," if latex else "w·")
    if centre < 0:
        middle = f"({middle})"
    gap = f"y {style.minus} {middle}"
    if criterion == "squared_error":
        term = f"{factor}({gap}){style.square}"
    elif criterion == "absolute_error":
        term = f"{factor}|{gap}|"
    else:
        logarithm = rf"y \ln\frac{{y}}{{{middle}}}" if latex else f"y·ln(y/{middle})"
        term = f"{factor}({logarithm} {style.minus} y + {middle})"
    summed, size = _short(impurity * weight, style), style.weight(weight)
    return f"{style.fraction(style.total + term, size)} = {style.fraction(summed, size)}"


def _short(value: float, style: Style) -> str:
    """A number of at most two decimals as it is; any other as a measured one."""
    return style.weight(value) if math.isclose(value, round(value, 2), rel_tol=1e-9) else style.number(value)


def gain_formula(node: NodeTrace, candidate: CandidateTrace, style: Style = TEXT) -> str:
    """The gain of a candidate with its numbers: impurity − Σ share · impurity of the branches.

    Unknown values that stay out: the whole is multiplied with the share that is known. A price of the threshold is
    taken off: log2(cuts)/weight.
    """
    if candidate.gain is None:
        return ""
    known = candidate.known
    whole = known >= node.total * (1 - 1e-12)
    parts = [
        f"{style.fraction(style.weight(branch.total), style.weight(known))}{style.dot}{style.number(branch.impurity)}"
        for branch in candidate.branches
        if branch.total > 0
    ]
    inside = f" {style.minus} ".join([style.number(candidate.known_impurity), *_limited(parts, style)])
    if not whole:
        share = style.fraction(style.weight(known), style.weight(node.total))
        inside = f"{share}{style.dot}{style.bracket(inside)}"
    if candidate.price > 0:
        logarithm = style.logarithm.replace("SHARE", str(candidate.n_cuts))
        inside += f" {style.minus} {style.fraction(logarithm, style.weight(node.weight))}"
    return f"{inside} = {style.number(candidate.gain)}"


def split_information_formula(node: NodeTrace, candidate: CandidateTrace, style: Style = TEXT) -> str:
    """The split information of a candidate with its numbers: the entropy of the branches' weights, unknown included."""
    if candidate.split_information is None:
        return ""
    weights = [branch.weight for branch in candidate.branches] + [candidate.unknown]
    shares = [style.fraction(style.weight(w), style.weight(node.weight)) for w in weights if w > 0]
    return f"{entropy_sum(shares, style)} = {style.number(candidate.split_information)}"


def worth_formula(candidate: CandidateTrace, selection: str, cost_exponent: float, style: Style = TEXT) -> str:
    """The worth of a candidate from its gain; empty if the gain itself decides, or the candidate takes no part."""
    if candidate.worth is None or candidate.gain is None or selection == "gain":
        return ""
    gain, result = style.number(candidate.gain), f" = {style.number(candidate.worth)}"
    if selection == "gain_ratio":
        return style.fraction(gain, style.number(candidate.split_information or 0.0)) + result
    cost = style.weight(candidate.cost)
    if selection == "tan_schlimmer":
        return style.fraction(gain + style.square, cost) + result
    power = f"^{cost_exponent:g}" if not style.latex else f"^{{{cost_exponent:g}}}"
    base = "e" if style.base == math.e else f"{style.base:g}"
    top = f"{base}^{gain} {style.minus} 1" if not style.latex else f"{base}^{{{gain}}} - 1"
    return style.fraction(f"({top})" if not style.latex else top, f"({cost} + 1){power}") + result
