"""Distillation: one tree, or rule list, that imitates a forest, with how well it does so beside a plain one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.base import clone

from quercus.data.dataset import ClassTarget, Dataset, encode_like, encode_numbers
from quercus.errors import ParameterError, choice_message
from quercus.estimators.base import TreeEstimator
from quercus.estimators.c45_rules import C45RulesClassifier
from quercus.estimators.cart_classifier import CARTClassifier
from quercus.estimators.cart_regressor import CARTRegressor
from quercus.estimators.classifier import TreeClassifier
from quercus.estimators.forest_base import ForestEstimator, Members
from quercus.estimators.forest_growing import Plan, made_c45_rules, make_members
from quercus.estimators.inspection import answers_of, checked_model, labels_of, target_of
from quercus.estimators.parameters import check_count, refuse
from quercus.estimators.pruning import Rows, seed_of
from quercus.estimators.reading import encode_known_classes
from quercus.estimators.rule_learner import RuleLearner
from quercus.estimators.weights import Floats, read_cost_matrix
from quercus.forests.committee import Committee
from quercus.forests.distill import synthetic_rows
from quercus.growing.forest import Sampling
from quercus.predict.forest import forest_distribution
from quercus.predict.labels import label_codes
from quercus.tree.forest import Forest

Into = Literal["tree", "rules"]


@dataclass(frozen=True)
class Standing:
    """How one model stands: its size, its score and its fidelity on the rows that were tried (None: not measured)."""

    name: str
    size: str
    score: float | None
    fidelity: float


@dataclass(frozen=True, eq=False)
class Distilled:
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
        return "accuracy" if hasattr(self.model, "classes_") else "R²"

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

    forest: a fitted estimator of Quercus (random forest, bagging, boosting, …), or a ``quercus.tree.forest.Forest``.
    X: rows to ask it about, best those of its training. y: their true targets, for the plain model beside it. into:
    ``"tree"``: CART, or student; ``"rules"``: C4.5's rules, or student. student: an estimator of Quercus, not fitted,
    instead (max_leaf_nodes and max_depth are then its own). soft: learn the shares that the forest gives each class
    (every row counts for each class by its share), which tells more than the class it answers; None: for trees, not for
    rules. max_leaf_nodes, max_depth: of the tree; rules take
    max_depth. n_synthetic: further rows to ask about: each is a row of X of which every value is exchanged, by the
    chance swap, for that of another row. test: (X, y) not learnt from, to measure on; y may be None. random_state: of
    the synthetic rows; the same seed gives the same model.

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
    check_count("n_synthetic", n_synthetic, least=0)
    teacher = _teacher(forest)
    pupil = _pupil(teacher, into, student, max_leaf_nodes, max_depth)
    dataset = teacher.encode(X)
    asked = synthetic_rows(dataset, n_synthetic, swap=swap, seed=seed_of(random_state))
    softly = teacher.classes is not None and (into == "tree" if soft is None else bool(soft))
    answered = teacher.soft_rows(asked) if softly else Rows(asked, teacher.answer(asked), None)
    model = _learnt(teacher, pupil, answered, X)
    plain = None
    if y is not None:
        same = clone(pupil)
        if "max_leaf_nodes" in same.get_params() and hasattr(model, "tree_"):
            same.set_params(max_leaf_nodes=max(2, model.get_n_leaves()))
        plain = _learnt(teacher, same, Rows(dataset, teacher.target(y, dataset.n_rows), None), X)
    tried, truth = (dataset, y) if test is None else (teacher.encode(test[0]), test[1])
    target = None if truth is None else teacher.target(truth, tried.n_rows)
    measured = _standings(teacher, model, plain, tried, target)
    return Distilled(model, plain, into, measured, test is not None, dataset.n_rows, n_synthetic)


@dataclass(frozen=True, eq=False)
class Teacher:
    """What is imitated: an estimator, or a forest without one."""

    model: Any

    @property
    def is_forest(self) -> bool:
        """Whether it is a forest without an estimator."""
        return isinstance(self.model, Forest)

    @property
    def classes(self) -> Any:
        """The names of the classes; None: numbers."""
        if not self.is_forest:
            return getattr(self.model, "classes_", None)
        return None if self.model.classes is None else np.asarray(self.model.classes)

    def has_names(self, X: Any) -> bool:
        """Whether the columns have names of their own."""
        if self.is_forest:
            return isinstance(X, Mapping) or (hasattr(X, "columns") and not isinstance(X, Dataset))
        return hasattr(self.model, "feature_names_in_")

    def encode(self, X: Any) -> Dataset:
        """Rows encoded by the schema of the forest."""
        if isinstance(X, Dataset):
            return X
        return encode_like(X, self.model.schema) if self.is_forest else self.model._encode_rows(X)

    def target(self, y: Any, n_rows: int) -> ClassTarget | Floats:
        """The encoded target of some rows."""
        if isinstance(y, ClassTarget):
            return y
        if self.is_forest:
            return encode_numbers(y) if self.classes is None else encode_known_classes(y, self.classes)
        return target_of(self.model, y, n_rows)

    def answer(self, dataset: Dataset) -> ClassTarget | Floats:
        """The forest's answers as a target to learn."""
        if self.is_forest:
            shares = forest_distribution(self.model, dataset)[0]
            return shares[:, 0] if self.classes is None else _codes(self.classes, label_codes(shares))
        if self.classes is None:
            return np.ascontiguousarray(answers_of(self.model, dataset)[:, 0])
        return _codes(self.classes, labels_of(self.model, dataset))

    def soft_rows(self, dataset: Dataset) -> Rows:
        """Every row once for each class that the forest gives a share, with the share as its weight."""
        shares = forest_distribution(self.model, dataset)[0] if self.is_forest else answers_of(self.model, dataset)
        rows, labels = np.nonzero(shares > 0)
        return Rows(dataset.take(rows), _codes(self.classes, labels), np.ascontiguousarray(shares[rows, labels]))

    def size(self) -> str:
        """How large it is, in words."""
        if self.is_forest or isinstance(self.model, ForestEstimator):
            forest = self.model if self.is_forest else self.model.forest_
            return f"{len(forest):,} {'trees' if isinstance(forest, Forest) else 'rule lists'}"
        return _size(self.model)


