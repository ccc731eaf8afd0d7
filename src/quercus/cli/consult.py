"""``quercus consult``: the tree asks, one question after the other, only what it needs to know."""

from __future__ import annotations

from quercus.cli.options import ModelFile

EXAMPLES = ("quercus consult model.json",)


def consult(
    model: ModelFile,
) -> None:
    """Answer the questions of a tree until it can answer you."""
    raise NotImplementedError
