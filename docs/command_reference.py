"""The command-line reference: every command with its arguments, options, defaults and examples, from the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docstrings import markdown

PAGE = "reference/command_line.md"


def program() -> Any:
    """The program's group of commands."""
    from typer.main import get_command

    from quercus.cli.app import app

    return get_command(app)


def page() -> str:
    """The page of the command line."""
    from quercus.cli.commands import COMMANDS

    group = program()
    blocks = ["# Command line: quercus", *_paragraphs(group.help)]
    blocks.append(
        '`pip install "quercus[cli]"` brings the program; `quercus COMMAND --help` shows what stands here. Every '
        "command takes `-h` and `--help`. An option that takes several values is given several times."
    )
    rows = [f"| [{entry.name}](#{entry.name}) | {_first_sentence(group.commands[entry.name])} |" for entry in COMMANDS]
    blocks.append("\n".join(["| command | what it does |", "| --- | --- |", *rows]))
    blocks += ["## Before the command", *_options(group)]
    panel = None
    for entry in COMMANDS:
        if entry.panel != panel:
            panel = entry.panel
        blocks += list(_command(entry, group.commands[entry.name]))
    return "\n\n".join(blocks) + "\n"


def _paragraphs(text: str) -> list[str]:
    return [markdown(" ".join(part.split())) for part in text.split("\n\n")]


def _first_sentence(command: Any) -> str:
    return re.split(r"(?<=[.!?])\s", _paragraphs(command.help)[0])[0]


def _command(entry: Any, command: Any) -> Iterator[str]:
    yield f"## {entry.name} {{ #{entry.name} }}"
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    words = [argument.metavar or argument.name.upper() for argument in arguments]
    words = [word if argument.required else f"[{word}]" for word, argument in zip(words, arguments, strict=True)]
    yield "```console\n$ " + " ".join(["quercus", entry.name, "[OPTIONS]", *words]) + "\n```"
    yield from _paragraphs(command.help)
    if arguments:
        rows = [f"| `{a.metavar or a.name.upper()}` | {_cell(_words(a))} |" for a in arguments]
        yield "\n".join(["| argument | what it is |", "| --- | --- |", *rows])
    yield from _options(command)
    yield "```console\n" + "".join(f"$ {call}\n" for call in entry.examples) + "```"


def _words(argument: Any) -> str:
    return argument.help or ""


def options(command: Any) -> list[Any]:
    """The options of a command that its help shows."""
    return [
        parameter
        for parameter in command.params
        if parameter.param_type_name == "option" and not parameter.hidden and parameter.name != "help"
    ]


def _options(command: Any) -> Iterator[str]:
    rows = []
    for option in options(command):
        names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
        metavar = "" if option.is_flag else f" `{option.metavar or option.type.name.upper()}`"
        rows.append(f"| {names}{metavar} | {_default(option)} | {_cell(option.help or '')} |")
    if rows:
        yield "\n".join(["| option | default | what it does |", "| --- | --- | --- |", *rows])


def _default(option: Any) -> str:
    """The default of an option; for a switch that is off, and for what is not set, nothing."""
    value = option.default
    if option.is_flag and option.secondary_opts:
        return f"`{(option.opts if value else option.secondary_opts)[0]}`"
    return "" if value is None or value is False or value == () or callable(value) else f"`{value}`"


def _cell(text: str) -> str:
    return markdown(" ".join(text.split())).replace("|", "\\|")
