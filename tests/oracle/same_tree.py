"""Whether two growers made the same tree: everything that is chosen exactly, everything that is summed to 1e-9."""

from __future__ import annotations

import numpy as np

from quercus.tree.tree import Tree

CHOSEN = (
    "kind", "attribute", "n_children", "first_child", "threshold", "missing_child", "count",
    "group_start", "group_value", "group_child",
    "surrogate_start", "surrogate_kind", "surrogate_attribute", "surrogate_threshold", "surrogate_low_child",
    "surrogate_group_start", "surrogate_group_value", "surrogate_group_child",
)  # fmt: skip
SUMMED = ("weight", "value", "gain", "surrogate_agreement", "surrogate_adjusted")


def difference(one: Tree, other: Tree, leave_out: tuple[str, ...] = (), relative: float = 1e-9) -> str | None:
    """The first difference of two trees in words, None if they are the same tree."""
    if one.n_nodes != other.n_nodes:
        return f"{one.n_nodes} nodes against {other.n_nodes}{_both_texts(one, other)}"
    for name in (name for name in CHOSEN if name not in leave_out):
        left, right = getattr(one, name), getattr(other, name)
        if left.shape != right.shape:
            return f"{name}: {left.shape} against {right.shape}{_both_texts(one, other)}"
        wrong = (left != right) & ~((left != left) & (right != right))
        if wrong.any():
            return _first(name, left, right, wrong) + _both_texts(one, other)
    for name in (name for name in SUMMED if name not in leave_out):
        left, right = getattr(one, name), getattr(other, name)
        # what is lost by rounding is relative to the largest such number in the tree
        allowed = relative * np.abs(left) + 1e-12 * np.abs(left).max(axis=0, initial=0.0)
        if name == "value" and one.is_regression:  # a sum of squares that is 0 but for the rounding of the mean
            allowed[:, 2] += one.weight * (1e-14 * one.value[:, 1]) ** 2
        if name == "gain":
            allowed = allowed + 1e-12 * _impurity_scale(one)
        wrong = np.abs(left - right) > allowed
        if wrong.any():
            return _first(name, left, right, wrong) + _both_texts(one, other)
    return None


def _first(name: str, left: np.ndarray, right: np.ndarray, wrong: np.ndarray) -> str:
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{name}{list(place)}: {left[place].item()!r} against {right[place].item()!r}"


def _both_texts(one: Tree, other: Tree) -> str:
    """Small trees in full."""
    return f"\n{one}\n{other}" if max(one.n_nodes, other.n_nodes) <= 60 else ""


def _impurity_scale(tree: Tree) -> float:
    """The size of gains: bits for classes; for numbers the variance, the deviation or the mean."""
    if not tree.is_regression:
        return 1.0
    mean, variance = (
        abs(float(tree.target_kind.layout.column(tree.value[0], "mean"))),
        float(tree.target_kind.layout.column(tree.value[0], "squared_deviations") / tree.weight[0]),
    )
    return {"squared_error": variance, "absolute_error": variance**0.5, "pinball": variance**0.5, "poisson": mean}[
        tree.criterion
    ]


def assert_same_tree(
    one: Tree, other: Tree, message: str, leave_out: tuple[str, ...] = (), relative: float = 1e-9
) -> None:
    """Fail with the message (the seed) and the first difference, if there is one."""
    found = difference(one, other, leave_out, relative)
    assert found is None, f"{message}\n{found}"
