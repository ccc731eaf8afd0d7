"""The scores of a classifier on labelled rows: accuracy, confusion, per class, cost, probabilities."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.names import counted, evenly, short_number, shortened
from quercus.data.values import value_text, value_to_json
from quercus.evaluation.calibration import Calibration, calibration
from quercus.evaluation.scores import Scores
from quercus.evaluation.text_table import indented, json_number, json_numbers, share_text, text_table
from quercus.measures.costs import expected_costs
from quercus.results import Result, frame_of
from quercus.rules.yardsticks import wilson

#: A confusion matrix of more classes is printed as its largest mistakes.
SHOWN_CLASSES = 12
SHOWN_MISTAKES = 12


@dataclass(frozen=True)
class ClassRow(Result):
    """One class: the share of right answers among the answers of it, among the rows of it, and their harmonic mean.

    support: the weight of its rows. What divides by 0 is NaN.
    """

    label: Any
    precision: float
    recall: float
    f1: float
    support: float


@dataclass(frozen=True, eq=False, repr=False)
class ClassScores(Scores):
    """What a classifier did on some rows.

    - n_rows, weight: of the rows. classes: those of the model, then others that the rows have.
    - confusion: the weights by true class (rows) and answer (columns).
    - accuracy: the share answered rightly, with its Wilson interval ``low`` to ``high`` of ``confidence``. baseline:
      the accuracy of always answering the most frequent class of these rows.
    - per_class: precision, recall, F1, support.
    - mean_cost: a row, by the cost matrix; None without one, or if the rows have a class without costs. cheapest,
      cheapest_cost: the class that would cost least if it were answered for all of these rows, and that mean cost.
    - log_loss (natural logarithm; a probability of 0 counts as 2.2e-16), brier (two classes: the mean of (p − y)²,
      more: the sum of that over the classes), calibration, auc (two classes): of the probabilities; None without them.
    - test_cost: the mean cost of the tests that an answer needs; None if attributes have no costs.
    """

    task = "classification"

    n_rows: int
    weight: float
    classes: tuple[Any, ...]
    confusion: Floats
    accuracy: float
    low: float
    high: float
    confidence: float
    baseline: float
    per_class: tuple[ClassRow, ...]
    mean_cost: float | None
    log_loss: float | None
    brier: float | None
    calibration: Calibration | None
    auc: float | None
    test_cost: float | None
    cheapest: Any = None
    cheapest_cost: float | None = None

    @property
    def cost_text(self) -> str:
        """The mean cost beside that of the cheapest constant answer; empty without costs."""
        if self.mean_cost is None or self.cheapest_cost is None:
            return ""
        return beside_constant(self.mean_cost, value_text(self.cheapest), self.cheapest_cost)

    def measures(self) -> dict[str, str]:
        """The scores that are one number, by name, as text; those that exist."""
        accuracy = f"{share_text(self.accuracy)} ({share_text(self.low)}–{share_text(self.high)})"
        numbers = {
            "always the largest class": self.baseline,
            "mean cost": self.mean_cost,
            "log loss": self.log_loss,
            "Brier score": self.brier,
            "calibration error": None if self.calibration is None else self.calibration.error,
            "ROC AUC": self.auc,
        }
        result = {"rows": f"{self.n_rows:,}", "accuracy": accuracy}
        result |= {name: share_text(number) for name, number in numbers.items() if number is not None}
        result |= {"mean cost": self.cost_text} if self.cost_text else {}  # in its place
        return result if self.test_cost is None else {**result, "cost of tests": short_number(self.test_cost)}

    def headline(self) -> str:
        """The accuracy, with costs also the mean cost, and the number of rows, in words."""
        cost = f", mean cost {self.cost_text}" if self.cost_text else ""
        return f"accuracy {share_text(self.accuracy)}{cost} on {counted(self.n_rows, 'row')}"

    def details(self) -> list[str]:
        """Confusion, each class, and calibration."""
        head = "Most frequent mistakes:" if len(self.classes) > SHOWN_CLASSES else "Confusion:"
        parts = [(head, self.confusion_text()), ("Each class:", self.per_class_text())]
        if self.calibration is not None:
            head = f"Calibration (predicted probability of {self.calibration.event}):"
            parts.append((head, str(self.calibration)))
        return [f"{head}\n{indented(text)}" for head, text in parts]

    def __str__(self) -> str:
        """The scores that are one number, then the confusion matrix and each class."""
        return f"{super().__str__()}\n\n{self.confusion_text()}\n\n{self.per_class_text()}"

    def to_frame(self) -> Any:
        """The classes as a pandas DataFrame, one row for each."""
        return frame_of([vars(row) for row in self.per_class], "label")

    def confusion_text(self) -> str:
        """The confusion matrix with names; of many classes the most frequent mistakes."""
        names = [shortened(value_text(label), 24) for label in self.classes]
        if len(names) > SHOWN_CLASSES:
            return self._mistakes_text(names)
        rows = [["true \\ answered", *names]]
        rows += [
            [name, *map(short_number, counts)] for name, counts in zip(names, self.confusion.tolist(), strict=True)
        ]
        return text_table(rows)

    def _mistakes_text(self, names: Sequence[str]) -> str:
        wrong = self.confusion.copy()
        np.fill_diagonal(wrong, 0.0)
        order = np.argsort(-wrong, axis=None, kind="stable")[:SHOWN_MISTAKES]
        rows = [["true", "answered", "rows"]]
        for true, answered in zip(*np.unravel_index(order, wrong.shape), strict=True):
            if wrong[true, answered] > 0:
                rows.append([names[true], names[answered], short_number(wrong[true, answered])])
        return text_table(rows, left=(0, 1))

    def per_class_text(self) -> str:
        """Precision, recall, F1 and support of each class."""
        rows = [["class", "precision", "recall", "F1", "support"]]
        for row in self.per_class:
            shares = [share_text(number) for number in (row.precision, row.recall, row.f1)]
            rows.append([shortened(value_text(row.label), 24), *shares, short_number(row.support)])
        return text_table(rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as data that JSON can hold; what is not a finite number is None."""
        names = ("weight", "accuracy", "low", "high", "confidence", "baseline", "mean_cost", "log_loss", "brier", "auc")
        return {
            "rows": self.n_rows,
            **{name: json_number(getattr(self, name)) for name in (*names, "test_cost", "cheapest_cost")},
            "cheapest": value_to_json(self.cheapest),
            "classes": [value_to_json(label) for label in self.classes],
            "confusion": json_numbers(self.confusion.tolist()),
            "per_class": [
                {
                    "class": value_to_json(row.label),
                    **{name: json_number(getattr(row, name)) for name in ("precision", "recall", "f1", "support")},
                }
                for row in self.per_class
            ],
            "calibration": None if self.calibration is None else self.calibration.to_dict(),
        }


