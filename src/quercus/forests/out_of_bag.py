"""Out of the bag: each row is answered by the trees that did not learn from it, an honest test without test rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget, Dataset
from quercus.errors import ParameterError
from quercus.forests.collection import Averaged, collection_sums, part_of
from quercus.growing.forest import Sampling
from quercus.predict.forest import Vote
from quercus.pruning.curves import Curve
from quercus.pruning.nested import checked_weights
from quercus.results import Result
from quercus.targets.kind import TargetKind, weighted_mean

#: A curve has at most so many points unless it is asked for more.
POINTS = 100


@dataclass(frozen=True, eq=False, repr=False)
class OutOfBag(Result):
    """What a forest says about its own training rows.

    answers: class shares [n, classes], or numbers [n, 1]; NaN where every tree has learnt from the row. trees: the
    weight of the trees that answered each row. error: the share of wrong answers (with costs the mean cost; of numbers
    the mean squared deviation) among the rows answered, by weight. score: their accuracy, or for numbers R². curve: the
    error after so many trees. constant_error: that of the best constant answer, for comparison.
    """

    answers: Floats
    trees: Floats
    error: float
    score: float
    curve: Curve
    constant_error: float

    def __str__(self) -> str:
        """The figures, and how many rows they are of."""
        rows = f"{int(self.answered.sum()):,} of {len(self.trees):,} rows"
        constant = f"error of the best constant answer {self.constant_error:.4g}"
        return f"error {self.error:.4g} and score {self.score:.4g} out of the bag on {rows}; {constant}"

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which rows have an answer."""
        return self.trees > 0


class OutOfBagTally:
    """The out-of-bag answers while trees are added; asked at any time.

    dataset, target: the rows that the forest was grown from (rows of weight 0 left out). sampling, seed: as in growing.
    weights: of the rows, for the error. cost_matrix, threshold: how a class is chosen from shares.
    """

    def __init__(
        self,
        dataset: Dataset,
        target: ClassTarget | NDArray[Any],
        sampling: Sampling,
        seed: int,
        *,
        kind: TargetKind,
        vote: Vote = "probability",
        smoothing: Any = None,
        weights: ArrayLike | None = None,
        cost_matrix: ArrayLike | None = None,
        threshold: float | None = None,
        n_jobs: int | None = 1,
    ) -> None:
        if sampling.bootstrap == "no":
            raise ParameterError("Without draws no row is out of the bag: grow with bootstrap 'with' or 'without'.")
        self.dataset, self.sampling, self.seed = dataset, sampling, seed
        self.options = {"vote": vote, "smoothing": smoothing, "n_jobs": n_jobs}
        self.kind = kind
        self.truth = kind.truth(target, dataset.n_rows, "forest")
        self.weights = np.ones(dataset.n_rows) if weights is None else checked_weights(weights, dataset.n_rows)
        self.costs = None if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64)
        self.threshold = threshold
        self.n_trees = 0
        self.sums = np.zeros((dataset.n_rows, kind.width))
        self.used = np.zeros(dataset.n_rows)
        self.losses = np.zeros(dataset.n_rows)
        self.points: list[tuple[int, float, float]] = []

    def add(self, part: Averaged) -> None:
        """Add the next trees and a point to the curve. An interrupt leaves the tally as it was."""
        added, used = collection_sums(
            part, self.dataset, **self.options, out_of_bag=(self.sampling, self.seed, self.n_trees)
        )
        sums, used_by_now = self.sums + added, self.used + used
        losses = self.losses.copy()
        rows = np.flatnonzero(used > 0)
        answers = sums[rows] / used_by_now[rows, None]
        losses[rows] = self.kind.losses(answers, self.truth[rows], self.costs, self.threshold)
        answered = np.where(used_by_now > 0, self.weights, 0.0)
        count, total = self.n_trees + len(part), float(self.weights.sum())
        point = (count, weighted_mean(losses, answered), float(answered.sum()) / total)
        self.n_trees, self.sums, self.used, self.losses = count, sums, used_by_now, losses
        self.points.append(point)

    def add_in_steps(self, collection: Averaged, points: int = POINTS) -> None:
        """Add many trees, a point after each, or after several if there would be more points than that."""
        step = -(-len(collection) // max(1, points))
        for start in range(0, len(collection), step):
            self.add(part_of(collection, start, min(start + step, len(collection))))

    def constant_error(self) -> float:
        """The error of the best constant answer."""
        return self.kind.constant_loss(self.truth, self.weights, self.costs)

    def curve(self) -> Curve:
        """The error, with costs the mean cost, after so many trees; “answered”: the share of rows answered by then."""
        trees, errors, answered = (np.array(column) for column in zip(*self.points, strict=True))
        name = "error" if self.costs is None else "mean cost"
        columns = {"trees": trees, name: errors, "answered": answered}
        return Curve(f"out-of-bag {name} against the number of trees", columns)

    def result(self) -> OutOfBag:
        """What is known by now."""
        with np.errstate(invalid="ignore"):
            answers = self.sums / self.used[:, None]
        error = self.points[-1][1]
        return OutOfBag(answers, self.used, error, self._score(answers), self.curve(), self.constant_error())

    def _score(self, answers: Floats) -> float:
        """The accuracy of the rows answered, or their R²; NaN where scikit-learn has none."""
        rows = np.flatnonzero(self.used > 0)
        chosen = self.kind.chosen(answers[rows], self.costs, self.threshold)
        return self.kind.score(chosen, self.truth[rows], self.weights[rows])


def out_of_bag(
    collection: Averaged,
    dataset: Dataset,
    target: ClassTarget | NDArray[Any],
    sampling: Sampling,
    seed: int,
    *,
    points: int = POINTS,
    **options: Any,
) -> OutOfBag:
    """Answer the training rows of a collection by the members that have not seen them.

    dataset, target, sampling, seed: those the collection was grown with, rows of weight 0 left out. points: of the
    curve, at most. options: vote, smoothing, weights, cost_matrix, threshold, n_jobs.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.forest import grow_forest
    >>> x, y = encode({"x": list(range(20))}), encode_classes(["No"] * 10 + ["Yes"] * 10)
    >>> forest = grow_forest(x, y, cart_recipe(), Sampling(), n_trees=30, seed=0)
    >>> unseen = out_of_bag(forest, x, y, Sampling(), seed=0)
    >>> unseen.score, bool(unseen.answered.all()), len(unseen.curve)
    (0.95, True, 30)
    """
    tally = OutOfBagTally(dataset, target, sampling, seed, kind=collection.target_kind, **options)
    tally.add_in_steps(collection, points)
    return tally.result()
