"""The reference grower: the specification of growing in plain Python and NumPy, to be read beside the textbook.

It grows the same tree as the C++ core (a test binds the two), slowly, and takes measures that a user writes. The rules
are those of ``docs/specification.md``; each has a place here:

==========================  ====================================================================
problem.py                  the arguments, checked
purity.py                   purity sums: entropy, Gini, misclassification, squared error, …
own_purity.py               purity sums by a function that a user wrote
examples.py                 the instances at a node, unknown values, gain and split information
splits.py                   thresholds, multiway and subset splits, the choice between attributes
constraints.py              the order of answers
groups.py                   groups of values
surrogates.py               surrogate splits
this file                   stopping, acceptance, children, order of growing, collapsing, numbering
==========================  ====================================================================

What it deliberately does not do: anything for speed, bins (``max_bins``), threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtri

from quercus.arrays import Array, Floats, Integers
from quercus.data import ClassTarget, Dataset
from quercus.growing.constraints import may_meet
from quercus.growing.grow import Progress, in_weights
from quercus.growing.recipe import Recipe
from quercus.growing.reference.examples import Examples
from quercus.growing.reference.problem import Problem, state_problem
from quercus.growing.reference.purity import FIRST, WEIGHT, WEIGHT_ALLOWANCE, Measure, about
from quercus.growing.reference.splits import Candidate, Refusal, choose, examine
from quercus.growing.reference.surrogates import Surrogate, find_surrogates, send_unknown
from quercus.tree.layout import LEAF
from quercus.tree.questions import Threshold, asked_once
from quercus.tree.tree import Tree

__all__ = ["Candidate", "Decision", "Measure", "Surrogate", "evaluate_node", "grow_reference"]


@dataclass(frozen=True)
class Decision:
    """What happened at a node: every attribute's best candidate, the one chosen, and why it is a leaf, if it is.

    refused: the attributes that were looked at and have no candidate, with the reason.
    """

    candidates: tuple[Candidate, ...] = ()
    chosen: Candidate | None = None
    reason: str = ""
    refused: tuple[Refusal, ...] = ()

    @property
    def split(self) -> Candidate | None:
        """The accepted split, None for a leaf."""
        return None if self.reason else self.chosen


@dataclass
class GrownNode:
    """A node while the tree grows; ``examples`` is None at the leaf of a branch that received no instance.

    asked: the attributes asked above; used: those that may not be asked here.
    """

    examples: Examples | None
    depth: int
    used: frozenset[int]
    value: Floats
    asked: frozenset[int] = frozenset()
    weight: float = 0.0
    count: int = 0
    decision: Decision = field(default_factory=Decision)
    split: Candidate | None = None
    surrogates: list[Surrogate] = field(default_factory=list)
    children: list[GrownNode] = field(default_factory=list)


def grow_reference(
    dataset: Dataset,
    target: ClassTarget | ArrayLike,
    recipe: Recipe,
    *,
    weights: ArrayLike | None = None,
    class_multipliers: ArrayLike | None = None,
    cost_matrix: ArrayLike | None = None,
    measure: Measure | None = None,
    progress: Progress | None = None,
) -> Tree:
    """Grow a tree as the specification says.

    ::

        grow(examples)
            if the examples are pure, too few or too deep            -> leaf
            for each attribute: its best admissible division         (examine)
            choose the attribute of greatest worth                   (choose)
            if the gain is too small or not significant              -> leaf
            for each branch -> grow(its examples and its part of the unknown ones)

    dataset: encoded columns. target: classes, or numbers for regression. recipe: the choices. weights: one per row.
    class_multipliers: what the class weights are multiplied by in the purity sums; cost_matrix: cost of answering j
    (column) when i (row) is true, which gives the multipliers if they are not given, and judges collapsing.
    measure: replaces the criterion, for classification. ``measure(parent, branches)`` gets the class weights of the
    node's known instances (k numbers) and of each branch (b rows of k numbers) and returns a number, larger is better;
    the gain is that number times the share of the weight that is known. progress: called after each node with (rows
    settled, rows, nodes looked at); an exception that it raises stops the growing.

    >>> from quercus.data.schema import Attribute, Schema
    >>> schema = Schema((Attribute("Outlook", "nominal", ("Sunny", "Rain")), Attribute("Hot", "boolean")))
    >>> columns = (np.array([0, 0, 1, 1], dtype=np.int32), np.array([1, 0, 1, 0], dtype=np.int32))
    >>> target = ClassTarget(classes=("No", "Yes"), codes=np.array([1, 1, 0, 0], dtype=np.int32))
    >>> tree = grow_reference(Dataset(schema, columns, 4), target, Recipe(name="ID3"))
    >>> tree.attribute.tolist(), tree.gain.tolist(), tree.value.tolist()
    ([0, 0, 0], [1.0, 0.0, 0.0], [[2.0, 2.0], [0.0, 2.0], [2.0, 0.0]])

    A measure of one's own, here the number of branches that hold a single class:

    >>> def pure_branches(parent, branches):
    ...     return sum((branch > 0).sum() == 1 for branch in branches)
    >>> grow_reference(Dataset(schema, columns, 4), target, Recipe(name="mine"), measure=pure_branches).gain[0].item()
    2.0
    """
    problem = state_problem(dataset, target, recipe, weights, class_multipliers, cost_matrix, measure)
    if progress is not None:
        problem = replace(problem, watch=_watch(progress, problem.n_rows))
    return _as_tree(problem, grown_root(problem))


def _watch(progress: Progress, n_rows: int) -> Callable[[int, bool], None]:
    """A function to be told of each node, its rows and whether it is a leaf, which tells ``progress`` how far it is."""
    settled, nodes = 0, 0

    def watch(count: int, is_leaf: bool) -> None:
        nonlocal settled, nodes
        settled, nodes = min(n_rows, settled + count * is_leaf), nodes + 1
        progress(settled, n_rows, nodes)

    return watch


def grown_root(problem: Problem) -> GrownNode:
    """The root of the tree that grows from a problem, with all nodes below it; each keeps its examples and decision."""
    recipe = problem.recipe
    root = _grown_node(problem, Examples(problem, np.arange(problem.n_rows), problem.weights), 0, frozenset())
    if recipe.max_leaf_nodes is None:
        _grow_depth_first(problem, root)
    else:
        _grow_best_first(problem, root, recipe.max_leaf_nodes)
    if recipe.collapse != "no":
        _collapse(problem, root)
    return root


def evaluate_node(
    dataset: Dataset,
    target: ClassTarget | ArrayLike,
    recipe: Recipe,
    *,
    rows: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    class_multipliers: ArrayLike | None = None,
    cost_matrix: ArrayLike | None = None,
    measure: Measure | None = None,
    used: Sequence[int] = (),
    depth: int = 0,
) -> Decision:
    """Evaluate one node as data: every attribute's best candidate, the chosen one, and why it was not accepted, if so.

    rows: the rows at the node (all, if not given); weights: of all rows of the table. used: nominal attributes already
    tested on the path; depth: the number of tests above. The other arguments are those of :func:`grow_reference`.
    """
    problem = state_problem(dataset, target, recipe, weights, class_multipliers, cost_matrix, measure)
    kept = np.ones(dataset.n_rows, dtype=bool) if weights is None else np.asarray(weights, dtype=np.float64) > 0
    position = np.cumsum(kept) - 1  # of a row of the table among the rows of weight above 0
    chosen = np.arange(dataset.n_rows) if rows is None else np.unique(np.asarray(rows, dtype=np.int64))
    inside = position[chosen[kept[chosen]]]
    return decide(Examples(problem, inside, problem.weights[inside]), depth, frozenset(used))


# At a node


def decide(
    examples: Examples,
    depth: int,
    used: frozenset[int],
    examine: Callable[[Examples, int], Candidate | Refusal] = examine,
) -> Decision:
    """Steps 1 to 4 of the specification at one node: stop, candidates, choice, acceptance.

    examine: what finds an attribute's best admissible division, or says why there is none.
    """
    reason = _reason_to_stop(examples, depth)
    if reason:
        return Decision(reason=reason)
    offered = [examine(examples, a) for a in range(len(examples.problem.columns)) if a not in used]
    candidates = [candidate for candidate in offered if isinstance(candidate, Candidate)]
    refused = tuple(candidate for candidate in offered if isinstance(candidate, Refusal))
    if not candidates:
        return Decision(reason="no attribute has an admissible split", refused=refused)
    judged, chosen = choose(examples, candidates)
    if chosen is None:
        return Decision(tuple(judged), reason="no attribute passes the gate", refused=refused)
    return Decision(tuple(judged), chosen, _reason_to_refuse(examples, chosen), refused)


def _reason_to_stop(examples: Examples, depth: int) -> str:
    """Why a node is a leaf before any attribute is looked at; empty if it is not."""
    recipe = examples.problem.recipe
    if examples.is_pure:
        return "all values of the target are the same"
    if recipe.sufficient_majority is not None and examples.value.max() >= examples.weight * (
        recipe.sufficient_majority - WEIGHT_ALLOWANCE
    ):
        return "one class holds the share sufficient_majority"
    if recipe.max_depth is not None and depth >= recipe.max_depth:
        return "the depth is max_depth"
    if examples.weight < about(2 * recipe.min_objects):
        return "the weight is below 2 · min_objects"
    rows = float(examples.shares.sum()) if recipe.min_samples_split > 2 else len(examples.rows)
    if rows < about(recipe.min_samples_split):
        return "there are fewer rows than min_samples_split"
    if examples.weight < about(2 * recipe.min_weight_leaf):
        return "the weight is below 2 · min_weight_leaf"
    return ""


def _reason_to_refuse(examples: Examples, chosen: Candidate) -> str:
    """Why the chosen split is not made; empty if it is."""
    problem, recipe, tie = examples.problem, examples.problem.recipe, examples.tie
    if chosen.gain < recipe.min_gain - tie:
        return "the gain is below min_gain"
    if examples.weight / problem.weights.sum() * chosen.gain < recipe.min_impurity_decrease - tie:
        return "the decrease of impurity is below min_impurity_decrease"
    if recipe.require_gain and chosen.worth <= tie:
        return "the split gains nothing"
    if recipe.significance is not None and not is_significant(chosen.branches[:, FIRST:], recipe.significance):
        return "the split is not significant"
    return ""


def is_significant(table: Floats, alpha: float) -> bool:
    """Whether Σ (observed − expected)² / expected of the table branches × classes reaches chi-square's critical value.

    >>> is_significant(np.array([[4.0, 0.0], [0.0, 4.0]]), 0.05)
    True
    >>> is_significant(np.array([[2.0, 1.0], [2.0, 3.0]]), 0.05)
    False
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    if freedom < 1:
        return False
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / table.sum()
    return bool(((table - expected) ** 2 / expected).sum() >= chdtri(freedom, alpha))


