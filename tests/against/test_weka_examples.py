"""Weka's J48 on the tables that come with it: leaves, nodes and errors on training rows, with and without pruning.

The figures are those of Weka 3.6.14: java -cp weka.jar weka.classifiers.trees.J48 [-U] -t TABLE.arff -no-cv
Debian's package weka brings the tables; the tests are skipped without it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quercus import C45Classifier
from quercus.files import read_file

EXAMPLES = Path("/usr/share/doc/weka/examples")
#: For each table (leaves, nodes, errors) unpruned (-U) and pruned.
FIGURES = {
    "breast-cancer": ((152, 179, 34), (4, 6, 69)),
    "contact-lenses": ((4, 7, 2), (4, 7, 2)),
    "credit-g": ((359, 466, 60), (103, 140, 145)),
    "diabetes": ((22, 43, 120), (20, 39, 122)),
    "glass": ((30, 59, 8), (30, 59, 8)),  # neighbouring numbers that lie 1e-5 apart
    "ionosphere": ((18, 35, 1), (18, 35, 1)),
    "iris": ((5, 9, 3), (5, 9, 3)),
    "labor": ((13, 22, 2), (3, 5, 7)),
    "segment-challenge": ((41, 81, 10), (34, 67, 15)),
    "soybean": ((121, 175, 15), (61, 93, 25)),
    "unbalanced": ((10, 19, 6), (1, 1, 12)),
    "vote": ((19, 37, 9), (6, 11, 12)),
    "weather.numeric": ((5, 8, 0), (5, 8, 0)),
}


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="Weka's example tables are not installed (Debian's package weka)")
@pytest.mark.parametrize("name", FIGURES)
def test_size_and_errors(name: str) -> None:
    path = EXAMPLES / f"{name}.arff"
    table = read_file(path, target=list(read_file(path).columns)[-1])
    rows, classes = table.split()
    for pruned, figures in zip((False, True), FIGURES[name], strict=True):
        model = C45Classifier(preset="j48", prune=pruned, **table.options()).fit(rows, classes)
        errors = int(np.sum(model.predict(rows) != np.asarray(classes)))
        assert (model.tree_.n_leaves, model.tree_.n_nodes, errors) == figures
