"""Models and tables for the tests of model files, and what it means that two models are the same."""

from __future__ import annotations

import datetime as dt
import pickle
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

import quercus
from quercus import (
    BaggingClassifier,
    BaggingRegressor,
    BoostedClassifier,
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
from quercus.errors import QuercusError
from quercus.fitted.model import Model, model_of
from quercus.forests import FlatCurve, ScoreSum
from quercus.rules import RuleList
from quercus.targets import kind_of
from quercus.tree import Tree
from quercus.tree.forest import Forest

HOSTILE = "<img src=x onerror=alert(1)> \u2028 '\"\\ é 漢 \x00"


def mixed_table(n_rows: int = 120, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Every kind of column, with unknown values and hostile names; two classes, and some noise."""
    rng = np.random.default_rng(seed)
    number = rng.normal(size=n_rows)
    colour = rng.choice(["red", "green", HOSTILE, ""], n_rows)
    table = pd.DataFrame(
        {
            "number": np.where(rng.random(n_rows) < 0.1, np.nan, number),
            HOSTILE: pd.array(np.where(rng.random(n_rows) < 0.1, None, colour), dtype=object),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n_rows), ["S", "M", "L", "XL"], ordered=True),
            "flag": rng.random(n_rows) < 0.5,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 500, n_rows), "D"),
            "mixed": pd.array(rng.choice(np.array([1, "1", 2.5, True], dtype=object), n_rows), dtype=object),
            "huge": rng.normal(size=n_rows) * 10.0 ** rng.integers(-300, 300, n_rows),
        }
    )
    wanted = (np.nan_to_num(number) > 0) ^ (colour == "red") ^ (table["size"].astype(str) == "L").to_numpy()
    return table, np.where(wanted ^ (rng.random(n_rows) < 0.1), "yes", "no")


CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "id3": lambda: ID3Classifier(form="threshold"),
    "id3 reduced error": lambda: ID3Classifier(form="threshold", prune="reduced_error", class_weight="balanced"),
    "c45": lambda: C45Classifier(),
    "c45 r8": lambda: C45Classifier(preset="r8", value_groups=True, smoothing=("m", 2.0)),
    "c45 j48": lambda: C45Classifier(preset="j48", missing="own_value", cost_matrix={("yes", "no"): 3}),
    "c45 critical value": lambda: C45Classifier(prune="critical_value", priors={"no": 0.3, "yes": 0.7}),
    "c45 mdl": lambda: C45Classifier(prune="mdl", smoothing="laplace", decision_threshold=0.4),
    "cart": lambda: CARTClassifier(missing="surrogate", n_jobs=2),
    "cart price": lambda: CARTClassifier(ccp_alpha=0.01, cost_matrix=np.array([[0, 1], [5, 0]])),
    "cart cross-validated": lambda: CARTClassifier(prune=True, folds=3, criterion="entropy"),
    "c45 rules": lambda: C45RulesClassifier(missing="most_common", unknown="tree", validation_fraction=0.3),
    "part": lambda: PARTClassifier(cost_matrix=[[0, 2], [1, 0]]),
    "ripper": lambda: RIPPERClassifier(random_state=np.random.RandomState(3), class_weight={"yes": 2, "no": 1}),
}
COLLECTIONS: dict[str, Callable[[], Any]] = {
    "forest": lambda: RandomForestClassifier(4, oob_score=True, replacement="without", vote="majority"),
    "forest of few rows": lambda: RandomForestClassifier(3, max_samples=5, oob_score=True, class_weight="balanced"),
    "forest, surrogates": lambda: RandomForestClassifier(3, missing="surrogate", max_depth=3, warm_start=True),
    "forest, pruned": lambda: RandomForestClassifier(3, ccp_alpha=0.01, cost_matrix={("yes", "no"): 3}),
    "forest, flat": lambda: RandomForestClassifier(9, stop_when_flat=FlatCurve(2, 0.9, 3, 1), random_thresholds=True),
    "bagged trees": lambda: BaggingClassifier(C45Classifier(smoothing="laplace", confidence=0.1), 3, oob_score=True),
    "bagged rules": lambda: BaggingClassifier(C45RulesClassifier(unknown="tree"), 2, oob_score=True),
    "bagged ripper": lambda: BaggingClassifier(RIPPERClassifier(random_state=None), 2, random_state=None),
    "boosted": lambda: BoostedClassifier(n_estimators=5, early_stopping=True),
    "boosted trials": lambda: BoostedClassifier(
        C45Classifier(decision_threshold=0.4), 4, method="trials", random_state=np.random.RandomState(3)
    ),
}
FOREST_REGRESSORS: dict[str, Callable[[], Any]] = {
    "forest of numbers": lambda: RandomForestRegressor(4, oob_score=True, max_depth=3),
    "forest of numbers, to the end": lambda: RandomForestRegressor(3, oob_score=max_error, bootstrap=True),
    "forest of medians": lambda: RandomForestRegressor(3, criterion="absolute_error", max_depth=3),
    "bagged numbers": lambda: BaggingRegressor(CARTRegressor(max_depth=2), 3, oob_score=True, max_features=0.5),
}


def max_error(true: Any, answered: Any) -> float:
    """A measure of the user's own."""
    return float(np.abs(true - answered).max())


REGRESSORS: dict[str, Callable[[], Any]] = {
    "regressor": lambda: CARTRegressor(missing="surrogate", max_leaf_nodes=9),
    "regressor absolute": lambda: CARTRegressor(criterion="absolute_error", prune="validation"),
    "regressor cross-validated": lambda: CARTRegressor(prune=True, folds=3),
}


def fitted_models(n_rows: int = 120) -> dict[str, tuple[Any, Any]]:
    """Every model, fitted to the mixed table, with the table."""
    X, y = mixed_table(n_rows)
    numbers = np.nan_to_num(X["number"].to_numpy()) * 3 + X["flag"].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # rows in every bag
        models = {name: make().fit(X, y) for name, make in {**CLASSIFIERS, **COLLECTIONS}.items()}
        models |= {name: make().fit(X, numbers) for name, make in {**REGRESSORS, **FOREST_REGRESSORS}.items()}
    models["tree"] = models["cart"].tree_
    models["rule list"] = models["c45"].rules()
    models["forest alone"] = model_of(models["forest"].forest_)
    trees = Forest.from_trees([models[name].tree_ for name in REGRESSORS], [0.5, 1.0, 0.25])
    models["sum of scores"] = model_of(ScoreSum(trees, kind_of(("no", "yes")), "softmax", (0.0, -0.5), (1, 0, 1)))
    return {name: (model, X) for name, model in models.items()}


def through_file(model: Any, folder: Path, **options: Any) -> Any:
    """The model saved and loaded again; a second saving must write the very same bytes."""
    file = folder / options.pop("name", "model.json")
    quercus.save(model, file, **options)
    loaded = quercus.load(file)
    again = folder / "again" / file.name
    again.parent.mkdir(exist_ok=True)
    quercus.save(loaded, again, **options)
    assert again.read_bytes() == file.read_bytes()
    for part in (*again.parent.iterdir(),):
        part.unlink()
    return loaded


def same_value(one: Any, other: Any) -> bool:
    """Whether two parameters say the same, arrays and NaN too."""
    if isinstance(one, np.random.RandomState):
        return str(one.get_state()) == str(other.get_state())
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and repr(one.tolist()) == repr(other.tolist())
    if isinstance(one, dict):
        return list(map(repr, one)) == list(map(repr, other)) and all(same_value(one[k], other[k]) for k in one)
    return bool(repr(one) == repr(other) or one == other)


def assert_same(model: Any, loaded: Any, X: Any) -> None:
    """Whether a loaded model is the one that was saved, in all that can be asked of it."""
    assert type(loaded) is type(model)
    if isinstance(model, Tree | RuleList):
        assert loaded == model and str(loaded) == str(model)
        return
    if isinstance(model, Model):
        assert loaded.forest == model.forest and str(loaded) == str(model)
        assert list(loaded.predict(X)) == list(model.predict(X))
        assert loaded.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
        return
    assert vars(loaded).keys() == vars(model).keys() - {"_drawn_from"}  # files do not keep the rows
    params = loaded.get_params()
    for name, value in model.get_params().items():
        wanted = True if name == "oob_score" and callable(value) else value
        assert name.endswith("progress") or same_value(wanted, params[name]), name
    assert same_value(model.__dict__.get("feature_names_in_"), loaded.__dict__.get("feature_names_in_"))
    assert loaded.schema_ == model.schema_ and loaded.n_features_in_ == model.n_features_in_
    default = type(model)().progress
    same = clone(model).set_params(progress=default)
    if callable(getattr(model, "oob_score", None)):
        same.set_params(oob_score=True)
    assert str(loaded) == str(model) and without_places(clone(loaded)) == without_places(same)
    assert_same_answers(model, loaded, X)
    assert_same_answers(model, pickle.loads(pickle.dumps(loaded)), X)
    if hasattr(model, "rules_"):
        assert loaded.rules_ == model.rules_
    if hasattr(model, "forest_"):
        assert_same_collection(model, loaded, X)
    elif hasattr(model, "recipe_"):
        assert loaded.recipe_ == model.recipe_ and loaded.tree_ == model.tree_
    if hasattr(model, "unpruned_tree_"):
        assert_same_tree_model(model, loaded, X)


def without_places(value: Any) -> str:
    """The representation, without places in memory."""
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value))