# Children and the order of growing


def _grown_node(problem: Problem, examples: Examples | None, depth: int, used: frozenset[int]) -> GrownNode:
    """A node with its decision made and its split not yet carried out."""
    if examples is None:
        return GrownNode(None, depth, used, np.zeros(problem.target_kind.layout.width))
    decision = decide(examples, depth, used)
    if problem.watch is not None:
        problem.watch(len(examples.rows), decision.split is None)
    return GrownNode(
        examples, depth, used, examples.value, weight=examples.weight, count=len(examples.rows), decision=decision
    )


def _split(problem: Problem, node: GrownNode) -> None:
    """Carry out the accepted split of a node: step 5 of the specification."""
    split, examples = node.decision.split, node.examples
    if split is None or examples is None:
        return
    node.split = split
    used = node.used | {split.attribute} if asked_once(split.kind) else node.used
    asked, everything = node.asked | {split.attribute}, frozenset(range(len(problem.columns)))
    used |= everything - may_meet(problem.sets, asked, len(everything))
    branch = split.instance_branch
    if problem.recipe.missing == "surrogate":
        ordered = frozenset() if problem.order is None else frozenset(np.flatnonzero(problem.order.signs).tolist())
        node.surrogates = find_surrogates(examples, split, used | ordered)
        branch = send_unknown(examples, split, node.surrogates)
    parts = [_branch_examples(examples, split, branch, number) for number in range(len(split.branches))]
    _divide_bounds(examples, split, parts)
    for below in parts:
        child = _grown_node(problem, below, node.depth + 1, used)
        child.asked = asked
        node.children.append(child)


