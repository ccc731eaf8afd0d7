"""The chain of a tree estimator: grow by the recipe from what is not held out, prune, keep both."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

from quercus.data.rows import Rows
from quercus.errors import ParameterError
from quercus.estimators.base import ClassLabels, Estimator, Training, learnt, method_of_model, recipe_arguments
from quercus.estimators.checks import seed_of
from quercus.estimators.drawing import NotebookMixin
from quercus.estimators.growing_parameters import ClassGrowing, Growing
from quercus.estimators.parameters import (
    Classes,
    ClassPruning,
    DecisionThreshold,
    Priors,
    Progress,
    Pruning,
    Smoothing,
    Table,
    Threads,
)
from quercus.estimators.pruning import (
    MANUAL,
    check_validation_given,
    hold_out_of,
    method_of,
    prune_by_hand,
    prune_tree,
    remark_on_costs,
    set_method,
)
from quercus.estimators.scikit_learn import ClassifierMixin
from quercus.fitted.model import Model
from quercus.fitted.sizes import SizeChoosing, Unpruned
from quercus.fitted.tree_reading import TreeReading
from quercus.growing.grower import Grower, GrowOptions, core_grower, one_tree
from quercus.growing.recipe import Recipe
from quercus.tree import Tree


class TreeParameters(Growing, Pruning, Table, Threads, Progress):
    """The parameters of every tree estimator."""


class TreeEstimator(NotebookMixin, SizeChoosing, TreeReading, TreeParameters, Estimator):
    """What every tree estimator shares; the classes below it add their parameters, their recipe and their target."""

    #: makes the recipe, by arguments that are called like parameters
    _recipe_function: ClassVar[Callable[..., Recipe]]
    #: the method that ``prune=True`` means
    own_pruning: ClassVar[str]

    tree_: Tree = learnt("tree", "The tree, pruned if that was asked for.")
    unpruned_tree_: Tree = learnt("grown", "The tree as it was grown.")
    pruning_: Any = learnt("pruning", "What was cut and why; None: nothing was to be.")
    alpha_table_: Any = learnt("alpha_table", "The cross-validation that chose the price of leaves; None: not asked.")
    recipe_: Recipe = learnt("recipe", "The choices by which the tree was grown.")

    @property
    def grower(self) -> Grower:
        """What grows the tree."""
        return core_grower

    def _check_validation(self) -> None:
        check_validation_given(self)

    def _remark(self) -> str | None:
        return remark_on_costs(self)

    def make_recipe(self, n_rows: int, total_weight: float) -> Recipe:
        """The recipe that the parameters ask for. n_rows, total_weight: of the training rows."""
        limits = self._row_limits(n_rows, total_weight)
        return self._recipe_function(**{**recipe_arguments(self, self._recipe_function), **limits})

    def _row_limits(self, n_rows: int, total_weight: float) -> dict[str, Any]:
        """The arguments of the recipe that depend on the rows. n_rows, total_weight: of them."""
        return {}

    def _learn(self, training: Training) -> Model:
        """Grow the tree by the recipe from the rows, or from what is not held out of them, and prune it."""
        described = self._described(training)
        rows, validation, held_out = training.rows, training.validation, None
        if validation is None and (held_out := hold_out_of(self)) is not None:
            rows, validation = held_out.split(rows)
        recipe, costs = self.make_recipe(rows.n_weighty, rows.total_weight), described["decision"].costs
        tree = one_tree(self.grower, rows, recipe, GrowOptions(costs, self.n_threads, self.progress))
        pruned = prune_tree(self, method_of(self), tree, recipe, rows, validation, costs, self.n_threads)
        answering = tree if pruned is None else pruned.tree
        return Model(**described, tree=answering, grown=tree, pruning=pruned, held_out=held_out, recipe=recipe)

    def _unpruned(
        self, what: str, random_state: Any, X: Any, y: Any, sample_weight: Any, X_val: Any = None, y_val: Any = None
    ) -> Unpruned:
        """A copy that does not prune, and what it reads of the tables."""
        other = copy(self).set_params(prune=False, ccp_alpha=None)
        other._check_parameters()
        training = other._read(other, X, y, sample_weight, X_val, y_val)
        costs = other._described(training)["decision"].costs
        return Unpruned(other, training.rows, training.validation, costs, seed_of(random_state))

    def prune_with(
        self, method: str | bool = True, X: Any = None, y: Any = None, sample_weight: Any = None, **parameters: Any
    ) -> Self:
        """A fitted estimator with the same grown tree (``unpruned_tree_``), pruned in another way; nothing is grown.

        method: a value of ``prune``, or "snip" (with ``nodes``), "keep_depth" (with ``depth``), "keep_leaves" (with
        ``n_leaves``). X, y, sample_weight: rows for the methods that need any: unseen ones for "reduced_error" and
        "stop_by_validation", those of fitting for "error_based", for the cross-validation of "cost_complexity" and, if
        there are numbers, for "mdl" (which else guesses how many cuts there were). parameters: estimator parameters of
        the method, such as ``confidence``. The new estimator has them, and the method, as its own, so that a clone of
        it is pruned the same way when it is fitted.

        >>> from quercus import ID3Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> tree = ID3Classifier().fit(*load_play_tennis(d15=True))
        >>> stump = tree.prune_with("keep_depth", depth=1)
        >>> tree.get_n_leaves(), stump.get_n_leaves(), stump.get_depth()
        (7, 3, 1)
        """
        model, other = self.model_, copy(self)
        tree, recipe, by_hand = model.grown, model.recipe, isinstance(method, str) and method in MANUAL
        assert tree is not None and recipe is not None
        if not by_hand:
            set_method(other, method, parameters)
        other._check_parameters()
        rows: Rows | None = None if X is None and y is None else self.read_rows(X, y, sample_weight)
        if by_hand:
            pruned: Any = prune_by_hand(str(method), tree, parameters)
        else:
            name, costs = method_of(other), model.decision.costs
            pruned = prune_tree(other, name, tree, recipe, rows, rows, costs, self.n_threads)
        answering = tree if pruned is None else pruned.tree
        other._model = replace(model, method=method_of_model(other), tree=answering, pruning=pruned, evidence=None)
        return other


class ClassParameters(ClassGrowing, ClassPruning, Classes, Priors, Smoothing, DecisionThreshold):
    """The parameters of every tree whose leaves hold class distributions."""


class TreeClassifier(ClassLabels, ClassifierMixin, ClassParameters, TreeEstimator):
    """A tree whose leaves hold class distributions."""

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_selection()
        if self.decision_threshold is not None and self.cost_matrix is not None:
            raise ParameterError(
                "decision_threshold and cost_matrix are both given, but each decides which class is answered; give one."
            )
