"""Quercus: decision trees as they are taught, grown exactly and fast.

The public names are imported when they are first used, so that ``import quercus`` itself costs next to nothing.

>>> import quercus
>>> sorted(quercus.__all__)[:5]
['BaggingClassifier', 'BaggingRegressor', 'BoostedClassifier', 'C45Classifier', 'C45RulesClassifier']
"""

from __future__ import annotations

from importlib import import_module
from sys import modules
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quercus.estimators.bagging import BaggingClassifier, BaggingRegressor
    from quercus.estimators.boosted import BoostedClassifier
    from quercus.estimators.c45 import C45Classifier
    from quercus.estimators.c45_rules import C45RulesClassifier
    from quercus.estimators.cart import CARTClassifier, CARTRegressor
    from quercus.estimators.distilled import distill
    from quercus.estimators.id3 import ID3Classifier
    from quercus.estimators.inspection import importance, outliers, partial_dependence, proximities
    from quercus.estimators.part import PARTClassifier
    from quercus.estimators.random_forest import RandomForestClassifier, RandomForestRegressor
    from quercus.estimators.ripper import RIPPERClassifier
    from quercus.imports import from_lightgbm, from_sklearn, from_xgboost
    from quercus.models import load, save

    __version__: str

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
    "__version__",
    "distill",
    "from_lightgbm",
    "from_sklearn",
    "from_xgboost",
    "importance",
    "load",
    "outliers",
    "partial_dependence",
    "proximities",
    "save",
]

_MODEL_FILES = frozenset({"load", "save"})
_IMPORTS = frozenset({"from_lightgbm", "from_sklearn", "from_xgboost"})
_ESTIMATORS = frozenset(__all__) - _MODEL_FILES - _IMPORTS - {"__version__"}


if not TYPE_CHECKING:  # type checkers read the imports above, and complain of names that do not exist

    def __getattr__(name: str) -> Any:
        """Import a public name at its first use (PEP 562)."""
        if name == "__version__":
            from importlib.metadata import version

            value: Any = version("quercus")
        elif name in _ESTIMATORS:
            value = getattr(import_module("quercus.estimators"), name)
        elif name in _MODEL_FILES:
            value = getattr(import_module("quercus.models"), name)
        elif name in _IMPORTS:
            value = getattr(import_module("quercus.imports"), name)
        else:
            raise AttributeError(f"module 'quercus' has no attribute {name!r}; it offers {', '.join(__all__)}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """List the public names, whether or not they have been used yet, and the rooms that were imported."""
    rooms = {name for name in globals() if f"quercus.{name}" in modules and not name.startswith("_")}
    return sorted({*rooms, *(name for name in globals() if name.startswith("__")), *__all__})
