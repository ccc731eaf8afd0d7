"""Imports: models of other libraries as models of Quercus, with all that follows."""

from quercus.imports.scikit_learn import from_sklearn

__all__ = ["from_sklearn"]
