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

from quercus.fitted.algorithms import ALGORITHMS

if TYPE_CHECKING:  # for type checkers and editors, which do not run the table
    from quercus.estimators.bagging import BaggingClassifier as BaggingClassifier
    from quercus.estimators.bagging import BaggingRegressor as BaggingRegressor
    from quercus.estimators.boosted import BoostedClassifier as BoostedClassifier
    from quercus.estimators.c45 import C45Classifier as C45Classifier
    from quercus.estimators.c45_rules import C45RulesClassifier as C45RulesClassifier
    from quercus.estimators.cart import CARTClassifier as CARTClassifier
    from quercus.estimators.cart import CARTRegressor as CARTRegressor
    from quercus.estimators.distilled import distill as distill
    from quercus.estimators.id3 import ID3Classifier as ID3Classifier
    from quercus.estimators.inspection import importance as importance
    from quercus.estimators.inspection import outliers as outliers
    from quercus.estimators.inspection import partial_dependence as partial_dependence
    from quercus.estimators.inspection import proximities as proximities
    from quercus.estimators.part import PARTClassifier as PARTClassifier
    from quercus.estimators.random_forest import RandomForestClassifier as RandomForestClassifier
    from quercus.estimators.random_forest import RandomForestRegressor as RandomForestRegressor
    from quercus.estimators.ripper import RIPPERClassifier as RIPPERClassifier
    from quercus.imports import from_j48 as from_j48
    from quercus.imports import from_lightgbm as from_lightgbm
    from quercus.imports import from_pmml as from_pmml
    from quercus.imports import from_rpart as from_rpart
    from quercus.imports import from_sklearn as from_sklearn
    from quercus.imports import from_xgboost as from_xgboost
    from quercus.models import load as load
    from quercus.models import save as save

    __version__: str

#: The room of each public name. The estimators are those of the table of algorithms.
_ROOMS = {
    **{row.name: "estimators" for row in ALGORITHMS.values() if row.module},
    **dict.fromkeys(("distill", "importance", "outliers", "partial_dependence", "proximities"), "estimators"),
    **dict.fromkeys(
        ("from_j48", "from_lightgbm", "from_pmml", "from_rpart", "from_sklearn", "from_xgboost"), "imports"
    ),
    **dict.fromkeys(("load", "save"), "models"),
}
__all__ = sorted([*_ROOMS, "__version__"])

if not TYPE_CHECKING:  # type checkers read the imports above, and complain of names that do not exist

    def __getattr__(name: str) -> Any:
        """Import a public name at its first use (PEP 562)."""
        if name == "__version__":
            from importlib.metadata import version

            value: Any = version("quercus")
        elif name in _ROOMS:
            value = getattr(import_module(f"quercus.{_ROOMS[name]}"), name)
        else:
            raise AttributeError(f"module 'quercus' has no attribute {name!r}; it offers {', '.join(__all__)}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """List the public names, whether or not they have been used yet, and the rooms that were imported."""
    rooms = {name for name in globals() if f"quercus.{name}" in modules and not name.startswith("_")}
    return sorted({*rooms, *(name for name in globals() if name.startswith("__")), *__all__})
