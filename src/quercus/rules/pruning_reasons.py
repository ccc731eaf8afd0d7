"""Why rule post-pruning dropped a condition or a rule: every step of C4.5's rules in words, with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quercus.data.names import counted, quoted_value, short_number
from quercus.pruning.error_based import added_errors
from quercus.results import Result
from quercus.rules.condition import Condition
from quercus.rules.path_conditions import from_lists
from quercus.rules.post_pruning import Steps, after_post_pruning
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList
from quercus.rules.subset_choice import description_length

Fate = Literal["kept", "repeated", "no condition", "covers nothing", "guessing", "not chosen", "cleaned up"]
_SAME = 1e-9


@dataclass(frozen=True, repr=False)
class DroppedCondition(Result):
    """A condition that went: the reason in words, and the numbers compared."""

    condition: Condition
    reason: str
    figures: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        """The condition and the reason."""
        return f"{self.condition.text()}: {self.reason}"


@dataclass(frozen=True, repr=False)
class PrunedRule(Result):
    """What became of the rule of one leaf.

    leaf: its number, from 1. path: the rule as the tree has it. dropped: its conditions that went, in that order. rule:
    what was left. fate: "kept", "repeated" (an earlier leaf came to the same rule), or why it is not in the list: "no
    condition", "covers nothing", "guessing" (no better than that), "not chosen" (it would lengthen the description of
    its class), "cleaned up" (the list makes fewer errors without it). reason: the same in words. place: in the list,
    from 0; else None.
    """

    leaf: int
    path: Rule
    dropped: tuple[DroppedCondition, ...]
    rule: Rule
    fate: Fate
    reason: str
    place: int | None
    figures: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        """The leaf's rule, a line for each condition that went, and the end."""
        lines = [f"Leaf {self.leaf}: {self.path.text()}", *(f"  − {entry}" for entry in self.dropped)]
        if self.place is not None and self.fate == "kept":
            return "\n".join([*lines, f"  → rule {self.place + 1}: {self.rule.text()}"])
        return "\n".join([*lines, f"  → {self.reason}"])


@dataclass(frozen=True, eq=False, repr=False)
class RulePruning(Result):
    """The way from the leaves of a tree to a rule list: what went, and why; ``print`` shows all of it.

    rules: the list. leaves: what became of the rule of each leaf, in the order of the leaves.
    """

    rules: RuleList
    leaves: tuple[PrunedRule, ...]

    def __iter__(self) -> Iterator[PrunedRule]:
        """The leaves."""
        return iter(self.leaves)

    def __len__(self) -> int:
        """How many leaves became rules."""
        return len(self.leaves)

    def __repr__(self) -> str:
        """The sizes before and after."""
        return f"<RulePruning: {counted(len(self.leaves), 'leaf', 'leaves')} → {counted(len(self.rules), 'rule')}>"

    def __str__(self) -> str:
        """A head line, and every leaf."""
        conditions = sum(len(leaf.dropped) for leaf in self.leaves)
        gone = sum(leaf.fate != "kept" for leaf in self.leaves)
        head = (
            f"{counted(len(self.leaves), 'leaf', 'leaves')} → {counted(len(self.rules), 'rule')}: "
            f"{counted(conditions, 'condition')} and {counted(gone, 'rule')} dropped"
        )
        return "\n\n".join([head, *map(str, self.leaves), f"Otherwise: {self.rules.default_text()}"])


@after_post_pruning
def explain_c45_rules(steps: Steps) -> RulePruning:
    """The rules of :func:`quercus.rules.post_pruning.c45_rules`, with the reason for all that was dropped.

    Parameters as in :func:`quercus.rules.post_pruning.c45_rules`.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.datasets import load_play_tennis
    >>> from quercus.growing.c45 import c45_recipe
    >>> from quercus.growing.grow import grow
    >>> X, y = load_play_tennis()
    >>> data, target = encode(X), encode_classes(y)
    >>> story = explain_c45_rules(grow(data, target, c45_recipe()), data, target)
    >>> print(story.leaves[-1])
    Leaf 5: IF Outlook = Sunny AND Humidity = Normal THEN Yes
      − Outlook = Sunny: wrong for 1 of 7 rows without it, for 0 of 2 with it; pessimistic error rate 0.335 below 0.500
      → rule 4: IF Humidity = Normal THEN Yes
    """
    return _Story(steps).tell()


