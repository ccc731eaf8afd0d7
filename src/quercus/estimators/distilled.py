"""Distillation: one tree, or rule list, that imitates a forest, with how well it does so beside a plain one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.rows import Rows, checked_target
from quercus.errors import ParameterError, choice_message
from quercus.estimators.base import Training
from quercus.estimators.c45_rules import C45RulesClassifier
from quercus.estimators.cart import CARTClassifier, CARTRegressor
from quercus.estimators.checks import count, refuse, seed_of
from quercus.estimators.inspection import checked_model
from quercus.estimators.rule_learner import RuleLearner
from quercus.estimators.tree_estimator import TreeClassifier, TreeEstimator
from quercus.fitted.model import Model, model_of
from quercus.fitted.reading import Readable
from quercus.forests.distill import synthetic_rows
from quercus.results import Result
from quercus.targets import TargetKind
from quercus.tree.forest import Forest

Into = Literal["tree", "rules"]


@dataclass(frozen=True)
class Standing(Result):
    """How one model stands: its size, its score and its fidelity on the rows that were tried (None: not measured)."""

    name: str
    size: str
    score: float | None
    fidelity: float


@dataclass(frozen=True, eq=False, repr=False)
class Distilled(Result):
    """One explicit model made from a forest.

    model: the fitted estimator that imitates the forest. plain: the same kind of model, of the same size, learnt from
    the true targets; None if these were not given. standings: forest, distilled, plain. fidelity: the share of rows
    that model and forest answer alike (numbers: R² of the model's answers against the forest's). score: the model's
    accuracy, or R². held_out: whether both are from rows that were not learnt from. n_rows, n_synthetic: the rows that
    the forest was asked about.
    """

    model: Any
    plain: Any
    into: Into
    standings: tuple[Standing, ...]
    held_out: bool
    n_rows: int
    n_synthetic: int

    @property
    def fidelity(self) -> float:
        """How alike the distilled model and the forest answer."""
        return self.standings[1].fidelity

    @property
    def score(self) -> float | None:
        """The accuracy (or R²) of the distilled model; None if no targets were given for the test rows."""
        return self.standings[1].score

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain numbers and texts."""
        return {
            "into": self.into,
            "held_out": self.held_out,
            "n_rows": self.n_rows,
            "n_synthetic": self.n_synthetic,
            "measure": self._measure(),
            "models": [vars(standing) for standing in self.standings],
        }

    def _measure(self) -> str:
        return str(self.model.model_.target_kind.score_name)

    def table(self) -> str:
        """Size, score and fidelity of forest, distilled model and plain model."""
        lines = [["model", "size", self._measure(), "fidelity"]]
        for standing in self.standings:
            score = "–" if standing.score is None else f"{standing.score:.3f}"
            lines.append([standing.name, standing.size, score, f"{standing.fidelity:.3f}"])
        widths = [max(len(line[column]) for line in lines) for column in range(4)]
        rows = [f"{a:{widths[0]}}  {b:{widths[1]}}  {c:>{widths[2]}}  {d:>{widths[3]}}" for a, b, c, d in lines]
        return "\n".join(rows)

    def __str__(self) -> str:
        """The table, and what it was measured on."""
        where = "rows not learnt from" if self.held_out else "the rows learnt from; give test= for unseen ones"
        return f"{self.table()}\nmeasured on {where}"


def distill(
    forest: Any,
    X: Any,
    y: Any = None,
    *,
    into: Into = "tree",
    student: Any = None,
    soft: bool | None = None,
    max_leaf_nodes: int | None = 32,
    max_depth: int | None = None,
    n_synthetic: int = 0,
    swap: float = 0.5,
    test: tuple[Any, Any] | None = None,
    random_state: Any = 0,
) -> Distilled:
    """Make one tree, or rule list, that imitates a forest: it is learnt from the forest's answers.

    forest: a fitted estimator of Quercus (random forest, bagging, boosting, …), or a ``quercus.tree.forest.Forest``. X:
    rows to ask it about, best those of its training. y: their true targets, for the plain model beside it. into:
    ``"tree"``: CART, or student; ``"rules"``: C4.5's rules, or student. student: an estimator of Quercus, not fitted,
    instead (max_leaf_nodes and max_depth are then its own). soft: learn the shares that the forest gives each class
    (every row counts for each class by its share), which tells more than the class it answers; None: for trees, not for
    rules. max_leaf_nodes, max_depth: of the tree; rules take max_depth. n_synthetic: further rows to ask about: each is
    a row of X of which every value is exchanged, by the chance ``swap``, for that of another row. swap: that chance.
    test: (X, y) not learnt from, to measure on; y may be None. random_state: of the synthetic rows; the same seed gives
    the same model.

    >>> from quercus import RandomForestClassifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> forest = RandomForestClassifier(n_estimators=50).fit(X, y)
    >>> found = distill(forest, X, y, max_leaf_nodes=5)
    >>> print(found)
    model      size      accuracy  fidelity
    forest     50 trees     1.000     1.000
    distilled  5 leaves     0.929     0.929
    plain      5 leaves     0.929     0.929
    measured on the rows learnt from; give test= for unseen ones
    """
    if into not in ("tree", "rules"):
        raise ParameterError(choice_message("into", into, ("tree", "rules")))
    count(least=0)("n_synthetic", n_synthetic)
    teacher = _teacher(forest, X)
    pupil = _pupil(teacher, into, student, max_leaf_nodes, max_depth)
    dataset = teacher.asked.encode_rows(X)
    questions = synthetic_rows(dataset, n_synthetic, swap=swap, seed=seed_of(random_state))
    softly = teacher.kind.has_shares and (into == "tree" if soft is None else bool(soft))
    answered = teacher.soft_rows(questions) if softly else Rows(questions, teacher.answer(questions), None)
    model = _learnt(teacher, pupil, answered)
    plain = None
    if y is not None:
        same = clone(pupil)
        if "max_leaf_nodes" in same.get_params() and model.model_.answers_by == "tree":
            same.set_params(max_leaf_nodes=max(2, model.get_n_leaves()))
        plain = _learnt(teacher, same, Rows(dataset, teacher.target(y, dataset.n_rows), None))
    tried, truth = (dataset, y) if test is None else (teacher.asked.encode_rows(test[0]), test[1])
    target = None if truth is None else teacher.target(truth, tried.n_rows)
    measured = _standings(teacher, model, plain, tried, target)
    return Distilled(model, plain, into, measured, test is not None, dataset.n_rows, n_synthetic)


