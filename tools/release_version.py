"""Refuse a release whose tag, package, citation and changelog do not name the same version, or another repository.

``python tools/release_version.py v0.2.0 owner/name``
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def disagreements(tag: str, repository: str, root: Path = ROOT) -> list[str]:
    """What does not agree with a tag and the repository that it was set in, one sentence per place."""
    version, address = tag.removeprefix("v"), f"https://github.com/{repository}"
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = dict(re.findall(r"^([\w-]+): (.+)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE))
    result = []
    for name, said in (("pyproject.toml", project["version"]), ("CITATION.cff", citation.get("version"))):
        if said != version:
            result.append(f"{name} has the version {said}")
    for name, said in (("pyproject.toml", project["urls"]["Homepage"]), ("CITATION.cff", citation["repository-code"])):
        if said != address:
            result.append(f"{name} has the address {said}, not {address}")
    if f"## [{version}]" not in (root / "CHANGELOG.md").read_text(encoding="utf-8"):
        result.append(f"CHANGELOG.md has no section [{version}]")
    return result


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python tools/release_version.py v0.2.0 owner/name")
    if faults := disagreements(sys.argv[1], sys.argv[2]):
        sys.exit(f"The tag is {sys.argv[1]}, but " + "; ".join(faults) + ".")
