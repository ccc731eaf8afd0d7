"""Random small tables and recipes for the oracle: all kinds of columns, ties, constants, missing cells, weights.

``random_case(seed)`` always makes the same case of the same seed; a failing test names the seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from quercus.data import ClassTarget, Dataset
from quercus.data.schema import Attribute, Schema
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.id3 import id3_recipe
from quercus.growing.recipe import CLASSIFICATION_CRITERIA, REGRESSION_CRITERIA, Recipe

Random = np.random.Generator
LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: Of trees that answer one number; rules and reasons take these only. tests/quantiles grows trees by pinball loss.
NUMBER_CRITERIA = tuple(name for name in REGRESSION_CRITERIA if name != "pinball")


@dataclass(frozen=True)
class Case:
    """One growing problem, and the call that makes it again."""

    made_by: str
    dataset: Dataset
    target: ClassTarget | np.ndarray
    recipe: Recipe
    weights: np.ndarray | None = None
    class_multipliers: np.ndarray | None = None
    cost_matrix: np.ndarray | None = None

    def arguments(self) -> dict[str, Any]:
        """The keyword arguments that every grower takes."""
        return {
            "weights": self.weights,
            "class_multipliers": self.class_multipliers,
            "cost_matrix": self.cost_matrix,
        }

    def __str__(self) -> str:
        """What makes the case again; its recipe; small tables in full."""
        changed = self.recipe.differences(Recipe(name=self.recipe.name))
        lines = [f"oracle.tables.{self.made_by}", f"recipe: { {name: mine for name, (mine, _) in changed.items()} }"]
        if self.dataset.n_rows <= 60:
            columns = zip(self.dataset.schema, self.dataset.columns, strict=True)
            lines += [f"{attribute.name}: {attribute.kind} {cells.tolist()}" for attribute, cells in columns]
            target = self.target.codes if isinstance(self.target, ClassTarget) else self.target
            lines.append(f"target: {target.tolist()}")
            lines += [f"{name}: {value.tolist()}" for name, value in self.arguments().items() if value is not None]
        return "\n  ".join(lines)


def random_case(seed: int) -> Case:
    """A table of 1 to 40 rows and 1 to 6 attributes, its target, weights and a recipe, all random."""
    random = np.random.default_rng(seed)
    if random.random() < 0.12:
        return cube_case(random, f"random_case({seed})")
    n_rows = int(
        random.choice(
            [1, 2, 3, int(random.integers(4, 12)), int(random.integers(8, 41))], p=[0.02, 0.03, 0.05, 0.4, 0.5]
        )
    )
    n_attributes = int(random.integers(1, 7))
    regression = bool(random.random() < 0.35)
    named = random.random() < 0.25
    recipe = named_recipe(random, regression) if named else random_recipe(random, regression)
    with_costs = recipe.selection in ("tan_schlimmer", "nunez")
    dataset = random_dataset(random, n_rows, n_attributes, with_costs)
    weights = random_weights(random, n_rows)
    if regression:
        return Case(f"random_case({seed})", dataset, random_numbers(random, dataset, recipe.criterion), recipe, weights)
    target = random_classes(random, dataset)
    multipliers, costs = random_costs(random, len(target.classes))
    return Case(f"random_case({seed})", dataset, target, recipe, weights, multipliers, costs)


def cube_case(random: Random, made_by: str) -> Case:
    """Every combination of a few values, and parity or majority as the target: almost everything is tied or gains 0."""
    sizes = [int(size) for size in random.choice([2, 2, 2, 3], int(random.integers(2, 5)))]
    rows = np.array(list(product(*[range(size) for size in sizes])))
    rows = np.repeat(rows, int(random.choice([1, 1, 2])), axis=0)[:40]
    recipe = random_recipe(random, False)
    cost = 1.0 if recipe.selection == "tan_schlimmer" else 0.0
    attributes, columns = [], []
    for i, size in enumerate(sizes):
        numeric = random.random() < 0.4
        attributes.append(
            Attribute(f"x{i}", "numeric" if numeric else "nominal", () if numeric else tuple(LETTERS[:size]), cost)
        )
        columns.append(rows[:, i].astype(np.float64 if numeric else np.int32))
    dataset = Dataset(Schema(tuple(attributes)), tuple(np.ascontiguousarray(column) for column in columns), len(rows))
    totals = rows.sum(axis=1)
    codes = totals % 2 if random.random() < 0.6 else totals > np.median(totals)
    target = ClassTarget(classes=np.array(["no", "yes"]), codes=codes.astype(np.int32))
    weights = None if random.random() < 0.5 else random.choice([0.1, 0.2, 0.3], len(rows))
    return Case(made_by, dataset, target, recipe, weights)


def large_case(seed: int) -> Case:
    """A table of 100 to 6000 rows of all kinds: enough for sibling tables and frames of subtrees to play a part."""
    random = np.random.default_rng([seed, 1])
    case = _many_rows(
        random, f"large_case({seed})", int(random.choice([100, 257, 600, 1500, 6000], p=[0.2, 0.3, 0.25, 0.2, 0.05]))
    )
    if case.dataset.n_rows < 6000:
        return case
    depth = 5 if case.recipe.max_depth is None else case.recipe.max_depth
    return replace(case, recipe=replace(case.recipe, max_depth=depth))


def huge_case(seed: int) -> Case:
    """A table of 9,000 to 40,000 rows, for comparing the core with itself: threads share the work."""
    random = np.random.default_rng([seed, 2])
    return _many_rows(random, f"huge_case({seed})", int(random.choice([9_000, 40_000])))


def _many_rows(random: Random, made_by: str, n_rows: int) -> Case:
    regression = bool(random.random() < 0.35)
    recipe = named_recipe(random, regression) if random.random() < 0.5 else random_recipe(random, regression)
    with_costs = recipe.selection in ("tan_schlimmer", "nunez")
    dataset = random_dataset(random, n_rows, int(random.integers(2, 9)), with_costs)
    weights = random_weights(random, n_rows)
    if not regression:
        return Case(made_by, dataset, random_classes(random, dataset), recipe, weights)
    y = random_numbers(random, dataset, recipe.criterion)
    return Case(
        made_by,
        dataset,
        np.round(y) if recipe.quantiles or recipe.criterion == "absolute_error" else y,
        recipe,
        weights,
    )


def numeric_case(seed: int) -> Case:
    """Nearly complete numeric columns, classes, no weights, 60 to 900 rows: the data that the core scans fastest."""
    random = np.random.default_rng([seed, 3])
    n_rows = int(random.choice([64, 65, 127, 128, 200, 400, 900]))
    named = random.random() < 0.5
    recipe = named_recipe(random, False) if named else random_recipe(random, False)
    cost = 1.0 if recipe.selection in ("tan_schlimmer", "nunez") else 0.0
    columns = []
    for _ in range(int(random.integers(1, 7))):
        levels = int(random.choice([2, 5, 30, 200, 100_000]))
        cells = random.integers(0, levels, n_rows) / 8
        if random.random() < 0.15:
            cells[random.random(n_rows) < 0.1] = np.nan
        columns.append(cells)
    if random.random() < 0.3:
        columns.append(columns[0].copy())  # ties between attributes
    attributes = tuple(Attribute(f"x{i}", "numeric", cost=cost * (1 + i % 3)) for i in range(len(columns)))
    dataset = Dataset(Schema(attributes), tuple(columns), n_rows)
    n_classes = int(random.choice([2, 2, 2, 3, 5]))
    rule = sum(np.nan_to_num(column) > np.nanmedian(column) for column in columns[:3])
    noise = random.random(n_rows) < float(random.choice([0.05, 0.3, 1.0]))
    codes = np.where(noise, random.integers(0, n_classes, n_rows), rule % n_classes).astype(np.int32)
    return Case(
        f"numeric_case({seed})", dataset, ClassTarget(classes=np.array(list(LETTERS[:n_classes])), codes=codes), recipe
    )


def random_dataset(random: Random, n_rows: int, n_attributes: int, with_costs: bool) -> Dataset:
    """Columns of random kinds."""
    columns = [random_column(random, f"x{i}", n_rows, with_costs) for i in range(n_attributes)]
    if random.random() < 0.15:
        attribute, cells = columns[int(random.integers(n_attributes))]
        columns.append((replace(attribute, name="copy"), cells.copy()))  # ties between attributes
    return Dataset(Schema(tuple(attribute for attribute, _ in columns)), tuple(cells for _, cells in columns), n_rows)


# Columns


def random_column(random: Random, name: str, n_rows: int, with_costs: bool = False) -> tuple[Attribute, np.ndarray]:
    """One attribute of a random kind and its encoded cells, some of them missing."""
    kind = str(random.choice(["numeric", "nominal", "boolean", "ordered", "date"], p=[0.45, 0.3, 0.1, 0.1, 0.05]))
    cost = float(random.choice([0.5, 1.0, 1.0, 7.0, 150.0])) if with_costs else 0.0
    missing = random_missing(random, n_rows)
    if kind in ("numeric", "date"):
        cells = random_numeric_cells(random, n_rows) if kind == "numeric" else random.integers(0, 9, n_rows) * 86_400e6
        cells = cells.astype(np.float64)
        if kind == "numeric" and random.random() < 0.2 and np.abs(cells).max() < 1e30:
            cells = cells.astype(np.float32)
        cells[missing] = np.nan
        return Attribute(name, kind, cost=cost), cells
    n_values = 2 if kind == "boolean" else int(random.choice([1, 2, 3, 4, 5, 6, 9]))
    values = (False, True) if kind == "boolean" else tuple(LETTERS[:n_values])
    present = random.permutation(n_values)[
        : int(random.integers(1, n_values + 1))
    ]  # the others are declared, and absent
    codes = random.choice(present, n_rows)
    if kind == "ordered":
        return Attribute(name, kind, values, cost), np.where(missing, np.nan, codes.astype(np.float64))
    return Attribute(name, kind, values, cost), np.where(missing, -1, codes).astype(np.int32)


def random_missing(random: Random, n_rows: int) -> np.ndarray:
    """Which cells of a column are missing: none, some or all."""
    share = float(random.choice([0.0, 0.1, 0.4, 1.0], p=[0.5, 0.25, 0.22, 0.03]))
    return random.random(n_rows) < share


def random_numeric_cells(random: Random, n_rows: int) -> np.ndarray:
    """Numbers with few or many distinct values, huge, tiny, denormal, neighbouring, signed zeros, or constant."""
    makers: list[Callable[[], np.ndarray]] = [
        lambda: random.integers(0, 4, n_rows).astype(float),
        lambda: random.integers(-20, 20, n_rows) / 4,
        lambda: random.normal(size=n_rows),
        lambda: random.choice([-1e308, -1.7e308, 1e308, 1.7e308, 0.0, 3.0], n_rows),
        lambda: random.choice([1e-308, 2e-308, -1e-308, 0.0, 5e-324, 1e-323], n_rows),
        lambda: random.integers(0, 5, n_rows) * 5e-324,
        lambda: 1.0 + random.integers(0, 4, n_rows) * np.finfo(float).eps,
        lambda: random.choice([-0.0, 0.0, 1.0, -1.0], n_rows),
        lambda: 10.0 ** random.integers(-12, 12, n_rows),
        lambda: np.full(n_rows, 7.5),
        lambda: 1e-6 * random.integers(0, 30, n_rows),
    ]
    shares = np.array([5, 5, 5, 1, 1, 1, 1, 2, 2, 1, 1])
    return makers[int(random.choice(len(makers), p=shares / shares.sum()))]()


# Weights, targets and costs


def random_weights(random: Random, n_rows: int) -> np.ndarray | None:
    """No weights, integers, fractions, with zeros; at least one is above 0."""
    choice = random.random()
    if choice < 0.5:
        return None
    if choice < 0.65:
        weights = random.integers(1, 4, n_rows).astype(float)
    elif choice < 0.75:
        weights = random.random(n_rows) * 3 + 0.01
    elif choice < 0.85:
        weights = random.choice([0.1, 0.2, 0.3], n_rows)
    else:
        weights = random.choice([0.0, 0.25, 0.5, 1.0, 2.0], n_rows)
    weights[int(random.integers(n_rows))] = 1.0
    return weights


def _signal(random: Random, dataset: Dataset) -> np.ndarray:
    """A rank per row that follows one column, so that trees have something to find."""
    column = dataset.columns[int(random.integers(len(dataset.columns)))].astype(float)
    ranks = np.unique(np.nan_to_num(column, nan=-1.0), return_inverse=True)[1]
    noise = random.random(dataset.n_rows) < 0.25
    return np.where(noise, random.integers(0, 5, dataset.n_rows), ranks)


def random_classes(random: Random, dataset: Dataset) -> ClassTarget:
    """1 to 5 declared classes, not all of them present, noise or following a column."""
    n_classes = int(random.choice([1, 2, 3, 4, 5], p=[0.05, 0.45, 0.25, 0.15, 0.1]))
    present = random.permutation(n_classes)[: max(1, n_classes - int(random.choice([0, 0, 0, 1])))]
    draws = random.integers(0, 100, dataset.n_rows) if random.random() < 0.4 else _signal(random, dataset)
    codes = present[draws % len(present)].astype(np.int32)
    return ClassTarget(classes=np.array(list(LETTERS[-n_classes:])), codes=codes)


def random_numbers(random: Random, dataset: Dataset, criterion: str) -> np.ndarray:
    """Numbers to predict: counts, reals, huge, tiny, far from 0, or constant; at least 0 for poisson."""
    n_rows = dataset.n_rows
    if criterion == "poisson":
        y = random.poisson(1.5, n_rows) + (_signal(random, dataset) if random.random() < 0.5 else 0)
        return y * float(random.choice([1.0, 1.0, 0.001, 1000.0]))
    base = random.integers(0, 6, n_rows) + (
        _signal(random, dataset) if random.random() < 0.6 else random.normal(size=n_rows)
    )
    scale, offset = [(1.0, 0.0), (1.0, 0.0), (1e100, 0.0), (1e-100, 0.0), (1.0, 1e6), (0.25, -1e9), (0.0, 3.7)][
        int(random.choice(7, p=[0.35, 0.35, 0.06, 0.06, 0.06, 0.06, 0.06]))
    ]
    return base * scale + offset


def random_costs(random: Random, n_classes: int) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Class multipliers and a cost matrix, mostly neither."""
    choice = random.random()
    if choice < 0.8:
        return None, None
    costs = random.integers(0, 5, (n_classes, n_classes)).astype(float)
    np.fill_diagonal(costs, 0.0)
    multipliers = random.choice([0.5, 1.0, 2.0, 3.3], n_classes)
    return (multipliers if choice > 0.93 else None), (costs if choice < 0.96 else None)


