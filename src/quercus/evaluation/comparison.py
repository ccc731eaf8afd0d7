"""Comparing models by cross-validation on the same folds: accuracy with its spread, size, time, and a paired test."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from quercus.arrays import Floats
from quercus.data.names import evenly, short_number
from quercus.data.target import ClassTarget, encode_classes, encode_numbers
from quercus.data.values import plain_value, value_key, value_text, value_to_json
from quercus.data.weights import read_cost_matrix, read_sample_weight
from quercus.errors import DataError, ParameterError, choice_message
from quercus.evaluation.class_scores import cheapest_answer, constant_text
from quercus.evaluation.paired_test import PairedTest, corrected_paired_test
from quercus.evaluation.taking import take_rows
from quercus.evaluation.text_table import json_number, json_numbers
from quercus.fitted.model import Model
from quercus.fitted.reading import Readable
from quercus.pruning.alpha_table import divisions, fold_numbers
from quercus.results import Cells, Result, Table, frame_of

#: What models are compared by, and whether more of it is better.
MEASURES = {"accuracy": True, "mean cost": False, "R²": True}


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonRow(Result):
    """One model: its scores on every fold, their mean and spread, its mean size and time, and how it did against one.

    scores: one per fold, all repeats after each other. size, size_unit: mean number of leaves or rules. depth: mean
    depth of the tree, None for rules. fit_seconds: mean time of a fit. test: the paired test of this model less the one
    compared with; wins, ties, losses: folds on which this model was better, equal, worse. None and 0 for that one.
    verdict: "better" or "worse" than it at the level of 5 %; empty if neither.
    """

    name: str
    scores: Floats
    mean: float
    spread: float
    size: float | None
    size_unit: str
    depth: float | None
    fit_seconds: float
    test: PairedTest | None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    verdict: str = ""

    @property
    def p(self) -> float | None:
        """The two-sided p of its test; None for the model compared with."""
        return None if self.test is None else self.test.p

    def __str__(self) -> str:
        """The model and its score."""
        size = "" if self.size is None else f", {short_number(round(self.size, 1))} {self.size_unit}"
        return f"{self.name}: {self.mean:.3f} ± {self.spread:.3f} on {len(self.scores)} folds{size}"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Table):
    """The models in the order given; ``comparison["c45"]`` is the row of one, ``print`` shows all.

    measure: what the scores are. folds, repeats: of the cross-validation, the same for all. against: the model that the
    others are tested against. cheapest, cheapest_cost: where mean costs are compared, the class that would cost least
    if it were answered for every row, and that mean cost.
    """

    rows: tuple[ComparisonRow, ...]
    measure: str
    folds: int
    repeats: int
    n_rows: int
    against: str
    cheapest: Any = None
    cheapest_cost: float | None = None

    def __iter__(self) -> Iterator[ComparisonRow]:
        """The rows in the order given."""
        return iter(self.rows)

    def __len__(self) -> int:
        """How many models there are."""
        return len(self.rows)

    def __getitem__(self, key: str | int) -> ComparisonRow:
        """The row of a model by its name, or at a position."""
        if isinstance(key, int):
            return self.rows[key]
        for row in self.rows:
            if row.name == key:
                return row
        raise KeyError(choice_message("model", key, [row.name for row in self.rows]))

    @property
    def best(self) -> ComparisonRow:
        """The model of the best mean; of equal ones the smallest, then the first."""
        return self.rows[best_place([(row.mean, row.size) for row in self.rows], MEASURES[self.measure])]

    def to_dict(self) -> dict[str, Any]:
        """Everything as data that JSON can hold."""
        names = ("mean", "spread", "size", "depth", "fit_seconds")
        rows = [
            {
                "name": row.name,
                **{name: json_number(getattr(row, name)) for name in names},
                "size_unit": row.size_unit,
                "scores": json_numbers(row.scores.tolist()),
                "test": None
                if row.test is None
                else {key: json_number(value) for key, value in vars(row.test).items()},
                **{name: getattr(row, name) for name in ("wins", "ties", "losses", "verdict")},
            }
            for row in self.rows
        ]
        frame = {"measure": self.measure, "folds": self.folds, "repeats": self.repeats, "rows": self.n_rows}
        constant = {"cheapest": value_to_json(self.cheapest), "cheapest_cost": self.cheapest_cost}
        return {**frame, "against": self.against, **constant, "models": rows}

    def to_frame(self) -> Any:
        """The models as a pandas DataFrame, one row for each; the scores of single folds are in ``rows``."""
        names = ("name", "mean", "spread", "size", "depth", "fit_seconds", "wins", "ties", "losses", "verdict")
        return frame_of([{**{name: getattr(row, name) for name in names}, "p": row.p} for row in self.rows], "name")

    def cells(self) -> Cells:
        """A line for each model, and what the columns mean."""
        head = ["model", self.measure, "± spread", "size", "depth", "fit", "win/tie/loss", "p", ""]
        lines = [head]
        means = self._texts([*(row.mean for row in self.rows), self.cheapest_cost or 0.0])
        spreads = self._texts([row.spread for row in self.rows])
        for row, mean, spread in zip(self.rows, means[:-1], spreads, strict=True):  # the last mean: the constant answer
            size = "–" if row.size is None else f"{short_number(round(row.size, 1))} {row.size_unit}"
            against = "–" if row.test is None else f"{row.wins}/{row.ties}/{row.losses}"
            p = "–" if row.test is None else f"{row.test.p:.3f}" if row.test.p >= 0.001 else "<0.001"
            mark = "← compared with" if row.name == self.against else row.verdict
            depth = "–" if row.depth is None else short_number(round(row.depth, 1))
            lines.append([row.name, mean, spread, size, depth, _time_text(row.fit_seconds), against, p, mark])
        times = f", {self.repeats} times," if self.repeats > 1 else ""
        title = (
            f"{self.measure} by {self.folds}-fold cross-validation{times} of {self.n_rows:,} rows, "
            "the same folds for all"
        )
        note = f"p: corrected resampled paired t-test against {self.against}; better, worse: p < 0.05"
        if self.cheapest_cost is not None:
            note = f"{constant_text(value_text(self.cheapest), means[-1])}\n{note}"
        return Cells(lines, left=(0, 8), title=title, note=note)

    def _texts(self, numbers: list[float]) -> list[str]:
        """The numbers of one column, all with the same number of decimals."""
        known = [number for number in numbers if number == number]
        if self.measure in ("accuracy", "R²"):
            return [f"{number:.3f}" for number in numbers]
        texts = iter(evenly(known, 4))
        return [next(texts) if number == number else "nan" for number in numbers]


def compare_models(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    folds: int = 10,
    repeats: int = 1,
    random_state: int = 0,
    against: str | None = None,
    cost_matrix: Any = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Comparison:
    """Cross-validate several models on the same folds and test the differences.

    models: unfitted estimators by name, all classifiers or all regressors; they are cloned. X, y, sample_weight: the
    rows. folds, repeats: how often the rows are dealt into folds, the rows of each class evenly; random_state: of the
    dealing. against: the model to test the others against; by default the one of the best mean. cost_matrix: then the
    mean cost is compared instead of the accuracy. progress: called with (fits done, fits in all).

    >>> from quercus import C45Classifier, ID3Classifier
    >>> from quercus.datasets import load_restaurant
    >>> models = {"id3": ID3Classifier(), "c45": C45Classifier()}
    >>> table = compare_models(models, *load_restaurant(), folds=4, against="id3")
    >>> [(row.name, round(row.mean, 3), row.size, row.wins, row.losses) for row in table]
    [('id3', 0.333, 6.0, 0, 0), ('c45', 0.667, 3.0, 2, 0)]
    >>> round(table["c45"].test.p, 3)
    0.339
    """
    if isinstance(models, Mapping):
        models = {name: estimator_to_fit(model) for name, model in models.items()}
    numbers = _check_models(models, against)
    target: Any = encode_numbers(y) if numbers else encode_classes(y)
    n_rows = len(target) if numbers else len(target.codes)
    weights = read_sample_weight(sample_weight, n_rows)
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise ParameterError(f"repeats is {repeats!r}, but must be a whole number of at least 1.")
    judge = _Judge.of(target, cost_matrix, numbers)
    parts = [
        part
        for repeat in range(repeats)
        for part in divisions(fold_numbers(folds, target, n_rows, random_state + repeat))
    ]
    if numbers and min(len(left_out) for _, left_out in parts) < 2:
        raise DataError(f"folds={folds} leaves folds of one row, on which R² has no meaning; give fewer folds.")
    runs: dict[str, list[_Run]] = {name: [] for name in models}
    for done, (training, left_out) in enumerate(parts):
        rows = take_rows(X, training), take_rows(y, training), None if weights is None else weights[training]
        unseen = take_rows(X, left_out), left_out, None if weights is None else weights[left_out]
        for place, (name, model) in enumerate(models.items()):
            runs[name].append(_run(model, rows, unseen, judge))
            if progress is not None:
                progress(done * len(models) + place + 1, len(parts) * len(models))
    ratio = float(np.mean([len(left_out) / len(training) for training, left_out in parts]))
    comparison = _comparison(runs, judge.measure, ratio, against, (folds, repeats, n_rows))
    return replace(comparison, **judge.yardstick(weights))


@dataclass(frozen=True)
class _Run:
    score: float
    size: float | None
    unit: str
    depth: float | None
    seconds: float


@dataclass(frozen=True, eq=False)
class _Judge:
    """Scores answers for rows that were left out."""

    measure: str
    true: NDArray[Any]
    classes: tuple[Any, ...]
    costs: Floats | None

    @classmethod
    def of(cls, target: Any, cost_matrix: Any, numbers: bool) -> _Judge:
        if numbers:
            if cost_matrix is not None:
                raise ParameterError("cost_matrix weighs classes against each other; these models answer numbers.")
            return cls("R²", target, (), None)
        assert isinstance(target, ClassTarget)
        classes = tuple(plain_value(label) for label in target.classes)
        costs = read_cost_matrix(cost_matrix, classes)
        return cls("accuracy" if costs is None else "mean cost", target.codes, classes, costs)

    def yardstick(self, weights: Floats | None) -> dict[str, Any]:
        """The cheapest constant answer to all rows; nothing without costs."""
        if self.costs is None:
            return {}
        support = np.bincount(self.true, weights, minlength=len(self.classes)).astype(np.float64)
        place, cost = cheapest_answer(support, self.costs)
        return {"cheapest": self.classes[place], "cheapest_cost": cost}

    def score(self, answers: Any, rows: NDArray[np.int64], weights: Floats | None) -> float:
        true = self.true[rows]
        if self.measure == "R²":
            from sklearn.metrics import r2_score

            return float(r2_score(true, np.asarray(answers, dtype=np.float64), sample_weight=weights))
        position = {value_key(label): place for place, label in enumerate(self.classes)}
        answered = np.array([position[value_key(plain_value(label))] for label in answers], dtype=np.int64)
        loss = (answered == true).astype(np.float64) if self.costs is None else self.costs[true, answered]
        return float(np.average(loss, weights=weights))


def _run(model: Any, rows: tuple[Any, Any, Any], unseen: tuple[Any, Any, Any], judge: _Judge) -> _Run:
    """Fit one model to the rows of a fold and score it on those left out."""
    fitted = clone(model)
    start = time.perf_counter()
    if rows[2] is None:
        fitted.fit(rows[0], rows[1])
    else:
        fitted.fit(rows[0], rows[1], sample_weight=rows[2])
    seconds = time.perf_counter() - start
    size, unit, depth = size_of(fitted)
    return _Run(judge.score(fitted.predict(unseen[0]), unseen[1], unseen[2]), size, unit, depth, seconds)


def size_of(model: Any) -> tuple[float | None, str, float | None]:
    """The size of a fitted model: its rules, or the leaves and the depth of its tree; of a collection its members.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> size_of(ID3Classifier().fit(*load_play_tennis()))
    (5.0, 'leaves', 2.0)
    """
    if not isinstance(model, Readable):  # a model of another library
        has_leaves = hasattr(model, "get_n_leaves")
        return (float(model.get_n_leaves()), "leaves", float(model.get_depth())) if has_leaves else (None, "", None)
    fitted = model.model_
    if fitted.forest is not None:
        return float(len(fitted.forest)), "rule lists" if fitted.answers_by_rules else "trees", None
    if fitted.rule_list is not None:
        return float(len(fitted.rule_list)), "rules", None
    return float(fitted.get_n_leaves()), "leaves", float(fitted.get_depth())


def best_place(results: list[tuple[float, float | None]], higher: bool) -> int:
    """The position of the best mean; of equal ones (to 1e-12) that of the smallest size, then the first."""
    best = max if higher else min
    top = best(mean for mean, _ in results)
    tied = [place for place, (mean, _) in enumerate(results) if abs(mean - top) <= 1e-12]
    return min(tied, key=lambda place: (math.inf if results[place][1] is None else results[place][1], place))


def _comparison(
    runs: Mapping[str, list[_Run]], measure: str, ratio: float, against: str | None, frame: tuple[int, int, int]
) -> Comparison:
    names = list(runs)
    scores = {name: np.array([run.score for run in entries]) for name, entries in runs.items()}
    sizes = {name: _mean([run.size for run in entries]) for name, entries in runs.items()}
    higher = MEASURES[measure]
    if against is None:
        against = names[best_place([(float(scores[name].mean()), sizes[name]) for name in names], higher)]
    rows = []
    for name, entries in runs.items():
        differences = scores[name] - scores[against]
        gains = differences if higher else -differences
        tested = None if name == against else corrected_paired_test(differences, ratio)
        rows.append(
            ComparisonRow(
                name=name,
                scores=scores[name],
                mean=float(scores[name].mean()),
                spread=float(scores[name].std(ddof=1)),
                size=sizes[name],
                size_unit=entries[0].unit,
                depth=_mean([run.depth for run in entries]),
                fit_seconds=float(np.mean([run.seconds for run in entries])),
                test=tested,
                wins=0 if tested is None else int((gains > 1e-12).sum()),
                ties=0 if tested is None else int((np.abs(gains) <= 1e-12).sum()),
                losses=0 if tested is None else int((gains < -1e-12).sum()),
                verdict="" if tested is None or tested.p >= 0.05 else "better" if gains.mean() > 0 else "worse",
            )
        )
    return Comparison(tuple(rows), measure, *frame, against)


def _mean(numbers: list[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return float(np.mean(known)) if known else None


def estimator_to_fit(model: Any) -> Any:
    """The estimator that fits models as the one given was fitted; anything but a ``Model`` stays itself."""
    return model.as_estimator() if isinstance(model, Model) else model


def _check_models(models: Mapping[str, Any], against: str | None) -> bool:
    """Refuse what cannot be compared; return whether the models answer numbers."""
    if not isinstance(models, Mapping) or not models:
        raise ParameterError("models must be a dict of name: estimator with at least one entry.")
    if against is not None and against not in models:
        raise ParameterError(choice_message("against", against, list(models)))
    kinds = {name: _kind(model) for name, model in models.items()}
    if len(set(kinds.values())) > 1 or "neither" in kinds.values():
        raise ParameterError(f"models must be all classifiers or all regressors, but are {kinds}.")
    return set(kinds.values()) == {"regressor"}


def _kind(model: Any) -> str:
    from sklearn.base import is_classifier, is_regressor

    if not hasattr(model, "__sklearn_tags__"):
        return "neither"
    return "regressor" if is_regressor(model) else "classifier" if is_classifier(model) else "neither"


def _time_text(seconds: float) -> str:
    """A time in the unit that suits it.

    >>> _time_text(0.0021), _time_text(12.34)
    ('2.1 ms', '12.3 s')
    """
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
