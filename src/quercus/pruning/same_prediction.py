"""Merging branches that answer alike: a question whose answer changes nothing need not be asked."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from quercus.data.names import counted
from quercus.data.weights import named_costs
from quercus.errors import ParameterError, checked_choice, shorten
from quercus.pruning.bottom_up import topmost
from quercus.pruning.method import PruningMethod, Situation
from quercus.pruning.result import Pruned, Removal
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree

Policy = Literal["class", "probabilities", "never"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


@named_costs
def same_prediction(
    tree: Tree, policy: Policy | str = "class", *, tolerance: float = 1e-12, cost_matrix: Any = None
) -> Pruned:
    """Make a node a leaf if all leaves below it, and it itself, answer the same.

    policy: ``"class"``: the same class, so that ``predict`` answers as before (for a row of unknown value, which is
    answered by several leaves together, only nearly so). ``"probabilities"``: the same class shares, or in a regression
    tree the same number, so that ``predict_proba`` too answers as before. ``"never"``: nothing is merged. tolerance:
    how far shares or numbers may be apart to be the same. cost_matrix: L(i, j), if classes are answered by least cost.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> tree = grow(encode({"x": [1, 1, 2, 3]}), encode_classes(["No", "Yes", "Yes", "Yes"]), cart_recipe())
    >>> print(same_prediction(tree).tree)
    x <= 1.5: No (2: 1 No, 1 Yes)
    x > 1.5: Yes (2)
    """
    checked_choice("policy", policy, POLICIES)
    if not (isinstance(tolerance, int | float | np.number) and 0 <= tolerance < np.inf):
        raise ParameterError(f"tolerance is {shorten(tolerance)}, but must be a finite number of at least 0.")
    if policy == "never":
        return Pruned(tree, "same_prediction", before=tree)
    by_class = policy == "class" and tree.target_kind.has_shares
    if by_class:
        answers: NDArray[np.float64] = tree.labels(cost_matrix)[:, None].astype(np.float64)
        mask = _alike(tree, answers, 0.0)
    else:
        answers = tree.distributions()
        mask = _alike(tree, answers, float(tolerance))
    removals = []
    for node in topmost(tree, mask).tolist():
        below = int(tree.leaves_before[tree.descendants_end[node]] - tree.leaves_before[tree.first_child[node]])
        reason = f"all {counted(below, 'leaf', 'leaves')} below answer {_answer(tree, node, by_class, answers[node])}"
        removals.append(Removal(node, "merged", reason, {"leaves": float(below)}))
    return Pruned(tree.collapse(mask), "same_prediction", tuple(removals), before=tree)


def _alike(tree: Tree, answers: NDArray[np.float64], tolerance: float) -> NDArray[np.bool_]:
    """The questions below which every leaf's answer is the node's own.

    The leaves below a node are neighbours in the list of all leaves, so they are the same if no change lies between.
    """
    leaf_answers = answers[tree.kind == LEAF]
    changes = (np.abs(np.diff(leaf_answers, axis=0)) > tolerance).any(axis=1)
    changes_before = np.concatenate([[0], np.cumsum(changes)])
    inner = np.flatnonzero(tree.kind != LEAF)
    first = tree.leaves_before[tree.first_child[inner]]
    last = tree.leaves_before[tree.descendants_end[inner]] - 1
    same = (changes_before[last] == changes_before[first]) & (
        np.abs(leaf_answers[first] - answers[inner]) <= tolerance
    ).all(axis=1)
    mask = np.zeros(tree.n_nodes, dtype=bool)
    mask[inner] = same
    return mask


def _answer(tree: Tree, node: int, by_class: bool, answer: NDArray[np.float64]) -> str:
    kind = tree.target_kind
    return kind.label_text(kind.label(answer[0])) if by_class else kind.answer_text(answer)


def _compare(situation: Situation) -> tuple[str, Pruned]:
    policy = "class" if situation.tree.target_kind.has_shares else "probabilities"
    return f"policy {policy}", same_prediction(situation.tree, policy, cost_matrix=situation.costs)


SAME_PREDICTION = PruningMethod(
    "same_prediction",
    "a question goes if all leaves below it answer the same",
    lambda situation, options: same_prediction(situation.tree, cost_matrix=situation.costs),
    numbers=True,
    place=1,
    compare=_compare,
)
