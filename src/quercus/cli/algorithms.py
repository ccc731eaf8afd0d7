"""The algorithms that the command line offers: one table, one line each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quercus.errors import ParameterError, choice_message, did_you_mean


@dataclass(frozen=True)
class Algorithm:
    """A name for people, and the estimators for classes and for numbers (None: it cannot)."""

    title: str
    classifier: str | None
    regressor: str | None = None


ALGORITHMS: dict[str, Algorithm] = {
    "id3": Algorithm("ID3", "ID3Classifier"),
    "c45": Algorithm("C4.5", "C45Classifier"),
    "cart": Algorithm("CART", "CARTClassifier", "CARTRegressor"),
    "rules": Algorithm("C4.5 rules", "C45RulesClassifier"),
    "part": Algorithm("PART", "PARTClassifier"),
    "ripper": Algorithm("RIPPER", "RIPPERClassifier"),
}
NAMES = "|".join(ALGORITHMS)


def algorithm_of(name: str) -> Algorithm:
    """The entry of a name."""
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

    >>> make_estimator("c45", False, {"confidence": 0.1})
    C45Classifier(confidence=0.1)
    """
    import quercus

    algorithm = algorithm_of(name)
    estimator = getattr(quercus, (algorithm.regressor if numbers else algorithm.classifier) or "")()
    known = estimator.get_params()
    for option in options:
        if option not in known:
            offered = ", ".join(sorted(set(known) - {"progress"}))
            raise ParameterError(
                f"{algorithm.title} has no parameter {option!r}.{did_you_mean(option, known)} It has {offered}."
            )
    return estimator.set_params(**options)


def with_data_options(estimator: Any, options: Mapping[str, Any]) -> Any:
    """The estimator with what a file says of its columns, as far as it has such parameters and nothing was given."""
    known = estimator.get_params()
    for name, value in options.items():
        if name in known and known[name] in (None, ()) and value is not None:
            estimator.set_params(**{name: value})
    return estimator
