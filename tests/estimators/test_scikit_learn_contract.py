"""scikit-learn's own checks for every estimator; one check is expected to fail, where rows are drawn."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from quercus import (
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    C45RulesClassifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    PARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    RIPPERClassifier,
)

ESTIMATORS = [
    ID3Classifier(),
    ID3Classifier(form="threshold", missing="surrogate", smoothing="laplace"),
    ID3Classifier(prune="mdl"),
    C45Classifier(),
    C45Classifier(preset="j48", value_groups=True),
    C45Classifier(prune=False),
    CARTClassifier(),
    CARTClassifier(missing="surrogate", max_leaf_nodes=20, class_weight="balanced"),
    CARTClassifier(ccp_alpha=0.01),
    CARTRegressor(),
    CARTRegressor(criterion="absolute_error", missing="most_common"),
    C45RulesClassifier(),
    PARTClassifier(),
    RIPPERClassifier(),
    BaggingClassifier(C45Classifier(), bootstrap=False),
    RandomForestRegressor(10, bootstrap=False, criterion="absolute_error"),
]

# Methods that draw rows, to hold out or into folds.
DRAWING = [
    ID3Classifier(prune=True),
    CARTClassifier(prune=True, folds=3),
    CARTRegressor(prune="validation"),
    RandomForestClassifier(),
    RandomForestClassifier(replacement="without", random_thresholds=True, vote="majority", class_weight="balanced"),
    RandomForestRegressor(),
    RandomForestRegressor(10, max_features="log2", missing="surrogate", ccp_alpha=0.01),
    BaggingClassifier(),
    BaggingClassifier(C45Classifier(smoothing="laplace"), max_features=0.5),
    BaggingClassifier(C45RulesClassifier(), n_estimators=3),
    BaggingRegressor(),
]


def expected_failure(estimator: Any) -> dict[str, str]:
    """Which rows are drawn cannot be the same for one row of weight 2 as for two rows."""
    reason = "rows are drawn: two copies are drawn one by one"
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}


@parametrize_with_checks(ESTIMATORS)  # type: ignore[untyped-decorator]
def test_estimator_keeps_the_contract_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@parametrize_with_checks(DRAWING, expected_failed_checks=expected_failure)  # type: ignore[untyped-decorator]
def test_estimator_that_draws_rows_keeps_the_rest_of_it(estimator: Any, check: Any) -> None:
    check(estimator)
