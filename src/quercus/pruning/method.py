"""A pruning method as one row of a table: its name and meaning, how it is called, and what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from quercus.arrays import Floats
from quercus.data.rows import Rows
from quercus.growing.grower import Grower, core_grower
from quercus.growing.recipe import Recipe
from quercus.pruning.result import Pruned
from quercus.targets import TargetKind
from quercus.tree.tree import Tree


def _no_seed() -> int:
    return 0


@dataclass(frozen=True)
class Situation:
    """All that a pruning method may need beside its parameters.

    training: the rows the tree was grown from. validation: rows it has not seen. Either is None if it is not known (a
    fitted estimator keeps no rows). recipe, n_jobs, grower: to grow a tree for each fold. seed: draws the folds' seed.
    """

    tree: Tree
    recipe: Recipe | None
    training: Rows | None
    validation: Rows | None
    costs: Floats | None
    n_jobs: int = 1
    grower: Grower = core_grower
    seed: Callable[[], int] = _no_seed


@dataclass(frozen=True)
class PruningMethod:
    """A pruning method.

    meaning: in a few words, for documentation. prune: the call, with the values of parameters by name. reads: the
    parameters of estimators that it reads. rows: which rows it needs, "training" or "validation". numbers: whether it
    can prune a tree that predicts numbers. costs: whether it counts what mistakes cost. place, compare: where the
    comparison of all methods has it, and its call there, which also gives the setting in words (None: it has it not).
    """

    name: str
    meaning: str
    prune: Callable[[Situation, Mapping[str, Any]], Pruned]
    reads: tuple[str, ...] = ()
    rows: str | None = None
    numbers: bool = False
    costs: bool = True
    place: int = 0
    compare: Callable[[Situation], tuple[str, Pruned]] | None = None

    def serves(self, kind: TargetKind) -> bool:
        """Whether it can prune a tree of this kind of target."""
        return self.numbers or kind.has_shares

    @property
    def documentation(self) -> str:
        """The meaning, and whether costs count."""
        return self.meaning if self.costs else f"{self.meaning} (it counts errors, not what they cost)"


def training_rows(situation: Situation) -> Rows:
    """The rows that the tree was grown from, which are known."""
    assert situation.training is not None
    return situation.training


def validation_rows(situation: Situation) -> Rows:
    """Rows that the tree has not seen, which are known."""
    assert situation.validation is not None
    return situation.validation
