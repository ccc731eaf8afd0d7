"""The questions of a tree, one file for each kind."""

from quercus.tree.questions.grouped import Grouped
from quercus.tree.questions.kinds import (
    KIND_NAMES,
    KINDS,
    asked_once,
    kinds_that,
    named_kinds,
    positions_of,
    question_of,
)
from quercus.tree.questions.multiway import Multiway
from quercus.tree.questions.question import Question, encoded
from quercus.tree.questions.subset import Subset
from quercus.tree.questions.threshold import Threshold

__all__ = [
    "KINDS",
    "KIND_NAMES",
    "Grouped",
    "Multiway",
    "Question",
    "Subset",
    "Threshold",
    "asked_once",
    "encoded",
    "kinds_that",
    "named_kinds",
    "positions_of",
    "question_of",
]