def _divide_bounds(examples: Examples, split: Candidate, parts: Sequence[Examples | None]) -> None:
    """A cut of an ordered attribute divides the bounds of the answers; both of its sides have instances."""
    bounds = examples.bounds
    if bounds is None or split.kind != Threshold.kind or np.isinf(split.threshold):
        return
    left, right = (part for part in parts if part is not None)
    left.bounds, right.bounds = bounds.divided(split.attribute, left.value, right.value)


def _branch_examples(examples: Examples, split: Candidate, branch: Integers, number: int) -> Examples | None:
    """The instances of one branch; under the fractional policy with its share of the unknown ones."""
    share = split.branches[number, WEIGHT] / split.branches[:, WEIGHT].sum()
    factors = np.where(branch < 0, share, 1.0)
    inside = ((branch == number) | (branch < 0)) & (examples.weights * factors > 0)
    return examples.part(inside, factors[inside]) if inside.any() else None


def _grow_depth_first(problem: Problem, root: GrownNode) -> None:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        _split(problem, node)
        waiting.extend(node.children)


def _grow_best_first(problem: Problem, root: GrownNode, max_leaves: int) -> None:
    """Split the open node of largest improvement D, again and again, while the leaves do not become too many."""
    leaves, waiting = 1, [root]
    examples = root.examples
    if examples is None:
        return
    floor = 1e-12 * examples.purity.whole(examples.total)
    while True:
        open_nodes = [(node, node.decision.split.improvement) for node in waiting if node.decision.split is not None]
        if not open_nodes:
            return
        largest = max(improvement for _, improvement in open_nodes)
        node = next(node for node, d in open_nodes if d >= largest - 1e-10 * abs(largest) - floor)
        waiting = [other for other, _ in open_nodes if other is not node]
        branches = 0 if node.decision.split is None else len(node.decision.split.branches)
        if leaves + branches - 1 <= max_leaves:
            _split(problem, node)
            leaves += branches - 1
            waiting.extend(node.children)


