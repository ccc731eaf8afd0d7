"""A node: a read-only view of one place in a tree, to walk from and to ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.names import counted, listed, short_number, significant
from quercus.data.schema import Attribute
from quercus.tree.layout import LEAF, Row, SurrogateRow
from quercus.tree.questions import Question, positions_of, question_of
from quercus.tree.surrogate import Surrogate

if TYPE_CHECKING:
    from quercus.tree.tree import Tree


@dataclass(frozen=True)
class BranchTaken:
    """One branch of a path: at ``node`` its ``test`` is answered by the branch ``branch``, in words ``text``."""

    node: Node
    test: Question
    branch: int
    text: str

    def __str__(self) -> str:
        """The answer in words."""
        return self.text


class Node:
    """A view of node ``id`` of ``tree``; it is cheap to make and stores nothing itself."""

    __slots__ = ("id", "tree")

    def __init__(self, tree: Tree, number: int) -> None:
        self.tree = tree
        self.id = number

    # Place

    @property
    def is_leaf(self) -> bool:
        """Whether the node asks nothing."""
        return bool(self.tree.kind[self.id] == LEAF)

    @property
    def is_empty(self) -> bool:
        """Whether no training weight came here."""
        return bool(self.tree.weight[self.id] <= 0)

    @property
    def depth(self) -> int:
        """The number of tests above."""
        return int(self.tree.node_depth[self.id])

    @property
    def parent(self) -> Node | None:
        """The node above; None at the root."""
        return Node(self.tree, int(self.tree.parent[self.id])) if self.id else None

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes below, in the order of the test's branches."""
        first = int(self.tree.first_child[self.id])
        return tuple(Node(self.tree, child) for child in range(first, first + int(self.tree.n_children[self.id])))

    @property
    def n_descendants(self) -> int:
        """How many nodes stand below, at any depth."""
        return int(self.tree.descendants_end[self.id] - self.tree.first_child[self.id])

    def walk(self) -> Iterator[Node]:
        """This node and all below, each before its children, branch by branch."""
        stack = [self.id]
        while stack:
            number = stack.pop()
            yield Node(self.tree, number)
            first = int(self.tree.first_child[number])
            stack.extend(range(first + int(self.tree.n_children[number]) - 1, first - 1, -1) if first else ())

    def leaves(self) -> Iterator[Node]:
        """The leaves below (or this one), from the first branch to the last."""
        return (node for node in self.walk() if node.is_leaf)

    def path(self) -> tuple[BranchTaken, ...]:
        """The tests from the root to here, with the branch taken at each."""
        steps = []
        below = self
        while (above := below.parent) is not None:
            test = above.test
            assert test is not None
            branch = below.id - int(self.tree.first_child[above.id])
            steps.append(BranchTaken(above, test, branch, test.branch(branch)))
            below = above
        return tuple(reversed(steps))

    # Test

    @property
    def attribute(self) -> Attribute | None:
        """The attribute tested (of several the first); None at a leaf."""
        return None if self.is_leaf else self.tree.schema.attributes[int(self.tree.attribute[self.id])]

    @property
    def test(self) -> Question | None:
        """The question asked here; None at a leaf."""
        if self.is_leaf:
            return None
        return question_of(self.tree.kind[self.id], self.tree.schema, Row(self.tree, self.id))

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions in the schema of the attributes that the question reads; none at a leaf."""
        return () if self.is_leaf else positions_of(self.tree.kind[self.id], Row(self.tree, self.id))

    @property
    def gain(self) -> float:
        """The gain of the split; 0 at a leaf."""
        return float(self.tree.gain[self.id])

    @property
    def surrogates(self) -> tuple[Surrogate, ...]:
        """The tests that stand in where this one's value is unknown, the best first."""
        first, last = self.tree.surrogate_start[self.id], self.tree.surrogate_start[self.id + 1]
        return tuple(self._surrogate(int(number)) for number in range(first, last))

    def _surrogate(self, number: int) -> Surrogate:
        tree = self.tree
        primary = self.test
        assert primary is not None
        test = question_of(tree.surrogate_kind[number], tree.schema, SurrogateRow(tree, number))
        low = int(tree.surrogate_low_child[number]) if test.has_threshold else 0
        agreement, adjusted = float(tree.surrogate_agreement[number]), float(tree.surrogate_adjusted[number])
        return Surrogate(
            test, (low, 1 - low), agreement, adjusted, (primary.branch(0, limit=10), primary.branch(1, limit=10))
        )

    def branch_of(self, codes: Sequence[float]) -> int | None:
        """The branch that an example takes here: by its values, by the first surrogate that knows, else as unknown.

        codes: the encoded example, one number or code for each attribute of the schema. None: it takes every branch.
        """
        test = self.test
        assert test is not None
        branch = test.known_branch(*(codes[position] for position in self.positions))
        for number in range(int(self.tree.surrogate_start[self.id]), int(self.tree.surrogate_start[self.id + 1])):
            if branch is None:
                branch = self._surrogate(number).branch_of_code(codes[int(self.tree.surrogate_attribute[number])])
        return test.missing_child if branch is None else branch

    # What is here

    @property
    def weight(self) -> float:
        """The weight of the training instances here."""
        return float(self.tree.weight[self.id])

    @property
    def count(self) -> int:
        """The number of training instances here."""
        return int(self.tree.count[self.id])

    @property
    def class_weights(self) -> NDArray[np.float64] | None:
        """The training weight of each class; None in a regression tree."""
        return self.tree.target_kind.class_weights(self.tree.value[self.id])

    @property
    def distribution(self) -> NDArray[np.float64]:
        """What is predicted here: class shares, or numbers; an empty leaf answers from its parent."""
        shares: NDArray[np.float64] = self.tree.distributions()[self.id]
        return shares

    @property
    def label(self) -> Any:
        """The predicted class, or in a regression tree the predicted number."""
        return self.tree.target_kind.label(self.tree.chosen()[self.id])

    @property
    def spread(self) -> float | None:
        """The standard deviation of the training numbers here (0 without any); None in a classification tree."""
        spread = self.tree.target_kind.spread(self.tree.value[self.id], self.weight)
        return None if spread is None else float(spread)

    # Words

    def describe(self) -> str:
        """The node in a few sentences: how it is reached, what it holds, what it asks or predicts."""
        sentences = [f"Node {self.id}" + (f", depth {self.depth}." if self.id else ", the root.")]
        if self.id:
            sentences.append("Reached when " + " and ".join(step.text for step in self.path()) + ".")
        sentences.append(self._holding())
        test = self.test
        if test is None:
            borrowed = " as its parent would" if self.is_empty and self.id else ""
            sentences.append(f"Predicts {self._label_text()}{borrowed}.")
        else:
            sentences += [f"Asks {test} (gain {significant(self.gain)}).", self._answers(test), self._unknown(test)]
        for surrogate in self.surrogates:
            sentences.append(f"If unknown: {surrogate}.")
        return " ".join(sentences)

    def _label_text(self) -> str:
        tree = self.tree
        return tree.target_kind.words().answer(tree.chosen()[self.id], self.distribution)

    def _holding(self) -> str:
        if self.is_empty:
            return "No training example came here."
        size = f"{short_number(self.weight)} example{'' if self.weight == 1 else 's'}"
        return f"Holds {size}{self.tree.target_kind.words().held(self.tree.value[self.id], self.weight)}."

    def _answers(self, test: Question) -> str:
        shown = (f"{test.branch(i, limit=10)} → node {child.id}" for i, child in enumerate(self.children))
        return listed(shown, test.n_branches, 20) + "."

    def _unknown(self, test: Question) -> str:
        name = test.subject()
        if test.missing_child is None:
            return f"An unknown {name} goes to all {counted(test.n_branches, 'branch', 'branches')} by their weights."
        if test.is_unknown_branch(test.missing_child):
            return f"An unknown {name} has a branch of its own."
        return f"An unknown {name} goes where {test.branch(test.missing_child, limit=10)}."

    def __eq__(self, other: object) -> bool:
        """Whether it is the same place of the same tree object."""
        return isinstance(other, Node) and self.tree is other.tree and self.id == other.id

    def __hash__(self) -> int:
        """The hash of the tree and the node's number."""
        return hash((id(self.tree), self.id))

    def __repr__(self) -> str:
        """The node in one line."""
        what = f"predicts {self._label_text()}" if self.is_leaf else f"asks {self.test}"
        return f"<Node {self.id}: {what}, weight {short_number(self.weight)}>"
