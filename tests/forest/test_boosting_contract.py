"""scikit-learn's own checks for boosting; where rows are drawn, one of them cannot hold."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from quercus import BoostedClassifier, C45Classifier, ID3Classifier

WHOLE = [
    BoostedClassifier(n_estimators=8),
    BoostedClassifier(method="trials", n_estimators=4),
    BoostedClassifier(C45Classifier(), n_estimators=4, learning_rate=0.5),
]
DRAWING = [
    BoostedClassifier(early_stopping=True, n_estimators=8),
    BoostedClassifier(ID3Classifier(prune=True), n_estimators=3),
]


def expected_failure(estimator: Any) -> dict[str, str]:
    """Which rows are held out cannot be the same for one row of weight 2 as for two rows."""
    reason = "rows are held out: two copies are drawn one by one"
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}


@parametrize_with_checks(WHOLE)  # type: ignore[untyped-decorator]
def test_boosting_keeps_the_contract_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@parametrize_with_checks(DRAWING, expected_failed_checks=expected_failure)  # type: ignore[untyped-decorator]
def test_boosting_that_holds_rows_out_keeps_the_rest_of_it(estimator: Any, check: Any) -> None:
    check(estimator)
