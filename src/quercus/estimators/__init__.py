"""Estimators: the algorithms as scikit-learn classes; parameters, checks, and a chain of the layers below."""

from quercus.estimators.bagging import BaggingClassifier, BaggingRegressor
from quercus.estimators.boosted import BoostedClassifier
from quercus.estimators.c45 import C45Classifier
from quercus.estimators.c45_rules import C45RulesClassifier
from quercus.estimators.cart_classifier import CARTClassifier
from quercus.estimators.cart_regressor import CARTRegressor
from quercus.estimators.id3 import ID3Classifier
from quercus.estimators.part import PARTClassifier
from quercus.estimators.random_forest_classifier import RandomForestClassifier
from quercus.estimators.random_forest_regressor import RandomForestRegressor
from quercus.estimators.ripper import RIPPERClassifier

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
