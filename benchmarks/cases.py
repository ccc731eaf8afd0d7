"""What is raced: one function a task, each returning results of one run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from quercus import C45RulesClassifier, PARTClassifier

from . import data
from .clock import Contestant, Result, race
from .contestants import (
    installed,
    lightgbm,
    quercus_c45,
    quercus_cart,
    quercus_regression,
    quercus_rules,
    scikit_learn,
    ydf,
)
from .j48 import j48, jar


@dataclass(frozen=True)
class Sizes:
    """How large the tables are and how often everything runs."""

    rows: int
    runs: int
    covertype_rows: int | None
    both_criteria: bool
    slow_runs: int


FULL = Sizes(rows=1_000_000, runs=3, covertype_rows=None, both_criteria=True, slow_runs=3)
QUICK = Sizes(rows=50_000, runs=3, covertype_rows=20_000, both_criteria=False, slow_runs=1)


def peers(*wanted: tuple[str, Callable[[], Contestant]]) -> list[Contestant]:
    """The contestants whose package is installed."""
    return [make() for package, make in wanted if installed(package)]


def numeric_tree(sizes: Sizes, criterion: str, max_depth: int | None) -> list[Result]:
    """Complete numeric data, exact: the whole tree, or ten levels of it."""
    table = data.numeric(sizes.rows)
    how = "full tree" if max_depth is None else f"depth {max_depth}"
    field = [quercus_cart(table, threads, criterion=criterion, max_depth=max_depth) for threads in (1, 2)]
    field.append(scikit_learn(table, criterion=criterion, max_depth=max_depth))
    if criterion == "entropy":
        levels = -1 if max_depth is None else max_depth + 1
        field += peers(*(("ydf", partial(ydf, table, threads, levels)) for threads in (1, 2)))
    return race(f"{how}, {criterion}: {table.name} {table.shape}", field, sizes.runs)


def full_entropy(sizes: Sizes) -> list[Result]:
    """The whole tree by entropy."""
    return numeric_tree(sizes, "entropy", None)


def full_gini(sizes: Sizes) -> list[Result]:
    """The whole tree by Gini impurity."""
    return numeric_tree(sizes, "gini", None) if sizes.both_criteria else []


def depth_entropy(sizes: Sizes) -> list[Result]:
    """Ten levels by entropy."""
    return numeric_tree(sizes, "entropy", 10)


def depth_gini(sizes: Sizes) -> list[Result]:
    """Ten levels by Gini impurity."""
    return numeric_tree(sizes, "gini", 10) if sizes.both_criteria else []


def binned(sizes: Sizes) -> list[Result]:
    """At most 255 bins per column and 1,024 leaves, grown best first."""
    table = data.numeric(sizes.rows)
    limits = {"max_bins": 255, "max_leaf_nodes": 1024}
    field = [quercus_cart(table, threads, **limits) for threads in (1, 2)]
    field += peers(*(("lightgbm", partial(lightgbm, table, threads)) for threads in (1, 2)))
    return race(f"binned, 1,024 leaves: {table.name} {table.shape}", field, sizes.runs)


def binned_traits(sizes: Sizes) -> list[Result]:
    """By bins, 1,024 leaves, on tables of other traits: numbers as target, many columns, few values, gaps."""
    friedman, numeric = data.friedman(sizes.rows // 4), data.numeric(sizes.rows).head(sizes.rows // 5)
    wide_classes, wide_numbers = data.wide(sizes.rows // 80)
    few_classes, few_numbers = data.twenty_values(sizes.rows // 2)
    tables = [(few_classes, False), (wide_classes, False), (data.with_gaps(numeric), False)]
    tables += [(friedman, True), (few_numbers, True), (wide_numbers, True), (data.with_gaps(friedman), True)]
    real_tables = [("taiwan", False), ("letter", False), ("bank", False), ("flights_route", False)]
    real_tables += [("reg_cal_housing", True), ("diamonds", True)]
    for name, regression in real_tables:
        table = data.real(name, regression)
        if table is not None:
            tables.append((table, regression))
    found = []
    for table, regression in tables:
        ours = quercus_regression if regression else quercus_cart
        field = [ours(table, threads, max_bins=255, max_leaf_nodes=1024) for threads in (1, 2)]
        field.append(ours(table, 1, max_leaf_nodes=1024))
        field += peers(("lightgbm", partial(lightgbm, table, 1, regression=regression)))
        found += race(f"binned, 1,024 leaves: {table.name} {table.shape}", field, sizes.runs)
    return found


def c45_numeric(sizes: Sizes) -> list[Result]:
    """C4.5 and CART on the same numeric data, without a peer."""
    table = data.numeric(sizes.rows)
    field = [quercus_c45(table, threads) for threads in (1, 2)]
    return race(f"C4.5: {table.name} {table.shape}", field, sizes.runs)


def mixed_tree(table: data.Table, runs: int) -> list[Result]:
    """Nominal and numeric columns: the whole tree."""
    field = [quercus_cart(table, threads) for threads in (1, 2)]
    field.append(quercus_cart(table, 1, max_bins=255, max_leaf_nodes=1024))
    field.append(scikit_learn(table))
    field += peers(
        *(("ydf", partial(ydf, table, threads)) for threads in (1, 2)),
        *(("lightgbm", partial(lightgbm, table, threads)) for threads in (1, 2)),
    )
    return race(f"full tree: {table.name} {table.shape} mixed", field, runs)


def agrawal(sizes: Sizes) -> list[Result]:
    """Agrawal's made people, six numeric and three nominal columns."""
    return mixed_tree(data.agrawal(sizes.rows), sizes.runs)


