"""Estimators: the algorithms as scikit-learn classes; parameters, checks, and a chain of the layers below.

Collections of trees are imported when they are first used, with all the layers that they need.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from quercus.estimators.c45 import C45Classifier
from quercus.estimators.c45_rules import C45RulesClassifier
from quercus.estimators.cart_classifier import CARTClassifier
from quercus.estimators.cart_regressor import CARTRegressor
from quercus.estimators.id3 import ID3Classifier
from quercus.estimators.part import PARTClassifier
from quercus.estimators.ripper import RIPPERClassifier
from quercus.fitted.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from quercus.estimators.bagging import BaggingClassifier, BaggingRegressor
    from quercus.estimators.boosted import BoostedClassifier
    from quercus.estimators.distilled import distill as distill
    from quercus.estimators.inspection import importance as importance
    from quercus.estimators.inspection import outliers as outliers
    from quercus.estimators.inspection import partial_dependence as partial_dependence
    from quercus.estimators.inspection import proximities as proximities
    from quercus.estimators.random_forest_classifier import RandomForestClassifier
    from quercus.estimators.random_forest_regressor import RandomForestRegressor

__all__ = [
    "BaggingClassifier",
    "BaggingRegressor",
    "BoostedClassifier",
    "C45Classifier",
    "C45RulesClassifier",
    "CARTClassifier",
    "CARTRegressor",
    "ID3Classifier",
    "PARTClassifier",
    "RIPPERClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
]

#: Where what is imported at first use stands: the collections, and functions for fitted models.
_LATER = {row.name: row.module for row in ALGORITHMS.values() if row.answers_by == "members"}
_LATER |= {"distill": "distilled"} | dict.fromkeys(
    ("importance", "outliers", "partial_dependence", "proximities"), "inspection"
)


if not TYPE_CHECKING:  # type checkers read the imports above, and complain of names that do not exist

    def __getattr__(name: str) -> Any:
        """Import a collection's class, or a function for collections, at its first use (PEP 562)."""
        if name not in _LATER:
            raise AttributeError(f"module 'quercus.estimators' has no attribute {name!r}")
        value = getattr(import_module(f"quercus.estimators.{_LATER[name]}"), name)
        globals()[name] = value
        return value
