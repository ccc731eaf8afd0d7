"""How the members of a collection are made: trees of a recipe, pruned as their estimator says, or rule lists."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np

from quercus.arrays import Floats
from quercus.criteria import OwnCriterion
from quercus.data.dataset import ClassTarget
from quercus.data.rows import Rows
from quercus.errors import ParameterError
from quercus.estimators.pruning import hold_out_of, method_of, needs_validation, prune_tree
from quercus.estimators.rule_learner import RuleLearner
from quercus.estimators.tree_estimator import TreeEstimator
from quercus.forests.collection import Collection, part_of
from quercus.forests.committee import Committee
from quercus.forests.out_of_bag import OutOfBagTally
from quercus.forests.stopping import FlatCurve
from quercus.growing.forest import ForestGrower, GrowingInterrupted, Sampling, drawn_counts, grow_forest
from quercus.growing.grower import GrowOptions, one_tree
from quercus.growing.recipe import Recipe
from quercus.rules.rule_list import RuleList
from quercus.tree.forest import Forest
from quercus.tree.tree import Tree

#: Told (members made, members to make).
Tick = Callable[[int, int], object]
#: Trees that are grown before they are pruned, so that progress is seen and Ctrl-C keeps what is done.
PRUNED_AT_ONCE = 10


@dataclass(frozen=True)
class Plan:
    """All that making members needs: the estimator of one, the rows (all of weight), how they are drawn, the seed.

    balanced: whether all classes weigh the same together among the rows that are drawn for a member.
    """

    member: Any
    rows: Rows
    sampling: Sampling
    seed: int
    costs: Floats | None
    n_jobs: int = 1
    balanced: bool = False

    def recipe(self) -> Recipe:
        """The recipe of every tree; shares of rows and of weight are of as many rows as are drawn."""
        n_rows = self.rows.n_rows
        drawn = self.sampling.rows_drawn(n_rows) / n_rows
        recipe: Recipe = self.member.make_recipe(n_rows, self.rows.total_weight * drawn)
        return recipe

    @cached_property
    def grower(self) -> ForestGrower:
        """What grows the trees, batch after batch; it is made once, since it ranks every column."""
        return ForestGrower(
            self.rows.dataset,
            self.rows.target,
            self.recipe(),
            self.sampling,
            self.seed,
            weights=self.rows.weights,
            cost_matrix=self.costs,
            n_jobs=self.n_jobs,
        )

    def drawn(self, number: int) -> Rows:
        """The rows that a member learns from, those drawn several times with that many times their weight."""
        if self.sampling.bootstrap == "no":
            return self.rows
        counts = drawn_counts(self.sampling, self.seed, number, self.rows.n_rows).astype(np.float64)
        weights = counts if self.rows.weights is None else counts * self.rows.weights
        return replace(self.rows, weights=weights).with_weight()


def make_members(plan: Plan, first: int, count: int, tick: Tick) -> Any:
    """The members ``first … first + count − 1``: a forest or a committee.

    StopIteration out of ``tick`` ends it: then they are fewer, marked partial. Ctrl-C gives a ``GrowingInterrupted``
    with those that are there; with none made yet, both go their way.
    """
    if plan.balanced:
        return _one_by_one(lambda number: _balanced_forest(plan, number), _forests_joined, first, count, tick)
    if isinstance(plan.member, RuleLearner):
        return _one_by_one(lambda number: _rule_list(plan, number), _committee, first, count, tick)
    method = method_of(plan.member)
    if isinstance(plan.recipe().criterion, OwnCriterion):
        return _one_by_one(lambda number: _own_tree(plan, method, number), Forest.from_trees, first, count, tick)
    if needs_validation(method):
        return _one_by_one(lambda number: _held_out_tree(plan, method, number), Forest.from_trees, first, count, tick)
    if method is None:
        return plan.grower.grow(first, count, tick)
    try:
        forest = plan.grower.grow(first, count)
    except GrowingInterrupted as interrupt:  # the trees of this batch are not pruned yet
        raise KeyboardInterrupt from interrupt
    return _one_by_one(
        lambda number: _pruned(plan, method, forest.tree(number - first), number), Forest.from_trees, first, count, tick
    )


def _balanced_forest(plan: Plan, number: int) -> Forest:
    """The forest of one tree, whose classes weigh the same together among the rows drawn for it."""
    target, n_rows = plan.rows.target, plan.rows.n_rows
    assert isinstance(target, ClassTarget)
    drawn = drawn_counts(plan.sampling, plan.seed, number, n_rows)
    counts = np.bincount(target.codes, weights=drawn, minlength=len(target.classes))
    factors = counts.sum() / (np.count_nonzero(counts) * np.maximum(counts, 1.0))
    weights = factors[target.codes] * (1.0 if plan.rows.weights is None else plan.rows.weights)
    balanced = replace(plan, rows=replace(plan.rows, weights=weights), balanced=False)
    forest: Forest = make_members(balanced, number, 1, lambda done, total: None)
    return forest


def _forests_joined(forests: list[Forest]) -> Forest:
    return reduce(lambda one, other: one.extended(other), forests)


def _committee(members: list[Any]) -> Committee:
    return Committee(tuple(members))


def _one_by_one(
    make: Callable[[int], Any], together: Callable[[list[Any]], Any], first: int, count: int, tick: Tick
) -> Any:
    """Make members in Python, and put them together."""
    made: list[Any] = []
    try:
        for number in range(first, first + count):
            made.append(make(number))
            tick(len(made), count)
    except (KeyboardInterrupt, StopIteration) as stop:
        if not made:
            raise
        part = replace(together(made), partial=len(made) < count)
        if isinstance(stop, KeyboardInterrupt):
            raise GrowingInterrupted(part) from stop
        return part
    return together(made)


def _pruned(plan: Plan, method: str | None, tree: Tree, number: int) -> Tree:
    """A grown tree, pruned by the rows it was grown from."""
    rows = plan.drawn(number)
    pruned = prune_tree(plan.member, method, tree, plan.grower.recipe, rows, None, plan.costs, plan.n_jobs)
    return tree if pruned is None else pruned.tree


def _held_out_tree(plan: Plan, method: str | None, number: int) -> Tree:
    """A tree grown from a part of the rows drawn for it, and pruned by the others of them."""
    held_out = hold_out_of(plan.member)
    assert held_out is not None
    growing, validation = held_out.split(plan.drawn(number))
    recipe: Recipe = plan.member.make_recipe(growing.n_rows, growing.total_weight)
    forest = grow_forest(
        growing.dataset,
        growing.target,
        recipe,
        replace(plan.sampling, bootstrap="no", share=None),
        1,
        plan.seed,
        first_tree=number,
        weights=growing.weights,
        cost_matrix=plan.costs,
        n_jobs=plan.n_jobs,
    )
    tree = forest.tree(0)
    pruned = prune_tree(plan.member, method, tree, recipe, growing, validation, plan.costs, plan.n_jobs)
    return tree if pruned is None else pruned.tree


def _own_tree(plan: Plan, method: str | None, number: int) -> Tree:
    """A tree grown by a function as criterion from the rows drawn for it, and pruned."""
    if plan.sampling.attributes_per_node is not None or plan.sampling.attributes_per_tree is not None:
        raise ParameterError(
            "A function as criterion looks at all attributes; give max_features=1.0 and max_features_per_node=None, or "
            "a criterion by its name."
        )
    rows, validation = plan.drawn(number), None
    if (held_out := hold_out_of(plan.member)) is not None:
        rows, validation = held_out.split(rows)
    recipe = plan.member.make_recipe(rows.n_rows, rows.total_weight)
    tree = one_tree(plan.member.grower, rows, recipe, GrowOptions(plan.costs, plan.n_jobs))
    pruned = prune_tree(plan.member, method, tree, recipe, rows, validation, plan.costs, plan.n_jobs)
    return tree if pruned is None else pruned.tree


def _rule_list(plan: Plan, number: int) -> RuleList:
    """The rules that a rule learner makes of the rows drawn for it."""
    rules: RuleList = plan.member._make_rules(plan.drawn(number), None, plan.costs, plan.n_jobs)["rule_list"]
    return rules


def add_members(
    plan: Plan, grown: Any, total: int, rule: FlatCurve | None, tally: OutOfBagTally | None, tick: Tick
) -> Any:
    """Add members to those there are (None: none yet) up to a total, or until the out-of-bag curve is flat.

    The tally, if there is one, is given every member, in steps that make the points of its curve. StopIteration out of
    ``tick`` ends it: what is there is returned, marked partial. Ctrl-C gives a ``GrowingInterrupted`` that has it; a
    second Ctrl-C leaves the tally behind.
    """
    if tally is not None and grown is not None:
        tally.add_in_steps(grown)
    while grown is None or len(grown) < total:
        there = 0 if grown is None else len(grown)
        count = min(total - there, _batch(plan, rule, there))
        try:
            more = make_members(plan, there, count, lambda done, _, there=there: tick(there + done, total))  # type: ignore[misc]
        except StopIteration:
            if grown is None:
                raise
            return replace(grown, partial=True)
        except KeyboardInterrupt as interrupt:
            raise _with_all(interrupt, grown, total, tally) from interrupt
        grown = _joined(grown, more)
        if tally is not None:
            try:
                flat = _count(more, rule, tally)
            except KeyboardInterrupt as interrupt:
                raise _with_all(interrupt, grown, total, None) from interrupt
            if flat:
                return replace(part_of(grown, 0, tally.n_trees), partial=False)
        if more.partial:
            break
    return grown


def _with_all(interrupt: KeyboardInterrupt, grown: Any, total: int, tally: OutOfBagTally | None) -> KeyboardInterrupt:
    """The interrupt with all members that are there: those before it, and those that it has itself."""
    more = interrupt.partial if isinstance(interrupt, GrowingInterrupted) else None
    if more is not None:
        grown = _joined(grown, more)
        if tally is not None:
            with suppress(KeyboardInterrupt):
                tally.add_in_steps(more)
    return interrupt if grown is None else GrowingInterrupted(replace(grown, partial=len(grown) < total))


def _batch(plan: Plan, rule: FlatCurve | None, there: int) -> int:
    """How many members are made at a time: all, unless something is done with each batch of them.

    With a rule to stop by: as many as it needs to say anything, then an eighth of those there are, in whole steps of
    the rule. So threads seldom wait for the last tree of a batch, and few trees are made in vain.
    """
    pruned = is_tree_estimator(plan.member) and method_of(plan.member) is not None
    count = PRUNED_AT_ONCE if pruned else 2**31
    if rule is None:
        return count
    size = max(rule.least - there, rule.window + 1 - there, there // 8)
    steps = -(-min(size, count) // rule.every)
    return rule.every * max(1, steps)


def _count(more: Any, rule: FlatCurve | None, tally: OutOfBagTally) -> bool:
    """Give new members to the tally, step by step; whether the curve is flat, and then the tally has no more."""
    step = len(more) if rule is None else rule.every
    for start in range(0, len(more), step):
        tally.add_in_steps(part_of(more, start, min(start + step, len(more))))
        if rule is not None and _is_flat(rule, tally):
            return True
    return False


def _is_flat(rule: FlatCurve, tally: OutOfBagTally) -> bool:
    trees, errors, _ = zip(*tally.points, strict=True)
    return rule.is_flat(trees, errors, tally.constant_error())


def _joined(grown: Any, more: Any) -> Collection:
    """All members; whether they are all that were asked for, the later ones tell."""
    joined: Collection = more if grown is None else replace(grown.extended(more), partial=more.partial)
    return joined


def is_tree_estimator(member: Any) -> bool:
    """Whether the members are trees; else they are rule lists."""
    return isinstance(member, TreeEstimator)
