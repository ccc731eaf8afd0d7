"""Rules: conditions, rules, formulas and rule lists as values, extracted from trees or made by rule learners."""

from quercus.rules.condition import Condition, Interval, ValueSet, condition_from_dict, is_known, is_unknown, merged
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList

__all__ = [
    "Condition",
    "Interval",
    "Rule",
    "RuleList",
    "ValueSet",
    "condition_from_dict",
    "is_known",
    "is_unknown",
    "merged",
]
