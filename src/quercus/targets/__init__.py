"""Kinds of target: what a model predicts, and everything that depends on it; one file for each kind.

- ``kind``: what every kind provides: the payload of a node, answers, losses and words.
- ``classes``, ``numbers``, ``quantiles``: the kinds. ``table``: all of them by name.
- ``telling``: how a kind is shown; ``class_telling``, ``class_words``: for classes. ``payload``: small values.
- ``labels``: from class shares to one class; ``pinball``: the loss that is least at a quantile.
"""

from quercus.targets.classes import Classes
from quercus.targets.kind import TargetKind
from quercus.targets.numbers import Numbers
from quercus.targets.payload import Layout
from quercus.targets.pinball import pinball_loss, weighted_quantiles
from quercus.targets.quantiles import Quantiles
from quercus.targets.table import KINDS, kind_from_json, kind_of

__all__ = [
    "KINDS",
    "Classes",
    "Layout",
    "Numbers",
    "Quantiles",
    "TargetKind",
    "kind_from_json",
    "kind_of",
    "pinball_loss",
    "weighted_quantiles",
]
