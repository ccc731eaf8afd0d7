"""Prediction by a forest: every tree answers, and the answers are averaged or counted."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from quercus import _core
from quercus.arrays import Array, Floats
from quercus.data import Dataset
from quercus.errors import ParameterError, choice_message
from quercus.predict.arguments import check_schema, thread_count
from quercus.predict.predict import apply, decision_path, predict_distribution
from quercus.tree.distribution import added_weights, class_weights, node_answers
from quercus.tree.forest import Forest, tree_weights
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree

Vote = Literal["probability", "majority"]


def forest_distribution(
    forest: Forest,
    dataset: Dataset,
    *,
    vote: Vote = "probability",
    smoothing: Any = None,
    n_jobs: int | None = 1,
    out_of_bag: tuple[Any, int, int] | None = None,
) -> tuple[Floats, Floats]:
    """What the trees say together: class shares [n, classes] (regression: [n, 1] numbers), and who said it.

    vote: ``"probability"``: the trees' class shares are averaged; ``"majority"``: each tree votes for its most likely
    class, the first if tied (see :func:`quercus.predict.label_codes`), and the votes are averaged. smoothing: of the
    trees' class shares: None, "laplace" or ("m", m). Trees count by their weights. out_of_bag: ``(sampling, seed, first
    tree)`` of a grown forest, whose training rows the dataset must hold: each row is answered only by the trees that
    did not learn from it. The second array tells the weight of the trees that answered each row; a row that none
    answered has NaN.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.forest import Sampling, grow_forest
    >>> x, y = encode({"x": [1, 2, 3, 4, 5, 6]}), encode_classes(["No", "No", "No", "Yes", "Yes", "Yes"])
    >>> forest = grow_forest(x, y, cart_recipe(), Sampling(), n_trees=5, seed=0)
    >>> shares, trees = forest_distribution(forest, x)
    >>> shares[0].tolist(), trees[0].item()
    ([1.0, 0.0], 5.0)
    """
    return mean_answers(
        *forest_sums(forest, dataset, vote=vote, smoothing=smoothing, n_jobs=n_jobs, out_of_bag=out_of_bag)
    )


def mean_answers(sums: Floats, used: Floats) -> tuple[Floats, Floats]:
    """Answers from their weighted sums and the weights, which are given back; NaN where nobody answered."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums / used[:, None], used


def forest_sums(
    forest: Forest,
    dataset: Dataset,
    *,
    vote: Vote = "probability",
    smoothing: Any = None,
    n_jobs: int | None = 1,
    out_of_bag: tuple[Any, int, int] | None = None,
) -> tuple[Floats, Floats]:
    """The weighted sums of the trees' answers (0 where none answered), and the weight of those that answered."""
    if vote not in get_args(Vote):
        raise ParameterError(choice_message("vote", vote, get_args(Vote)))
    check_schema(forest.schema, dataset.schema)
    sums = _packed_sums(forest, dataset, vote, smoothing, n_jobs, out_of_bag)
    return _tree_by_tree(forest, dataset, vote, smoothing, n_jobs, out_of_bag) if sums is None else sums


def _packed_sums(
    forest: Forest,
    dataset: Dataset,
    vote: str,
    smoothing: Any,
    n_jobs: int | None,
    out_of_bag: tuple[Any, int, int] | None,
) -> tuple[Floats, Floats] | None:
    """The weighted sums by all trees together; None if one cannot be packed, or a row must follow several branches."""
    kind = forest.target_kind
    if forest.questions is None or not kind.in_forests:
        return None
    answers = _leaf_answers(forest, vote, smoothing)
    sampling, numbers = None, list[int]()
    if out_of_bag is not None:
        drawn, seed, first = out_of_bag
        sampling, numbers = drawn.core(dataset.n_rows, seed), list(range(first, first + len(forest)))
    result = _core.predict_forest(
        [(*tree, values) for tree, values in zip(forest.questions, answers, strict=True)],
        dataset.core_table(forest),
        dataset.n_rows,
        forest.target_kind.width if forest.target_kind.leaf_table else 0,
        vote == "majority",
        tree_weights(forest).tolist(),
        sampling,
        numbers,
        thread_count(n_jobs),
    )
    sums: tuple[Floats, Floats] | None = _finite(result, dataset)
    return sums


def _finite(result: Any, dataset: Dataset) -> Any:
    """What the core found; False says that it read an infinite number, which is refused if it was not before."""
    if result is False:
        dataset.refuse_infinity()
        return None
    return result


def _leaf_answers(forest: Forest, vote: str, smoothing: Any) -> tuple[Array, ...]:
    """The class weights of each tree's leaves [leaf, class]; by majority 1 for the leaf's class. Numbers: not read."""
    laplace, m_estimate = forest.target_kind.smoothing(smoothing)
    if forest.is_packed and not laplace and m_estimate is None:
        return tuple(tree["leaf_value"] for tree in forest.stored)
    if not forest.target_kind.leaf_table:
        return tuple(group for _, group in forest.questions or ())
    way = (vote, laplace, m_estimate)
    if way not in forest.leaf_answers:
        forest.leaf_answers[way] = tuple(_answers_of(tree, vote, smoothing) for tree in forest)
    return forest.leaf_answers[way]


def _answers_of(tree: Tree, vote: str, smoothing: Any) -> Array:
    leaf = tree.kind == LEAF
    if vote == "majority":
        return tree.target_kind.votes(node_answers(tree, smoothing)[leaf]).astype(np.uint16)
    laplace, m_estimate = tree.target_kind.smoothing(smoothing)
    weights: Floats = class_weights(tree, added_weights(tree, laplace, m_estimate, prior=None))[leaf]
    return weights


