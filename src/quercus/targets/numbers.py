"""Numbers as the target: a node keeps its prediction, the mean and the squared deviations; a leaf answers a number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Array, Floats
from quercus.data.names import counted, short_number, significant
from quercus.data.target import ClassTarget, encode_numbers
from quercus.errors import ParameterError
from quercus.targets.kind import TargetKind, checked_length, refused_target, weighted_mean
from quercus.targets.payload import Choice, Goal, Layout, Shading, Words

_LAYOUT = Layout(("prediction", "mean", "squared_deviations"), 1, 1, "prediction, mean, squared deviations")


@dataclass(frozen=True)
class Numbers(TargetKind):
    """One number for each row. A leaf answers the mean or the median of its rows, and errors are squared.

    >>> kind = Numbers()
    >>> kind.losses(np.array([[2.0], [5.0]]), np.array([3.0, 5.0]))
    array([1., 0.])
    >>> kind.words().short(np.array([7.0, 7.0, 25.0]), 4.0, 7.0)
    'n = 4, spread 2.5'
    """

    name = "numbers"
    task = "regression"
    leaf_table = False

    @classmethod
    def read(cls, data: Mapping[str, Any], classes: Sequence[Any] | Array | None) -> TargetKind | None:
        """The kind ``Numbers``, if there are no classes."""
        return Numbers() if classes is None else None

    @property
    def layout(self) -> Layout:
        """Three columns: prediction, mean and squared deviations."""
        return _LAYOUT

    @property
    def width(self) -> int:
        """An answer has one number."""
        return self.layout.n_answers

    @property
    def noun(self) -> str:
        """The word "numbers"."""
        return "numbers"

    @property
    def title(self) -> str:
        """The words for the line of a tree."""
        return "regression"

    def node_answers(self, value: Floats, source: Array, case: float | None, added: ArrayLike = 0.0) -> Floats:
        """The prediction of each node, or of the node above that answers for it."""
        return np.array(self.layout.answers(value[source]))

    def chosen(self, answers: Floats, costs: ArrayLike | None = None, threshold: float | None = None) -> NDArray[Any]:
        """The number that is answered."""
        return np.ascontiguousarray(answers[..., 0])

    def label(self, chosen: Any) -> float:
        """The number itself."""
        return float(chosen)

    def joined(self, value: Floats, weight: Floats) -> Floats:
        """The mean of all numbers, which is also their answer, and the squared deviations from it."""
        total = np.maximum(weight.sum(axis=-1), 1e-300)
        means, squares = self.layout.column(value, "mean"), self.layout.column(value, "squared_deviations")
        mean = (weight * means).sum(axis=-1) / total
        apart = weight * (means - mean[..., None]) ** 2
        return np.stack([mean, mean, (squares + apart).sum(axis=-1)], axis=-1)

    def checked_choice(self, chosen: Any, name: str) -> float:
        """The number of a rule, checked."""
        return float(chosen)

    def choice_of(self, label: Any) -> float:
        """The number itself."""
        return float(label)

    def rule_answer(self, chosen: Any, class_weights: Sequence[float] | None, share: float) -> Floats:
        """An answer that holds only the number."""
        return np.array([chosen])

    def rule_figure(self, precision: float, spread: float | None) -> str:
        """The spread of the rule."""
        return f"± {significant(spread or 0.0)}"

    def vote_strength(self, covered: float, precision: float) -> float:
        """The weight that the rule covers."""
        return max(covered, 0.0)

    def voted(self, answers: Floats, default: Any) -> NDArray[Any]:
        """The mean of the votes."""
        return self.chosen(answers)

    def supports(self, consequents: NDArray[Any], chosen: NDArray[Any]) -> NDArray[np.bool_]:
        """True for every rule, since the answer is the mean of all."""
        return np.ones((len(chosen), len(consequents)), dtype=np.bool_)

    def encode(self, y: Any, new_classes: bool = False, classes: Array | None = None) -> Floats:
        """The numbers as a target; every one must be finite."""
        return encode_numbers(y)

    def truth(self, target: ClassTarget | ArrayLike, n_rows: int | None = None, whose: str = "tree") -> NDArray[Any]:
        """The numbers of a target, checked."""
        if isinstance(target, ClassTarget):
            raise refused_target(whose)
        return checked_length(np.ascontiguousarray(target, dtype=np.float64), n_rows)

    def losses(
        self, answers: Floats, truth: NDArray[Any], costs: Floats | None = None, threshold: float | None = None
    ) -> Floats:
        """The squared error of each answer."""
        return np.asarray((truth - answers[:, 0]) ** 2)

    def loss_unit(self, costs: Any = None) -> str:
        """The losses are squared errors."""
        return "squared error"

    def tally_losses(self, sums: Floats, chosen: NDArray[Any], costs: Floats | None = None) -> Floats:
        """The squared deviations from the chosen number, computed from those from the mean."""
        return np.asarray(np.where(sums[:, 0] > 0, sums[:, 2] + sums[:, 0] * (sums[:, 1] - chosen) ** 2, 0.0))

    def gain_tie(self, value: Floats, weight: Floats) -> Floats:
        """A tolerance that is a small part of the impurity."""
        return np.asarray(1e-10 * self.node_losses(value) / np.where(weight > 0, weight, 1.0))

    def node_losses(self, value: Floats, costs: ArrayLike | None = None) -> Floats:
        """The squared deviations from the mean, for any answer: the tree keeps no others."""
        return np.ascontiguousarray(self.layout.column(value, "squared_deviations"))

    def impurities(self, value: Floats, criterion: str) -> Floats:
        """The squared deviations, if the criterion is the squared error."""
        if not self.keeps_impurity(criterion):
            raise ParameterError(
                f"risk='impurity' needs the {criterion} of every node, but a tree keeps squared deviations only. "
                "Use risk='error', the squared error."
            )
        return self.node_losses(value)

    def keeps_impurity(self, criterion: str) -> bool:
        """True for the squared error alone."""
        return criterion == "squared_error"

    def constant_loss(self, truth: NDArray[Any], weights: Floats, costs: Floats | None = None) -> float:
        """The variance, since the mean is the best constant answer."""
        return weighted_mean((truth - weighted_mean(truth, weights)) ** 2, weights)

    def score(self, chosen: NDArray[Any], truth: NDArray[Any], weights: Floats) -> float:
        """R², the share of the variance that is explained; NaN if there is no variance."""
        variance = Numbers().constant_loss(truth, weights) if len(truth) else 0.0
        return 1.0 - weighted_mean((truth - chosen) ** 2, weights) / variance if variance > 0 else math.nan

    @property
    def score_name(self) -> str:
        """The score is R²."""
        return "R²"

    @property
    def answer_names(self) -> tuple[Any, ...]:
        """The only number of an answer is called ``answer``."""
        return ("answer",)

    @property
    def scales(self) -> tuple[str, ...]:
        """A number has only its own scale, which has no name."""
        return ("value",)

    def asked_column(self, label: Any) -> int:
        """The only column."""
        if label is not None:
            raise ParameterError(f"label={label!r} is not allowed; numbers are answered, so leave it out.")
        return self.position(None)

    def choice(
        self,
        shares: Floats,
        plain: Floats,
        smoothing: Any = None,
        cost_matrix: ArrayLike | None = None,
        decision_threshold: float | None = None,
    ) -> Choice:
        """A number is answered as it is."""
        if cost_matrix is not None or decision_threshold is not None:
            raise ParameterError("cost_matrix and decision_threshold choose a class; this model answers numbers.")
        return Choice("number")

    def goal(self, now: Any, target: Any, above: float | None, below: float | None) -> Goal:
        """The numbers above a lower bound and below an upper bound."""
        if target is not None or (above is None and below is None):
            raise ParameterError("This model answers numbers: say which are wanted by above= and/or below=.")
        low, high = -math.inf if above is None else float(above), math.inf if below is None else float(below)
        if not low < high:
            raise ParameterError(f"No number is above {above!r} and below {below!r}; give above < below.")
        words = [f"above {significant(low, 6)}"] * (above is not None)
        words += [f"below {significant(high, 6)}"] * (below is not None)
        return Goal(lambda number: bool(low < number < high), "a number " + " and ".join(words))

    @property
    def goal_names(self) -> tuple[str, ...]:
        """The arguments that are the two bounds."""
        return ("above", "below")

    def tallied(self, sums: Floats) -> tuple[Floats, Floats]:
        """The weight, and the sum of the numbers."""
        return sums[:, 0], (sums[:, 0] * sums[:, 1])[:, None]

    def spread(self, value: Floats, weight: ArrayLike) -> Floats:
        """The standard deviation of the numbers of each node; 0 if there are none."""
        size = np.asarray(weight, dtype=np.float64)
        squares = np.maximum(self.layout.column(value, "squared_deviations"), 0.0)
        return np.asarray(np.sqrt(squares / np.where(size > 0, size, np.inf)))

    def interval(self, value: Floats, weight: ArrayLike) -> Floats:
        """The mean, and one standard deviation to both sides of it."""
        mean, spread = self.layout.column(value, "mean"), self.spread(value, weight)
        return np.stack([mean - spread, mean, mean + spread], axis=-1)

    @property
    def interval_name(self) -> str:
        """What a bar of numbers shows."""
        return "mean ± standard deviation"

    def words(self, *, width: int = 1 << 60, digits: tuple[int, int] = (6, 4)) -> Words:
        """The words for nodes; numbers have a limited number of digits."""
        return NumberWords(self, digits)

    def label_text(self, label: Any) -> str:
        """The number as text."""
        return significant(float(label), 6)

    def answer_text(self, answer: Floats) -> str:
        """The number as text."""
        return self.label_text(answer[0])

    def shadings(self, answers: Floats, chosen: NDArray[Any]) -> list[Shading]:
        """One colour, stronger where the number is larger."""
        low, high = float(chosen.min()), float(chosen.max())
        strengths = (chosen - low) / ((high - low) or 1.0)
        name = f"predicted number, from {significant(low)} to {significant(high)}"
        return [Shading(name, 0, tuple(range(len(chosen))), tuple(strengths.tolist()))]

    def page_data(
        self, value: Floats, weight: Floats, answers: Floats, chosen: NDArray[Any], counts: Floats | None
    ) -> dict[str, Any]:
        """The number that each node answers, and the spread; also the mean, if it is different from the answer."""
        result: dict[str, Any] = {"answer": chosen.tolist()}
        mean = self.layout.column(value, "mean")
        if not np.array_equal(mean, chosen):
            result["mean"] = mean.tolist()
        return result | {"spread": [float(f"{number:.5g}") for number in self.spread(value, weight).tolist()]}

    def rule_data(self, chosen: Any, precision: float, spread: float | None) -> dict[str, Any]:
        """The number and the spread."""
        return {"spread": significant(spread or 0.0), "value": float(chosen)}

    def traced(self, value: Sequence[float] | Floats, weight: float) -> tuple[float, ...]:
        """The mean and the variance."""
        numbers = np.asarray(value)
        mean, squares = (float(self.layout.column(numbers, name)) for name in ("mean", "squared_deviations"))
        return mean, squares / weight

    def traced_text(self, values: Sequence[float], median: float | None, limit: int) -> str:
        """The mean or median, and the spread."""
        mean, variance = values
        start = "" if median is None else f"median {significant(median, 6)}, "
        return f"{start}mean {significant(mean, 6)}, standard deviation {significant(max(variance, 0.0) ** 0.5)}"

    def prediction(self, value: Sequence[float] | Floats) -> float:
        """The number that is answered."""
        return float(value[self.position(None)])

    def tied_gain(self, impurity: float) -> float:
        """A tolerance that is a small part of the impurity."""
        return 1e-10 * impurity

    def same_values(self, ours: Floats, theirs: Floats, unit: float, size: float) -> NDArray[np.bool_]:
        """Whether answers and mean are the same, as far as the spread lets them be known."""
        spread = np.sqrt(np.abs(self.layout.column(theirs, "squared_deviations") / unit))[:, None]
        numbers = slice(self.layout.n_answers + 1)  # the answers and the mean
        away, allowed = np.abs(ours - theirs)[:, numbers], np.abs(theirs[:, numbers]) + spread
        return np.asarray((away <= 1e-6 * allowed).all(axis=1))

    def rows_text(self, value: Floats, count: str, limit: int = 10) -> str:
        """The number of rows and their mean, in words."""
        return f"{count} of the mean {self.layout.column(np.asarray(value), 'mean'):g}"

    def pure_text(self, value: Sequence[float], count: int, classes: str) -> str:
        """The sentence that all examples have one number."""
        number = short_number(float(self.layout.column(np.asarray(value), "mean")))
        return f"all {counted(count, 'number')} are {number}" if count > 1 else f"its only number is {number}"


@dataclass(frozen=True)
class NumberWords(Words):
    """Nodes that hold numbers, in words. digits: of a number answered, and of a spread."""

    kind: Numbers
    digits: tuple[int, int]

    def answer(self, chosen: Any, answers: Floats) -> str:
        """The answered number as text."""
        return significant(float(chosen), self.digits[0])

    def short(self, value: Floats, weight: float, chosen: Any) -> str:
        """The text ``n = 4, spread 2.5``."""
        return f"n = {short_number(weight)}, spread {self.spread(value, weight)}"

    def held(self, value: Floats, weight: float, *, limit: int = 20) -> str:
        """The text `` of mean 7, spread 2.5``."""
        return f" of mean {self.centre(value)}, spread {self.spread(value, weight)}"

    def reach(self, value: Floats, weight: float) -> str:
        """The text ``± 2.5``."""
        return f"± {self.spread(value, weight)}"

    def centre(self, value: Floats) -> str:
        """The mean as text."""
        return significant(float(self.kind.layout.column(value, "mean")), self.digits[0])

    def spread(self, value: Floats, weight: float) -> str:
        """The standard deviation as text."""
        return significant(float(self.kind.spread(value, weight)), self.digits[1])
