"""Parameters: wrong ones are refused before work starts, with the name, the value and what is allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.errors import ParameterError

X = np.array([[0.0], [1.0], [2.0], [3.0]])
Y = np.array([0, 0, 1, 1])

WRONG: list[tuple[type, str, Any, str]] = [
    (ID3Classifier, "form", "binary", "'multiway', 'threshold'"),
    (ID3Classifier, "epsilon", -0.1, ">= 0"),
    (ID3Classifier, "epsilon", float("nan"), ">= 0"),
    (ID3Classifier, "max_depth", -1, "None or a whole number"),
    (ID3Classifier, "max_depth", 2.5, "whole number"),
    (ID3Classifier, "max_depth", True, "whole number"),
    (ID3Classifier, "min_samples_split", 1, "at least 2"),
    (ID3Classifier, "significance", 1.0, "< 1"),
    (ID3Classifier, "missing", "surrogate", "two-way splits"),
    (ID3Classifier, "missing", "drop", "'own_value'"),
    (C45Classifier, "preset", "c50", "'c45', 'r8', 'j48'"),
    (C45Classifier, "prune", "error based", "False, True (error_based) or one of 'error_based', 'reduced_error'"),
    (C45Classifier, "prune", None, "False, True"),
    (C45Classifier, "prune", 1, "False, True"),
    (C45Classifier, "confidence", 0.0, "> 0 and <= 1"),
    (C45Classifier, "subtree_raising", "no", "True or False"),
    (ID3Classifier, "validation_fraction", 1.0, "> 0 and < 1"),
    (ID3Classifier, "m", -1.0, ">= 0"),
    (ID3Classifier, "pruning_significance", 0.0, "> 0 and < 1"),
    (ID3Classifier, "critical_gain", -0.1, "None or a number >= 0"),
    (ID3Classifier, "random_state", "seed", "RandomState"),
    (CARTClassifier, "ccp_alpha", -0.1, "None or a number >= 0"),
    (CARTClassifier, "alpha_choice", "2se", "'1se', 'min'"),
    (CARTClassifier, "folds", 1, "at least 2"),
    (CARTRegressor, "prune", "error_based", "'cost_complexity'"),
    (CARTRegressor, "ccp_alpha", "auto", "None or a number"),
    (C45Classifier, "min_objects", 0, "> 0"),
    (C45Classifier, "missing", "surrogate", "two-way splits"),
    (C45Classifier, "value_groups", "yes", "True or False"),
    (C45Classifier, "selection", "gini", "'gain_ratio'"),
    (C45Classifier, "max_bins", 1, "at least 2"),
    (CARTClassifier, "criterion", "squared_error", "'gini'"),
    (CARTClassifier, "min_samples_split", 1, "at least 2"),
    (CARTClassifier, "min_samples_split", 1.5, "<= 1.0"),
    (CARTClassifier, "min_samples_leaf", 0, "at least 1"),
    (CARTClassifier, "min_samples_leaf", 0.0, "> 0.0"),
    (CARTClassifier, "min_weight_fraction_leaf", 0.6, "<= 0.5"),
    (CARTClassifier, "max_leaf_nodes", 1, "at least 2"),
    (CARTClassifier, "min_impurity_decrease", -1.0, ">= 0"),
    (CARTClassifier, "max_surrogates", -1, "at least 0"),
    (CARTClassifier, "cost_exponent", 2.0, "<= 1"),
    (CARTClassifier, "smoothing", "m", '("m", m)'),
    (CARTClassifier, "smoothing", ("m", -1), '("m", m)'),
    (CARTClassifier, "decision_threshold", 1.2, "<= 1"),
    (CARTClassifier, "kinds", "nominal", "a dict"),
    (CARTClassifier, "kinds", {"x00": "nominal"}, "Did you mean 'x0'"),
    (CARTClassifier, "domains", ["a"], "a dict"),
    (CARTClassifier, "attribute_costs", 3.0, "a dict"),
    (CARTClassifier, "attribute_costs", [-1.0], "from 0 to 1e+100"),
    (CARTClassifier, "attribute_costs", [1e308], "from 0 to 1e+100"),
    (CARTClassifier, "cost_matrix", [[0, 1e308], [1e308, 0]], "the cost 1e+308; give numbers from 0 to 1e+100"),
    (CARTClassifier, "n_jobs", 0, "-1 for all"),
    (CARTClassifier, "n_jobs", 1.5, "-1 for all"),
    (CARTClassifier, "progress", "yes", "a function"),
    (CARTClassifier, "priors", [0.5, 0.6], "together 1"),
    (CARTClassifier, "priors", [1.0], "together 1"),
    (CARTClassifier, "priors", {0: 1.0}, "together 1"),
    (CARTClassifier, "class_weight", "even", "'balanced'"),
    (CARTClassifier, "class_weight", {0: -1.0}, ">= 0"),
    (CARTClassifier, "class_weight", {7: 1.0}, "not in class_weight"),
    (CARTClassifier, "cost_matrix", [[0, 1, 1], [1, 0, 1]], "(2, 2)"),
    (CARTClassifier, "cost_matrix", [[0, -1], [1, 0]], "from 0 to 1e+100"),
    (CARTClassifier, "cost_matrix", [[1, 1], [1, 0]], "diagonal"),
    (CARTClassifier, "cost_matrix", [[0, 0], [1, 0]], "would not count"),
    (CARTClassifier, "cost_matrix", {(0, 9): 1}, "true class"),
    (CARTClassifier, "threshold", "shortest", "'midpoint', 'data_value', 'short', 'short_value'"),
    (CARTClassifier, "sufficient_majority", 1.1, "<= 1"),
    (CARTClassifier, "sufficient_majority", 0, "> 0"),
    (C45Classifier, "threshold_price", "no", "True or False"),
    (ID3Classifier, "selection", "gini", "'gain_ratio'"),
    (CARTRegressor, "threshold", True, "None or one of"),
    (CARTRegressor, "criterion", "gini", "'squared_error'"),
    (CARTRegressor, "missing", "class_most_common", "'most_common'"),
]


@pytest.mark.parametrize(("estimator", "name", "value", "allowed"), WRONG)
def test_wrong_parameter_is_named_with_what_is_allowed(estimator: type, name: str, value: Any, allowed: str) -> None:
    with pytest.raises(ParameterError) as caught:
        estimator(**{name: value}).fit(X, Y)
    assert name in str(caught.value)
    assert allowed in str(caught.value)


def test_an_unknown_kind_is_named_with_its_column() -> None:
    with pytest.raises(ParameterError, match=r"'x0' is 'category', but must be one of 'numeric', 'nominal'"):
        CARTClassifier(kinds={"x0": "category"}).fit(X, Y)


def test_wrong_parameter_is_met_before_the_data() -> None:
    with pytest.raises(ParameterError, match="max_depth"):
        CARTClassifier(max_depth=-1).fit("no table at all", None)


@pytest.mark.parametrize(
    "pair",
    [
        {"class_weight": "balanced", "priors": [0.5, 0.5]},
        {"cost_matrix": [[0, 1], [1, 0]], "decision_threshold": 0.5},
    ],
)
def test_two_parameters_that_decide_the_same_are_refused(pair: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="both given"):
        CARTClassifier(**pair).fit(X, Y)


def test_j48_knows_no_confidence_above_one_half() -> None:
    with pytest.raises(ParameterError, match=r"confidence=0.6.*preset='j48'"):
        C45Classifier(preset="j48", confidence=0.6).fit(X, Y)
    assert C45Classifier(preset="j48", confidence=0.6, prune=False).fit(X, Y).get_n_leaves() == 2


def test_tan_schlimmer_needs_costs() -> None:
    with pytest.raises(ParameterError, match="attribute_costs is None"):
        C45Classifier(selection="tan_schlimmer").fit(X, Y)


def test_tan_schlimmer_refuses_an_attribute_that_is_free() -> None:
    with pytest.raises(ParameterError, match="x0"):
        C45Classifier(selection="tan_schlimmer", attribute_costs=[0.0]).fit(X, Y)


def test_decision_threshold_needs_two_classes() -> None:
    with pytest.raises(ParameterError, match="y has 3"):
        CARTClassifier(decision_threshold=0.5).fit(X, [0, 1, 2, 2])


def test_numpy_numbers_are_numbers() -> None:
    tree = CARTClassifier(
        max_depth=np.int64(1), min_samples_leaf=np.int32(2), min_impurity_decrease=np.float32(0.0), n_jobs=np.int64(1)
    )
    assert tree.fit(X, Y).get_n_leaves() == 2


def test_shares_of_the_rows_are_rounded_up() -> None:
    rows = np.arange(100.0).reshape(-1, 1)
    tree = CARTClassifier(min_samples_leaf=0.101, min_samples_split=0.5).fit(rows, np.arange(100) % 2)
    assert (tree.recipe_.min_samples_leaf, tree.recipe_.min_samples_split) == (11, 50)
    weighted = CARTClassifier(min_weight_fraction_leaf=0.1).fit(rows, np.arange(100) % 2, np.full(100, 2.0))
    assert weighted.recipe_.min_weight_leaf == 20.0


def test_log_loss_is_another_word_for_entropy() -> None:
    assert CARTClassifier(criterion="log_loss").fit(X, Y).recipe_.criterion == "entropy"
