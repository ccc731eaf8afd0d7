"""Run scikit-learn's decision trees and write sizes and fingerprints to ../figures/scikit_learn.json.

    python -m tests.against.collect.scikit_learn

scikit-learn draws the order in which it looks at the attributes from random_state and keeps the first of equally
good splits. Every case is therefore run with many seeds: what is the same for all of them does not hang on ties and is
written down; what differs is null, and the sizes that occurred are listed instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..fingerprints import of_labels, of_numbers, of_partition
from ..tables import bundled, uneven_class_weight, uneven_weights, with_gaps

FIGURES = Path(__file__).resolve().parents[1] / "figures" / "scikit_learn.json"
SEEDS = range(30)
LIMITS: tuple[dict[str, Any], ...] = (
    {},
    {"max_depth": 3},
    {"max_depth": 5},
    {"min_samples_leaf": 5},
    {"min_samples_split": 20},
    {"max_leaf_nodes": 8},
    {"min_weight_fraction_leaf": 0.02},
)
CLASSIFICATION = ("iris", "wine", "breast_cancer", "digits")


def cases() -> Iterator[dict[str, Any]]:
    """Every case: table, gaps, weights, criterion and limits."""
    for table in CLASSIFICATION:
        for criterion in ("gini", "entropy"):
            limits = (*LIMITS, {"min_impurity_decrease": 0.01}, {"class_weight": "uneven"})
            for parameters in limits:
                for weights in ("equal", "uneven"):
                    yield {"table": table, "gaps": False, "weights": weights, "criterion": criterion, **parameters}
    for criterion in ("squared_error", "poisson", "absolute_error"):
        for parameters in (*LIMITS, {"min_impurity_decrease": 20.0 if criterion == "squared_error" else 0.2}):
            for weights in ("equal", "uneven"):
                yield {"table": "diabetes", "gaps": False, "weights": weights, "criterion": criterion, **parameters}
    for table, criterion in (("iris", "gini"), ("wine", "gini"), ("wine", "entropy"), ("diabetes", "squared_error")):
        for parameters in ({}, {"max_depth": 3}, {"min_samples_leaf": 5}, {"max_leaf_nodes": 8}):
            yield {"table": table, "gaps": True, "weights": "uneven", "criterion": criterion, **parameters}


def grow(case: dict[str, Any], seed: int) -> dict[str, Any]:
    """One tree of scikit-learn and what is compared of it."""
    parameters = {key: case[key] for key in case if key not in ("table", "gaps", "weights")}
    matrix, target = bundled(case["table"])
    if "class_weight" in parameters:
        parameters["class_weight"] = uneven_class_weight(len(np.unique(target)))
    if case["gaps"]:
        matrix = with_gaps(case["table"])[0].to_numpy(dtype=float)
    weights = uneven_weights(len(target)) if case["weights"] == "uneven" else None
    regression = case["table"] == "diabetes"
    model = (DecisionTreeRegressor if regression else DecisionTreeClassifier)(random_state=seed, **parameters)
    model.fit(matrix, target, sample_weight=weights)
    predictions = model.predict(matrix)
    return {
        "n_nodes": int(model.tree_.node_count),
        "depth": int(model.get_depth()),
        "predictions": of_numbers(predictions) if regression else of_labels(predictions),
        "partition": of_partition(model.apply(matrix)),
        **({} if regression else {"training_errors": int(np.sum(predictions != target))}),
    }


def common(results: list[dict[str, Any]]) -> dict[str, Any]:
    """What all seeds agree on; where they do not, null and the sizes that occurred."""
    agreed: dict[str, Any] = {}
    for key, first in results[0].items():
        if isinstance(first, list):
            same = all(np.allclose(result[key], first, rtol=1e-9, atol=1e-9) for result in results)
        else:
            same = all(result[key] == first for result in results)
        agreed[key] = first if same else None
    if agreed["n_nodes"] is None:
        agreed["n_nodes_seen"] = sorted({result["n_nodes"] for result in results})
    return agreed


def main() -> None:
    """Run every case with every seed."""
    found = []
    for case in cases():
        agreed = common([grow(case, seed) for seed in SEEDS])
        found.append({**case, "scikit-learn": agreed})
        ties = [key for key, value in agreed.items() if value is None]
        print(case, f"ties decide {ties}" if ties else "same for all seeds", agreed.get("n_nodes_seen", ""))
    lines = ",\n  ".join(json.dumps(case) for case in found)
    header = json.dumps(
        {
            "program": f"scikit-learn {sklearn.__version__}, DecisionTreeClassifier and DecisionTreeRegressor",
            "command": "python -m tests.against.collect.scikit_learn",
            "seeds": len(SEEDS),
            "note": "null: differs between values of random_state, so equally good splits decide",
        },
        indent=1,
    )
    FIGURES.write_text(header[:-2] + ',\n "cases": [\n  ' + lines + "\n ]\n}\n")


if __name__ == "__main__":
    main()
