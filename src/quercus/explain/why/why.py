"""Why this answer: the path of an example down a tree in words, all paths with their weights where a value is unknown.

The answer is the sum over the paths of the share of the example that takes the path times what its leaf says,
:math:`\\sum_l w_l(x)\\, v_l`; every number of that sum is kept as the training weights that it comes from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.data.names import look_like_numbers, percent, quoted_name, quoted_value, short_number
from quercus.data.weights import named_costs
from quercus.explain.cells import Cell, cell_text, cells_of
from quercus.explain.trace.trace import examples
from quercus.explain.why.answer import Answer, Path, Step
from quercus.explain.why.decision import Decision, decide, node_counts, node_values
from quercus.explain.why.route import Cells, Visit, answer_of, walk
from quercus.fitted.argument import of_models
from quercus.predict.predict import predict_distribution
from quercus.rules.explanation import one_row
from quercus.tree.tree import Tree


@of_models(Tree)
@named_costs
def why(
    tree: Tree,
    dataset: Dataset | Mapping[str, Any],
    row: int = 0,
    *,
    smoothing: Any = None,
    cost_matrix: Any = None,
    decision_threshold: float | None = None,
    leaf_values: Floats | None = None,
) -> Answer:
    """Why a row gets its answer: its path, or all its paths with their weights, and how the answer was chosen.

    tree: a grown tree, or a fitted model that answers by one. dataset: rows encoded by its schema, of which ``row`` is
    meant; or one row's values by attribute name (those not named are unknown). smoothing: None, "laplace" or ("m", m).
    cost_matrix: L(i, j), the cost of answering j when i is true; then the class of least expected cost.
    decision_threshold: of two classes the second, if its share reaches this. leaf_values: what the nodes say, if not
    the tree's own distributions.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.id3 import id3_recipe
    >>> from quercus.growing.grow import grow
    >>> data = encode({"Income": ["low"] * 4 + ["high"] * 4})
    >>> tree = grow(data, encode_classes(["Yes", "Yes", "Yes", "No", "Yes", "Yes", "No", "No"]),
    ...             id3_recipe(missing="fractional"))
    >>> print(why(tree, {"Income": None}, decision_threshold=0.6))
    Income is unknown (or was never seen): the example goes down every branch that has examples, by their shares.
    Start: 8 examples: 5 Yes, 3 No
    4/8 = 50 % of it → Income = high (4 examples: 2 No, 2 Yes) → No, 2 of 4
    4/8 = 50 % of it → Income = low (4 examples: 3 Yes, 1 No) → Yes, 3 of 4
    Yes: 2/4·4/8 + 3/4·4/8 = 0.625
    No: 2/4·4/8 + 1/4·4/8 = 0.375
    Yes has the share 62.5 %, and the decision threshold is 60 %: Yes.
    Answer: Yes.
    """
    one = one_row(tree.schema, dataset, row)
    values = node_values(tree, smoothing) if leaf_values is None else leaf_values
    shares = predict_distribution(tree, one, values)[0]
    plain = shares if smoothing is None else predict_distribution(tree, one)[0]
    decision = decide(
        shares,
        tree.target_kind,
        plain,
        smoothing=smoothing,
        cost_matrix=cost_matrix,
        decision_threshold=decision_threshold,
    )
    return answer_along(tree, cells_of(one), values, shares, decision, smoothing, own=leaf_values is None)


def answer_along(
    tree: Tree,
    cells: Cells,
    values: Floats,
    shares: Floats | None,
    decision: Decision,
    smoothing: Any,
    own: bool,
    visits: Sequence[Visit] | None = None,
) -> Answer:
    """The answer of what is known of an example.

    own: whether the values are the tree's class weights as shares. visits: where the example goes, if not as in a
    table.
    """
    visits = walk(tree, cells) if visits is None else visits
    counts = node_counts(tree, smoothing) if own and tree.target_kind.has_shares else None
    ends = [visit.node for visit in visits if visit.last]
    labels = {ends[0]: decision.label} if len(ends) == 1 else {}
    words = _Words(tree, cells, values, counts, smoothing is not None, labels)
    steps: dict[int, Step] = {}
    paths = []
    for place, visit in enumerate(visits):
        if visit.above >= 0:
            steps[place] = words.step(visits[visit.above], visit)
        if visit.last:
            paths.append(words.path(visit, _steps_to(visits, place, steps)))
    distribution = answer_of(visits, values) if shares is None else shares
    return Answer(tree.target_kind, tuple(paths), distribution, decision, words.holding(0))


def _steps_to(visits: Sequence[Visit], place: int, steps: Mapping[int, Step]) -> tuple[Step, ...]:
    way = []
    while visits[place].above >= 0:
        way.append(steps[place])
        place = visits[place].above
    return tuple(reversed(way))


class _Words:
    """Nodes, steps and paths of one tree in words."""

    def __init__(
        self,
        tree: Tree,
        cells: Cells,
        values: Floats,
        counts: Floats | None,
        smoothed: bool,
        labels: Mapping[int, Any],
    ) -> None:
        self.tree, self.cells, self.values, self.counts, self.smoothed = tree, cells, values, counts, smoothed
        self.labels = labels  # the answer at a node, by node
        #: Whether rows have weights other than 1: parts of rows, where a value was unknown, only make a node lighter.
        self.weighed = bool((tree.weight > tree.count + 1e-9).any())
        self.names = [quoted_value(label) for label in tree.classes or ()]

    def holding(self, node: int) -> str:
        """``5 examples: 3 Yes, 2 No`` or ``5 examples, mean 3.2``."""
        weight = float(self.tree.weight[node])
        if weight <= 0:
            return "no example"
        count = int(self.tree.count[node])
        size = examples(count, weight, self.weighed or abs(weight - count) > 1e-9)
        words, value = self.tree.target_kind.words(), self.tree.value[node]
        mean = words.centre(value)
        return f"{size}, mean {mean}" if mean else f"{size}{words.held(value, weight, limit=5)}"

    def value(self, attribute: int) -> str:
        cell: Cell | None = self.cells.get(attribute)
        return "unknown" if cell is None else cell_text(self.tree.schema[attribute], cell)

    def step(self, above: Visit, visit: Visit) -> Step:
        """The step from one visit to the next."""
        node = self.tree.node(above.node)
        test = node.test
        assert test is not None
        branch = visit.node - int(self.tree.first_child[above.node])
        values = [self.value(position) for position in node.positions]
        name, value = test.subject(), "unknown" if "unknown" in values else ", ".join(values)
        reason = ""
        if visit.how == "open":
            waits = quoted_name(self.tree.schema[visit.attribute].name)
            reason = f"{waits} is not asked yet: every branch counts by its share of the training examples."
        elif visit.how == "spread":
            reason = f"{self._is(name, value)}: the example goes down every branch that has examples, by their shares."
        elif visit.how == "possible":
            reason = f"{name} is {value}: the example goes down every branch that this allows, by their shares."
        elif visit.how == "missing branch":
            own = test.is_unknown_branch(branch)
            where = "which has a branch of its own" if own else f"which goes where {test.branch(branch, limit=10)}"
            reason = f"{self._is(name, value)}, {where}."
        elif visit.how == "surrogate":
            reason = self._surrogate(visit, node.surrogates, above.node, self._is(name, value))
        return Step(
            above.node,
            visit.node,
            ", ".join(attribute.name for attribute in test.attributes),
            value,
            test.branch(branch, limit=10),
            visit.how,
            reason,
            visit.taken,
            visit.of,
            self.holding(visit.node),
        )

    @staticmethod
    def _is(name: str, value: str) -> str:
        return f"{name} is unknown (or was never seen)" if value == "unknown" else f"{name} is {value}, without branch"

    def _surrogate(self, visit: Visit, surrogates: Sequence[Any], node: int, missing: str) -> str:
        place = visit.surrogate - int(self.tree.surrogate_start[node])
        other = quoted_name(self.tree.schema[visit.attribute].name)
        return (
            f"{missing}; its surrogate {place + 1} decides: {surrogates[place]}; "
            f"{other} is {self.value(visit.attribute)}."
        )

    def path(self, visit: Visit, steps: tuple[Step, ...]) -> Path:
        """A path from its steps and where it ends."""
        node = visit.node
        values = tuple(self.values[node].tolist())
        counts = None if self.counts is None else tuple(self.counts[node].tolist())
        total = 0.0 if counts is None else float(sum(counts))
        if counts is not None and total <= 0:  # without any weight, equal shares
            counts, total = (1.0,) * len(counts), float(len(counts))
        return Path(node, visit.part, steps, values, counts, total, self._end(node, values, counts, total))

    def _answer(self, node: int, values: tuple[float, ...]) -> int:
        """The class that an end stands for: the one answered, if it is the only end; else as the tree shows it."""
        if node in self.labels:
            return int(self.tree.target_kind.choice_of(self.labels[node]))
        own = self.counts is not None and self.tree.decision is not None
        return int(self.tree.answers()[node]) if own else int(np.argmax(values))

    def _end(self, node: int, values: tuple[float, ...], counts: tuple[float, ...] | None, total: float) -> str:
        inner = ", as no branch has examples" if self.tree.n_children[node] else ""
        borrowed = (
            " (no example came here; the answer is that of the node above)" if self.tree.weight[node] <= 0 else ""
        )
        if not self.tree.target_kind.has_shares:
            return self.tree.target_kind.answer_text(np.array(values)) + inner + borrowed
        most = self._answer(node, values)
        if counts is None:
            mark = ":" if look_like_numbers(self.names) else ""
            return f"{self.names[most]}{mark} {percent(values[most])}{inner}"
        smoothed = " after smoothing" if self.smoothed else ""
        if borrowed and not smoothed:
            return f"{self.names[most]}{inner}{borrowed}"
        return f"{self.names[most]}, {short_number(counts[most])} of {short_number(total)}{smoothed}{inner}{borrowed}"
