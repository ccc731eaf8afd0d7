"""Growing forests: the quick grower against the general one, draws against their counts, trees against single trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from long_tail import most_slow
from oracle.same_tree import difference
from oracle.tables import Case, huge_case, large_case, numeric_case, random_case
from scipy.stats import chisquare
from sklearn.ensemble import RandomForestClassifier as ScikitForest

from quercus.criteria import CLASS_CRITERIA
from quercus.data import encode, encode_classes
from quercus.errors import ParameterError
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import Sampling, drawn_counts, grow_forest
from quercus.growing.grow import SWITCHES, grow
from quercus.predict import predict_distribution
from quercus.predict.forest import forest_distribution, forest_leaves
from quercus.tree.forest import Forest
from quercus.tree.packing import checked_packed
from quercus.tree.tree import Tree

GENERAL, SIBLINGS = SWITCHES["rank_columns"], SWITCHES["siblings"]


def random_sampling(random: np.random.Generator, n_attributes: int) -> Sampling:
    """Rows and attributes sampled in any way."""
    per_node = int(random.integers(1, n_attributes + 1))
    per_tree = None if random.random() < 0.6 else int(random.integers(1, n_attributes + 1))
    bootstrap = random.choice(["no", "with", "without"])
    constant = random.choice(["redraw", "count"])
    return Sampling(bootstrap, None, per_node, per_tree, constant_attributes=constant)


def forest_of(case: Case, sampling: Sampling, seed: int, n_trees: int = 2, **options: int) -> Forest:
    """A small forest of a random table."""
    return grow_forest(case.dataset, case.target, case.recipe, sampling, n_trees, seed, **case.arguments(), **options)


def subset_case(case: Case, random: np.random.Generator) -> Case:
    """The case with a recipe that the quick grower follows; bins are of all rows there, so none."""
    regression = case.recipe.is_regression
    criterion = "squared_error" if regression else str(random.choice(list(CLASS_CRITERIA)))
    limits = {
        "min_samples_leaf": int(random.choice([1, 1, 3])),
        "max_depth": [None, 3][random.integers(0, 2)],
        "max_leaf_nodes": [None, None, 6][random.integers(0, 3)],
        "threshold": ["midpoint", "short"][random.integers(0, 2)],
        "sufficient_majority": None if regression else [None, None, 0.8][random.integers(0, 3)],
    }
    return replace(case, recipe=cart_recipe(criterion, **limits))


def differing(cases: list[tuple[Case, Sampling, int]], **options: int) -> list[str]:
    """The cases in which the general grower gives another forest."""
    found = []
    for case, sampling, seed in cases:
        quick = forest_of(case, sampling, seed)
        for number, tree in enumerate(forest_of(case, sampling, seed, **options)):
            reason = difference(quick.tree(number), tree)
            if reason is not None:
                found.append(f"{case.made_by} {sampling} seed {seed}: {reason[:800]}")
    return found


@pytest.mark.parametrize("chunk", most_slow(8, 2))
def test_quick_grower_gives_the_general_grower_s_forest(chunk: int) -> None:
    cases = []
    for seed in range(chunk * 60, chunk * 60 + 60):
        random = np.random.default_rng(seed)
        made = numeric_case(seed) if seed % 10 == 0 else large_case(seed) if seed % 20 == 1 else random_case(seed)
        case = subset_case(made, random)
        cases.append((case, random_sampling(random, len(case.dataset.columns)), seed))
    assert differing(cases, switches=GENERAL) == []


def test_quick_grower_gives_the_general_grower_s_forest_on_large_tables() -> None:
    cases = []
    for seed in range(8):
        random = np.random.default_rng(seed)
        case = subset_case(huge_case(seed), random)
        cases.append((case, random_sampling(random, len(case.dataset.columns)), seed))
    assert differing(cases, switches=GENERAL) == []


def binned_case(seed: int) -> tuple[Case, Sampling]:
    """Classes by bins: nodes of some size count bins; if they look at all attributes of their tree they keep them."""
    random = np.random.default_rng([seed, 9])
    made = huge_case(seed) if seed % 40 == 0 else large_case(seed) if seed % 2 else numeric_case(seed)
    case = replace(subset_case(made, random), weights=None)
    recipe = replace(case.recipe, max_bins=int(random.choice([4, 20, 255])))
    n_attributes = len(case.dataset.columns)
    per_node, per_tree = (int(number) for number in random.integers(1, n_attributes + 1, 2))
    bootstrap, constant = random.choice(["no", "with", "without"]), random.choice(["redraw", "count"])
    sampling = Sampling(bootstrap, None, None if seed % 3 else per_node, per_tree, constant_attributes=constant)
    return replace(case, recipe=recipe), sampling


@pytest.mark.parametrize("chunk", most_slow(8, 2))
def test_counts_left_of_the_parent_s_give_the_counted_forest(chunk: int) -> None:
    cases = [(*binned_case(seed), seed) for seed in range(chunk * 40, chunk * 40 + 40)]
    assert differing(cases, switches=SIBLINGS) == []
    all_rows = [each for each in cases if each[1].bootstrap == "no"]  # the general grower bins the drawn rows
    assert all_rows
    assert differing(all_rows, switches=GENERAL) == []


@pytest.mark.parametrize("seed", most_slow(60, 15))
def test_a_row_drawn_twice_has_weight_two(seed: int) -> None:
    """With all attributes looked at, a forest's tree is the tree of weights = numbers of draws, for any recipe."""
    case = random_case(seed)
    if case.recipe.max_bins is not None or case.weights is not None:
        case = replace(case, recipe=replace(case.recipe, max_bins=None), weights=None)
    sampling = Sampling(bootstrap=["with", "without"][seed % 2])
    for number, tree in enumerate(forest_of(case, sampling, seed)):
        counts = drawn_counts(sampling, seed, number, case.dataset.n_rows).astype(np.float64)
        single = grow(case.dataset, case.target, case.recipe, **{**case.arguments(), "weights": counts})
        assert difference(single, tree) is None


