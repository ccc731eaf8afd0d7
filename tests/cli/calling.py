"""Calling the program in the tests: within the process, and as a program of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import typer.testing
from typer.testing import CliRunner

from quercus.cli.app import app

if hasattr(typer.testing, "_get_command"):  # make the commands once, not at every call: most of a call's time
    typer.testing._get_command = cache(typer.testing._get_command)


#: Tables of the collections' tests: to fit, and unseen.
ROWS = "monks:n_rows=200,noise=0.1"
UNSEEN = "monks:n_rows=150,noise=0.1,random_state=1"


def call(*arguments: object, input: str | None = None, code: int = 0) -> Any:
    """Run a command in this process; the exit code must be as expected."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=input, prog_name="quercus")
    assert result.exit_code == code, f"exit code {result.exit_code}: {result.output} {result.exception!r}"
    return result


def text(*arguments: object, input: str | None = None) -> str:
    """What a command that works prints."""
    result = call(*arguments, input=input)
    return str(result.stdout)


def data(*arguments: object, input: str | None = None) -> Any:
    """What a command prints with --json, which must be one strict JSON document and nothing else."""
    return json.loads(text(*arguments, "--json", input=input), parse_constant=_refuse)


def _refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is not strict JSON")


def error(*arguments: object, code: int) -> str:
    """The one line that a command that fails writes to standard error; it writes nothing else, and no traceback."""
    result = call(*arguments, code=code)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    lines = [line for line in str(result.stderr).splitlines() if line and not line.startswith("Note:")]
    assert len(lines) == 1, lines
    return lines[0]


def program(*arguments: object, input: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m quercus`` as a program of its own."""
    source = str(Path(__file__).resolve().parents[2] / "src")
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "quercus", *map(str, arguments)],
        input=input,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )
