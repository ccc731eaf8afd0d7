"""The programs that race: each fits a table that is in memory in the form that the program wants.

Timed is what a user waits for, fit(table, target): encoding, sorting or binning included, reading files and making the
matrix of codes for scikit-learn not.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from quercus import C45Classifier, CARTClassifier, CARTRegressor

from .clock import Contestant
from .data import Table


def installed(package: str) -> str | None:
    """The version of a Python package, or None."""
    return importlib.metadata.version(package) if importlib.util.find_spec(package) else None


def quercus(table: Table, model: Any, note: str = "", threads: int = 1) -> Contestant:
    """One of our estimators on the table as it is."""
    model.set_params(n_jobs=threads)
    return Contestant(
        "Quercus",
        lambda: model.fit(table.train, table.train_target),
        lambda fitted: int(fitted.tree_.n_nodes),
        lambda fitted: float(fitted.score(table.test, table.test_target)),
        threads,
        held_out=len(table.test),
        note=note,
    )


def quercus_cart(table: Table, threads: int = 1, note: str = "", **parameters: Any) -> Contestant:
    """CART for classes."""
    return quercus(table, CARTClassifier(**parameters), note or cart_note(parameters), threads)


def quercus_regression(table: Table, threads: int = 1, **parameters: Any) -> Contestant:
    """CART for numbers."""
    return quercus(table, CARTRegressor(**parameters), cart_note(parameters), threads)


def quercus_c45(table: Table, threads: int = 1, **parameters: Any) -> Contestant:
    """C4.5, not pruned."""
    note = ", ".join(["C4.5, unpruned", *(f"{name}={value}" for name, value in parameters.items())])
    return quercus(table, C45Classifier(prune=False, **parameters), note, threads)


def quercus_rules(table: Table, model: Any) -> Contestant:
    """A learner of rules; its size is the number of rules."""
    return Contestant(
        "Quercus",
        lambda: model.fit(table.train, table.train_target),
        lambda fitted: len(fitted.rules_.rules),
        lambda fitted: float(fitted.score(table.test, table.test_target)),
        held_out=len(table.test),
    )


def cart_note(parameters: dict[str, Any]) -> str:
    """The parameters in words."""
    return ", ".join(["CART", *(f"{name}={value}" for name, value in parameters.items() if value is not None)])


def scikit_learn(table: Table, regression: bool = False, **parameters: Any) -> Contestant:
    """scikit-learn's exact tree; nominal values as codes, unknown as NaN."""
    train, test = table.codes(table.train), table.codes(table.test)
    model = (DecisionTreeRegressor if regression else DecisionTreeClassifier)(random_state=0, **parameters)
    return Contestant(
        "scikit-learn",
        lambda: model.fit(train, table.train_target),
        lambda fitted: int(fitted.tree_.node_count),
        lambda fitted: float(fitted.score(test, table.test_target)),
        note="ordinal codes" if table.nominal else "",
    )


def ydf(table: Table, threads: int = 1, max_depth: int = -1) -> Contestant:
    """YDF's CART without pruning (its criterion is entropy; max_depth counts levels of nodes)."""
    import ydf as program

    program.verbose(0)

    def columns(frame: pd.DataFrame) -> dict[str, np.ndarray]:
        found = {name: np.ascontiguousarray(frame[name]) for name in frame if name not in table.nominal}
        for name in table.nominal:
            found[name] = frame[name].astype(object).where(frame[name].notna(), "").to_numpy(str)
        return found

    train, test = {**columns(table.train), "class": table.train_target}, columns(table.test)
    learner = program.CartLearner(
        label="class",
        validation_ratio=0.0,
        max_depth=max_depth,
        min_examples=1,
        num_threads=threads,
        min_vocab_frequency=1,
    )

    def accuracy(model: Any) -> float:
        shares = np.asarray(model.predict(test, use_slow_engine=True))  # the fast one refuses large trees
        answer = np.argmax(shares, axis=1) if shares.ndim == 2 else (shares > 0.5).astype(int)
        labels = np.array(model.label_classes()).astype(int)
        return float(np.mean(labels[answer] == table.test_target))

    return Contestant("YDF", lambda: learner.train(train), lambda model: int(model.num_nodes()), accuracy, threads)


def lightgbm(table: Table, threads: int = 1, leaves: int = 1024, regression: bool = False) -> Contestant:
    """LightGBM's histograms: one round of boosting with one tree (a tree for each class if there are more than two)."""
    import lightgbm as program

    n_classes = 2 if regression else len(np.unique(table.train_target))
    model = (program.LGBMRegressor if regression else program.LGBMClassifier)(
        n_estimators=1,
        num_leaves=leaves,
        learning_rate=1.0,
        min_child_samples=1,
        min_child_weight=0.0,
        n_jobs=threads,
        verbose=-1,
    )

    def nodes(fitted: Any) -> int:
        trees = fitted.booster_.dump_model()["tree_info"]
        return int(sum(2 * tree["num_leaves"] - 1 for tree in trees))

    return Contestant(
        "LightGBM",
        lambda: model.fit(table.train, table.train_target),
        nodes,
        lambda fitted: float(fitted.score(table.test, table.test_target)),
        threads,
        note=f"binned, {leaves:,} leaves" + ("" if n_classes == 2 else f", {n_classes} trees: one per class"),
    )
