"""Imports: models of other libraries become models of Quercus, with pictures, rules, reports and exports."""

from quercus.imports.j48 import from_j48
from quercus.imports.lightgbm import from_lightgbm
from quercus.imports.pmml import from_pmml
from quercus.imports.rpart import from_rpart
from quercus.imports.scikit_learn import from_sklearn
from quercus.imports.xgboost import from_xgboost

__all__ = ["from_j48", "from_lightgbm", "from_pmml", "from_rpart", "from_sklearn", "from_xgboost"]
