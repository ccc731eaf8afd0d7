"""The examples on the pages: run them as a reader would, compare them with what the page says, keep the pictures.

``python docs/run_pages.py`` runs every page and puts the pictures that the pages' code draws into docs/pictures/.

On a page a block of ``pycon`` is Python, a block of ``console`` is the command line. All blocks of a page run one after
the other, in one folder and with the same names, so that a later block may use what an earlier one made.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS / "pictures"
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", flags=re.DOTALL | re.MULTILINE)
PIPE = re.compile(r"^printf '(?P<typed>[^']*)' \| (?P<command>.*)$", flags=re.DOTALL)


def pages() -> list[Path]:
    """Every page."""
    return sorted(DOCS.rglob("*.md"))


def blocks(page: Path) -> Iterator[tuple[int, str, str]]:
    """The fenced blocks of a page: the line before it (from 1), its language, its text."""
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[2], match[3]


class Session:
    """A page being read: its names and what has not come out as the page says."""

    def __init__(self, page: Path) -> None:
        self.page = page
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.examples = 0
        self.wrong: list[str] = []

    def python(self, line: int, text: str) -> None:
        """Run a Python session."""
        test = doctest.DocTestParser().get_doctest(text, self.names, self.page.name, str(self.page), line)
        test.globs = self.names
        self.examples += len(test.examples)
        doctest.DocTestRunner(verbose=False).run(test, out=self.wrong.append, clear_globs=False)

    def console(self, line: int, text: str) -> None:
        """Run commands; ``...`` in what the page says stands for anything, and spaces then need not agree."""
        for command, said in commands(text):
            self.examples += 1
            got = run_command(command)
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE if "..." in said else 0
            if not doctest.OutputChecker().check_output(said, got, flags):
                place = f"{self.page.name}, block at line {line}"
                self.wrong.append(f"{place}\n$ {command}\nThe page says:\n{said}\nThe program says:\n{got}\n")


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a block, each with what the page says it prints; a line that ends in \\ goes on in the next."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        head = re.match(r"(?:[^\n]*\\\n)*[^\n]*\n", part)
        assert head is not None
        yield re.sub(r"\\\n\s*", "", head[0]).strip(), part[head.end() :]


def run_command(line: str) -> str:
    """What a command prints: ``quercus …`` by the program, ``printf '…' | quercus …`` too, ``cat FILE`` the file."""
    typed = ""
    if piped := PIPE.match(line):
        typed, line = piped["typed"].replace("\\n", "\n"), piped["command"]
    program, *arguments = shlex.split(line)
    if program == "cat":
        return "".join(Path(name).read_text(encoding="utf-8") for name in arguments)
    if program != "quercus":
        return f"A page may call quercus, printf … | quercus and cat, but not {program}.\n"
    return _quercus(arguments, typed)


def _quercus(arguments: list[str], typed: str) -> str:
    from quercus.cli import main

    before = sys.argv, sys.stdin
    sys.argv, sys.stdin = ["quercus", *arguments], io.StringIO(typed)
    shown = io.StringIO()
    try:
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown), contextlib.suppress(SystemExit):
            main()
    finally:
        sys.argv, sys.stdin = before
    return "".join(f"{line.rstrip()}\n" for line in shown.getvalue().splitlines())


def run_page(page: Path) -> tuple[int, list[str], dict[str, str]]:
    """Run a page; the number of examples, what went wrong, and the pictures by name."""
    session = Session(page)
    here, no_colour = Path.cwd(), os.environ.get("NO_COLOR")
    os.environ["NO_COLOR"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for line, language, text in blocks(page):
                if language == "pycon":
                    session.python(line, text)
                elif language == "console":
                    session.console(line, text)
            pictures = {path.name: path.read_text(encoding="utf-8") for path in sorted(Path(folder).glob("*.svg"))}
        finally:
            os.chdir(here)
            os.environ.pop("NO_COLOR") if no_colour is None else os.environ.update(NO_COLOR=no_colour)
    return session.examples, session.wrong, pictures


def main() -> int:
    """Run all pages and keep their pictures."""
    drawn: dict[str, str] = {}
    faults = 0
    for page in pages():
        examples, wrong, pictures = run_page(page)
        drawn |= pictures
        faults += len(wrong)
        print(f"{page.relative_to(DOCS)}: {examples} examples, {len(pictures)} pictures", *wrong, sep="\n")
    if faults:
        return 1
    PICTURES.mkdir(exist_ok=True)
    for old in set(PICTURES.glob("*.svg")) - {PICTURES / name for name in drawn}:
        old.unlink()
    for name, svg in drawn.items():
        (PICTURES / name).write_text(svg, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
