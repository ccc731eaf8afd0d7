"""A kind of target: the payload of a node, the answer made from it, the cost of a wrong answer, and the words.

A kind is one file of this room and one line of ``table.py``; CONTRIBUTING.md lists what else a new one needs.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Array, Floats
from quercus.data.target import ClassTarget
from quercus.errors import DataError, ParameterError
from quercus.targets.payload import Choice, Goal, Layout
from quercus.targets.telling import Telling


class TargetKind(Telling):
    """A kind of target.

    name: in model files. task: what learning it is called. has_shares: whether an answer is a share for each of some
    classes, one of which is chosen; else it is computed. leaf_table: whether the leaves of a packed tree have their
    answers in a table, one row for each; else a leaf has its one number itself. in_rules: whether rules can answer it.
    sums_tell_losses: whether ``tally_losses`` can be told, or losses need the rows. in_forests: whether packed trees
    can be asked together.
    classes: the names of the classes; None: numbers are predicted.

    The *answers* of nodes and rows are arrays [n, width]: class shares, or numbers; what is *chosen* by them is the
    position of one class, or one number.
    """

    name: ClassVar[str]
    task: ClassVar[str]
    has_shares: ClassVar[bool] = False
    leaf_table: ClassVar[bool] = True
    in_rules: ClassVar[bool] = True
    sums_tell_losses: ClassVar[bool] = True
    in_forests: ClassVar[bool] = True

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The names of the classes; None: numbers are predicted."""
        return None

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels of the quantiles that are predicted; empty if no quantiles are predicted."""
        return ()

    @property
    def class_array(self) -> Array | None:
        """The classes as an array; None: there are none."""
        return None

    @property
    def class_texts(self) -> list[str] | None:
        """The classes as texts and pictures write them; None: there are none."""
        return None

    @property
    def n_classes(self) -> int:
        """The number of classes; 0: numbers are predicted."""
        return len(self.classes or ())

    @property
    @abstractmethod
    def layout(self) -> Layout:
        """The columns of a tree's ``value``."""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many numbers an answer has."""

    @property
    @abstractmethod
    def noun(self) -> str:
        """What is answered, in words: ``2 classes`` or ``numbers``."""

    @property
    def title(self) -> str:
        """The words for the target in the line of a tree or a forest."""
        return self.noun

    def to_json(self) -> dict[str, Any]:
        """The kind in the dictionaries of trees and models; ``kind_from_json`` reads it."""
        return {"classes": None}

    @classmethod
    @abstractmethod
    def read(cls, data: Mapping[str, Any], classes: Sequence[Any] | Array | None) -> TargetKind | None:
        """The kind from its dictionary form; None: it is another kind. classes: as they were read."""

    # From a node to its answer

    @abstractmethod
    def node_answers(self, value: Floats, source: Array, case: float | None, added: ArrayLike = 0.0) -> Floats:
        """What each node answers [nodes, width].

        value: of all nodes. source: the node that speaks for each node: itself, or for one without examples the nearest
        one above that has some. case: what one example weighs, if a node without examples answers the most common class
        above it as if it had one example of it; None: it answers as the node above. added: what smoothing adds to the
        class weights.
        """

    def smoothing(self, smoothing: Any) -> tuple[bool, float | None]:
        """How class shares are smoothed, as the arguments ``laplace`` and ``m_estimate`` of a tree; numbers are not."""
        return False, None

    @abstractmethod
    def chosen(self, answers: Floats, costs: ArrayLike | None = None, threshold: float | None = None) -> NDArray[Any]:
        """The one class (by position) or number that each row of answers comes down to.

        costs, threshold: as of :func:`quercus.predict.label_codes`.
        """

    def ballots(self, chosen: NDArray[Any]) -> Floats:
        """The chosen answers as votes [n, width]: 1 for the class; numbers vote for themselves."""
        return np.asarray(chosen, dtype=np.float64)[:, None]

    def votes(self, answers: Floats) -> Floats:
        """Each row of answers as a vote: 1 for the class that is chosen; numbers stay as they are."""
        return answers

    @abstractmethod
    def label(self, chosen: Any) -> Any:
        """The class, or the number, that was chosen."""

    def position(self, label: Any) -> int:
        """The column of an answer that belongs to a class; for numbers, the column of the chosen one."""
        return 0

    @property
    def middle(self) -> int:
        """The column of an answer that stands for all columns."""
        return 0

    def class_weights(self, value: Floats) -> Floats | None:
        """The weight of each class at a node; None: there are no classes."""
        return None

    def spread(self, value: Floats, weight: ArrayLike) -> Floats | None:
        """The standard deviation of the numbers of each node, 0 if there are none; None: the target has classes."""
        return None

    def interval(self, value: Floats, weight: ArrayLike) -> Floats | None:
        """Low end, mark and high end of the bar that pictures a node of numbers [..., 3]; None: classes have parts."""
        return None

    @property
    def interval_name(self) -> str:
        """The name of what these bars show."""
        return ""

    def caution(self, value: Floats, count: Array, weight: Floats) -> str | None:
        """What to be warned of in the leaves of a model; None: nothing.

        value, count, weight: what the leaves keep, their rows, and what these weigh.
        """
        return None

    @abstractmethod
    def joined(self, value: Floats, weight: Floats) -> Floats:
        """The columns of a node that holds the examples of several; the last axes of value are [nodes, columns]."""

    # What a rule answers

    @abstractmethod
    def checked_choice(self, chosen: Any, name: str) -> Any:
        """The answer of a rule: the position of a class, or a number; checked. name: of the parameter."""

    @abstractmethod
    def choice_of(self, label: Any) -> Any:
        """The position of a class by its name; a number as it is."""

    @abstractmethod
    def rule_answer(self, chosen: Any, class_weights: Sequence[float] | None, share: float) -> Floats:
        """The answer [width] of a rule: the shares of its class weights, or a share for its class; its number.

        chosen: what the rule answers. share: the rest is for the other classes in equal parts.
        """

    @abstractmethod
    def rule_figure(self, precision: float, spread: float | None) -> str:
        """The figure that shows how good a rule is: ``0.86`` or ``± 2.5``."""

    @abstractmethod
    def vote_strength(self, covered: float, precision: float) -> float:
        """How much the vote of a rule counts."""

    @abstractmethod
    def voted(self, answers: Floats, default: Any) -> NDArray[Any]:
        """The answer that is chosen by votes; tied classes: the default, else the first."""

    @abstractmethod
    def supports(self, consequents: NDArray[Any], chosen: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether each rule votes for the answer that is chosen for each row [rows, rules]."""

    # What is true

    @abstractmethod
    def encode(self, y: Any, new_classes: bool = False, classes: Array | None = None) -> ClassTarget | Floats:
        """Labels or numbers as a target.

        new_classes: labels that are no class get places behind the classes. classes: the same as an array, whose type
        the target keeps.
        """

    @abstractmethod
    def truth(self, target: ClassTarget | ArrayLike, n_rows: int | None = None, whose: str = "tree") -> NDArray[Any]:
        """A target as positions of classes, or as numbers; refused if it is of another kind or length.

        n_rows: how many there must be; None: any number. whose: in messages, what has this kind of target.
        """

    def aligned(self, target: ClassTarget | ArrayLike) -> ClassTarget | ArrayLike:
        """A target with its classes in the order of this kind; numbers as they are."""
        return target

    @abstractmethod
    def losses(
        self, answers: Floats, truth: NDArray[Any], costs: Floats | None = None, threshold: float | None = None
    ) -> Floats:
        """The loss of each row of answers, by the true values."""

    @abstractmethod
    def loss_unit(self, costs: Any = None) -> str:
        """The name of the losses: "errors", "cost" or "squared error"."""

    def measure_name(self, costs: Any = None) -> str:
        """The name of the mean loss; "accuracy" is 1 minus the mean loss."""
        unit = self.loss_unit(costs)
        return "accuracy" if unit == "errors" else f"mean {unit}"

    @abstractmethod
    def tally_losses(self, sums: Floats, chosen: NDArray[Any], costs: Floats | None = None) -> Floats:
        """The loss of the rows at each node, if all get the answer chosen there; sums: as of ``tallied``."""

    @abstractmethod
    def gain_tie(self, value: Floats, weight: Floats) -> Floats | float:
        """The tolerance at each node within which gains are tied; as in growing."""

    @abstractmethod
    def node_losses(self, value: Floats, costs: ArrayLike | None = None) -> Floats:
        """The loss of the training examples of each node, if the node is a leaf."""

    @abstractmethod
    def impurities(self, value: Floats, criterion: str) -> Floats:
        """Weight times impurity of each node by a criterion; refused if it cannot be found from the values."""

    def keeps_impurity(self, criterion: str) -> bool:
        """Whether ``impurities`` can compute a criterion."""
        return True

    @abstractmethod
    def constant_loss(self, truth: NDArray[Any], weights: Floats, costs: Floats | None = None) -> float:
        """The mean loss of the best constant answer."""

    @abstractmethod
    def score(self, chosen: NDArray[Any], truth: NDArray[Any], weights: Floats) -> float:
        """The score of estimators: the accuracy, or R²; NaN where there is none."""

    @property
    @abstractmethod
    def score_name(self) -> str:
        """The name of that score."""

    def named(self, chosen: NDArray[Any], classes: Array | None) -> NDArray[Any]:
        """The chosen answers by name. classes: the names in their order; numbers have none and stay as they are."""
        return chosen

    @property
    @abstractmethod
    def answer_names(self) -> tuple[Any, ...]:
        """The name of each number of an answer: the class, the quantile, or ``answer``."""

    @property
    @abstractmethod
    def scales(self) -> tuple[str, ...]:
        """The scales on which reasons are measured, the usual one first."""

    @abstractmethod
    def asked_column(self, label: Any) -> int:
        """The column of an answer that tells of the class or the level asked for; None: the one that is usual."""

    def is_unlikely(self, shares: Sequence[float] | Floats, chosen: Any, tie: float = 0.0) -> bool:
        """Whether another class has a larger share than the chosen one; False for numbers."""
        return False

    @abstractmethod
    def choice(
        self,
        shares: Floats,
        plain: Floats,
        smoothing: Any = None,
        cost_matrix: ArrayLike | None = None,
        decision_threshold: float | None = None,
    ) -> Choice:
        """How the answer to ``shares`` was chosen. plain: the shares without smoothing."""

    @abstractmethod
    def goal(self, now: Any, target: Any, above: float | None, below: float | None) -> Goal:
        """The answers that are wanted instead of the present one: some classes, or numbers between two bounds."""

    @property
    @abstractmethod
    def goal_names(self) -> tuple[str, ...]:
        """The names of the arguments of ``goal``."""

    def share_of(self, answer: Sequence[float], chosen: Any) -> float | None:
        """The share of the class that is chosen; None: there are no classes."""
        return None

    def expected(self, answers: Floats) -> Floats:
        """The mean of the target by these answers: class shares, or one number [n, 1]."""
        return answers

    @abstractmethod
    def tallied(self, sums: Floats) -> tuple[Floats, Floats]:
        """The weight at each node, and what adds up there to the average; sums: of :func:`quercus.predict.tally`."""

    def output_names(self, text: Callable[[Any], str]) -> list[str]:
        """The columns that an export answers: ``value``, or ``label`` and the share of each class. text: of a class."""
        return ["value"]

    # Refusals

    def need_classes(self, message: str) -> tuple[Any, ...]:
        """The classes; a kind without any is refused."""
        raise ParameterError(message)

    def need_numbers(self, message: str) -> None:
        """Refuse a kind that does not answer numbers."""
        if self.has_shares:
            raise ParameterError(message)

    def need_rules(self) -> None:
        """Refuse a kind that rules cannot answer."""
        if not self.in_rules:
            raise ParameterError(
                f"A rule answers one class or one number; this tree predicts {self.noun}. Print the tree instead."
            )

    def refuse_costs(self, cost_matrix: Any, who: str = "tree predicts") -> None:
        """Refuse a cost matrix where there are no classes."""
        if cost_matrix is not None and not self.has_shares:
            raise ParameterError(f"cost_matrix prices classes, but this {who} numbers. Leave it out.")


class OfTask(ABC):
    """Something that is for one task: a recipe, scores, or what has a kind of target."""

    @property
    @abstractmethod
    def task(self) -> str:
        """The task, as kinds of target name it: "classification" or "regression"."""

    @property
    def is_regression(self) -> bool:
        """Whether numbers are answered."""
        return self.task == "regression"


class OfTarget(OfTask):
    """Something that has a kind of target: a tree, a forest, a rule or a list of rules."""

    @property
    def task(self) -> str:
        """The task of the kind of target."""
        kind: TargetKind = self.target_kind  # type: ignore[attr-defined]
        return kind.task


def refused_target(whose: str) -> DataError:
    """The error for a target of another kind."""
    return DataError(f"The target does not fit the {whose}: classes need encode_classes(y), numbers an array.")


def checked_length(truth: Array, n_rows: int | None) -> Array:
    """The true values of rows, if there is one for each row."""
    if n_rows is not None and truth.shape != (n_rows,):
        raise DataError(f"The target has {truth.size} entries, but there are {n_rows} rows: give one for each.")
    return truth


def weighted_mean(numbers: Floats, weights: Floats) -> float:
    """The mean by weights; NaN if there is no weight."""
    total = float(weights.sum())
    return float((numbers * weights).sum()) / total if total > 0 else math.nan
