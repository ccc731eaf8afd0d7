"""Progress is told at the beginning and at the end, however fast the machine is."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.datasets import load_iris

from quercus import CARTClassifier, RandomForestClassifier


@pytest.mark.parametrize("estimator", [CARTClassifier(), RandomForestClassifier(30, random_state=0)])
def test_the_last_call_tells_that_all_is_done(estimator: Any) -> None:
    calls: list[tuple[int, ...]] = []
    estimator.set_params(progress=lambda *numbers: calls.append(numbers)).fit(*load_iris(return_X_y=True))
    assert calls[0][0] == 0 and calls[-1][0] == calls[-1][1] > 0
