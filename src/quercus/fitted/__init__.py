"""Fitted models as values: what a fitted model is made of, how it answers, and how everything else reads it."""

from quercus.fitted.decision import Decision
from quercus.fitted.model import Model, model_of

__all__ = ["Decision", "Model", "model_of"]
