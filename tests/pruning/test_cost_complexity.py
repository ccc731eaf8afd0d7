"""Cost-complexity pruning: against every pruning of small trees, a plain weakest-link loop, and by its own promises."""

from __future__ import annotations

import numpy as np
import pytest
from calls import calls_of
from tree.build import build, large_arrays, leaf, multiway, schema_of
from tree.build import cut as ask

from pruning.cases import count_prunings, cut, errors_by_predicting, grown_case, paths, prunings, random_case
from quercus.data import encode, encode_classes
from quercus.errors import ParameterError
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.pruning.alpha_table import midpoints
from quercus.pruning.cost_complexity import AlphaPath, cost_complexity, cost_complexity_path
from quercus.tree import Tree, renumbered

COSTS = np.array([[0.0, 3.0, 1.0], [1.0, 0.0, 5.0], [2.0, 1.0, 0.0]])


def least_costs(tree: Tree, costs: np.ndarray | None) -> np.ndarray:
    """What each node costs as a leaf of its best label, a training example."""
    k = tree.value.shape[1]
    prices = 1 - np.eye(k) if costs is None else costs[:k, :k]
    return np.array([min(float(row @ prices[:, j]) for j in range(k)) for row in tree.value]) / tree.weight[0]


def plain_path(tree: Tree, risk: np.ndarray) -> list[tuple[float, int]]:
    """(α, leaves) by the definition: compute every g, cut all questions of the least, begin again."""
    gone = np.zeros(tree.n_nodes, dtype=bool)
    found: list[tuple[float, int]] = []
    while True:
        below, leaves = risk.copy(), np.ones(tree.n_nodes, dtype=int)
        for node in range(tree.n_nodes - 1, -1, -1):
            if tree.kind[node] and not gone[node]:
                children = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
                below[node], leaves[node] = sum(below[c] for c in children), sum(leaves[c] for c in children)
        inner = [n for n in np.flatnonzero(tree.kind) if not gone[n] and leaves[n] > 1 and not above(tree, gone, n)]
        g = {node: (risk[node] - below[node]) / (leaves[node] - 1) for node in inner}
        weakest = min(g.values(), default=np.inf)
        if weakest > 1e-12 and not found:
            found.append((0.0, int(leaves[0])))
        if not inner:
            return found or [(0.0, 1)]
        for node, value in g.items():
            gone[node] |= value <= weakest + 1e-12
        left = cut(tree, np.flatnonzero(gone)).n_leaves
        if found and found[-1][0] >= weakest - 1e-12:
            found[-1] = (found[-1][0], left)
        elif weakest > 1e-12 or left == 1:
            found.append((max(weakest, 0.0), left))


def above(tree: Tree, gone: np.ndarray, node: int) -> bool:
    """Whether a question above is gone."""
    while node:
        node = int(tree.parent[node])
        if gone[node]:
            return True
    return False


@pytest.mark.parametrize("costs", [None, COSTS], ids=["errors", "costs"])
def test_no_pruning_is_cheaper_and_none_as_cheap_is_smaller(costs: np.ndarray | None) -> None:
    looked_at = 0
    for seed in range(60):
        tree, *_ = random_case(seed, most_nodes=24)
        if count_prunings(tree) > 400 or tree.weight[0] <= 0:
            continue
        looked_at += 1
        k = tree.value.shape[1]
        risk = least_costs(tree, costs)
        path = cost_complexity_path(tree, None if costs is None else costs[:k, :k])
        ways = []
        for way in prunings(tree):
            small = cut(tree, way)
            ways.append((float(least_costs(small, costs).dot(small.kind == 0)), small.n_leaves))
        for price in [*path.alphas, *midpoints(path.alphas)[:-1], 10.0]:
            chosen = path.tree(price)
            cost = float(least_costs(chosen, costs).dot(chosen.kind == 0)) + price * chosen.n_leaves
            best = min(r + price * n for r, n in ways)
            assert cost == pytest.approx(best, abs=1e-9)
            assert chosen.n_leaves == min(n for r, n in ways if r + price * n <= best + 1e-9)
        assert risk[0] == pytest.approx(path.risks[-1])
    assert looked_at > 20


