"""Random growing problems with constraints, and whether a model breaks the order that it was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from oracle.tables import Case, Random, random_case

from quercus.data import ClassTarget, Dataset
from quercus.growing.recipe import Recipe


def constrained_case(seed: int, make: Callable[[int], Case] = random_case) -> Case:
    """A random case whose recipe has an order of answers, sets of attributes, or both."""
    case, random = make(seed), np.random.default_rng([seed, 7])
    wishes, sets = random_wishes(random, case), random_sets(random, len(case.dataset.schema))
    if wishes and random.random() < 0.6:
        sets = None
    return replace(case, made_by=f"constrained {case.made_by}", recipe=constrained(case.recipe, wishes, sets))


def constrained(recipe: Recipe, wishes: Any, sets: Any) -> Recipe:
    """The recipe with these constraints, without the choice that cannot keep an order."""
    changes: dict[str, Any] = {"monotonic_cst": wishes, "interaction_cst": sets}
    if recipe.nominal == "multiway":
        changes["empty_leaf"] = "parent_distribution"
    return replace(recipe, **changes)


def random_wishes(random: Random, case: Case) -> tuple[Any, ...]:
    """An order for most of the attributes whose values have one; of several classes for one of them."""
    label = None
    if isinstance(case.target, ClassTarget) and len(case.target.classes) > 2:
        label = str(random.choice(case.target.classes))
    ordered = [a.name for a in case.dataset.schema if a.is_numeric and random.random() < 0.7]
    return tuple((name, label, int(random.choice([-1, 1]))) for name in ordered)


def random_sets(random: Random, n_attributes: int) -> Any:
    """Words, or sets that may overlap and leave attributes out; mostly None."""
    which = random.random()
    if which < 0.5:
        return None
    if which < 0.6:
        return str(random.choice(["pairwise", "no_interactions"]))
    members = [
        random.permutation(n_attributes)[: int(random.integers(1, 4))] for _ in range(int(random.integers(1, 4)))
    ]
    return tuple(tuple(int(member) for member in one) for one in members)


def random_rows(random: Random, dataset: Dataset, n_rows: int) -> Dataset:
    """Rows of any values that the attributes may have, also between and beyond those of the table, some unknown."""
    columns = []
    for attribute, cells in zip(dataset.schema, dataset.columns, strict=True):
        unknown = random.random(n_rows) < 0.15
        if not attribute.is_numeric:
            codes = random.integers(0, attribute.n_values, n_rows)
            columns.append(np.where(unknown, -1, codes).astype(np.int32))
            continue
        columns.append(np.where(unknown, np.nan, random_numbers(random, cells, n_rows)))
    return Dataset(dataset.schema, tuple(columns), n_rows)


def random_numbers(random: Random, cells: np.ndarray, n_rows: int) -> np.ndarray:
    """Numbers of a column, and numbers halfway between two of them."""
    known = cells[~np.isnan(cells)].astype(np.float64)
    if not len(known):
        known = np.zeros(1)
    one, other = random.choice(known, n_rows), random.choice(known, n_rows)
    return np.where(random.random(n_rows) < 0.5, one, one / 2 + other / 2)


def violations(
    answer: Callable[[Dataset], np.ndarray],
    dataset: Dataset,
    recipe: Recipe,
    classes: Any,
    random: Random,
    n_rows: int,
    slack: float,
) -> int:
    """How many of so many random pairs of rows that differ in one ordered attribute are answered against the order.

    answer: numbers, or class shares [n, k].
    """
    broken = 0
    wishes = [wish for wish in recipe.monotonic_cst if wish[2]]
    for name, label, sign in wishes:
        place = dataset.schema.position(name)
        lower = random_rows(random, dataset, n_rows // len(wishes) + 1)
        one, other = (random_numbers(random, dataset.columns[place], lower.n_rows) for _ in range(2))
        pair = [replaced(lower, place, np.minimum(one, other)), replaced(lower, place, np.maximum(one, other))]
        low, high = (watched(answer(rows), classes, label) for rows in pair)
        broken += int((sign * (high - low) < -slack).sum())
    return broken


def replaced(rows: Dataset, place: int, cells: np.ndarray) -> Dataset:
    """The rows with other numbers in one column."""
    columns = list(rows.columns)
    columns[place] = cells
    return Dataset(rows.schema, tuple(columns), rows.n_rows)


def watched(answers: np.ndarray, classes: Any, label: Any) -> np.ndarray:
    """The answer that has an order: the number, or the share of a class (None: of the last)."""
    if classes is None:
        return answers.reshape(len(answers), -1)[:, 0]
    place = len(classes) - 1 if label is None else list(classes).index(label)
    return np.asarray(answers[:, place])
