"""Rows of an explanation as a pandas frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quercus.errors import missing_extra


def frame_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as a pandas frame."""
    try:
        import pandas
    except ImportError:
        raise missing_extra("pandas", "tables") from None
    return pandas.DataFrame(list(rows))
