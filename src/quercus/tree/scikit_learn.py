"""scikit-learn's names for the arrays of a tree, so that code which reads its trees reads ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats, Integers, read_only
from quercus.errors import ModelKindError
from quercus.tree.layout import LEAF
from quercus.tree.questions import kinds_that

if TYPE_CHECKING:
    from quercus.tree.tree import Tree

#: What scikit-learn writes for a leaf: as a child, as a feature and as a threshold.
NO_CHILD, NO_FEATURE = -1, -2


class ScikitLearnArrays:
    """The arrays of a tree as scikit-learn lays them out; read-only, one element per node, in the tree's order.

    This works where every question is a threshold of a number; else reading an array is refused, and the
    message names the node. The refusal is an ``AttributeError``, too, so that ``hasattr`` answers False.

    >>> from sklearn.datasets import load_iris
    >>> from quercus import CARTClassifier
    >>> view = CARTClassifier(max_depth=1).fit(*load_iris(return_X_y=True)).tree_.sklearn
    >>> view.children_left.tolist(), view.feature.tolist(), view.threshold.tolist()
    ([1, -1, -1], [2, -2, -2], [2.45, -2.0, -2.0])
    >>> view.value.shape, view.n_node_samples.tolist()
    ((3, 1, 3), [150, 50, 100])
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._inner = tree.kind != LEAF

    def _checked(self) -> Tree:
        """The tree, if all its questions are thresholds of numbers."""
        tree = self._tree
        numbers = np.array([attribute.is_numeric for attribute in tree.schema], dtype=np.bool_)
        simple = kinds_that(tree.kind, lambda kind: kind.has_threshold and not kind.reads_several)
        odd = np.flatnonzero(self._inner & ~(simple & numbers[tree.attribute]))
        if len(odd):
            node = tree.node(int(odd[0]))
            raise ModelKindError(
                f"Node {odd[0]} asks {node.test}, and scikit-learn's arrays hold thresholds of numbers only. Read "
                "first_child, n_children and node(), or encode the values as numbers before fitting."
            )
        return tree

    @property
    def children_left(self) -> Integers:
        """The number of the child up to the threshold; −1 at a leaf."""
        return read_only(np.where(self._inner, self._checked().first_child, NO_CHILD).astype(np.int64))

    @property
    def children_right(self) -> Integers:
        """The number of the child above the threshold; −1 at a leaf."""
        return read_only(np.where(self._inner, self._checked().first_child + 1, NO_CHILD).astype(np.int64))

    @property
    def feature(self) -> Integers:
        """The position of the attribute that is asked for; −2 at a leaf."""
        return read_only(np.where(self._inner, self._checked().attribute, NO_FEATURE).astype(np.int64))

    @property
    def threshold(self) -> Floats:
        """The threshold; −2 at a leaf."""
        return read_only(np.where(self._inner, self._checked().threshold, float(NO_FEATURE)))

    @property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        """1 where an unknown value goes to the left; refused where it goes to both children or asks surrogates."""
        tree = self._checked()
        asked = np.diff(tree.surrogate_start) > 0
        odd = np.flatnonzero(self._inner & ((tree.missing_child < 0) | asked))
        if len(odd):
            what = "asks surrogates for" if asked[odd[0]] else "sends both ways"
            raise ModelKindError(
                f"Node {odd[0]} {what} unknown values, and scikit-learn's arrays know left and right only. Fit with "
                'another policy for unknown values, such as missing="most_common".'
            )
        return read_only((self._inner & (tree.missing_child == 0)).astype(np.uint8))

    @property
    def value(self) -> Floats:
        """What each node answers [nodes, 1, classes]: class shares; of numbers [nodes, 1, 1]."""
        tree = self._checked()
        answers, kind = tree.distributions(), tree.target_kind
        if not kind.has_shares and answers.shape[1] > 1:  # of several quantiles the one that stands for all
            answers = kind.chosen(answers)[:, None]
        return read_only(np.ascontiguousarray(answers[:, None, :]))

    @property
    def impurity(self) -> Floats:
        """The impurity of each node: entropy, if the tree was grown by it, else Gini's; of numbers the variance."""
        tree = self._tree
        if not tree.target_kind.has_shares:
            squares = tree.target_kind.layout.column(tree.value, "squared_deviations")
            return read_only(np.asarray(squares / np.maximum(tree.weight, 1e-300)))
        shares = tree.distributions()
        if tree.criterion == "entropy":
            return read_only(np.asarray(-(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1)))
        return read_only(np.asarray(1.0 - (shares**2).sum(axis=1)))

    @property
    def n_node_samples(self) -> Integers:
        """The number of training examples at each node."""
        return self._tree.count

    @property
    def weighted_n_node_samples(self) -> Floats:
        """The weight of the training rows of each node."""
        return self._tree.weight

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return self._tree.n_nodes

    @property
    def max_depth(self) -> int:
        """The greatest number of questions on a path."""
        return self._tree.depth

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return self._tree.n_leaves

    @property
    def n_features(self) -> int:
        """The number of attributes."""
        return len(self._tree.schema)

    @property
    def n_outputs(self) -> int:
        """The number of targets: one."""
        return 1

    @property
    def n_classes(self) -> Integers:
        """The number of classes of each target; of numbers 1."""
        return read_only(np.array([len(self._tree.classes or (0,))]))


def _same(name: str) -> Any:
    """A property of a tree that is the one of its view."""
    return property(lambda tree: getattr(tree.sklearn, name), doc=getattr(ScikitLearnArrays, name).__doc__)


class ReadAsScikitLearn:
    """What a tree answers under scikit-learn's names.

    ``threshold`` and ``value`` are the tree's own: no number at a leaf, and what the kind of target keeps. The view
    ``sklearn`` has them as scikit-learn has, too.
    """

    @property
    def sklearn(self) -> ScikitLearnArrays:
        """All arrays under the names and in the layout of scikit-learn's trees; see :class:`ScikitLearnArrays`."""
        return ScikitLearnArrays(cast("Tree", self))

    @property
    def n_outputs(self) -> int:
        """Refused: tools that ask for it read ``value`` next, which is laid out otherwise here."""
        raise ModelKindError(
            "A tree of Quercus is no tree of scikit-learn's. Give such tools model.to_sklearn(), or read the arrays of "
            "tree.sklearn."
        )

    children_left = _same("children_left")
    children_right = _same("children_right")
    feature = _same("feature")
    impurity = _same("impurity")
    n_node_samples = _same("n_node_samples")
    weighted_n_node_samples = _same("weighted_n_node_samples")
    missing_go_to_left = _same("missing_go_to_left")
    node_count = _same("node_count")
    max_depth = _same("max_depth")
