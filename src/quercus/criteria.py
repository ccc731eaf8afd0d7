"""Criteria: the measures by which a tree's splits are judged, each one row of one table.

A criterion is an impurity of a node. What a split gains is the fall of weight · impurity from the node to its branches
(``docs/specification.md``). A row says everything that the package asks of a criterion outside the core: its names, its
formula, how a trace writes it with numbers, and the impurity itself, by which the reference grows and pruning counts.
Another criterion is a struct in ``core/criterion.h``, a row here and a line in the specification.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

from quercus.arrays import Floats
from quercus.data.notation import Style

#: A function of an array of class weights that gives the impurity of each row (along the last axis).
RowImpurity: TypeAlias = Callable[[Floats], Floats]

ClassCriterionName = Literal["entropy", "gini", "misclassification", "hellinger"]
NumberCriterionName = Literal["squared_error", "absolute_error", "poisson", "pinball"]
CriterionName = Literal[ClassCriterionName, NumberCriterionName]


@dataclass(frozen=True)
class ClassCriterion:
    """A criterion for classes.

    name: in recipes, parameters and files; also_called: another name that estimators accept. title: what texts call the
    impurity. formula: of the class shares p. source: who introduced it for trees. gain_name: what the fall of the
    impurity is called in tables of gains. impurity: of each row of class weights, along the last axis. purity: the sum
    −weight · impurity of each such row, added up as the core adds it. written: the impurity as a text, from the shares
    as texts, the largest first. steep: whether the least weight of one more class counts much, so that what rounding
    leaves of a class must not.
    """

    name: ClassCriterionName
    title: str
    formula: str
    source: str
    gain_name: str
    impurity: RowImpurity
    purity: RowImpurity
    written: Callable[[Sequence[str], Style], str]
    also_called: str | None = None
    steep: bool = False


@dataclass(frozen=True)
class NumberCriterion:
    """A criterion for numbers.

    name, title, formula, source: as of :class:`ClassCriterion`, of the numbers y with weights w. written: what it sums
    over the examples as a text, from the text of their mean (or median).
    """

    name: NumberCriterionName
    title: str
    formula: str
    source: str
    written: Callable[[str, Style], str]


#: How texts and files name a criterion that is a function: this word, then the name of the function.
FUNCTION = "function "


@dataclass(frozen=True)
class OwnCriterion:
    """A criterion that a user wrote as a function.

    name: of the function. numbers: whether it measures numbers instead of classes. function: gives the impurity of a
    node, from its class weights, or from its numbers and their weights; None: the model was read from a file, which
    holds no functions.

    >>> print(OwnCriterion("spread", numbers=True))
    function spread
    """

    name: str
    numbers: bool
    function: Callable[..., Any] | None = None

    def __str__(self) -> str:
        return FUNCTION + self.name


def saved_criterion(criterion: Any) -> Any:
    """A criterion as texts and files name it.

    >>> saved_criterion("gini"), saved_criterion(max)
    ('gini', 'function max')
    """
    return (
        FUNCTION + str(getattr(criterion, "__name__", type(criterion).__name__)) if callable(criterion) else criterion
    )


def is_function_name(criterion: object) -> bool:
    """Whether a text names a criterion that is a function."""
    return isinstance(criterion, str) and criterion.startswith(FUNCTION)


def own_criterion(criterion: Any, numbers: bool) -> OwnCriterion:
    """The criterion that a function is, or that a file names. numbers: whether it measures numbers."""
    name = saved_criterion(criterion).removeprefix(FUNCTION)
    return OwnCriterion(name, numbers, criterion if callable(criterion) else None)


# Impurities of class weights, row by row, and the purity sums −weight · impurity


def shares(weights: Floats) -> Floats:
    """Return the share of each entry in its row's sum; a row that sums to 0 has shares 0."""
    totals = weights.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0), dtype=np.float64)


def entropy_of_rows(table: Floats, *, base: float = 2.0) -> Floats:
    """Entropy of every row of an array of counts, along its last axis (a row of zeros has entropy 0).

    The array is taken as it is; :func:`entropy` checks what a user gives.
    """
    probabilities = shares(table)
    logarithms = np.log2(probabilities, out=np.zeros_like(probabilities), where=probabilities > 0)
    bits = -np.asarray((probabilities * logarithms).sum(axis=-1), dtype=np.float64) + 0.0
    return bits if base == 2 else bits / math.log2(base)


def weighted_entropy_sum(weights: Floats) -> Floats:
    """Σ g(w) − g(Σ w) in bits over the last axis, g(x) = x·log2 x: minus the weight times the entropy.

    >>> round(float(-weighted_entropy_sum(np.array([9.0, 5.0])) / 14), 4)  # the entropy of [9+, 5-]
    0.9403
    """
    return np.asarray(_g(weights).sum(axis=-1) - _g(np.asarray(weights.sum(axis=-1))))


def _g(weights: Floats) -> Floats:
    """x·log2 x, 0 of 0."""
    return np.asarray(weights * np.log2(weights, out=np.zeros_like(weights), where=weights > 0))


def gini_of_rows(table: Floats) -> Floats:
    """Gini impurity of every row of an array of counts, along its last axis (a row of zeros has impurity 0)."""
    probabilities = shares(table)
    return np.asarray((probabilities * (1.0 - probabilities)).sum(axis=-1), dtype=np.float64)


def _gini_sum(weights: Floats) -> Floats:
    total = np.asarray(weights.sum(axis=-1))
    squares = (weights**2).sum(axis=-1)
    return np.asarray(np.divide(squares, total, out=np.zeros_like(total), where=total > 0) - total)


