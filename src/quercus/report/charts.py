"""The charts of a report: from evidence to pictures, drawn by quercus.draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quercus.report.subject import Subject


def chart_pictures(subject: Subject, evidence: Mapping[str, Any]) -> list[dict[str, str]]:
    """Title and SVG text of every chart that the evidence allows."""
    return []
