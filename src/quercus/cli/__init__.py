"""The command line: the program ``quercus``, one command per file; also ``python -m quercus``."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the program; without the library of the command line say in one line how to get it."""
    try:
        import typer  # noqa: F401
    except ModuleNotFoundError:
        from quercus.errors import missing_extra

        print(f"quercus: {missing_extra('typer', 'cli')}", file=sys.stderr)
        sys.exit(1)
    from quercus.cli.app import app

    app(prog_name="quercus")
