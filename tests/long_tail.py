"""The long tail of repeated tests: a few repetitions always, the others marked slow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def most_slow(cases: int | Sequence[Any], quick: int) -> list[Any]:
    """The cases (of a number: 0 … cases − 1) for a parameter; those from ``quick`` on are marked as slow."""
    listed = list(range(cases)) if isinstance(cases, int) else list(cases)
    return [*listed[:quick], *(pytest.param(case, marks=pytest.mark.slow) for case in listed[quick:])]
