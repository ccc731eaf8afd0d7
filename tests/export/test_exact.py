"""The proof of exports: checksums, wrong exports, exports that do not run. Random models: test_random_models.py."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from export.models import random_model

import quercus as q
from quercus.errors import ExportError
from quercus.export import FORMATS, export, read_vectors, vectors_of, verify
from quercus.export.workbooks import unpacked


def test_an_export_carries_the_checksum_of_the_model() -> None:
    columns = {"x": [1.0, 2.0, 3.0, 4.0], "c": ["u", "v", "u", "v"]}
    one, other = (q.CARTClassifier().fit(columns, y) for y in (["a", "b", "b", "b"], ["a", "b", "a", "b"]))
    for form in FORMATS:
        first, second = (
            unpacked(out if isinstance(out, bytes) else out.encode())
            for out in (export(one, form), export(other, form))
        )
        digest = vectors_of(one).checksum.encode()
        assert digest in first and digest not in second, form


def test_a_wrong_export_is_noticed() -> None:
    model = random_model("cart own", 1)
    vectors = vectors_of(model)
    wrong = export(model, "python") + "\n_right = predict\n\n\ndef predict(row):\n    return 'nothing'\n"
    result = verify(wrong, vectors, "python")
    assert result.wrong == len(vectors.rows) and not result.is_exact


def test_an_export_that_does_not_run_is_refused_with_the_words_of_the_engine() -> None:
    vectors = vectors_of(random_model("cart own", 1))
    with pytest.raises(ExportError, match="SQLite refuses the export"):
        verify("SELECT nonsense FROM rows", vectors, "sqlite")


def test_node_reads_the_module_as_a_program_would(tmp_path: object) -> None:
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    model = random_model("cart own", 5)
    path = f"{tmp_path}/model.mjs"
    export(model, "javascript", path)
    call = f"import({path!r}).then((m) => console.log(typeof m.predict, m.checksum.length))"
    done = subprocess.run(["node", "-e", call], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["function", "64"]


def test_vectors_that_do_not_hold_every_value_say_so(tmp_path: Path) -> None:
    values = [f"v{number}" for number in range(60)]
    model = q.ID3Classifier().fit({"c": values}, ["a", "b"] * 30)
    whole, capped = vectors_of(model), vectors_of(model, most=40)
    assert whole.tried is None and {row[0] for row in whole.rows} >= {*values, None}
    assert capped.tried == (40, 62), "60 values, one that was never seen, and the unknown one"
    for vectors in (whole, capped):
        (tmp_path / "vectors.json").write_text(vectors.to_json(), encoding="utf-8")
        read = read_vectors(tmp_path / "vectors.json")
        assert read.tried == vectors.tried
        said = str(verify(export(model, "python"), read, "python"))
        assert said.endswith("; 40 of 62 test values have a row of their own" if vectors is capped else "last bit")
