"""RIPPER: rules for one class after the other, rarest first; grown, pruned, stopped by their length, optimised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from quercus.arrays import Floats, Integers, Truths
from quercus.data import ClassTarget, Dataset
from quercus.data.case_weight import case_weight_of
from quercus.data.values import plain_value
from quercus.errors import DataError, ParameterError
from quercus.growing.grow import multipliers_from_costs, weights_in_cases
from quercus.growing.recipe import ThresholdRule
from quercus.rules.condition import merged
from quercus.rules.description_length import exception_bits, rule_bits
from quercus.rules.ripper_growing import Cells, RankCondition, covered_rows, grow_rule, prune_rule, rank_cells
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList

_SLACK_BITS = 64.0  # a rule set may grow while it is at most this much longer than the shortest so far
_GROWING_SHARE = 2.0 / 3.0


def ripper(
    dataset: Dataset,
    target: ClassTarget,
    *,
    weights: Floats | None = None,
    cost_matrix: Floats | None = None,
    optimisations: int = 2,
    min_objects: float = 2.0,
    prune: bool = True,
    threshold: ThresholdRule | None = None,
    seed: int = 0,
    progress: Callable[[int, int, int], object] | None = None,
) -> RuleList:
    """Learn a rule list by repeated incremental pruning to produce error reduction (Cohen, 1995).

    ::

        RIPPER(rows)
            for each class but the most frequent, rarest first
                rules = cover(rows of the class against all other rows left)
                ``optimisations`` times
                    for each rule: grow a replacement from nothing and a revision from the rule, prune each so that
                        the whole rule set errs least; of the three keep the one of shortest description
                    cover what is left; drop rules that lengthen the description
                drop the rows that the rules cover
            default: the most frequent class
        cover(positive, negative)
            while positive rows are left
                at random 2/3 of the rows grow, 1/3 prune
                grow a rule: add the condition of largest FOIL gain until no negative row is covered
                prune it: the prefix of largest (p − n)/(p + n) on the pruning rows
                stop if the description is 64 bits longer than the shortest so far
            from the last rule on, drop those without which the description is shorter

    A condition is ``value = v``, ``x <= t`` or ``x > t`` with a t that occurs; an unknown value fails it.

    - weights: one number per row, not negative; they count in every sum (the draw of growing rows is by row).
    - cost_matrix: cost of answering j for a row of class i: while learning, rows weigh by their class's share of costs.
    - min_objects: a condition keeps at least this much weight of the class among the growing rows.
    - prune: False: rules as grown from all rows, no description length, no optimisation.
    - threshold: how a number between two neighbouring values of the rows is written: "midpoint", "data_value" (the
      lower one), "short" or "short_value"; None: "data_value". The rows divide alike.
    - seed: of the draws; the same seed gives the same rules.
    - progress: called with (rows settled, rows, rules so far).

    >>> from quercus.data import encode, encode_classes
    >>> data = encode({"Temperature": [40, 45, 48, 60, 65, 72, 80, 90, 95, 99]})
    >>> rules = ripper(data, encode_classes(["No"] * 3 + ["Yes"] * 7), prune=False)
    >>> print(rules.rules[0])
    IF Temperature <= 48 THEN No (3, 1.00)
    """
    counted = _counted_weights(dataset, target, weights, optimisations)
    unit = case_weight_of(counted)
    cells, learning = rank_cells(dataset, threshold), weights_in_cases(counted, unit)
    if cost_matrix is not None:
        learning = learning * multipliers_from_costs(cost_matrix)[target.codes]
    totals = np.bincount(target.codes, counted, len(target.classes))
    order = [int(c) for c in np.argsort(totals, kind="stable") if totals[c] > 0]
    rng = np.random.default_rng(seed)
    left: Integers = np.flatnonzero(counted > 0)
    chosen: list[tuple[tuple[RankCondition, ...], int]] = []
    for label in order[:-1]:
        problem = ClassProblem(cells.take(left), target.codes[left] == label, learning[left], min_objects / unit, rng)
        sets = problem.learn(optimisations) if prune else problem.learn_unpruned()
        chosen += [(steps, label) for steps in sets]
        covered = np.zeros(len(left), dtype=np.bool_)
        for steps in sets:
            covered[covered_rows(problem.cells, steps, problem.rows)] = True
        left = left[~covered]
        if progress is not None:
            progress(dataset.n_rows - len(left), dataset.n_rows, len(chosen))
    return _rule_list(dataset, target, cells, counted, chosen, order[-1])


def _counted_weights(dataset: Dataset, target: ClassTarget, weights: Floats | None, optimisations: int) -> Floats:
    if len(target.codes) != dataset.n_rows:
        raise DataError(f"The target has {len(target.codes)} values for {dataset.n_rows} rows: give one per row.")
    if optimisations < 0:
        raise ParameterError(f"optimisations={optimisations!r} is not allowed; give a whole number of at least 0.")
    counted = np.ones(dataset.n_rows) if weights is None else np.asarray(weights, dtype=np.float64)
    if counted.shape != (dataset.n_rows,) or not np.all(np.isfinite(counted)) or np.any(counted < 0):
        raise DataError("weights must be finite, not negative, one per row.")
    if not np.any(counted > 0):
        raise DataError("Every row has weight 0: give at least one row a positive weight.")
    return counted


def _rule_list(
    dataset: Dataset,
    target: ClassTarget,
    cells: Cells,
    weights: Floats,
    chosen: Sequence[tuple[tuple[RankCondition, ...], int]],
    default: int,
) -> RuleList:
    """The rules with the weight of each class that they cover when their turn comes; last the default with the rest."""
    classes, k = tuple(plain_value(label) for label in target.classes), len(target.classes)
    left: Integers = np.flatnonzero(weights > 0)
    rules = []
    for steps, label in chosen:
        rows = covered_rows(cells, steps, left)
        conditions = merged(step.condition(cells) for step in steps)
        rule = Rule(conditions, label, classes)
        if len(rows):
            rule = rule.with_weights(np.bincount(target.codes[rows], weights[rows], k))
            left = np.setdiff1d(left, rows, assume_unique=True)
        rules.append(rule)
    rest = Rule((), default, classes)
    if len(left):
        rest = rest.with_weights(np.bincount(target.codes[left], weights[left], k))
    return RuleList(tuple(rules), rest, dataset.schema, classes)


@dataclass
class Member:
    """A rule of a class's rule set: its conditions and the rows it covers."""

    steps: tuple[RankCondition, ...]
    rows: Integers


