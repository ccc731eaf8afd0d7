"""Seeds: what the package itself hands to the core while it fits, prunes, predicts and explains small tables."""

from __future__ import annotations

import copy
import tempfile
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy.sparse import csc_array

Call = tuple[str, tuple[Any, ...]]
#: The bindings that are classes: the methods that do their work, and how many of their arguments are plain ones.
WORK: dict[str, dict[str, int]] = {
    "ForestGrower": {"grow": 2},
    "Retracer": {"walk": 4},
    "DelimitedReader": {"read": 2},
    "CompactTree": {
        "predict_values": 5,
        "predict_codes": 6,
        "predict_sparse": 8,
        "find_leaves": 4,
        "find_paths": 4,
        "expected_test_costs": 4,
        "tally_classes": 6,
        "tally_numbers": 5,
    },
    "KnownTexts": {"codes_of_objects": 1, "codes_of_arrow": 1},
}
#: The functions that take a tree of the core, and how many plain arguments follow it.
OF_A_TREE: dict[str, int] = {"explain_rows": 9, "explain_against": 10}


def call_name(name: str, method: str) -> str:
    """What a call of a method is kept under: the name of the class, and of the method if it has several."""
    return name if len(WORK[name]) == 1 else f"{name}.{method}"


class Recorder:
    """Stands in for the core: every call goes through to it and is kept; at most ``most`` of one function."""

    def __init__(self, core: ModuleType, most: int) -> None:
        self.core, self.most = core, most
        self.calls: list[Call] = []

    def keep(self, name: str, arguments: tuple[Any, ...]) -> None:
        if sum(kept == name for kept, _ in self.calls) < self.most:
            self.calls.append((name, copy.deepcopy(arguments)))

    def __getattr__(self, name: str) -> Any:
        there = getattr(self.core, name)
        if not callable(there):
            return there

        def passed_on(*arguments: Any, **named: Any) -> Any:
            if name in OF_A_TREE:
                tree, *plain = arguments
                self.keep(name, (tree.made_from, tuple(plain[: OF_A_TREE[name]])))
                return there(tree.there, *plain)
            if name not in WORK:
                self.keep(name, (arguments, named))
                return there(*arguments, **named)
            return _Worker(self, name, arguments, there(*arguments))

        return passed_on


class _Worker:
    """An object of the core whose calls are kept together with what the object was made from."""

    def __init__(self, recorder: Recorder, name: str, made_from: tuple[Any, ...], there: Any) -> None:
        self.recorder, self.name, self.made_from, self.there = recorder, name, made_from, there

    def __getattr__(self, method: str) -> Any:
        work = WORK[self.name]
        if method not in work and not callable(getattr(self.there, method)):
            return getattr(self.there, method)

        def passed_on(*arguments: Any) -> Any:
            if method in work:
                name = call_name(self.name, method)
                self.recorder.keep(name, (self.made_from, arguments[: work[method]]))
            return getattr(self.there, method)(*arguments)

        return passed_on


def core_functions(core: ModuleType) -> set[str]:
    """The names of all bindings, as calls of them are kept."""
    names = {name for name in dir(core) if not name.startswith("_") and callable(getattr(core, name))}
    methods = {call_name(name, method) for name in names & set(WORK) for method in WORK[name]}
    return (names - set(WORK)) | methods


def _table(n: int) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    chance = np.random.default_rng(n)
    colour = np.array(["red", "green", "blue", None], dtype=object)[chance.integers(0, 4, n)]
    x, z = np.round(chance.normal(size=n), 1), chance.normal(size=n)
    z[chance.random(n) < 0.2] = np.nan
    many = np.array([f"v{i}" for i in chance.integers(0, 9, n)], dtype=object)
    y = np.array(["no", "yes", "perhaps"], dtype=object)[np.digitize(x + chance.normal(size=n) / 2, [-0.7, 0.5])]
    return {"colour": colour, "x": x, "z": z, "many": many}, y, np.round(x * 3 + chance.normal(size=n), 2)


def _read_files() -> None:
    from quercus.files import read_file

    many = "name\n" + "".join(f"text {number}\n" for number in range(300))  # so many stay with the core
    texts = ("a,b\n1,x\n-2.5e3,grün\nNA,\n", 'a;b\n"1,5";"p ""q"""\r\n01;2', "x\n1\n\n1e999\n", many)
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            file = Path(folder) / f"{number}.csv"
            file.write_text(text, encoding="utf-8")
            read_file(file)