class _Story:
    """Follows every leaf's rule through the steps."""

    def __init__(self, steps: Steps) -> None:
        self.tree, self.steps, self.plain = steps.tree, steps, steps.by_validation
        self.where = " on the validation rows" if self.plain else ""
        self.by_cost = steps.judged.counted is not steps.judged.weights
        lists = steps.shortened
        self.places = {(int(lists.label[i]), frozenset(lists.numbers(i).tolist())): i for i in range(len(lists))}

    def tell(self) -> RulePruning:
        leaves: list[PrunedRule] = []
        first_leaf: dict[int, int] = {}
        for leaf in range(len(self.steps.paths)):
            label, path = int(self.steps.paths.label[leaf]), self.steps.paths.numbers(leaf).tolist()
            dropped, left = self._dropped(label, path)
            place = self.places[label, frozenset(left)]
            owner = first_leaf.setdefault(place, leaf)
            fate, reason, figures, position = self._fate(place)
            if owner != leaf:
                fate, reason, figures = "repeated", f"the same rule as of leaf {owner + 1}", {}
            rule = self._rule(left, label)
            entry = PrunedRule(leaf + 1, self._rule(path, label), dropped, rule, fate, reason, position, figures)
            leaves.append(entry)
        return RulePruning(self.steps.rules, tuple(leaves))

    def _rule(self, numbers: list[int], label: int) -> Rule:
        lists = from_lists(self.steps.paths.conditions, [numbers], [label])
        return Rule(lists.merged(0), label, self.tree.classes)

    # Conditions

    def _dropped(self, label: int, path: list[int]) -> tuple[tuple[DroppedCondition, ...], list[int]]:
        """The conditions that went one by one, as the core drops them, and those that are left."""
        judged, conditions = self.steps.judged, self.steps.paths.conditions
        fails = [~conditions[number].holds(judged.dataset.column(conditions[number].name)) for number in path]
        weights = np.ones(judged.dataset.n_rows) if judged.counted is None else judged.counted
        wrong, left, result = judged.codes != label, list(range(len(path))), []
        missed = np.sum(fails, axis=0) if fails else np.zeros(judged.dataset.n_rows, dtype=np.int64)
        while left:
            covered = missed == 0
            whole = self._rates(covered, wrong, weights)
            best: tuple[float, float, float, float] | None = None
            choice = -1
            for place in left:
                less = self._rates(covered | ((missed == 1) & fails[place]), wrong, weights)
                if less[0] > whole[0] + _SAME and less[1] > whole[1] + _SAME:
                    continue
                if (
                    best is None
                    or less[0] < best[0] - _SAME
                    or (less[0] <= best[0] + _SAME and less[2] <= best[2] + _SAME)
                ):
                    best, choice = less, place
            if best is None:
                break
            result.append(self._condition(conditions[path[choice]], whole, best))
            left.remove(choice)
            missed = missed - fails[choice]
        return tuple(result), [path[place] for place in left]

    def _rates(
        self, covered: NDArray[np.bool_], wrong: NDArray[np.bool_], weights: NDArray[np.float64]
    ) -> tuple[float, float, float, float]:
        """Pessimistic rate, plain rate, errors and weight of what a rule covers."""
        size, errors = float(weights[covered].sum()), float(weights[covered & wrong].sum())
        if size <= 0:
            return 1.0, 1.0, 0.0, 0.0
        added = 0.0
        if not self.plain:
            added = float(added_errors([size], [errors], confidence=self.steps.confidence, preset=self.steps.preset)[0])
        return (errors + added) / size, errors / size, errors, size

    def _condition(self, condition: Condition, whole: tuple[float, ...], less: tuple[float, ...]) -> DroppedCondition:
        before, after = (f"{short_number(rates[2])} of {short_number(rates[3])}" for rates in (whole, less))
        words = f"wrong for {after} rows{self.where} without it, for {before} with it"
        figures = {"errors_with": whole[2], "covered_with": whole[3], "errors_without": less[2]}
        figures |= {"covered_without": less[3], "rate_with": whole[0], "rate_without": less[0]}
        if less[0] <= whole[0] + _SAME:
            kind = "error rate" if self.plain else "pessimistic error rate"
            sign = "not above" if abs(less[0] - whole[0]) <= _SAME else "below"
            return DroppedCondition(condition, f"{words}; {kind} {less[0]:.3f} {sign} {whole[0]:.3f}", figures)
        figures |= {"plain_with": whole[1], "plain_without": less[1]}
        compared = f"plain error rate {less[1]:.3f} not above {whole[1]:.3f}"
        return DroppedCondition(condition, f"{words}; {compared}", figures)

    # Rules

    def _fate(self, place: int) -> tuple[Fate, str, dict[str, float], int | None]:
        """What became of one of the different rules, why, and its place in the list."""
        steps, figures = self.steps, self.steps.figures
        if place not in steps.good:
            return (*self._rejected(place), None)
        good = int(np.searchsorted(steps.good, place))
        if good not in steps.chosen:
            return (*self._not_chosen(good), None)
        chosen = int(np.searchsorted(steps.chosen, good))
        if chosen in steps.order:
            position = int(np.flatnonzero(steps.order == chosen)[0])
            return "kept", "", {"rate": float(figures.pessimistic[place])}, position
        return (*self._cleaned_up(chosen), None)

    def _rejected(self, place: int) -> tuple[Fate, str, dict[str, float]]:
        figures, label = self.steps.figures, int(self.steps.shortened.label[place])
        if not figures.some_conditions[place]:
            return "no condition", "no condition is left, so it says no more than a default", {}
        if figures.covered[place] <= 0:
            return "covers nothing", "it covers no row", {}
        plain, guessing = float(figures.plain[place]), float(figures.guessing[place])
        reason = (
            f"no better than guessing: it is wrong for {plain:.3f} of what it covers, {self._label(label)} for "
            f"{guessing:.3f} of all rows"
        )
        return "guessing", reason, {"plain": plain, "guessing": guessing}

    def _not_chosen(self, good: int) -> tuple[Fate, str, dict[str, float]]:
        """The bits of the class's rules as chosen, and with this rule."""
        steps = self.steps
        labels = steps.shortened.label[steps.good]
        label = int(labels[good])
        mine = [int(rule) for rule in steps.chosen if labels[rule] == label]
        without, together = self._bits(mine, label), self._bits([*mine, good], label)
        reason = (
            f"not chosen: the rules for {self._label(label)} and their exceptions take {together:.1f} bits with it, "
            f"{without:.1f} without"
        )
        return "not chosen", reason, {"bits_with": together, "bits_without": without}

    def _bits(self, rules: list[int], label: int) -> float:
        covers = self.steps.covers
        weights = np.ones(len(covers.labels)) if covers.weights is None else covers.weights
        union = np.zeros(len(covers.labels), dtype=np.bool_)
        for rule in rules:
            union[covers.rows[covers.start[rule] : covers.start[rule + 1]]] = True
        right = covers.labels == label
        parts = (union, ~union, union & ~right, ~union & right)
        return description_length(self.steps.bits[rules].tolist(), *(float(weights[part].sum()) for part in parts))

    def _cleaned_up(self, chosen: int) -> tuple[Fate, str, dict[str, float]]:
        """The errors of the list as it is, and with the rule where it would stand."""
        steps = self.steps
        labels = steps.shortened.label[steps.good][steps.chosen]
        order = steps.order.tolist()
        same = [place for place, rule in enumerate(order) if labels[rule] == labels[chosen]]
        later = [place for place in same if steps.rank[order[place]] > steps.rank[chosen]]
        place = later[0] if later else same[-1] + 1 if same else len(order)
        without, together = self._errors(order), self._errors([*order[:place], chosen, *order[place:]])
        what = "a cost" if self.by_cost else "errors"
        reason = "left out in the clean-up: without it the list did better on the training rows"
        if together > without + _SAME:
            reason = (
                f"left out in the clean-up: on the training rows the list makes {what} of {short_number(without)}, "
                f"with it {short_number(together)}"
            )
        return "cleaned up", reason, {"errors_with": together, "errors_without": without}

    def _errors(self, order: list[int]) -> float:
        """What the list of these rules and its default gets wrong on the training rows, by cost."""
        steps, covers = self.steps, self.steps.covers
        labels = steps.shortened.label[steps.good]
        answer = np.full(len(covers.labels), int(steps.rules.default))
        for rule in reversed(order):
            number = int(steps.chosen[rule])
            answer[covers.rows[covers.start[number] : covers.start[number + 1]]] = labels[number]
        return float((self._row_weights() * steps.errors[covers.labels, answer]).sum())

    def _row_weights(self) -> NDArray[np.float64]:
        weights = self.steps.training_weights
        return np.ones(len(self.steps.covers.labels)) if weights is None else weights

    def _label(self, label: int) -> str:
        return quoted_value((self.tree.classes or ())[label])
