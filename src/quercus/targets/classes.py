"""Classes as the target: a node keeps the weight of each class and answers class shares; one class is chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Array, Floats
from quercus.criteria import CLASS_CRITERIA
from quercus.data.names import (
    counted,
    quoted_value,
)
from quercus.data.rows import encode_known_classes
from quercus.data.target import ClassTarget
from quercus.data.values import plain_value, value_key, value_text, value_to_json
from quercus.errors import DataError, ParameterError, shorten, shown_list
from quercus.targets.class_telling import ClassTelling
from quercus.targets.class_words import class_choice, read_smoothing
from quercus.targets.kind import TargetKind, checked_length, refused_target, weighted_mean
from quercus.targets.labels import TIE, checked_costs, label_codes
from quercus.targets.payload import Choice, Goal, Layout


@dataclass(frozen=True)
class Classes(ClassTelling):
    """One of some classes for each row. labels: their names, as plain Python values.

    >>> kind = Classes(("No", "Yes"))
    >>> kind.noun, kind.chosen(np.array([[0.25, 0.75]])), kind.label(1)
    ('2 classes', array([1]), 'Yes')
    >>> kind.words().short(np.array([1.0, 3.0]), 4.0, 1)
    '4: 3 Yes, 1 No'
    """

    labels: tuple[Any, ...]

    name = "classes"
    task = "classification"
    has_shares = True

    def __post_init__(self) -> None:
        """Refuse no class, and one class twice."""
        if not self.labels or len({value_key(label) for label in self.labels}) < len(self.labels):
            raise DataError(
                f"classes is {shorten(self.labels)}; a classification tree needs at least one class and none twice, a "
                f"regression tree classes=None."
            )

    @classmethod
    def read(cls, data: Mapping[str, Any], classes: Sequence[Any] | Array | None) -> TargetKind | None:
        """The kind ``Classes``, if there are classes."""
        return None if classes is None else shared_classes(classes)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The names of the classes."""
        return self.labels

    @property
    def class_array(self) -> Array:
        """The names of the classes, as objects."""
        names = np.empty(len(self.labels), dtype=object)
        names[:] = self.labels
        return names

    def to_json(self) -> dict[str, Any]:
        """The names of the classes."""
        return {"classes": [value_to_json(label) for label in self.labels]}

    @cached_property
    def layout(self) -> Layout:
        """One column for each class: its weight."""
        names = tuple(value_text(label) for label in self.labels)
        return Layout(names, 0, len(names), "one column per class")

    @property
    def width(self) -> int:
        """An answer has one share for each class."""
        return len(self.labels)

    @property
    def noun(self) -> str:
        """The number of classes: ``2 classes``."""
        return counted(len(self.labels), "class", "classes")

    def node_counts(self, value: Floats, source: Array, case: float | None) -> Floats:
        """The class weights that each node answers from; parameters as of ``node_answers``."""
        counts = np.array(value[source])
        if case is not None:
            borrowed = np.flatnonzero(source != np.arange(len(source)))
            majority = value[source[borrowed]].argmax(axis=1)
            counts[borrowed] = 0.0
            counts[borrowed, majority] = case
        return counts

    def node_weights(self, value: Floats, source: Array, case: float | None, added: ArrayLike = 0.0) -> Floats:
        """The same plus what smoothing adds; all 1 if there is no weight."""
        counts = self.node_counts(value, source, case) + np.asarray(added, dtype=np.float64)
        counts[counts.sum(axis=1) <= 0] = 1.0
        return counts

    def node_answers(self, value: Floats, source: Array, case: float | None, added: ArrayLike = 0.0) -> Floats:
        r"""Class shares of each node, :math:`(c_j + a_j) / \sum_i (c_i + a_i)`; equal shares if there is no weight."""
        counts = self.node_weights(value, source, case, added)
        counts /= counts.sum(axis=1, keepdims=True)
        return counts

    def smoothing(self, smoothing: Any) -> tuple[bool, float | None]:
        """The smoothing as the arguments ``laplace`` and ``m_estimate`` of a tree."""
        return read_smoothing(smoothing)

    def chosen(self, answers: Floats, costs: ArrayLike | None = None, threshold: float | None = None) -> NDArray[Any]:
        """The position of the class to answer: the most likely, of least expected cost, or by the threshold."""
        return label_codes(answers, costs, threshold)

    def votes(self, answers: Floats) -> Floats:
        """1 for the most likely class, 0 for the others."""
        return self.ballots(label_codes(answers))

    def ballots(self, chosen: NDArray[Any]) -> Floats:
        """1 for the class that is chosen, 0 for the others."""
        return np.asarray(np.eye(self.width)[chosen])

    def label(self, chosen: Any) -> Any:
        """The class at a position."""
        return self.labels[int(chosen)]

    def class_weights(self, value: Floats) -> Floats:
        """All columns of a node."""
        return value

    def joined(self, value: Floats, weight: Floats) -> Floats:
        """The sums of the class weights."""
        return np.asarray(value.sum(axis=-2))

    def position(self, label: Any) -> int:
        """The position of a class."""
        place = self._place(label)
        if place is None:
            raise ParameterError(f"{label!r} is no class; there are {shown_list(self.labels)}.")
        return place

    def _place(self, label: Any) -> int | None:
        key = value_key(plain_value(label))
        return next((place for place, name in enumerate(self.labels) if value_key(name) == key), None)

    def checked_choice(self, chosen: Any, name: str) -> int:
        """The position of a class, checked."""
        if not 0 <= chosen < self.width or int(chosen) != chosen:
            raise ParameterError(f"{name} is {chosen!r}, but must be the position of a class, 0 … {self.width - 1}.")
        return int(chosen)

    def choice_of(self, label: Any) -> int:
        """The position of a class by its name."""
        place = self._place(label)
        if place is None:
            raise ParameterError(f"{shorten(label)} is no class; the classes are {shown_list(self.labels)}.")
        return place

    def rule_answer(self, chosen: Any, class_weights: Sequence[float] | None, share: float) -> Floats:
        """The shares of the class weights, if there are any; else the share, and equal parts for the other classes."""
        if class_weights is not None and sum(class_weights) > 0:
            weights = np.asarray(class_weights, dtype=np.float64)
            return np.asarray(weights / weights.sum())
        own = share if self.width > 1 else 1.0
        shares = np.full(self.width, (1.0 - own) / max(self.width - 1, 1))
        shares[int(chosen)] = own
        return shares

    def rule_figure(self, precision: float, spread: float | None) -> str:
        """The precision of the rule."""
        return f"{precision:.2f}"

    def vote_strength(self, covered: float, precision: float) -> float:
        """The precision of the rule; 0 if it is not known."""
        return 0.0 if math.isnan(precision) else precision

    def voted(self, answers: Floats, default: Any) -> NDArray[Any]:
        """The class with the most votes; among ties the default, else the first.

        >>> Classes((0, 1, 2)).voted(np.array([[0.5, 0.5, 0.0], [0.4, 0.2, 0.4]]), default=1)
        array([1, 0])
        """
        codes = np.asarray(label_codes(answers), dtype=np.int64)
        codes[answers[:, default] >= answers.max(axis=1) - TIE] = default
        return codes

    def supports(self, consequents: NDArray[Any], chosen: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether each rule names the class."""
        return np.asarray(consequents == chosen[:, None])

    def encode(self, y: Any, new_classes: bool = False, classes: Array | None = None) -> ClassTarget:
        """Labels as positions in these classes."""
        return encode_known_classes(y, self.labels if classes is None else classes, new_classes)

    def truth(self, target: ClassTarget | ArrayLike, n_rows: int | None = None, whose: str = "tree") -> NDArray[Any]:
        """The target's codes as positions in these classes; it may lack some of them or order them otherwise."""
        if not isinstance(target, ClassTarget):
            raise refused_target(whose)
        return checked_length(self._codes(target, whose), n_rows)

    def _codes(self, target: ClassTarget, whose: str) -> NDArray[np.int32]:
        codes = np.ascontiguousarray(target.codes, dtype=np.int32)
        positions = {value_key(label): position for position, label in enumerate(self.labels)}
        places = [positions.get(value_key(plain_value(label)), -1) for label in target.classes]
        if places == list(range(len(self.labels))) or not places:
            return codes
        translated: NDArray[np.int32] = np.array(places, dtype=np.int32)[codes]
        if (translated < 0).any():
            strange = target.classes[codes[int(np.argmax(translated < 0))]]
            raise DataError(
                f"The target has the class {strange!r}, which the {whose} does not know: {shown_list(self.labels)}."
            )
        return translated

    def aligned(self, target: ClassTarget | ArrayLike) -> ClassTarget | ArrayLike:
        """The target with its classes in this order."""
        return ClassTarget(self.class_array, self.truth(target)) if isinstance(target, ClassTarget) else target

    def need_classes(self, message: str) -> tuple[Any, ...]:
        """The names of the classes."""
        return self.labels

    def losses(
        self, answers: Floats, truth: NDArray[Any], costs: Floats | None = None, threshold: float | None = None
    ) -> Floats:
        """1 for a wrong class and 0 for the right one; with costs L(i, j), the cost of the answer j where i is true."""
        chosen = self.chosen(answers, costs, threshold)
        return np.asarray(chosen != truth, dtype=np.float64) if costs is None else np.asarray(costs[truth, chosen])

    def loss_unit(self, costs: Any = None) -> str:
        """The losses are errors, or cost if there are costs."""
        return "errors" if costs is None else "cost"

    def tally_losses(self, sums: Floats, chosen: NDArray[Any], costs: Floats | None = None) -> Floats:
        """The weight of the other classes, or the cost of the answer for all rows."""
        each = 1.0 - np.eye(self.width) if costs is None else costs
        return np.asarray((sums * each.T[chosen]).sum(axis=1))

    def gain_tie(self, value: Floats, weight: Floats) -> float:
        """The same tolerance at all nodes."""
        return 1e-12

    def node_losses(self, value: Floats, costs: ArrayLike | None = None) -> Floats:
        """The weight of the other classes; with costs, the cost of the cheapest class for all examples of a node."""
        if costs is None:
            return np.asarray(value.sum(axis=1) - value.max(axis=1))
        return np.asarray((value @ checked_costs(costs, self.width, negative=False)).min(axis=1))

    def impurities(self, value: Floats, criterion: str) -> Floats:
        """The impurity by a criterion for classes; entropy in bits."""
        if not self.keeps_impurity(criterion):
            raise ParameterError(
                f"risk='impurity' knows {', '.join(CLASS_CRITERIA)}, but the tree's criterion is {criterion!r}. "
                "Use risk='error'."
            )
        return np.asarray(value.sum(axis=1) * CLASS_CRITERIA[criterion].impurity(value))

    def keeps_impurity(self, criterion: str) -> bool:
        """True for the criteria of the table: a tree does not hold a function that the user wrote."""
        return criterion in CLASS_CRITERIA

    def constant_loss(self, truth: NDArray[Any], weights: Floats, costs: Floats | None = None) -> float:
        """The share of the other classes; with costs, the mean cost of the cheapest class."""
        totals = np.bincount(truth, weights=weights, minlength=self.width)
        each = 1.0 - np.eye(self.width) if costs is None else costs
        return float((totals @ each).min() / totals.sum())

    def score(self, chosen: NDArray[Any], truth: NDArray[Any], weights: Floats) -> float:
        """The share of right answers."""
        return weighted_mean((chosen == truth).astype(np.float64), weights)

    @property
    def score_name(self) -> str:
        """The score is the accuracy."""
        return "accuracy"

    def named(self, chosen: NDArray[Any], classes: Array | None) -> NDArray[Any]:
        """The classes at these positions."""
        return np.asarray((self.class_array if classes is None else classes)[chosen])

    def output_names(self, text: Callable[[Any], str]) -> list[str]:
        """The label, and the share ``p_…`` of each class.

        >>> Classes(("No", "Yes")).output_names(str.lower)
        ['label', 'p_no', 'p_yes']
        """
        return ["label", *(f"p_{text(label)}" for label in self.labels)]

    @property
    def answer_names(self) -> tuple[Any, ...]:
        """The names of the classes."""
        return self.labels

    @property
    def scales(self) -> tuple[str, ...]:
        """Reasons are measured in shares or in their logarithms."""
        return ("share", "log_odds")

    def asked_column(self, label: Any) -> int:
        """The position of the class; by default the second of two classes."""
        if label is None and len(self.labels) == 2:
            return 1
        if label not in self.labels:
            raise ParameterError(f"label={label!r} is not allowed; give one of the classes {self.labels!r}.")
        return self.labels.index(label)

    def is_unlikely(self, shares: Sequence[float] | Floats, chosen: Any, tie: float = 0.0) -> bool:
        """Whether another class has a larger share."""
        return bool(shares[int(chosen)] < max(shares) - tie)

    def choice(
        self,
        shares: Floats,
        plain: Floats,
        smoothing: Any = None,
        cost_matrix: ArrayLike | None = None,
        decision_threshold: float | None = None,
    ) -> Choice:
        """How the class was chosen: by the largest share, the least cost or the threshold."""
        return class_choice(self.class_texts, shares, plain, smoothing, cost_matrix, decision_threshold)

    def goal(self, now: Any, target: Any, above: float | None, below: float | None) -> Goal:
        """The class that is wanted, or one of several; if none is named, any class other than the present one."""
        if above is not None or below is not None:
            raise ParameterError("above and below are for models that answer numbers; here give target=, a class.")
        if target is None:
            return Goal(lambda code: int(code) != int(now), "another class")
        codes = []
        for label in target if isinstance(target, list | tuple | set | frozenset) else [target]:
            place = self._place(label)
            if place is None:
                raise ParameterError(f"target has {shorten(label)}, which is no class: {shown_list(self.labels)}.")
            codes.append(place)
        return Goal(lambda code: int(code) in codes, " or ".join(quoted_value(self.labels[code]) for code in codes))

    @property
    def goal_names(self) -> tuple[str, ...]:
        """The argument ``target`` names the class."""
        return ("target",)

    def share_of(self, answer: Sequence[float], chosen: Any) -> float:
        """The share of the chosen class."""
        return float(answer[int(chosen)])

    def tallied(self, sums: Floats) -> tuple[Floats, Floats]:
        """The weight of all classes together, and of each."""
        return np.asarray(sums.sum(axis=1)), sums


#: The kinds of classes in use, by the identity of their labels: all rules of a list share one.
_SHARED: WeakValueDictionary[int, Classes] = WeakValueDictionary()


def shared_classes(labels: Sequence[Any] | Array) -> Classes:
    """The kind of these classes; the same one for the same tuple of plain labels.

    >>> labels = ("No", "Yes")
    >>> shared_classes(labels) is shared_classes(labels)
    True
    """
    kind = _SHARED.get(id(labels))
    if kind is not None and kind.labels is labels:
        return kind
    plain = tuple(plain_value(label) for label in labels)
    if not isinstance(labels, tuple) or any(one is not other for one, other in zip(labels, plain, strict=True)):
        return Classes(plain)
    kind = _SHARED[id(labels)] = Classes(labels)
    return kind
