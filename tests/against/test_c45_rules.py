"""C4.5 Release 8: rule lists of its sizes and errors on the sets that came with it, all of them exactly.

Its subset search is only random above 10 rules of a class; none of these sets has as many, so everything is decided.
"""

from __future__ import annotations

import numpy as np
import pytest

from quercus.estimators.c45_rules import C45RulesClassifier

from .tables import C45_FOLDER, read_c45

# rules, training errors, test errors
R8 = {"golf": (4, 0, None), "labor-neg": (4, 1, 3), "vote": (7, 9, 7), "hypo": (8, 8, 8)}

pytestmark = pytest.mark.skipif(
    not C45_FOLDER.is_dir(), reason="the sets that came with C4.5 are not in ../shared/data/c45"
)


@pytest.mark.parametrize("preset", ["r8", "c45", "j48"])
@pytest.mark.parametrize("name", list(R8))
def test_rules_have_the_number_and_errors_of_r8(name: str, preset: str) -> None:
    files = read_c45(name)
    n_rules, training_errors, test_errors = R8[name]
    model = C45RulesClassifier(preset=preset).fit(files.train, files.train_classes)
    assert len(model.rules_) == n_rules
    assert np.sum(model.predict(files.train) != np.asarray(files.train_classes)) == training_errors
    if test_errors is not None:
        assert np.sum(model.predict(files.test) != np.asarray(files.test_classes)) == test_errors
