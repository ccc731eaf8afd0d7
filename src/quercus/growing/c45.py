"""C4.5 as a recipe: gain ratio, numeric and nominal attributes together, incomplete examples."""

from __future__ import annotations

from typing import Any, Literal

from quercus.growing.missing import MissingPolicy
from quercus.growing.recipe import Criterion, Recipe, Selection, ThresholdRule

C45Preset = Literal["c45", "r8", "j48"]

#: How C4.5 writes a threshold: the largest value of the training rows that is not above the midpoint.
THRESHOLD: ThresholdRule = "data_value"

PRESETS: dict[str, dict[str, Any]] = {
    # ours: the semantics of Release 8 without its accidents; any two distinct numbers may be cut
    "c45": {"name": "C4.5"},
    # the program of 1993: neighbouring values must differ by 0.00001 in absolute terms
    "r8": {"name": "C4.5 Release 8", "threshold_gap": 1e-5},
    # Weka's version: collapses from the top, an empty branch knows its parent's distribution, gain ratio 0 is no split
    "j48": {
        "name": "J48",
        "threshold_gap": 1e-5,
        "collapse": "top_down",
        "empty_leaf": "parent_distribution",
        "require_gain": True,
        "min_split_info": 1e-6,
    },
}


def c45_recipe(
    preset: C45Preset = "c45",
    *,
    criterion: Criterion = "entropy",
    min_objects: float = 2.0,
    value_groups: bool = False,
    missing: MissingPolicy = "fractional",
    selection: Selection = "gain_ratio",
    cost_exponent: float = 1.0,
    max_depth: int | None = None,
    sufficient_majority: float | None = None,
    significance: float | None = None,
    max_bins: int | None = None,
    threshold: ThresholdRule | None = None,
    threshold_price: bool = True,
) -> Recipe:
    """The recipe of C4.5, growing (error-based pruning comes after it).

    N is the weight at the node, K the weight with a known value of the attribute, k the classes, m = ``min_objects``::

        C45(examples)
            if one class holds all the weight, or N < 2m     -> leaf of the most common class
            for each attribute A
                nominal:  one branch a declared value (or merged groups of values); not asked twice on a path
                numeric:  the cut of largest gain among those whose sides both weigh clamp(0.1 K/k, m, 25);
                          then gain -= log2(number of such cuts) / N, and if that is <= 0, A is out
                gain(A)       = K/N * (entropy of the known - weighted entropy of the branches)
                split info(A) = entropy of the shares (unknown, branch 1, ..., branch b)
                admissible if at least two branches weigh m
            A = best gain / split info among those with gain >= mean gain - 0.001
                (nominal attributes with >= 0.3 n values do not count in the mean)
            for each branch -> C45(its examples, and those of unknown value with weight * branch share)
            if the branches make no fewer training errors than a leaf would -> leaf

    Parameters as in :class:`quercus.C45Classifier`. ``preset`` is "c45" (Release 8's semantics without its accidents),
    "r8" or "j48" (as those programs do it). A ``threshold`` other than None replaces C4.5's own, a value of the data.
    With ``value_groups`` the values of a nominal attribute are merged pairwise while the gain ratio improves.
    ``threshold_price=False`` leaves out the step gain -= log2(cuts) / N, as textbooks do that do not know it. With
    ``sufficient_majority`` a node is a leaf, too, when one class holds that share of its weight.

    >>> c45_recipe("r8").differences(c45_recipe())
    {'name': ('C4.5 Release 8', 'C4.5'), 'threshold_gap': (1e-05, 0.0)}
    """
    choices: dict[str, Any] = {
        "criterion": criterion,
        "selection": selection,
        "cost_exponent": cost_exponent,
        "nominal": "grouped" if value_groups else "multiway",
        "threshold": THRESHOLD if threshold is None else threshold,
        "threshold_gap": 0.0,
        "threshold_cost": threshold_price,
        "min_cut": True,
        "gate": selection == "gain_ratio",
        "gate_tolerance": 1e-3,
        "min_split_info": 1e-3,
        "wide_share": 0.3,
        "min_objects": float(min_objects),
        "missing": missing,
        "collapse": "bottom_up",
        "collapse_tolerance": 1e-3,
        "empty_leaf": "parent_class",
        "max_depth": max_depth,
        "sufficient_majority": sufficient_majority,
        "significance": significance,
        "max_bins": max_bins,
    }
    return Recipe(**{**choices, **PRESETS[preset]})