# Recipes


def named_recipe(random: Random, regression: bool) -> Recipe:
    """ID3, C4.5 or CART, as the estimators grow them."""
    policies = ["fractional", "most_common", "own_value"] + ([] if regression else ["class_most_common"])
    missing = policies[int(random.integers(len(policies)))]
    limits: dict[str, Any] = {} if random.random() < 0.6 else {"max_depth": int(random.integers(1, 5))}
    which = int(random.integers(6))
    if regression or which >= 4:
        criteria = NUMBER_CRITERIA if regression else CLASSIFICATION_CRITERIA
        criterion = criteria[int(random.integers(len(criteria)))]
        leaves = int(random.integers(2, 20)) if random.random() < 0.3 else None
        surrogate = "surrogate" if random.random() < 0.4 else missing
        return cart_recipe(criterion, missing=surrogate, max_leaf_nodes=leaves, **limits)
    if which == 0:
        return id3_recipe("multiway" if random.random() < 0.7 else "threshold", missing=missing, **limits)
    preset = str(random.choice(["c45", "r8", "j48"]))
    return c45_recipe(preset, value_groups=which == 1, missing="fractional" if which < 3 else missing, **limits)


def random_recipe(random: Random, regression: bool) -> Recipe:
    """A recipe with any field away from its default now and then; combinations that are refused are left out."""

    free = random.random() < 0.4  # nothing that keeps trees small

    def sometimes(share: float, values: list[Any], default: Any) -> Any:
        return values[int(random.integers(len(values)))] if random.random() < share else default

    def limit(share: float, values: list[Any], default: Any) -> Any:
        return sometimes(0.0 if free else share, values, default)

    criteria = NUMBER_CRITERIA if regression else CLASSIFICATION_CRITERIA
    missing = sometimes(
        0.8, ["most_common", "class_most_common", "own_value", "surrogate", "own_value", "surrogate"], "fractional"
    )
    if regression and missing == "class_most_common":
        missing = "most_common"
    nominal = "subset" if missing == "surrogate" else sometimes(0.7, ["subset", "grouped"], "multiway")
    if regression and nominal == "grouped":
        nominal = "subset"
    selection = (
        "gain"
        if regression
        else sometimes(0.6, ["gain_ratio", "gain_ratio", "gain_ratio", "tan_schlimmer", "nunez"], "gain")
    )
    return Recipe(
        name="random",
        criterion=criteria[int(random.integers(len(criteria)))],
        selection=selection,
        cost_exponent=sometimes(0.5, [0.0, 0.3], 1.0),
        nominal=nominal,
        subset_limit=sometimes(0.4, [2, 3, 4, 5], 10),
        threshold=sometimes(0.5, ["data_value", "short", "short_value"], "midpoint"),
        threshold_gap=limit(0.1, [1e-5, 0.3, 1.0], 0.0),
        threshold_cost=limit(0.25, [True], False),
        min_cut=limit(0.25, [True], False),
        gate=limit(0.5, [True], False),
        gate_tolerance=sometimes(0.4, [0.0, 0.05], 1e-3),
        min_split_info=limit(0.4, [1e-3, 0.4, 0.9], 0.0),
        wide_share=sometimes(0.5, [0.0, 0.1, 0.25, 0.5, 1.0], 0.3),
        require_gain=limit(0.2, [True], False),
        min_objects=limit(0.35, [0.3, 0.5, 0.6, 1.0, 2.0, 3.7], 0.0),
        min_samples_split=limit(0.15, [1, 4, 7], 2),
        min_samples_leaf=limit(0.15, [2, 3], 1),
        min_weight_leaf=limit(0.15, [0.6, 2.0], 0.0),
        min_gain=limit(0.15, [0.01, 0.1, 0.25], 0.0),
        min_impurity_decrease=limit(0.15, [0.003, 0.02, 0.125], 0.0),
        max_depth=limit(0.2, [0, 1, 2, 3], None),
        max_leaf_nodes=limit(0.2, [1, 2, 3, 5, 9], None),
        significance=None if regression else limit(0.15, [0.05, 0.4, 0.9, 1.0], None),
        missing=missing,
        max_surrogates=sometimes(0.3, [0, 1, 2], 5),
        collapse="no" if regression else limit(0.3, ["bottom_up", "top_down"], "no"),
        collapse_tolerance=sometimes(0.5, [0.0, 0.1, 0.5, 1.5], 1e-3),
        empty_leaf=sometimes(0.3, ["parent_distribution"], "parent_class"),
        sufficient_majority=None if regression else limit(0.15, [0.5, 0.75, 0.9, 1.0], None),
    )
