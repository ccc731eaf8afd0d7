"""Measures: information theory and attribute-selection measures, in NumPy, as taught.

>>> from quercus.measures import entropy, gain
>>> round(entropy([9, 5]), 3), round(gain([[2, 3], [4, 0], [3, 2]]), 3)
(0.94, 0.247)
"""

from quercus.measures.attribute_gain import gain_of, gain_ratio_of, split_information_of
from quercus.measures.contingency import ContingencyTable, contingency_table
from quercus.measures.costs import cost_multipliers, eg2, expected_costs, idx, nunez, tan_schlimmer
from quercus.measures.entropy import (
    conditional_entropy,
    entropy,
    information,
    joint_entropy,
    mutual_information,
    specific_conditional_entropy,
)
from quercus.measures.gain import gain
from quercus.measures.gain_ratio import gain_ratio, split_information
from quercus.measures.gain_table import Branch, GainRow, GainTable, gain_table
from quercus.measures.gini import gini, gini_gain
from quercus.measures.impurity import impurity_reduction
from quercus.measures.likelihood import average_log_likelihood, tree_log_likelihood
from quercus.measures.misclassification import accuracy_gain, misclassification_error
from quercus.measures.numeric_error import (
    absolute_error,
    error_reduction,
    lower_median,
    poisson_deviance,
    squared_error,
    squared_error_reduction,
)
from quercus.measures.significance import (
    ChiSquareTest,
    PermutationTest,
    chi_square,
    critical_value,
    permutation_significance,
)
from quercus.measures.thresholds import BestThreshold, all_thresholds, best_threshold, candidate_thresholds

__all__ = [
    "BestThreshold",
    "Branch",
    "ChiSquareTest",
    "ContingencyTable",
    "GainRow",
    "GainTable",
    "PermutationTest",
    "absolute_error",
    "accuracy_gain",
    "all_thresholds",
    "average_log_likelihood",
    "best_threshold",
    "candidate_thresholds",
    "chi_square",
    "conditional_entropy",
    "contingency_table",
    "cost_multipliers",
    "critical_value",
    "eg2",
    "entropy",
    "error_reduction",
    "expected_costs",
    "gain",
    "gain_of",
    "gain_ratio",
    "gain_ratio_of",
    "gain_table",
    "gini",
    "gini_gain",
    "idx",
    "impurity_reduction",
    "information",
    "joint_entropy",
    "lower_median",
    "misclassification_error",
    "mutual_information",
    "nunez",
    "permutation_significance",
    "poisson_deviance",
    "specific_conditional_entropy",
    "split_information",
    "split_information_of",
    "squared_error",
    "squared_error_reduction",
    "tan_schlimmer",
    "tree_log_likelihood",
]
