"""Random boosters of LightGBM and XGBoost on small random tables, and rows beside all their thresholds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

WORDS = ["a", "b", "c'", "d e", "", "f", "g", "h", "i"]


def random_table(chance: np.random.Generator, n: int) -> pd.DataFrame:
    """Columns of numbers of any size, of many zeros, and of categories, some with gaps."""
    columns: dict[str, Any] = {}
    for place in range(int(chance.integers(1, 5))):
        kind, gaps = chance.integers(0, 6), chance.choice([0.0, 0.0, 0.2])
        if kind > 3:
            words = WORDS[: int(chance.integers(2, 10))]
            codes = chance.integers(0, len(words), n)
            codes[chance.random(n) < gaps] = -1
            columns[f"c{place}"] = pd.Categorical.from_codes(codes, words)
            continue
        values = [
            chance.normal(size=n),
            chance.integers(-2, 3, n).astype(float),
            chance.normal(size=n) * 10.0 ** chance.integers(-30, 30),
            np.where(chance.random(n) < 0.5, 0.0, chance.normal(size=n)),
        ][kind]
        values[chance.random(n) < gaps] = np.nan
        columns[f"x{place}"] = values
    return pd.DataFrame(columns)


def is_nominal(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype)


def random_target(chance: np.random.Generator, X: pd.DataFrame, kind: str) -> np.ndarray:
    """What the columns tell, with noise: as a number, a positive one, or one of two or more classes."""
    total = 0.3 * chance.normal(size=len(X))
    for _, column in X.items():
        values = column.cat.codes.to_numpy(float) if is_nominal(column) else np.nan_to_num(column.to_numpy())
        total += chance.normal() * np.sin(2 * (values - values.mean()) / (values.std() + 1e-300))
    if kind == "binary":
        return (total > np.median(total)).astype(int)
    if kind == "classes":
        n_classes = int(chance.integers(3, 5))
        codes = np.digitize(total, np.quantile(total, np.linspace(0, 1, n_classes + 1)[1:-1]))
        codes[:n_classes] = np.arange(n_classes)
        return codes
    if kind == "positive":
        return chance.poisson(np.exp(np.clip(total, -3, 3))) + 0.1
    return total * 10.0 ** chance.integers(-2, 4)


def rows_beside(chance: np.random.Generator, X: pd.DataFrame, model: Any) -> pd.DataFrame:
    """The rows, and others whose numbers are thresholds, the floats beside them, zeros of all sorts, or unknown."""
    cuts: dict[int, set[float]] = {}
    for tree in model.score_sum:
        for attribute, cut in zip(tree.attribute.tolist(), tree.threshold.tolist(), strict=True):
            if np.isfinite(cut):
                cuts.setdefault(attribute, set()).add(cut)
    least = float(np.float32(1e-35))
    other = X.iloc[chance.integers(0, len(X), 40)].reset_index(drop=True).copy()
    for place, name in enumerate(X.columns):
        if is_nominal(X[name]):
            continue
        tried = [0.0, -0.0, 1e-36, -1e-36, 5e-324, least, -least, np.nan]
        for cut in cuts.get(place, ()):
            tried += [cut, math.nextafter(cut, math.inf), math.nextafter(cut, -math.inf)]
        chosen = chance.random(len(other)) < 0.7
        other.loc[chosen, name] = chance.choice([one for one in tried if not abs(one) > 3e38], int(chosen.sum()))
    rows = pd.concat([X, other], ignore_index=True)
    for name in X.columns:
        if is_nominal(X[name]):
            rows[name] = pd.Categorical(rows[name], categories=X[name].cat.categories)
    return rows


def lightgbm_booster(seed: int) -> tuple[Any, pd.DataFrame, dict[str, Any], str]:
    """A booster, the table it was fitted to, its parameters, and the kind of target."""
    import lightgbm

    chance = np.random.default_rng([seed, 1])
    X = random_table(chance, int(chance.integers(20, 150)))
    kind = str(chance.choice(["binary", "classes", "positive", "number"]))
    y = random_target(chance, X, kind)
    objectives = {
        "binary": ["binary"],
        "classes": ["multiclass"],
        "positive": ["poisson", "gamma", "tweedie"],
        "number": ["regression", "regression_l1", "huber", "quantile"],
    }
    parameters: dict[str, Any] = {
        "verbose": -1,
        "num_threads": 1,
        "seed": seed,
        "num_leaves": int(chance.integers(2, 12)),
        "min_data_in_leaf": int(chance.integers(1, 8)),
        "min_data_in_bin": 1,
        "min_data_per_group": 1,
        "cat_smooth": 1,
        "max_cat_to_onehot": int(chance.choice([1, 4])),
        "learning_rate": float(chance.choice([0.1, 0.5])),
        "boosting": str(chance.choice(["gbdt", "gbdt", "dart", "rf"])),
        "zero_as_missing": bool(chance.random() < 0.3),
        "use_missing": bool(chance.random() < 0.85),
        "objective": str(chance.choice(objectives[kind])),
    }
    if parameters["boosting"] == "rf":
        parameters |= {"bagging_freq": 1, "bagging_fraction": 0.7}
    if kind == "classes":
        parameters["num_class"] = int(y.max() + 1)
    if kind == "binary" and chance.random() < 0.3:
        parameters["sigmoid"] = 2.5
    return lightgbm.train(parameters, lightgbm.Dataset(X, y), int(chance.integers(1, 12))), X, parameters, kind


def xgboost_booster(seed: int) -> tuple[Any, pd.DataFrame, dict[str, Any], str]:
    """The same of XGBoost."""
    import xgboost

    chance = np.random.default_rng([seed, 2])
    X = random_table(chance, int(chance.integers(20, 150)))
    kind = str(chance.choice(["binary", "classes", "positive", "number"]))
    y = random_target(chance, X, kind)
    objectives = {
        "binary": ["binary:logistic"],
        "classes": ["multi:softprob", "multi:softmax"],
        "positive": ["count:poisson", "reg:gamma", "reg:tweedie"],
        "number": ["reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror"],
    }
    parameters: dict[str, Any] = {
        "verbosity": 0,
        "nthread": 1,
        "seed": seed,
        "max_depth": int(chance.integers(1, 6)),
        "min_child_weight": float(chance.choice([0.01, 1])),
        "eta": float(chance.choice([0.1, 0.5])),
        "tree_method": str(chance.choice(["hist", "approx"])),
        "max_cat_to_onehot": int(chance.choice([1, 4])),
        "booster": str(chance.choice(["gbtree", "gbtree", "dart"])),
        "objective": str(chance.choice(objectives[kind])),
    }
    if parameters["booster"] == "dart":
        parameters["rate_drop"] = 0.3
    if chance.random() < 0.2:
        parameters |= {"num_parallel_tree": 3, "subsample": 0.7}
    if kind == "classes":
        parameters["num_class"] = int(y.max() + 1)
    data = xgboost.DMatrix(X, y, enable_categorical=True)
    return xgboost.train(parameters, data, int(chance.integers(1, 12))), X, parameters, kind
