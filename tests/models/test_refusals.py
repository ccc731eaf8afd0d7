"""What is refused, in saving and in loading, and what the messages say: the file, the fault, what to do."""

from __future__ import annotations

import errno
import json
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import quercus
from models.cases import mixed_table
from models.mutations import write_document
from quercus import C45Classifier, CARTClassifier, RIPPERClassifier
from quercus.datasets import load_play_tennis
from quercus.errors import DependencyError, FileError, ParameterError, QuercusError
from quercus.models.document import checksum

TENNIS = load_play_tennis()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    quercus.save(CARTClassifier().fit(*TENNIS), tmp_path / "model.json")
    return tmp_path / "model.json"


def refused(file: Path) -> str:
    with pytest.raises(FileError) as caught:
        quercus.load(file)
    assert str(caught.value).startswith(str(file.parent))
    return str(caught.value).removeprefix(f"{file.parent}{os.sep}")


# --- loading ------------------------------------------------------------------------------------------------------


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.json") == "none.json: cannot be read: No such file or directory."
    assert "Is a directory" in refused(tmp_path)


def test_a_changed_number(file: Path) -> None:
    file.write_text(file.read_text().replace('"confidence":0.25', '"confidence":0.26'))
    assert refused(file) == (
        "model.json: damaged at /checksum: the content is not that of which the checksum was taken, so something was "
        "changed. Restore the file from a copy, or save the model again."
    )


def test_a_file_cut_off(file: Path) -> None:
    file.write_text(file.read_text()[:-40])
    assert refused(file) == (
        "model.json: cut off: it ends before the model does. Restore the file from a copy, or save the model again."
    )
    file.write_text("Outlook: Rain\n")
    assert refused(file).startswith("model.json, line 1, column 1: no model of Quercus, or damaged: Expecting value.")


def test_a_newer_version(file: Path) -> None:
    file.write_text(file.read_text().replace('"version": 1,', '"version": 2,'))
    assert refused(file) == (
        f"model.json: written by a newer Quercus, in version 2 of the format; this is Quercus {quercus.__version__}, "
        "which reads version 1. Update it: pip install --upgrade quercus"
    )


@pytest.mark.parametrize(
    "content", [pickle.dumps({"a": 1}), b"a,b\n1,2\n", b"[1, 2]", b'{"format": "other"}', b"\x1f\x8b"]
)
def test_other_files(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content)
    message = refused(tmp_path / "x.json")
    assert "model of Quercus" in message or "cannot be unpacked" in message


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("model/class", "SVC", "at /model/class: it is 'SVC', but must be one of 'ID3Classifier'"),
        ("model/parameters/max_depth", "deep", "at /model/parameters: max_depth='deep' is not allowed; give None or"),
        ("model/parameters/n_jobs", 10**6, "at /model/parameters: n_jobs=1000000 is not allowed"),
        ("model/parameters/cost_matrix", [[0]], "at /model/parameters: cost_matrix has the shape (1, 1)"),
        ("model/parameters/decision_threshold", 2, "at /model/parameters: decision_threshold=2 is not allowed"),
        ("model/parameters/colour", 1, "at /model/parameters/colour: CARTClassifier has no such parameter"),
        ("model/parameters/progress", None, "at /model/parameters/progress: CARTClassifier has no such parameter"),
        ("model/tree", 1, "at /model/tree: there is no tree 1; there are 1"),
        ("model/recipe/criterion", "poisson", "at /model/recipe: its criterion does not fit the target"),
        ("trees/0/arrays/first_child/0", 0, "at /trees/0: Node 0 has 0: a child's number must be greater"),
        ("trees/0/arrays/kind/0", 0.5, "at /trees/0/arrays/kind/0: it is 0.5, but must be of the type integer"),
        ("trees/0/arrays/weight/0", "nan", "at /trees/0/arrays/weight/0: it is 'nan', but must match"),
        ("trees/0/arrays/kind/0", 300, "at /trees/0/arrays/kind: it holds a number outside 0 … 255"),
        ("trees/0/arrays/value/0", [1], "at /trees/0/arrays/value: "),
        ("trees/0/arrays/colour", [1], "at /trees/0/arrays: 'colour' is not known here"),
        ("classes/values", ["No", "Maybe"], "at /classes: these are not the classes of the schema"),
        ("schema/attributes/0/kind", "colour", "at /schema/attributes/0/kind: it is 'colour', but must be one of"),
        ("schema/attributes/0/kind", "numeric", "at /schema: Attribute 'Outlook' is numeric and cannot have a list"),
        ("arrays_file", {"name": "../x.safetensors", "sha256": "0" * 64}, "at /arrays_file/name: it is '../x.safe"),
        ("evidence", [], "at /evidence: it is [], but must be of the type object or null"),
    ],
)
def test_damage_is_told_with_its_place(place: str, value: Any, message: str, file: Path) -> None:
    document = json.loads(file.read_text())
    *steps, last = (int(step) if step.isdigit() else step for step in place.split("/"))
    part: Any = document
    for step in steps:
        part = part[step]
    part[last] = value
    document["checksum"] = checksum(document)
    write_document(document, file)
    assert message in refused(file)


