"""Fitted models as values: the parts of a fitted model, how it answers, and how other rooms read it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quercus.fitted.decision import Decision
    from quercus.fitted.model import Model, model_of

__all__ = ["Decision", "Model", "model_of"]

if not TYPE_CHECKING:  # the table of algorithms is read without all that a model needs

    def __getattr__(name: str) -> Any:
        """Import a name at its first use (PEP 562)."""
        if name not in __all__:
            raise AttributeError(f"module 'quercus.fitted' has no attribute {name!r}")
        return getattr(import_module(f"quercus.fitted.{'decision' if name == 'Decision' else 'model'}"), name)