@pytest.mark.parametrize("seed", most_slow(60, 15))
def test_without_draws_every_tree_is_the_single_tree(seed: int) -> None:
    case = random_case(seed + 1000)
    single = grow(case.dataset, case.target, case.recipe, **case.arguments())
    every_attribute = Sampling(bootstrap="no", attributes_per_node=len(case.dataset.columns))
    same = forest_of(case, Sampling(bootstrap="no"), seed)
    whole = not case.recipe.is_regression and (case.weights is None or (case.weights % 1 == 0).all())
    if whole or not same.is_packed:
        assert all(tree == single for tree in same)
    assert all(difference(single, tree) is None for tree in same)
    assert all(difference(single, tree) is None for tree in forest_of(case, every_attribute, seed))


@pytest.mark.parametrize("switches", [0, GENERAL])
def test_constant_attributes_are_drawn_again_or_count(switches: int) -> None:
    """Of ten attributes one varies: drawn again, it is always found; counted, in about one tree of ten."""
    table = {"varies": [1.0, 2.0, 3.0, 4.0]} | {f"constant {i}": [5.0] * 4 for i in range(9)}
    dataset, target = encode(table), encode_classes([0, 0, 1, 1])
    leaves = {}
    for constant in ("redraw", "count"):
        sampling = Sampling("no", attributes_per_node=1, constant_attributes=constant)
        forest = grow_forest(dataset, target, cart_recipe(), sampling, 400, seed=0, switches=switches)
        leaves[constant] = int((forest.n_nodes == 1).sum())
    assert leaves["redraw"] == 0
    assert 330 < leaves["count"] < 385


@pytest.mark.parametrize("switches", [0, GENERAL])
def test_attributes_not_drawn_for_the_tree_never_count(switches: int) -> None:
    random = np.random.default_rng(0)
    table = {f"x{j}": random.normal(size=60) for j in range(6)}
    dataset, target = encode(table), encode_classes(random.integers(0, 2, 60))
    sampling = Sampling("no", attributes_per_node=1, attributes_per_tree=2, constant_attributes="count")
    forest = grow_forest(dataset, target, cart_recipe(), sampling, 20, seed=0, switches=switches)
    for tree in forest:  # numbers without ties vary everywhere: the trees are whole
        assert (tree.value[tree.kind == 0].max(axis=1) == tree.weight[tree.kind == 0]).all()


