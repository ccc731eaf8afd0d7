"""Where classes tie up to the last bit, every form of a model names the class that it answers."""

from __future__ import annotations

import numpy as np
import pytest

from quercus import C45Classifier, CARTClassifier


@pytest.mark.parametrize("first", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("second", [1, 3, 6, 11, 49])
def test_text_rules_and_predictions_of_balanced_classes_agree(first: int, second: int) -> None:
    X, y = {"x": [0.0] * (first + second)}, ["a"] * first + ["b"] * second
    model = CARTClassifier(class_weight="balanced").fit(X, y)
    answer = model.predict(X)[0]
    assert answer == "a"
    assert str(model).startswith(answer)
    assert model.classes_[model.rules().predict(model.encode_rows(X))[0]] == answer
    assert model.explain(X).label == answer
    assert f"predicts {answer}" in model.to_svg()


def test_trees_with_gaps_and_weights_show_what_they_answer() -> None:
    chance = np.random.default_rng(0)
    for _ in range(40):
        n = int(chance.integers(6, 30))
        X = {"c": [None if chance.random() < 0.3 else str(chance.integers(0, 3)) for _ in range(n)]}
        y = chance.choice(["p", "q", "r"], n)
        weights = chance.choice([0.1, 0.2, 0.3, 0.6], n)
        model = C45Classifier(prune=False).fit(X, y, weights)
        rows = {"c": ["0", "1", "2", None]}
        shown = np.array(model.classes_)[model.rules().predict(model.encode_rows(rows))]
        assert shown.tolist() == model.predict(rows).tolist()