def class_scores(
    classes: Sequence[Any],
    true: NDArray[np.int64],
    answered: NDArray[np.int64],
    probabilities: Floats | None,
    weights: Floats | None,
    *,
    costs: Floats | None = None,
    test_cost: float | None = None,
    confidence: float = 0.95,
    bins: int = 10,
) -> ClassScores:
    """Score answers.

    true, answered: positions in ``classes``. probabilities, costs: of the first classes, those that the model knows.
    """
    from sklearn.metrics import precision_recall_fscore_support

    k = len(classes)
    codes = np.arange(k)
    confusion = np.bincount(true * k + answered, weights, minlength=k * k).astype(np.float64).reshape(k, k)
    parts = precision_recall_fscore_support(
        true, answered, labels=codes, sample_weight=weights, average=None, zero_division=np.nan
    )
    total = float(confusion.sum())
    right = float(np.trace(confusion))
    low, high = wilson(right, total, confidence)
    support = confusion.sum(axis=1)
    judged = _probability_scores(classes, true, probabilities, weights, bins)
    return ClassScores(
        n_rows=len(true),
        weight=total,
        classes=tuple(classes),
        confusion=confusion,
        accuracy=right / total if total > 0 else math.nan,
        low=low,
        high=high,
        confidence=confidence,
        baseline=float(support.max() / total) if total > 0 else math.nan,
        per_class=tuple(
            ClassRow(label, float(p), float(r), float(f), float(s))
            for label, p, r, f, s in zip(classes, *parts[:3], support, strict=True)
        ),
        test_cost=test_cost,
        **judged,
        **_cost_scores(classes, confusion, costs),
    )