def assert_same_answers(model: Any, loaded: Any, X: Any) -> None:
    answers, again = model.predict(X), loaded.predict(X)
    assert (again.dtype == answers.dtype and again.tobytes() == answers.tobytes()) or list(again) == list(answers)
    if hasattr(model, "classes_"):
        assert same_value(model.classes_, loaded.classes_)
        assert [type(label) for label in model.classes_] == [type(label) for label in loaded.classes_]
        assert model.predict_proba(X).tobytes() == loaded.predict_proba(X).tobytes()
    if hasattr(model, "fired"):
        assert (model.fired(X) == loaded.fired(X)).all()


def assert_same_collection(model: Any, loaded: Any, X: Any) -> None:
    assert loaded.forest_ == model.forest_ and loaded.forest_.partial == model.forest_.partial
    assert loaded.recipe_ == model.recipe_
    assert without_places(loaded.model_.member) == without_places(model.model_.member)
    for name in ("votes", "agreement", "spread"):
        if hasattr(model, name):
            assert getattr(model, name)(X).tobytes() == getattr(loaded, name)(X).tobytes(), name
    assert loaded.model_.draws.fingerprint == model.model_.draws.fingerprint
    for name in ("sampling_", "seed_", "oob_score_", "stopped_"):
        assert repr(getattr(model, name, None)) == repr(getattr(loaded, name, None)), name
    for name in ("oob_decision_function_", "oob_prediction_", "estimator_weights_", "estimator_errors_"):
        assert same_value(getattr(model, name, None), getattr(loaded, name, None)), name
    for name in ("oob_curve_", "boosting_curve_"):
        assert str(getattr(model, name, None)) == str(getattr(loaded, name, None)), name
    assert len(loaded.estimators_) == len(model.estimators_)
    assert list(loaded.estimators_[-1].predict(X)) == list(model.estimators_[-1].predict(X))
    if not hasattr(model.forest_, "stored"):
        return
    assert (model.apply(X) == loaded.apply(X)).all()
    assert (model.feature_importances_ == loaded.feature_importances_).all()
    for one, other in zip(model.forest_.stored, loaded.forest_.stored, strict=True):
        assert one.keys() == other.keys()
        for name in one:
            assert (one[name].dtype, one[name].shape) == (other[name].dtype, other[name].shape), name
            assert one[name].tobytes() == other[name].tobytes(), name