def adult(sizes: Sizes) -> list[Result]:
    """Adult: eight nominal and six numeric columns, missing cells."""
    table = data.real("adult")
    return [] if table is None else mixed_tree(table, max(sizes.runs, 5))


def covertype_table(sizes: Sizes) -> data.Table | None:
    """Covertype folded to two nominal and ten numeric columns."""
    table = data.real("covtype_mixed")
    return table.head(sizes.covertype_rows) if table is not None and sizes.covertype_rows else table


def covertype(sizes: Sizes) -> list[Result]:
    """Covertype folded, seven classes."""
    table = covertype_table(sizes)
    return [] if table is None else mixed_tree(table, sizes.runs)


def c45_mixed(table: data.Table | None, runs: int, j48_runs: int) -> list[Result]:
    """C4.5's unpruned tree beside J48's."""
    if table is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        field = [quercus_c45(table, 1), quercus_c45(table, 2), quercus_c45(table, 1, preset="j48")]
        weka = jar()
        if weka is not None:
            field.append(j48(table, weka, Path(folder), runs=j48_runs))
        return race(f"C4.5: {table.name} {table.shape} mixed", field, runs)


def c45_adult(sizes: Sizes) -> list[Result]:
    """C4.5 on Adult."""
    return c45_mixed(data.real("adult"), max(sizes.runs, 5), sizes.slow_runs)


def c45_covertype(sizes: Sizes) -> list[Result]:
    """C4.5 on covertype; J48 needs minutes and runs once."""
    return c45_mixed(covertype_table(sizes), sizes.runs, 1)


