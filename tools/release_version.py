"""Refuse a release whose tag, package, citation and changelog do not name the same version.

``python tools/release_version.py v0.2.0``
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def disagreements(tag: str, root: Path = ROOT) -> list[str]:
    """What does not name the version of a tag, one sentence per place."""
    version = tag.removeprefix("v")
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    citation = re.search(r"^version: (.+)$", (root / "CITATION.cff").read_text(), flags=re.MULTILINE)
    result = []
    if project != version:
        result.append(f"pyproject.toml has the version {project}")
    if citation is None or citation[1] != version:
        result.append(f"CITATION.cff has the version {citation[1] if citation else 'missing'}")
    if f"## [{version}]" not in (root / "CHANGELOG.md").read_text():
        result.append(f"CHANGELOG.md has no section [{version}]")
    return result


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/release_version.py v0.2.0")
    if faults := disagreements(sys.argv[1]):
        sys.exit(f"The tag is {sys.argv[1]}, but " + "; ".join(faults) + ".")
