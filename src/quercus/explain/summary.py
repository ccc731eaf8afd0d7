"""The summary of a tree, as rpart gives it: options, prices of leaves, importances, every node with its rivals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.names import (
    class_counts,
    counted,
    listed,
    look_like_numbers,
    quoted_value,
    short_number,
    significant,
    without_noise,
)
from quercus.data.weights import named_costs
from quercus.errors import DataError
from quercus.explain.consult.cost_of_use import CostOfUse, cost_of_use
from quercus.explain.importance import Importances, gain_importance
from quercus.explain.trace.competing import Competition, competition
from quercus.explain.trace.trace import Trace
from quercus.fitted.argument import of_models
from quercus.pruning.cost_complexity import AlphaPath, cost_complexity_path
from quercus.results import Result
from quercus.tree.node import Node
from quercus.tree.tree import Tree


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Result):
    """All facts about a tree; made by :func:`summarize`.

    tree: what is summed up. options: how it was made. trace: where rivals come from; None: they are left out.
    cost_matrix: of errors. alpha_table: of a cross-validation, if there was one. limit: rivals and surrogates shown of
    a node.
    """

    tree: Tree
    options: Mapping[str, Any]
    trace: Trace | None
    cost_matrix: Any
    alpha_table: Any
    limit: int

    @cached_property
    def importance(self) -> Importances:
        """The importances by gain; with the surrogates, if the tree has any."""
        return gain_importance(self.tree, surrogates=bool(len(self.tree.surrogate_attribute)))

    @cached_property
    def cost(self) -> CostOfUse:
        """What the questions cost."""
        return cost_of_use(self.tree)

    @cached_property
    def path(self) -> AlphaPath:
        """The path of cost-complexity pruning: the price of a leaf at which each node becomes one."""
        return cost_complexity_path(self.tree, self.cost_matrix)

    def competition(self, node: int) -> Competition | None:
        """What competed at a node; None at a leaf, or if nobody looked."""
        trace, node = self.trace, self.tree.node(node).id
        if trace is None:
            return None
        place = node if trace.grown is None else trace.grown[node]
        if place is None or place not in trace:
            return None
        node_trace = trace.node(place)
        same = node_trace.count == self.tree.count[node]  # below a raised branch other rows come to a node
        return competition(trace, node_trace, self.limit) if same and not self.tree.node(node).is_leaf else None

    # Text

    def __str__(self) -> str:
        """The summary with at most 50 nodes; ``to_text()`` shows all."""
        return self.to_text(max_nodes=50)

    def to_text(self, max_nodes: int | None = None) -> str:
        """The summary as text; max_nodes: the heaviest so many."""
        blocks = [self._head()]
        if self.alpha_table is not None:
            blocks.append(f"The price of a leaf\n{_indented(str(self.alpha_table))}")
        if self.tree.n_nodes > 1:
            blocks.append(f"Importance ({self.importance.kind})\n{_indented(str(self.importance))}")
        if any(attribute.cost > 0 for attribute in self.tree.schema):
            blocks.append(f"Cost of use\n{_indented(str(self.cost))}")
        numbers = [node.id for node in self.tree.walk()]
        if max_nodes is not None and len(numbers) > max_nodes:
            heaviest = set(sorted(numbers, key=lambda node: (-self.tree.weight[node], node))[:max_nodes])
            numbers = [node for node in numbers if node in heaviest]
        blocks += [self.node_text(number) for number in numbers]
        if len(numbers) < self.tree.n_nodes:
            blocks.append(f"… {counted(self.tree.n_nodes - len(numbers), 'node')} more; to_text() shows all")
        return "\n\n".join(blocks)

    def _head(self) -> str:
        tree = self.tree
        target = "" if tree.schema.target is None else f" of {quoted_value(tree.schema.target)}"
        size = f"{counted(tree.n_nodes, 'node')}, {counted(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}"
        grown = f"grown from {counted(int(tree.count[0]), 'row')} by {tree.criterion}"
        lines = [f"A {tree.target_kind.task} tree{target}: {size}; {grown}"]
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return "\n".join([*lines, f"Options: {options}"] if options else lines)

    def node_text(self, number: int) -> str:
        """One node: what it holds and predicts, what it costs to keep, its children, its rivals and stand-ins."""
        node = self.tree.node(number)
        where = "the root" if not node.id else " and ".join(step.text for step in node.path())
        lines = [f"Node {node.id}: {where}", *(f"  {line}" for line in self._facts(node))]
        if not node.is_leaf:
            children = [f"{child.id} ({short_number(child.weight)})" for child in node.children[:10]]
            lines.append(f"  children {listed(children, len(node.children), 10)}")
            lines += [f"  {line}" for line in self._questions(node)]
        return "\n".join(lines)

    def _facts(self, node: Node) -> Iterator[str]:
        size = counted(node.count, "row")
        if abs(node.weight - node.count) > 1e-9:
            size += f" of weight {short_number(node.weight)}"
        price = self.relative_alpha(node.id)
        yield size + ("" if price is None else f", complexity {significant(price)}")
        if node.is_empty:
            yield "no training example came here; answers as its parent would"
        elif node.spread is not None:
            words = self.tree.target_kind.words()
            answer = words.answer(node.label, node.distribution)
            mean = words.centre(self.tree.value[node.id])
            yield f"predicts {answer}; mean {mean}, variance {significant(node.spread**2)}"
        else:
            names = [quoted_value(label) for label in self.tree.classes or ()]
            label = int(self.tree.answers(self.cost_matrix)[node.id])
            loss = "expected loss" if self.cost_matrix is None else "expected cost"
            yield f"predicts {names[label]}, {loss} {significant(self.expected_loss(node.id))}"
            yield f"class counts: {class_counts(self.tree.value[node.id].tolist(), names, 20)}"
            mark = ":" if look_like_numbers(names) else ""
            ranked = sorted(enumerate(node.distribution.tolist()), key=lambda entry: -entry[1])
            shares = [f"{names[j]}{mark} {share:.3f}" for j, share in ranked if share > 0]
            yield f"probabilities: {', '.join(shares[:20])}"

    def _questions(self, node: Node) -> Iterator[str]:
        """The question, its rivals and its surrogates."""
        rivals = self.competition(node.id)
        if rivals is None:
            yield f"asks {node.test}: gain {significant(node.gain)}"
            surrogates = [str(one) for one in node.surrogates[: self.limit]]
        else:
            yield "primary splits:"
            yield f"  {rivals.primary.test}: improvement {significant(rivals.primary.improvement, 6)}, chosen" + (
                f", unknown {significant(rivals.primary.unknown)}" if rivals.primary.unknown > 0 else ""
            )
            yield from (f"  {competitor}" for competitor in rivals.competitors)
            surrogates = [one.text for one in rivals.surrogates]
        if surrogates:
            yield "surrogate splits:"
            yield from (f"  {text}" for text in surrogates)

    # Numbers

    def relative_alpha(self, node: int) -> float | None:
        """The price of a leaf, as a share of the root's risk (rpart's complexity), at which a node becomes one."""
        node, risk = self.tree.node(node).id, float(self.path.node_risk[0])
        alpha = float(self.path.node_alpha[node])
        if not (risk > 0 and np.isfinite(alpha)) or self.tree.node(node).is_leaf:
            return None
        return without_noise(alpha / risk)

    def expected_loss(self, node: int) -> float:
        """The share of the training weight here that the node's answer gets wrong; with costs the mean cost."""
        shares: NDArray[np.float64] = self.tree.node(node).distribution
        if self.cost_matrix is None:
            return without_noise(float(1 - shares[int(self.tree.answers()[node])]))
        return float((shares @ np.asarray(self.cost_matrix, dtype=np.float64)).min())

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain data."""
        table = None
        if self.alpha_table is not None:
            table = {name: np.asarray(column).tolist() for name, column in self.alpha_table.columns.items()}
        return {
            "options": {name: _plain(value) for name, value in self.options.items()},
            "nodes": self.tree.n_nodes,
            "leaves": self.tree.n_leaves,
            "depth": self.tree.depth,
            "alpha_table": table,
            "importance": self.importance.to_dict(),
            "cost_of_use": self.cost.to_dict(),
        }


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


@of_models(Tree)
@named_costs
def summarize(
    tree: Tree,
    *,
    trace: Trace | None = None,
    options: Mapping[str, Any] | None = None,
    cost_matrix: Any = None,
    alpha_table: Any = None,
    limit: int = 5,
) -> Summary:
    """Sum up a tree as rpart's ``summary`` does, in our own layout.

    tree: any, or a fitted model that answers by one. trace: of its growing (if it was pruned: of the grown tree);
    without one the questions are shown without their rivals. options: how it was made, for the first lines.
    cost_matrix: of errors. alpha_table: of the cross-validation that chose it. limit: rivals and surrogates per node.

    >>> from quercus import CARTClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(CARTClassifier(max_depth=1).fit(X, y).summary(X, y, limit=2))
    A classification tree of target: 3 nodes, 2 leaves, depth 1; grown from 150 rows by gini
    Options: max_depth=1
    <BLANKLINE>
    Importance (gain)
      petal length (cm)  100.0%  50
      3 attributes bring nothing
    <BLANKLINE>
    Node 0: the root
      150 rows, complexity 0.5
      predicts 0, expected loss 0.6667
      class counts: 0: 50, 1: 50, 2: 50
      probabilities: 0: 0.333, 1: 0.333, 2: 0.333
      children 1 (50), 2 (100)
      primary splits:
        petal length (cm) <= 2.45: improvement 50, chosen
        petal width (cm) <= 0.8: improvement 50, margin 0
        sepal length (cm) <= 5.45: improvement 34.1641, margin 0.1056
    <BLANKLINE>
    Node 1: petal length (cm) <= 2.45
      50 rows
      predicts 0, expected loss 0
      class counts: 0: 50
      probabilities: 0: 1.000
    <BLANKLINE>
    Node 2: petal length (cm) > 2.45
      100 rows
      predicts 1, expected loss 0.5
      class counts: 1: 50, 2: 50
      probabilities: 1: 0.500, 2: 0.500
    """
    if trace is not None and len(trace.order if trace.grown is None else trace.grown) != tree.n_nodes:
        raise DataError(
            f"The trace is of a tree of {len(trace.order)} nodes, the tree has {tree.n_nodes}: give the trace of this "
            "tree, or the one of the tree that it was pruned from."
        )
    costs = None if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64)
    return Summary(tree, dict(options or {}), trace, costs, alpha_table, limit)
