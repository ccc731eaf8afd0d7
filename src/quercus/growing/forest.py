"""Growing many trees of one table by the C++ core, each from its own draw of rows and attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from quercus import _core
from quercus.data import ClassTarget, Dataset
from quercus.errors import DataError, ParameterError, choice_message
from quercus.growing.grow import core_arguments, in_weights, size_limits
from quercus.growing.recipe import REGRESSION_CRITERIA, Recipe
from quercus.tree.forest import Forest

Bootstrap = Literal["no", "with", "without"]
Constant = Literal["redraw", "count"]
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Sampling:
    """What chance decides in a forest: the rows that a tree sees and the attributes that a node may ask.

    - bootstrap: ``"with"``: rows are drawn with replacement, a row drawn three times counts as three; ``"without"``:
      each row at most once; ``"no"``: every tree sees all rows.
    - share: rows drawn, as a share of all rows; None: 1 with replacement, 0.632 without.
    - attributes_per_node: so many attributes are drawn at a node; None: all.
    - constant_attributes: what becomes of a drawn attribute that is constant at the node: ``"redraw"``: another one is
      drawn, as long as there are any; ``"count"``: it counts, and a node none of whose attributes varies is a leaf.
    - attributes_per_tree: attributes that a tree may use at all; None: all.
    - attribute_bootstrap: these are drawn with replacement, so that a tree may use fewer.
    - random_thresholds: of each attribute only one cut is tried, at a number drawn between the smallest and the largest
      at the node (a nominal attribute: one division of its values); extremely randomised trees.

    Tree t of seed s depends on (s, t) alone, by integer arithmetic: it is the same on every machine, for any number of
    threads, and whether ten trees are grown or a thousand.

    >>> Sampling(bootstrap="with").rows_drawn(14)
    14
    >>> drawn_counts(Sampling(bootstrap="with"), seed=1, tree=0, n_rows=8).tolist()
    [1, 2, 0, 0, 0, 0, 3, 2]
    """

    bootstrap: Bootstrap = "with"
    share: float | None = None
    attributes_per_node: int | None = None
    attributes_per_tree: int | None = None
    random_thresholds: bool = False
    constant_attributes: Constant = "redraw"
    attribute_bootstrap: bool = False

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if self.bootstrap not in get_args(Bootstrap):
            raise ParameterError(choice_message("bootstrap", self.bootstrap, get_args(Bootstrap)))
        if self.constant_attributes not in get_args(Constant):
            raise ParameterError(choice_message("constant_attributes", self.constant_attributes, get_args(Constant)))
        if self.share is not None and not (self.share > 0 and (self.share <= 1 or self.bootstrap == "with")):
            raise ParameterError(f"share is {self.share!r}, but must be above 0 and, without replacement, at most 1.")
        for name in ("attributes_per_node", "attributes_per_tree"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, (int, np.integer)) or value < 1):
                raise ParameterError(f"{name} is {value!r}, but must be a number of attributes, at least 1, or None.")

    def rows_drawn(self, n_rows: int) -> int:
        """The number of rows drawn for a tree."""
        if self.bootstrap == "no":
            return n_rows
        share = self.share if self.share is not None else (1.0 if self.bootstrap == "with" else 0.632)
        return max(1, round(share * n_rows))

    def core(self, n_rows: int, seed: int) -> dict[str, Any]:
        """The numbers and names that the core takes."""
        if not 0 <= seed < 2**64:
            raise ParameterError(f"seed is {seed!r}, but must be a whole number from 0 to 2**64 − 1.")
        return {
            "bootstrap": self.bootstrap,
            "n_drawn": self.rows_drawn(n_rows),
            "attributes_per_node": int(self.attributes_per_node or 0),
            "attributes_per_tree": int(self.attributes_per_tree or 0),
            "count_constant": self.constant_attributes == "count",
            "random_thresholds": bool(self.random_thresholds),
            "attribute_bootstrap": bool(self.attribute_bootstrap),
            "seed": int(seed),
        }


class GrowingInterrupted(KeyboardInterrupt):
    """Ctrl-C, while members of a collection were made. partial: those that are there, as growing would return them."""

    def __init__(self, partial: Any) -> None:
        super().__init__("Growing was stopped by Ctrl-C; what is there is the attribute `partial` of this exception.")
        self.partial = partial


class ForestGrower:
    """A table made ready for growing trees of it: what all trees of a seed share is made once.

    Parameters as in :func:`grow_forest`. The rows are read while trees grow, so they must not be changed meanwhile.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> x, y = encode({"x": [1, 2, 3, 4, 5, 6]}), encode_classes(["No", "No", "No", "Yes", "Yes", "Yes"])
    >>> grower = ForestGrower(x, y, cart_recipe(), Sampling(), seed=0)
    >>> grower.grow(0, 2).extended(grower.grow(2, 3)) == grower.grow(0, 5)
    True
    """

    def __init__(
        self,
        dataset: Dataset,
        target: ClassTarget | np.ndarray,
        recipe: Recipe,
        sampling: Sampling,
        seed: int,
        *,
        weights: np.ndarray | None = None,
        class_multipliers: np.ndarray | None = None,
        cost_matrix: np.ndarray | None = None,
        n_jobs: int = 1,
        switches: int = 0,
    ) -> None:
        arguments, kind, self._unit = core_arguments(
            dataset,
            target,
            recipe,
            weights,
            class_multipliers=class_multipliers,
            cost_matrix=cost_matrix,
            n_jobs=n_jobs,
            switches=switches,
        )
        if sampling.random_thresholds:
            _check_random_thresholds(recipe)
        self.schema, self.target_kind, self.recipe = dataset.schema, kind, recipe
        drawn = sampling.core(len(arguments.target), seed)
        self._core = _core.ForestGrower(*arguments, drawn)

    def grow(self, first_tree: int, n_trees: int, progress: Progress | None = None) -> Forest:
        """The trees ``first_tree … first_tree + n_trees − 1``; how it may be stopped, :func:`grow_forest` says."""
        if n_trees < 1:
            raise ParameterError(f"n_trees is {n_trees!r}, but must be at least 1.")
        report = None if progress is None else lambda done, total, _: progress(done, total)
        with size_limits():
            arrays, stop = self._core.grow(first_tree, n_trees, report)
        for packed in arrays if self._unit != 1.0 else ():
            in_weights(packed, self._unit, self.target_kind)
        forest = Forest.grown(
            arrays,
            self.schema,
            self.target_kind,
            criterion=str(self.recipe.criterion),
            empty_leaf=self.recipe.empty_leaf,
            partial=stop is not None,
        )
        if isinstance(stop, KeyboardInterrupt):
            raise GrowingInterrupted(forest) from stop
        return forest


def grow_forest(
    dataset: Dataset,
    target: ClassTarget | np.ndarray,
    recipe: Recipe,
    sampling: Sampling,
    n_trees: int,
    seed: int,
    *,
    first_tree: int = 0,
    weights: np.ndarray | None = None,
    class_multipliers: np.ndarray | None = None,
    cost_matrix: np.ndarray | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    switches: int = 0,
) -> Forest:
    """Grow the trees ``first_tree … first_tree + n_trees − 1`` of a seed.

    dataset, target, recipe, weights, class_multipliers, cost_matrix: as for one tree. A row that is drawn twice has
    twice its weight; rows of weight 0 are left out before rows are drawn.
    progress: called now and then with (trees finished, trees). StopIteration out of ``progress`` ends the growing: the
    trees that are finished, as far as none before them is missing, are returned, marked ``partial``. Ctrl-C gives a
    :class:`GrowingInterrupted`, which has them.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> x, y = encode({"x": [1, 2, 3, 4, 5, 6]}), encode_classes(["No", "No", "No", "Yes", "Yes", "Yes"])
    >>> forest = grow_forest(x, y, cart_recipe(), Sampling(bootstrap="no"), n_trees=2, seed=0)
    >>> len(forest), forest.tree(1).root.test
    (2, Threshold(x <= 3.5))
    """
    grower = ForestGrower(
        dataset,
        target,
        recipe,
        sampling,
        seed,
        weights=weights,
        class_multipliers=class_multipliers,
        cost_matrix=cost_matrix,
        n_jobs=n_jobs,
        switches=switches,
    )
    return grower.grow(first_tree, n_trees, progress)


def drawn_counts(sampling: Sampling, seed: int, tree: int, n_rows: int) -> NDArray[np.int32]:
    """How often each row was drawn for a tree; rows of 0 are out of the bag."""
    if n_rows < 1:
        raise DataError(f"n_rows is {n_rows}, but rows are drawn from at least one.")
    return _core.drawn_counts(sampling.core(n_rows, seed), tree, n_rows)


def drawn_attributes(sampling: Sampling, seed: int, tree: int, n_attributes: int) -> NDArray[np.uint32]:
    """The attributes that were drawn for a tree, in the order of the draw.

    >>> drawn_attributes(Sampling(attributes_per_tree=3, attribute_bootstrap=True), seed=1, tree=0, n_attributes=3)
    array([0, 0, 1], dtype=uint32)
    """
    return _core.drawn_attributes({**sampling.core(1, seed), "bootstrap": "no"}, tree, n_attributes)


_AT_RANDOM = "Thresholds drawn at random (random_thresholds, splitter='random')"


def _check_random_thresholds(recipe: Recipe) -> None:
    allowed = {"selection": ("gain", "tan_schlimmer", "nunez"), "nominal": ("subset",), "missing": ("own_value",)}
    for name, values in allowed.items():
        if getattr(recipe, name) not in values:
            raise ParameterError(f"{_AT_RANDOM} allow {name} {' or '.join(values)}, not {getattr(recipe, name)!r}.")
    slow = set(REGRESSION_CRITERIA) - {"squared_error"}
    if recipe.criterion in slow or recipe.significance is not None:
        raise ParameterError(f"{_AT_RANDOM} need a criterion of classes or squared_error, and no significance.")
