"""ARCHITECTURE.md says what is there: files, rooms, layers, switches; and the contracts that sources can break hold."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from quercus.growing.grow import SWITCHES

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "quercus"
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
FILES = {file: ast.parse(file.read_text(encoding="utf-8")) for file in sorted(SOURCE.rglob("*.py"))}
#: What IPython asks every object for; scikit-learn's estimators answer it, and ours call them.
NOTEBOOK = {"_repr_html_", "_repr_mimebundle_"}


def _section(title: str) -> str:
    return TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]


def _written_paths() -> Iterator[str]:
    """Every file and folder that the page names, a choice in braces as several."""
    for path in re.findall(r"`([\w./{},*]+)`", TEXT):
        if path.endswith(("/", ".py", ".h", ".cpp", ".md", ".json")):
            head, _, rest = path.partition("{")
            choices, _, tail = rest.partition("}")
            yield from (head + choice + tail for choice in choices.split(","))
    yield from re.findall(r"\b[a-z_]+\.(?:h|cpp)\b", TEXT)


def test_every_file_and_folder_that_is_named_exists() -> None:
    missing = []
    for path in _written_paths():
        places = [ROOT / path, SOURCE / path, ROOT / "core" / path]
        inside = [*SOURCE.rglob(path.rstrip("/")), *(ROOT / "core").glob(path)]
        if not inside and not any(place.exists() for place in places):
            missing.append(path)
    assert missing == []


def test_every_file_of_the_core_is_named() -> None:
    names = {file.name for file in (ROOT / "core").iterdir() if not file.name.startswith("bind")}
    assert {name for name in names if not re.search(rf"\b{re.escape(name)}", TEXT)} == set()


def test_every_room_is_in_the_table_from_the_bottom_up() -> None:
    table = re.findall(r"^\| ((?:`[\w./]+`(?:, )?)+) \|", _section("Rooms and layers"), re.MULTILINE)
    rooms = [name.removesuffix("/").removesuffix(".py") for row in table for name in re.findall(r"`([\w./]+)`", row)]
    found = {file.stem for file in SOURCE.iterdir() if file.suffix == ".py" or (file / "__init__.py").exists()}
    assert set(rooms) - {"core"} == found - {"__init__", "__main__"}
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    layers = [layer.strip("()") for layer in contract["layers"]]
    assert [room for room in rooms if room in layers] == [layer for layer in reversed(layers) if layer != "__main__"]


def test_every_switch_is_in_the_table() -> None:
    table = re.findall(r"^\| `(\w+)` \|", _section("How the core grows a tree"), re.MULTILINE)
    assert sorted(table) == sorted(SWITCHES)


# --- the contracts ------------------------------------------------------------------------------------------------


def _imports(tree: ast.Module) -> Iterator[str]:
    """Every module and every name that a file imports, as a path with dots."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_the_reference_is_no_second_product_path() -> None:
    """The grower of the reference is one of the growers; nothing else of the library uses what stands beside it."""
    users = {
        file.relative_to(SOURCE).as_posix()
        for file, tree in FILES.items()
        if any(name.startswith("quercus.growing.reference") for name in _imports(tree))
    }
    users = {file for file in users if not file.startswith("growing/reference/")}
    assert users == {"growing/grower.py"}


def test_scikit_learn_is_imported_by_its_public_names() -> None:
    private = [
        (file.name, name)
        for file, tree in FILES.items()
        for name in _imports(tree)
        if name.partition(".")[0] == "sklearn" and any(part.startswith("_") for part in name.split("."))
    ]
    assert private == []


def test_no_private_method_of_scikit_learn_is_called() -> None:
    defined = {node.name for tree in FILES.values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for tree in FILES.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                defined.add(node.attr)
            elif isinstance(node, ast.AnnAssign | ast.Assign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                defined |= {target.id for target in targets if isinstance(target, ast.Name)}
    foreign = {
        node.attr
        for file, tree in FILES.items()
        if file.parent.name == "estimators"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and re.match(r"_[a-z]", node.attr)
    }
    assert foreign - defined - NOTEBOOK == set()


@pytest.mark.parametrize("file", sorted((ROOT / "core").iterdir()), ids=lambda file: file.name)
def test_only_the_bindings_of_the_core_know_python(file: Path) -> None:
    knows = re.search(r"#include\s*[<\"](Python\.h|nanobind)", file.read_text(encoding="utf-8")) is not None
    assert not knows or file.name.startswith("bind")