def test_the_path_is_the_plain_loops() -> None:
    for seed in range(40):
        tree, *_ = grown_case(seed)
        path = cost_complexity_path(tree)
        plain = plain_path(tree, least_costs(tree, None))
        np.testing.assert_allclose(path.alphas, [alpha for alpha, _ in plain], atol=1e-11)
        assert path.n_leaves.tolist() == [leaves for _, leaves in plain]


def check_promises(path: AlphaPath, rows: int = 12) -> None:
    """Nested, smaller at every step, errors and risks rising, sizes as told, α the price that makes both equal."""
    assert path.alphas[0] == 0
    assert (np.diff(path.alphas) > 0).all()
    assert (np.diff(path.n_leaves) < 0).all()
    assert (np.diff(path.risks) > -1e-12).all()
    assert path.n_leaves[-1] == path.n_nodes[-1] == 1
    saved = np.diff(path.risks) / -np.diff(path.n_leaves)
    np.testing.assert_allclose(saved, path.alphas[1:], rtol=1e-9, atol=1e-12)
    before = None
    for step in np.unique(np.linspace(0, len(path) - 1, rows).astype(int)):
        mask = path.mask(path.alphas[step])
        tree = path.tree(path.alphas[step])
        assert (tree.n_leaves, tree.n_nodes) == (path.n_leaves[step], path.n_nodes[step])
        assert before is None or (mask | ~before).all()
        before = mask


