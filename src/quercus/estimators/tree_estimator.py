"""The chain of a tree estimator: grow by the recipe from what is not held out, prune, keep both."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

from quercus.data.rows import Rows
from quercus.estimators.base import Estimator, Training, learnt, method_of_model
from quercus.estimators.drawing import NotebookMixin
from quercus.estimators.parameters import check_running
from quercus.estimators.pruning import (
    MANUAL,
    Situation,
    check_parameters_of,
    check_pruning,
    check_validation_given,
    hold_out_of,
    method_of,
    prune_tree,
    remark_on_costs,
)
from quercus.estimators.sizes import SizeChoosing
from quercus.fitted.model import Model
from quercus.fitted.reading import TreeReading
from quercus.growing.grower import Grower, GrowOptions, core_grower, one_tree
from quercus.growing.recipe import Recipe, ThresholdRule
from quercus.tree import Tree


class TreeEstimator(NotebookMixin, SizeChoosing, TreeReading, Estimator):
    """What every tree estimator shares; the classes below it add their parameters, their recipe and their target."""

    # parameters that every tree estimator has
    attribute_costs: Any
    kinds: Any
    domains: Any
    missing_tokens: Any
    n_jobs: int | None
    progress: Any

    #: the method that ``prune=True`` means
    own_pruning: ClassVar[str]
    #: the rule that ``threshold=None`` means
    own_threshold: ThresholdRule
    #: what grows the tree
    grower: ClassVar[Grower] = staticmethod(core_grower)

    tree_: Tree = learnt("tree", "The tree, pruned if that was asked for.")
    unpruned_tree_: Tree = learnt("grown", "The tree as it was grown.")
    pruning_: Any = learnt("pruning", "What was cut and why; None: nothing was to be.")
    alpha_table_: Any = learnt("alpha_table", "The cross-validation that chose the price of leaves; None: not asked.")
    recipe_: Recipe = learnt("recipe", "The choices by which the tree was grown.")

    def _check_parameters(self) -> None:
        """Refuse wrong parameters; a class checks its own, then calls this."""
        check_running(self.n_jobs, self.progress)
        check_pruning(self)

    def _check_validation(self) -> None:
        check_validation_given(self)

    def _remark(self) -> str | None:
        return remark_on_costs(self)

    def make_recipe(self, n_rows: int, total_weight: float) -> Recipe:
        """The recipe that the parameters ask for, on so many rows of so much weight."""
        raise TypeError(f"{type(self).__name__} has no recipe; use one of the classes of quercus.estimators.")

    def _learn(self, training: Training) -> Model:
        """Grow the tree by the recipe from the rows, or from what is not held out of them, and prune it."""
        described = self._described(training)
        rows, validation, held_out = training.rows, training.validation, None
        if validation is None and (held_out := hold_out_of(self)) is not None:
            rows, validation = held_out.split(rows)
        recipe, costs = self.make_recipe(rows.n_weighty, rows.total_weight), described["decision"].costs
        tree = one_tree(self.grower, rows, recipe, GrowOptions(costs, self.n_threads, self.progress))
        situation = Situation(tree, recipe, rows, validation, costs, self.n_threads, self.grower)
        pruned = prune_tree(self, method_of(self), situation)
        answering = tree if pruned is None else pruned.tree
        return Model(**described, tree=answering, grown=tree, pruning=pruned, held_out=held_out, recipe=recipe)

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
        options = check_parameters_of(other, method, parameters)
        other._check_parameters()
        rows: Rows | None = None if X is None and y is None else self.read_rows(X, y, sample_weight)
        assert model.grown is not None and model.recipe is not None
        costs = model.decision.costs
        situation = Situation(model.grown, model.recipe, rows, rows, costs, self.n_threads, self.grower)
        name = method if isinstance(method, str) and method in MANUAL else method_of(other)
        pruned = prune_tree(other, name, situation, options)
        answering = model.grown if pruned is None else pruned.tree
        other._model = replace(model, method=method_of_model(other), tree=answering, pruning=pruned, evidence=None)
        return other