@dataclass(frozen=True, eq=False)
class Teacher:
    """What is imitated: an estimator or its model, or a forest without one."""

    asked: Readable

    @property
    def model(self) -> Model:
        """The model that is imitated."""
        return self.asked.model_

    @property
    def kind(self) -> TargetKind:
        """The kind of target that it answers."""
        return self.model.target_kind

    def target(self, y: Any, n_rows: int) -> ClassTarget | Floats:
        """The encoded target of some rows."""
        if isinstance(y, ClassTarget):
            return y
        y = checked_target(y, n_rows, self.model.name)
        return self.model.target_kind.encode(y)

    def answer(self, dataset: Dataset) -> ClassTarget | Floats:
        """The forest's answers as a target to learn."""
        chosen = self.model.answer(dataset, self.asked.n_threads)[1]
        return _codes(self.model.classes, chosen) if self.kind.has_shares else chosen

    def soft_rows(self, dataset: Dataset) -> Rows:
        """Every row once for each class that the forest gives a share, with the share as its weight."""
        shares = self.model.shares(dataset, self.asked.n_threads)
        rows, labels = np.nonzero(shares > 0)
        return Rows(dataset.take(rows), _codes(self.model.classes, labels), np.ascontiguousarray(shares[rows, labels]))


def _codes(classes: Any, labels: Any) -> ClassTarget:
    return ClassTarget(classes, np.ascontiguousarray(labels, dtype=np.int32))


def _teacher(forest: Any, X: Any) -> Teacher:
    if not isinstance(forest, Forest):
        return Teacher(checked_model(forest))
    named = isinstance(X, Mapping) or (hasattr(X, "columns") and not isinstance(X, Dataset))
    return Teacher(replace(model_of(forest), named_columns=named))


def _pupil(teacher: Teacher, into: str, student: Any, max_leaf_nodes: int | None, max_depth: int | None) -> Any:
    """An estimator, not fitted, of the kind that is asked for."""
    if student is not None:
        right = isinstance(student, TreeEstimator if into == "tree" else RuleLearner)
        if not right or isinstance(student, TreeClassifier | RuleLearner) != teacher.kind.has_shares:
            what = "tree" if into == "tree" else "rule"
            refuse("student", student, f"a {what} estimator of quercus for what the forest answers, or None")
        return clone(student)
    if into == "rules":
        teacher.kind.need_classes("into='rules' is for classes; this forest answers numbers: give into='tree'.")
        return C45RulesClassifier(max_depth=max_depth)
    estimator: Any = CARTClassifier if teacher.kind.has_shares else CARTRegressor
    return estimator(max_leaf_nodes=max_leaf_nodes, max_depth=max_depth)


def _learnt(teacher: Teacher, pupil: Any, rows: Rows) -> Any:
    """A pupil fitted to encoded rows, with the names that the forest learnt."""
    pupil._check_parameters()
    model = pupil._learn(Training(rows, one=pupil))
    return pupil.fitted_to(replace(model, named_columns=teacher.model.named_columns))


def _standings(teacher: Teacher, model: Any, plain: Any, dataset: Dataset, target: Any) -> tuple[Standing, ...]:
    said = teacher.answer(dataset)
    standings = [Standing("forest", _size(teacher.model), _alike(said, target), 1.0)]
    for name, one in (("distilled", model), ("plain", plain)):
        if one is not None:
            mine = Teacher(one).answer(dataset)
            fidelity = _alike(mine, said)
            assert fidelity is not None
            standings.append(Standing(name, _size(one.model_), _alike(mine, target), fidelity))
    return tuple(standings)


def _alike(answers: Any, target: Any) -> float | None:
    """The share of equal classes, or R² of numbers."""
    if target is None:
        return None
    if isinstance(target, ClassTarget):
        return float(np.mean(answers.codes == target.codes))
    away, spread = np.mean((answers - target) ** 2), np.var(target)
    return float(1.0 - away / spread) if spread > 0 else float(away == 0)


def _size(model: Model) -> str:
    """How large a model is, in words."""
    if model.forest is not None:
        return f"{len(model.forest):,} {'rule lists' if model.answers_by_rules else 'trees'}"
    if model.rule_list is not None:
        return f"{len(model.rule_list):,} rules"
    return f"{model.get_n_leaves():,} leaves"
