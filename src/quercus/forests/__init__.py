"""Forests: what many models say together, how far they agree, and what they say of rows they have not seen."""

from quercus.forests.agreement import agreement, spread, votes
from quercus.forests.collection import collection_answers
from quercus.forests.committee import Committee
from quercus.forests.impurity_importance import impurity_importance
from quercus.forests.out_of_bag import OutOfBag, OutOfBagTally, out_of_bag
from quercus.forests.stopping import FlatCurve

__all__ = [
    "Committee",
    "FlatCurve",
    "OutOfBag",
    "OutOfBagTally",
    "agreement",
    "collection_answers",
    "impurity_importance",
    "out_of_bag",
    "spread",
    "votes",
]