def assert_same_tree_model(model: Any, loaded: Any, X: Any) -> None:
    assert loaded.unpruned_tree_ == model.unpruned_tree_
    assert (loaded.tree_ is loaded.unpruned_tree_) == (model.tree_ is model.unpruned_tree_)
    assert (model.apply(X) == loaded.apply(X)).all()
    assert (model.decision_path(X) != loaded.decision_path(X)).nnz == 0
    assert (model.expected_test_cost(X) == loaded.expected_test_cost(X)).all()
    assert loaded.rules() == model.rules()
    one, other = model.prune_with("keep_depth", depth=1), loaded.prune_with("keep_depth", depth=1)
    assert one.tree_ == other.tree_
    one, other = (
        model.prune_with("cost_complexity", ccp_alpha=0.02),
        loaded.prune_with("cost_complexity", ccp_alpha=0.02),
    )
    assert one.tree_ == other.tree_
    assert str(loaded.pruning_) == str(model.pruning_) and str(loaded.alpha_table_) == str(model.alpha_table_)
    if model.pruning_ is not None:
        assert loaded.pruning_.removals == model.pruning_.removals
        assert loaded.pruning_.sequence == model.pruning_.sequence
        assert loaded.pruning_.tree is loaded.tree_ and loaded.pruning_.before is loaded.unpruned_tree_
    assert same_value(model.model_.class_factors, loaded.model_.class_factors)


