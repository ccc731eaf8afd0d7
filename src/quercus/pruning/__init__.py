"""Pruning: from a grown tree to a smaller one, with the reason for every cut. The tree that is given never changes."""

from quercus.pruning.alpha_table import COST_COMPLEXITY, CVTable, cross_validated_alphas
from quercus.pruning.compare import PruningRow, PruningTable, compare_pruning
from quercus.pruning.cost_complexity import AlphaPath, cost_complexity, cost_complexity_path
from quercus.pruning.critical_value import CHI_SQUARE, CRITICAL_VALUE, chi_square, critical_value
from quercus.pruning.curves import Curve, growing_curve, learning_curve, pruning_curve
from quercus.pruning.error_based import ERROR_BASED, error_based, estimated_errors
from quercus.pruning.manual import keep_depth, keep_leaves, snip
from quercus.pruning.mdl import MDL, mdl
from quercus.pruning.method import PruningMethod
from quercus.pruning.minimum_error import MINIMUM_ERROR, minimum_error
from quercus.pruning.reduced_error import REDUCED_ERROR, reduced_error
from quercus.pruning.result import Cut, Pruned, Removal
from quercus.pruning.same_prediction import SAME_PREDICTION, same_prediction
from quercus.pruning.tuning import Choice, TuningTable, tune
from quercus.pruning.validation import STOP_BY_VALIDATION, hold_out, stop_by_validation

__all__ = [
    "METHODS",
    "AlphaPath",
    "CVTable",
    "Choice",
    "Curve",
    "Cut",
    "Pruned",
    "PruningMethod",
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

#: The pruning methods by their names. Another method is a file with its row, and a line here.
METHODS: dict[str, PruningMethod] = {
    method.name: method
    for method in (
        ERROR_BASED,
        REDUCED_ERROR,
        STOP_BY_VALIDATION,
        COST_COMPLEXITY,
        MDL,
        MINIMUM_ERROR,
        CRITICAL_VALUE,
        CHI_SQUARE,
        SAME_PREDICTION,
    )
}
#: The methods to think of first where mistakes have costs.
BY_COST = (MINIMUM_ERROR, REDUCED_ERROR)
