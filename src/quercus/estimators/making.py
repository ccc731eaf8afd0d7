"""From a model back to its estimator."""

from __future__ import annotations

import copy
from importlib import import_module
from typing import Any

from quercus.errors import ParameterError
from quercus.fitted.algorithms import ALGORITHMS
from quercus.fitted.decision import Decision
from quercus.fitted.model import Model
from quercus.fitted.parts import Method


def class_of(name: str) -> Any:
    """The class of an algorithm's estimator.

    >>> class_of("C45Classifier").__name__
    'C45Classifier'
    """
    row = ALGORITHMS[name]
    if not row.module:
        raise ParameterError(f"A {name} has no estimator; it answers by itself.")
    return getattr(import_module(f"quercus.estimators.{row.module}"), name)


def unfitted(method: Method) -> Any:
    """The estimator of an algorithm with its parameters, not fitted."""
    return class_of(method.algorithm)(**method.parameters)


def check_parameters(method: Method, classes: Any) -> None:
    """Refuse parameters that the estimator would refuse, and that answers for these classes would fail by."""
    estimator = copy.deepcopy(unfitted(method))  # checks may draw a seed
    estimator._check_parameters()
    Decision.of(method.parameters, classes)


def estimator_of(model: Model) -> Any:
    """The fitted estimator of a model.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> estimator_of(ID3Classifier(max_depth=1).fit(X, y).model_)
    ID3Classifier(max_depth=1)
    """
    return unfitted(model.method).fitted_to(model)
