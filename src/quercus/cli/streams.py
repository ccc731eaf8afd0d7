"""``-`` on the command line: standard input read as a file, and standard output written as one."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from quercus.cli import output
from quercus.errors import ParameterError

STREAM = "-"
#: What a table or a model from standard input is called.
INPUT_NAME = "standard input"


def input_path(name: str) -> str:
    """The file to read: the one that is named, or for ``-`` a temporary copy of standard input.

    Standard input can be read once, so that one ``-`` only can stand among the inputs of a call.
    """
    if name != STREAM:
        return name
    data = getattr(sys.stdin, "buffer", sys.stdin).read()
    if not data:
        raise ParameterError("- reads standard input, but there is nothing, or an earlier - has read it already.")
    folder = tempfile.mkdtemp(prefix="quercus-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = os.path.join(folder, INPUT_NAME)
    with open(path, "wb") as stream:
        stream.write(data if isinstance(data, bytes) else data.encode())
    return path


def shown_name(name: str) -> str:
    """A file as messages call it.

    >>> shown_name("-"), shown_name("patients.csv")
    ('standard input', 'patients.csv')
    """
    return INPUT_NAME if name == STREAM else name


def write_output(place: str | None, data: str | bytes) -> bool:
    """Write data to a file, or to standard output for ``-`` and None; whether it was a file."""
    if place is not None and place != STREAM:
        from quercus.files import write_whole

        write_whole(place, data)
        return True
    if isinstance(data, str):
        output.give(data)
    else:
        _write_bytes(data)
    return False


def give_text(text: str, place: str | None) -> None:
    """Print a text for people, or write it to a file and say so."""
    give_sections([("", text)], place)


def give_sections(sections: Sequence[tuple[str, str]], place: str | None) -> None:
    """Print texts under their headings (an empty heading: none), or write them to a file and say so."""
    if place is not None and place != STREAM:
        text = "\n\n".join(f"{heading}\n{body}" if heading else body for heading, body in sections)
        write_output(place, text + "\n")
        output.say(f"Written to {place}")
        return
    for number, (heading, body) in enumerate(sections):
        if number:
            output.say()
        if heading:
            output.say(heading, heading=True)
        output.say(body, fold=True)


def keep_model(model: Any, place: str, **more: Any) -> None:
    """Save a model: to a file, or for ``-`` to standard output; then text for people goes to standard error."""
    from quercus.models import save

    if place != STREAM:
        save(model, place, **more)
        return
    with tempfile.TemporaryDirectory(prefix="quercus-") as folder:
        path = os.path.join(folder, "model.json")
        save(model, path, arrays="inline", **more)
        with open(path, encoding="ascii") as stream:
            text = stream.read()
    output.give(text)
    output.leave_standard_output()


def refuse_two_outputs(place: str | None, json: bool) -> None:
    """Refuse a call whose model, picture or page and whose JSON would both go to standard output."""
    if json and place == STREAM:
        raise ParameterError("--output - and --json both write to standard output; give the output a file.")


def _write_bytes(data: bytes) -> None:
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None or sys.stdout.isatty():
        raise ParameterError("A picture or page of bytes is not shown on a terminal; give --output a file, or a pipe.")
    sys.stdout.flush()
    stream.write(data)
