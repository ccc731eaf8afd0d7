"""Estimators: the algorithms as scikit-learn classes; parameters, checks, and a chain of the layers below."""

from quercus.estimators.c45 import C45Classifier
from quercus.estimators.c45_rules import C45RulesClassifier
from quercus.estimators.cart_classifier import CARTClassifier
from quercus.estimators.cart_regressor import CARTRegressor
from quercus.estimators.id3 import ID3Classifier
from quercus.estimators.part import PARTClassifier
from quercus.estimators.ripper import RIPPERClassifier

__all__ = [
    "C45Classifier",
    "C45RulesClassifier",
    "CARTClassifier",
    "CARTRegressor",
    "ID3Classifier",
    "PARTClassifier",
    "RIPPERClassifier",
]