def misclassification_of_rows(table: Floats) -> Floats:
    """Misclassification error of every row of an array of counts, along its last axis (a row of zeros: 0)."""
    totals = np.asarray(table.sum(axis=-1), dtype=np.float64)
    errors = totals - table.max(axis=-1)
    return np.asarray(np.divide(errors, totals, out=np.zeros_like(totals), where=totals > 0), dtype=np.float64)


def _misclassification_sum(weights: Floats) -> Floats:
    return np.asarray(weights.max(axis=-1) - weights.sum(axis=-1))


def _hellinger_of_rows(table: Floats) -> Floats:
    roots = np.sqrt(shares(table))
    return np.asarray((roots * (roots.sum(axis=-1, keepdims=True) - roots)).sum(axis=-1))


def _hellinger_sum(weights: Floats) -> Floats:
    return np.asarray(weights.sum(axis=-1) - np.sqrt(weights).sum(axis=-1) ** 2)


# How the impurities are written with numbers


def entropy_sum(shares: Sequence[str], style: Style) -> str:
    """−p·log2(p) − q·log2(q) … of shares that are written already."""
    terms = [f"{share}{style.dot}{style.logarithm.replace('SHARE', share)}" for share in shares]
    return style.minus + f" {style.minus} ".join(style.limited(terms))


def _gini(shares: Sequence[str], style: Style) -> str:
    squares = [f"{style.bracket(share)}{style.square}" for share in shares]
    return f" {style.minus} ".join(["1", *style.limited(squares)])


def _misclassification(shares: Sequence[str], style: Style) -> str:
    return f"1 {style.minus} {shares[0]}"


def _hellinger(shares: Sequence[str], style: Style) -> str:
    roots = " + ".join(style.limited([style.square_root(share) for share in shares]))
    return f"{style.bracket(roots)}{style.square} {style.minus} 1"


def _squared_error(mean: str, style: Style) -> str:
    return f"(y {style.minus} {mean}){style.square}"


def _absolute_error(median: str, style: Style) -> str:
    return f"|y {style.minus} {median}|"


def _pinball(middle: str, style: Style) -> str:
    return rf"\rho_q(y {style.minus} \hat y_q)" if style.latex else f"ρ_q(y {style.minus} ŷ_q)"


def _poisson(mean: str, style: Style) -> str:
    logarithm = rf"y \ln\frac{{y}}{{{mean}}}" if style.latex else f"y·ln(y/{mean})"
    return f"({logarithm} {style.minus} y + {mean})"


# The table

CART = "Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984"

CLASS_CRITERIA: Mapping[str, ClassCriterion] = MappingProxyType(
    {
        row.name: row
        for row in (
            ClassCriterion(
                name="entropy",
                title="entropy",
                formula="−Σ p·log2 p",
                source="Quinlan, Induction of decision trees, 1986; Shannon, 1948",
                gain_name="gain",
                impurity=entropy_of_rows,
                purity=weighted_entropy_sum,
                written=entropy_sum,
                also_called="log_loss",
            ),
            ClassCriterion(
                name="gini",
                title="Gini impurity",
                formula="1 − Σ p²",
                source=CART,
                gain_name="gini_gain",
                impurity=gini_of_rows,
                purity=_gini_sum,
                written=_gini,
            ),
            ClassCriterion(
                name="misclassification",
                title="misclassification",
                formula="1 − max p",
                source=CART,
                gain_name="accuracy_gain",
                impurity=misclassification_of_rows,
                purity=_misclassification_sum,
                written=_misclassification,
            ),
            ClassCriterion(
                name="hellinger",
                title="Hellinger impurity",
                formula="(Σ √p)² − 1",
                source="Cieslak and Chawla, Learning decision trees for unbalanced data, 2008",
                gain_name="hellinger_gain",
                impurity=_hellinger_of_rows,
                purity=_hellinger_sum,
                written=_hellinger,
                steep=True,
            ),
        )
    }
)

NUMBER_CRITERIA: Mapping[str, NumberCriterion] = MappingProxyType(
    {
        row.name: row
        for row in (
            NumberCriterion(
                name="squared_error",
                title="variance",
                formula="Σ w (y − mean)² / Σ w",
                source=CART,
                written=_squared_error,
            ),
            NumberCriterion(
                name="absolute_error",
                title="mean absolute deviation",
                formula="Σ w |y − median| / Σ w",
                source=CART,
                written=_absolute_error,
            ),
            NumberCriterion(
                name="poisson",
                title="half the mean Poisson deviance",
                formula="Σ w (y·ln(y/mean) − y + mean) / Σ w",
                source="Therneau and Atkinson, Recursive Partitioning Using the RPART Routines, 1997",
                written=_poisson,
            ),
            NumberCriterion(
                name="pinball",
                title="mean pinball loss of the quantiles",
                formula="Σ_q Σ w ρ_q(y − ŷ_q) / Σ w, with ρ_q(u) = u·(q − [u < 0])",
                source="Koenker and Bassett, Regression quantiles, 1978",
                written=_pinball,
            ),
        )
    }
)

CRITERIA: Mapping[str, ClassCriterion | NumberCriterion] = MappingProxyType({**CLASS_CRITERIA, **NUMBER_CRITERIA})

#: The names by which an estimator of classes takes a criterion, each with the criterion's own name.
CLASS_CRITERION_NAMES: Mapping[str, ClassCriterionName] = MappingProxyType(
    {name: row.name for row in CLASS_CRITERIA.values() for name in (row.name, row.also_called) if name}
)
