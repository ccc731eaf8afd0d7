"""scikit-learn's decision trees: CART grows the same number of nodes, leaves and training predictions.

Where scikit-learn's own answer depends on random_state, equally good splits decide (figures/scikit_learn.json has null
there). With equal weights that happens on wine, breast_cancer, digits and diabetes; with uneven weights nowhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quercus import CARTClassifier, CARTRegressor

from .figures import read
from .fingerprints import of_labels, of_numbers, of_partition
from .tables import bundled, uneven_class_weight, uneven_weights, with_gaps

CASES = read("scikit_learn")["cases"]
NOT_PARAMETERS = ("table", "gaps", "weights", "scikit-learn")


def name_of(case: dict[str, Any]) -> str:
    """The case in a few words."""
    limits = [f"{k}={v}" for k, v in case.items() if k not in (*NOT_PARAMETERS, "criterion")] or ["full"]
    return "-".join([case["table"], *(["gaps"] if case["gaps"] else []), case["weights"], case["criterion"], *limits])


def fitted(case: dict[str, Any]) -> tuple[CARTClassifier | CARTRegressor, np.ndarray, np.ndarray]:
    """Our tree for a case, with the training rows and their target."""
    parameters = {key: value for key, value in case.items() if key not in NOT_PARAMETERS}
    matrix, target = bundled(case["table"])
    if "class_weight" in parameters:
        parameters["class_weight"] = uneven_class_weight(len(np.unique(target)))
    if case["gaps"]:
        matrix = with_gaps(case["table"])[0].to_numpy(dtype=float)
    weights = uneven_weights(len(target)) if case["weights"] == "uneven" else None
    estimator = CARTRegressor if case["table"] == "diabetes" else CARTClassifier
    model = estimator(missing="own_value", **parameters).fit(matrix, target, sample_weight=weights)
    return model, matrix, target


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_same_nodes_leaves_and_training_predictions(case: dict[str, Any]) -> None:
    theirs = case["scikit-learn"]
    model, matrix, target = fitted(case)
    predictions = model.predict(matrix)
    if theirs["n_nodes"] is not None:
        assert model.tree_.n_nodes == theirs["n_nodes"]
    else:
        assert theirs["n_nodes_seen"][0] <= model.tree_.n_nodes <= theirs["n_nodes_seen"][-1]
    if theirs["depth"] is not None:
        assert model.tree_.depth == theirs["depth"]
    if theirs.get("training_errors") is not None:
        assert np.sum(predictions != target) == theirs["training_errors"]
    if theirs["partition"] is not None:
        assert of_partition(model.apply(matrix)) == theirs["partition"]
    if theirs["predictions"] is None:
        return
    if isinstance(theirs["predictions"], str):
        assert of_labels(predictions) == theirs["predictions"]
    else:
        np.testing.assert_allclose(of_numbers(predictions), theirs["predictions"], rtol=1e-9)


def test_ties_decide_only_where_weights_are_equal() -> None:
    varying = {case["weights"] for case in CASES if None in case["scikit-learn"].values()}
    assert varying == {"equal"}
