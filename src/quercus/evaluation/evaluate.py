"""Evaluating a fitted model on labelled rows, the rows it was fitted to beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.rows import Rows, encode_known_classes
from quercus.data.target import ClassTarget, Target, encode_numbers
from quercus.data.values import plain_value, value_key
from quercus.data.weights import read_cost_matrix, read_sample_weight
from quercus.errors import DataError, ParameterError
from quercus.evaluation.class_scores import class_scores
from quercus.evaluation.number_scores import number_scores
from quercus.evaluation.quantile_scores import quantile_scores
from quercus.evaluation.scores import Scores
from quercus.evaluation.text_table import text_table
from quercus.fitted.model import Model, model_of
from quercus.fitted.reading import Readable
from quercus.predict import expected_test_cost
from quercus.results import Result, frame_of
from quercus.rules.rule_list import RuleList
from quercus.targets.kind import OfTask
from quercus.tree.tree import Tree


@dataclass(frozen=True, repr=False)
class Evaluation(OfTask, Result):
    """The scores of a model on test rows, and on its training rows if they were given.

    test, train: the scores of the model's kind of target. ``print`` shows all as tables, ``to_dict`` gives data
    that strict JSON can hold.
    """

    test: Scores
    train: Scores | None = None

    @property
    def task(self) -> str:
        """What the model is for."""
        return self.test.task

    def to_dict(self) -> dict[str, Any]:
        """The scores as data that JSON can hold."""
        train = None if self.train is None else self.train.to_dict()
        return {"task": self.test.task, "test": self.test.to_dict(), "train": train}

    def __repr__(self) -> str:
        """The most important scores in one line."""
        return f"<Evaluation: {self.test.headline()}; print shows all scores>"

    def to_frame(self) -> Any:
        """The scores as a pandas DataFrame: one row for each, test and (if measured) train as columns."""
        sets = {"train": self.train, "test": self.test}
        columns = {name: scores.to_dict() for name, scores in sets.items() if scores is not None}
        names = [name for name, value in columns["test"].items() if not isinstance(value, list | dict)]
        return frame_of(
            [{"score": name, **{key: column.get(name) for key, column in columns.items()}} for name in names], "score"
        )

    def __str__(self) -> str:
        """All scores as aligned tables: train beside test, then the details of the test rows."""
        return "\n\n".join([self._measures_text(), *self.test.details()])

    def _measures_text(self) -> str:
        test = self.test.measures()
        if self.train is None:
            return text_table([[name, value] for name, value in test.items()], left=(0, 1))
        train = self.train.measures()
        names = list(dict.fromkeys([*train, *test]))
        rows = [["", "train", "test"], *([name, train.get(name, "–"), test.get(name, "–")] for name in names)]
        return text_table(rows, left=(0, 1, 2))


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    train: tuple[Any, ...] | None = None,
    cost_matrix: Any = None,
    confidence: float = 0.95,
    bins: int = 10,
) -> Evaluation:
    """Measure a fitted model on labelled rows.

    model: a fitted estimator or its model, or any classifier or regressor with scikit-learn's methods. X, y: rows that
    it was not fitted to, and what is true of them; classes that it has never seen count as mistakes. sample_weight: one
    for each row. train: the rows of fitting, (X, y) or (X, y, sample_weight), to show beside. cost_matrix: as the
    estimators take it; by default the model's own. confidence: of the interval of the accuracy. bins: of the
    calibration.

    >>> from quercus import C45Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> model = C45Classifier().fit(*load_play_tennis())
    >>> print(evaluate(model, *load_play_tennis(d15=True)))
    rows                      15
    accuracy                  0.933 (0.702–0.988)
    always the largest class  0.600
    log loss                  2.403
    Brier score               0.067
    calibration error         0.067
    ROC AUC                   0.917
    <BLANKLINE>
    Confusion:
      true \\ answered  No  Yes
      No                5    1
      Yes               0    9
    <BLANKLINE>
    Each class:
      class  precision  recall     F1  support
      No         1.000   0.833  0.909        6
      Yes        0.900   1.000  0.947        9
    <BLANKLINE>
    Calibration (predicted probability of Yes):
      predicted  rows  mean predicted  came true
      0.0–0.1       5           0.000      0.000
      0.9–1.0      10           1.000      0.900
    """
    if train is not None and (not isinstance(train, tuple) or len(train) not in (2, 3)):
        raise ParameterError("train must be a tuple (X, y) or (X, y, sample_weight).")
    options = {"cost_matrix": cost_matrix, "confidence": confidence, "bins": bins}
    test = scores_of(model, X, y, sample_weight, **options)
    return Evaluation(test, None if train is None else scores_of(model, *train, **options))


def scores_of(model: Any, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Scores:
    """The scores of a model on one set of rows; options as for :func:`evaluate`."""
    if isinstance(model, Readable):
        rows = model.model_.labelled(model.encode_rows(X), y, sample_weight, new_classes=True)
        return rows_scores(model.model_, rows, n_jobs=model.n_threads, **options)
    if isinstance(model, Tree | RuleList):
        return scores_of(model_of(model), X, y, sample_weight, **options)
    return _foreign_scores(model, X, y, sample_weight, **options)


def rows_scores(model: Model, rows: Rows, *, n_jobs: int = 1, **options: Any) -> Scores:
    """The scores of a fitted model on encoded rows, which are answered once; options as for :func:`evaluate`."""
    test_cost = None
    if model.answers_by == "tree" and any(attribute.cost > 0 for attribute in model.schema):
        paid = expected_test_cost(model.need_tree("The cost of tests"), rows.dataset, n_jobs)
        test_cost = float(np.average(paid, weights=rows.sample_weights))
    answers = Answers(model, rows.target, rows.sample_weights, *model.answer(rows.dataset, n_jobs))
    if model.leaf_targets is not None:
        answers = replace(answers, quantiles=model.quantiles(rows.dataset, n_jobs=n_jobs))
    return answer_scores(answers, test_cost=test_cost, **options)


@dataclass(frozen=True, eq=False)
class Answers:
    """What a fitted model has answered, beside what is true; classes behind those that it knows count as mistakes.

    quantiles: what a quantile forest answers beside its numbers [n, levels]; None: nothing.
    """

    model: Model
    target: Target
    weights: Floats | None
    shares: Floats
    chosen: NDArray[Any]
    quantiles: Floats | None = None


def answer_scores(answers: Answers, **options: Any) -> Scores:
    """The scores of answers that a fitted model has given; options as for :func:`evaluate`, and test_cost."""
    return SCORES[answers.model.target_kind.name](answers, **options)


def _class_scores(answers: Answers, *, cost_matrix: Any = None, **options: Any) -> Scores:
    model, target = answers.model, answers.target
    assert isinstance(target, ClassTarget)
    costs = model.decision.costs if cost_matrix is None else read_cost_matrix(cost_matrix, list(model.labels or ()))
    return class_scores(
        [plain_value(label) for label in target.classes],
        target.codes.astype(np.int64),
        np.asarray(answers.chosen, dtype=np.int64),
        answers.shares,
        answers.weights,
        costs=costs,
        **options,
    )


def _number_scores(
    answers: Answers, *, cost_matrix: Any = None, test_cost: float | None = None, **options: Any
) -> Scores:
    _refuse_costs(cost_matrix)
    truth = answers.model.target_kind.truth(answers.target)
    scores = number_scores(truth, answers.chosen, answers.weights, test_cost)
    if answers.quantiles is None:
        return scores
    levels = answers.model.quantile_levels
    return replace(scores, quantiles=quantile_scores(truth, answers.quantiles, levels, answers.weights))


def _quantile_scores(
    answers: Answers, *, cost_matrix: Any = None, test_cost: float | None = None, **options: Any
) -> Scores:
    _refuse_costs(cost_matrix)
    kind = answers.model.target_kind
    quantiles = answers.shares if answers.quantiles is None else answers.quantiles
    levels = answers.model.quantile_levels
    return quantile_scores(kind.truth(answers.target), quantiles, levels, answers.weights, test_cost)


#: How each kind of target is scored.
SCORES: dict[str, Callable[..., Scores]] = {
    "classes": _class_scores,
    "numbers": _number_scores,
    "quantiles": _quantile_scores,
}


def _foreign_scores(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    cost_matrix: Any = None,
    confidence: float = 0.95,
    bins: int = 10,
) -> Scores:
    """The scores of a model of another library, by scikit-learn's methods."""
    if not hasattr(model, "predict"):
        raise ParameterError(f"model is of type {type(model).__name__}, but must be a fitted classifier or regressor.")
    if not hasattr(model, "classes_"):
        _refuse_costs(cost_matrix)
        numbers = encode_numbers(y)
        weights = read_sample_weight(sample_weight, len(numbers))
        answers = np.asarray(model.predict(X), dtype=np.float64)
        _check_lengths(len(answers), len(numbers))
        return number_scores(numbers, answers, weights, None)
    known = [plain_value(label) for label in model.classes_]
    target = encode_known_classes(y, known, new_classes=True)
    weights = read_sample_weight(sample_weight, len(target.codes))
    answers = np.asarray(model.predict(X))
    _check_lengths(len(answers), len(target.codes))
    return class_scores(
        [plain_value(label) for label in target.classes],
        target.codes.astype(np.int64),
        encode_answers(answers, known),
        np.asarray(model.predict_proba(X), dtype=np.float64) if hasattr(model, "predict_proba") else None,
        weights,
        costs=read_cost_matrix(getattr(model, "cost_matrix", None) if cost_matrix is None else cost_matrix, known),
        confidence=confidence,
        bins=bins,
    )


def _refuse_costs(cost_matrix: Any) -> None:
    if cost_matrix is not None:
        raise ParameterError("cost_matrix weighs classes against each other; this model answers numbers.")


def encode_answers(answers: NDArray[Any], known: Sequence[Any]) -> NDArray[np.int64]:
    """The position of each answer among the model's classes."""
    position = {value_key(label): place for place, label in enumerate(known)}
    distinct, inverse = np.unique(answers, return_inverse=True)
    places = np.array([position[value_key(plain_value(label))] for label in distinct], dtype=np.int64)
    return np.asarray(places[inverse.reshape(-1)])


def _check_lengths(answers: int, truths: int) -> None:
    if answers != truths:
        raise DataError(f"X has {answers} rows, but y has {truths}: give what is true for every row.")
