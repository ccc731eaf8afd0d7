"""Importances: what each attribute brings to a tree, by its gains, with its surrogates, or by shuffling its column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from quercus.data import ClassTarget, Dataset
from quercus.data.names import quoted_name, significant
from quercus.data.weights import named_costs
from quercus.errors import DataError, ParameterError
from quercus.fitted.argument import of_models
from quercus.predict import predict_distribution
from quercus.results import Result, frame_of
from quercus.tree.tree import Tree

Kind = Literal["gain", "gain with surrogates", "permutation"]


@dataclass(frozen=True, repr=False)
class Importances(Result):
    """A number for every attribute of the schema.

    kind: how it was found. attributes: their names, in the table's order. values: the importances. shares: of all
    together (permutation: none below 0 counts). spread: the standard deviation over the repeats of a permutation; None
    for gains. baseline: what the permutation is compared with: the errors, costs or squared errors per row as they are.
    """

    kind: Kind
    attributes: tuple[str, ...]
    values: tuple[float, ...]
    spread: tuple[float, ...] | None = None
    baseline: float | None = None

    @property
    def shares(self) -> tuple[float, ...]:
        """The importances as shares of 1."""
        positive = [max(value, 0.0) for value in self.values]
        total = sum(positive)
        return tuple(value / total if total > 0 else 0.0 for value in positive)

    @property
    def ranked(self) -> tuple[int, ...]:
        """The places of the attributes, the most important first."""
        return tuple(sorted(range(len(self.values)), key=lambda place: (-self.values[place], place)))

    def of(self, attribute: str) -> float:
        """The importance of one attribute."""
        if attribute not in self.attributes:
            raise ParameterError(f"There is no attribute {attribute!r}; there are {', '.join(self.attributes)}.")
        return self.values[self.attributes.index(attribute)]

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame, the most important attribute first."""
        return frame_of(self.to_dict()["rows"])

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data, the most important attribute first."""
        rows = []
        for place in self.ranked:
            row = {"attribute": self.attributes[place], "importance": self.values[place], "share": self.shares[place]}
            rows.append(row if self.spread is None else {**row, "spread": self.spread[place]})
        return {"kind": self.kind, "baseline": self.baseline, "rows": rows}

    def __str__(self) -> str:
        """One line per attribute, the most important first; those that bring nothing together in the last."""
        shown = [place for place in self.ranked if self.values[place] != 0]
        width = max((len(quoted_name(self.attributes[place])) for place in shown), default=0)
        lines = []
        for place in shown:
            spread = "" if self.spread is None else f" ± {significant(self.spread[place], 2)}"
            name = quoted_name(self.attributes[place]).ljust(width)
            lines.append(f"{name}  {self.shares[place]:6.1%}  {significant(self.values[place])}{spread}")
        rest = len(self.values) - len(shown)
        if rest:
            lines.append(f"{rest} {'attribute brings' if rest == 1 else 'attributes bring'} nothing")
        return "\n".join(lines)


@of_models(Tree)
def gain_importance(tree: Tree, *, surrogates: bool = False) -> Importances:
    r"""What the questions of each attribute gained: :math:`\sum weight \cdot gain`, as ``feature_importances_`` shares.

    surrogates: count also what an attribute would have gained in another's place, weight · gain · adjusted agreement of
    each of its surrogates, as rpart does; so an attribute that always comes second is seen.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> print(gain_importance(ID3Classifier().fit(*load_play_tennis()).tree_))
    Humidity   36.9%  4.855
    Wind       36.9%  4.855
    Outlook    26.2%  3.454
    1 attribute brings nothing
    """
    gained = tree.weight * tree.gain
    values = tree.sums_by_attribute(gained)
    if surrogates and len(tree.surrogate_attribute):
        owner = np.repeat(np.arange(tree.n_nodes), np.diff(tree.surrogate_start))
        brought = gained[owner] * tree.surrogate_adjusted
        values += np.bincount(tree.surrogate_attribute, weights=brought, minlength=len(values))
    kind: Kind = "gain with surrogates" if surrogates else "gain"
    return Importances(kind, tree.schema.names, tuple(values.tolist()))


@of_models(Tree)
@named_costs
def permutation_importance(
    tree: Tree,
    dataset: Dataset,
    target: ClassTarget | ArrayLike,
    *,
    weights: ArrayLike | None = None,
    cost_matrix: Any = None,
    repeats: int = 5,
    random_state: int = 0,
    n_jobs: int = 1,
) -> Importances:
    """How much worse the tree answers rows when the values of one attribute are shuffled among them.

    tree: any, or a fitted model that answers by one. dataset, target, weights: the rows to answer, rather unseen ones.
    cost_matrix: measure costs instead of errors. repeats: shuffles per attribute; it returns mean and spread.
    random_state: the same one shuffles the same way, whatever other attributes there are. Errors per row; of a
    regression tree squared errors.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> data = encode({"x": list(range(40)), "noise": [1, 2] * 20})
    >>> target = encode_classes(["low"] * 20 + ["high"] * 20)
    >>> found = permutation_importance(grow(data, target, cart_recipe()), data, target)
    >>> found.baseline, found.of("noise"), found.of("x") > 0.3
    (0.0, 0.0, True)
    """
    if repeats < 1:
        raise ParameterError(f"repeats is {repeats}, but must be at least 1.")
    if dataset.n_rows == 0:
        raise DataError("There are no rows to shuffle: give at least one.")
    loss = _Loss(tree, dataset.n_rows, target, weights, cost_matrix, n_jobs)
    baseline = loss.mean(dataset)
    values, spread = np.zeros(len(tree.schema)), np.zeros(len(tree.schema))
    for attribute in sorted(tree.asked):
        losses = [loss.mean(_shuffled(dataset, attribute, random_state, number)) for number in range(repeats)]
        values[attribute] = float(np.mean(losses)) - baseline
        spread[attribute] = float(np.std(losses, ddof=1)) if repeats > 1 else 0.0
    return Importances(
        "permutation", tree.schema.names, tuple(values.tolist()), tuple(spread.tolist()), float(baseline)
    )


def _shuffled(dataset: Dataset, attribute: int, seed: int, number: int) -> Dataset:
    name = dataset.schema[attribute].name
    random = np.random.default_rng([seed, number, *name.encode()])
    columns = list(dataset.columns)
    columns[attribute] = np.ascontiguousarray(columns[attribute][random.permutation(dataset.n_rows)])
    return replace(dataset, columns=tuple(columns))


class _Loss:
    """What answering some rows costs."""

    def __init__(
        self,
        tree: Tree,
        n_rows: int,
        target: ClassTarget | ArrayLike,
        weights: ArrayLike | None,
        cost_matrix: ArrayLike | None,
        n_jobs: int,
    ) -> None:
        self.tree, self.n_jobs = tree, n_jobs
        self.truth = tree.target_kind.truth(target)
        self.weights = np.ones(n_rows) if weights is None else np.asarray(weights, dtype=np.float64)
        if self.truth.shape != (n_rows,) or self.weights.shape != (n_rows,) or not self.weights.sum() > 0:
            raise DataError(f"Give one target and one weight (together above 0) for each of the {n_rows} rows.")
        self.costs = None if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64)

    def mean(self, dataset: Dataset) -> float:
        """The mean loss per row."""
        answers = predict_distribution(self.tree, dataset, n_jobs=self.n_jobs)
        losses = self.tree.target_kind.losses(answers, self.truth, self.costs)
        return float(np.average(losses, weights=self.weights))
