"""Comparing pruners: one tree, every method, one table of sizes and accuracies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.data.dataset import ClassTarget, Dataset, encode_classes, encode_like, encode_numbers
from quercus.data.weights import named_costs
from quercus.errors import ParameterError, choice_message, shorten
from quercus.predict import label_codes, predict_distribution
from quercus.pruning.cost_complexity import cost_complexity_path
from quercus.pruning.critical_value import chi_square
from quercus.pruning.error_based import error_based
from quercus.pruning.mdl import mdl
from quercus.pruning.minimum_error import minimum_error
from quercus.pruning.nested import check_target, checked_weights
from quercus.pruning.reduced_error import reduced_error
from quercus.pruning.result import Pruned
from quercus.pruning.same_prediction import same_prediction
from quercus.pruning.validation import stop_by_validation
from quercus.results import Cells, Result, Table, frame_of
from quercus.tree.names import counted, significant
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
        """The table as a pandas frame, one row a method."""
        return frame_of(self.columns, index="method")

    def cells(self) -> Cells:
        """The table as texts."""
        titles = {"n_nodes": "nodes", "n_leaves": "leaves"}
        columns = [[titles.get(name, name), *map(_text, column)] for name, column in self.columns.items()]
        title = f"{self.measure} of the trees of {len(self.rows)} methods"
        return Cells(list(zip(*columns, strict=True)), left=(0, 1), title=title)


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 1000 else significant(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


@dataclass(frozen=True)
class _Rows:
    """Encoded rows, what is true of them, and their weights."""

    dataset: Dataset
    target: ClassTarget | NDArray[np.float64]
    weights: NDArray[np.float64] | None

    @classmethod
    def read(cls, tree: Tree, X: Any, y: Any, weights: ArrayLike | None) -> _Rows:
        dataset = X if isinstance(X, Dataset) else encode_like(X, tree.schema)
        if tree.classes is None:
            target: ClassTarget | NDArray[np.float64] = encode_numbers(y)
        else:
            target = y if isinstance(y, ClassTarget) else encode_classes(y)
        return cls(dataset, target, None if weights is None else checked_weights(weights, dataset.n_rows))

    def score(self, tree: Tree, cost_matrix: ArrayLike | None) -> float:
        """The accuracy, mean cost or mean squared error of a tree on the rows."""
        truth = check_target(tree, self.target)
        answers = predict_distribution(tree, self.dataset)
        if tree.classes is None:
            loss = (answers[:, 0] - truth) ** 2
        elif cost_matrix is None:
            loss = (label_codes(answers) == truth).astype(np.float64)
        else:
            loss = np.asarray(cost_matrix, dtype=np.float64)[truth, label_codes(answers, cost_matrix)]
        return float(np.average(loss, weights=self.weights))


Method = Callable[[Tree, _Rows, _Rows, Any], tuple[str, Pruned]]


def _unpruned(tree: Tree, training: _Rows, validation: _Rows, costs: Any) -> tuple[str, Pruned]:
    return "", Pruned(tree, "unpruned", before=tree)


def _stopped(tree: Tree, training: _Rows, validation: _Rows, costs: Any) -> tuple[str, Pruned]:
    rows = validation
    return "", stop_by_validation(tree, rows.dataset, rows.target, weights=rows.weights, cost_matrix=costs)


def _reduced(tree: Tree, training: _Rows, validation: _Rows, costs: Any) -> tuple[str, Pruned]:
    rows = validation
    return "", reduced_error(tree, rows.dataset, rows.target, weights=rows.weights, cost_matrix=costs)


def _pessimistic(tree: Tree, training: _Rows, validation: _Rows, costs: Any) -> tuple[str, Pruned]:
    rows = training
    return "confidence 0.25", error_based(tree, rows.dataset, rows.target, weights=rows.weights)


def _weakest_links(tree: Tree, training: _Rows, validation: _Rows, costs: Any) -> tuple[str, Pruned]:
    """The tree of the α-sequence that does best on the validation rows, the smallest of equals."""
    path = cost_complexity_path(tree, costs)
    losses = path.nested.losses(validation.dataset, validation.target, validation.weights, costs).total
    best = int(np.flatnonzero(losses <= losses.min() + 1e-10 * abs(float(losses.max())))[-1])
    alpha = float(path.alphas[best])
    return f"alpha {significant(alpha)}, best on validation", path.pruned(alpha)


def _described(tree: Tree, training: _Rows, validation: _Rows, costs: Any) -> tuple[str, Pruned]:
    return "", mdl(tree)


def _expected(tree: Tree, training: _Rows, validation: _Rows, costs: Any) -> tuple[str, Pruned]:
    return "m 2", minimum_error(tree, cost_matrix=costs)


def _significant(tree: Tree, training: _Rows, validation: _Rows, costs: Any) -> tuple[str, Pruned]:
    return "significance 0.05", chi_square(tree)


def _merged(tree: Tree, training: _Rows, validation: _Rows, costs: Any) -> tuple[str, Pruned]:
    policy = "probabilities" if tree.is_regression else "class"
    return f"policy {policy}", same_prediction(tree, policy, cost_matrix=costs)


#: Every method, and whether it can prune a tree that predicts numbers.
METHODS: dict[str, tuple[Method, bool]] = {
    "unpruned": (_unpruned, True),
    "same_prediction": (_merged, True),
    "stop_by_validation": (_stopped, True),
    "reduced_error": (_reduced, True),
    "cost_complexity": (_weakest_links, True),
    "error_based": (_pessimistic, False),
    "minimum_error": (_expected, False),
    "mdl": (_described, False),
    "chi_square": (_significant, False),
}


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
    ClassTarget; numbers for a regression tree, which is pruned by the methods that can. weights…: one a row.
    cost_matrix: L(i, j), the cost of answering j when i is true; then mean costs are compared, and the methods that can
    count costs do. methods: names of :data:`METHODS`, or functions of your own by name.

    Accuracy on validation rows flatters the methods that chose by them (stop_by_validation, reduced_error and here
    cost_complexity); only test rows judge all methods alike.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.datasets import load_play_tennis
    >>> from quercus.growing.grow import grow
    >>> from quercus.growing.id3 import id3_recipe
    >>> X, y = load_play_tennis(d15=True)
    >>> tree = grow(encode(X), encode_classes(y), id3_recipe(selection="gain_ratio"))
    >>> print(compare_pruning(tree, X, y, *load_play_tennis(), methods=["unpruned", "reduced_error", "chi_square"]))
    accuracy of the trees of 3 methods
    method         setting            nodes  leaves  depth  training  validation
    unpruned                             11       7      3     1.000       1.000
    reduced_error                         8       5      2     0.933       1.000
    chi_square     significance 0.05      6       4      2     0.867       0.857
    """
    if (X_test is None) != (y_test is None):
        raise ParameterError("X_test and y_test belong together: give both, or neither.")
    training, validation = _Rows.read(tree, X, y, weights), _Rows.read(tree, X_val, y_val, weights_val)
    test = None if X_test is None else _Rows.read(tree, X_test, y_test, weights_test)
    rows = []
    for name, (setting, pruned) in _results(tree, training, validation, cost_matrix, methods):
        small = pruned.tree
        sizes = small.n_nodes, small.n_leaves, small.depth
        seen, chosen_by = training.score(small, cost_matrix), validation.score(small, cost_matrix)
        unseen = None if test is None else test.score(small, cost_matrix)
        rows.append(PruningRow(name, setting, *sizes, seen, chosen_by, unseen, pruned))
    measure = "mean squared error" if tree.is_regression else "accuracy" if cost_matrix is None else "mean cost"
    return PruningTable(measure, tuple(rows))


def _results(
    tree: Tree, training: _Rows, validation: _Rows, costs: Any, methods: Any
) -> Iterator[tuple[str, tuple[str, Pruned]]]:
    """The name, setting and result of each method asked for."""
    if isinstance(methods, Mapping):
        for name, prune in methods.items():
            made = prune(tree)
            yield name, ("", Pruned(made, name, before=tree) if isinstance(made, Tree) else made)
        return
    chosen = METHODS if methods is None else ([methods] if isinstance(methods, str) else list(methods))
    for name in chosen:
        if name not in METHODS:
            raise ParameterError(choice_message("methods", name, list(METHODS)))
        call, numbers = METHODS[name]
        if numbers or not tree.is_regression:
            yield name, call(tree, training, validation, costs)
        elif methods is not None:
            raise ParameterError(f"{shorten(name)} needs class counts, but this tree predicts numbers. Leave it out.")
