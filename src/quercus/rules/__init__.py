"""Rules: conditions, rules, formulas and rule lists as values, extracted from trees or made by rule learners."""

from quercus.rules.condition import Condition, Interval, ValueSet, condition_from_dict, is_known, is_unknown, merged
from quercus.rules.explanation import Explanation
from quercus.rules.extract import extract_rules
from quercus.rules.formula import Formula, class_formula
from quercus.rules.measure import RuleTable
from quercus.rules.pruning_reasons import DroppedCondition, PrunedRule, RulePruning, explain_c45_rules
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList

__all__ = [
    "Condition",
    "DroppedCondition",
    "Explanation",
    "Formula",
    "Interval",
    "PrunedRule",
    "Rule",
    "RuleList",
    "RulePruning",
    "RuleTable",
    "ValueSet",
    "class_formula",
    "condition_from_dict",
    "explain_c45_rules",
    "extract_rules",
    "is_known",
    "is_unknown",
    "merged",
]
