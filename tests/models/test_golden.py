"""Files of version 1, as they were first written, are still read, and answer as they did then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from models.golden.write import MODELS, score_sum, table
from quercus.models import read_model

GOLDEN = Path(__file__).parent / "golden"
ANSWERS = json.loads((GOLDEN / "answers.json").read_text(encoding="ascii"))


@pytest.mark.parametrize("name", MODELS)
def test_a_file_of_version_1_answers_as_it_did(name: str) -> None:
    file = read_model(GOLDEN / f"{name}.json")
    assert file.version == 1 and file.provenance == {"data": {"rows": 60}}
    assert type(file.model) is type(MODELS[name])
    X, _, _ = table()
    answer = file.model.predict if name.endswith("regressor") else file.model.predict_proba
    assert answer(X).tolist() == ANSWERS[name]


def test_a_file_of_trees_that_add_up_scores_answers_as_it_did() -> None:
    """Scores are sums, the same on every machine; powers are not."""
    file = read_model(GOLDEN / "score_sum.json")
    X, _, _ = table()
    assert file.version == 1 and file.model.forest == score_sum().forest
    assert file.model.score_sum.scores(file.model.encode_rows(X)).tolist() == ANSWERS["score_sum"]
