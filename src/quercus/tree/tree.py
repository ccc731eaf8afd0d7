"""The tree: a struct of read-only arrays, one element per node, with the names of its schema.

The arrays are those of ``docs/specification.md``. Nodes are numbered depth first with children side by side, so a
child's number is greater than its parent's, and a pass from the last node to the first meets children before parents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus import _core
from quercus.arrays import Array, Floats, read_only
from quercus.data.case_weight import case_weight
from quercus.data.names import counted
from quercus.data.schema import Schema
from quercus.data.weights import named_costs
from quercus.errors import DataError, ParameterError, checked_place, choice_message
from quercus.targets import TargetKind, kind_of
from quercus.targets.kind import OfTarget
from quercus.targets.labels import label_codes
from quercus.tree import compare, dictionary, distribution, text
from quercus.tree.collapse import collapsed_arrays
from quercus.tree.invariants import checked_arrays
from quercus.tree.layout import ARRAYS, LEAF
from quercus.tree.node import Node
from quercus.tree.outline import Limits
from quercus.tree.places import Places
from quercus.tree.scikit_learn import ReadAsScikitLearn

EmptyLeaf = Literal["parent_class", "parent_distribution"]
EMPTY_LEAF: tuple[EmptyLeaf, ...] = get_args(EmptyLeaf)
NO_LABELS = "labels() names classes; this tree predicts numbers. Use distributions()."


class Deciding(Protocol):
    """How a model chooses its answers: ``quercus.fitted.Decision``."""

    def node_choices(self, tree: Tree) -> NDArray[Any]:
        """The class (by position) or number that each node of a tree answers."""

    def choices(self, kind: TargetKind, answers: Floats) -> NDArray[Any]:
        """The class (by position) or number that each row of answers comes down to."""

    def reason(self, classes: Sequence[Any]) -> str:
        """Why a class is answered that is not the more likely of two; empty: none ever is."""


@dataclass(frozen=True, eq=False, repr=False)
class Tree(OfTarget, Places, ReadAsScikitLearn):
    """A decision tree; made by :meth:`from_arrays`, never changed afterwards.

    kind: 0 leaf, 1 threshold, 2 multiway, 3 grouped, 4 subset. attribute: the one tested. threshold: of ``x <= t``.
    first_child, n_children: the children are ``first_child … first_child + n_children − 1``. missing_child: position of
    the child that takes unknown values, −1: all of them. weight, count: of the training instances here. gain: of the
    split. value: what the kind of target keeps of each node: class weights, or prediction, mean and squared deviations
    (``target_kind.layout`` names the columns). The side tables (group_…, surrogate_…) hold the values of a set that
    have a child, each with its child, and surrogate tests. empty_leaf: what a leaf of weight 0 predicts. decision: of
    the model whose tree this is, so that texts and pictures show its answers; None: nodes answer the most likely class.
    sklearn: the arrays under scikit-learn's names.

    >>> from quercus.data.schema import Attribute
    >>> arrays = {
    ...     "kind": np.array([1, 0, 0]), "attribute": np.array([0, 0, 0]), "threshold": np.array([54, np.nan, np.nan]),
    ...     "first_child": np.array([1, 0, 0]), "n_children": np.array([2, 0, 0]), "missing_child": np.full(3, -1),
    ...     "weight": np.array([6.0, 2.0, 4.0]), "count": np.array([6, 2, 4]), "gain": np.array([0.459, 0.0, 0.0]),
    ...     "value": np.array([[3.0, 3.0], [2.0, 0.0], [1.0, 3.0]]),
    ... }
    >>> schema = Schema((Attribute("Temperature", "numeric"),))
    >>> tree = Tree.from_arrays(arrays, schema, ["No", "Yes"], criterion="entropy")
    >>> print(tree)
    Temperature <= 54: No (2)
    Temperature > 54: Yes (4: 3 Yes, 1 No)
    >>> tree.root.test, tree.node(2).label, tree.depth
    (Threshold(Temperature <= 54), 'Yes', 1)
    """

    kind: NDArray[np.uint8]
    attribute: NDArray[np.int32]
    threshold: Floats
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    missing_child: NDArray[np.int32]
    weight: Floats
    count: NDArray[np.int64]
    gain: Floats
    value: Floats
    surrogate_kind: NDArray[np.uint8]
    surrogate_attribute: NDArray[np.int32]
    surrogate_threshold: Floats
    surrogate_low_child: NDArray[np.int32]
    surrogate_agreement: Floats
    surrogate_adjusted: Floats
    group_start: NDArray[np.int64]
    group_value: NDArray[np.int32]
    group_child: NDArray[np.int32]
    surrogate_start: NDArray[np.int64]
    surrogate_group_start: NDArray[np.int64]
    surrogate_group_value: NDArray[np.int32]
    surrogate_group_child: NDArray[np.int32]
    schema: Schema
    target_kind: TargetKind
    criterion: str
    empty_leaf: EmptyLeaf
    decision: Deciding | None = None

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, Array],
        schema: Schema,
        target: TargetKind | Sequence[Any] | Array | None,
        *,
        criterion: str,
        empty_leaf: str = "parent_class",
    ) -> Tree:
        """Check the arrays and take them over (they are not copied).

        arrays: by name; value groups and surrogates may be left out. Without ``group_value``, ``group_child`` has the
        child of each declared value, −1 for none; so with surrogates. target: its kind, or the classes; None: numbers.
        empty_leaf: what a leaf without instances predicts, its parent's majority class or its parent's distribution.
        """
        if not isinstance(schema, Schema):
            raise DataError(f"schema is of type {type(schema).__name__}, but must be a quercus.data.Schema.")
        if empty_leaf not in EMPTY_LEAF:
            raise ParameterError(choice_message("empty_leaf", empty_leaf, EMPTY_LEAF))
        if not isinstance(criterion, str):
            raise ParameterError(f"criterion is {criterion!r}, but must be the name of a measure.")
        kind = kind_of(target)
        checked = checked_arrays(arrays, schema, kind.layout)
        choice = EMPTY_LEAF[EMPTY_LEAF.index(empty_leaf)]
        return cls(**checked, schema=schema, target_kind=kind, criterion=criterion, empty_leaf=choice, decision=None)

    @property
    def arrays(self) -> dict[str, Array]:
        """All arrays by name."""
        return {name: getattr(self, name) for name in ARRAYS}

    # Size

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The names of the classes; None: numbers are predicted."""
        return self.target_kind.classes

    @property
    def case_weight(self) -> float:
        """What one case weighs, for smoothing and for pruning by numbers of cases: see ``quercus.data.case_weight``."""
        return case_weight(float(self.weight[0]), int(self.count[0]))

    @property
    def n_nodes(self) -> int:
        """The number of all nodes, the leaves of empty branches too."""
        return len(self.kind)

    @cached_property
    def n_leaves(self) -> int:
        """The number of leaves, those of empty branches too."""
        return int(np.count_nonzero(self.kind == LEAF))

    @cached_property
    def depth(self) -> int:
        """The greatest number of tests on a path; 0 for a single leaf."""
        return int(self.node_depth.max())

    @property
    def nbytes(self) -> int:
        """The memory of all arrays, in bytes."""
        return sum(array.nbytes for array in self.arrays.values())

    @property
    def bytes_per_node(self) -> float:
        """The memory of all arrays for each node, in bytes."""
        return self.nbytes / self.n_nodes

    # Nodes

    @cached_property
    def compact(self) -> Any:
        """The questions as prediction follows them: checked once, in memory of the core's own; not pickled or saved."""
        arrays = tuple(getattr(self, name) for name in _core.predict_arrays)
        return _core.CompactTree(arrays, len(self.schema))

    @property
    def root(self) -> Node:
        """The first node."""
        return Node(self, 0)

    def node(self, number: int) -> Node:
        """A view of one node."""
        size = self.n_nodes
        if type(number) is not int or not 0 <= number < size:
            number = checked_place("node", number, range(size), f"the tree's nodes are 0 … {size - 1}")
        return Node(self, number)

    def walk(self) -> Iterator[Node]:
        """All nodes, each before its children, branch by branch."""
        return self.root.walk()

    def leaves(self) -> Iterator[Node]:
        """All leaves, from the first branch to the last."""
        return self.root.leaves()

    # What nodes predict

    @cached_property
    def _plain_distributions(self) -> Floats:
        return read_only(self._node_answers())

    def _node_answers(self, added: ArrayLike = 0.0) -> Floats:
        case = distribution.borrowed_case(self)
        return self.target_kind.node_answers(self.value, distribution.sources(self), case, added)

    def distributions(
        self, laplace: bool = False, m_estimate: float | None = None, prior: ArrayLike | None = None
    ) -> Floats:
        r"""What each node predicts: class shares [n_nodes, n_classes], or its numbers [n_nodes, 1]. Read-only.

        Empty leaves answer from their parent, as ``empty_leaf`` says.

        laplace: :math:`(c_j + 1) / (N + k)`. m_estimate: :math:`(c_j + m p_j) / (N + m)`, with the root's class shares
        as p unless ``prior`` gives others. Smoothing sees an empty leaf of ``parent_class`` as one example of it.
        """
        if not laplace and m_estimate is None and prior is None:
            return self._plain_distributions
        self.target_kind.need_classes("laplace, m_estimate and prior smooth class shares; this tree predicts numbers.")
        return read_only(self._node_answers(distribution.added_weights(self, laplace, m_estimate, prior)))

    @cached_property
    def _plain_labels(self) -> NDArray[np.int64]:
        return read_only(label_codes(self.distributions()).astype(np.int64))

    @named_costs
    def labels(self, cost_matrix: Any = None) -> NDArray[np.int64]:
        r"""The position in ``classes`` of each node's predicted class: the most likely, the first if tied. Read-only.

        cost_matrix: L(i, j), the cost of predicting j when i is true; then the class of least expected cost.
        """
        self.target_kind.need_classes(NO_LABELS)
        if cost_matrix is None:
            return self._plain_labels
        return read_only(distribution.least_cost_labels(self.distributions(), cost_matrix))

    @cached_property
    def _decided(self) -> NDArray[Any]:
        if self.decision is None:
            return read_only(self.target_kind.chosen(self.distributions()))
        return read_only(self.decision.node_choices(self))

    def chosen(self, cost_matrix: ArrayLike | None = None) -> NDArray[Any]:
        """What each node answers, as texts and pictures show it: as answers(), or the numbers."""
        return self._decided if cost_matrix is None else self.labels(cost_matrix)

    def choices(self, answers: Floats, cost_matrix: ArrayLike | None = None) -> NDArray[Any]:
        """The class (by position) or number that rows of answers come down to, as chosen() does it for nodes."""
        if cost_matrix is None and self.decision is not None:
            return self.decision.choices(self.target_kind, answers)
        return self.target_kind.chosen(answers, cost_matrix)

    def answers(self, cost_matrix: ArrayLike | None = None) -> NDArray[np.int64]:
        """The position in ``classes`` of the class that each node answers, as texts and pictures show it. Read-only.

        That of the model whose tree this is (by its costs, threshold and smoothing); of a tree without a model the most
        likely, as labels(). cost_matrix: these costs instead.
        """
        if cost_matrix is not None:
            return self.labels(cost_matrix)
        self.target_kind.need_classes(NO_LABELS)
        return self._decided

    # Other trees from this one

    def answering(self, decision: Deciding | None) -> Tree:
        """The same tree, shown with the answers of a model. decision: of the model."""
        return self if decision is self.decision else replace(self, decision=decision)

    def collapse(self, mask: ArrayLike) -> Tree:
        """The tree in which the nodes of the mask are leaves; what stood below them is gone, the rest numbered anew.

        mask: one truth value per node. Masked nodes below a masked node, and masked leaves, change nothing.
        """
        chosen = np.asarray(mask)
        if chosen.shape != (self.n_nodes,) or chosen.dtype != np.bool_:
            raise ParameterError(
                f"mask has the shape {chosen.shape} and holds {chosen.dtype}; it must hold one boolean for each of the "
                f"{self.n_nodes} nodes."
            )
        arrays = collapsed_arrays(self.arrays, self.descendants_end, chosen)
        smaller = Tree.from_arrays(
            arrays, self.schema, self.target_kind, criterion=self.criterion, empty_leaf=self.empty_leaf
        )
        return smaller.answering(self.decision)

    # Comparison

    def __eq__(self, other: object) -> bool:
        """Whether all arrays, names and choices are exactly the same."""
        if not isinstance(other, Tree):
            return NotImplemented
        return compare.first_difference(self, other, tolerance=None) is None

    __hash__ = None  # type: ignore[assignment]

    def same_structure(self, other: Tree, tolerance: float = 1e-9) -> bool:
        """Whether both trees ask the same questions at the same places, with numbers that agree within the tolerance.

        A number x agrees with y if ``|x − y| ≤ tolerance · max(1, |x|, |y|)``. criterion and empty_leaf may differ.
        """
        return compare.first_difference(self, other, tolerance=tolerance) is None

    def first_difference(self, other: Tree, tolerance: float | None = None) -> str | None:
        """What differs first, in words; None if nothing does. tolerance: as in same_structure; None: exact."""
        return compare.first_difference(self, other, tolerance=tolerance)

    # Text and files

    @named_costs
    def to_text(
        self,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        *,
        max_branches: int | None = None,
        max_values: int | None = 10,
        cost_matrix: Any = None,
        unknown: bool = False,
    ) -> str:
        """The tree as indented text; a node that is cut off says how much it hides.

        max_depth: tests on a path. max_nodes: lines; the heaviest nodes are opened first. max_branches: branches shown
        of one node, the heaviest. max_values: names shown of a set of values. None: no limit. cost_matrix: as in
        answers(). unknown: mark the branches that unknown values take (none are where they go down every branch).
        Branches that no example took share one line if they are many.
        """
        return text.tree_text(self, Limits(max_depth, max_nodes, max_branches, max_values), cost_matrix, unknown)

    @named_costs
    def short_text(self, cost_matrix: Any = None) -> str:
        """The tree as text of at most 200 lines; the last says so if that is not all. cost_matrix: as in answers()."""
        return text.short_tree_text(self, cost_matrix)

    def __str__(self) -> str:
        """The tree as text, at most 200 lines; ``to_text()`` shows all."""
        return self.short_text()

    def __repr__(self) -> str:
        """The tree in one line."""
        size = f"{counted(self.n_nodes, 'node')}, {counted(self.n_leaves, 'leaf', 'leaves')}, depth {self.depth}"
        return f"<Tree: {size}, {self.target_kind.title}>"

    def to_svg(
        self,
        *,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        max_branches: int | None = None,
        highlight: Any = None,
        orientation: Literal["top-down", "left-right"] = "top-down",
        theme: Literal["auto", "light", "dark"] = "auto",
        title: str | None = None,
        legend: bool = True,
        cost_matrix: Any = None,
    ) -> str:
        """The tree as an SVG picture; options: as of :func:`quercus.draw.tree_svg`."""
        from quercus.draw import tree_svg

        return tree_svg(
            self,
            max_depth=max_depth,
            max_nodes=max_nodes,
            max_branches=max_branches,
            highlight=highlight,
            orientation=orientation,
            theme=theme,
            title=title,
            legend=legend,
            cost_matrix=cost_matrix,
        )

    def _repr_svg_(self) -> str:
        """The picture for notebooks; of a large tree its heaviest nodes."""
        from quercus.draw.notebook import notebook_svg

        return notebook_svg(self)

    def _repr_html_(self) -> str:
        """The picture for notebooks, in a frame that scrolls; every name escaped."""
        from quercus.draw.notebook import notebook_html

        return notebook_html(self)

    def to_dict(self) -> dict[str, Any]:
        """The tree as plain lists, numbers and strings that JSON can hold, with a version; exact."""
        return dictionary.tree_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tree:
        """Undo :meth:`to_dict`; everything is checked, and loading runs no code."""
        return cls.from_arrays(**dictionary.arguments_from_dict(data))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arrays and names, not what was derived from them."""
        return _rebuilt, (self.arrays, self.schema, self.target_kind, self.criterion, self.empty_leaf, self.decision)


def _rebuilt(
    arrays: dict[str, Array],
    schema: Schema,
    target: TargetKind,
    criterion: str,
    empty_leaf: str,
    decision: Deciding | None = None,
) -> Tree:
    tree = Tree.from_arrays(arrays, schema, target, criterion=criterion, empty_leaf=empty_leaf)
    return tree.answering(decision)
