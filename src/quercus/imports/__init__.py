"""Imports: models of other libraries as models of Quercus, with all that follows."""

from quercus.imports.lightgbm import from_lightgbm
from quercus.imports.scikit_learn import from_sklearn
from quercus.imports.xgboost import from_xgboost

__all__ = ["from_lightgbm", "from_sklearn", "from_xgboost"]
