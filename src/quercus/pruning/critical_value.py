"""Critical-value pruning: cut where no question, here or below, is strong enough; chi-square judges by chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.names import counted, significant
from quercus.errors import ParameterError, checked_choice, shorten
from quercus.pruning.bottom_up import sums_below
from quercus.pruning.method import PruningMethod, Situation
from quercus.pruning.node_errors import refuse_numbers
from quercus.pruning.result import Pruned, Removal
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree

Measure = Literal["chi_square", "gain"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


def critical_value(
    tree: Tree,
    significance: float = 0.05,
    *,
    measure: Measure | str = "chi_square",
    value: float | None = None,
) -> Pruned:
    """Cut where neither the question of a node nor any question below it reaches the critical value (Mingers 1987).

    A weak question above a strong one stays: the strong one can only be asked after it. Seen from the leaves, a
    question whose branches are all leaves, by nature or by cutting, becomes a leaf if it does not reach the value.

    measure: ``"chi_square"``, of the table branches × classes of a question; it reaches the critical value if chance
    alone gives as much in at most a share ``significance`` of the cases. ``"gain"``, the gain by which the tree was
    grown, against ``value``. significance: the level of "chi_square". value: the critical value of "gain".

    The table has the training weights of the branches. Examples of unknown value count in the branches they went to.
    For chance to be judged rightly, an example should weigh 1.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.id3 import id3_recipe
    >>> from quercus.growing.grow import grow
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> tree = grow(encode(X), encode_classes(y), id3_recipe())
    >>> print(critical_value(tree, measure="gain", value=0.5).tree.depth, critical_value(tree, 0.01).tree.depth)
    2 0
    >>> print(critical_value(tree, 0.02).removals[0])
    node 0 → leaf: chi-square 3.547 (2 degrees of freedom, p = 0.1698), none below with p <= 0.02; the least is 0.02535
    """
    checked_choice("measure", measure, MEASURES)
    if measure == "chi_square":
        if value is not None:
            raise ParameterError("value is the least gain; with measure='chi_square' give significance instead.")
        return chi_square(tree, significance)
    if not (isinstance(value, int | float | np.number) and np.isfinite(value)):
        raise ParameterError(f"value is {shorten(value)}, but measure='gain' needs a number: the least gain to keep.")
    strength = np.where(tree.kind == LEAF, -np.inf, tree.gain)
    mask = _weak(tree, strength >= value - 1e-12)
    strongest = _best_below(tree, strength)
    removals = []
    for node in np.flatnonzero(mask).tolist():
        own, best = float(strength[node]), float(strongest[node])
        reason = f"gain {significant(own)}, the largest here and below {significant(best)}, under {significant(value)}"
        removals.append(Removal(node, "leaf", reason, {"gain": own, "largest_below": best, "critical": float(value)}))
    return Pruned(tree.collapse(mask), "critical_value", tuple(removals), before=tree)


def chi_square(tree: Tree, significance: float = 0.05) -> Pruned:
    r"""Cut, from the leaves up, questions that are not statistically significant and have only leaves below them.

    Formula: :math:`\chi^2 = \sum_{b,j} (n_{bj} - e_{bj})^2 / e_{bj}` over branches b and classes j, with
    :math:`e_{bj} = n_{b\cdot} n_{\cdot j} / n` and (branches − 1)(classes − 1) degrees of freedom, empty ones left out.
    A question is significant if the p-value of χ² is at most the level; without degrees of freedom it is not.

    significance: that level; a smaller one prunes more.
    """
    refuse_numbers(tree, "chi-square pruning")
    if not (isinstance(significance, int | float | np.number) and 0.0 < significance < 1.0):
        raise ParameterError(f"significance is {shorten(significance)}, but must be between 0 and 1; 0.05 is usual.")
    statistic, degrees, p_value = split_tests(tree)
    mask = _weak(tree, (degrees > 0) & (p_value <= significance))
    least = -_best_below(tree, -p_value)
    removals = []
    for node in np.flatnonzero(mask).tolist():
        figures = {
            "chi_square": float(statistic[node]),
            "degrees_of_freedom": float(degrees[node]),
            "p_value": float(p_value[node]),
            "least_p_value_below": float(least[node]),
            "significance": float(significance),
        }
        reason = (
            f"chi-square {significant(figures['chi_square'])} ({counted(int(degrees[node]), 'degree')} of freedom, "
            f"p = {significant(figures['p_value'])}), none below with p <= {significant(float(significance))}; "
            f"the least is {significant(float(least[node]))}"
        )
        removals.append(Removal(node, "leaf", reason, figures))
    return Pruned(tree.collapse(mask), "chi_square", tuple(removals), before=tree)


def split_tests(tree: Tree) -> tuple[Floats, NDArray[np.int64], Floats]:
    """The chi-square statistic, degrees of freedom and p-value of every question; 0, 0 and 1 at leaves."""
    from scipy.special import chdtrc

    n_nodes, parent = tree.n_nodes, tree.parent[1:]
    cases = tree.value / tree.case_weight
    branch = cases[1:]
    by_class = np.zeros_like(cases)
    np.add.at(by_class, parent, branch)
    size = by_class.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = branch.sum(axis=1, keepdims=True) * by_class[parent] / size[parent, None]
        terms = np.where(expected > 0, (branch - expected) ** 2 / expected, 0.0).sum(axis=1)
    statistic: Floats = np.bincount(parent, weights=terms, minlength=n_nodes).astype(np.float64)
    branches = np.bincount(parent, weights=branch.sum(axis=1) > 0, minlength=n_nodes).astype(np.int64)
    classes = np.count_nonzero(by_class > 0, axis=1)
    degrees = np.maximum(branches - 1, 0) * np.maximum(classes - 1, 0)
    statistic = np.where(degrees > 0, statistic, 0.0)
    p_value: Floats = np.where(degrees > 0, chdtrc(np.maximum(degrees, 1), statistic), 1.0)
    return statistic, degrees, p_value


def _weak(tree: Tree, strong: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The questions that are not strong themselves and have no strong one below them."""
    strong = strong & (tree.kind != LEAF)
    return np.asarray((tree.kind != LEAF) & ~strong & (sums_below(tree, strong.astype(np.int64)) == 0))


def _best_below(tree: Tree, strength: Floats) -> Floats:
    """The largest number among each node and its descendants."""
    best, parent = strength.tolist(), tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        above = parent[node]
        best[above] = max(best[above], best[node])
    return np.array(best)


def _by_value(situation: Situation, options: Mapping[str, Any]) -> Pruned:
    if options.get("critical_gain") is not None:
        return critical_value(situation.tree, measure="gain", value=float(options["critical_gain"]))
    return critical_value(situation.tree, significance=float(options["pruning_significance"]))


CRITICAL_VALUE = PruningMethod(
    "critical_value",
    "a question goes if neither it nor one below it reaches a gain or a significance",
    _by_value,
    reads=("pruning_significance", "critical_gain"),
    costs=False,
)
CHI_SQUARE = PruningMethod(
    "chi_square",
    "a question goes if neither it nor one below it is significant by the chi-square test",
    lambda situation, options: chi_square(situation.tree, significance=float(options["pruning_significance"])),
    reads=("pruning_significance",),
    costs=False,
    place=8,
    compare=lambda situation: ("significance 0.05", chi_square(situation.tree)),
)