def test_loading_runs_no_code_of_the_file(file: Path) -> None:
    document = json.loads(file.read_text())
    for name in ("__main__.Evil", "os.system", "quercus.estimators.C45Classifier", "BaseEstimator"):
        document["model"]["class"] = name
        document["checksum"] = checksum(document)
        write_document(document, file)
        assert "at /model/class" in refused(file)


def test_a_missing_or_foreign_arrays_file(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    quercus.save(CARTClassifier().fit(*TENNIS), file, arrays="beside")
    (beside,) = tmp_path.glob("model-*.safetensors")
    data = beside.read_bytes()
    beside.write_bytes(data[:-1] + b"\x01")
    with pytest.raises(FileError, match=r"model-[0-9a-f]{16}\.safetensors: not the file that was saved with model\."):
        quercus.load(file)
    beside.unlink()
    with pytest.raises(
        FileError, match=r"'model-[0-9a-f]{16}\.safetensors' beside it, which cannot .* Move both files"
    ):
        quercus.load(file)


def test_without_safetensors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = mixed_table()
    model = CARTClassifier().fit(X, y)
    quercus.save(model, tmp_path / "beside.json", arrays="beside")
    for name in ("safetensors", "safetensors.numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DependencyError, match=r"quercus\[forests\]"):
        quercus.save(model, tmp_path / "m.json", arrays="beside")
    with pytest.raises(DependencyError, match=r"quercus\[forests\]"):
        quercus.load(tmp_path / "beside.json")
    monkeypatch.setattr("quercus.models.saving.INLINE_LIMIT", 10)
    quercus.save(model, tmp_path / "m.json")  # then everything stands in the JSON
    assert quercus.load(tmp_path / "m.json").tree_ == model.tree_


# --- saving -------------------------------------------------------------------------------------------------------


class Mine(C45Classifier):
    """Somebody's own estimator."""


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            DecisionTreeClassifier(),
            "A DecisionTreeClassifier cannot be saved; give a fitted model of one of",
        ),
        (make_pipeline(C45Classifier()), "A Pipeline cannot be saved"),
        (Mine().fit(*TENNIS), "A Mine cannot be saved"),
        (None, "A NoneType cannot be saved"),
        ("model", "A str cannot be saved"),
    ],
)
def test_other_models_are_not_saved(model: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=message):
        quercus.save(model, tmp_path / "m.json")


def test_a_model_must_be_fitted(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        quercus.save(C45Classifier(), tmp_path / "m.json")


def test_parameters_that_no_file_holds(tmp_path: Path) -> None:
    model = RIPPERClassifier().fit(*TENNIS)
    for value in (np.random.RandomState(np.random.PCG64(1)), np.random.default_rng(1), print, object()):
        with pytest.raises(QuercusError, match="random_state="):
            quercus.save(model.set_params(random_state=value), tmp_path / "m.json")
    with pytest.raises(ParameterError, match="max_depth=-1 is not allowed"):
        quercus.save(C45Classifier().fit(*TENNIS).set_params(max_depth=-1), tmp_path / "m.json")
    with pytest.raises(ParameterError, match="arrays is 'far', but must be one of 'auto', 'inline', 'beside'"):
        quercus.save(model, tmp_path / "m.json", arrays="far")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_a_failed_saving_leaves_the_old_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.json"
    old, new = CARTClassifier(max_depth=1).fit(*TENNIS), CARTClassifier().fit(*TENNIS)
    quercus.save(old, file, arrays="beside")
    real = os.replace

    def full(source: Any, target: Any) -> None:
        if str(target).endswith(".json"):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(FileError, match=r"model\.json: the file could not be written \(No space left"):
        quercus.save(new, file, arrays="beside")
    assert quercus.load(file).tree_ == old.tree_


def test_a_new_model_takes_the_place_of_both_old_files(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    (tmp_path / "other.safetensors").write_bytes(b"not mine")
    models = [CARTClassifier(max_depth=depth).fit(*TENNIS) for depth in (0, 1, 2, 2)]
    for model in models:
        quercus.save(model, file, arrays="beside")
        names = sorted(path.name for path in tmp_path.iterdir())
        assert len(names) == 3 and names[0].startswith("model-") and names[1:] == ["model.json", "other.safetensors"]
        assert quercus.load(file).tree_ == model.tree_
    quercus.save(models[0], file)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "other.safetensors"]


def test_large_models_go_beside_by_themselves(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    model = CARTClassifier().fit(rng.normal(size=(80_000, 1)), rng.integers(0, 2, 80_000))
    assert 50_000 < model.tree_.n_nodes < 100_000
    quercus.save(model, tmp_path / "m.json")
    assert (tmp_path / "m.json").stat().st_size < 10_000 and len(list(tmp_path.glob("m-*.safetensors"))) == 1
    assert quercus.load(tmp_path / "m.json").tree_ == model.tree_
