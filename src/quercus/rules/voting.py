"""Voting: all rules that cover a row vote for their class, each by its strength."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.targets.labels import TIE, label_codes

if TYPE_CHECKING:
    from quercus.rules.rule_list import RuleList


def strengths(rules: RuleList) -> Floats:
    """How much each rule's vote counts: its precision or Laplace precision; of numbers, the weight it covers."""
    if rules.classes is None:
        return np.array([max(rule.covered, 0.0) for rule in rules.rules])
    strength = [rule.precision if rules.vote == "precision" else rule.laplace for rule in rules.rules]
    return np.nan_to_num(np.array(strength, dtype=np.float64))


def votes(rules: RuleList, dataset: Dataset) -> Floats:
    """The share of each class in the votes [n_rows, k], or the mean of the numbers [n_rows, 1].

    A row for which no vote counts gets what the default answers.
    """
    strength, n_answers = strengths(rules), rules.answers.shape[1]
    ballots = np.zeros((len(rules), n_answers + 1))
    if rules.classes is None:
        ballots[:, 0] = strength * rules.consequents[:-1]
    else:
        ballots[np.arange(len(rules)), rules.consequents[:-1]] = strength
    ballots[:, -1] = strength
    totals = np.zeros((dataset.n_rows, n_answers + 1))
    for covered in rules.coverage.all_rules(dataset):
        part = ballots[covered.first : covered.first + covered.n_rules]
        totals[covered.rows] += covered.matrix().astype(np.float64) @ part
    result = np.repeat(rules.answers[-1:], dataset.n_rows, axis=0)
    voted = totals[:, -1] > 0
    result[voted] = totals[voted, :-1] / totals[voted, -1:]
    return result


def most_voted(shares: Floats, default: int) -> NDArray[Any]:
    """The class of most votes; of tied ones the default, else the first.

    >>> most_voted(np.array([[0.5, 0.5, 0.0], [0.4, 0.2, 0.4]]), default=1)
    array([1, 0])
    """
    codes = np.asarray(label_codes(shares), dtype=np.int64)
    codes[shares[:, default] >= shares.max(axis=1) - TIE] = default
    return codes


def strongest_rules(rules: RuleList, dataset: Dataset) -> NDArray[np.int64]:
    """For each row the strongest of its rules that vote for the winner (the first if tied); −1: none votes."""
    strength = strengths(rules)
    winner = None if rules.classes is None else most_voted(votes(rules, dataset), int(rules.default))
    best = np.zeros(dataset.n_rows)
    number = np.full(dataset.n_rows, -1, dtype=np.int64)
    for covered in rules.coverage.all_rules(dataset):
        part = slice(covered.first, covered.first + covered.n_rules)
        counts = covered.matrix()
        if winner is not None:
            counts &= rules.consequents[part] == winner[covered.rows, None]
        values = np.where(counts, strength[part], -1.0)
        place = values.argmax(axis=1)
        value = values[np.arange(len(place)), place]
        better = value > best[covered.rows]
        best[covered.rows[better]] = value[better]
        number[covered.rows[better]] = covered.first + place[better]
    return number