def _codes(classes: Any, labels: Any) -> ClassTarget:
    return ClassTarget(classes, np.ascontiguousarray(labels, dtype=np.int32))


def _teacher(forest: Any) -> Teacher:
    return Teacher(forest if isinstance(forest, Forest) else checked_model(forest))


def _pupil(teacher: Teacher, into: str, student: Any, max_leaf_nodes: int | None, max_depth: int | None) -> Any:
    """An estimator, not fitted, of the kind that is asked for."""
    if student is not None:
        right = isinstance(student, TreeEstimator if into == "tree" else RuleLearner)
        if not right or isinstance(student, TreeClassifier | RuleLearner) == (teacher.classes is None):
            what = "tree" if into == "tree" else "rule"
            refuse("student", student, f"a {what} estimator of quercus for what the forest answers, or None")
        return clone(student)
    if into == "rules":
        if teacher.classes is None:
            raise ParameterError("into='rules' is for classes; this forest answers numbers: give into='tree'.")
        return C45RulesClassifier(max_depth=max_depth)
    kind: Any = CARTRegressor if teacher.classes is None else CARTClassifier
    return kind(max_leaf_nodes=max_leaf_nodes, max_depth=max_depth)


def _learnt(teacher: Teacher, pupil: Any, rows: Rows, X: Any) -> Any:
    """A pupil fitted to encoded rows, with the names that the forest learnt."""
    pupil._check_parameters()
    schema, classes = rows.dataset.schema, teacher.classes
    costs = None if classes is None else read_cost_matrix(getattr(pupil, "cost_matrix", None), classes.tolist())
    jobs = effective_n_jobs(getattr(pupil, "n_jobs", None))
    plan = Plan(pupil, rows, Sampling(bootstrap="no"), 0, costs, jobs)
    made = made_c45_rules(plan, rows) if isinstance(pupil, C45RulesClassifier) else None
    learnt = SimpleNamespace(
        forest_=make_members(plan, 0, 1, lambda done, total: None) if made is None else Committee((made.rules_,)),
        _fitted_member=pupil,
        recipe_=plan.recipe() if isinstance(pupil, TreeEstimator) else None,
        schema_=schema,
        n_features_in_=len(schema),
    )
    if teacher.has_names(X):
        learnt.feature_names_in_ = np.array(schema.names, dtype=object)
    if classes is not None:
        learnt.classes_ = classes
    model = Members(learnt)[0]
    if made is not None:  # the tree that the rules were made from belongs to the model
        model.tree_, model.recipe_ = made.tree_, made.recipe_
    return model


def _standings(teacher: Teacher, model: Any, plain: Any, dataset: Dataset, target: Any) -> tuple[Standing, ...]:
    said = teacher.answer(dataset)
    found = [Standing("forest", teacher.size(), _alike(said, target), 1.0)]
    for name, one in (("distilled", model), ("plain", plain)):
        if one is not None:
            mine = Teacher(one).answer(dataset)
            fidelity = _alike(mine, said)
            assert fidelity is not None
            found.append(Standing(name, _size(one), _alike(mine, target), fidelity))
    return tuple(found)


def _alike(answers: Any, target: Any) -> float | None:
    """The share of equal classes, or R² of numbers."""
    if target is None:
        return None
    if isinstance(target, ClassTarget):
        return float(np.mean(answers.codes == target.codes))
    away, spread = np.mean((answers - target) ** 2), np.var(target)
    return float(1.0 - away / spread) if spread > 0 else float(away == 0)


def _size(model: Any) -> str:
    if isinstance(model, TreeEstimator):
        return f"{model.get_n_leaves():,} leaves"
    return f"{len(model.rules_):,} rules"