def traits_table(seed: int, n_classes: int) -> tuple[object, object]:
    """Few and many distinct numbers of both precisions, few and many levels; labels that follow some of them."""
    random = np.random.default_rng(seed)
    n_rows = 600
    wide, few = random.normal(size=n_rows), random.integers(0, 9, n_rows).astype(np.float32)
    level = random.integers(0, 150, n_rows)
    table = {
        "wide": wide,
        "narrow": random.normal(size=n_rows).astype(np.float32),
        "few": few,
        "two": random.integers(0, 2, n_rows).astype(np.float64),
        "level": np.array([f"v{code}" for code in level], dtype=object),
        "colour": random.choice(["red", "green", "blue"], n_rows).astype(object),
    }
    label = (np.floor(wide * 2) + few + level % 7 + random.integers(0, 2, n_rows)).astype(int) % n_classes
    return encode(table), encode_classes(label)


def counts_table(seed: int, n_classes: int) -> tuple[object, object]:
    """A wide table of counts, most of them 0; one column is constant, one has no zeros, one many distinct numbers."""
    random = np.random.default_rng(seed)
    counts = random.poisson(0.05, size=(400, 180)).astype(np.float32)
    counts[:, 3] = 0
    counts[:, 7] = random.integers(1, 6, 400)
    counts[:, 11] = random.normal(size=400)
    label = (counts[:, :40].sum(axis=1) + counts[:, 7]).astype(int) % n_classes
    return encode({f"w{j}": counts[:, j] for j in range(180)}), encode_classes(label)


@pytest.mark.parametrize("make", [traits_table, counts_table])
@pytest.mark.parametrize("n_classes", [2, 3, 30])
@pytest.mark.parametrize("constant", ["redraw", "count"])
def test_counted_search_gives_the_general_grower_s_forest(make: object, n_classes: int, constant: str) -> None:
    dataset, target = make(n_classes, n_classes)  # type: ignore[operator]
    for least, leaves in ((1, None), (4, None), (1, 12)):
        recipe = cart_recipe("gini", min_samples_leaf=least, max_leaf_nodes=leaves)
        sampling = Sampling("with", attributes_per_node=3, constant_attributes=constant)  # type: ignore[arg-type]
        quick = grow_forest(dataset, target, recipe, sampling, 3, seed=least)
        general = grow_forest(dataset, target, recipe, sampling, 3, seed=least, switches=GENERAL)
        assert [difference(one, other) for one, other in zip(quick, general, strict=True)] == [None] * 3


@pytest.mark.parametrize("make", [traits_table, counts_table])
@pytest.mark.parametrize("n_classes", [2, 3, 30])
@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_random_cuts_by_counts_are_those_by_weights(make: object, n_classes: int, criterion: str) -> None:
    """Weights of one change nothing, but rows are then weighed instead of counted, by another search."""
    dataset, target = make(n_classes, n_classes)  # type: ignore[operator]
    for least, leaves in ((1, None), (4, None), (1, 12)):
        recipe = cart_recipe(criterion, min_samples_leaf=least, max_leaf_nodes=leaves)
        sampling = Sampling("with", attributes_per_node=3, random_thresholds=True)
        counted = grow_forest(dataset, target, recipe, sampling, 3, seed=least)
        weighed = grow_forest(dataset, target, recipe, sampling, 3, seed=least, weights=np.ones(dataset.n_rows))
        assert [difference(one, other) for one, other in zip(counted, weighed, strict=True)] == [None] * 3


def test_scikit_learn_counts_constant_attributes_but_goes_on_until_one_varies() -> None:
    """Of ten attributes one tells the class, one is noise and eight are constant; two are drawn at the root."""
    random = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.column_stack([y, random.normal(size=40), *np.ones((8, 40))])
    theirs = [tree.tree_ for tree in ScikitForest(200, max_features=2, bootstrap=False, random_state=0).fit(X, y)]
    assert all(tree.feature[0] in (0, 1) for tree in theirs)  # one that varies is always found
    share = np.mean([tree.feature[0] == 0 for tree in theirs])
    assert 0.4 < share < 0.7  # but often only one: drawn again until two vary, it would be 1
    dataset, target = encode({f"x{j}": X[:, j] for j in range(10)}), encode_classes(y)
    ours = grow_forest(dataset, target, cart_recipe(), Sampling("no", attributes_per_node=2), 200, seed=0)
    assert all(tree.attribute[0] == 0 for tree in ours)


