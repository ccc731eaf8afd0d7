"""Rules of the specification that random tables seldom decide, each on a table made for it, for both growers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from oracle.brute_force import as_instances, subset_gains
from oracle.growers import both
from quercus.data import Attribute, ClassTarget, Dataset, Schema
from quercus.errors import ParameterError
from quercus.growing.cart import cart_recipe
from quercus.growing.recipe import Recipe
from quercus.tree.tree import Tree

Grower = Callable[..., Tree]
NAN = float("nan")


def numeric(*columns: list[float]) -> Dataset:
    """Numeric attributes x0, x1, …"""
    attributes = tuple(Attribute(f"x{i}", "numeric") for i in range(len(columns)))
    return Dataset(Schema(attributes), tuple(np.array(column, dtype=float) for column in columns), len(columns[0]))


def nominal(codes: list[int], n_values: int) -> Dataset:
    """One nominal attribute; −1 is unknown."""
    values = tuple(f"v{i}" for i in range(n_values))
    return Dataset(Schema((Attribute("x0", "nominal", values),)), (np.array(codes, dtype=np.int32),), len(codes))


def classes(codes: list[int]) -> ClassTarget:
    return ClassTarget(np.array(list("abcdefgh")[: max(codes) + 1]), np.array(codes, dtype=np.int32))


def recipe(**choices: object) -> Recipe:
    return Recipe(name="test", **choices)  # type: ignore[arg-type]


# Unknown values


@both
def test_fractional_weights_follow_the_known_shares(grower: Grower) -> None:
    tree = grower(nominal([0, 0, 0, 1, -1], 2), classes([0, 0, 0, 1, 1]), recipe())
    assert tree.weight.tolist() == [5.0, 3.75, 1.25]
    assert tree.count.tolist() == [5, 4, 2]
    assert tree.value.tolist() == [[3.0, 2.0], [3.0, 0.75], [0.0, 1.25]]
    assert tree.missing_child.tolist() == [-1, -1, -1]
    known_gain = 0.8112781244591328  # the entropy of [3, 1]
    assert tree.gain[0] == pytest.approx(4 / 5 * known_gain)


@both
def test_fractional_instances_do_not_enter_empty_branches(grower: Grower) -> None:
    tree = grower(nominal([0, 0, 2, -1], 3), classes([0, 0, 1, 1]), recipe())
    assert tree.count.tolist() == [4, 3, 0, 2]
    assert (tree.kind[2], tree.weight[2], tree.value[2].tolist()) == (0, 0.0, [0.0, 0.0])


@both
def test_most_common_value_is_the_first_of_the_heaviest(grower: Grower) -> None:
    tree = grower(nominal([1, 0, 1, 0, -1], 2), classes([1, 0, 1, 0, 1]), recipe(missing="most_common"))
    assert tree.missing_child[0] == 0
    assert tree.weight.tolist() == [5.0, 3.0, 2.0]


@both
def test_most_common_number_is_the_lower_median(grower: Grower) -> None:
    data = numeric([1.0, 2.0, 3.0, 4.0, NAN, NAN])
    tree = grower(data, classes([0, 0, 1, 1, 0, 0]), recipe(missing="most_common"))
    assert tree.threshold[0] == 2.5
    assert tree.missing_child[0] == 0  # the median is 2
    assert tree.weight.tolist() == [6.0, 4.0, 2.0]


@both
def test_class_most_common_looks_at_the_class(grower: Grower) -> None:
    """Class b is always v1: its unknown instance goes there, though v0 is more common and prediction goes there."""
    tree = grower(nominal([0, 0, 0, 1, 1, -1], 2), classes([0, 0, 0, 1, 1, 1]), recipe(missing="class_most_common"))
    assert tree.value.tolist() == [[3.0, 3.0], [3.0, 0.0], [0.0, 3.0]]
    assert tree.missing_child[0] == 0
    assert tree.gain[0] == pytest.approx(1.0)


@both
def test_own_value_gives_unknown_a_last_branch(grower: Grower) -> None:
    tree = grower(nominal([0, 0, 1, -1, -1], 2), classes([0, 0, 0, 1, 1]), recipe(missing="own_value"))
    assert (tree.n_children[0], tree.missing_child[0]) == (3, 2)
    assert tree.value[1:].tolist() == [[2.0, 0.0], [1.0, 0.0], [0.0, 2.0]]


@both
def test_own_value_of_a_complete_column_goes_to_the_heaviest_child(grower: Grower) -> None:
    tree = grower(nominal([0, 1, 1], 2), classes([0, 1, 1]), recipe(missing="own_value"))
    assert (tree.n_children[0], tree.missing_child[0]) == (2, 1)


@both
def test_own_value_of_a_number_can_be_known_against_unknown(grower: Grower) -> None:
    tree = grower(numeric([1.0, 2.0, 3.0, NAN, NAN]), classes([0, 0, 0, 1, 1]), recipe(missing="own_value"))
    assert (tree.threshold[0], tree.missing_child[0]) == (np.inf, 1)
    assert tree.weight.tolist() == [5.0, 3.0, 2.0]


@both
def test_own_value_of_a_number_joins_the_side_it_fits(grower: Grower) -> None:
    """Cuts with unknown come before known | unknown, left before right."""
    tree = grower(numeric([1.0, 2.0, 3.0, 4.0, NAN]), classes([0, 0, 1, 1, 0]), recipe(missing="own_value"))
    assert (tree.threshold[0], tree.missing_child[0]) == (2.5, 0)
    tree = grower(numeric([1.0, 2.0, 3.0, 4.0, NAN]), classes([0, 0, 1, 1, 1]), recipe(missing="own_value"))
    assert (tree.threshold[0], tree.missing_child[0]) == (2.5, 1)


@both
def test_surrogate_sends_what_the_split_cannot_see(grower: Grower) -> None:
    """x1 runs against x0 and agrees on 7 of 8; x2 is constant; row 8 has only x1, row 9 nothing."""
    x0 = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, NAN, NAN]
    x1 = [9.0, 9.0, 9.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0, NAN]
    y = classes([0, 0, 0, 0, 1, 1, 1, 1, 1, 0])
    tree = grower(numeric(x0, x1, [5.0] * 10), y, cart_recipe(missing="surrogate", max_depth=1))
    assert (tree.attribute[0], tree.threshold[0]) == (0, 4.5)
    assert tree.surrogate_start.tolist() == [0, 1, 1, 1]
    assert (tree.surrogate_attribute[0], tree.surrogate_threshold[0], tree.surrogate_low_child[0]) == (1, 5.0, 1)
    assert tree.surrogate_agreement[0] == pytest.approx(7 / 8)
    assert tree.surrogate_adjusted[0] == pytest.approx((7 - 4) / (8 - 4))
    assert tree.missing_child[0] == 0
    assert tree.count.tolist() == [10, 6, 4]  # both unknown rows go left: by the surrogate, and to the first of equals


@both
def test_nominal_surrogate_sends_each_value_where_most_of_it_goes(grower: Grower) -> None:
    attributes = (Attribute("x", "numeric"), Attribute("s", "nominal", ("p", "q", "r", "never")))
    columns = (np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), np.array([0, 0, 2, 2, 1, 1], dtype=np.int32))
    data = Dataset(Schema(attributes), columns, 6)
    tree = grower(data, classes([0, 0, 0, 1, 1, 1]), cart_recipe(missing="surrogate", max_depth=1))
    assert tree.surrogate_group_value.tolist() == [0, 1, 2]
    assert tree.surrogate_group_child.tolist() == [0, 1, 0]  # r goes half and half: to branch 0
    assert tree.surrogate_adjusted[0] == pytest.approx((5 - 3) / (6 - 3))


# Thresholds


@both
@pytest.mark.parametrize(("rule", "threshold"), [("midpoint", 3.0), ("data_value", 2.0)])
def test_threshold_is_the_midpoint_or_a_value_of_the_whole_column(grower: Grower, rule: str, threshold: float) -> None:
    """The second split has 1 and 5 on its sides; the column also has 2, at another node."""
    x0, x1 = [0.0, 0.0, 1.0, 1.0], [1.0, 5.0, 2.0, 2.0]
    data = numeric(x0, x1)
    tree = grower(data, classes([0, 1, 2, 2]), recipe(threshold=rule))
    assert tree.attribute[:2].tolist() == [0, 1]
    assert tree.threshold[1] == threshold


@both
def test_a_sufficient_majority_makes_a_leaf(grower: Grower) -> None:
    data, target = numeric([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), classes([0] * 8 + [1, 1])
    assert grower(data, target, recipe(sufficient_majority=0.8)).n_nodes == 1
    assert grower(data, target, recipe(sufficient_majority=0.81)).n_nodes == 3
    weights = np.full(10, 1e-8)  # shares do not depend on the unit of the weights
    assert grower(data, target, recipe(sufficient_majority=0.8), weights=weights).n_nodes == 1
    with pytest.raises(ParameterError, match="sufficient_majority"):
        grower(data, np.arange(10.0), recipe(criterion="squared_error", sufficient_majority=0.9))


@both
def test_short_thresholds_of_splits_and_surrogates(grower: Grower) -> None:
    unknown = [1.0, 2.0, 3.0, 66.0, 67.0, 68.0, NAN, NAN]
    twin = [10.2, 10.4, 11.3, 20.1, 20.2, 29.0, 11.0, 25.0]
    chosen = cart_recipe(missing="surrogate", threshold="short")
    tree = grower(numeric(unknown, twin), classes([0, 0, 0, 1, 1, 1, 0, 1]), chosen)
    assert (tree.attribute[0], tree.threshold[0], tree.n_nodes) == (1, 20.0, 3)  # 10 is not in [11.3, 20.1), 20 is
    assert (tree.surrogate_attribute[0], tree.surrogate_threshold[0]) == (0, 30.0)


@both
def test_threshold_between_neighbouring_numbers_is_the_lower_one(grower: Grower) -> None:
    low = 1.0
    high = float(np.nextafter(low, 2.0))
    tree = grower(numeric([low, high]), classes([0, 1]), recipe())
    assert tree.threshold[0] == low
    tree = grower(numeric([-1.7e308, 1.7e308]), classes([0, 1]), recipe())
    assert tree.threshold[0] == 0.0


@both
def test_zero_and_minus_zero_are_one_value(grower: Grower) -> None:
    assert grower(numeric([0.0, -0.0]), classes([0, 1]), recipe()).n_nodes == 1


@both
def test_threshold_gap_is_exclusive(grower: Grower) -> None:
    data = numeric([0.0, 1.0, 3.0])
    assert grower(data, classes([0, 1, 1]), recipe(threshold_gap=0.5)).threshold[0] == 0.5
    assert grower(data, classes([0, 1, 1]), recipe(threshold_gap=1.0)).threshold[0] == 2.0


@both
def test_threshold_gap_is_added_to_the_lower_value(grower: Grower) -> None:
    """1.51001 − 1.51 is above 1e-5 by rounding alone; 1.51 + 1e-5 is not below 1.51001 (J48, glass data)."""
    data = numeric([1.51, 1.51001, 1.52])
    assert 1.51001 - 1.51 > 1e-5
    assert grower(data, classes([0, 1, 1]), recipe(threshold_gap=1e-5)).threshold[0] > 1.51001
    assert grower(data, classes([0, 1, 1]), recipe()).threshold[0] < 1.51001


# Limits on rows


@both
def test_parts_of_rows_count_by_their_share(grower: Grower) -> None:
    """Of 8 rows, 4 have no x0: each side of x0 gets 2 whole rows and 4 halves, 4 rows and not 6."""
    x0 = [1.0, 1.0, 2.0, 2.0, NAN, NAN, NAN, NAN]
    x1 = [1.0, 2.0, 1.0, 2.0, 1.0, 1.0, 2.0, 2.0]
    data, y = numeric(x0, x1), classes([0, 0, 1, 1, 2, 3, 2, 3])
    choices = {"criterion": "gini", "nominal": "subset", "missing": "fractional"}
    tree = grower(data, y, recipe(min_samples_split=5, **choices))
    assert (tree.attribute[0], tree.weight.tolist(), tree.count.tolist()) == (0, [8.0, 4.0, 4.0], [8, 6, 6])
    deeper = grower(data, y, recipe(min_samples_split=4, **choices))
    assert deeper.n_nodes > 3
    assert grower(data, y, recipe(min_samples_leaf=3, **choices)).n_leaves == 2
    weights = np.full(8, 10.0)  # a row counts as one, whatever it weighs
    assert grower(data, y, recipe(min_samples_split=5, **choices), weights=weights).n_nodes == 3


@both
def test_one_row_is_any_part_of_one(grower: Grower) -> None:
    """min_samples_leaf = 1 and min_samples_split = 2 restrict nothing, as for whole rows."""
    data = numeric([1.0, 2.0, NAN, NAN], [1.0, 1.0, 1.0, 2.0])
    tree = grower(data, classes([0, 1, 0, 1]), recipe(missing="fractional", nominal="subset"))
    assert tree.weight.min() < 1.0


@both
def test_threshold_costs_log2_of_the_cuts(grower: Grower) -> None:
    data, target = numeric([1.0, 2.0, 3.0, 4.0, 5.0]), classes([0, 0, 0, 1, 1])
    free = grower(data, target, recipe()).gain[0]
    assert grower(data, target, recipe(threshold_cost=True)).gain[0] == pytest.approx(free - 2 / 5)
    assert grower(data, classes([0, 1, 0, 1, 0]), recipe(threshold_cost=True)).n_nodes == 1


# Comparisons that rounding must not decide


@both
def test_weights_that_sum_to_the_limit_but_for_rounding_are_enough(grower: Grower) -> None:
    weights = np.array([0.7, 0.1, 0.7, 0.1])
    assert weights[:2].sum() < 0.8
    data, target = numeric([1.0, 2.0, 3.0, 4.0]), classes([0, 0, 1, 1])
    for limit in ("min_objects", "min_weight_leaf"):
        assert grower(data, target, recipe(**{limit: 0.8}), weights=weights).n_nodes == 3
        assert grower(data, target, recipe(**{limit: 0.8001}), weights=weights).n_nodes == 1


@both
def test_equal_gains_pass_a_gate_without_tolerance(grower: Grower) -> None:
    """The mean of equal gains can be greater than each of them in the last bit."""
    for seed in range(40):
        random = np.random.default_rng(seed)
        column, y = random.integers(0, 3, 11).astype(float).tolist(), random.integers(0, 2, 11).tolist()
        data = numeric(*[column] * 7)
        choices = recipe(selection="gain_ratio", gate=True, gate_tolerance=0.0)
        without = grower(data, classes([*y[:-2], 0, 1]), replace(choices, gate=False))
        assert grower(data, classes([*y[:-2], 0, 1]), choices) == without, seed


def random_mixed(seed: int) -> tuple[Dataset, ClassTarget]:
    """Ten rows, a nominal attribute of three values and a numeric one."""
    random = np.random.default_rng(seed)
    attributes = (Attribute("v", "nominal", ("p", "q", "r")), Attribute("x", "numeric"))
    columns = (random.integers(0, 3, 10).astype(np.int32), random.integers(0, 6, 10).astype(float))
    return Dataset(Schema(attributes), columns, 10), classes([*random.integers(0, 2, 8).tolist(), 0, 1])


@both
def test_nominal_of_exactly_the_wide_share_is_not_in_the_mean(grower: Grower) -> None:
    """3 values ≥ 0.3 · 10 rows."""
    decided = 0
    for seed in range(200):
        data, target = random_mixed(seed)
        trees = [
            grower(data, target, recipe(selection="gain_ratio", gate=True, wide_share=share, max_depth=1))
            for share in (0.29, 0.3, 0.31)
        ]
        assert trees[0] == trees[1], seed
        decided += trees[1] != trees[2]
    assert decided > 0


# Value subsets and groups


@both
def test_all_divisions_are_tried_up_to_the_limit(grower: Grower) -> None:
    """With as many values as the limit the best of all divisions is found; above it an ordering can miss it."""
    missed = 0
    for seed in range(200):
        random = np.random.default_rng(seed)
        codes, y = random.integers(0, 6, 20).tolist(), random.integers(0, 4, 20).tolist()
        codes[:6], y[:4] = range(6), range(4)
        choices = recipe(criterion="gini", nominal="subset", max_depth=1)
        found = {k: grower(nominal(codes, 6), classes(y), replace(choices, subset_limit=k)).gain[0] for k in (5, 6)}
        if found[5] < found[6] - 1e-9:
            missed += 1
            gains = subset_gains("gini", codes, as_instances(y, [1.0] * 20))
            assert found[6] == pytest.approx(float(max(gains.values()))), seed
    assert missed > 0


@both
def test_groups_merge_while_the_gain_ratio_improves(grower: Grower) -> None:
    """Values that say the same are merged; groups are numbered by their first value; absent values have no branch."""
    codes, y = [0, 0, 1, 1, 3, 3, 4, 4], [0, 0, 1, 1, 0, 0, 1, 1]
    tree = grower(nominal(codes, 5), classes(y), recipe(nominal="grouped"))
    assert tree.kind[0] == 3
    assert tree.group_value.tolist() == [0, 1, 3, 4]
    assert tree.group_child.tolist() == [0, 1, 0, 1]


@both
def test_lightest_of_more_than_256_values_start_as_one_group(grower: Grower) -> None:
    """300 values; the first 45 have one row each: they start together, and stay so though they are of both classes."""
    codes = [*range(45), *[code for code in range(45, 300) for _ in range(2)]]
    y = [*[code % 2 for code in range(45)], *[code % 2 for code in range(45, 300) for _ in range(2)]]
    choices = recipe(nominal="grouped", max_depth=1)
    tree = grower(nominal(codes, 300), classes(y), choices)
    assert len(set(tree.group_child[:45].tolist())) == 1
    assert len(set(tree.group_child[45::2].tolist())) == len(set(tree.group_child[46::2].tolist())) == 1
    assert tree.group_child[45] != tree.group_child[46]
    assert len(set(grower(nominal(codes[:400], 300), classes(y[:400]), choices).group_child[:45].tolist())) == 2


# Order of growing, collapsing, acceptance


@both
def test_best_first_splits_the_node_of_largest_improvement(grower: Grower) -> None:
    """After the root, the right node [6, 1] improves by 12/7, the left one [1, 1] by 1."""
    data = numeric([0.0] * 2 + [1.0] * 7, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    target = classes([0, 1, 2, 2, 2, 2, 2, 2, 3])
    tree = grower(data, target, recipe(criterion="gini", max_leaf_nodes=3))
    assert (tree.n_leaves, tree.kind[2]) == (3, 1)
    assert grower(data, target, recipe(criterion="gini", max_leaf_nodes=1)).n_nodes == 1


@both
def test_split_with_too_many_branches_is_passed_over(grower: Grower) -> None:
    """The best split has four branches and does not fit three leaves: nothing is split."""
    data, target = nominal([0, 1, 2, 3], 4), classes([0, 1, 0, 1])
    assert grower(data, target, recipe(max_leaf_nodes=3)).n_nodes == 1
    assert grower(data, target, recipe(max_leaf_nodes=4)).n_nodes == 5


def random_weighted(seeds: range) -> Iterator[tuple[int, Dataset, ClassTarget, np.ndarray]]:
    for seed in seeds:
        random = np.random.default_rng(seed)
        data = numeric(*[random.integers(0, 3, 16).astype(float).tolist() for _ in range(3)])
        yield seed, data, classes([*random.integers(0, 2, 14).tolist(), 0, 1]), random.choice([0.1, 0.3, 0.6], 16)


@both
def test_collapsing_bottom_up_counts_collapsed_branches(grower: Grower) -> None:
    """A collapsed branch makes more errors than its leaves did, so the node above may collapse too; not so top down."""
    smaller = 0
    for seed, data, target, weights in random_weighted(range(120)):
        sizes = {}
        for rule in ("no", "top_down", "bottom_up"):
            tree = grower(data, target, recipe(collapse=rule, collapse_tolerance=0.35), weights=weights)
            sizes[rule] = tree.n_nodes
        assert sizes["bottom_up"] <= sizes["top_down"] <= sizes["no"], seed
        smaller += sizes["bottom_up"] < sizes["top_down"]
    assert smaller > 0


@both
def test_collapsing_uses_the_cost_matrix(grower: Grower) -> None:
    """Missing class b costs 5: a leaf of [3 a, 1 b] would answer b at a cost of 3, its branches cost nothing."""
    data, target = numeric([1.0, 2.0, 3.0, 4.0]), classes([0, 0, 0, 1])
    choices = recipe(collapse="bottom_up", collapse_tolerance=2.0)
    assert grower(data, target, choices).n_nodes == 1
    assert grower(data, target, choices, cost_matrix=np.array([[0.0, 1.0], [5.0, 0.0]])).n_nodes == 3


@both
def test_costs_multiply_classes_in_the_criterion_only(grower: Grower) -> None:
    data, target = numeric([1.0, 2.0, 3.0, 4.0]), classes([0, 1, 0, 0])
    costs = np.array([[0.0, 1.0], [3.0, 0.0]])  # multipliers 1/2 and 3/2
    tree = grower(data, target, recipe(criterion="gini", max_depth=1), cost_matrix=costs)
    assert tree.value[0].tolist() == [3.0, 1.0]
    assert tree.threshold[0] == 2.5
    # multiplied: [1.5, 1.5] → [0.5, 1.5] | [1, 0]; purity 1.25 − 2 + 0 + 1.5
    assert tree.gain[0] == pytest.approx((2.5 / 2 - 2 + 1.5) / 3)


@both
def test_split_must_be_significant(grower: Grower) -> None:
    """[4, 0] | [1, 3] has chi-square 4.8 with one degree of freedom: significant at 0.05 (3.84), not at 0.02 (5.41)."""
    data, target = numeric([0.0] * 4 + [1.0] * 4), classes([0, 0, 0, 0, 0, 1, 1, 1])
    assert grower(data, target, recipe(significance=0.05)).n_nodes == 3
    assert grower(data, target, recipe(significance=0.02)).n_nodes == 1


@both
def test_nominal_is_asked_once_on_a_path(grower: Grower) -> None:
    tree = grower(nominal([0, 0, 1, 1], 2), classes([0, 1, 0, 1]), recipe())
    assert (tree.n_nodes, tree.depth) == (3, 1)


@both
def test_cheap_attributes_win_with_cost_measures(grower: Grower) -> None:
    """Gain 1 at cost 150 against gain 0.31 at cost 1."""
    attributes = (Attribute("blood test", "numeric", cost=150.0), Attribute("pulse", "numeric", cost=1.0))
    columns = (np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0, 1.0]))
    data, target = Dataset(Schema(attributes), columns, 4), classes([0, 0, 1, 1])
    chosen = {
        selection: int(grower(data, target, recipe(selection=selection)).attribute[0])
        for selection in ("gain", "tan_schlimmer", "nunez")
    }
    assert chosen == {"gain": 0, "tan_schlimmer": 1, "nunez": 1}


# Regression


@both
def test_prediction_of_absolute_error_is_the_midpoint_of_the_medians(grower: Grower) -> None:
    tree = grower(numeric([1.0] * 4), np.array([1.0, 2.0, 6.0, 9.0]), recipe(criterion="absolute_error"))
    assert tree.value.tolist() == [[4.0, 4.5, 41.0]]
    tree = grower(numeric([1.0] * 4), np.array([1.0, 2.0, 6.0, 9.0]), recipe(criterion="squared_error"))
    assert tree.value.tolist() == [[4.5, 4.5, 41.0]]


@both
def test_poisson_makes_no_branch_without_counts(grower: Grower) -> None:
    """0 0 | 1 5 would be best, but a branch of zeros predicts a rate of 0."""
    tree = grower(
        numeric([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 0.0, 1.0, 5.0]), recipe(criterion="poisson", max_depth=1)
    )
    assert tree.threshold[0] == 3.5


@both
def test_target_far_from_zero_loses_nothing(grower: Grower) -> None:
    y = np.array([0.0, 1.0, 4.0, 4.0, 5.0, 9.0])
    near = grower(numeric([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), y, recipe(criterion="squared_error"))
    far = grower(numeric([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), y + 2.0**40, recipe(criterion="squared_error"))
    assert near.threshold.tolist()[:3] == far.threshold.tolist()[:3]
    np.testing.assert_allclose(near.gain, far.gain)
    np.testing.assert_allclose(near.value[:, 2], far.value[:, 2], atol=1e-12)
