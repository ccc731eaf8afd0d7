"""How the golden files were written, with version 1 of the format; they are read, never written again.

python tests/models/golden/write.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import quercus
import quercus.forests
from quercus.fitted.model import model_of
from quercus.forests import ScoreSum
from quercus.targets import kind_of
from quercus.tree.forest import Forest


def table(n_rows: int = 60) -> tuple[dict[str, list[Any]], list[str], list[float]]:
    """Rows by arithmetic alone, so that every machine and version has the same."""
    steps = [(7 * i * i + 3 * i) % 101 for i in range(n_rows)]
    number = [None if s % 11 == 0 else s / 8 for s in steps]
    colour = [None if s % 13 == 0 else ("red", "grün", "<b>")[s % 3] for s in steps]
    flag = [s % 2 == 0 for s in steps]
    label = ["ja" if (s > 50) ^ (s % 3 == 0) else "nein" for s in steps]
    return {"number": number, "colour": colour, "flag": flag}, label, [s / 3 for s in steps]


MODELS: dict[str, Any] = {
    "id3": quercus.ID3Classifier(form="threshold", prune="reduced_error"),
    "c45": quercus.C45Classifier(cost_matrix={("ja", "nein"): 2.0}),
    "cart": quercus.CARTClassifier(missing="surrogate", prune=True, folds=3),
    "regressor": quercus.CARTRegressor(max_depth=3),
    "c45_rules": quercus.C45RulesClassifier(),
    "part": quercus.PARTClassifier(),
    "ripper": quercus.RIPPERClassifier(random_state=np.random.RandomState(1)),
    "forest": quercus.RandomForestClassifier(5, oob_score=True, stop_when_flat=quercus.forests.FlatCurve(2, 0.0, 2, 1)),
    "forest_regressor": quercus.RandomForestRegressor(3, max_depth=3),
    "bagged_rules": quercus.BaggingClassifier(quercus.PARTClassifier(), 2),
    "bagged_trees": quercus.BaggingClassifier(quercus.C45Classifier(confidence=0.1), 2, oob_score=True),
    "bagged_regressor": quercus.BaggingRegressor(quercus.CARTRegressor(criterion="absolute_error", max_depth=2), 2),
    "boosted": quercus.BoostedClassifier(n_estimators=4),
}


def score_sum() -> Any:
    """Trees that add up scores; their file was added later to version 1."""
    X, _, numbers = table()
    trees = [quercus.CARTRegressor(max_depth=depth).fit(X, numbers).tree_ for depth in (1, 2, 3)]
    forest = Forest.from_trees(trees, [0.5, 0.25, 1.0])
    return model_of(ScoreSum(forest, kind_of(("ja", "nein")), "softmax", (0.0, -8.0), (0, 1, 1)))


def main(folder: Path) -> None:
    """Write a model of every class, and what they answer."""
    X, y, numbers = table()
    answers = {}
    for name, model in MODELS.items():
        model.fit(X, numbers if name.endswith("regressor") else y)
        beside = "beside" if name in ("cart", "forest") else "inline"
        quercus.save(model, folder / f"{name}.json", arrays=beside, provenance={"data": {"rows": 60}})
        answers[name] = (model.predict if name.endswith("regressor") else model.predict_proba)(X).tolist()
    scores = score_sum()
    quercus.save(scores, folder / "score_sum.json", provenance={"data": {"rows": 60}})
    answers["score_sum"] = scores.score_sum.scores(scores.encode_rows(X)).tolist()
    (folder / "answers.json").write_text(json.dumps(answers), encoding="ascii")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
