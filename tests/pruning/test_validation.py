"""Pre-pruning by validation rows, and holding rows out."""

from __future__ import annotations

import numpy as np
import pytest

from pruning.cases import cut, grown_case, inner_nodes, paths
from quercus.data import ClassTarget, Dataset, encode, encode_classes
from quercus.errors import ParameterError
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.predict import tally
from quercus.pruning import hold_out, reduced_error, stop_by_validation
from quercus.tree import Tree


def _wrong(tree: Tree, node: int, rows: Dataset, target: ClassTarget) -> float:
    reached = tally(tree, rows, target)[node]
    return float(reached.sum() - reached[tree.labels()[node]])


def _grown_with_the_stop(tree: Tree, rows: Dataset, target: ClassTarget) -> Tree:
    """Open one question after the other, from a single leaf, as growing does; keep what lowers the errors."""
    cuts = {0} & set(inner_nodes(tree))
    waiting = list(cuts)
    while waiting:
        node = waiting.pop()
        children = range(int(tree.first_child[node]), int(tree.first_child[node] + tree.n_children[node]))
        if sum(_wrong(tree, child, rows, target) for child in children) < _wrong(tree, node, rows, target) - 1e-9:
            cuts.remove(node)
            deeper = [child for child in children if tree.kind[child]]
            cuts.update(deeper)
            waiting += deeper
    return cut(tree, cuts)


def test_equal_to_growing_with_the_stop() -> None:
    sizes = set()
    for seed in range(40):
        tree, _, _, rows, target = grown_case(seed, n_rows=80, unknown=0.1 * (seed % 2))
        result = stop_by_validation(tree, rows, target)
        assert result.tree == _grown_with_the_stop(tree, rows, target), seed
        assert paths(result.tree) <= paths(tree)
        for removal in result.removals:
            assert removal.figures["split"] >= removal.figures["leaf"] - 1e-9
        sizes.add(result.tree.n_nodes)
    assert len(sizes) > 3


def test_it_is_short_sighted_where_pruning_is_not() -> None:
    """XOR: each question alone helps nothing."""
    corners = {"x": [0, 0, 1, 1] * 3, "y": [0, 1, 0, 1] * 3}
    data, target = encode(corners), encode_classes(["No", "Yes", "Yes", "No"] * 3)
    tree = grow(data, target, cart_recipe())
    assert tree.n_nodes == 7
    assert stop_by_validation(tree, data, target).tree.n_nodes == 1
    assert reduced_error(tree, data, target).tree == tree


def test_min_rise() -> None:
    tree, _, _, rows, target = grown_case(2)
    sizes = [stop_by_validation(tree, rows, target, min_rise=rise).tree.n_nodes for rise in (-1.0, 0.0, 0.05, 1.0)]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == tree.n_nodes and sizes[-1] == 1
    with pytest.raises(ParameterError, match="min_rise"):
        stop_by_validation(tree, rows, target, min_rise=float("nan"))


def test_regression() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(300, 2))
    y = 3.0 * (x[:, 0] > 0) + random.normal(size=300)
    data = encode(x)
    tree = grow(data.take(np.arange(150)), y[:150], cart_recipe("squared_error"))
    result = stop_by_validation(tree, data.take(np.arange(150, 300)), y[150:])
    assert 1 < result.tree.n_nodes < tree.n_nodes and "squared error" in result.removals[0].reason


@pytest.mark.parametrize("stratify", [False, True])
def test_hold_out_divides_the_rows_the_same_way_every_time(stratify: bool) -> None:
    codes = np.repeat([0, 1, 2], [60, 30, 10])
    for share in (0.01, 0.2, 1 / 3, 0.99):
        given = codes if stratify else None
        training, validation = hold_out(100, share, seed=7, stratify=given)
        again = hold_out(100, share, seed=7, stratify=given)
        assert np.array_equal(training, again[0]) and np.array_equal(validation, again[1])
        assert sorted([*training, *validation]) == list(range(100))
        assert len(validation) == round(100 * share)
        if stratify:
            exact = np.bincount(codes) * len(validation) / 100
            assert (np.abs(np.bincount(codes[validation], minlength=3) - exact) < 1).all()
    assert not np.array_equal(hold_out(100, 0.2, seed=1)[1], hold_out(100, 0.2, seed=2)[1])
    assert [len(part) for part in hold_out(2, 0.01)] == [1, 1]


def test_hold_out_refuses_what_cannot_be_divided() -> None:
    for arguments in ((1, 0.5), (10, 0.0), (10, 1.0), (10, "a"), (True, 0.5)):
        with pytest.raises(ParameterError):
            hold_out(*arguments)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="stratify"):
        hold_out(10, 0.5, stratify=[0, 1])
