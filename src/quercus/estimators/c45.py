"""C4.5 as a scikit-learn classifier."""

from __future__ import annotations

from typing import ClassVar

from quercus.estimators.checks import choice, flag, number, refuse
from quercus.estimators.criterion import ClassCriterion
from quercus.estimators.declaration import changed, declares, parameter
from quercus.estimators.growing_parameters import Bins, ClassGrowing, missing_policy, selection_measure
from quercus.estimators.pruning import method_of, pruning_methods
from quercus.estimators.tree_estimator import TreeClassifier
from quercus.growing.c45 import THRESHOLD, C45Preset, c45_recipe
from quercus.growing.missing import MissingPolicy
from quercus.growing.recipe import Selection, ThresholdRule


@declares
class C45Growing(ClassGrowing, Bins):
    """How C4.5 grows a tree, for its leaves or for the rules made of them."""

    preset: C45Preset = parameter(
        choice(
            {
                "c45": "the semantics of Release 8 without its accidents",
                "r8": "as the program C4.5 Release 8 does it",
                "j48": "as the program J48 does it",
            }
        ),
        "Which program is followed where they differ.",
        default="c45",
    )
    min_objects: float = parameter(
        number(above_low=True), "At least two branches of a split must weigh this much.", default=2
    )
    missing: MissingPolicy = changed(default="fractional", check=missing_policy(binary=False), after="min_objects")
    value_groups: bool = parameter(
        flag(),
        "Whether the values of a nominal attribute are merged into groups while the gain ratio improves.",
        default=False,
        after="missing",
    )
    selection: Selection = changed(
        default="gain_ratio",
        check=selection_measure("gain_ratio", "gain", "tan_schlimmer", "nunez"),
        after="value_groups",
    )
    cost_exponent = changed(after="selection")
    threshold_price: bool = parameter(
        flag(),
        "Whether the best of T thresholds of a number pays log2(T)/N of its gain for the choice; False: it does "
        "not, as in textbooks that do not know this price (J48's option -J).",
        default=True,
        after="threshold",
    )

    own_threshold: ClassVar[ThresholdRule] = THRESHOLD

    def _check_growing(self) -> None:
        """Refuse what does not go together."""
        self._check_selection()
        if self.threshold in ("short", "short_value") and self.preset != "c45":
            allowed = f"None or another preset: {self.preset!r} writes thresholds as that program does"
            refuse("threshold", self.threshold, allowed)


@declares
class C45Classifier(ClassCriterion, C45Growing, TreeClassifier):
    """C4.5: gain ratio, thresholds on numbers, branches for values, fractional examples for what is unknown.

    Examples
    --------
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> C45Classifier().fit(X, y).tree_.root.attribute.name
    'Outlook'
    """

    criterion = changed(default="entropy", after="selection")
    prune = changed(default=True, check=pruning_methods("error_based"))
    subtree_raising: bool = parameter(
        flag(),
        'Whether "error_based" may also put the largest branch in the place of its question.',
        default=True,
        after="confidence",
    )

    own_pruning = "error_based"
    _recipe_function = staticmethod(c45_recipe)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_growing()
        if self.preset == "j48" and self.confidence > 0.5 and method_of(self) == "error_based":
            refuse("confidence", self.confidence, "a number > 0 and <= 0.5 with preset='j48', as J48 does")
