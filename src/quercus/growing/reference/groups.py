"""Groups of values of the reference grower (C4.5's grouped tests): merge two groups while the gain ratio improves."""

from __future__ import annotations

import numpy as np

from quercus.arrays import Floats, Integers
from quercus.growing.reference.examples import Examples, ValueTable
from quercus.growing.reference.purity import WEIGHT

LARGEST_START = 256  # more present values than this: the lightest start as one group


def merged_groups(examples: Examples, table: ValueTable) -> Integers:
    """The group of each present value; groups are numbered by their first value.

    ::

        one group for each present value
        while there are more than 2 groups
            of all pairs of groups, take the one whose merging gives the best gain ratio
            if that is not above the present gain ratio, stop; otherwise merge the two
    """
    group = _starting_groups(table)
    tallies = np.zeros((int(group.max()) + 1, table.tallies.shape[1]))
    np.add.at(tallies, group, table.tallies)
    ratio = float(_ratios(examples, table, tallies[None])[0])
    while len(tallies) > 2:
        first, second = np.triu_indices(len(tallies), 1)
        ratios = _merged_ratios(examples, table, tallies, first, second)
        best = int(np.argmax(ratios >= ratios.max() - examples.tie))
        if ratios[best] <= ratio + examples.tie:
            break
        ratio, i, j = float(ratios[best]), int(first[best]), int(second[best])
        tallies[i] += tallies[j]
        tallies = np.delete(tallies, j, axis=0)
        group = np.where(group == j, i, np.where(group > j, group - 1, group))
    return group


def _starting_groups(table: ValueTable) -> Integers:
    """One group per value; above 256 values the lightest beyond the first 255 are one group."""
    count = len(table.values)
    if count <= LARGEST_START:
        return np.arange(count)
    lightest = np.argsort(-table.tallies[:, WEIGHT], kind="stable")[LARGEST_START - 1 :]
    group = np.arange(count)
    group[lightest] = lightest.min()
    return np.asarray(np.unique(group, return_inverse=True)[1])


def _unknown_weight(examples: Examples, table: ValueTable) -> float:
    placed = examples.problem.recipe.missing not in ("fractional", "surrogate")
    return 0.0 if placed else float(table.unknown[WEIGHT])


def _ratios(examples: Examples, table: ValueTable, groupings: Floats) -> Floats:
    """Gain / split information of whole groupings [d, groups, columns]."""
    information = examples.split_information(groupings[..., WEIGHT], _unknown_weight(examples, table))
    return examples.gains(groupings, table.known) / information


def _merged_ratios(examples: Examples, table: ValueTable, tallies: Floats, first: Integers, second: Integers) -> Floats:
    """The gain ratio after merging groups first[p] and second[p], for every pair p.

    A merge changes three terms of the sums only: P(i ∪ j) comes, P(i) and P(j) go; likewise in split information.
    """
    if examples.problem.measure is not None:
        return np.concatenate(
            [_ratios(examples, table, _merged(tallies, i, j)[None]) for i, j in zip(first, second, strict=True)]
        )
    together = tallies[first] + tallies[second]
    single = examples.purity.of(tallies)
    purity = single.sum() + examples.purity.of(together) - single[first] - single[second]
    scale = examples.scale if examples.scale > 0 else np.inf
    gains = (purity - examples.purity.of(table.known)) / scale
    shares = tallies[:, WEIGHT] / examples.weight
    terms = shares * np.log2(shares)
    merged = shares[first] + shares[second]
    unknown = _unknown_weight(examples, table) / examples.weight
    information = terms[first] + terms[second] - terms.sum() - merged * np.log2(merged)
    if unknown > 0:
        information = information - unknown * np.log2(unknown)
    return np.asarray(gains / information)


def _merged(tallies: Floats, i: int, j: int) -> Floats:
    result = np.delete(tallies, j, axis=0)
    result[i] += tallies[j]
    return result
