"""ID3 as a scikit-learn classifier."""

from __future__ import annotations

from quercus.estimators.checks import choice, number, together
from quercus.estimators.criterion import ClassCriterion
from quercus.estimators.declaration import changed, declares, parameter
from quercus.estimators.growing_parameters import NodeSizes, missing_policy, selection_measure
from quercus.estimators.pruning import pruning_methods
from quercus.estimators.tree_estimator import TreeClassifier
from quercus.growing.id3 import THRESHOLDS, ID3Form, id3_recipe
from quercus.growing.missing import MissingPolicy
from quercus.growing.recipe import Selection, ThresholdRule


@declares
class ID3Classifier(ClassCriterion, NodeSizes, TreeClassifier):
    """ID3: the attribute of largest information gain is asked first, until every leaf is of one class.

    Examples
    --------
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> tree = ID3Classifier().fit(X, y)
    >>> tree.get_depth(), tree.get_n_leaves(), tree.score(X, y)
    (2, 5, 1.0)
    """

    form: ID3Form = parameter(
        choice(
            {
                "multiway": "a nominal attribute has a branch for each of its values",
                "threshold": "every question has two answers",
            }
        ),
        "The form of the questions.",
        default="multiway",
    )
    epsilon: float = parameter(
        number(),
        "The gain in bits that a question must reach; at 0.0 one that gains nothing is still asked: XOR needs it.",
        default=0.0,
    )
    criterion = changed(default="entropy", after="selection")
    min_samples_leaf = changed(
        doc="The number of rows, or the share of all rows, that at least two branches of a split must have."
    )
    min_weight_fraction_leaf = changed(doc="The share of the whole weight that at least two branches must have.")
    missing: MissingPolicy = changed(
        default="most_common",
        check=together(missing_policy(binary=True)),
        doc='What becomes of an unknown value; "surrogate" is for the threshold form.',
    )
    selection: Selection = changed(check=selection_measure("gain", "gain_ratio", "tan_schlimmer", "nunez"))
    prune = changed(check=pruning_methods("reduced_error"))

    own_pruning = "reduced_error"
    _recipe_function = staticmethod(id3_recipe)

    @property
    def own_threshold(self) -> ThresholdRule:  # type: ignore[override]
        """The rule that ``threshold=None`` means."""
        return THRESHOLDS.get(self.form, "midpoint")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        missing_policy(binary=self.form == "threshold")("missing", self.missing)
