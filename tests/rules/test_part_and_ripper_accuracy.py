"""PART and RIPPER beside Weka's PART and JRip: the same rule counts where nothing is drawn, accuracy within noise.

Figures of Weka 3 (Debian's package), on the tables written as ARFF, one for each seed s = 1, 2, 3 of the folds:

    java -cp /usr/share/java/weka.jar weka.classifiers.rules.PART -t iris.arff -x 10 -s 1
    java -cp /usr/share/java/weka.jar weka.classifiers.rules.JRip -t iris.arff -x 10 -s 1

WHOLE: rules (the default among them) and right answers of PART on the table it learned from. CROSS_VALIDATED: right
answers in ten folds. Elsewhere PART's lists differ from Weka's in size, measured the same way (ours, Weka's):
credit-g 73, 83 rules; car 70, 73; tic-tac-toe 49, 49 with 928, 917 right.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets
from sklearn.model_selection import StratifiedKFold

from quercus.data import ClassTarget, Dataset, encode, encode_classes
from quercus.rules.part import part
from quercus.rules.ripper import ripper

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"

WHOLE = {
    "iris": (3, 146),
    "wine": (5, 176),
    "breast_cancer": (7, 565),
    "uci_mushroom": (13, 8124),
    "uci_kr_vs_kp": (23, 3188),
}
CROSS_VALIDATED: dict[tuple[str, Any], tuple[int, int, int]] = {
    ("iris", part): (141, 141, 141),
    ("iris", ripper): (140, 143, 140),
    ("wine", part): (166, 164, 165),
    ("wine", ripper): (161, 169, 163),
    ("breast_cancer", part): (532, 539, 533),
    ("breast_cancer", ripper): (537, 544, 532),
    ("uci_mushroom", part): (8124, 8124, 8124),
    ("uci_mushroom", ripper): (8124, 8124, 8124),
    ("uci_credit_g", part): (683, 709, 719),
    ("uci_credit_g", ripper): (717, 718, 720),
    ("uci_kr_vs_kp", part): (3166, 3166, 3172),
    ("uci_kr_vs_kp", ripper): (3170, 3175, 3171),
    ("uci_car", part): (1650, 1651, 1638),
    ("uci_car", ripper): (1505, 1519, 1509),
    ("uci_tic_tac_toe", part): (903, 905, 891),
    ("uci_tic_tac_toe", ripper): (937, 927, 937),
}


def table(name: str) -> tuple[Dataset, ClassTarget]:
    """A bundled set of scikit-learn, or one of the shared tables."""
    if not name.startswith("uci_"):
        bundle = getattr(datasets, f"load_{name}")()
        return encode(bundle.data), encode_classes(bundle.target)
    path = SHARED / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    about = json.loads((SHARED / f"{name}.json").read_text())
    frame = pd.read_csv(path, na_values=["?"], keep_default_na=False)
    target = encode_classes(frame.pop(about["target"]).astype(str).to_numpy())
    kinds: dict[str, Any] = {column: "nominal" for column in frame if about["kinds"][column] == "cat"}
    return encode(frame, kinds=kinds), target


@pytest.mark.parametrize("name", WHOLE)
def test_part_makes_as_many_rules_and_errors_as_weka(name: str) -> None:
    data, target = table(name)
    rules = part(data, target)
    assert (len(rules) + 1, int((rules.predict(data) == target.codes).sum())) == WHOLE[name]


@pytest.mark.parametrize(("name", "learn"), CROSS_VALIDATED)
def test_cross_validated_accuracy_is_within_noise_of_weka(name: str, learn: Any) -> None:
    """At most two standard errors of the difference of two proportions away from the mean of Weka's three runs."""
    data, target = table(name)
    right = 0
    for train, test in StratifiedKFold(10, shuffle=True, random_state=1).split(target.codes, target.codes):
        rules = learn(data.take(train), ClassTarget(target.classes, target.codes[train]))
        right += int((rules.predict(data.take(test)) == target.codes[test]).sum())
    n, weka = data.n_rows, float(np.mean(CROSS_VALIDATED[name, learn])) / data.n_rows
    noise = math.sqrt(2 * weka * (1 - weka) / n)
    assert abs(right / n - weka) <= 2 * noise + 1 / n
