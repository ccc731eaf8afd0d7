"""Living with scikit-learn: pipelines, searches, routing, copies and pictures of the parameters."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.datasets import load_play_tennis

ALL = [ID3Classifier(), C45Classifier(), C45Classifier(prune=False), CARTClassifier(ccp_alpha=0.01), CARTRegressor()]


@pytest.mark.parametrize("estimator", ALL)
def test_tags_tell_what_is_accepted(estimator: Any) -> None:
    tags = get_tags(estimator)
    assert tags.input_tags.allow_nan and tags.input_tags.categorical and tags.input_tags.string
    assert tags.input_tags.sparse and not tags.target_tags.multi_output
    assert is_classifier(estimator) != is_regressor(estimator)


@pytest.mark.parametrize("estimator", ALL)
def test_a_clone_has_the_parameters_but_no_tree(estimator: Any) -> None:
    fitted = clone(estimator).set_params(max_depth=1).fit([[0], [1]], [0, 1])
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params() and copy.max_depth == 1
    assert not hasattr(copy, "tree_") and not hasattr(copy, "n_features_in_")


@pytest.mark.parametrize("estimator", ALL)
def test_a_pickle_answers_the_same(estimator: Any) -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = clone(estimator).fit(X, y)
    loaded = pickle.loads(pickle.dumps(fitted))
    assert loaded.tree_ == fitted.tree_
    assert loaded.schema_ == fitted.schema_ and loaded.recipe_ == fitted.recipe_
    assert (loaded.predict(X) == fitted.predict(X)).all()


def test_a_frame_of_text_goes_through_a_pipeline() -> None:
    X, y = load_play_tennis()
    plain = make_pipeline("passthrough", C45Classifier()).fit(X, y)
    assert plain.score(X, y) == 1.0
    assert plain[-1].feature_names_in_.tolist() == list(X.columns)


def test_column_transformers_in_front() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = load_play_tennis()
    X = X.assign(Degrees=np.arange(14.0))
    encoder = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["Outlook"]), (StandardScaler(), ["Degrees"]), remainder="passthrough"
    )
    mixed = make_pipeline(encoder, CARTClassifier()).fit(X, y)
    assert mixed.score(X, y) == 1.0
    frames = ColumnTransformer([("scale", StandardScaler(), ["Degrees"])], remainder="passthrough")
    named = make_pipeline(frames, C45Classifier(min_objects=1)).set_output(transform="pandas").fit(X, y)
    assert "remainder__Outlook" in named[-1].feature_names_in_
    assert isinstance(named[:-1].transform(X), pandas.DataFrame)
    assert len(named.predict(X)) == 14


def test_grid_search_finds_parameters() -> None:
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(CARTClassifier(), {"max_depth": [1, 3], "criterion": ["gini", "entropy"]}, cv=3).fit(X, y)
    assert search.best_params_["max_depth"] == 3 and search.best_score_ > 0.9
    presets = GridSearchCV(C45Classifier(), {"preset": ["c45", "j48"], "smoothing": [None, "laplace", ("m", 2)]}, cv=3)
    assert presets.fit(X, y).best_score_ > 0.9


def test_grid_search_finds_how_to_prune() -> None:
    X, y = load_iris(return_X_y=True)
    grid = [{"prune": [False, "mdl", "minimum_error"]}, {"prune": [True], "confidence": [0.01, 0.25]}]
    search = GridSearchCV(C45Classifier(), grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.9 and len(search.cv_results_["params"]) == 5
    prices = CARTClassifier().cost_complexity_pruning_path(X, y).ccp_alphas
    by_price = GridSearchCV(CARTClassifier(), {"ccp_alpha": prices}, cv=3, error_score="raise").fit(X, y)
    assert by_price.cv_results_["mean_test_score"][-1] < by_price.best_score_
    held = {"prune": ["reduced_error", "validation"], "validation_fraction": [0.2, 0.4], "random_state": [0, 1]}
    assert GridSearchCV(ID3Classifier(), held, cv=3, error_score="raise").fit(X, y).best_score_ > 0.85


def test_validation_rows_are_routed_and_transformed_by_a_pipeline() -> None:
    X, y = load_iris(return_X_y=True)
    fresh, fresh_y = X[::3], y[::3]
    with sklearn.config_context(enable_metadata_routing=True):
        tree = CARTClassifier(prune="reduced_error").set_fit_request(X_val=True, y_val=True)
        pipeline = make_pipeline(StandardScaler(), tree, transform_input=["X_val"])
        pipeline.fit(X, y, X_val=fresh, y_val=fresh_y)
    scaler = StandardScaler().fit(X)
    alone = CARTClassifier(prune="reduced_error").fit(
        scaler.transform(X), y, X_val=scaler.transform(fresh), y_val=fresh_y
    )
    assert pipeline[-1].tree_ == alone.tree_
    plain = make_pipeline("passthrough", ID3Classifier(prune=True))
    assert plain.fit(X, y, id3classifier__X_val=fresh, id3classifier__y_val=fresh_y).score(X, y) > 0.9


def test_cross_validation_on_text_scores_as_usual() -> None:
    X, y = load_play_tennis()
    assert cross_val_score(ID3Classifier(), X, y, cv=3).mean() > 0.5
    scores = cross_validate(C45Classifier(smoothing="laplace"), X, y, cv=2, scoring=["neg_log_loss", "roc_auc"])
    assert np.isfinite(scores["test_neg_log_loss"]).all()


def test_sample_weight_is_routed() -> None:
    X, y = load_iris(return_X_y=True)
    weights = np.where(y == 0, 5.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        tree = CARTClassifier(max_depth=2).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), tree).fit(
            X, y, sample_weight=weights
        )
        assert pipeline[-1].tree_.weight[0] == weights.sum()
        result = cross_validate(tree, X, y, cv=3, params={"sample_weight": weights}, return_estimator=True)
    assert all(fitted.tree_.weight[0] > 150 for fitted in result["estimator"])


def test_an_ensemble_can_be_built_from_it() -> None:
    X, y = load_iris(return_X_y=True)
    assert BaggingClassifier(CARTClassifier(), n_estimators=5, random_state=0).fit(X, y).score(X, y) > 0.95
    importance = permutation_importance(CARTClassifier().fit(X, y), X, y, n_repeats=2, random_state=0)
    assert importance.importances_mean.shape == (4,)


def test_the_html_of_the_parameters_is_scikit_learns() -> None:
    tree = C45Classifier(min_objects=5)
    assert "C45Classifier" in tree._repr_html_() and "min_objects" in tree._repr_html_()
    assert "C45Classifier" in make_pipeline(StandardScaler(), tree)._repr_html_()


def test_categorical_target_keeps_its_declared_order() -> None:
    pandas = pytest.importorskip("pandas")
    y = pandas.Series(pandas.Categorical(list("lmhlmh"), categories=["l", "m", "h"], ordered=True), name="level")
    tree = CARTClassifier().fit([[i] for i in range(6)], y)
    assert tree.classes_.tolist() == ["l", "m", "h"]
    assert tree.predict([[0], [1], [2]]).tolist() == ["l", "m", "h"]
    assert tree.predict_proba([[2]]).tolist() == [[0.0, 0.0, 1.0]]


def test_jobs_do_not_change_the_tree() -> None:
    X, y = load_iris(return_X_y=True)
    one = CARTClassifier().fit(X, y).tree_
    assert all(CARTClassifier(n_jobs=jobs).fit(X, y).tree_ == one for jobs in (1, 2, -1))


def test_a_failed_fit_leaves_the_estimator_as_it_was() -> None:
    tree = CARTClassifier().fit({"a": [0, 1]}, ["n", "y"])
    with pytest.raises(ValueError, match="NaN"):
        tree.fit({"b": [0, 1], "c": [0, 1]}, ["n", None])
    assert tree.feature_names_in_.tolist() == ["a"]
    assert tree.predict({"a": [1]}).tolist() == ["y"]


def test_progress_is_told_and_may_stop_the_fit() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200_000, 5)), rng.integers(0, 2, 200_000)  # some tenths of a second
    calls: list[tuple[int, ...]] = []
    CARTClassifier(progress=lambda *state: calls.append(state)).fit(X, y)
    assert calls and all(settled <= rows == 200_000 for settled, rows, _ in calls)

    def stop(*state: int) -> None:
        raise KeyboardInterrupt

    tree = CARTClassifier(progress=stop)
    with pytest.raises(KeyboardInterrupt):
        tree.fit(X, y)
    assert not hasattr(tree, "tree_")
