"""The suite of exports: random models go through every engine, many in one start of it, and must be answered alike.

An engine takes part by one row of ``TRIED``; ``tests/export/test_random_models.py`` does the rest.
"""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from export.databases import by_mariadb, in_mariadb
from export.models import drawn_model

from quercus.errors import ExportError
from quercus.export import ENGINES, Program, Vectors, export, program_of, vectors_of
from quercus.export.engines import Answers, ask_c, javascript_rows
from quercus.export.program import RuleTables
from quercus.export.vectors import cuts_of
from quercus.export.verify import compared
from quercus.export.workbooks import apart, run_workbooks

Batch = Callable[[list[tuple[Any, Vectors]]], list[Answers]]


@dataclass(frozen=True)
class Tried:
    """How an engine is tried.

    engine: a name of ``quercus.export.ENGINES``. models: so many random ones in the quick tests; in the slow tests it
    gets ``MANY``. options: of the export. says: whether the format can say a program; what it cannot, it must refuse.
    largest: the greatest difference of a share (of numbers, relative to the largest); 0: the same bits. needs: a
    program or a package without which it is skipped. together: runs many exports in one start of the engine; None: the
    engine starts quickly, one by one. rows: which of the test vectors it is asked. large: whether deep and wide trees
    are tried, too. name: of the row, if the engine has several.
    """

    engine: str
    models: int
    options: dict[str, Any] = field(default_factory=dict)
    says: Callable[[Program], bool] = lambda program: True
    largest: float = 0.0
    needs: str = ""
    together: Batch | None = None
    rows: Callable[[Program, Vectors], Vectors] = lambda program, vectors: vectors
    large: bool = True
    name: str = ""

    def __str__(self) -> str:
        """The name of the row in the list of tests."""
        return self.name or self.engine


def skip_without(tried: Tried) -> None:
    """Skip a test whose program or package is not there."""
    if tried.needs and shutil.which(tried.needs) is None:
        pytest.importorskip(tried.needs, reason=f"{tried.needs} is not installed")
    if tried.says is in_pmml and shutil.which("java") is None:
        pytest.skip("no Java runtime is installed")


@lru_cache(maxsize=300)
def tried_model(number: int) -> tuple[str, Program, Vectors]:
    """A random model by its running number, with the rows that it is tried on; fitted once for all engines."""
    words, model = drawn_model(number)
    program = program_of(model)
    return words, program, vectors_of(program, drawn=20, most=60, seed=number)


def check_models(tried: Tried, numbers: Iterable[int]) -> int:
    """Export some random models, run them in an engine and compare; or see that they are refused.

    Returns how many the format can say.
    """
    said: list[tuple[str, Any, Vectors]] = []
    for words, program, vectors in map(tried_model, numbers):
        exported = exported_or_refused(tried, program, words, len(said))
        if exported is not None:
            said.append((words, exported, tried.rows(program, vectors)))
    answers = answered(tried, [(exported, vectors) for _, exported, vectors in said])
    for (words, _, vectors), answer in zip(said, answers, strict=True):
        check_answer(tried, words, answer, vectors)
    return len(said)


def check_answer(tried: Tried, words: str, answer: Answers, vectors: Vectors) -> None:
    """Compare what an engine answers with what the model answers."""
    result = compared(tried.engine, answer, vectors)
    scale = 1.0 if vectors.classes is not None else max(1.0, *map(abs, vectors.labels))
    assert result.wrong == 0 and result.largest <= tried.largest * scale, f"{words}: {result}"


def answered(tried: Tried, pairs: list[tuple[Any, Vectors]]) -> list[Answers]:
    """What the engine answers to some exports."""
    return tried.together(pairs) if tried.together else [ENGINES[tried.engine][1](*pair) for pair in pairs]


def exported_or_refused(tried: Tried, program: Program, words: str, number: int = 0) -> Any:
    """What the format makes of a program; None: it refuses it, and may. number: of the export among many."""
    options: dict[str, Any] = {"prefix": f"m{number}"} if tried.engine == "cc" else {}
    try:
        exported = export(program, ENGINES[tried.engine][0], **tried.options, **options)
    except ExportError as error:
        constant = tried.says is in_pmml and "holds ']]>'" in str(error)  # only some texts become constants
        assert constant or not tried.says(program), f"{words} is refused: {error}"
        assert len(str(error)) > 30, "a refusal says why, and the way out"
        return None
    assert tried.says(program), f"{words} is not refused"
    return exported


# Many exports in one start of an engine

_NODE = """\
import { readFileSync } from "node:fs";
const answers = [];
for (let i = 0; i < COUNT; i++) {
  const { predict, predictProba, classes } = await import(new URL(`model${i}.mjs`, import.meta.url));
  const rows = JSON.parse(readFileSync(new URL(`rows${i}.json`, import.meta.url)));
  answers.push(rows.map((row) => [predict(row), classes ? predictProba(row) : []]));
}
console.log(JSON.stringify(answers));
"""


