"""How the program ends: errors as one line on standard error, and exit codes 0 (done), 1 (failed), 2 (wrong call)."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from quercus.cli.output import back_to_standard_output, note
from quercus.errors import DependencyError, ParameterError, QuercusError

DONE, FAILED, WRONG_CALL = 0, 1, 2

#: The arguments of the call that runs now, to be kept in the models that it makes.
_arguments: list[str] = []


def called_with() -> str:
    """The call that runs now, as it would be typed."""
    return shlex.join(["quercus", *_arguments])


#: The context of the command that runs now.
_running: list[Any] = []


def running_command() -> Any:
    """The context of the command that runs now: its parameters as they were given."""
    return _running[0]


class Command(TyperCommand):
    """One command; while it runs, others can ask how it was called."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for parameter in self.params:
            if parameter.param_type_name == "argument":  # newer Typer puts Python's type behind the name
                parameter.display_type_rich = lambda ctx=None: None  # type: ignore[attr-defined]

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        _running[:] = [ctx]
        back_to_standard_output()
        return super().invoke(ctx)


class Program(TyperGroup):
    """The group of all commands; it decides how each of them ends."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and exit; ``--debug`` is taken from anywhere in the call."""
        arguments = list(sys.argv[1:] if args is None else args)
        _arguments[:] = arguments
        debug = _take_debug(arguments) or os.environ.get("QUERCUS_DEBUG", "") not in ("", "0")
        _print_anything()
        try:
            result = super().main(arguments, prog_name, complete_var, False, windows_expand_args, **extra)
        except Exception as error:
            if debug:
                raise
            message, code = explained(error)
            note(message)
            sys.exit(code)
        sys.exit(result if isinstance(result, int) else DONE)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; a reader of its output that has had enough (``| head``) is no error.

        Output files are written before anything is printed, so that they are there all the same.
        """
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _close_quietly()
            raise typer.Exit(DONE) from None
        return result


def explained(error: Exception) -> tuple[str, int]:
    """The line that tells of an error, and the exit code.

    >>> explained(ParameterError("folds is 1, but must be at least 2."))
    ('Error: folds is 1, but must be at least 2.', 2)
    """
    if isinstance(error, typer.Abort):
        return "Stopped.", FAILED
    if hasattr(error, "format_message"):  # a wrong call, found by Typer
        if type(error).__name__ == "NoArgsIsHelpError":
            return str(error.format_message()), WRONG_CALL
        context = getattr(error, "ctx", None)
        hint = f" Try '{context.command_path} --help'." if context is not None else ""
        message = _one_line(error.format_message())
        message += "" if message.endswith((".", "?", "!")) else "."
        return f"Error: {message}{hint}", int(getattr(error, "exit_code", WRONG_CALL))
    if isinstance(error, ParameterError):
        return f"Error: {_one_line(error)}", WRONG_CALL
    if isinstance(error, QuercusError | DependencyError):
        return f"Error: {_one_line(error)}", FAILED
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"Error: {place}{error.strerror or _one_line(error)}.", FAILED
    if isinstance(error, MemoryError):
        reason = _one_line(error) or "There is not enough memory for this."
        way = "" if "Give fewer" in reason else " Give fewer rows, or --param max_depth=…."
        return f"Error: {reason}{way}", FAILED
    shown = f"{type(error).__name__}: {_one_line(error)}"
    return f"Error: {shown} (This was not expected; --debug shows where it comes from.)", FAILED


def _one_line(message: object) -> str:
    return " ".join(str(message).split())


def _take_debug(arguments: list[str]) -> bool:
    """Whether ``--debug`` is among the arguments; it is taken out."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    places = [place for place in range(end) if arguments[place] == "--debug"]
    for place in reversed(places):
        del arguments[place]
    return bool(places)


def _print_anything() -> None:
    """Let no name of the data stop the printing: what the terminal cannot show becomes a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            with contextlib.suppress(Exception):
                stream.reconfigure(errors="replace")


def _close_quietly() -> None:
    """Send what is left to nowhere, so that nothing complains at the end."""
    with contextlib.suppress(Exception):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
