"""The commands: which there are, in the order of the help; each stands in the file of its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from keyword import iskeyword
from typing import Any

from quercus.cli.output import on_terminal


@dataclass(frozen=True)
class Command:
    """A command: the heading that it stands under, and its name, which is that of its file and its function.

    A hyphen in the name is an underscore there; behind a name that is a word of Python stands one.
    """

    panel: str
    name: str

    @property
    def _python_name(self) -> str:
        return self.name.replace("-", "_") + ("_" if iskeyword(self.name) else "")

    def load(self) -> Callable[..., Any]:
        """Import the function of the command."""
        function: Callable[..., Any] = getattr(import_module(f"quercus.cli.{self._python_name}"), self._python_name)
        return function

    @property
    def examples(self) -> tuple[str, ...]:
        """The calls that its help shows."""
        return tuple(import_module(f"quercus.cli.{self._python_name}").EXAMPLES)


COMMANDS = [
    Command("Make a model", "fit"),
    Command("Make a model", "prune"),
    Command("Make a model", "distill"),
    Command("Make a model", "import"),
    Command("Make a model", "compare"),
    Command("Make a model", "tune"),
    Command("Use a model", "predict"),
    Command("Use a model", "evaluate"),
    Command("Use a model", "consult"),
    Command("Use a model", "export"),
    Command("Use a model", "verify-export"),
    Command("See why", "show"),
    Command("See why", "explain"),
    Command("See why", "importance"),
    Command("See why", "rules"),
    Command("See why", "plot"),
    Command("See why", "report"),
    Command("Learn", "parameters"),
    Command("Learn", "measures"),
    Command("Learn", "datasets"),
    Command("Learn", "demo"),
]


def examples(*calls: str) -> str:
    """The examples at the end of a help text; plain help keeps its lines behind a backspace."""
    lines = ["Examples:", *(f"  {call}" for call in calls)]
    return "\n".join(lines if on_terminal() else ["\b", *lines])
