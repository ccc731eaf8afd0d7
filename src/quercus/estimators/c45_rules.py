"""C4.5's rules as a scikit-learn classifier: a tree is grown, and its paths become a short ordered rule list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget
from quercus.data.rows import Rows
from quercus.errors import DataError
from quercus.estimators.base import learnt, recipe_arguments
from quercus.estimators.c45 import C45Growing
from quercus.estimators.checks import choice, number, optional, seed, seed_of, share_inside
from quercus.estimators.declaration import changed, declares, parameter
from quercus.estimators.parameters import Priors, Threads
from quercus.estimators.rule_learner import RuleLearner
from quercus.fitted.hold_out import HoldOut
from quercus.growing.c45 import c45_recipe
from quercus.growing.grower import GrowOptions, core_grower, one_tree
from quercus.growing.recipe import Recipe
from quercus.tree import Tree

if TYPE_CHECKING:
    from quercus.rules.pruning_reasons import RulePruning


@declares
class C45RulesClassifier(C45Growing, Priors, Threads, RuleLearner):
    """C4.5's rule post-pruning: paths of an unpruned tree become rules, conditions are dropped, the best are kept.

    The parameters of growing are of the tree, as in :class:`C45Classifier`.

    Examples
    --------
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> print(C45RulesClassifier().fit(X, y))
    1. IF Outlook = Sunny AND Humidity = High THEN No (3, 1.00)
    2. IF Outlook = Rain AND Wind = Strong THEN No (2, 1.00)
    3. IF Outlook = Overcast THEN Yes (4, 1.00)
    4. IF Humidity = Normal THEN Yes (7, 0.86)
    5. IF Outlook = Rain AND Wind = Weak THEN Yes (3, 1.00)
    Otherwise: Yes
    """

    confidence: float = parameter(
        number(high=1.0, above_low=True),
        "The confidence level of the pessimistic error rate of a rule; a smaller one drops more conditions.",
        default=0.25,
        after="preset",
    )
    unknown: str = parameter(
        choice(
            {
                "fails": "an unknown value fulfils no condition",
                "tree": 'it fulfils that of the branch which takes unknown values, if ``missing`` is not "fractional"',
            }
        ),
        "What an unknown value does to a condition.",
        default="fails",
        after="threshold_price",
    )
    validation_fraction: float | None = parameter(
        optional(share_inside()),
        "None: conditions are judged by their pessimistic error on all rows. A share: so many rows are kept from "
        "growing, and conditions are judged by their error there; :meth:`fit` can be given such rows, too.",
        default=None,
        after="unknown",
    )
    random_state: Any = parameter(
        seed(),
        "The seed of the draw of that share, and of the search for the best rules of a class that has more than "
        "10; None: another one each time.",
        default=0,
        after="validation_fraction",
    )
    cost_matrix = changed(
        doc="What it costs to answer one class where another is true; it counts in growing, in choosing and in "
        "ordering the rules."
    )

    tree_: ClassVar[Tree] = learnt("tree", "The unpruned tree that the rules were made from.")
    recipe_: ClassVar[Recipe] = learnt("recipe", "The choices by which the tree was grown.")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_growing()

    def _check_validation(self) -> None:
        """Conditions are judged by the validation rows."""

    def _make_rules(self, rows: Rows, validation: Rows | None, costs: Floats | None, n_jobs: int) -> dict[str, Any]:
        from quercus.rules.post_pruning import c45_rules

        if validation is None and self.validation_fraction is not None:
            rows, validation = self._hold_out(rows)
        assert isinstance(rows.target, ClassTarget)
        recipe = c45_recipe(**recipe_arguments(self, c45_recipe))
        tree = one_tree(core_grower, rows, recipe, GrowOptions(costs, n_jobs, self.progress))
        rules = c45_rules(tree, rows.dataset, rows.target, **self._rule_options(rows, validation, costs, n_jobs))
        return {"tree": tree, "recipe": recipe, "rule_list": rules}

    def _rule_options(self, rows: Rows, validation: Rows | None, costs: Floats | None, n_jobs: int) -> dict[str, Any]:
        return {
            "weights": rows.weights,
            "confidence": float(self.confidence),
            "preset": self.preset,
            "validation": None if validation is None else validation.growing,
            "cost_matrix": costs,
            "unknown": "tree" if self.unknown == "tree" else "fails",
            "seed": seed_of(self.random_state),
            "n_jobs": n_jobs,
        }

    def rule_pruning(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None
    ) -> RulePruning:
        """Why post-pruning dropped each condition and each rule, from the leaves of ``tree_`` to ``rules_``.

        X, y, sample_weight, X_val, y_val: those of fitting; other rows are refused.

        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> for entry in C45RulesClassifier().fit(X, y).rule_pruning(X, y).leaves[4].dropped:
        ...     print(entry)
        Outlook = Sunny: wrong for 1 of 7 rows without it, for 0 of 2 with it; pessimistic error rate 0.335 below 0.500
        """
        from quercus.rules.pruning_reasons import explain_c45_rules

        if (X_val is None) != (y_val is None):
            raise DataError(f"{'X_val' if X_val is None else 'y_val'} is None; give both X_val and y_val, or neither.")
        rows = self.read_rows(X, y, sample_weight)
        validation = None if X_val is None else self.read_rows(X_val, y_val)
        if validation is None and self.validation_fraction is not None:
            rows, validation = self._hold_out(rows)
        assert isinstance(rows.target, ClassTarget)
        options = self._rule_options(rows, validation, self.model_.decision.costs, self.n_threads)
        steps = explain_c45_rules(self.tree_, rows.dataset, rows.target, **options)
        if steps.rules != self.rules_:
            raise DataError(
                "These are not the rows of fitting: post-pruning makes other rules of them. (With random_state=None "
                "the rows held out are drawn anew each time; give a number.)"
            )
        return steps

    def _hold_out(self, rows: Rows) -> tuple[Rows, Rows]:
        if rows.n_weighty < 2:
            raise DataError(
                f"validation_fraction={self.validation_fraction!r} keeps rows from growing, which n_samples = "
                f"{rows.n_weighty} (1 sample) does not allow; give more rows, or None."
            )
        return HoldOut(float(self.validation_fraction or 0.0), seed_of(self.random_state)).split(rows)