# What a damaged file may come to


def a_table_for(schema: Any, n_rows: int = 7, seed: int = 0) -> dict[str, Any]:
    """Some rows that a schema can read, whatever it says."""
    rng = np.random.default_rng(seed)
    day = dt.datetime(2024, 5, 1)
    dates: dict[str, Any] = {
        "local": [day + dt.timedelta(days=i) for i in range(n_rows)],
        "utc": [(day + dt.timedelta(days=i)).replace(tzinfo=dt.UTC) for i in range(n_rows)],
        "duration": [dt.timedelta(days=i) for i in range(n_rows)],
        "time": [dt.time(i) for i in range(n_rows)],
    }
    table: dict[str, Any] = {}
    for attribute in schema:
        if attribute.kind == "numeric":
            table[attribute.name] = np.append(rng.normal(size=n_rows - 1) * 100, np.nan)
        elif attribute.kind == "date":
            table[attribute.name] = dates[attribute.date_type]
        elif attribute.kind == "boolean":
            table[attribute.name] = [True, False, None, True, False, True, True][:n_rows]
        else:
            column = np.empty(n_rows, dtype=object)
            values = list(attribute.values) or ["?"]
            column[:] = [values[i % len(values)] if i else None for i in range(n_rows)]
            table[attribute.name] = column
    return table


def works_or_is_refused(file: Path) -> str:
    """Load a file that may be damaged; what it gives must work. Anything but our own errors gets through."""
    try:
        model = quercus.load(file)
    except QuercusError as error:
        assert str(error).startswith(str(file.parent)), error
        return str(error)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        use(model)
    return ""


def use(model: Any) -> None:
    """Ask a model for all it can say; an error of ours is an answer, too."""
    calls: list[Callable[[], Any]] = [lambda: str(model), lambda: repr(model)]
    if not isinstance(model, Tree | RuleList):
        X = a_table_for(model.model_.schema)
        calls += [lambda: model.predict(X), lambda: pickle.dumps(model)]
        if not isinstance(model, Model):
            calls += [lambda: clone(model)]
        if hasattr(model, "classes_"):
            calls += [lambda: model.predict_proba(X)]
        if hasattr(model, "unpruned_tree_"):
            calls += [lambda: model.apply(X), lambda: model.decision_path(X), lambda: model.rules()]
            calls += [lambda: model.prune_with("keep_depth", depth=1), lambda: str(model.pruning_)]
            calls += [lambda: str(model.alpha_table_), lambda: model.feature_importances_]
        if hasattr(model, "forest_"):
            calls += [lambda: model.estimators_[0].predict(X), lambda: list(model.forest_), lambda: vars(model)]
            if hasattr(model, "votes"):
                calls += [lambda: model.votes(X), lambda: model.agreement(X)]
            if hasattr(model.forest_, "stored"):
                calls += [lambda: model.apply(X), lambda: model.decision_path(X), lambda: model.feature_importances_]
    for call in calls:
        try:
            call()
        except QuercusError as error:
            assert str(error)
