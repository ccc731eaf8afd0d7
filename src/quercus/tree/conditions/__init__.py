"""Conditions: the values that a branch or a rule accepts; the same few classes for every kind of question."""

from quercus.tree.conditions.condition import Condition, value_name
from quercus.tree.conditions.interval import Interval
from quercus.tree.conditions.value_set import ValueSet

__all__ = ["Condition", "Interval", "ValueSet", "value_name"]
