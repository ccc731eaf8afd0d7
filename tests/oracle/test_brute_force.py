"""The reference grower's answer to the question of one node is the one that brute force finds in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency

from oracle.brute_force import TIE, as_instances, class_changes, cut_gains, first_best, subset_gains, value_gain
from quercus.data import Attribute, ClassTarget, Dataset, Schema
from quercus.growing.recipe import CLASSIFICATION_CRITERIA, REGRESSION_CRITERIA, Recipe
from quercus.growing.reference.grower import evaluate_node, is_significant
from quercus.growing.reference.splits import Candidate

# pinball: tests/quantiles
CRITERIA = tuple(name for name in CLASSIFICATION_CRITERIA + REGRESSION_CRITERIA if name != "pinball")
N_TABLES = 20


def random_target(random: np.random.Generator, criterion: str, n_rows: int, n_classes: int = 3) -> np.ndarray:
    if criterion in CLASSIFICATION_CRITERIA:
        return random.integers(0, n_classes, n_rows)
    if criterion == "poisson":
        return random.integers(1, 6, n_rows).astype(float)
    return random.integers(0, 6, n_rows) / 2


def candidate(
    attribute: Attribute, cells: np.ndarray, y: np.ndarray, weights: np.ndarray, recipe: Recipe
) -> Candidate | None:
    """What the reference grower offers for one attribute."""
    dataset = Dataset(Schema((attribute,)), (cells,), len(y))
    k = int(y.max()) + 1 if y.dtype.kind == "i" else 0
    target = ClassTarget(np.array(list("abcdefgh")[:k]), y.astype(np.int32)) if k else y
    decision = evaluate_node(dataset, target, recipe, weights=weights)
    return decision.candidates[0] if decision.candidates else None


def tie_of(criterion: str, y: np.ndarray) -> Fraction:
    """Ties of regression are relative; these targets are of size 1, so a small number serves."""
    return TIE if criterion in CLASSIFICATION_CRITERIA else Fraction(1, 10**11)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("missing", [False, True], ids=["complete", "some unknown"])
def test_best_threshold_is_the_first_best_of_all_cuts(criterion: str, missing: bool) -> None:
    for seed in range(N_TABLES):
        random = np.random.default_rng([seed, missing])
        n_rows = int(random.integers(3, 14))
        x = random.integers(0, 7, n_rows) / 2
        x[random.random(n_rows) < 0.3 * missing] = np.nan
        y, weights = random_target(random, criterion, n_rows), random.integers(1, 4, n_rows).astype(float)
        gains = cut_gains(criterion, x.tolist(), as_instances(y.tolist(), weights.tolist()))
        found = candidate(Attribute("x", "numeric"), x, y, weights, Recipe(name="", criterion=criterion))
        if len(np.unique(y)) < 2:
            continue
        assert (found is None) == (not gains), seed
        if found is None:
            continue
        best = list(gains)[first_best(list(gains.values()), tie_of(criterion, y))]
        known = x[~np.isnan(x)]
        above = known[known > best].min()
        assert found.threshold == best / 2 + above / 2, seed
        assert found.gain == pytest.approx(float(gains[best]), rel=1e-12, abs=1e-14), seed


@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c != "absolute_error"])
def test_best_subset_is_the_best_of_all_divisions(criterion: str) -> None:
    """For two classes and for numbers only an ordering is tried, and loses nothing: Breiman's theorem.

    Ordering by medians is a heuristic for absolute error; see the next test.
    """
    for seed in range(N_TABLES):
        random = np.random.default_rng([seed, 2])
        n_rows, n_classes = int(random.integers(3, 13)), int(random.choice([2, 2, 3, 4]))
        codes = random.integers(-1, 5, n_rows).astype(np.int32)
        y, weights = random_target(random, criterion, n_rows, n_classes), random.integers(1, 4, n_rows).astype(float)
        gains = subset_gains(criterion, codes.tolist(), as_instances(y.tolist(), weights.tolist()))
        if not gains or len(np.unique(y)) < 2:
            continue
        attribute = Attribute("x", "nominal", tuple("abcde"))
        found = candidate(attribute, codes, y, weights, Recipe(name="", criterion=criterion, nominal="subset"))
        assert found is not None and found.value_branch is not None, seed
        assert found.gain == pytest.approx(float(max(gains.values())), rel=1e-10, abs=1e-12), seed
        left = frozenset(np.flatnonzero(found.value_branch == 0).tolist())
        assert found.gain == pytest.approx(float(gains[left]), rel=1e-10, abs=1e-12), seed
        absent = set(range(5)) - set(codes.tolist())
        assert set(np.flatnonzero(found.value_branch == -1).tolist()) == absent, seed


def test_subset_of_absolute_error_gains_what_it_says_and_no_more_than_possible() -> None:
    for seed in range(N_TABLES):
        random = np.random.default_rng([seed, 3])
        codes = random.integers(0, 4, 10).astype(np.int32)
        y, weights = random_target(random, "absolute_error", 10), np.ones(10)
        gains = subset_gains("absolute_error", codes.tolist(), as_instances(y.tolist(), weights.tolist()))
        attribute = Attribute("x", "nominal", tuple("abcd"))
        recipe = Recipe(name="", criterion="absolute_error", nominal="subset")
        found = candidate(attribute, codes, y, weights, recipe)
        assert found is not None and found.value_branch is not None
        left = frozenset(np.flatnonzero(found.value_branch == 0).tolist())
        assert found.gain == pytest.approx(float(gains[left]), rel=1e-10, abs=1e-12)
        assert found.gain <= float(max(gains.values())) + 1e-12


def test_exhaustive_subset_takes_the_first_of_tied_divisions() -> None:
    """Three classes, three values, each pure: all three divisions gain the same; {a} | {b, c} comes first."""
    codes, y = np.array([0, 1, 2], dtype=np.int32), np.array([0, 1, 2])
    recipe = Recipe(name="", criterion="gini", nominal="subset")
    found = candidate(Attribute("x", "nominal", tuple("abc")), codes, y, np.ones(3), recipe)
    assert found is not None and found.value_branch is not None
    assert found.value_branch.tolist() == [0, 1, 1]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_multiway_gain_is_exact(criterion: str) -> None:
    for seed in range(N_TABLES):
        random = np.random.default_rng([seed, 4])
        codes = random.integers(-1, 4, 9).astype(np.int32)
        y, weights = random_target(random, criterion, 9), random.integers(1, 4, 9) / 4
        found = candidate(
            Attribute("x", "nominal", tuple("abcd")), codes, y, weights, Recipe(name="", criterion=criterion)
        )
        if found is None:
            assert len(set(codes.tolist()) - {-1}) < 2 or len(np.unique(y)) < 2
            continue
        exact = value_gain(criterion, codes.tolist(), as_instances(y.tolist(), weights.tolist()))
        assert found.gain == pytest.approx(float(exact), rel=1e-12, abs=1e-14), seed


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_only_cuts_where_the_class_changes_can_be_best(criterion: str) -> None:
    """Fayyad and Irani: looking only where the class changes loses nothing."""
    for seed in range(60):
        random = np.random.default_rng([seed, 5])
        n_rows = int(random.integers(2, 13))
        x, y = random.integers(0, 8, n_rows).tolist(), random.integers(0, 3, n_rows).tolist()
        gains = cut_gains(criterion, x, as_instances(y, [1.0] * n_rows))
        places = class_changes(x, y)
        if not gains or max(gains.values()) <= TIE:
            continue
        assert places and max(gains[a] for a in places) >= max(gains.values()) - TIE, seed
        assert list(gains)[first_best(list(gains.values()))] in places, seed


def test_temperature_candidates_are_54_and_85() -> None:
    temperature, play = [40.0, 48.0, 60.0, 72.0, 80.0, 90.0], [0, 0, 1, 1, 1, 0]
    assert class_changes(temperature, play) == {48.0, 80.0}
    recipe = Recipe(name="", criterion="entropy")
    found = candidate(Attribute("Temperature", "numeric"), np.array(temperature), np.array(play), np.ones(6), recipe)
    assert found is not None and found.tried_thresholds is not None and found.tried_gains is not None
    assert found.tried_thresholds.tolist() == [44.0, 54.0, 66.0, 76.0, 85.0]
    assert found.threshold == 54.0
    assert set(np.argsort(-found.tried_gains)[:1].tolist()) == {1}


def test_significance_is_that_of_scipy() -> None:
    random = np.random.default_rng(6)
    for _ in range(200):
        table = random.integers(0, 6, (int(random.integers(2, 4)), int(random.integers(2, 4)))).astype(float)
        alpha = float(random.choice([0.01, 0.05, 0.3, 0.8]))
        full = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        if min(full.shape) < 2:
            assert not is_significant(table, alpha)
            continue
        statistic, _, freedom, _ = chi2_contingency(full, correction=False)
        assert is_significant(table, alpha) == (statistic >= chi2.isf(alpha, freedom))
