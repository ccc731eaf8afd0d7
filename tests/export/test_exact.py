"""Exports answer as the model does: every label, and every bit of the numbers, in the engines that run them."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest
from export.models import MAKERS, random_model

from quercus.errors import ExportError
from quercus.export import ENGINES, FORMATS, export, program_of, vectors_of, verify
from quercus.export.program import TreeTable

FAST = ("python", "sqlite")


def needs(engine: str) -> None:
    if engine == "node" and shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    if engine == "cc" and not any(shutil.which(name) for name in ("cc", "gcc", "clang")):
        pytest.skip("no C compiler is installed")
    if engine in ("duckdb", "onnxruntime", "treelite"):
        pytest.importorskip(engine, reason=f"{engine} is not installed")


def refused(engine: str, model: Any) -> bool:
    """Whether a format cannot say a model: treelite says only trees of equal weights whose rows go one way."""
    program = program_of(model)
    trees = [member for member in program.members if isinstance(member, TreeTable)]
    one_way = not any(table.spreads or table.has_surrogates for table in trees)
    plain = program.costs is None and set(program.weights) == {1.0}
    return engine == "treelite" and not (plain and one_way and len(trees) == len(program.members))


def check(engine: str, name: str, seed: int) -> None:
    model = random_model(name, seed)
    form = ENGINES[engine][0]
    options = {"dialect": engine, "key": "id"} if form == "sql" else {}
    try:
        exported = export(model, form, **options)
    except ExportError:
        assert refused(engine, model), f"{name}, seed {seed}"
        return
    assert not refused(engine, model), f"{name}, seed {seed}"
    result = verify(exported, vectors_of(model, drawn=40, most=200, seed=seed), engine)
    assert result.is_exact, f"{name}, seed {seed}: {result}"


@pytest.mark.parametrize("name", sorted(MAKERS))
@pytest.mark.parametrize("engine", FAST)
def test_an_export_answers_as_the_model(engine: str, name: str) -> None:
    for seed in range(12):
        check(engine, name, seed)


@pytest.mark.parametrize("name", sorted(MAKERS))
@pytest.mark.parametrize("engine", sorted(set(ENGINES) - set(FAST) - {"postgres"}))
def test_an_export_answers_as_the_model_in_other_engines(engine: str, name: str) -> None:
    needs(engine)
    for seed in range(3):
        check(engine, name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(MAKERS))
def test_many_exports_answer_as_the_model(name: str) -> None:
    for seed in range(1000, 1070):
        check("python", name, seed)


def test_an_export_carries_the_checksum_of_the_model() -> None:
    one, other = random_model("cart", 1), random_model("cart", 2)
    for form in FORMATS:
        first, second = export(one, form), export(other, form)
        digest: Any = vectors_of(one).checksum
        digest = digest.encode() if isinstance(first, bytes) else digest
        assert digest in first and digest not in second


def test_c_compiles_with_clang_too() -> None:
    if shutil.which("clang") is None:
        pytest.skip("clang is not installed")
    from quercus.export.engines import run_c

    model = random_model("forest votes", 3)
    vectors = vectors_of(model)
    labels, shares = run_c(export(model, "c"), vectors, compiler="clang")
    assert labels == vectors.labels and shares == vectors.shares


def test_a_wrong_export_is_noticed() -> None:
    model = random_model("cart", 1)
    vectors = vectors_of(model)
    wrong = export(model, "python") + "\n_right = predict\n\n\ndef predict(row):\n    return 'nothing'\n"
    result = verify(wrong, vectors, "python")
    assert result.wrong == len(vectors.rows) and not result.is_exact


def test_an_export_that_does_not_run_is_refused_with_the_words_of_the_engine() -> None:
    vectors = vectors_of(random_model("cart", 1))
    with pytest.raises(ExportError, match="SQLite refuses the export"):
        verify("SELECT nonsense FROM rows", vectors, "sqlite")


def test_node_reads_the_module_as_a_program_would(tmp_path: object) -> None:
    needs("node")
    model = random_model("cart", 5)
    path = f"{tmp_path}/model.mjs"
    export(model, "javascript", path)
    call = f"import({path!r}).then((m) => console.log(typeof m.predict, m.checksum.length))"
    done = subprocess.run(["node", "-e", call], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["function", "64"]
