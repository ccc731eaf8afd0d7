"""A recipe: every choice that growing a tree makes, as one frozen bundle of fields."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

Criterion = Literal["entropy", "gini", "misclassification", "squared_error", "absolute_error", "poisson"]
Selection = Literal["gain", "gain_ratio", "tan_schlimmer", "nunez"]
NominalSplit = Literal["multiway", "grouped", "subset"]
ThresholdRule = Literal["midpoint", "data_value", "short"]
MissingPolicy = Literal["fractional", "most_common", "class_most_common", "own_value", "surrogate"]
CollapseRule = Literal["no", "bottom_up", "top_down"]
EmptyLeaf = Literal["parent_class", "parent_distribution"]

CLASSIFICATION_CRITERIA: tuple[str, ...] = ("entropy", "gini", "misclassification")
REGRESSION_CRITERIA: tuple[str, ...] = ("squared_error", "absolute_error", "poisson")


@dataclass(frozen=True)
class Recipe:
    """The choices that make an algorithm: ID3, C4.5 and CART differ only in these fields.

    The fields are explained in ``docs/specification.md``; two recipes are compared by :meth:`differences`.

    >>> Recipe(name="mine", criterion="gini").differences(Recipe(name="mine", criterion="entropy"))
    {'criterion': ('gini', 'entropy')}
    """

    name: str
    criterion: Criterion = "entropy"
    selection: Selection = "gain"
    cost_exponent: float = 1.0
    nominal: NominalSplit = "multiway"
    subset_limit: int = 10
    threshold: ThresholdRule = "midpoint"
    threshold_gap: float = 0.0
    threshold_cost: bool = False
    min_cut: bool = False
    gate: bool = False
    gate_tolerance: float = 1e-3
    min_split_info: float = 0.0
    wide_share: float = 0.3
    require_gain: bool = False
    min_objects: float = 0.0
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    min_gain: float = 0.0
    min_impurity_decrease: float = 0.0
    sufficient_majority: float | None = None
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    significance: float | None = None
    missing: MissingPolicy = "fractional"
    max_surrogates: int = 5
    collapse: CollapseRule = "no"
    collapse_tolerance: float = 1e-3
    empty_leaf: EmptyLeaf = "parent_class"
    max_bins: int | None = None

    @property
    def is_regression(self) -> bool:
        """Whether the criterion measures numbers instead of classes."""
        return self.criterion in REGRESSION_CRITERIA

    def differences(self, other: Recipe) -> dict[str, tuple[Any, Any]]:
        """The fields in which two recipes differ, as ``{field: (mine, theirs)}``."""
        return {
            field.name: (getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
            if getattr(self, field.name) != getattr(other, field.name)
        }
