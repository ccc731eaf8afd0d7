"""The algorithms that the command line offers, and their estimators with parameters by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quercus.errors import ParameterError, choice_message, did_you_mean
from quercus.fitted.algorithms import ALGORITHMS as EVERY
from quercus.fitted.algorithms import AnswersBy


@dataclass(frozen=True)
class Offer:
    """A name for people, the estimators for classes and for numbers (None: it cannot), and what answers."""

    title: str
    classifier: str | None
    regressor: str | None
    answers_by: AnswersBy

    @property
    def collection(self) -> bool:
        """Whether it makes many trees or rule lists."""
        return self.answers_by == "members"


def _offers() -> dict[str, Offer]:
    """The algorithms by their names on the command line."""
    rows = [row for row in EVERY.values() if row.key]
    names = {(row.key, row.numbers): row.name for row in rows}
    return {
        row.key: Offer(row.title, names.get((row.key, False)), names.get((row.key, True)), row.answers_by)
        for row in rows
    }


ALGORITHMS: dict[str, Offer] = _offers()
NAMES = ", ".join(ALGORITHMS)
TREES = [name for name, entry in ALGORITHMS.items() if entry.answers_by == "tree"]
COLLECTIONS = [name for name, entry in ALGORITHMS.items() if entry.collection]


def listed(names: list[str], word: str = "or") -> str:
    """Names as one phrase.

    >>> listed(["id3", "c45", "cart"])
    'id3, c45 or cart'
    """
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


def algorithm_of(name: str) -> Offer:
    """The algorithm of a name."""
    if name not in ALGORITHMS:
        raise ParameterError(choice_message("--algorithm", name, list(ALGORITHMS)))
    return ALGORITHMS[name]


def chosen_algorithm(name: str | None, numbers: bool) -> str:
    """The algorithm asked for; if none is, C4.5 for classes and CART for numbers."""
    if name is None:
        return "cart" if numbers else "c45"
    algorithm = algorithm_of(name)
    if (algorithm.regressor if numbers else algorithm.classifier) is None:
        able = [key for key, entry in ALGORITHMS.items() if (entry.regressor if numbers else entry.classifier)]
        kind, other = ("numbers", "classification") if numbers else ("classes", "regression")
        raise ParameterError(
            f"{name} cannot predict {kind}; give --algorithm {' or '.join(able)}, or --task {other} if that is meant."
        )
    return name


def make_estimator(name: str, numbers: bool, options: Mapping[str, Any]) -> Any:
    """The unfitted estimator of an algorithm with parameters by name; those it does not have are refused.

    An ``estimator`` is an algorithm's name; its parameters are ``estimator__…``.

    >>> make_estimator("c45", False, {"confidence": 0.1})
    C45Classifier(confidence=0.1, threshold='short_value')
    >>> make_estimator("bagging", False, {"estimator": "c45", "estimator__confidence": 0.1})
    BaggingClassifier(estimator=C45Classifier(confidence=0.1,
                                              threshold='short_value'))
    """
    import quercus
    from quercus.estimators.base import method_of_model

    algorithm = algorithm_of(name)
    estimator = getattr(quercus, (algorithm.regressor if numbers else algorithm.classifier) or "")()
    parameters = dict(options)
    if "estimator" in estimator.get_params():
        estimator.set_params(
            estimator=_member(estimator, parameters.pop("estimator", None), parameters.get("method"), numbers)
        )
    known = estimator.get_params()
    for option in parameters:
        if option not in known:
            offered = ", ".join(method_of_model(estimator).parameters)
            raise ParameterError(
                f"{algorithm.title} has no parameter {option!r}.{did_you_mean(option, known)} It has {offered}."
            )
    estimator.set_params(**parameters)
    return with_short_thresholds(estimator)


def with_short_thresholds(estimator: Any) -> Any:
    """The estimator; if nothing was said of thresholds, it writes short numbers.

    Every tree that this program grows for people to read is read more easily so. Instead of midpoints the shortest
    numbers are written; instead of values of the data, as C4.5 has them, only those that are short. The presets of
    other programs write what those write. ``--param threshold=midpoint`` and ``data_value`` are the ways back.

    >>> with_short_thresholds(make_estimator("cart", False, {"threshold": "midpoint"}))
    CARTClassifier(threshold='midpoint')
    >>> make_estimator("cart", False, {})
    CARTClassifier(threshold='short')
    >>> make_estimator("c45", False, {}), make_estimator("c45", False, {"preset": "j48"})
    (C45Classifier(threshold='short_value'), C45Classifier(preset='j48'))
    """
    from quercus.estimators.c45 import C45Growing
    from quercus.estimators.growing_parameters import Thresholds

    another_program = isinstance(estimator, C45Growing) and estimator.preset != "c45"
    if isinstance(estimator, Thresholds) and estimator.threshold is None and not another_program:
        estimator.threshold = "short" if estimator.own_threshold == "midpoint" else "short_value"
    return estimator


def _member(collection: Any, chosen: Any, method: Any, numbers: bool) -> Any:
    """What one member of a collection is: the algorithm chosen, or what the collection takes if none is."""
    if chosen is None:
        return with_short_thresholds(
            (collection.set_params(method=method) if method is not None else collection)._member()
        )
    able = [
        name
        for name, entry in ALGORITHMS.items()
        if not entry.collection and (entry.regressor if numbers else entry.classifier)
    ]
    if chosen not in able:
        raise ParameterError(choice_message("--param estimator", chosen, able))
    return make_estimator(chosen, numbers, {})


def place_of(parameter: str, known: Mapping[str, Any]) -> str | None:
    """The name under which an estimator has a parameter: its own, or that of its members; None: it has none.

    >>> place_of("prune", {"estimator": None, "estimator__prune": True})
    'estimator__prune'
    """
    return next((name for name in (parameter, f"estimator__{parameter}") if name in known), None)


def with_data_options(estimator: Any, options: Mapping[str, Any]) -> Any:
    """The estimator with what a file says of its columns, as far as it has such parameters and nothing was given."""
    known = estimator.get_params()
    for name, value in options.items():
        place = place_of(name, known)
        if place is not None and known[place] in (None, ()) and value is not None:
            estimator.set_params(**{place: value})
    return estimator
