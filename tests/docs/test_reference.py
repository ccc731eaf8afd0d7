"""The references to the library and to the command line: nothing public is missing, and everything is explained."""

from __future__ import annotations

import inspect
import pkgutil
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import quercus

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.append(str(DOCS))
pytest.importorskip("typer", reason='the commands are read from the program: pip install "quercus[cli]"')

import command_reference  # noqa: E402
import reference  # noqa: E402
import site_hooks  # noqa: E402

PAGES = reference.pages()
COMMANDS = command_reference.program().commands
FUNCTIONS = [
    (room, name, reference.public(room, name))
    for room, names in reference.public_names().items()
    for name in names
    if reference.is_function(reference.public(room, name))
]
CLASSES = [
    (room, name, reference.public(room, name))
    for room, names in reference.public_names().items()
    for name in names
    if inspect.isclass(reference.public(room, name))
]


def _heading(page: str, name: str) -> bool:
    return re.search(rf"^## {name} \{{ #{name} \}}$", page, re.MULTILINE) is not None


def test_every_module_is_a_public_room_or_known_to_be_private() -> None:
    modules = {module.name for module in pkgutil.iter_modules(quercus.__path__)}
    assert modules == set(reference.ROOMS) | reference.PRIVATE


def test_every_public_name_is_in_the_reference() -> None:
    for room in reference.ROOMS:
        page = PAGES[f"reference/{room}.md"]
        assert [name for name in reference.room(room).__all__ if not _heading(page, name)] == []
    everything = "".join(PAGES.values())
    assert [name for name in quercus.__all__ if name != "__version__" and not _heading(everything, name)] == []
    index = PAGES["reference/index.md"]
    for room, names in reference.public_names().items():
        assert [name for name in names if f"| [{name}]({room}.md#{name}) |" not in index] == []


@pytest.mark.parametrize(("room", "name", "function"), FUNCTIONS, ids=[name for _, name, _ in FUNCTIONS])
def test_every_function_says_what_it_does_and_what_its_parameters_are(room: str, name: str, function: Any) -> None:
    assert (inspect.getdoc(function) or "").strip(), f"quercus.{room}.{name}"
    assert reference.undocumented(function) == [], f"quercus.{room}.{name}"


@pytest.mark.parametrize(("room", "name", "kind"), CLASSES, ids=[name for _, name, _ in CLASSES])
def test_every_class_and_every_method_says_what_it_is(room: str, name: str, kind: type) -> None:
    assert (kind.__doc__ or "").strip() and not (kind.__doc__ or "").startswith(f"{name}("), f"quercus.{room}.{name}"
    for method, value in reference.members(kind).items():
        assert (inspect.getdoc(value) or "").strip(), f"{name}.{method} of quercus.{room}"


ESTIMATORS = [(name, kind) for room, name, kind in CLASSES if room == "estimators" or name == "Model"]


@pytest.mark.parametrize(("name", "kind"), ESTIMATORS, ids=[name for name, _ in ESTIMATORS])
def test_every_parameter_of_an_estimator_and_its_methods_is_explained(name: str, kind: type) -> None:
    if name != "Model":
        assert reference.undocumented(kind) == []
        page = PAGES["reference/estimators.md"]
        section = page[page.index(f"## {name} {{") :].split("\n## ")[0]
        for parameter in inspect.signature(kind).parameters.values():
            assert f"`{reference.with_default(parameter)}`" in section, f"{name}: {parameter.name}"
    for method, value in reference.members(kind).items():
        if inspect.isfunction(value):
            assert reference.undocumented(value) == [], f"{name}.{method}"


def test_every_public_value_has_a_comment_that_says_what_it_is() -> None:
    known = {(room, name) for room, name, _ in [*FUNCTIONS, *CLASSES]}
    values = [
        (room, name) for room, names in reference.public_names().items() for name in names if (room, name) not in known
    ]
    assert values and [place for place in values if not reference.value_comment(*place)] == []


def test_every_common_word_is_used() -> None:
    used: set[str] = set()
    functions = [function for _, _, function in FUNCTIONS]
    functions += [value for _, kind in ESTIMATORS for value in reference.members(kind).values() if callable(value)]
    for function in functions:
        names = [parameter.name for parameter in reference.signature(function)]
        used |= set(reference.unsaid(reference.documented(function, names, common=False), names))
    assert set(reference.COMMON) <= used


def test_a_parameter_without_words_is_found() -> None:
    def grow(rows: object, depth: int = 3, seed: int = 0) -> None:
        """Grow a tree.

        rows: the table. seed: of the draw.
        """

    assert reference.undocumented(grow) == ["depth"]


def test_every_command_is_in_the_reference_with_all_that_it_takes() -> None:
    page = command_reference.page()
    for name, command in COMMANDS.items():
        assert _heading(page, name)
        section = page[page.index(f"## {name} {{") :].split("\n## ")[0]
        assert f"$ quercus {name} " in section.split("```")[-2], f"{name} has no example"
        for parameter in command.params:
            if parameter.name == "help" or getattr(parameter, "hidden", False):
                continue
            words = parameter.opts if parameter.param_type_name == "option" else [parameter.metavar]
            assert all(f"`{word}`" in section for word in words), f"{name}: {parameter.name}"
            assert (parameter.help or "").strip(), f"{name}: {parameter.name} has no words"


def test_the_defaults_of_options_are_shown() -> None:
    page = command_reference.page()
    evaluate = page[page.index("## compare {") :].split("\n## ")[0]
    assert re.search(r"\| `--folds`, `-k` `N` \| `10` \|", evaluate)


def test_public_names_lead_to_the_reference() -> None:
    shown = "<h2><code>quercus.measures.gain</code></h2><p><code>quercus.measures.gain</code> <code>gain</code></p>"
    linked = site_hooks.linked(shown, "tours/student.html")
    assert linked.count("<a ") == 1 and 'href="../reference/measures.html#gain"' in linked
    assert site_hooks.linked(shown, "reference/measures.html").count("<a ") == 2