def regression(sizes: Sizes) -> list[Result]:
    """Squared error: the whole tree."""
    table = data.friedman(sizes.rows // 4)
    field = [*(quercus_regression(table, threads) for threads in (1, 2)), scikit_learn(table, regression=True)]
    return race(f"regression, full tree: {table.name} {table.shape}", field, sizes.runs)


def doubling(sizes: Sizes) -> list[Result]:
    """The same tree on once and twice as many rows."""
    whole = data.numeric(sizes.rows)
    found = []
    for share in (4, 2, 1):
        table = whole.head(len(whole.train) // share)
        field = [quercus_cart(table, criterion="entropy")]
        found += race(f"doubling the rows: {table.name} {table.shape}", field, max(sizes.runs, 5))
    return found


def rules_doubling(sizes: Sizes) -> list[Result]:
    """C4.5's rules and PART's on once, twice and four times as many rows; their nodes are rules."""
    whole = data.agrawal(sizes.rows // 4)
    found = []
    for model, words in ((C45RulesClassifier, "C4.5's rules"), (PARTClassifier, "PART")):
        for share in (4, 2, 1):
            table = whole.head(len(whole.train) // share)
            field = [quercus_rules(table, model())]
            found += race(f"doubling the rows, rules: {words}, {table.name} {table.shape}", field, 1)
    return found


def many_classes(sizes: Sizes) -> list[Result]:
    """Columns of few values, 26 and 128 classes: the whole tree."""
    rows = min(sizes.rows, 20_000)
    tables = [data.real("letter"), data.many_classes(rows, 26), data.many_classes(rows, 128)]
    return [one for table in tables if table is not None for one in mixed_tree(table, sizes.runs)]


def word_counts(sizes: Sizes) -> list[Result]:
    """Two thousand columns of counts, most of them 0: the whole tree."""
    return mixed_tree(data.word_counts(min(sizes.rows // 6, 8_000)), sizes.runs)


def many_levels(sizes: Sizes) -> list[Result]:
    """Nominal columns of hundreds and thousands of levels, two classes and five: the whole tree."""
    rows = sizes.rows // 5
    tables = [data.many_levels(rows, 3300), data.many_levels(min(rows, 9_000), 437), data.many_levels(rows, 400, 5)]
    return [one for table in tables for one in mixed_tree(table, sizes.runs)]


def regression_tables(sizes: Sizes) -> list[Result]:
    """Regression on tables with nominal columns and few values: squared error, absolute error, Poisson deviance."""
    found = []
    for table in (data.real("reg_cal_housing", regression=True), data.event_counts(sizes.rows // 10)):
        for criterion in ("squared_error", "absolute_error", "poisson"):
            if table is None or (criterion == "poisson" and table.train_target.min() < 0):
                continue
            field = [quercus_regression(table, threads, criterion=criterion) for threads in (1, 2)]
            field.append(scikit_learn(table, regression=True, criterion=criterion))
            found += race(f"{criterion}, full tree: {table.name} {table.shape}", field, sizes.runs)
    return found


def c45_presets(sizes: Sizes) -> list[Result]:
    """C4.5's presets, whose cuts need a gap, and groups of values, beside plain C4.5."""
    table = data.real("taiwan")
    found = [] if table is None else presets(table, sizes.runs)
    table = data.many_levels(min(sizes.rows, 20_000), 256)
    field = [quercus_c45(table, 1), quercus_c45(table, 1, value_groups=True)]
    return found + race(f"C4.5's groups of values: {table.name} {table.shape}", field, sizes.runs)


def presets(table: data.Table, runs: int) -> list[Result]:
    """Each preset of C4.5 on one table."""
    field = [quercus_c45(table, 1), *(quercus_c45(table, 1, preset=preset) for preset in ("r8", "j48"))]
    return race(f"C4.5's presets: {table.name} {table.shape}", field, runs)


CASES: dict[str, Callable[[Sizes], list[Result]]] = {
    "full_entropy": full_entropy,
    "full_gini": full_gini,
    "depth_entropy": depth_entropy,
    "depth_gini": depth_gini,
    "binned": binned,
    "binned_traits": binned_traits,
    "c45_numeric": c45_numeric,
    "doubling": doubling,
    "rules_doubling": rules_doubling,
    "agrawal": agrawal,
    "adult": adult,
    "c45_adult": c45_adult,
    "covertype": covertype,
    "c45_covertype": c45_covertype,
    "regression": regression,
    "many_classes": many_classes,
    "word_counts": word_counts,
    "many_levels": many_levels,
    "regression_tables": regression_tables,
    "c45_presets": c45_presets,
}
