"""Pruning by minimum description length: the best tree is the one that tells the classes in the fewest bits.

The sender and the receiver both have the table of attributes; only the classes are to be sent, as a tree and what it
gets wrong. The formulas of the parts are in :func:`mdl`.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.data.names import significant
from quercus.errors import ParameterError, checked_choice, shorten
from quercus.predict.predict import decision_path
from quercus.pruning.bottom_up import compare_upwards
from quercus.pruning.method import PruningMethod, Situation
from quercus.pruning.node_errors import refuse_numbers
from quercus.pruning.result import Pruned, Removal
from quercus.tree.layout import LEAF
from quercus.tree.questions import KINDS, kinds_that
from quercus.tree.tree import Tree

Coding = Literal["exceptions", "stochastic"]
CODINGS: tuple[Coding, ...] = get_args(Coding)


def mdl(
    tree: Tree, dataset: Dataset | None = None, *, coding: Coding | str = "exceptions", tree_weight: float = 1.0
) -> Pruned:
    r"""Cut, from the leaves up, where a leaf and its exceptions take no more bits than the question and its branches.

    A node costs, N being its training weight and k the number of classes:

    - 1 bit: leaf or question;
    - a question: :math:`\log_2 A` bits for the attribute, A = those that may still be asked (all but the nominal ones
      asked branch by value above), and for its answers

      - one branch per value: nothing more;
      - a threshold: :math:`\log_2` of the cuts between the different values at the node. The receiver knows the values,
        so a number costs no more than its place among them. With ``dataset`` (the training rows) they are counted;
        without, as many cuts as examples less one are assumed, for an ordered attribute at most its values less one;
      - a set of values: :math:`\log_2(2^{v-1} - 1)` for v values present; groups: :math:`\log_2 (v - 1)` for their
        number g and :math:`\log_2 (g^v / g!)` for who is in which;

    - a leaf: nothing if it is empty (the receiver sees that no example comes there), otherwise by ``coding``

      - ``"exceptions"`` (Quinlan & Rivest 1989, with any number of classes): :math:`\log_2 k` for its class,
        :math:`\log_2(\lfloor N (k-1)/k \rfloor + 1)` for the number e of exceptions, :math:`\log_2 \binom{N}{e}` for
        which, :math:`e \log_2 (k - 1)` for their classes;
      - ``"stochastic"`` (Mehta, Rissanen & Agrawal 1995): the classes themselves,
        :math:`\sum_j n_j \log_2 (N / n_j) + \frac{k-1}{2} \log_2 \frac{N}{2} + \log_2 \frac{\pi^{k/2}}{\Gamma(k/2)}`.

    coding: one of these two. tree_weight: what a bit of the tree (not of its exceptions) counts; below 1 prunes less.
    Many trees say the same, so that the bits of one of them overstate it; C4.5 halves those of its rules for that
    reason.

    An example should weigh 1: twice the weight is twice as much to send.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.datasets import load_play_tennis
    >>> from quercus.growing.grow import grow
    >>> from quercus.growing.id3 import id3_recipe
    >>> X, y = load_play_tennis()
    >>> print(mdl(grow(encode(X), encode_classes(y), id3_recipe())))
    mdl: 8 nodes → 1 node, 5 leaves → 1 leaf
    node 0 → leaf: 15.97 bits as a leaf, 20.4 bits with its question and branches
    node 2 → leaf: 6.907 bits as a leaf, 8.585 bits with its question and branches
    node 3 → leaf: 6.907 bits as a leaf, 8.585 bits with its question and branches
    """
    refuse_numbers(tree, "mdl")
    checked_choice("coding", coding, CODINGS)
    if not (isinstance(tree_weight, int | float | np.number) and 0 <= tree_weight < np.inf):
        raise ParameterError(f"tree_weight is {shorten(tree_weight)}, but must be a finite number of at least 0.")
    share = float(tree_weight)
    as_leaf = leaf_bits(tree, coding, share)
    comparison = compare_upwards(tree, as_leaf, share * (1.0 + question_bits(tree, dataset)), 1e-9)
    removals = []
    for node in np.flatnonzero(comparison.cut).tolist():
        leaf, below = float(as_leaf[node]), float(comparison.below[node])
        reason = f"{significant(leaf)} bits as a leaf, {significant(below)} bits with its question and branches"
        removals.append(Removal(node, "leaf", reason, {"leaf": leaf, "subtree": below}))
    table = {"bits": float(min(as_leaf[0], comparison.below[0])), "bits_of_one_leaf": float(as_leaf[0])}
    return Pruned(tree.collapse(comparison.cut), "mdl", tuple(removals), table=table, before=tree)


def leaf_bits(tree: Tree, coding: str = "exceptions", tree_weight: float = 1.0) -> Floats:
    """The bits of each node as a leaf: that it is one, and the classes of its examples; see :func:`mdl`."""
    value = tree.value / tree.case_weight
    size = value.sum(axis=1)
    n_classes = value.shape[1]
    data = _stochastic_bits(value, size) if coding == "stochastic" else _exception_bits(tree, value, size)
    name = np.log2(n_classes) if coding == "exceptions" else 0.0
    return np.where(size > 0, tree_weight * (1.0 + name) + data, 0.0)


def _exception_bits(tree: Tree, value: Floats, size: Floats) -> Floats:
    from scipy.special import gammaln

    n_classes = value.shape[1]
    wrong = size - np.take_along_axis(value, tree.labels()[:, None], axis=1)[:, 0]
    wrong = np.clip(wrong, 0.0, size)
    which = (gammaln(size + 1) - gammaln(wrong + 1) - gammaln(size - wrong + 1)) / np.log(2.0)
    number = np.log2(np.floor(size * (n_classes - 1) / n_classes + 1e-9) + 1.0)
    return np.asarray(number + which + wrong * np.log2(max(n_classes - 1, 1)))


def _stochastic_bits(value: Floats, size: Floats) -> Floats:
    from scipy.special import gammaln, xlogy

    k = value.shape[1]
    if k == 1:
        return np.zeros(len(size))
    total = np.maximum(size, 1e-300)
    classes = (xlogy(size, total) - xlogy(value, np.maximum(value, 1e-300)).sum(axis=1)) / np.log(2.0)
    constant = (0.5 * k * np.log(np.pi) - gammaln(0.5 * k)) / np.log(2.0)
    # Below 2 examples the middle term, made for many, would be negative.
    return np.asarray(classes + 0.5 * (k - 1) * np.log2(np.maximum(size, 2.0) / 2.0) + constant)


def question_bits(tree: Tree, dataset: Dataset | None = None) -> Floats:
    """The bits of each question: the attribute and its threshold, set or groups; 0 at leaves. See :func:`mdl`."""
    inner = tree.kind != LEAF
    bits = np.where(inner, np.log2(np.maximum(len(tree.schema) - _asked_above(tree), 1)), 0.0)
    cuts = _assumed_cuts(tree) if dataset is None else _counted_cuts(tree, dataset)
    present = np.diff(tree.group_start).astype(np.float64)
    branches = tree.n_children.astype(np.float64)
    for kind in KINDS:
        at = tree.kind == kind.kind
        if at.any():
            bits[at] += kind.choice_bits(cuts[at], present[at], branches[at])
    return bits


def _asked_above(tree: Tree) -> NDArray[np.int64]:
    """How many attributes have been asked branch by value on the way to each node; none is asked again."""
    parent, once = tree.parent.tolist(), kinds_that(tree.kind, lambda one: one.asked_once).tolist()
    counts = [0] * tree.n_nodes
    for node in range(1, tree.n_nodes):
        counts[node] = counts[parent[node]] + once[parent[node]]
    return np.array(counts, dtype=np.int64)


def _assumed_cuts(tree: Tree) -> NDArray[np.int64]:
    """As many cuts as examples less one; of an ordered attribute never more than its values less one."""
    most = [a.n_values - 1 if a.kind == "ordered" else np.iinfo(np.int64).max for a in tree.schema.attributes]
    limit = np.array(most or [0], dtype=np.int64)[tree.attribute]
    return np.minimum(tree.count - 1, limit)


def _counted_cuts(tree: Tree, dataset: Dataset) -> NDArray[np.int64]:
    """The different known values of the attribute at each threshold question among the rows, less one."""
    path = decision_path(tree, dataset).tocsr()
    rows = np.repeat(np.arange(dataset.n_rows), np.diff(path.indptr))
    nodes = path.indices
    numeric = kinds_that(tree.kind[nodes], lambda one: one.has_threshold)
    rows, nodes = rows[numeric], nodes[numeric]
    values = np.empty(len(nodes))
    attribute = tree.attribute[nodes]
    for position in np.unique(attribute).tolist():
        mine = attribute == position
        values[mine] = dataset.columns[position][rows[mine]]
    known = ~np.isnan(values)
    nodes, values = nodes[known], values[known]
    order = np.lexsort((values, nodes))
    nodes, values = nodes[order], values[order]
    new = np.ones(len(nodes), dtype=bool)
    new[1:] = (nodes[1:] != nodes[:-1]) | (values[1:] != values[:-1])
    return np.bincount(nodes[new], minlength=tree.n_nodes).astype(np.int64) - 1


def _prune(situation: Situation) -> Pruned:
    rows = situation.training
    return mdl(situation.tree, None if rows is None else rows.with_weight().dataset)


MDL = PruningMethod(
    "mdl",
    "a leaf takes the place of a question where that shortens the description of the tree and its errors",
    lambda situation, options: _prune(situation),
    costs=False,
    place=7,
    compare=lambda situation: ("", mdl(situation.tree)),
)
