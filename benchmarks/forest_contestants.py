"""The forests that race: every program with as many trees, as many attributes per node and the same draw of rows.

As for single trees, timed is fit(table, target) on a table in memory in the form that the program wants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier as SklearnExtraTrees
from sklearn.ensemble import RandomForestClassifier as SklearnClassifier
from sklearn.ensemble import RandomForestRegressor as SklearnRegressor

from quercus import RandomForestClassifier, RandomForestRegressor

from .clock import Contestant
from .data import Table


@dataclass(frozen=True)
class Forest:
    """What is asked of every program: trees grown in full, unless `leaves` bounds them.

    attributes: how many a node looks at; per_tree: how many a tree may use instead, its nodes look at all of them.
    leaves: grow best first, by at most 255 bins per column, until there are so many. drawn: rows drawn for a tree;
    None: as many as there are, with replacement; a share: without. as_ranger: ours in ranger's way: attributes that are
    constant at a node count among those drawn for it, and trees vote for a class (scikit-learn and YDF draw others, and
    average shares). random_thresholds: one random cut of each attribute, all rows (extra-trees).
    """

    trees: int
    attributes: int
    criterion: str = "gini"
    per_tree: bool = False
    leaves: int | None = None
    drawn: float | None = None
    regression: bool = False
    seed: int = 0
    as_ranger: bool = False
    random_thresholds: bool = False

    @property
    def words(self) -> str:
        """The forest in words."""
        kind = "random thresholds, " if self.random_thresholds else ""
        size = kind + "full depth" if self.leaves is None else f"{self.leaves:,} leaves, 255 bins"
        return f"{self.trees} trees, {size}, {self.attributes} attributes per {'tree' if self.per_tree else 'node'}"


def root_of(table: Table) -> int:
    """The usual number of attributes per node: the root of all."""
    return max(1, int(table.train.shape[1] ** 0.5))


def score(answers: np.ndarray, truth: np.ndarray, regression: bool) -> float:
    """Accuracy, or R² for numbers."""
    if not regression:
        return float(np.mean(answers == truth))
    return float(1 - np.mean((answers - truth) ** 2) / np.var(truth))


def quercus_model(forest: Forest, threads: int = 1) -> Any:
    """Our estimator."""
    settings: dict[str, Any] = {"n_jobs": threads, "random_state": forest.seed, "progress": False}
    if forest.per_tree:
        settings |= {"max_features": None, "max_features_per_tree": forest.attributes}
    else:
        settings |= {"max_features": forest.attributes}
    if forest.as_ranger:
        settings |= {"constant_features": "count"} | ({} if forest.regression else {"vote": "majority"})
    if forest.random_thresholds:
        settings |= {"random_thresholds": True, "bootstrap": False}
    if forest.leaves is not None:
        settings |= {"max_leaf_nodes": forest.leaves, "max_bins": 255}
    if forest.drawn is not None:
        settings |= {"replacement": "without", "max_samples": forest.drawn}
    if forest.regression:
        return RandomForestRegressor(forest.trees, **settings)
    return RandomForestClassifier(forest.trees, criterion=forest.criterion, **settings)  # type: ignore[arg-type]


def quercus_forest(table: Table, forest: Forest, threads: int = 1) -> Contestant:
    """Quercus on the table as it is."""
    model = quercus_model(forest, threads)
    return Contestant(
        "Quercus",
        lambda: model.fit(table.train, table.train_target),
        lambda fitted: int(fitted.forest_.n_nodes.sum()),
        lambda fitted: float(fitted.score(table.test, table.test_target)),
        threads,
        held_out=len(table.test),
        note=("" if forest.regression else forest.criterion)
        + ", constant attributes count, majority of votes" * forest.as_ranger,
    )


def scikit_learn_model(forest: Forest, threads: int = 1) -> Any:
    """scikit-learn's forest, always exact."""
    settings = {"max_features": forest.attributes, "n_jobs": threads, "random_state": forest.seed}
    if forest.regression:
        return SklearnRegressor(forest.trees, **settings)
    if forest.random_thresholds:
        return SklearnExtraTrees(forest.trees, criterion=forest.criterion, **settings)
    return SklearnClassifier(forest.trees, criterion=forest.criterion, **settings)