def beside_constant(mean_cost: float, label: str, cost: float) -> str:
    """A mean cost, and beside it the cheapest constant answer with its own, both with the same number of decimals.

    >>> print(beside_constant(0.504, "bad", 0.7))
    0.504 (always "bad": 0.700)
    """
    mean, constant = evenly([mean_cost, cost], 3)
    return f"{mean} ({constant_text(label, constant)})"


def constant_text(label: str, cost: str) -> str:
    """The cheapest constant answer in words: what stands beside a mean cost."""
    return f'always "{label}": {cost}'


def cheapest_answer(support: Floats, costs: Floats) -> tuple[int, float]:
    """The position of the class that costs least if it is always answered, and its mean cost.

    support: the weight of the rows of each class.

    >>> cheapest_answer(np.array([8.0, 2.0]), np.array([[0.0, 1.0], [10.0, 0.0]]))
    (1, 0.8)
    """
    each = expected_costs(support, costs)
    return int(each.argmin()), float(each.min())


def _cost_scores(classes: Sequence[Any], confusion: Floats, costs: Floats | None) -> dict[str, Any]:
    if costs is None or not confusion.sum() > 0:
        return {"mean_cost": None}
    known = len(costs)
    if confusion[known:].sum() > 0:
        return {"mean_cost": None}  # a class that the cost matrix does not know
    place, cost = cheapest_answer(confusion[:known].sum(axis=1), costs)
    mean = float((confusion[:known, :known] * costs).sum() / confusion.sum())
    return {"mean_cost": mean, "cheapest": classes[place], "cheapest_cost": cost}


def _probability_scores(
    classes: Sequence[Any], true: NDArray[np.int64], probabilities: Floats | None, weights: Floats | None, bins: int
) -> dict[str, Any]:
    """Log loss, Brier score, calibration and ROC AUC; classes that the model does not know have probability 0."""
    from sklearn.metrics import log_loss, roc_auc_score

    if probabilities is None:
        return {"log_loss": None, "brier": None, "calibration": None, "auc": None}
    known = probabilities.shape[1]
    shares = np.pad(probabilities, ((0, 0), (0, len(classes) - known)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that shares do not sum to one in their last bit
        loss = (
            log_loss(true, shares, labels=np.arange(len(classes)), sample_weight=weights) if len(classes) > 1 else 0.0
        )
    squares = (shares - np.eye(len(classes))[true]) ** 2
    if len(classes) == 2:
        event, said, happened = value_text(classes[1]), shares[:, 1], true == 1
        brier = float(np.average(squares[:, 1], weights=weights))
        present = np.unique(true if weights is None else true[weights > 0])
        auc = float(roc_auc_score(happened, said, sample_weight=weights)) if len(present) == 2 else None
    else:
        answered = shares.argmax(axis=1)
        event, said, happened = "the most probable class", shares.max(axis=1), true == answered
        brier, auc = float(np.average(squares.sum(axis=1), weights=weights)), None
    table = calibration(said, happened, weights, bins=bins, event=event)
    return {"log_loss": float(loss), "brier": brier, "calibration": table, "auc": auc}
