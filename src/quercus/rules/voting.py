"""Voting: all rules that cover a row vote for their class, each by its strength."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset

if TYPE_CHECKING:
    from quercus.rules.rule_list import RuleList


def strengths(rules: RuleList) -> Floats:
    """How much each rule's vote counts: its precision or Laplace precision; of numbers, the weight it covers."""
    return np.array(
        [
            rules.target_kind.vote_strength(rule.covered, rule.precision if rules.vote == "precision" else rule.laplace)
            for rule in rules.rules
        ],
        dtype=np.float64,
    )


def votes(rules: RuleList, dataset: Dataset) -> Floats:
    """The share of each class in the votes [n_rows, k], or the mean of the numbers [n_rows, 1].

    A row for which no vote counts gets what the default answers.
    """
    strength = strengths(rules)[:, None]
    ballots = np.hstack([strength * rules.target_kind.ballots(rules.consequents[:-1]), strength])
    totals = np.zeros((dataset.n_rows, ballots.shape[1]))
    for covered in rules.coverage.all_rules(dataset):
        part = ballots[covered.first : covered.first + covered.n_rules]
        totals[covered.rows] += covered.matrix().astype(np.float64) @ part
    result = np.repeat(rules.answers[-1:], dataset.n_rows, axis=0)
    voted = totals[:, -1] > 0
    result[voted] = totals[voted, :-1] / totals[voted, -1:]
    return result


def strongest_rules(rules: RuleList, dataset: Dataset) -> NDArray[np.int64]:
    """For each row the strongest of its rules that vote for the winner (the first if tied); −1: none votes."""
    strength = strengths(rules)
    kind = rules.target_kind
    winner = kind.voted(votes(rules, dataset), rules.default)
    best = np.zeros(dataset.n_rows)
    number = np.full(dataset.n_rows, -1, dtype=np.int64)
    for covered in rules.coverage.all_rules(dataset):
        part = slice(covered.first, covered.first + covered.n_rules)
        counts = covered.matrix() & kind.supports(rules.consequents[part], winner[covered.rows])
        values = np.where(counts, strength[part], -1.0)
        place = values.argmax(axis=1)
        value = values[np.arange(len(place)), place]
        better = value > best[covered.rows]
        best[covered.rows[better]] = value[better]
        number[covered.rows[better]] = covered.first + place[better]
    return number
