"""Estimators: the algorithms as scikit-learn classes; parameters, checks, and a chain of the layers below.

The classes are those of the table of algorithms; each is imported when it is first used, with the layers that it needs.
"""

from importlib import import_module
from typing import Any

from quercus.fitted.algorithms import ALGORITHMS

#: Where each name stands: the classes, and functions for fitted models.
_FILES = {row.name: row.module for row in ALGORITHMS.values() if row.module}
__all__ = sorted(_FILES)
_FILES |= {"distill": "distilled"} | dict.fromkeys(
    ("importance", "outliers", "partial_dependence", "proximities"), "inspection"
)


def __getattr__(name: str) -> Any:
    """Import a name at its first use (PEP 562)."""
    if name not in _FILES:
        raise AttributeError(f"module 'quercus.estimators' has no attribute {name!r}")
    value = getattr(import_module(f"quercus.estimators.{_FILES[name]}"), name)
    globals()[name] = value
    return value
