"""Pruning: from a grown tree to a smaller one, with the reason for every cut. The tree that is given never changes."""

from quercus.pruning.alpha_table import CVTable, cross_validated_alphas
from quercus.pruning.compare import PruningRow, PruningTable, compare_pruning
from quercus.pruning.cost_complexity import AlphaPath, cost_complexity, cost_complexity_path
from quercus.pruning.critical_value import chi_square, critical_value
from quercus.pruning.curves import Curve, growing_curve, learning_curve, pruning_curve
from quercus.pruning.error_based import error_based, estimated_errors
from quercus.pruning.manual import keep_depth, keep_leaves, snip
from quercus.pruning.mdl import mdl
from quercus.pruning.minimum_error import minimum_error
from quercus.pruning.reduced_error import reduced_error
from quercus.pruning.result import Cut, Pruned, Removal
from quercus.pruning.same_prediction import same_prediction
from quercus.pruning.tuning import Choice, TuningTable, tune
from quercus.pruning.validation import hold_out, stop_by_validation

__all__ = [
    "AlphaPath",
    "CVTable",
    "Choice",
    "Curve",
    "Cut",
    "Pruned",
    "PruningRow",
    "PruningTable",
    "Removal",
    "TuningTable",
    "chi_square",
    "compare_pruning",
    "cost_complexity",
    "cost_complexity_path",
    "critical_value",
    "cross_validated_alphas",
    "error_based",
    "estimated_errors",
    "growing_curve",
    "hold_out",
    "keep_depth",
    "keep_leaves",
    "learning_curve",
    "mdl",
    "minimum_error",
    "pruning_curve",
    "reduced_error",
    "same_prediction",
    "snip",
    "stop_by_validation",
    "tune",
]
