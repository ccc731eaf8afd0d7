"""What the textbook proves of entropy and gain, as properties of any table."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from quercus.measures import (
    accuracy_gain,
    average_log_likelihood,
    conditional_entropy,
    entropy,
    gain,
    gini,
    gini_gain,
    joint_entropy,
    misclassification_error,
    mutual_information,
    split_information,
    tree_log_likelihood,
)

CLOSE = 1e-9
weights = st.one_of(st.integers(0, 50).map(float), st.floats(0, 1e6, allow_subnormal=False).map(lambda w: round(w, 3)))
rows = st.lists(weights, min_size=1, max_size=6).filter(lambda row: sum(row) > 0).map(np.array)
tables = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=weights).filter(
    lambda table: table.sum() > 0
)
settings.register_profile("measures", max_examples=80, deadline=None)
measures = settings.get_profile("measures")


@measures
@given(rows)
def test_entropy_lies_between_0_and_the_logarithm_of_the_outcomes(row: np.ndarray) -> None:
    assert 0.0 <= entropy(row) <= math.log2(len(row)) + CLOSE


@measures
@given(rows, st.floats(0.001, 1e6))
def test_only_the_ratios_of_counts_matter(row: np.ndarray, factor: float) -> None:
    for impurity in (entropy, gini, misclassification_error):
        assert impurity(row * factor) == pytest.approx(impurity(row), abs=CLOSE)


@measures
@given(rows, st.floats(1.1, 100))
def test_a_change_of_base_divides_by_its_logarithm(row: np.ndarray, base: float) -> None:
    assert entropy(row, base=base) == pytest.approx(entropy(row) / math.log2(base), abs=CLOSE)


@measures
@given(tables)
def test_the_chain_rule_both_ways(joint: np.ndarray) -> None:
    assert joint_entropy(joint) == pytest.approx(entropy(joint.sum(axis=1)) + conditional_entropy(joint), abs=CLOSE)
    assert joint_entropy(joint) == pytest.approx(entropy(joint.sum(axis=0)) + conditional_entropy(joint.T), abs=CLOSE)


@measures
@given(rows)
def test_nothing_is_left_to_learn_of_what_is_known(row: np.ndarray) -> None:
    itself = np.diag(row)
    assert conditional_entropy(itself) == 0.0
    assert mutual_information(itself) == pytest.approx(entropy(row), abs=CLOSE)


@measures
@given(tables)
def test_knowing_something_never_hurts_on_average(joint: np.ndarray) -> None:
    assert conditional_entropy(joint) <= entropy(joint.sum(axis=0)) + CLOSE


@measures
@given(tables)
def test_mutual_information_is_symmetric_and_the_gain(joint: np.ndarray) -> None:
    assert mutual_information(joint) == pytest.approx(mutual_information(joint.T), abs=CLOSE)
    assert mutual_information(joint) == pytest.approx(gain(joint), abs=CLOSE)


@measures
@given(rows, rows)
def test_independent_entropies_add(first: np.ndarray, second: np.ndarray) -> None:
    joint = np.outer(first, second)
    assert joint_entropy(joint) == pytest.approx(entropy(first) + entropy(second), abs=CLOSE)
    assert mutual_information(joint) == pytest.approx(0.0, abs=CLOSE)


@measures
@given(tables, st.floats(0, 1))
def test_impurities_are_concave(pair: np.ndarray, mix: float) -> None:
    one, other = pair[0], pair[-1]
    if one.sum() == 0 or other.sum() == 0:
        return
    p, q = one / one.sum(), other / other.sum()
    for impurity in (entropy, gini, misclassification_error):
        assert impurity(mix * p + (1 - mix) * q) >= mix * impurity(p) + (1 - mix) * impurity(q) - CLOSE


@measures
@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(0, 40), st.integers(0, 40)), min_size=2, max_size=4),
)
def test_gain_is_convex_in_the_counts_of_a_branch(classes: list[tuple[int, int, int]]) -> None:
    """Between two ways to cut the same examples, the way halfway between is no better than both on average."""
    total = np.array([max(c) for c in classes], dtype=float)
    one = np.minimum([c[1] for c in classes], total)
    other = np.minimum([c[2] for c in classes], total)
    half = (one + other) / 2
    for measure in (gain, gini_gain, accuracy_gain):
        ends = [measure([left, total - left]) for left in (one, other)]
        assert measure([half, total - half]) <= sum(ends) / 2 + CLOSE


@measures
@given(tables, st.floats(0, 100))
def test_gains_lie_between_0_and_the_impurity_of_the_node(branches: np.ndarray, unknown: float) -> None:
    node = branches.sum(axis=0)
    known = branches.sum() / (branches.sum() + unknown)
    for measure, impurity in ((gain, entropy), (gini_gain, gini), (accuracy_gain, misclassification_error)):
        assert 0.0 <= measure(branches, unknown=unknown) <= known * impurity(node) + CLOSE


@measures
@given(tables)
def test_dividing_a_branch_further_loses_nothing(branches: np.ndarray) -> None:
    halves = np.concatenate([branches, np.zeros_like(branches)])
    merged = np.vstack([branches[:-2], branches[-2:].sum(axis=0)]) if len(branches) > 1 else branches
    assert gain(halves) == pytest.approx(gain(branches), abs=CLOSE)
    assert gain(merged) <= gain(branches) + CLOSE


@measures
@given(tables)
def test_gain_is_at_most_the_split_information(branches: np.ndarray) -> None:
    assert gain(branches) <= split_information(branches) + CLOSE


@measures
@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.just(2)), elements=st.integers(0, 9).map(float)), st.data())
def test_maximising_likelihood_is_minimising_weighted_entropy(leaves: np.ndarray, data: st.DataObject) -> None:
    if leaves.sum() == 0:
        return
    y = np.concatenate([np.repeat([0, 1], row.astype(int)) for row in leaves])
    sizes = leaves.sum(axis=1).astype(int)
    shares = leaves[:, 1] / np.maximum(sizes, 1)
    best = average_log_likelihood(y, np.repeat(shares, sizes))
    assert best == pytest.approx(-conditional_entropy(leaves, base=math.e), abs=CLOSE)
    assert best == pytest.approx(tree_log_likelihood(leaves), abs=CLOSE)
    other = data.draw(st.lists(st.floats(0.01, 0.99), min_size=len(leaves), max_size=len(leaves)))
    assert average_log_likelihood(y, np.repeat(other, sizes)) <= best + CLOSE