def scikit_learn_forest(table: Table, forest: Forest, threads: int = 1, runs: int | None = None) -> Contestant:
    """scikit-learn's forest; nominal values as codes, unknown as NaN."""
    train, test = table.codes(table.train), table.codes(table.test)
    model = scikit_learn_model(forest, threads)
    notes = [forest.criterion] * (not forest.regression) + ["ordinal codes"] * bool(table.nominal)
    return Contestant(
        "scikit-learn",
        lambda: model.fit(train, table.train_target),
        lambda fitted: int(sum(tree.tree_.node_count for tree in fitted.estimators_)),
        lambda fitted: float(fitted.score(test, table.test_target)),
        threads,
        runs=runs,
        note=", ".join(notes),
    )


def ydf_columns(table: Table, frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """A table as YDF takes it without copying numbers: an array a column, text for nominal values."""
    found = {str(name): np.ascontiguousarray(frame[name]) for name in frame if name not in table.nominal}
    for name in table.nominal:
        found[name] = frame[name].astype(object).where(frame[name].notna(), "").to_numpy(str)
    return found


def ydf_learner(forest: Forest, threads: int = 1) -> Any:
    """YDF's random forest, in full: no limit on depth, one example per leaf, class shares averaged.

    It looks at one attribute more than asked: asked for 2, 3, 4 on 160,000 × 20 it grew 482,294, 424,734, 390,704
    nodes in 20 trees, we with 3, 4, 5 attributes 482,038, 427,532, 391,968. So it is asked for one less.
    """
    import ydf as program

    program.verbose(0)
    return program.RandomForestLearner(
        label="class",
        num_trees=forest.trees,
        max_depth=-1,
        min_examples=1,
        winner_take_all=False,
        num_candidate_attributes=max(1, forest.attributes - 1),
        compute_oob_performances=False,
        num_threads=threads,
        min_vocab_frequency=1,
        random_seed=forest.seed + 1,
        task=program.Task.REGRESSION if forest.regression else program.Task.CLASSIFICATION,
    )


def ydf_answers(model: Any, shares: np.ndarray) -> np.ndarray:
    """The classes that YDF's probabilities stand for."""
    answer = np.argmax(shares, axis=1) if shares.ndim == 2 else (shares > 0.5).astype(int)
    return np.asarray(np.array(model.label_classes()).astype(int)[answer])


def ydf_forest(table: Table, forest: Forest, threads: int = 1, runs: int | None = None) -> Contestant:
    """YDF's random forest; its criterion is entropy."""
    train, test = {**ydf_columns(table, table.train), "class": table.train_target}, ydf_columns(table, table.test)
    learner = ydf_learner(forest, threads)

    def quality(model: Any) -> float:
        return score(ydf_answers(model, model.predict(test, use_slow_engine=True)), table.test_target, False)

    return Contestant(
        "YDF",
        lambda: learner.train(train),
        lambda model: int(model.num_nodes()),
        quality,
        threads,
        runs=runs,
        note="entropy, one attribute less asked for: it looks at one more",
    )


def lightgbm_model(forest: Forest, threads: int = 1) -> Any:
    """LightGBM's rf: rows drawn without replacement, leaves bounded, 255 bins."""
    import lightgbm as program

    return program.LGBMClassifier(
        boosting_type="rf",
        n_estimators=forest.trees,
        num_leaves=forest.leaves or 31,
        min_child_samples=1,
        min_child_weight=0.0,
        subsample=forest.drawn or 0.632,
        subsample_freq=1,
        random_state=forest.seed,
        n_jobs=threads,
        verbose=-1,
    )


def lightgbm_nodes(fitted: Any) -> int:
    """The nodes of all trees."""
    return sum(2 * tree["num_leaves"] - 1 for tree in fitted.booster_.dump_model()["tree_info"])


def lightgbm_forest(table: Table, forest: Forest, threads: int = 1, runs: int | None = None) -> Contestant:
    """LightGBM's rf with the same share of rows, and of attributes per node or per tree."""
    model = lightgbm_model(forest, threads)
    share = forest.attributes / table.train.shape[1]
    model.set_params(**{"colsample_bytree" if forest.per_tree else "feature_fraction_bynode": share})
    return Contestant(
        "LightGBM",
        lambda: model.fit(table.train, table.train_target),
        lightgbm_nodes,
        lambda fitted: float(fitted.score(table.test, table.test_target)),
        threads,
        runs=runs,
        note="boosting=rf",
    )
