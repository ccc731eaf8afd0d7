"""C4.5 Release 8: the preset "r8" grows trees of its sizes and errors on the sets that came with it."""

from __future__ import annotations

import numpy as np
import pytest

from quercus import C45Classifier

from .figures import read
from .tables import C45_FOLDER, read_c45

FIGURES = read("r8")

pytestmark = pytest.mark.skipif(
    not C45_FOLDER.is_dir(), reason="the sets that came with C4.5 are not in ../shared/data/c45"
)


@pytest.mark.parametrize("preset", ["r8", "c45"])
@pytest.mark.parametrize("name", ["golf", "labor-neg", "vote", "hypo"])
def test_unpruned_tree_has_the_size_and_errors_of_r8(name: str, preset: str) -> None:
    files, figures = read_c45(name), FIGURES[name]
    model = C45Classifier(preset=preset, prune=False).fit(files.train, files.train_classes)
    assert model.tree_.n_nodes == figures["size"]
    assert np.sum(model.predict(files.train) != np.asarray(files.train_classes)) == figures["training_errors"]
    if files.test is not None:
        assert np.sum(model.predict(files.test) != np.asarray(files.test_classes)) == figures["test_errors"]
