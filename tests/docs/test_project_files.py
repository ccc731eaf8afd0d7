"""What stands around the package: metadata, citation, workflows and owners name what is there."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HOME: str = PROJECT["urls"]["Homepage"]
WORKFLOWS = ROOT / ".github" / "workflows"

if not WORKFLOWS.exists():
    pytest.skip("the source archive has no workflows", allow_module_level=True)


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_link_of_the_readme_is_whole_since_package_indexes_show_it() -> None:
    prose = re.sub(r"^```.*?^```", "", _text("README.md"), flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r"\]\(([^)\s]+)\)", prose)
    assert len(targets) > 10
    for target in targets:
        kind, _, path = target.removeprefix(f"{HOME}/").partition("/main/")
        assert target.startswith(HOME) and kind == ("raw" if path.endswith(".svg") else "blob"), target
        assert (ROOT / path).is_file(), target


def test_every_address_of_the_metadata_leads_to_the_repository() -> None:
    for name, address in PROJECT["urls"].items():
        assert address.startswith(HOME), name
        if "/blob/main/" in address:
            assert (ROOT / address.partition("/blob/main/")[2]).is_file(), name


def _release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release_version", ROOT / "tools" / "release_version.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_release_needs_one_version_and_one_repository_everywhere(tmp_path: Path) -> None:
    disagreements = _release().disagreements
    repository = HOME.removeprefix("https://github.com/")
    missing = f"CHANGELOG.md has no section [{PROJECT['version']}]"
    assert disagreements(f"v{PROJECT['version']}", repository) in ([], [missing])
    for name in ("pyproject.toml", "CITATION.cff"):
        (tmp_path / name).write_text(_text(name).replace(PROJECT["version"], "9.9.9"), encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text("## [9.9.9] - today\n", encoding="utf-8")
    assert disagreements("v9.9.9", repository, tmp_path) == []
    assert len(disagreements("v9.9.8", repository, tmp_path)) == 3
    assert [text.partition(" has")[0] for text in disagreements("v9.9.9", "some/fork", tmp_path)] == [
        "pyproject.toml",
        "CITATION.cff",
    ]


def test_the_workflows_try_the_versions_of_python_that_the_package_names() -> None:
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    matrix = re.search(r"python: \[(.*)\]", _text(".github/workflows/tests.yml"))
    built = re.search(r'CIBW_BUILD: "(.*)"', _text(".github/workflows/wheels.yml"))
    assert matrix is not None and re.findall(r"3\.\d+", matrix[1]) == named
    assert built is not None and built[1].split() == [f"cp{version.replace('.', '')}-*" for version in named]


def test_every_step_of_a_workflow_calls_something_that_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", _text("Makefile"), re.MULTILINE))
    for workflow in WORKFLOWS.glob("*.yml"):
        text = workflow.read_text(encoding="utf-8")
        assert set(re.findall(r"run: make ([a-z-]+)", text)) <= targets
        named = re.findall(r"uses: \./(\S+)|python (tools/\S+)|run: (\.ci/\S+)|(tests/\w+)", text)
        for path in filter(None, sum(named, ())):
            assert (ROOT / path).exists(), f"{workflow.name}: {path}"


def test_every_owned_path_exists() -> None:
    paths = re.findall(r"^/(\S+)", _text(".github/CODEOWNERS"), re.MULTILINE)
    assert paths and [path for path in paths if not (ROOT / path).exists()] == []
