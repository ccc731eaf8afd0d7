"""ID3 as a recipe: Quinlan's first algorithm, in the multiway form of the textbooks and in the threshold form."""

from __future__ import annotations

from typing import Literal

from quercus.growing.missing import MissingPolicy
from quercus.growing.recipe import Criterion, EmptyLeaf, NominalSplit, Recipe, Selection, ThresholdRule

ID3Form = Literal["multiway", "threshold"]

#: How textbooks write the threshold of each form: half-way as at 54 and 85, or a value of the data as at 4.5.
THRESHOLDS: dict[ID3Form, ThresholdRule] = {"multiway": "midpoint", "threshold": "data_value"}


def id3_recipe(
    form: ID3Form = "multiway",
    *,
    criterion: Criterion = "entropy",
    epsilon: float = 0.0,
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_weight_leaf: float = 0.0,
    sufficient_majority: float | None = None,
    significance: float | None = None,
    missing: MissingPolicy = "most_common",
    selection: Selection = "gain",
    cost_exponent: float = 1.0,
    threshold: ThresholdRule | None = None,
) -> Recipe:
    """The recipe of ID3: entropy, information gain, no pruning.

    The multiway form, over discrete attributes::

        ID3(examples, attributes)
            if all examples are of one class          -> leaf of that class
            if no attribute is left                   -> leaf of the most common class
            A = the attribute of largest Gain(examples, A)
            if Gain(examples, A) < epsilon            -> leaf of the most common class
            for each value v in the domain of A
                if no example has A = v               -> branch to a leaf of the most common class of examples
                otherwise                             -> branch to ID3(examples with A = v, attributes - {A})

    The threshold form: every attribute j and every threshold t ask "x_j <= t?"; the pair whose two sides have the least
    weighted entropy is taken, and a leaf predicts the mean of y, which for a class is its share. A nominal attribute is
    asked with the set of values whose two sides have the least weighted entropy. The threshold is a value of the data,
    as at 4.5 in the textbook's example; the multiway form cuts a numeric attribute half-way, as at 54 and 85. A
    ``threshold`` other than None replaces either rule.

    Parameters as in :class:`quercus.ID3Classifier`. min_weight_leaf: the least weight of a leaf.

    With ``sufficient_majority`` a node is a leaf, too, when one class holds that share of its weight. With
    ``selection="gain_ratio"`` the attribute of largest gain / split information is asked, without C4.5's gate.

    A split of gain 0 is taken while ``epsilon`` is 0: without it a tree could not learn XOR.

    Not part of ID3: the price of a threshold, fractional examples and pruning; those are C4.5's.

    >>> id3_recipe(epsilon=0.1).min_gain
    0.1
    >>> sorted(id3_recipe("threshold").differences(id3_recipe()))
    ['empty_leaf', 'name', 'nominal', 'threshold']
    """
    nominal: NominalSplit = "multiway" if form == "multiway" else "subset"
    empty_leaf: EmptyLeaf = "parent_class" if form == "multiway" else "parent_distribution"
    return Recipe(
        name="ID3" if form == "multiway" else "ID3 (threshold form)",
        criterion=criterion,
        selection=selection,
        cost_exponent=cost_exponent,
        nominal=nominal,
        threshold=THRESHOLDS[form] if threshold is None else threshold,
        empty_leaf=empty_leaf,
        min_gain=epsilon,
        max_depth=max_depth,
        min_samples_split=min_samples_split,
        min_samples_leaf=min_samples_leaf,
        min_weight_leaf=min_weight_leaf,
        sufficient_majority=sufficient_majority,
        significance=significance,
        missing=missing,
    )