# After growing


def _collapse(problem: Problem, root: GrownNode) -> None:
    """Make a leaf of every node whose branches make no fewer errors than it would as a leaf.

    bottom_up: the errors of the branches after their own collapsing. top_down: the errors of all leaves below, from the
    root down.
    """
    bottom_up = problem.recipe.collapse == "bottom_up"
    nodes, first_child = numbered(root)
    own = [problem.leaf_errors(node.value) for node in nodes]
    below = own.copy()  # the errors of the leaves below each node; children have greater numbers than their parents
    collapsed: list[GrownNode] = []
    for number in reversed(range(len(nodes))):
        if nodes[number].children:
            first = first_child[number]
            below[number] = sum(below[first : first + len(nodes[number].children)])
            if below[number] >= own[number] - problem.recipe.collapse_tolerance - WEIGHT_ALLOWANCE:
                collapsed.append(nodes[number])
                if bottom_up:
                    below[number] = own[number]
    for node in collapsed:
        _make_leaf(node)


def _make_leaf(node: GrownNode) -> None:
    node.split, node.surrogates, node.children = None, [], []


def numbered(root: GrownNode) -> tuple[list[GrownNode], list[int]]:
    """The nodes depth first with children side by side, and the number of each node's first child (0: a leaf)."""
    nodes, first_child, numbers = [root], [0], {id(root): 0}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.children:
            first_child[numbers[id(node)]] = len(nodes)
        for child in node.children:
            numbers[id(child)] = len(nodes)
            nodes.append(child)
            first_child.append(0)
        waiting.extend(reversed(node.children))
    return nodes, first_child


