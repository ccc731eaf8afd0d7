"""What forests race at: growing, by exact search and by bins; one function a task."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from . import data, traits
from .cases import Sizes, covertype_table, peers
from .clock import Contestant, Result, race
from .forest_accuracy import forest_accuracy
from .forest_contestants import (
    Forest,
    lightgbm_forest,
    quercus_forest,
    root_of,
    scikit_learn_forest,
    ydf_forest,
)
from .forest_prediction import forest_predict_adult, forest_predict_numeric, forest_single_row
from .forest_ranger import ranger_forest, ranger_version


def forest_race(table: data.Table, forest: Forest, runs: int, slow_runs: int) -> list[Result]:
    """Quercus, scikit-learn, YDF and ranger, one thread and two."""
    with tempfile.TemporaryDirectory() as folder:
        field: list[Contestant] = [quercus_forest(table, forest, threads) for threads in (1, 2)]
        if table.nominal:  # in ranger's way, and with YDF's criterion
            field.append(quercus_forest(table, replace(forest, as_ranger=True)))
            field.append(quercus_forest(table, replace(forest, criterion="entropy")))
        field.append(scikit_learn_forest(table, forest, runs=slow_runs))
        field += peers(*(("ydf", partial(ydf_forest, table, forest, threads, slow_runs)) for threads in (1, 2)))
        if ranger_version():
            field.append(ranger_forest(table, forest, Path(folder), runs=slow_runs))
        mixed = " mixed" if table.nominal else ""
        return race(f"forest, {forest.words}: {table.name} {table.shape}{mixed}", field, runs)


def forest_entropy(sizes: Sizes) -> list[Result]:
    """Complete numeric data, by entropy (ranger knows Gini impurity only)."""
    return forest_race(data.numeric(sizes.rows), Forest(20, 4, "entropy"), sizes.runs, sizes.slow_runs)


def forest_gini(sizes: Sizes) -> list[Result]:
    """The same by Gini impurity, beside scikit-learn alone; once, if at all."""
    if not sizes.both_criteria:
        return []
    table, forest = data.numeric(sizes.rows), Forest(20, 4, "gini")
    field = [quercus_forest(table, forest), scikit_learn_forest(table, forest, runs=1)]
    return race(f"forest by Gini impurity, {forest.words}: {table.name} {table.shape}", field, sizes.runs)


def forest_adult(sizes: Sizes) -> list[Result]:
    """Adult: eight nominal and six numeric columns, missing cells."""
    table = data.real("adult")
    if table is None:
        return []
    trees = 100 if sizes.both_criteria else 20
    return forest_race(table, Forest(trees, root_of(table)), sizes.runs, sizes.slow_runs)


def forest_covertype(sizes: Sizes) -> list[Result]:
    """Covertype folded, seven classes."""
    table = covertype_table(sizes)
    return [] if table is None else forest_race(table, Forest(20, root_of(table)), sizes.runs, sizes.slow_runs)


def binned_race(sizes: Sizes, attributes: int, per_tree: bool) -> list[Result]:
    """At most 255 bins per column and 1,024 leaves per tree, grown best first, beside LightGBM's rf."""
    table, trees = data.numeric(sizes.rows), 100 if sizes.both_criteria else 20
    forest = Forest(trees, attributes, "entropy", per_tree, leaves=1024, drawn=0.632)
    field = [quercus_forest(table, forest, threads) for threads in (1, 2)]
    field += peers(*(("lightgbm", partial(lightgbm_forest, table, forest, threads)) for threads in (1, 2)))
    return race(f"binned forest, {forest.words}: {table.name} {table.shape}", field, sizes.runs)


def forest_binned(sizes: Sizes) -> list[Result]:
    """By bins, attributes drawn at each node; LightGBM still counts all of them there."""
    return binned_race(sizes, 4, per_tree=False)


def forest_binned_tree(sizes: Sizes) -> list[Result]:
    """By bins, half of the attributes drawn for each tree, which LightGBM is made for; not in the quick run."""
    return binned_race(sizes, 10, per_tree=True) if sizes.both_criteria else []


def trait_tables(sizes: Sizes) -> list[data.Table]:
    """Tables of the traits of real ones: few values, many levels, many classes, sparse counts, gaps; and real ones."""
    rows = 40_000 if sizes.both_criteria else 10_000
    made = [
        data.few_values(rows),
        data.many_levels(4 * rows),
        data.many_classes(rows // 2),
        data.word_counts(rows // 5),
        traits.gaps(rows),
    ]
    names = ("bank", "taiwan", "letter", "adult", "flights_route", "covtype_mixed")
    there = [data.real(name) for name in names]
    return made + [table.head(4 * rows) for table in there if table is not None]


def forest_traits(sizes: Sizes) -> list[Result]:
    """Forests on tables of these traits, beside scikit-learn and YDF."""
    results: list[Result] = []
    for table in trait_tables(sizes):
        forest = Forest(10, root_of(table))
        field: list[Contestant] = [quercus_forest(table, forest), scikit_learn_forest(table, forest)]
        field += peers(("ydf", partial(ydf_forest, table, forest, 1, 1)))
        results += race(f"forest, {forest.words}: {table.name} {table.shape}", field, sizes.runs)
    return results


def forest_extra(sizes: Sizes) -> list[Result]:
    """Extra-trees on the same tables and on complete numeric data, beside scikit-learn's."""
    results: list[Result] = []
    for table in [*trait_tables(sizes), data.numeric(200_000 if sizes.both_criteria else 20_000)]:
        forest = Forest(10, root_of(table), random_thresholds=True)
        field = [quercus_forest(table, forest), scikit_learn_forest(table, forest)]
        results += race(f"forest, {forest.words}: {table.name} {table.shape}", field, sizes.runs)
    return results


FOREST_CASES: dict[str, Callable[[Sizes], list[Result]]] = {
    "forest_entropy": forest_entropy,
    "forest_gini": forest_gini,
    "forest_adult": forest_adult,
    "forest_covertype": forest_covertype,
    "forest_traits": forest_traits,
    "forest_extra": forest_extra,
    "forest_binned": forest_binned,
    "forest_binned_tree": forest_binned_tree,
    "forest_predict_numeric": forest_predict_numeric,
    "forest_predict_adult": forest_predict_adult,
    "forest_single_row": forest_single_row,
    "forest_accuracy": forest_accuracy,
}
