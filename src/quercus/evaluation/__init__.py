"""Evaluation: how good a fitted model is on labelled rows, and which of several models is better."""

from quercus.evaluation.calibration import Calibration, CalibrationBin, calibration
from quercus.evaluation.class_scores import ClassRow, ClassScores
from quercus.evaluation.comparison import Comparison, ComparisonRow, compare_models
from quercus.evaluation.evaluate import Evaluation, evaluate
from quercus.evaluation.number_scores import NumberScores
from quercus.evaluation.paired_test import PairedTest, corrected_paired_test
from quercus.evaluation.stability import Stability, stability

__all__ = [
    "Calibration",
    "CalibrationBin",
    "ClassRow",
    "ClassScores",
    "Comparison",
    "ComparisonRow",
    "Evaluation",
    "NumberScores",
    "PairedTest",
    "Stability",
    "calibration",
    "compare_models",
    "corrected_paired_test",
    "evaluate",
    "stability",
]
