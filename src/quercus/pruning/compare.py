"""Comparing pruners: one tree, every method, one table of sizes and accuracies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quercus.data.dataset import ClassTarget, Dataset, encode_like
from quercus.data.names import counted, significant
from quercus.data.rows import Rows
from quercus.data.weights import named_costs
from quercus.errors import ParameterError, checked_choice, checked_list, choice_message, shorten
from quercus.predict import predict_distribution
from quercus.pruning.method import PruningMethod, Situation
from quercus.pruning.nested import checked_weights
from quercus.pruning.result import Pruned
from quercus.results import Cells, Result, Table, frame_of
from quercus.tree.tree import Tree


@dataclass(frozen=True, repr=False)
class PruningRow(Result):
    """One method of the comparison: its parameters, the size of its tree, and how well that does on each set."""

    method: str
    setting: str
    n_nodes: int
    n_leaves: int
    depth: int
    training: float
    validation: float
    test: float | None
    pruned: Pruned

    def __str__(self) -> str:
        """The method, the size of its tree, and how well that does."""
        setting = f" ({self.setting})" if self.setting else ""
        scores = [f"{name} {_text(getattr(self, name))}" for name in ("training", "validation")]
        scores += [] if self.test is None else [f"test {_text(self.test)}"]
        return f"{self.method}{setting}: {counted(self.n_leaves, 'leaf', 'leaves')}, {', '.join(scores)}"


@dataclass(frozen=True, repr=False)
class PruningTable(Table):
    """The rows of :func:`compare_pruning`; ``table["mdl"]`` is the row of a method, ``print(table)`` shows all.

    measure: what training, validation and test say: ``"accuracy"``, ``"mean cost"`` or ``"mean squared error"``.
    """

    measure: str
    rows: tuple[PruningRow, ...]

    def __iter__(self) -> Iterator[PruningRow]:
        """The rows, the tree as it was first."""
        return iter(self.rows)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.rows)

    def __getitem__(self, key: str | int) -> PruningRow:
        """The row of a method, or at a position."""
        if isinstance(key, int | np.integer):
            return self.rows[key]
        for row in self.rows:
            if row.method == key:
                return row
        raise KeyError(choice_message("method", key, [row.method for row in self.rows]))

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The table by columns."""
        names = ["method", "setting", "n_nodes", "n_leaves", "depth", "training", "validation", "test"]
        if all(row.test is None for row in self.rows):
            names.remove("test")
        return {name: [getattr(row, name) for row in self.rows] for name in names}

    def to_frame(self) -> Any:
        """The table as a pandas frame, one row per method."""
        return frame_of(self.columns, index="method")

    def cells(self) -> Cells:
        """The table as texts."""
        titles = {"n_nodes": "nodes", "n_leaves": "leaves"}
        columns = [[titles.get(name, name), *map(_text, column)] for name, column in self.columns.items()]
        title = f"{self.measure} of the unpruned tree and of {counted(len(self.rows) - 1, 'method')}"
        return Cells(list(zip(*columns, strict=True)), left=(0, 1), title=title)


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 1000 else significant(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _rows(tree: Tree, X: Any, y: Any, weights: ArrayLike | None) -> Rows:
    """Rows, encoded by the tree's schema if they are not."""
    dataset = X if isinstance(X, Dataset) else encode_like(X, tree.schema)
    target = y if isinstance(y, ClassTarget) else tree.target_kind.encode(y)
    return Rows(dataset, target, None if weights is None else checked_weights(weights, dataset.n_rows))


def _score(tree: Tree, rows: Rows, cost_matrix: ArrayLike | None) -> float:
    """The accuracy, mean cost or mean squared error of a tree on the rows."""
    kind = tree.target_kind
    costs = None if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64)
    losses = kind.losses(predict_distribution(tree, rows.dataset), kind.truth(rows.target), costs)
    loss = float(np.average(losses, weights=rows.weights))
    return 1.0 - loss if kind.measure_name(cost_matrix) == "accuracy" else loss