def _as_tree(problem: Problem, root: GrownNode) -> Tree:
    """The grown nodes as a tree of arrays."""
    nodes, first_child = numbered(root)
    splits = [node.split for node in nodes]
    surrogates = [surrogate for node in nodes for surrogate in node.surrogates]
    group_start, group_child = _side_table([None if split is None else split.value_branch for split in splits])
    surrogate_group_start, surrogate_group_child = _side_table([surrogate.value_branch for surrogate in surrogates])
    arrays: dict[str, Array] = {
        "kind": np.array([LEAF if s is None else s.kind for s in splits], dtype=np.uint8),
        "attribute": np.array([0 if s is None else s.attribute for s in splits], dtype=np.int32),
        "threshold": np.array([np.nan if s is None else s.threshold for s in splits], dtype=np.float64),
        "first_child": np.array(first_child, dtype=np.int32),
        "n_children": np.array([len(node.children) for node in nodes], dtype=np.int32),
        "missing_child": np.array([-1 if s is None else s.missing_child for s in splits], dtype=np.int32),
        "weight": np.array([node.weight for node in nodes], dtype=np.float64),
        "count": np.array([node.count for node in nodes], dtype=np.int64),
        "gain": np.array([0.0 if s is None else s.gain for s in splits], dtype=np.float64),
        "value": np.array([_kept(node) for node in nodes], dtype=np.float64),
        "group_start": group_start,
        "group_child": group_child,
        "surrogate_start": np.cumsum([0] + [len(node.surrogates) for node in nodes]).astype(np.int64),
        "surrogate_kind": np.array([s.kind for s in surrogates], dtype=np.uint8),
        "surrogate_attribute": np.array([s.attribute for s in surrogates], dtype=np.int32),
        "surrogate_threshold": np.array([s.threshold for s in surrogates], dtype=np.float64),
        "surrogate_low_child": np.array([s.low_child for s in surrogates], dtype=np.int32),
        "surrogate_agreement": np.array([s.agreement for s in surrogates], dtype=np.float64),
        "surrogate_adjusted": np.array([s.adjusted for s in surrogates], dtype=np.float64),
        "surrogate_group_start": surrogate_group_start,
        "surrogate_group_child": surrogate_group_child,
    }
    in_weights(arrays, problem.case_weight, problem.target_kind)
    recipe = problem.recipe
    return Tree.from_arrays(
        arrays, problem.schema, problem.target_kind, criterion=str(recipe.criterion), empty_leaf=recipe.empty_leaf
    )


def _kept(node: GrownNode) -> Floats:
    """What the tree keeps of a node, which answers between its bounds."""
    bounds = None if node.examples is None else node.examples.bounds
    return node.value if bounds is None else bounds.kept(node.value)


def _side_table(entries: Sequence[Integers | None]) -> tuple[Integers, np.ndarray[tuple[int, ...], np.dtype[np.int32]]]:
    """Where each row's entries begin, and all entries one behind the other."""
    lengths = [0 if entry is None else len(entry) for entry in entries]
    joined = [entry for entry in entries if entry is not None]
    child = np.concatenate(joined).astype(np.int32) if joined else np.zeros(0, dtype=np.int32)
    return np.cumsum([0, *lengths]).astype(np.int64), child
