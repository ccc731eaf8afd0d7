"""Stability: how much a model changes with its training rows, as bias and variance measured by the bootstrap.

Many samples of the training rows are drawn with replacement, and a model is fitted to each. Every row is answered by
the models that did not see it. The usual answer of a row is what most of these models say (numbers: their mean).

- Bias: the usual answer is wrong. A better choice of rows does not help; the model is too simple, or the row is noise.
- Variance: models leave the usual answer. The model follows its sample; pruning, or a forest, calms it.

For classes (Domingos 2000): error = bias + variance where the usual answer is right − variance that leads from a wrong
usual answer to the right one. For numbers: mean squared error = bias² + variance. Both hold exactly here; noise cannot
be told from bias by the rows alone and is counted as bias.

Reference: P. Domingos, A unified bias-variance decomposition, ICML 2000.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor

from quercus.arrays import Floats
from quercus.data.names import quoted_name, short_number, significant
from quercus.data.target import encode_classes, encode_numbers
from quercus.data.values import plain_value, value_key
from quercus.data.weights import read_sample_weight
from quercus.errors import DataError, ParameterError
from quercus.evaluation.comparison import estimator_to_fit, size_of
from quercus.evaluation.taking import take_rows
from quercus.evaluation.text_table import text_table
from quercus.results import Result

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Result):
    """Bias and variance of a model, what they add up to, and how its tree changes from sample to sample.

    - name: of the estimator. measure: "error" (classes) or "mean squared error". n_samples: models fitted.
    - n_rows: rows that were answered, by ``answers_per_row`` models on average.
    - error = bias + variance − lucky. lucky: of classes, models that leave a wrong usual answer for the right one; of
      numbers 0, and bias is squared.
    - agreement: of classes, the share of rows on which two models agree; None for numbers.
    - sizes, size_unit, depths: leaves (rules, trees) and depth of each model; None where it has none.
    - first_questions: how many trees ask for an attribute first, the most frequent first; empty if it has no tree.
    - rows: position of each answered row; usual: its usual answer; unrest: the share of models that say otherwise (of
      numbers: the variance of their answers); wrong: whether the usual answer is (of numbers: its squared error).
    """

    name: str
    measure: str
    n_samples: int
    n_rows: int
    answers_per_row: float
    error: float
    bias: float
    variance: float
    lucky: float
    agreement: float | None
    sizes: tuple[float, ...] | None
    size_unit: str
    depths: tuple[float, ...] | None
    first_questions: dict[str, int]
    rows: Codes
    usual: NDArray[Any]
    unrest: Floats
    wrong: NDArray[Any]

    def to_dict(self) -> dict[str, Any]:
        """The figures as data that JSON can hold, without the single rows."""
        names = ("name", "measure", "n_samples", "n_rows", "answers_per_row", "error", "bias", "variance", "lucky")
        result = {name: getattr(self, name) for name in names}
        result |= {"agreement": self.agreement, "size_unit": self.size_unit, "first_questions": self.first_questions}
        result["sizes"] = None if self.sizes is None else list(self.sizes)
        result["depths"] = None if self.depths is None else list(self.depths)
        return result

    def __repr__(self) -> str:
        """The figures in one line."""
        return f"<Stability: {self.measure} {self.error:.3g} = {self.bias:.3g} + {self.variance - self.lucky:.3g}>"

    def __str__(self) -> str:
        """The sum, a line for each part with its meaning, and how the trees differ."""
        lines = [
            f"{self.name} fitted to {self.n_samples} bootstrap samples; each of {self.n_rows:,} rows is answered",
            f"by the models that did not see it, {short_number(round(self.answers_per_row, 1))} on average",
            "",
            text_table(self._sum(), left=(0, 2)),
        ]
        changes = self._changes()
        return "\n".join([*lines, "", *changes] if changes else lines)

    def _sum(self) -> list[list[str]]:
        if self.measure == "error":
            parts = [
                ("bias", self.bias, "most models answer wrongly"),
                ("+ variance", self.variance, "models leave the usual answer, which is right"),
                ("− lucky variance", self.lucky, "models leave a wrong usual answer for the right one"),
                ("= error", self.error, "the mean share of wrong answers"),
            ]
            return [[name, f"{number:.3f}", words] for name, number, words in parts]
        parts = [
            ("bias²", self.bias, "the mean of the models' answers is off"),
            ("+ variance", self.variance, "the models' answers differ from their mean"),
            ("= mean squared error", self.error, "of one model"),
        ]
        return [[name, significant(number, 4), words] for name, number, words in parts]

    def _changes(self) -> list[str]:
        """How the models differ from each other, in sentences."""
        lines = []
        if self.agreement is not None:
            lines.append(f"Two models give the same answer to {100 * self.agreement:.0f} % of the rows.")
        if self.sizes is not None:
            least, most = (short_number(end(self.sizes)) for end in (min, max))
            mean = short_number(round(float(np.mean(self.sizes)), 1))
            span = f"{mean} on average, from {least} to {most}" if least != most else f"{mean} each"
            lines.append(f"{self.size_unit.capitalize()}: {span}.")
        if self.first_questions:
            shown = list(self.first_questions.items())[:5]
            parts = [f"{quoted_name(name)} {100 * count / self.n_samples:.0f} %" for name, count in shown]
            more = len(self.first_questions) - len(shown)
            lines.append(f"First question: {', '.join(parts)}{f' and {more} more' if more else ''}.")
        return lines


def stability(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    samples: int = 100,
    X_test: Any = None,
    y_test: Any = None,
    random_state: int = 0,
    progress: Callable[[int, int], Any] | None = None,
) -> Stability:
    """Measure how stable a model is: its error as bias and variance, by the bootstrap.

    Parameters
    ----------
    model : an unfitted estimator, classifier or regressor; it is cloned.
    X, y, sample_weight : the rows; the samples are drawn from them with replacement, each as large as the table.
    samples : how many; at least 2.
    X_test, y_test : rows that all models answer; without them each row is answered by the models that did not draw it.
    random_state : of the drawing.
    progress : called with (models fitted, models in all).

    >>> from quercus import CARTClassifier
    >>> from quercus.datasets import load_play_tennis
    >>> print(stability(CARTClassifier(), *load_play_tennis(), samples=50))
    CARTClassifier fitted to 50 bootstrap samples; each of 14 rows is answered
    by the models that did not see it, 16.4 on average
    <BLANKLINE>
    bias              0.429  most models answer wrongly
    + variance        0.152  models leave the usual answer, which is right
    − lucky variance  0.115  models leave a wrong usual answer for the right one
    = error           0.465  the mean share of wrong answers
    <BLANKLINE>
    Two models give the same answer to 64 % of the rows.
    Leaves: 4.5 on average, from 2 to 7.
    First question: Outlook 38 %, Humidity 36 %, Wind 18 %, Temperature 8 %.
    """
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
        raise ParameterError(f"samples is {samples!r}, but must be a whole number of at least 2.")
    if (X_test is None) != (y_test is None):
        raise ParameterError("X_test and y_test belong together: give both, or neither.")
    model = estimator_to_fit(model)
    numbers = _answers_numbers(model)
    n_rows = len(encode_numbers(y)) if numbers else len(encode_classes(y).codes)
    weights = read_sample_weight(sample_weight, n_rows)
    true, classes = _true(y if y_test is None else y_test, y, numbers)
    answers = np.full((samples, len(true)), np.nan)
    fitted = []
    random = np.random.default_rng(random_state)
    for number in range(samples):
        drawn = random.integers(0, n_rows, n_rows)
        one = _fit(clone(model), X, y, weights, np.sort(drawn))
        unseen = np.arange(len(true)) if y_test is not None else np.setdiff1d(np.arange(n_rows), drawn)
        if len(unseen):
            output = one.predict(take_rows(X if y_test is None else X_test, unseen))
            answers[number, unseen] = np.asarray(output, dtype=np.float64) if numbers else _codes(output, classes)
        fitted.append((*size_of(one), _first_question(one)))
        if progress is not None:
            progress(number + 1, samples)
    answered = np.flatnonzero((~np.isnan(answers)).sum(axis=0) >= 2)
    if not len(answered):
        raise DataError(f"No row was left out by two of {samples} samples; give more samples, or X_test and y_test.")
    row_weights = weights[answered] if weights is not None and y_test is None else np.ones(len(answered))
    parts = _of_numbers if numbers else _of_classes
    figures = parts(answers[:, answered], true[answered], row_weights, classes)
    return _result(type(model).__name__, samples, answered, answers, fitted, figures)


def _answers_numbers(model: Any) -> bool:
    if not hasattr(model, "__sklearn_tags__") or not (is_classifier(model) or is_regressor(model)):
        raise ParameterError(f"model is {model!r}, but must be an estimator that classifies or answers numbers.")
    return bool(is_regressor(model))


def _true(y: Any, training: Any, numbers: bool) -> tuple[Floats, tuple[Any, ...]]:
    """The true answers as numbers, and the classes whose positions they are."""
    if numbers:
        return np.asarray(encode_numbers(y), dtype=np.float64), ()
    classes = tuple(plain_value(label) for label in encode_classes(training).classes)
    known = {value_key(label) for label in classes}
    target = encode_classes(y)
    labels = [plain_value(label) for label in target.classes]
    classes += tuple(label for label in labels if value_key(label) not in known)  # of test rows: no model answers them
    return _codes(labels, classes)[target.codes], classes


def _codes(labels: Any, classes: tuple[Any, ...]) -> Floats:
    position = {value_key(label): place for place, label in enumerate(classes)}
    return np.array([position[value_key(plain_value(label))] for label in labels], dtype=np.float64)


def _fit(model: Any, X: Any, y: Any, weights: Floats | None, rows: Codes) -> Any:
    if weights is None:
        return model.fit(take_rows(X, rows), take_rows(y, rows))
    return model.fit(take_rows(X, rows), take_rows(y, rows), sample_weight=weights[rows])


def _first_question(model: Any) -> str | None:
    """The attribute that a single tree asks first; None for other models, empty for a tree of one leaf."""
    if hasattr(model, "forest_") or hasattr(model, "rules_") or not hasattr(model, "tree_"):
        return None
    test = getattr(getattr(model.tree_, "root", None), "test", None)
    return "" if test is None else str(test.attribute.name)


@dataclass(frozen=True, eq=False)
class _Figures:
    measure: str
    error: float
    bias: float
    variance: float
    lucky: float
    agreement: float | None
    usual: NDArray[Any]
    unrest: Floats
    wrong: NDArray[Any]


def _of_classes(answers: Floats, true: Floats, weights: Floats, classes: tuple[Any, ...]) -> _Figures:
    """The parts of the error; ties for the usual answer go to the first class."""
    votes = np.stack([(answers == code).sum(axis=0) for code in range(len(classes))], axis=1).astype(np.float64)
    total = votes.sum(axis=1)
    place = votes.argmax(axis=1)
    wrong = place != true
    unrest = 1.0 - votes.max(axis=1) / total
    right_share = votes[np.arange(len(true)), true.astype(np.int64)] / total
    pairs = (votes * (votes - 1)).sum(axis=1) / (total * (total - 1))

    def mean(values: NDArray[Any]) -> float:
        return float(np.average(values, weights=weights))

    return _Figures(
        "error",
        mean(1.0 - right_share),
        mean(wrong),
        mean(np.where(wrong, 0.0, unrest)),
        mean(np.where(wrong, right_share, 0.0)),
        mean(pairs),
        np.array([classes[code] for code in place], dtype=object),
        unrest,
        wrong,
    )


def _of_numbers(answers: Floats, true: Floats, weights: Floats, classes: tuple[Any, ...]) -> _Figures:
    """The parts of the mean squared error."""
    usual = np.nanmean(answers, axis=0)
    spread = np.nanmean((answers - usual) ** 2, axis=0)
    wrong = (usual - true) ** 2
    bias, variance = float(np.average(wrong, weights=weights)), float(np.average(spread, weights=weights))
    return _Figures("mean squared error", bias + variance, bias, variance, 0.0, None, usual, spread, wrong)


def _result(
    name: str, samples: int, answered: Codes, answers: Floats, fitted: list[tuple[Any, ...]], figures: _Figures
) -> Stability:
    sizes, units, depths, first = zip(*fitted, strict=True)
    counts = Counter(name or "none, one leaf" for name in first if name is not None)
    return Stability(
        name=name,
        n_samples=samples,
        n_rows=len(answered),
        answers_per_row=float((~np.isnan(answers[:, answered])).sum() / len(answered)),
        sizes=None if any(size is None for size in sizes) else tuple(sizes),
        size_unit=units[0],
        depths=None if any(depth is None for depth in depths) else tuple(depths),
        first_questions=dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
        rows=answered,
        **vars(figures),
    )