def record(recorder: Recorder) -> list[Call]:
    """Works on small tables with everything that calls the core; the recorder stands in for ``quercus._core``."""
    import quercus
    from quercus.data import encode, encode_classes, encode_numbers
    from quercus.growing.forest import Sampling, drawn_attributes, drawn_counts
    from quercus.predict.predict import SparseValues, predict_sparse
    from quercus.predict.tally import tally
    from quercus.pruning.cost_complexity import cost_complexity_path

    _read_files()
    X, y, t = _table(60)
    numbers = np.column_stack([X["x"], np.nan_to_num(X["z"])])
    weights = np.linspace(0.5, 2.0, len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trees: list[Any] = [
            quercus.CARTClassifier(missing="surrogate").fit(X, y),
            quercus.CARTClassifier(criterion="entropy", max_leaf_nodes=9, missing="own_value").fit(X, y, weights),
            quercus.CARTClassifier(criterion="misclassification").fit(numbers, y == "yes"),
            quercus.CARTClassifier(max_bins=8, cost_matrix=1.0 - np.eye(3)).fit(X, y),
            quercus.C45Classifier(attribute_costs=[1.0, 2.0, 3.0, 4.0]).fit(X, y),
            quercus.C45Classifier(value_groups=True, significance=0.1).fit(X, y, weights),
            quercus.C45RulesClassifier().fit(X, y),
            quercus.PARTClassifier().fit(X, y, weights),
            quercus.CARTRegressor().fit(X, t),
            quercus.CARTRegressor(criterion="absolute_error").fit(numbers, t, weights),
            quercus.CARTRegressor(criterion="poisson").fit(numbers, np.abs(t)),
        ]
        forests: list[Any] = [
            quercus.RandomForestClassifier(n_estimators=3, oob_score=True, random_state=0).fit(numbers, y),
            quercus.RandomForestClassifier(n_estimators=3, max_bins=8, random_state=0).fit(X, y, weights),
            quercus.RandomForestRegressor(n_estimators=3, random_state=0).fit(numbers, t),
            quercus.BaggingClassifier(n_estimators=2, oob_score=True, random_state=0).fit(X, y),
        ]
        for model in trees[:6] + trees[8:]:
            rows = numbers if model.n_features_in_ == 2 else X
            model.predict(rows)
            if hasattr(model, "predict_proba"):
                model.predict_proba(rows)
            model.apply(rows)
            model.decision_path(rows)
            cost_complexity_path(model.tree_)
            if model is trees[4]:
                model.expected_test_cost(rows)
        for tree in (trees[0].tree_, trees[4].tree_):
            ones = np.arange(tree.n_nodes + 1), np.zeros(tree.n_nodes, dtype=np.int32), np.ones(tree.n_nodes)
            predict_sparse(tree, encode(X), SparseValues(*ones, 3))
        quercus.RIPPERClassifier(threshold="short").fit(X, y)
        stored = csc_array(np.where(np.arange(120).reshape(60, 2) % 3, 0.0, np.arange(120).reshape(60, 2)))
        quercus.CARTClassifier().fit(stored, y)
        quercus.RandomForestClassifier(2, random_state=1).fit(stored, y)
        for kind in ("with", "without"):
            drawn_counts(Sampling(bootstrap=kind), seed=1, tree=0, n_rows=30)
        drawn_attributes(Sampling(attributes_per_tree=3, attribute_bootstrap=True), seed=1, tree=0, n_attributes=4)
        tally(trees[0].tree_, encode(X), encode_classes(y), weights)
        tally(trees[4].tree_, encode(X), encode_classes(y))
        tally(trees[8].tree_, encode(X), encode_numbers(t), weights)
        trees[0].trace(X, y).to_dict()
        trees[1].trace(X, y, weights).to_dict()
        trees[2].trace(numbers, y == "yes").to_dict()
        trees[5].trace(X, y, weights).to_dict()
        trees[8].trace(X, t).to_dict()
        for model in trees[6:8]:
            model.predict(X)
        for forest in forests:
            rows = numbers if forest.n_features_in_ == 2 else X
            forest.predict(rows)
            forest.apply(rows)
        frame = pd.DataFrame(X)
        trees[0].predict(frame)
        trees[0].predict(frame.astype({"colour": object, "many": object}))
        trees[0].predict(pl.from_pandas(frame))
        trees[0].predict(frame.assign(colour=frame["colour"].astype("category")))
        for model in (trees[0], trees[4], trees[8], forests[1]):
            model.shap_values(X)
            model.shap_values(X, interactions=True)
            model.shap_values(X, background=frame[:7])
        with tempfile.TemporaryDirectory() as folder:
            quercus.save(forests[1], Path(folder) / "model.json")
            quercus.load(Path(folder) / "model.json")
    return recorder.calls