def by_node(pairs: list[tuple[Any, Vectors]]) -> list[Answers]:
    """Many modules of JavaScript in one process."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for number, (exported, vectors) in enumerate(pairs):
            (place / f"model{number}.mjs").write_text(exported, encoding="utf-8")
            (place / f"rows{number}.json").write_text(json.dumps(javascript_rows(vectors)), encoding="utf-8")
        (place / "run.mjs").write_text(_NODE.replace("COUNT", str(len(pairs))), encoding="utf-8")
        done = subprocess.run(["node", str(place / "run.mjs")], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return [
        ([label for label, _ in lines], [shares for _, shares in lines if vectors.classes is not None])
        for lines, (_, vectors) in zip(found, pairs, strict=True)
    ]


#: Names that a file of C keeps to itself: functions, tables, structures; and its macros.
_OWN = re.compile(r"^static [^=;{(]*?(\w+)(?:\[\]|\(| =)|^struct (\w+) \{", re.MULTILINE)
_MACRO = re.compile(r"^#define (\w+)", re.MULTILINE)


def beside_others(source: str, number: int) -> str:
    """A file of C as a part of a larger one: its own names are made different from those of the other parts."""
    names = sorted({one or other for one, other in _OWN.findall(source)})
    renamed = [f"#define {name} own{number}_{name}" for name in names]
    return "\n".join([*renamed, source, *(f"#undef {name}" for name in [*names, *_MACRO.findall(source)]), ""])


def by_compiler(compiler: str) -> Batch:
    """Many exports to C, with the prefixes m0, m1 and so on, as one file: starting a compiler takes long."""

    def run(pairs: list[tuple[Any, Vectors]]) -> list[Answers]:
        with tempfile.TemporaryDirectory() as folder:
            parts = [beside_others(exported, number) for number, (exported, _) in enumerate(pairs)]
            (Path(folder) / "all.c").write_text("".join(parts), encoding="utf-8")
            flags = ["-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC", "-o", "all.so"]
            done = subprocess.run([compiler, *flags, "all.c", "-lm"], capture_output=True, text=True, cwd=folder)
            assert done.returncode == 0, done.stderr[-2000:]
            library = ctypes.CDLL(f"{folder}/all.so")
            return [ask_c(library, vectors, f"m{number}") for number, (_, vectors) in enumerate(pairs)]

    return run


# What the formats can say


def plain_trees(program: Program) -> bool:
    """Trees of equal weights that choose the most likely class, without surrogates, whose rows follow one branch."""
    trees = [member for member in program.members if not isinstance(member, RuleTables)]
    one_way = not any(table.spreads or table.has_surrogates for table in trees)
    likely = program.costs is None and program.threshold is None
    return likely and one_way and set(program.weights) == {1.0} and len(trees) == len(program.members)


def one_sheet(program: Program) -> bool:
    """One tree, without dates and without the empty text as a value."""
    attributes = [program.schema[place] for place in program.inputs]
    plain = all(attribute.kind != "date" and "" not in attribute.values for attribute in attributes)
    return plain and not program.together and not isinstance(program.members[0], RuleTables)


#: So many cases are typed into a sheet.
CASES = 40


def on_sheet(program: Program, vectors: Vectors) -> Vectors:
    """Some of the rows that sheets can tell from thresholds: as many as one sheet has room for."""
    cuts = {program.schema[place].name: bounds for place, bounds in cuts_of(program).items()}
    kept = apart(cuts, vectors)
    some = slice(None, None, -(-len(kept.rows) // CASES) or 1)
    return replace(kept, rows=kept.rows[some], labels=kept.labels[some], shares=kept.shares[some])


def in_pmml(program: Program) -> bool:
    """No unknown values that follow several branches, no tree behind rules; in forests two classes, none empty."""
    rules = [member for member in program.members if isinstance(member, RuleTables)]
    named = not program.has_classes or (len(program.classes) > 1 and "" not in program.classes)
    behind = any(member.behind is not None for member in rules)
    return not any(table.spreads for table in program.trees()) and not behind and (named or not program.together)


#: The engines, one row each. Engines for PMML add up weighted votes in another order: their last bits differ.
TRIED = (
    Tried("python", 72),
    Tried("sqlite", 72, {"dialect": "sqlite", "key": "id"}),
    Tried("duckdb", 24, {"dialect": "duckdb", "key": "id"}, needs="duckdb"),
    Tried("postgres", 24, {"dialect": "postgres", "key": "id"}, needs="psycopg"),
    Tried("sqlite", 24, {"dialect": "mysql", "key": "id"}, in_mariadb, 0.0, "pymysql", by_mariadb, name="mariadb"),
    Tried("node", 48, needs="node", together=by_node),
    Tried("cc", 12, needs="gcc", together=by_compiler("gcc"), name="gcc"),
    Tried("cc", 12, needs="clang", together=by_compiler("clang"), name="clang"),
    Tried("onnxruntime", 72, needs="onnxruntime"),
    Tried("treelite", 72, says=plain_trees, needs="treelite"),
    # a sheet adds up by its own rule
    Tried("libreoffice", 24, {"cases": CASES}, one_sheet, 1e-12, "soffice", run_workbooks, on_sheet, large=False),
    Tried("jpmml", 48, says=in_pmml, largest=1e-15, needs="jpmml_evaluator"),
    Tried("pypmml", 48, says=in_pmml, largest=1e-15, needs="pypmml"),
)
#: So many models go through every engine in the slow tests, so many of them in one test.
MANY, BLOCK = 2_000, 250