def tree_answer(
    tree: Tree, dataset: Dataset, *, vote: Vote = "probability", smoothing: Any = None, n_jobs: int | None = 1
) -> Floats:
    """What one tree answers: class shares [n, classes], by majority 1 for its class; or numbers [n, 1]."""
    answers = predict_distribution(tree, dataset, node_answers(tree, smoothing), n_jobs)
    return tree.target_kind.votes(answers) if vote == "majority" else answers


def _tree_by_tree(
    forest: Forest,
    dataset: Dataset,
    vote: Any,
    smoothing: Any,
    n_jobs: int | None,
    out_of_bag: tuple[Any, int, int] | None,
) -> tuple[Floats, Floats]:
    """The same for trees of any questions, one after the other."""
    sums, used = np.zeros((dataset.n_rows, forest.target_kind.width)), np.zeros(dataset.n_rows)
    for number, (tree, weight) in enumerate(zip(forest, tree_weights(forest), strict=True)):
        answers = tree_answer(tree, dataset, vote=vote, smoothing=smoothing, n_jobs=n_jobs)
        rows: Any = slice(None)
        if out_of_bag is not None:
            sampling, seed, first = out_of_bag
            drawn = _core.drawn_counts(sampling.core(dataset.n_rows, seed), first + number, dataset.n_rows)
            rows = drawn == 0
        sums[rows] += weight * answers[rows]
        used[rows] += weight
    return sums, used


def forest_leaves(forest: Forest, dataset: Dataset, n_jobs: int | None = 1) -> NDArray[np.int32]:
    """The leaf that each row reaches in each tree, [n, trees]; of several, the one that holds most of the row."""
    result = _whole_rows(forest, dataset, n_jobs)
    if result is not None:
        return result
    return np.column_stack([apply(tree, dataset, n_jobs) for tree in forest]).astype(np.int32)


def _whole_rows(forest: Forest, dataset: Dataset, n_jobs: int | None) -> NDArray[np.int32] | None:
    """The leaf of each row in each tree by all trees together; None as in ``_packed_sums``."""
    check_schema(forest.schema, dataset.schema)
    if forest.questions is None:
        return None
    packed: list[tuple[Array, ...]] = [(nodes, group, group) for nodes, group in forest.questions]
    leaves: NDArray[np.int32] | None = _finite(
        _core.forest_leaves(packed, dataset.core_table(forest), dataset.n_rows, thread_count(n_jobs)), dataset
    )
    return leaves


def forest_parts(forest: Forest, dataset: Dataset, n_jobs: int | None = 1) -> tuple[Any, NDArray[np.int64]]:
    """Which part of each row comes to each leaf of each tree, and where the nodes of each tree begin.

    A sparse CSR matrix of shape (n_rows, nodes of all trees), in columns as of :func:`forest_paths`. In each tree the
    parts of a row add up to 1; there are several where a row with an unknown value follows several branches.

    >>> from quercus.data import encode
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.forest import Sampling, grow_forest
    >>> x, recipe = encode({"x": [1.0, 1.0, 1.0, 2.0, None]}), cart_recipe("squared_error", missing="fractional")
    >>> forest = grow_forest(x, np.array([0.0, 0.0, 0.0, 8.0, 4.0]), recipe, Sampling("no"), n_trees=1, seed=0)
    >>> forest_parts(forest, x)[0].toarray()[2:].tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.75, 0.25]]
    """
    from scipy.sparse import csr_matrix, diags, hstack

    begin = np.concatenate([[0], np.cumsum(forest.n_nodes)]).astype(np.int64)
    leaves = _whole_rows(forest, dataset, n_jobs)
    if leaves is not None:
        places, starts = (leaves + begin[:-1]).ravel(), np.arange(0, leaves.size + 1, len(forest))
        return csr_matrix((np.ones(leaves.size), places, starts), shape=(dataset.n_rows, int(begin[-1]))), begin
    parts = [decision_path(tree, dataset, n_jobs, weights=True) @ diags((tree.kind == LEAF) * 1.0) for tree in forest]
    result = hstack(parts, format="csr")
    result.eliminate_zeros()
    return result, begin


def forest_paths(forest: Forest, dataset: Dataset, n_jobs: int | None = 1) -> tuple[Any, NDArray[np.int64]]:
    """The nodes that each row reaches in each tree, and where the nodes of each tree begin.

    A sparse CSR matrix of shape (n_rows, nodes of all trees), 1 where the row comes through, the trees' columns one
    after the other; node j of tree t is column ``begin[t] + j``, and ``begin[-1]`` is the number of all nodes.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.forest import Sampling, grow_forest
    >>> x, y = encode({"x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "Yes"])
    >>> paths, begin = forest_paths(grow_forest(x, y, cart_recipe(), Sampling("no"), n_trees=2, seed=0), x)
    >>> paths.toarray()[1:3].tolist(), begin.tolist()
    ([[1, 1, 0, 1, 1, 0], [1, 0, 1, 1, 0, 1]], [0, 3, 6])
    """
    from scipy.sparse import hstack

    begin = np.concatenate([[0], np.cumsum(forest.n_nodes)]).astype(np.int64)
    return hstack([decision_path(tree, dataset, n_jobs) for tree in forest], format="csr"), begin
