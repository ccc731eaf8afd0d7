"""scikit-learn's own checks, for every estimator and without a list of expected failures."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier

ESTIMATORS = [
    ID3Classifier(),
    ID3Classifier(form="threshold", missing="surrogate", smoothing="laplace"),
    C45Classifier(),
    C45Classifier(preset="j48", value_groups=True),
    CARTClassifier(),
    CARTClassifier(missing="surrogate", max_leaf_nodes=20, class_weight="balanced"),
    CARTRegressor(),
    CARTRegressor(criterion="absolute_error", missing="most_common"),
]


@parametrize_with_checks(ESTIMATORS)  # type: ignore[untyped-decorator]
def test_estimator_keeps_the_contract_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)
