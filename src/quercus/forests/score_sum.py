"""The sum of scores: trees whose numbers are added up, and the link that turns the sums into answers.

Gradient boosting makes such collections. Each tree adds its number to one score; a base is added, and a link function
turns the scores into a number or into class shares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.data.names import counted
from quercus.data.schema import Schema
from quercus.errors import DataError
from quercus.predict.forest import forest_sums
from quercus.targets import Numbers, TargetKind
from quercus.tree.forest import Forest
from quercus.tree.tree import Tree

Link = Literal["identity", "exp", "softmax"]


def softmax(scores: Floats) -> Floats:
    """Class shares in proportion to exp(score) [n, classes]; for two classes this is the logistic function.

    >>> softmax(np.array([[0.0, np.log(3.0)]])).round(12)
    array([[0.25, 0.75]])
    """
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def exponential(scores: Floats) -> Floats:
    """The exponential of each score; infinite where a double cannot hold it."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(scores))


#: From scores [n, scores] to answers [n, width].
LINKS: dict[Link, Callable[[Floats], Floats]] = {
    "identity": lambda scores: scores,
    "exp": exponential,
    "softmax": softmax,
}


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSum:
    """Trees that add up scores; the value never changes.

    trees: they answer numbers; the weight of a tree multiplies its number. target_kind: the kind of the final answer.
    link: "identity" or "exp" turn one score into a number; "softmax" turns one score per class into class shares. base:
    the start of each score. places: the score that each tree adds to. With two classes, the first may have no tree;
    its score is then its base.

    >>> from quercus.data import encode
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> from quercus.targets import kind_of
    >>> x = encode({"x": [1, 2, 3, 4]})
    >>> tree = grow(x, np.array([-1.0, -1.0, 1.0, 1.0]), cart_recipe("squared_error"))
    >>> scores = ScoreSum(Forest.from_trees([tree, tree]), kind_of(("No", "Yes")), "softmax", (0.0, 0.5), (1, 1))
    >>> scores, scores.scores(x)[0].tolist(), scores.chosen(scores.scores(x)).tolist()
    (<ScoreSum: 2 trees, 6 nodes, 2 classes, link softmax>, [0.0, -1.5], [0, 0, 1, 1])
    """

    trees: Forest
    target_kind: TargetKind
    link: Link
    base: tuple[float, ...]
    places: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse parts that do not fit together."""
        if not isinstance(self.trees.target_kind, Numbers):
            raise DataError("The trees of a sum of scores answer numbers; these do not.")
        if self.link not in get_args(Link):
            raise DataError(f"The link is {self.link!r}, but must be one of {', '.join(get_args(Link))}.")
        if self.target_kind.has_shares != (self.link == "softmax"):
            raise DataError("The link softmax is for classes, and identity and exp are for numbers.")
        n_scores = self.target_kind.width
        if len(self.base) != n_scores or not np.isfinite(self.base).all():
            raise DataError(f"base must hold {counted(n_scores, 'finite number')}, one per score.")
        if len(self.places) != len(self.trees) or not all(0 <= place < n_scores for place in self.places):
            raise DataError(f"places must name one score from 0 to {n_scores - 1} for each of the trees.")

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The names of the classes; None: numbers are answered."""
        return self.target_kind.classes

    @property
    def schema(self) -> Schema:
        """The attributes that the trees read."""
        return self.trees.schema

    @property
    def partial(self) -> bool:
        """Whether growing was stopped early; False, since these trees were not grown here."""
        return self.trees.partial

    def __len__(self) -> int:
        """The number of trees."""
        return len(self.trees)

    def __iter__(self) -> Iterator[Tree]:
        """The trees in their order."""
        return iter(self.trees)

    @cached_property
    def _by_score(self) -> tuple[Forest | None, ...]:
        """The trees of each score; None: it has no tree."""
        stored, weights = self.trees.stored, self.trees.weights
        result: list[Forest | None] = []
        for place in range(len(self.base)):
            chosen = [number for number, own in enumerate(self.places) if own == place]
            part = replace(
                self.trees,
                stored=tuple(stored[number] for number in chosen),
                weights=None if weights is None else weights[chosen],
            )
            result.append(part if chosen else None)
        return tuple(result)

    def scores(self, dataset: Dataset, n_jobs: int | None = 1) -> Floats:
        """The scores of encoded rows [n, scores]: base + Σ weight · number, added in the order of the trees."""
        result = np.empty((dataset.n_rows, len(self.base)))
        for place, (base, forest) in enumerate(zip(self.base, self._by_score, strict=True)):
            result[:, place] = base
            if forest is not None:
                result[:, place] += forest_sums(forest, dataset, n_jobs=n_jobs)[0][:, 0]
        return result

    def staged(self, dataset: Dataset, counts: Sequence[int], n_jobs: int | None = 1) -> Iterator[Floats]:
        """The answers of the first trees, for each of some rising numbers of trees; each tree answers once."""
        scores = np.tile(np.array(self.base), (dataset.n_rows, 1))
        for begin, end in zip([0, *counts[:-1]], counts, strict=True):
            part = replace(
                self, trees=self.trees.part(begin, end), places=self.places[begin:end], base=(0.0,) * len(self.base)
            )
            scores = scores + part.scores(dataset, n_jobs)
            yield self.answers(scores)

    def answers(self, scores: Floats) -> Floats:
        """The answers that follow from the scores: class shares [n, classes], or numbers [n, 1]."""
        return LINKS[self.link](scores)

    def chosen(self, scores: Floats) -> NDArray[Any]:
        """The class of the largest score (by position; tied to 1e-12: the first), or the number.

        Scores are sums, which every engine adds up to the same bits; powers are not. So labels are chosen by scores.
        """
        return self.target_kind.chosen(scores if self.target_kind.has_shares else self.answers(scores))

    def __eq__(self, other: object) -> bool:
        """Whether trees, weights, link, base and names are exactly the same."""
        if not isinstance(other, ScoreSum):
            return NotImplemented
        parts = ("target_kind", "link", "base", "places", "trees")
        return all(getattr(self, part) == getattr(other, part) for part in parts)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """The collection in one line."""
        size = f"{counted(len(self), 'tree')}, {counted(int(self.trees.n_nodes.sum()), 'node')}"
        return f"<ScoreSum: {size}, {self.target_kind.title}, link {self.link}>"
