"""The program: its commands in the order of the help, and the options that stand before a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from quercus.cli import commands
from quercus.cli.output import on_terminal
from quercus.cli.program import Command, Program

ABOUT = """Decision trees as they are taught: grow, prune, explain, draw and ask them.

Start with a data file and -o model.json; every other command takes the model. With --json every command writes data \
for machines to standard output and nothing else. Exit codes: 0 done, 1 the work failed, 2 wrong call."""

#: Boxes and colours in the help are for people at a terminal; a pipe gets plain text.
app = typer.Typer(
    name="quercus",
    cls=Program,
    no_args_is_help=True,
    rich_markup_mode="rich" if on_terminal() else None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(flag: bool) -> None:
    if flag:
        import quercus

        typer.echo(f"quercus {quercus.__version__}")
        raise typer.Exit()


@app.callback(
    help=ABOUT,
    epilog=commands.examples("quercus demo", "quercus fit play_tennis -o model.json", "quercus fit --help"),
)
def program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which one.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", envvar="QUERCUS_DEBUG", help="Show where an error comes from; may stand anywhere in the call."
        ),
    ] = False,
) -> None:
    """Run the program."""


def joined(text: str | None) -> str:
    """The paragraphs of a text, each as one line, for whoever breaks lines to the width of the screen."""
    return "\n\n".join(" ".join(part.split()) for part in (text or "").split("\n\n"))


def _add(panel: str, name: str, function: Callable[..., Any], *shown: str) -> None:
    words = joined(function.__doc__)
    examples = commands.examples(*shown)
    app.command(name, cls=Command, help=words, epilog=examples, rich_help_panel=panel)(function)


for entry in commands.COMMANDS:
    _add(entry.panel, entry.name, entry.load(), *entry.examples)