def iris_like(n_rows: int = 500) -> tuple[object, object]:
    """Numbers, a nominal attribute and gaps; three classes."""
    random = np.random.default_rng(0)
    numbers = random.normal(size=(n_rows, 4))
    colour = random.choice(["red", "green", "blue"], n_rows).astype(object)
    label = (numbers[:, 0] > 0).astype(int) + (colour == "red") * (numbers[:, 1] > 0.3)
    numbers[random.random((n_rows, 4)) < 0.05] = np.nan
    table = {f"x{j}": numbers[:, j] for j in range(4)} | {"colour": colour}
    return encode(table), encode_classes(label)


@pytest.mark.parametrize("random_thresholds", [False, True])
def test_trees_depend_on_seed_and_number_alone(random_thresholds: bool) -> None:
    dataset, target = iris_like()
    sampling = Sampling(attributes_per_node=2, random_thresholds=random_thresholds)
    whole = grow_forest(dataset, target, cart_recipe(), sampling, 6, seed=3)
    two_threads = grow_forest(dataset, target, cart_recipe(), sampling, 6, seed=3, n_jobs=2)
    later = grow_forest(dataset, target, cart_recipe(), sampling, 2, seed=3, first_tree=4)
    assert all(one == other for one, other in zip(whole, two_threads, strict=True))
    assert later.tree(0) == whole.tree(4) and later.tree(1) == whole.tree(5)
    assert whole.tree(0) != whole.tree(1)
    assert whole.tree(0) != grow_forest(dataset, target, cart_recipe(), sampling, 1, seed=4).tree(0)


def test_known_draws_stay_what_they_are() -> None:
    """Models saved as seeds must find their rows again: these numbers may never change."""
    assert drawn_counts(Sampling(), 1, 0, 8).tolist() == [1, 2, 0, 0, 0, 0, 3, 2]
    assert drawn_counts(Sampling(bootstrap="without"), 1, 0, 8).sum() == 5


@pytest.mark.parametrize("bootstrap", ["with", "without"])
def test_draws_are_even(bootstrap: str) -> None:
    sampling = Sampling(bootstrap=bootstrap)
    counts = np.array([drawn_counts(sampling, 11, tree, 40) for tree in range(2000)])
    assert (counts.sum(axis=1) == sampling.rows_drawn(40)).all()
    assert bootstrap == "with" or counts.max() == 1
    assert chisquare(counts.sum(axis=0)).pvalue > 1e-4
    if bootstrap == "with":
        assert abs((counts == 0).mean() - (1 - 1 / 40) ** 40) < 0.01


def test_every_attribute_is_drawn_as_often() -> None:
    """Six copies of one column: the root asks the first of those drawn, so each copy's share is known."""
    x = np.arange(64.0)
    dataset, target = encode({f"x{j}": x for j in range(6)}), encode_classes(x > 30)
    sampling = Sampling(bootstrap="no", attributes_per_node=2)
    roots = [tree.attribute[0] for tree in grow_forest(dataset, target, cart_recipe(), sampling, 3000, seed=1)]
    expected = np.array([5, 4, 3, 2, 1]) / 15 * 3000  # of pairs, those whose smaller member it is
    assert chisquare(np.bincount(roots, minlength=6)[:5], expected).pvalue > 1e-4


def test_constant_attributes_are_not_counted_among_those_drawn() -> None:
    dataset = encode({**{f"c{j}": np.ones(20) for j in range(9)}, "x": np.arange(20.0)})
    sampling = Sampling(attributes_per_node=1)
    forest = grow_forest(dataset, encode_classes(np.arange(20) > 9), cart_recipe(), sampling, 10, seed=0)
    assert all(tree.n_leaves == 2 for tree in forest)


def asked(tree: Tree) -> set[int]:
    return set(tree.attribute[tree.kind > 0].tolist())


