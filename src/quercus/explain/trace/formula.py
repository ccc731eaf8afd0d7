"""Formulas with the numbers filled in: impurity, gain, split information and worth, as text or as LaTeX."""

from __future__ import annotations

import math
from collections.abc import Sequence

from quercus.criteria import CRITERIA, NumberCriterion, entropy_sum
from quercus.data.notation import TEXT, Style
from quercus.explain.trace.trace import CandidateTrace, NodeTrace


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
    row = CRITERIA[criterion]
    if isinstance(row, NumberCriterion):
        return _deviations(row, impurity, weight, centre, unit_weights, style) + result
    total = float(sum(entering))
    if total <= 0:
        return f"0{result}" if impurity else "0"
    whole = style.weight(total)
    shares = [style.fraction(style.weight(w), whole) for w in sorted(entering, reverse=True) if w > 0]
    return row.written(shares, style) + result


def _deviations(row: NumberCriterion, impurity: float, weight: float, centre: float, unit: bool, style: Style) -> str:
    """Σ of what the criterion sums over the instances, divided by their weight."""
    middle = _short(centre, style)
    factor = "" if unit else ("w\\," if style.latex else "w·")
    term = factor + row.written(f"({middle})" if centre < 0 else middle, style)
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
    bottom = style.weight(known)
    parts = [
        f"{style.fraction(style.weight(branch.total), bottom)}{style.dot}{style.number(branch.impurity)}"
        for branch in candidate.branches
        if branch.total > 0
    ]
    inside = f" {style.minus} ".join([style.number(candidate.known_impurity), *style.limited(parts)])
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
    whole = style.weight(node.weight)
    shares = [style.fraction(style.weight(w), whole) for w in weights if w > 0]
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
