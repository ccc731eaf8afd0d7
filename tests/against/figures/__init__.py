"""Figures of other programs, one JSON file per program, with the commands that produced them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read(program: str) -> dict[str, Any]:
    """The figures of one program."""
    found: dict[str, Any] = json.loads((Path(__file__).parent / f"{program}.json").read_text(encoding="utf-8"))
    return found
