"""CART as a recipe: binary questions, Gini or squared error, classification and regression."""

from __future__ import annotations

from typing import Any

from quercus.growing.missing import MissingPolicy
from quercus.growing.recipe import Criterion, Recipe, Selection, ThresholdRule
from quercus.targets.pinball import checked_levels

#: How CART writes a threshold: half-way between neighbouring values.
THRESHOLD: ThresholdRule = "midpoint"


def cart_recipe(
    criterion: Criterion = "gini",
    *,
    quantiles: tuple[float, ...] = (0.1, 0.5, 0.9),
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_weight_leaf: float = 0.0,
    min_value_weight: float = 0.0,
    max_leaf_nodes: int | None = None,
    min_impurity_decrease: float = 0.0,
    sufficient_majority: float | None = None,
    significance: float | None = None,
    missing: MissingPolicy = "own_value",
    max_surrogates: int = 5,
    selection: Selection = "gain",
    cost_exponent: float = 1.0,
    max_bins: int | None = None,
    threshold: ThresholdRule | None = None,
    monotonic_cst: Any = None,
    interaction_cst: Any = None,
) -> Recipe:
    """The recipe of CART: every question has two answers.

    ::

        CART(examples)
            if the node is pure, too deep or too small       -> leaf: class shares, or the mean
            for each attribute
                numeric:  every cut half-way between neighbouring values
                nominal:  every division of the values into two sets; with two classes, or numbers to predict, only
                          the divisions in order of the class share (the mean) need be tried (Breiman's theorem)
            take the question that lowers the impurity most:
                weight * impurity(node) - sum over both sides of weight * impurity(side)
            if (N / N_root) * decrease < min_impurity_decrease -> leaf
            -> CART(examples answering yes), CART(examples answering no)

    Parameters as in :class:`quercus.CARTClassifier`. min_weight_leaf: the least weight of a leaf. quantiles: levels, of
    the criterion "pinball".

    Nominal values that weigh less than ``min_value_weight`` at a node go together.

    By the criterion "pinball" a leaf answers ``quantiles`` of its numbers, and their pinball losses are added up.
    A ``threshold`` other than None replaces "half-way": "short" writes the shortest number between the values.
    With ``sufficient_majority`` a node is a leaf, too, when one class holds that share of its weight.
    With ``max_leaf_nodes`` the node of largest decrease is split first, until there are so many leaves.
    With ``monotonic_cst`` and ``interaction_cst`` only questions are asked that keep the order of the answers, and that
    may meet those above.
    A question that lowers nothing is still asked while ``min_impurity_decrease`` is 0, as in scikit-learn.

    Unknown values are by default a value of their own: each question is tried with them on either side. That costs
    nothing on complete data, while surrogate questions (``missing="surrogate"``), the tradition of CART, have to be
    searched at every node.

    >>> recipe = cart_recipe("squared_error", max_depth=3)
    >>> recipe.is_regression, recipe.nominal, recipe.threshold
    (True, 'subset', 'midpoint')
    """
    return Recipe(
        name="CART",
        criterion=criterion,
        quantiles=checked_levels(quantiles),
        selection=selection,
        cost_exponent=cost_exponent,
        nominal="subset",
        threshold=THRESHOLD if threshold is None else threshold,
        min_samples_split=min_samples_split,
        min_samples_leaf=min_samples_leaf,
        min_weight_leaf=min_weight_leaf,
        min_value_weight=min_value_weight,
        min_impurity_decrease=min_impurity_decrease,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        sufficient_majority=sufficient_majority,
        significance=significance,
        missing=missing,
        max_surrogates=max_surrogates,
        empty_leaf="parent_distribution",
        max_bins=max_bins,
        monotonic_cst=monotonic_cst,
        interaction_cst=interaction_cst,
    )