@pytest.mark.parametrize("seed", range(12))
def test_promises_on_grown_trees(seed: int) -> None:
    tree, dataset, target, *_ = grown_case(seed)
    for path in (
        cost_complexity_path(tree),
        cost_complexity_path(tree, COSTS),
        cost_complexity_path(tree, None, "impurity"),
    ):
        check_promises(path)
        for alpha in path.alphas[:: max(1, len(path) // 4)]:
            assert paths(path.tree(alpha)) <= paths(tree)
    path = cost_complexity_path(tree)
    assert (np.diff(path.errors) >= -1e-12).all()
    if dataset.n_rows == tree.weight[0]:
        wrong = [errors_by_predicting(path.tree(alpha), dataset, target) for alpha in path.alphas]
        np.testing.assert_allclose(path.errors * dataset.n_rows, wrong, atol=1e-9)


def test_ties_go_together_and_multiway_questions_count_their_branches() -> None:
    schema = schema_of(Wind=("Weak", "Strong", "None"), x="numeric")
    low = ask("x", 1, leaf([4, 0]), leaf([1, 2]))
    high = ask("x", 3, leaf([0, 4]), leaf([2, 1]))
    tree = build(multiway("Wind", low, high, leaf([0, 3])), schema, ["No", "Yes"])
    path = cost_complexity_path(tree)
    # both questions save 1 error for 1 leaf; then 3 leaves become 1 for 3 errors more, 1.5 per leaf; 17 examples
    assert path.alphas.tolist() == pytest.approx([0, 1 / 17, 1.5 / 17])
    assert path.n_leaves.tolist() == [5, 3, 1]


def test_regression_counts_squared_errors() -> None:
    rows = encode({"x": [1.0, 2.0, 3.0, 4.0]})
    tree = grow(rows, np.array([0.0, 1.0, 10.0, 14.0]), cart_recipe("squared_error"))
    path = cost_complexity_path(tree)
    assert path.alphas.tolist() == pytest.approx([0, 0.5 / 4, 8 / 4, (12 - 0.5) ** 2 / 4])
    assert path.n_leaves.tolist() == [4, 3, 2, 1]
    assert path.errors[-1] == pytest.approx(np.var([0, 1, 10, 14]))


def test_every_removed_question_says_why() -> None:
    tree, *_ = grown_case(3)
    path = cost_complexity_path(tree)
    alpha = float(path.alphas[len(path) // 2])
    pruned = path.pruned(alpha)
    kept = {tuple(step.text for step in node.path()) for node in pruned.tree.walk() if not node.is_leaf}
    for node in tree.walk():
        stays = node.is_leaf or tuple(step.text for step in node.path()) in kept
        assert stays or pruned.why(node.id) is not None
    assert all(r.figures["g"] <= alpha + 1e-12 or "went with node" in r.reason for r in pruned.removals)
    for removal in pruned.removals:
        numbers = removal.figures
        g = (numbers["risk"] - numbers["branch_risk"]) / (numbers["branch_leaves"] - 1)
        assert numbers["g"] == pytest.approx(g, abs=1e-12)
    assert [cut.figures["alpha"] for cut in pruned.sequence] == sorted(cut.figures["alpha"] for cut in pruned.sequence)
    assert pruned.sequence[-1].n_leaves == pruned.tree.n_leaves
    assert pruned.tree == cost_complexity(tree, alpha).tree


def test_a_single_node_and_a_single_class() -> None:
    one = build(leaf([3, 1]), schema_of(x="numeric"), ["No", "Yes"])
    path = cost_complexity_path(one)
    assert (path.alphas.tolist(), path.n_leaves.tolist(), path.risks.tolist()) == ([0.0], [1], [0.25])
    assert path.pruned(0.0).removals == ()
    same = grow(encode({"x": [1, 2, 3]}), encode_classes(["a", "a", "a"]), cart_recipe())
    assert cost_complexity_path(same).errors.tolist() == [0.0]
    useless = build(ask("x", 1, leaf([2, 0]), leaf([3, 0])), schema_of(x="numeric"), ["No", "Yes"])
    assert cost_complexity_path(useless).n_leaves.tolist() == [1]  # a question that saves nothing goes at α = 0


def large(n_nodes: int, chain: bool) -> Tree:
    """A tree of so many nodes with counts that add up, a chain or bushy."""
    given, schema = large_arrays(n_nodes // 2, chain=chain)
    arrays = renumbered(given)
    first, size = arrays["first_child"].tolist(), arrays["n_children"].tolist()
    value = np.random.default_rng(0).integers(1, 5, (n_nodes, 2)).astype(float)
    for node in range(n_nodes - 1, -1, -1):
        if size[node]:
            value[node] = value[first[node]] + value[first[node] + 1]
    weight = value.sum(axis=1)
    arrays |= {"value": value, "weight": weight, "count": weight.astype(np.int64)}
    return Tree.from_arrays(arrays, schema, ["No", "Yes"], criterion="gini")


@pytest.mark.parametrize("chain", [False, True], ids=["bushy", "chain"])
def test_ten_thousand_nodes(chain: bool) -> None:
    for risk in ("error", "impurity"):
        check_promises(cost_complexity_path(large(10_001, chain), risk=risk), rows=5)


@pytest.mark.parametrize("chain", [False, True], ids=["bushy", "chain"])
def test_a_hundred_thousand_nodes_are_no_work_for_python(chain: bool) -> None:
    tree = large(100_001, chain)
    paths = [cost_complexity_path(tree, risk="impurity")]
    assert calls_of(lambda: paths.append(cost_complexity_path(tree, risk="impurity"))) < 5_000
    path = paths[1]
    assert calls_of(lambda: path.tree(float(path.alphas[len(path) // 2]))) < 5_000


def test_mistakes_are_named() -> None:
    tree, *_ = grown_case(1)
    numbers = grow(encode({"x": [1, 2]}), np.array([0.0, 1.0]), cart_recipe("absolute_error"))
    for call, words in (
        (lambda: cost_complexity_path(tree, risk="gini"), "must be one of 'error', 'impurity'"),  # type: ignore[arg-type]
        (lambda: cost_complexity_path(tree, [[0, 1], [1, 0]]), "3 × 3"),
        (lambda: cost_complexity_path(tree, COSTS, "impurity"), "Use risk='error'"),
        (lambda: cost_complexity(tree, -1.0), "at least 0"),
        (lambda: cost_complexity(tree, float("nan")), "at least 0"),
        (lambda: cost_complexity_path(numbers, COSTS), "predicts numbers"),
        (lambda: cost_complexity_path(numbers, None, "impurity"), "absolute_error"),
    ):
        with pytest.raises(ParameterError, match=words):
            call()
