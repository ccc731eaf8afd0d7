"""Prediction: rows go down a tree; distributions, values, leaves, paths, test costs and tallies come out."""

from quercus.predict.costs import expected_test_cost
from quercus.predict.predict import apply, decision_path, predict_distribution, predict_value
from quercus.predict.tally import tally
from quercus.targets.labels import label_codes, labels_from

__all__ = [
    "apply",
    "decision_path",
    "expected_test_cost",
    "label_codes",
    "labels_from",
    "predict_distribution",
    "predict_value",
    "tally",
]