@dataclass
class ClassProblem:
    """One class against the rest, on the rows that no rule of a rarer class covers."""

    cells: Cells
    is_positive: Truths
    weights: Floats
    least: float
    rng: np.random.Generator
    rows: Integers = field(init=False)
    positive: Floats = field(init=False)
    negative: Floats = field(init=False)
    total: float = field(init=False)
    n_possible: int = field(init=False)

    def __post_init__(self) -> None:
        """Make the arrays that every search reads."""
        self.rows = np.arange(len(self.weights))
        self.positive = np.where(self.is_positive, self.weights, 0.0)
        self.negative = self.weights - self.positive
        self.total = float(self.weights.sum())
        self.n_possible = self.cells.n_conditions

    # The rule set

    def learn(self, optimisations: int) -> list[tuple[RankCondition, ...]]:
        """Cover, then optimise."""
        members = self.cover([])
        for _ in range(optimisations):
            members = self.cover(self.optimise(members))
        return [member.steps for member in members]

    def learn_unpruned(self) -> list[tuple[RankCondition, ...]]:
        """Rules as grown from all rows that are left, until none covers a row of the class."""
        rules, left = [], self.rows
        while self.positive[left].any():
            steps = grow_rule(self.cells, left, self.positive, self.negative, self.least)
            rows = covered_rows(self.cells, steps, left)
            if not steps or not self.positive[rows].sum() > self.negative[rows].sum():
                break
            rules.append(steps)
            left = np.setdiff1d(left, rows, assume_unique=True)
        return rules

    def cover(self, members: list[Member]) -> list[Member]:
        """Add rules while the class has rows left and the description stays short; then drop what does not pay."""
        members = list(members)
        counts = self._cover_counts(members)
        shortest = self.length(members, counts)
        while self.positive[counts == 0].any():
            member = self._new_member(np.flatnonzero(counts == 0))
            if member is None or not self.positive[member.rows][counts[member.rows] == 0].any():
                break
            counts[member.rows] += 1
            length = self.length([*members, member], counts)
            if length > shortest + _SLACK_BITS:
                break
            shortest = min(shortest, length)
            members.append(member)
        return self.compressed(members)[0]

    def _new_member(self, left: Integers) -> Member | None:
        growing, pruning = self._drawn(left)
        steps = grow_rule(self.cells, growing, self.positive, self.negative, self.least)
        if not steps:
            return None
        return self._member(prune_rule(self.cells, steps, pruning, self.positive, self.negative, by="rate"))

    def _member(self, steps: tuple[RankCondition, ...]) -> Member:
        return Member(steps, covered_rows(self.cells, steps, self.rows))

    def _drawn(self, rows: Integers) -> tuple[Integers, Integers]:
        """Growing and pruning rows, drawn from each side apart so that both have their share of the class."""
        parts: tuple[list[Integers], list[Integers]] = ([], [])
        for side in (rows[self.is_positive[rows]], rows[~self.is_positive[rows]]):
            shuffled = self.rng.permutation(side)
            cut = int(np.ceil(_GROWING_SHARE * len(side)))
            parts[0].append(shuffled[:cut])
            parts[1].append(shuffled[cut:])
        return np.sort(np.concatenate(parts[0])), np.sort(np.concatenate(parts[1]))

    # Description length

    def _cover_counts(self, members: Sequence[Member]) -> Integers:
        counts = np.zeros(len(self.rows), dtype=np.intp)
        for member in members:
            counts[member.rows] += 1
        return counts

    def length(self, members: Sequence[Member], counts: Integers) -> float:
        """The bits of the rules and of their exceptions. counts: by how many rules each row is covered."""
        covered = counts > 0
        return self._bits(members, float(self.positive[covered].sum()), float(self.negative[covered].sum()))

    def _bits(self, members: Sequence[Member], p: float, n: float) -> float:
        theory = sum(rule_bits(len(member.steps), self.n_possible) for member in members)
        missed = max(float(self.positive.sum()) - p, 0.0)
        return theory + exception_bits(p + n, max(self.total - p - n, 0.0), n, missed)

    def compressed(self, members: Sequence[Member]) -> tuple[list[Member], float]:
        """From the last rule on, drop each without which the description is shorter; what stays, and its bits."""
        kept, counts = list(members), self._cover_counts(members)
        covered = counts > 0
        p, n = float(self.positive[covered].sum()), float(self.negative[covered].sum())
        shortest = self._bits(kept, p, n)
        for i in range(len(kept) - 1, -1, -1):
            alone = kept[i].rows[counts[kept[i].rows] == 1]
            fewer_p, fewer_n = p - float(self.positive[alone].sum()), n - float(self.negative[alone].sum())
            length = self._bits([*kept[:i], *kept[i + 1 :]], fewer_p, fewer_n)
            if length < shortest:
                counts[kept[i].rows] -= 1
                shortest, p, n = length, fewer_p, fewer_n
                del kept[i]
        return kept, shortest

    # Optimisation

    def optimise(self, members: list[Member]) -> list[Member]:
        """For each rule in turn: itself, a replacement or a revision, whichever makes the description shortest."""
        members = list(members)
        for i, member in enumerate(members):
            before = self._cover_counts(members[:i])
            others = before + self._cover_counts(members[i + 1 :])
            growing, pruning = self._drawn(np.flatnonzero(before == 0))
            pruning = pruning[others[pruning] == 0]
            variants = [member]
            for start in ((), member.steps):
                steps = grow_rule(self.cells, growing, self.positive, self.negative, self.least, start)
                if steps:
                    steps = prune_rule(self.cells, steps, pruning, self.positive, self.negative, by="count")
                    variants.append(self._member(steps))
            lengths = [self.compressed([*members[:i], variant, *members[i + 1 :]])[1] for variant in variants]
            members[i] = variants[int(np.argmin(lengths))]
        return members
