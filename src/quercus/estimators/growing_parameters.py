"""The parameters of growing that estimators share, in groups; signatures have them in the order of this file.

Those of ``parameters.py`` follow. The parameters that one algorithm alone has stand in its own file, and come first in
its signature.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from quercus.errors import ParameterError
from quercus.estimators.checks import (
    MOST_BINS,
    Check,
    anything,
    attributes_drawn,
    choice,
    count,
    count_of,
    count_or_share,
    flag,
    number,
    optional,
    rows_drawn,
    share_inside,
)
from quercus.estimators.declaration import changed, declares, parameter
from quercus.growing.missing import POLICIES, MissingPolicy
from quercus.growing.recipe import Selection, ThresholdRule

if TYPE_CHECKING:  # forests are imported when they are first asked for
    from quercus.forests.stopping import FlatCurve
    from quercus.predict.forest import Vote

# What words mean

SELECTIONS = {
    "gain": "the fall of the impurity",
    "gain_ratio": "gain / split information",
    "tan_schlimmer": "gain²/cost, for ``attribute_costs``",
    "nunez": "(2^gain − 1)/(cost + 1)^``cost_exponent``, for ``attribute_costs``",
}
THRESHOLD_RULES = {
    "midpoint": "half-way between them",
    "data_value": "the largest training value that is not above the midpoint",
    "short": "the shortest number between them, 66 instead of 66.5",
    "short_value": "as data_value; a value of more than six digits gives way to the shortest number above it",
}


def missing_policy(*, binary: bool, classes: bool = True) -> Check:
    """A missing-value policy that the splits (binary: all of two branches) and the target (classes) can serve."""
    policies = {
        name: policy.meaning
        for name, policy in POLICIES.items()
        if (binary or not policy.needs_binary) and (classes or not policy.needs_classes)
    }
    check = choice(policies)

    def told(value: Any) -> str:
        only = " (surrogates exist for two-way splits, as CART's)" if value == "surrogate" and not binary else ""
        return check.allowed + only

    return Check(check.allowed, check.accepts, told=told, choices=policies)


def selection_measure(*names: str) -> Check:
    """One of these measures."""
    return choice({name: SELECTIONS[name] for name in names})


# How a tree is grown


@declares
class Depth:
    """How deep a tree may be."""

    max_depth: int | None = parameter(
        optional(count(least=0)), "The largest number of questions on a path; None: any number.", default=None
    )


@declares
class NodeSizes:
    """How small nodes may be."""

    min_samples_split: float = parameter(
        count_or_share(least=2),
        "The number of rows, or the share of all rows, that a node must have to be split.",
        default=2,
    )
    min_samples_leaf: float = parameter(
        count_or_share(least=1), "The number of rows, or the share of all rows, that a leaf must have.", default=1
    )
    min_weight_fraction_leaf: float = parameter(
        number(high=0.5), "The share of the whole weight that a leaf must have.", default=0.0
    )

    def _row_limits(self, n_rows: int, total_weight: float) -> dict[str, Any]:
        """These limits as a recipe takes them. n_rows, total_weight: of the training rows."""
        return {
            "min_samples_split": count_of(self.min_samples_split, n_rows, least=2),
            "min_samples_leaf": count_of(self.min_samples_leaf, n_rows, least=1),
            "min_weight_leaf": float(self.min_weight_fraction_leaf) * total_weight,
        }


@declares
class BestFirst:
    """How large a tree may be, and what a split must bring."""

    max_leaf_nodes: int | None = parameter(
        optional(count(least=2)),
        "The largest number of leaves; the best splits are made first. None: any number.",
        default=None,
    )
    min_impurity_decrease: float = parameter(
        number(),
        "A split must lower the impurity, weighted by the node's share of all rows, by this much.",
        default=0.0,
    )


@declares
class NodeDraws:
    """What chance decides at the nodes of a single tree."""

    splitter: Literal["best", "random"] = parameter(
        choice(
            {
                "best": "the best question of each attribute",
                "random": "one threshold of each attribute, drawn between its smallest and its largest value at the "
                "node (a nominal attribute: one division of its values)",
            }
        ),
        "From which questions a node chooses; ``random_state`` is the seed of the draws.",
        default="best",
    )
    max_features: Any = parameter(
        attributes_drawn(),
        "How many attributes a node draws to choose its question from; ``random_state`` is the seed of the draws.",
        default=None,
    )


@declares
class LightValues:
    """When a nominal value is too rare to be placed by itself."""

    min_value_weight: float = parameter(
        number(),
        "Values of a nominal attribute that weigh less than this at a node (without weights: rows) go to one side "
        "together; 0: every value is placed by itself. It helps where a nominal attribute has hundreds of values.",
        default=0.0,
    )


@declares
class Majority:
    """When a node is pure enough."""

    sufficient_majority: float | None = parameter(
        optional(number(high=1.0, above_low=True)),
        "A node is a leaf when one class holds at least this share of its weight, such as 0.95; None: only when it "
        "holds all.",
        default=None,
    )


@declares
class Significance:
    """When a split is not by chance."""

    significance: float | None = parameter(
        optional(share_inside()),
        "A split must be significant at this level, such as 0.05, by the chi-square test; None: it is not tested.",
        default=None,
    )


# How rows are drawn for the members of a collection


@declares
class RowDraws:
    """Which rows a member of a collection learns from."""

    bootstrap: bool = parameter(
        flag(), "Whether each member learns from its own draw of the rows; False: from all rows.", default=True
    )
    replacement: Literal["with", "without"] = parameter(
        choice(("with", "without")), "Whether rows are drawn with or without replacement.", default="with"
    )
    max_samples: Any = parameter(
        rows_drawn(),
        "The number of rows, or the share of all rows, that is drawn for a member; None: as many rows as there "
        "are, and without replacement 63.2 % of them.",
        default=None,
    )


@declares
class Voting:
    """How the classes of the members become one."""

    vote: Vote = parameter(
        choice(
            {
                "probability": "the members' class shares are averaged",
                "majority": "each member votes for its most likely class",
            }
        ),
        "How the members answer together.",
        default="probability",
    )


@declares
class OutOfBag:
    """What is measured on the rows that were not drawn."""

    oob_score: bool | Callable[[Any, Any], float] = parameter(
        Check(
            "True, False or a function of (y_true, y_answered)",
            lambda value: isinstance(value, bool) or callable(value),
        ),
        "Whether every row is answered by the members that have not learnt from it, and these answers are "
        "measured: ``oob_score_``, ``oob_curve_``. A function measures them in its own way.",
        default=False,
        saved=lambda value: True if callable(value) else value,
    )
    stop_when_flat: bool | FlatCurve = parameter(
        Check("True, False or a quercus.forests.FlatCurve", lambda value: _is_flag_or_flat_curve(value)),
        "Whether no further members are made when the out-of-bag error does not fall any more; a FlatCurve has its "
        "own window and tolerance.",
        default=False,
    )


def _is_flag_or_flat_curve(value: Any) -> bool:
    from quercus.forests.stopping import FlatCurve

    return isinstance(value, bool | FlatCurve)


# How questions are found


@declares
class Missing:
    """What becomes of an unknown value."""

    missing: MissingPolicy = parameter(
        missing_policy(binary=True), "What becomes of an unknown value.", default="own_value"
    )


@declares
class Surrogates:
    """How many questions stand in for one."""

    max_surrogates: int = parameter(count(least=0), "The largest number of surrogate questions of a node.", default=5)


@declares
class AttributeCosts:
    """What it costs to learn attributes."""

    attribute_costs: Any = parameter(
        anything("None, {column: cost} or a list of costs"),
        "What it costs to learn the value of each attribute; see also :meth:`expected_test_cost`.",
        default=None,
    )


@declares
class Selecting(AttributeCosts):
    """By which measure the question of a node is selected."""

    selection: Selection = parameter(
        selection_measure("gain", "tan_schlimmer", "nunez"),
        "The measure by which the question of a node is selected.",
        default="gain",
    )
    cost_exponent: float = parameter(
        number(high=1.0),
        'How much the costs of attributes count in "nunez", from 0.0 (not at all) to 1.0.',
        default=1.0,
    )
    attribute_costs = changed(after="cost_exponent")

    def _check_selection(self) -> None:
        """Refuse a measure that needs costs where there are none."""
        if self.selection == "tan_schlimmer" and self.attribute_costs is None:
            raise ParameterError(
                "selection='tan_schlimmer' divides by the cost of each attribute, but attribute_costs is None; "
                "give attribute_costs, a number > 0 for every attribute."
            )


@declares
class Bins:
    """How exactly numbers are searched."""

    max_bins: int | None = parameter(
        optional(count(least=2, most=MOST_BINS)),
        "Only this many quantiles of a numeric attribute are tried as thresholds, which is faster and not exact; "
        "None: every value.",
        default=None,
    )


@declares
class Thresholds:
    """How thresholds are written."""

    #: the rule that ``threshold=None`` means
    own_threshold: ClassVar[ThresholdRule]

    threshold: ThresholdRule | None = parameter(
        optional(choice(THRESHOLD_RULES)),
        "How a threshold between two neighbouring values is written; the training rows divide alike. None: as the "
        'algorithm has it, "data_value" for C4.5, PART, RIPPER and the threshold form of ID3, else "midpoint".',
        default=None,
    )


@declares
class Constraints:
    """What a tree must not do, however much it would gain."""

    monotonic_cst: Any = parameter(
        anything("None, a list of -1, 0 and 1, {attribute: sign} or {attribute: {class: sign}}"),
        "Attributes with which the answer must rise (1) or fall (-1): the predicted number, the share of the second of "
        "two classes, or that of the class named.",
        default=None,
    )
    interaction_cst: Any = parameter(
        anything("None, 'pairwise', 'no_interactions' or a list of sets of attributes"),
        "Sets of attributes, by names or positions, that may meet on one path; attributes that none names are one more "
        "set. None: all may meet.",
        default=None,
    )


class Growing(Depth, Missing, AttributeCosts, Thresholds):
    """What every tree has."""


class ClassGrowing(Growing, Majority, Significance, Selecting):
    """What every tree of one's own has whose leaves hold classes."""
