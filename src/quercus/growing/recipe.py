"""A recipe: every choice that growing a tree makes, as one frozen bundle of fields."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from quercus.criteria import CLASS_CRITERIA, NUMBER_CRITERIA, CriterionName, OwnCriterion
from quercus.growing.constraints import Sets, Wish, read_order, read_sets
from quercus.growing.missing import MissingPolicy
from quercus.targets.kind import OfTask

Criterion = CriterionName | OwnCriterion
Selection = Literal["gain", "gain_ratio", "tan_schlimmer", "nunez"]
NominalSplit = Literal["multiway", "grouped", "subset"]
ThresholdRule = Literal["midpoint", "data_value", "short", "short_value"]
CollapseRule = Literal["no", "bottom_up", "top_down"]
EmptyLeaf = Literal["parent_class", "parent_distribution"]

CLASSIFICATION_CRITERIA: tuple[str, ...] = tuple(CLASS_CRITERIA)
REGRESSION_CRITERIA: tuple[str, ...] = tuple(NUMBER_CRITERIA)
#: The fields whose choices need classes, each with the one that does not.
ALLOWED_FOR_NUMBERS = {"selection": "gain", "significance": None, "sufficient_majority": None, "collapse": "no"}


@dataclass(frozen=True)
class Recipe(OfTask):
    """The choices that make an algorithm: ID3, C4.5 and CART differ only in these fields.

    The fields are explained in ``docs/specification.md``; two recipes are compared by :meth:`differences`.

    >>> Recipe(name="mine", criterion="gini").differences(Recipe(name="mine", criterion="entropy"))
    {'criterion': ('gini', 'entropy')}
    """

    name: str
    criterion: Criterion = "entropy"
    quantiles: tuple[float, ...] = ()
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
    min_value_weight: float = 0.0
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
    monotonic_cst: tuple[Wish, ...] = ()
    interaction_cst: Sets = None

    def __post_init__(self) -> None:
        """Quantiles are of the criterion "pinball" alone, which has some; constraints have one form."""
        object.__setattr__(self, "monotonic_cst", read_order(self.monotonic_cst))
        object.__setattr__(self, "interaction_cst", read_sets(self.interaction_cst))
        levels = (self.quantiles or (0.1, 0.5, 0.9)) if self.criterion == "pinball" else ()
        object.__setattr__(self, "quantiles", tuple(levels))

    @property
    def task(self) -> str:
        """What the criterion is for, as kinds of target name it: "regression" or "classification"."""
        criterion = self.criterion
        numbers = criterion.numbers if isinstance(criterion, OwnCriterion) else criterion in REGRESSION_CRITERIA
        return "regression" if numbers else "classification"

    @property
    def has_order(self) -> bool:
        """Whether an answer must rise or fall with an attribute."""
        return any(sign for _, _, sign in self.monotonic_cst)

    def need_classes(self) -> dict[str, tuple[Any, Any]]:
        """The choices that need classes where the criterion has none, as ``{field: (mine, the one allowed)}``.

        >>> Recipe("mine", criterion="squared_error", selection="gain_ratio").need_classes()
        {'selection': ('gain_ratio', 'gain')}
        """
        if self.task == "classification":
            return {}
        choices = {name: (getattr(self, name), allowed) for name, allowed in ALLOWED_FOR_NUMBERS.items()}
        return {name: pair for name, pair in choices.items() if pair[0] != pair[1]}

    def differences(self, other: Recipe) -> dict[str, tuple[Any, Any]]:
        """The fields in which two recipes differ, as ``{field: (mine, theirs)}``."""
        return {
            field.name: (getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
            if getattr(self, field.name) != getattr(other, field.name)
        }
