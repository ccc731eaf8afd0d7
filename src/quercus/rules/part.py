"""PART: an ordered rule list, each rule the heaviest leaf of a partial C4.5 tree on the rows that are left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray
from scipy.special import ndtri

from quercus import _core
from quercus.arrays import Floats
from quercus.data import ClassTarget, Dataset
from quercus.data.values import plain_value
from quercus.errors import ParameterError
from quercus.growing.c45 import c45_recipe
from quercus.growing.grow import core_arguments, size_limits
from quercus.growing.recipe import ThresholdRule
from quercus.rules.condition import Condition, Interval, ValueSet, merged
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList

_AT_MOST, _ABOVE = 0, 1  # kinds of condition as the core writes them; 2 is a set of values


def part(
    dataset: Dataset,
    target: ClassTarget,
    *,
    weights: Floats | None = None,
    cost_matrix: Floats | None = None,
    min_objects: float = 2.0,
    confidence: float = 0.25,
    prune: bool = True,
    value_groups: bool = False,
    threshold: ThresholdRule | None = None,
    progress: Callable[[int, int, int], object] | None = None,
) -> RuleList:
    """Learn a rule list by separate-and-conquer on partial trees (Frank and Witten, 1998).

    ::

        PART(rows)
            while rows are left
                expand(root of a tree on the rows)
                rule = path to the leaf, of those expanded, that covers most weight
                if that leaf is the root -> its class is the default; stop
                drop the rows that the rule covers
        expand(node)
            split the node as C4.5 does; no split -> leaf
            while all branches expanded so far are leaves and some are left
                expand(the branch of least entropy among them)
            if all branches are leaves and the node as a leaf must expect no more errors (+ 0.1) -> leaf

    Expected errors are C4.5's: the upper limit of the error at ``confidence``. While a tree is grown, a row of unknown
    value goes down every branch by its share; a rule covers only rows whose values are known to fulfil it.

    - weights: one number per row, not negative; weight 3 counts as three equal rows.
    - cost_matrix: cost of answering j for a row of class i; weighs the classes in the search for splits, and each rule
      answers the class of least cost.
    - min_objects: at least two branches of a split weigh this much.
    - prune: False: no leaf takes the place of branches.
    - value_groups: merge the values of a nominal attribute into groups, as C4.5 can.
    - threshold: how a number between two neighbouring values is written: "midpoint", "data_value", "short" or
      "short_value"; None: "data_value", as C4.5 does it. The rows divide alike.

    >>> from quercus.data import encode, encode_classes
    >>> data = encode({"Temperature": [40, 48, 60, 72, 80, 90]})
    >>> rules = part(data, encode_classes(["No", "No", "Yes", "Yes", "Yes", "No"]), prune=False)
    >>> print(rules)
    1. IF Temperature <= 48 THEN No (2, 1.00)
    2. IF Temperature <= 72 THEN Yes (2, 1.00)
    Otherwise: No
    """
    if not 0.0 < confidence <= 1.0:
        raise ParameterError(f"confidence={confidence!r} is not allowed; give a number > 0 and <= 1.")
    recipe = c45_recipe(min_objects=min_objects, value_groups=value_groups, threshold=threshold)
    arguments, _, unit = core_arguments(dataset, target, recipe, weights, cost_matrix=cost_matrix)
    z = -float(ndtri(min(confidence, 1.0 - 1e-12)))
    with size_limits():
        arrays = _core.learn_part(*arguments, float(confidence), z, bool(prune), progress)
    arrays["class_weight"] = arrays["class_weight"] * unit
    return _rule_list(arrays, dataset, tuple(plain_value(label) for label in target.classes))


def _rule_list(arrays: dict[str, NDArray[Any]], dataset: Dataset, classes: tuple[Any, ...]) -> RuleList:
    starts, labels = arrays["rule_start"].tolist(), arrays["label"].tolist()
    conditions = [_condition(arrays, dataset, i) for i in range(starts[-1])]
    rules = tuple(
        Rule(merged(conditions[begin:end]), label, classes).with_weights(class_weights)
        for begin, end, label, class_weights in zip(
            starts[:-1], starts[1:], labels[:-1], arrays["class_weight"][:-1], strict=True
        )
    )
    rest = Rule((), labels[-1], classes)
    if arrays["class_weight"][-1].sum() > 0:
        rest = rest.with_weights(arrays["class_weight"][-1])
    return RuleList(rules, rest, dataset.schema, classes)


def _condition(arrays: dict[str, NDArray[Any]], dataset: Dataset, i: int) -> Condition:
    attribute = dataset.schema.attributes[int(arrays["attribute"][i])]
    threshold = float(arrays["threshold"][i])
    if arrays["kind"][i] == _AT_MOST:
        return Interval(attribute, high=threshold)
    if arrays["kind"][i] == _ABOVE:
        return Interval(attribute, low=threshold)
    begin, end = int(arrays["value_start"][i]), int(arrays["value_start"][i + 1])
    return ValueSet(attribute, arrays["values"][begin:end].tolist())
