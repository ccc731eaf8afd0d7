"""The criterion as a parameter: the name of a measure, or a function that the user wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

from quercus.arrays import Floats
from quercus.criteria import (
    CLASS_CRITERIA,
    CLASS_CRITERION_NAMES,
    NUMBER_CRITERIA,
    ClassCriterionName,
    NumberCriterionName,
    is_function_name,
    own_criterion,
    saved_criterion,
)
from quercus.estimators.checks import Check, choice, quantile_levels
from quercus.estimators.declaration import changed, declares, parameter
from quercus.estimators.growing_parameters import Missing, missing_policy
from quercus.growing.missing import MissingPolicy

#: What the names of criteria mean.
FOR_CLASSES = {
    name: f"{CLASS_CRITERIA[own].title}, {CLASS_CRITERIA[own].formula}" if name == own else f'another name of "{own}"'
    for name, own in CLASS_CRITERION_NAMES.items()
}
FOR_NUMBERS = {name: f"{row.title}, {row.formula}" for name, row in NUMBER_CRITERIA.items()}


def named(meanings: Mapping[str, str]) -> Check:
    """A criterion by its name: what random forests take, whose trees the core alone grows."""
    check = choice(meanings, lambda name: CLASS_CRITERION_NAMES.get(name, name))

    def words(value: Any) -> str:
        hint = "; functions are for single trees, and for bagging and boosting of them" if callable(value) else ""
        return check.allowed + hint

    return replace(check, told=words)


def named_or_function(meanings: Mapping[str, str], *, numbers: bool) -> Check:
    """A criterion by its name, or a function. A loaded model has the name of its function, which fitting refuses."""
    check = choice(meanings, lambda name: CLASS_CRITERION_NAMES.get(name, name))

    def is_own(value: Any) -> bool:
        return callable(value) or is_function_name(value)

    return replace(
        check,
        allowed=f"{check.allowed}, or a function",
        accepts=lambda value: is_own(value) or check.accepts(value),
        read=lambda value: own_criterion(value, numbers) if is_own(value) else check.read(value),
    )


@declares
class ClassCriterion:
    """What a split lowers, of classes."""

    criterion: ClassCriterionName | Literal["log_loss"] | Callable[[Floats], float] = parameter(
        named_or_function(FOR_CLASSES, numbers=False),
        "The impurity that a split lowers. A function of your own gets the weight of each class at a node and returns "
        "a number of at least 0, which is 0 if one class has all the weight. Python then grows the tree: 450 times as "
        "slowly on a table of 569 rows and 30 numbers.",
        default="gini",
        saved=saved_criterion,
    )


@declares
class NumberCriterion(Missing):
    """What a split lowers, of numbers."""

    criterion: NumberCriterionName | Callable[[Floats, Floats], float] = parameter(
        named_or_function(FOR_NUMBERS, numbers=True),
        "The error that a split lowers. A function of your own gets the distinct numbers at a node and their weights "
        "and returns a number of at least 0, which is 0 if there is one number. Python then grows the tree: 480 times "
        "as slowly on a table of 442 rows and 10 numbers.",
        default="squared_error",
        saved=saved_criterion,
    )
    quantiles: Any = parameter(
        quantile_levels(),
        'The levels of the quantiles that leaves predict with criterion="pinball", and predict_quantiles of a forest.',
        default=(0.1, 0.5, 0.9),
    )
    missing: MissingPolicy = changed(check=missing_policy(binary=True, classes=False))