#: The tree as it is, to compare the others with.
UNPRUNED = PruningMethod(
    "unpruned",
    "nothing goes",
    lambda situation, options: Pruned(situation.tree, "unpruned", before=situation.tree),
    numbers=True,
    compare=lambda situation: ("", Pruned(situation.tree, "unpruned", before=situation.tree)),
)


def compared_methods() -> dict[str, PruningMethod]:
    """The methods that are compared, in the order of the table."""
    from quercus.pruning import METHODS  # the table of all methods, which is complete when the room is imported

    compared = [UNPRUNED, *(method for method in METHODS.values() if method.compare is not None)]
    return {method.name: method for method in sorted(compared, key=lambda method: method.place)}


@named_costs
def compare_pruning(
    tree: Tree,
    X: Any,
    y: Any,
    X_val: Any,
    y_val: Any,
    X_test: Any = None,
    y_test: Any = None,
    *,
    weights: ArrayLike | None = None,
    weights_val: ArrayLike | None = None,
    weights_test: ArrayLike | None = None,
    cost_matrix: Any = None,
    methods: Iterable[str] | Mapping[str, Callable[[Tree], Pruned | Tree]] | None = None,
) -> PruningTable:
    """Prune one tree by every method and measure each result on training, validation and (if given) test rows.

    X, X_val, X_test: tables with the tree's columns, or datasets encoded by its schema. y, y_val, y_test: labels or a
    ClassTarget; numbers for a regression tree, which is pruned by the methods that can. weights, weights_val,
    weights_test: one weight for each of these rows. cost_matrix: L(i, j), the cost of answering j when i is true; then
    mean costs are compared, and the methods that can count costs do. methods: their names, or functions of your own by
    name.

    Accuracy on validation rows flatters the methods that chose by them (stop_by_validation, reduced_error and here
    cost_complexity); only test rows judge all methods alike.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.datasets import load_play_tennis
    >>> from quercus.growing.grow import grow
    >>> from quercus.growing.id3 import id3_recipe
    >>> X, y = load_play_tennis(d15=True)
    >>> tree = grow(encode(X), encode_classes(y), id3_recipe(selection="gain_ratio"))
    >>> print(compare_pruning(tree, X, y, *load_play_tennis(), methods=["unpruned", "reduced_error", "chi_square"]))
    accuracy of the unpruned tree and of 2 methods
    method         setting            nodes  leaves  depth  training  validation
    unpruned                             11       7      3     1.000       1.000
    reduced_error                         8       5      2     0.933       1.000
    chi_square     significance 0.05      6       4      2     0.867       0.857
    """
    if (X_test is None) != (y_test is None):
        raise ParameterError("X_test and y_test belong together: give both, or neither.")
    test = None if X_test is None else _rows(tree, X_test, y_test, weights_test)
    training, validation = _rows(tree, X, y, weights), _rows(tree, X_val, y_val, weights_val)
    situation = Situation(tree, None, training, validation, cost_matrix)
    rows = []
    for name, (setting, pruned) in _results(situation, methods):
        small = pruned.tree
        sizes = small.n_nodes, small.n_leaves, small.depth
        scores = _score(small, training, cost_matrix), _score(small, validation, cost_matrix)
        unseen = None if test is None else _score(small, test, cost_matrix)
        rows.append(PruningRow(name, setting, *sizes, *scores, unseen, pruned))
    return PruningTable(tree.target_kind.measure_name(cost_matrix), tuple(rows))


def _results(situation: Situation, methods: Any) -> Iterator[tuple[str, tuple[str, Pruned]]]:
    """The name, setting and result of each method asked for."""
    tree = situation.tree
    if isinstance(methods, Mapping):
        for name, prune in methods.items():
            made = prune(tree)
            yield name, ("", Pruned(made, name, before=tree) if isinstance(made, Tree) else made)
        return
    known = compared_methods()
    for name in (
        known if methods is None else [methods] if isinstance(methods, str) else checked_list("methods", methods)
    ):
        checked_choice("methods", name, known)
        method = known[name]
        assert method.compare is not None
        if method.serves(tree.target_kind):
            yield name, method.compare(situation)
        elif methods is not None:
            raise ParameterError(f"{shorten(name)} needs class counts, but this tree predicts numbers. Leave it out.")
