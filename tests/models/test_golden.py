"""Files of version 1, as they were first written, are still read, and answer as they did then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from models.golden.write import MODELS, table
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
