"""C4.5 as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quercus.errors import ParameterError
from quercus.estimators.classifier import TreeClassifier
from quercus.estimators.parameters import (
    check_choice,
    check_count,
    check_flag,
    check_missing,
    check_number,
    check_selection,
)
from quercus.growing.c45 import PRESETS, C45Preset, c45_recipe
from quercus.growing.recipe import MissingPolicy, Recipe, Selection


class C45Classifier(TreeClassifier):
    """C4.5: gain ratio, thresholds on numbers, branches for values, fractional examples for what is unknown.

    Parameters
    ----------
    preset : "c45" (the semantics of Release 8 without its accidents), "r8" or "j48" (as those programs grow a tree)
    prune : False, the tree as grown; error-based pruning is not there yet
    confidence : the confidence level of error-based pruning, kept for it
    min_objects : at least two branches of a split must weigh this much
    missing : what becomes of an unknown value: "fractional" (every branch by its share), "most_common",
        "class_most_common" or "own_value"
    value_groups : merge the values of a nominal attribute into groups while the gain ratio improves
    selection : "gain_ratio", "gain", or with ``attribute_costs`` "tan_schlimmer" gain²/cost or "nunez"
        (2^gain − 1)/(cost + 1)^``cost_exponent``
    cost_exponent : how much the costs count in "nunez", from 0.0 (not) to 1.0
    attribute_costs : {column: cost} or a list of costs; see also :meth:`expected_test_cost`
    max_depth : at most so many questions on a path; None: any number
    significance : a split must be significant at this level by the chi-square test; None: not tested
    max_bins : look at so many quantiles of a numeric attribute only (faster, not exact); None: at every value
    class_weight : {class: weight} or "balanced"
    priors : {class: share} or a list; the classes' shares are made these
    cost_matrix : cost of answering class j for class i, rows = true class, or {(true, answered): cost}; used in
        growing, and the class of least expected cost is answered
    smoothing : of the probabilities: None, "laplace" or ("m", m)
    decision_threshold : for two classes: the second is answered if its probability reaches this
    kinds : {column: "numeric", "nominal", "ordered", "boolean" or "date"} where the dtype does not say it
    domains : {column: values}: values that an attribute may have, whether or not they occur in training
    missing_tokens : texts such as "?" that mean unknown; None, NaN and NaT always do
    n_jobs : threads; None: one, -1: all; the tree is the same
    progress : a function called while the tree grows

    Attributes
    ----------
    tree_, schema_, recipe_, classes_, n_features_in_, feature_names_in_, feature_importances_

    Examples
    --------
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> C45Classifier().fit(X, y).tree_.root.attribute.name
    'Outlook'
    """

    def __init__(
        self,
        *,
        preset: C45Preset = "c45",
        prune: Any = False,
        confidence: float = 0.25,
        min_objects: float = 2,
        missing: MissingPolicy = "fractional",
        value_groups: bool = False,
        selection: Selection = "gain_ratio",
        cost_exponent: float = 1.0,
        attribute_costs: Any = None,
        max_depth: int | None = None,
        significance: float | None = None,
        max_bins: int | None = None,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        smoothing: Any = None,
        decision_threshold: float | None = None,
        kinds: Any = None,
        domains: Any = None,
        missing_tokens: Any = (),
        n_jobs: int | None = None,
        progress: Callable[..., Any] | None = None,
    ) -> None:
        self.preset = preset
        self.prune = prune
        self.confidence = confidence
        self.min_objects = min_objects
        self.missing = missing
        self.value_groups = value_groups
        self.selection = selection
        self.cost_exponent = cost_exponent
        self.attribute_costs = attribute_costs
        self.max_depth = max_depth
        self.significance = significance
        self.max_bins = max_bins
        self.class_weight = class_weight
        self.priors = priors
        self.cost_matrix = cost_matrix
        self.smoothing = smoothing
        self.decision_threshold = decision_threshold
        self.kinds = kinds
        self.domains = domains
        self.missing_tokens = missing_tokens
        self.n_jobs = n_jobs
        self.progress = progress

    def _check_parameters(self) -> None:
        check_choice("preset", self.preset, PRESETS)
        if self.prune is not False:
            raise ParameterError(
                f"prune={self.prune!r} is not allowed: pruning is not there yet. Give prune=False, the tree as grown."
            )
        check_number("confidence", self.confidence, high=1.0, above_low=True)
        check_number("min_objects", self.min_objects, above_low=True)
        check_missing(self.missing, binary=False)
        check_flag("value_groups", self.value_groups)
        measures = ("gain_ratio", "gain", "tan_schlimmer", "nunez")
        check_selection(self.selection, measures, self.cost_exponent, self.attribute_costs)
        check_count("max_depth", self.max_depth, least=0, optional=True)
        check_number("significance", self.significance, high=1.0, above_low=True, below_high=True, optional=True)
        check_count("max_bins", self.max_bins, least=2, optional=True)
        super()._check_parameters()

    def _make_recipe(self, n_rows: int, total_weight: float) -> Recipe:
        return c45_recipe(
            self.preset,
            min_objects=float(self.min_objects),
            value_groups=bool(self.value_groups),
            missing=self.missing,
            selection=self.selection,
            cost_exponent=float(self.cost_exponent),
            max_depth=self.max_depth,
            significance=self.significance,
            max_bins=self.max_bins,
        )
