"""Importance of attributes in a forest: by impurity, by permutation, and by impurity measured on unseen rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.names import counted, quoted_name
from quercus.data.target import take_target
from quercus.errors import ParameterError
from quercus.forests.collection import Collection, member_answer, member_weights, members_of
from quercus.forests.impurity_importance import impurity_importance
from quercus.forests.score_sum import ScoreSum
from quercus.growing.forest import Sampling, drawn_counts
from quercus.predict.tally import tally
from quercus.pruning.nested import checked_weights
from quercus.results import Cells, Table, frame_of
from quercus.targets import Numbers, TargetKind, kind_of
from quercus.tree.forest import Forest, tree_weights
from quercus.tree.tree import Tree

#: Class shares [n, classes] or numbers [n, 1] for the rows of a dataset.
Answer = Callable[[Dataset], Floats]


#: What is to be known of importance by impurity, said wherever it is shown.
IMPURITY_NOTE = "Impurity favours attributes of many values; the kinds unbiased and permutation do not."


@dataclass(frozen=True, eq=False, repr=False)
class Importance(Table):
    """How much each attribute matters, in the order of the columns.

    title: by which measure. names: of the attributes. values: the importances. spread: their standard deviation over
    trees or repetitions. low, high: the ends of the interval around each value; these three are None for one tree,
    which has neither. level: of confidence. about: what the interval speaks of. note: what to know before trusting it.

    >>> found = Importance("by hand", ("x", "y"), *(np.array(n) for n in ([0.1, 0.4], [0, 0.1], [0, 0.3], [0.2, 0.5])))
    >>> print(found)
    by hand
    attribute  value    low   high  spread
    y          0.400  0.300  0.500   0.100
    x          0.100  0.000  0.200   0.000
    >>> found.ranking
    ('y', 'x')
    """

    title: str
    names: tuple[str, ...]
    values: Floats
    spread: Floats | None = None
    low: Floats | None = None
    high: Floats | None = None
    level: float = 0.95
    about: str = ""
    note: str = ""

    @property
    def intervals(self) -> dict[str, tuple[float, float]] | None:
        """The ends of the interval of each attribute by its name; None: there are no intervals."""
        if self.low is None or self.high is None:
            return None
        return dict(zip(self.names, zip(self.low.tolist(), self.high.tolist(), strict=True), strict=True))

    def _columns(self) -> dict[str, Floats]:
        """The figures that there are, by name."""
        columns = {"value": self.values, "low": self.low, "high": self.high, "spread": self.spread}
        return {name: column for name, column in columns.items() if column is not None}

    @property
    def order(self) -> NDArray[np.intp]:
        """The positions of the attributes, the most important first; tied ones in column order."""
        return np.argsort(-self.values, kind="stable")

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names, the most important first."""
        return tuple(self.names[position] for position in self.order)

    def __getitem__(self, name: str) -> float:
        """The importance of one attribute."""
        if name not in self.names:
            raise ParameterError(f"There is no attribute {name!r}; there are {', '.join(self.names)}.")
        return float(self.values[self.names.index(name)])

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain lists and numbers."""
        columns = {name: getattr(self, name) for name in ("values", "spread", "low", "high")}
        arrays = {name: None if column is None else column.tolist() for name, column in columns.items()}
        words = {"level": self.level, "about": self.about, "note": self.note}
        return {"title": self.title, "names": list(self.names), **arrays, **words}

    def to_frame(self) -> Any:
        """The figures as a pandas DataFrame, a row per attribute."""
        return frame_of({"attribute": self.names, **self._columns()})

    def text(self, limit: int | None = None) -> str:
        """The table as text; limit: attributes at most, the most important ones."""
        return self.cells(limit).text()

    def cells(self, limit: int | None = None) -> Cells:
        """The table, the most important attribute first; limit: attributes at most."""
        places = self.order[:limit]
        columns = self._columns()
        digits = _digits(np.concatenate([columns[name] for name in ("value", "low", "high") if name in columns]))
        rows: list[Sequence[str] | str] = [["attribute", *columns]]
        rows += [
            [quoted_name(self.names[place]), *(f"{column[place]:,.{digits}f}" for column in columns.values())]
            for place in places
        ]
        left = len(self.names) - len(places)
        return Cells([*rows, f"… and {left:,} more"] if left else rows, title=self.title, note=self.note)


def _digits(numbers: Floats) -> int:
    """Decimals that show three digits of the largest number, at least three unless the numbers are large.

    >>> [_digits(np.array([largest, 0.0])) for largest in (0.25, 0.0031, 12.5, 250000.0, 0.0)]
    [3, 5, 3, 0, 3]
    """
    largest = float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0))
    if largest == 0.0 or 0.1 <= largest < 1000.0:
        return 3
    return int(np.clip(2 - np.floor(np.log10(largest)), 0, 12))


def over_trees(
    title: str, names: tuple[str, ...], each: Floats, weights: Floats, level: float, note: str = ""
) -> Importance:
    """The mean over trees [trees, attributes] with its spread; the interval is mean ± z · spread / √trees.

    One tree tells nothing of how others would differ: it has no spread and no interval.
    """
    share = weights / weights.sum()
    mean = share @ each
    if np.count_nonzero(share) < 2:
        return Importance(title, names, mean, level=level, note=note)
    spread = np.sqrt(share @ (each - mean) ** 2)
    effective = 1.0 / float((share**2).sum())
    half = ndtri(0.5 + level / 2) * spread / np.sqrt(max(effective - 1.0, 1.0))
    return Importance(
        title, names, mean, spread, mean - half, mean + half, level, "more trees grown in the same way", note
    )


def impurity_importances(forest: Forest | ScoreSum, *, normalized: bool = True, level: float = 0.95) -> Importance:
    """By impurity: what the questions of each attribute gain, Σ weight · gain; mean and spread over the trees.

    normalized: every tree's gains are made to sum to 1, as ``feature_importances_`` does; else they are divided by the
    weight at the root. It favours attributes of many values, and counts gains that only the training rows show. Of
    trees that add up scores it is the share in the gains of all together, without a spread.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.forest import grow_forest
    >>> x, y = encode({"same": [1, 1, 1, 1], "x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "Yes"])
    >>> impurity_importances(grow_forest(x, y, cart_recipe(), Sampling(bootstrap="no"), n_trees=2, seed=0)).values
    array([0., 1.])
    """
    title = "importance by impurity"
    if isinstance(forest, ScoreSum):
        shares = impurity_importance(forest)
        return Importance(title, forest.schema.names, shares, level=level, note=IMPURITY_NOTE)
    n_attributes = len(forest.schema)
    each = np.zeros((len(forest), n_attributes))
    for number, tree in enumerate(forest):
        brought = tree.sums_by_attribute(tree.weight * tree.gain)
        whole = float(brought.sum()) if normalized else float(tree.weight[0])
        each[number] = brought / whole if whole > 0 else 0.0
    weights = tree_weights(forest)
    if normalized and each.any():
        weights = weights * each.any(axis=1)  # a tree that asks nothing has no opinion
    return over_trees(title, forest.schema.names, each, weights, level, IMPURITY_NOTE)


@dataclass(frozen=True, eq=False)
class Losses:
    """What answers cost: 1 for a wrong class, the costs of a matrix, or the squared deviation of numbers."""

    truth: NDArray[Any]
    costs: Floats | None = None
    threshold: float | None = None
    kind: TargetKind = Numbers()  # noqa: RUF009 - a value that never changes

    @classmethod
    def of(
        cls,
        target: ClassTarget | NDArray[Any],
        kind: TargetKind | Sequence[Any] | None,
        cost_matrix: ArrayLike | None = None,
        threshold: float | None = None,
    ) -> Losses:
        """The losses against a target, for a model of this kind, or of these classes (None: numbers)."""
        costs = None if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64)
        kind = kind_of(kind)
        return cls(kind.truth(target, whose="model"), costs, threshold, kind)

    def __call__(self, answers: Floats, rows: Any = slice(None)) -> Floats:
        """The loss of each of some rows."""
        return self.kind.losses(answers, self.truth[rows], self.costs, self.threshold)


def with_column(dataset: Dataset, position: int, column: NDArray[Any]) -> Dataset:
    """The dataset with one column exchanged."""
    columns = list(dataset.columns)
    columns[position] = np.ascontiguousarray(column, dtype=columns[position].dtype)
    return replace(dataset, columns=tuple(columns))


def shuffled(dataset: Dataset, position: int, key: list[int]) -> Dataset:
    """The dataset with the values of one column in another order, which the key decides."""
    order = np.random.default_rng(key).permutation(dataset.n_rows)
    return with_column(dataset, position, dataset.columns[position][order])


def permutation_importances(
    answer: Answer,
    dataset: Dataset,
    losses: Losses,
    *,
    weights: ArrayLike | None = None,
    repeats: int = 5,
    seed: int = 0,
    level: float = 0.95,
    used: NDArray[np.bool_] | None = None,
) -> Importance:
    """By permutation on given rows: how much more is lost when the values of an attribute are shuffled among the rows.

    answer: the model. dataset, losses: rows, best such as it has not seen, and what its answers to them cost. repeats:
    shuffles of each attribute. used: attributes that the model may ask; the others are 0 without shuffling. The spread
    is over the shuffles. The interval, value ± z · s/√n with s over the rows, is about other rows of the same kind; it
    takes the model as it is.
    """
    if repeats < 1:
        raise ParameterError(f"repeats is {repeats!r}, but must be at least 1.")
    n_rows, n_attributes = dataset.n_rows, len(dataset.schema)
    shares = np.ones(n_rows) if weights is None else checked_weights(weights, n_rows)
    shares = shares / shares.sum()
    plain = losses(answer(dataset))
    values, spread, error = np.zeros((3, n_attributes))
    for position in range(n_attributes):
        if used is not None and not used[position]:
            continue
        worse = np.empty((repeats, n_rows))
        for repeat in range(repeats):
            worse[repeat] = losses(answer(shuffled(dataset, position, [seed, position, repeat]))) - plain
        mean = worse.mean(axis=0)
        values[position] = shares @ mean
        spread[position] = (worse @ shares).std(ddof=1) if repeats > 1 else 0.0
        error[position] = np.sqrt((shares**2) @ (mean - values[position]) ** 2)
    half = ndtri(0.5 + level / 2) * error
    title = f"importance by permutation on {counted(n_rows, 'row')}"
    return Importance(title, dataset.schema.names, values, spread, values - half, values + half, level, "other rows")


def out_of_bag_permutation_importances(
    collection: Collection,
    dataset: Dataset,
    losses: Losses,
    sampling: Sampling,
    seed: int,
    *,
    smoothing: Any = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    n_jobs: int | None = 1,
) -> Importance:
    """By permutation out of the bag, as Breiman's: every tree is asked about the rows it has not seen.

    For each tree: what it loses on those rows when the values of an attribute are shuffled among them, less what it
    loses without; the mean over the trees. dataset: the rows that the forest was grown from (of weight 0 left out),
    with sampling and seed as in growing. The spread and the interval are over the trees.
    """
    shares = np.ones(dataset.n_rows) if weights is None else checked_weights(weights, dataset.n_rows)
    each, count = np.zeros((len(collection), len(dataset.schema))), np.zeros(len(collection))
    for number, member in enumerate(members_of(collection)):
        rows = unseen_rows(sampling, seed, number, shares)
        if len(rows) == 0:
            continue
        count[number] = 1.0
        part, share = dataset.take(rows), shares[rows] / shares[rows].sum()

        def lost(table: Dataset, member: Any = member, rows: Any = rows) -> Floats:
            return losses(member_answer(member, table, smoothing=smoothing, n_jobs=n_jobs), rows)

        plain = lost(part)
        for position in asked_attributes(member, len(dataset.schema)):
            each[number, position] = share @ (lost(shuffled(part, position, [seed, number, position])) - plain)
    if not count.any():
        raise ParameterError("Every tree has seen every row: grow with bootstrap 'with' or 'without', and more rows.")
    title = "importance by permutation out of the bag"
    return over_trees(title, dataset.schema.names, each, member_weights(collection) * count, level)


def unseen_rows(sampling: Sampling, seed: int, number: int, weights: Floats) -> NDArray[np.intp]:
    """The rows of weight that tree ``number`` of a seed did not learn from."""
    if sampling.bootstrap == "no":
        raise ParameterError("Without draws no row is out of the bag: grow with bootstrap 'with' or 'without'.")
    return np.flatnonzero((drawn_counts(sampling, seed, number, len(weights)) == 0) & (weights > 0))


def asked_attributes(member: Any, n_attributes: int) -> list[int]:
    """The attributes that a member may look at: of a tree those of its questions and surrogates."""
    if not isinstance(member, Tree):
        return list(range(n_attributes))
    return sorted(member.asked)


def unbiased_importances(
    forest: Forest,
    dataset: Dataset,
    target: ClassTarget | NDArray[Any],
    sampling: Sampling,
    seed: int,
    *,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    n_jobs: int | None = 1,
) -> Importance:
    r"""By impurity measured on unseen rows: 0 in the mean for an attribute that says nothing, however many its values.

    Gini impurity (and variance) falls at a question by :math:`\sum_c w_c\,\|p_c - p\|^2`, w_c the shares of the
    branches, p_c and p the class shares (means) in them and before. Here one factor comes from the rows the tree was
    grown from, the other from those out of its bag: :math:`\sum_c w'_c\,(p_c - p)\cdot(p'_c - p')`, with primes for the
    unseen rows. If an attribute is independent of the class and of the other attributes, p'_c and p' are the same in
    the mean whatever the tree was led to believe, so that the expectation is exactly 0; single values may be negative.
    It is the MDI-oob of Li, Wang, Basu, Kumbier and Yu (2019), centred on the unseen rows at each node. The unit is the
    impurity of one row, Gini's also in trees grown by other measures.

    dataset, target: the rows that the forest was grown from (of weight 0 left out), with sampling and seed as in
    growing. weights: those of growing. The spread and the interval are over the trees.
    """
    shares = np.ones(dataset.n_rows) if weights is None else checked_weights(weights, dataset.n_rows)
    each, count = np.zeros((len(forest), len(dataset.schema))), np.zeros(len(forest))
    for number, tree in enumerate(forest):
        rows = unseen_rows(sampling, seed, number, shares)
        if len(rows) == 0:
            continue
        count[number] = 1.0
        sums = tally(tree, dataset.take(rows), take_target(target, rows), shares[rows], n_jobs)
        each[number] = crossed_gains(tree, sums)
    if not count.any():
        raise ParameterError("Every tree has seen every row: grow with bootstrap 'with' or 'without', and more rows.")
    title = "importance by impurity on unseen rows"
    return over_trees(title, forest.schema.names, each, tree_weights(forest) * count, level)


def crossed_gains(tree: Tree, sums: Floats) -> Floats:
    """What each attribute's questions gain, one factor from the tree and one from rows tallied in it; per row.

    sums: of :func:`quercus.predict.tally`. With the rows that the tree was grown from it is the plain gain by Gini
    impurity or variance.
    """
    weight, seen = tree.target_kind.tallied(sums)
    learnt = tree.target_kind.expected(tree.distributions())
    child = np.flatnonzero(tree.parent >= 0)
    above = tree.parent[child]
    below_weight = np.bincount(above, weight[child], minlength=tree.n_nodes)
    below = np.column_stack([np.bincount(above, column, minlength=tree.n_nodes) for column in seen[child].T])
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = np.where(below_weight[:, None] > 0, below / below_weight[:, None], 0.0)
    moved = seen[child] - weight[child, None] * expected[above]
    crossed = ((learnt[child] - learnt[above]) * moved).sum(axis=1)
    gained = tree.sums_by_attribute(np.bincount(above, crossed, minlength=tree.n_nodes).astype(np.float64))
    return np.asarray(gained / weight[0] if weight[0] > 0 else np.zeros(len(tree.schema)))