def test_attributes_per_tree_bounds_what_a_tree_asks() -> None:
    dataset, target = iris_like()
    sampling = Sampling(attributes_per_tree=2, attributes_per_node=1)
    forest = grow_forest(dataset, target, cart_recipe(), sampling, 20, seed=0)
    assert all(len(asked(tree)) <= 2 for tree in forest)
    assert len(set().union(*(asked(tree) for tree in forest))) == 5


def test_random_cuts_lie_between_the_numbers_of_the_node() -> None:
    dataset, target = encode({"x": np.arange(100.0) ** 2}), encode_classes(np.arange(100) % 3 == 0)
    sampling = Sampling(bootstrap="no", random_thresholds=True)
    forest = grow_forest(dataset, target, cart_recipe(max_depth=1), sampling, 400, seed=5)
    cuts = np.array([tree.threshold[0] for tree in forest])
    assert len(set(cuts.tolist())) > 60
    assert cuts.min() > 0 and cuts.max() < 99.0**2
    assert abs(cuts.mean() - 99.0**2 / 2) < 500  # evenly over the numbers, not over the ranks


def test_random_cuts_refuse_what_they_do_not_know() -> None:
    dataset, target = encode({"x": np.arange(10.0)}), encode_classes(np.arange(10) > 4)
    recipe = cart_recipe(missing="surrogate")
    with pytest.raises(ParameterError, match="missing own_value, not 'surrogate'"):
        grow_forest(dataset, target, recipe, Sampling(random_thresholds=True), 1, seed=0)


def test_a_stopped_forest_keeps_its_finished_trees() -> None:
    dataset, target = iris_like(4000)

    def stop(done: int, total: int) -> None:
        if done >= 3:
            raise StopIteration

    sampling = Sampling(attributes_per_node=2)
    forest = grow_forest(dataset, target, cart_recipe(), sampling, 100_000, seed=0, progress=stop)
    assert forest.partial and 3 <= len(forest) < 100_000
    assert forest.tree(2) == grow_forest(dataset, target, cart_recipe(), sampling, 3, seed=0).tree(2)


def test_an_error_of_the_progress_callback_is_passed_on() -> None:
    dataset, target = iris_like(4000)

    def fail(done: int, total: int) -> None:
        raise RuntimeError("stop here")

    with pytest.raises(RuntimeError, match="stop here"):
        grow_forest(dataset, target, cart_recipe(), Sampling(attributes_per_node=2), 10_000, seed=0, progress=fail)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"bootstrap": "maybe"}, "bootstrap"),
        ({"share": 0.0}, "share is 0.0"),
        ({"bootstrap": "without", "share": 1.5}, "share is 1.5"),
        ({"attributes_per_node": 0}, "attributes_per_node is 0"),
    ],
)
def test_wrong_sampling_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Sampling(**wrong)  # type: ignore[arg-type]


def test_few_rows_are_answered_as_many_are() -> None:
    """A few rows walk alone, many in step: the same leaves and the same answers."""
    dataset, target = iris_like(3000)
    forest = grow_forest(dataset, target, cart_recipe(), Sampling(attributes_per_node=2), 10, seed=0)
    assert forest.is_packed
    shares, _ = forest_distribution(forest, dataset)
    leaves = forest_leaves(forest, dataset)
    for row in range(0, 3000, 37):
        alone = dataset.take([row])
        assert (forest_distribution(forest, alone)[0] == shares[row]).all()
        assert (forest_leaves(forest, alone) == leaves[row]).all()
    by_trees = np.mean([predict_distribution(tree, dataset) for tree in forest], axis=0)
    assert np.allclose(shares, by_trees, atol=1e-12)


@pytest.mark.parametrize("seed", most_slow(40, 10))
def test_packed_trees_are_right_by_their_making(seed: int) -> None:
    """They are not checked when they were grown, so the check that files go through is made here."""
    random = np.random.default_rng(seed)
    case = subset_case(large_case(seed) if seed % 10 == 0 else random_case(seed), random)
    sampling = replace(random_sampling(random, len(case.dataset.columns)), random_thresholds=bool(seed % 2))
    forest = forest_of(case, sampling, seed)
    for arrays in forest.stored:
        assert not any(array.flags.writeable for array in arrays.values())
        checked_packed(arrays, forest.schema, forest.target_kind)
