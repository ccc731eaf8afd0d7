"""The workbook: cells that stay texts, what it refuses, and that it answers where nothing is typed."""

from __future__ import annotations

import datetime as dt
import io
import shutil
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from quercus import CARTClassifier, ID3Classifier, PARTClassifier, RandomForestClassifier
from quercus.datasets import load_play_tennis
from quercus.errors import ExportError
from quercus.export import to_excel, vectors_of, verify
from quercus.export.workbooks import apart, thresholds_of

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")

BAD = '=HYPERLINK("http://x","y")'


def book(model: Any, **options: Any) -> Any:
    return openpyxl.load_workbook(io.BytesIO(to_excel(model, **options)))


def test_names_values_and_classes_are_texts_and_never_formulas() -> None:
    table = {BAD: [BAD, "b", BAD, "c"], "+1": [1.0, 2.0, 3.0, 4.0]}
    for sheet in book(CARTClassifier().fit(table, [BAD, "@y", "@y", "-2"]), cases=2):
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f" or "HYPERLINK" not in cell.value, f"{sheet.title} {cell.coordinate}"
    cases = book(CARTClassifier().fit(table, [BAD, "@y", "@y", "-2"]))["Cases"]
    assert cases["A2"].value == BAD and cases["A2"].data_type == "s"


def test_every_node_has_a_row() -> None:
    model = ID3Classifier().fit(*load_play_tennis())
    found = book(model, cases="2")
    assert found.sheetnames == ["Cases", "Tree", "Questions", "Values"]
    assert found["Tree"].max_row == model.tree_.n_nodes + 1
    assert [cell.value for cell in found["Cases"][1]] == ["attribute", "what it is", "case 1", "case 2"]
    assert found.properties.title.endswith(model.export("python").split("sha256:")[1][:64])


@pytest.mark.parametrize(
    "table, words",
    [
        ({"x": [dt.date(2024, 1, 1), dt.date(2024, 1, 2)]}, "'x' holds dates"),
        ({"x": ["", "b"]}, "empty text as a value"),
        ({"x": ["\x01", "b"]}, "no sheet can hold"),
    ],
)
def test_what_a_sheet_cannot_say_is_refused(table: dict[str, Any], words: str) -> None:
    with pytest.raises(ExportError, match=words):
        to_excel(CARTClassifier().fit(table, ["a", "b"]))


def test_collections_rules_and_large_trees_are_refused_with_the_way_out() -> None:
    X, y = load_play_tennis()
    for model in (PARTClassifier().fit(X, y), RandomForestClassifier(2, random_state=1).fit(X, y)):
        with pytest.raises(ExportError, match=r"one tree.* Export it to SQL"):
            to_excel(model)
    chance = np.random.default_rng(0)
    large = CARTClassifier().fit(chance.normal(size=(9_000, 2)), chance.integers(0, 2, 9_000))
    with pytest.raises(ExportError, match=r"200,000 formulas .*Prune the tree"):
        to_excel(large, cases=100)
    for cases in (0, "many", 2_000):
        with pytest.raises(ExportError, match="cases is"):
            to_excel(ID3Classifier().fit(X, y), cases=cases)


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_rows_beside_a_threshold_are_left_out_and_the_rest_is_verified() -> None:
    model = CARTClassifier(max_depth=3).fit(*load_iris(return_X_y=True))
    vectors = vectors_of(model, drawn=20)
    result = verify(to_excel(model, cases=60), vectors, "libreoffice")
    assert result.wrong == 0 and result.largest < 1e-12
    assert result.left_out > 0 and result.rows + result.left_out == len(vectors.rows)
    assert f"{result.left_out} rows beside a threshold were left out" in str(result)
    cuts = set(model.tree_.threshold[model.tree_.n_children > 0].tolist())
    kept = apart(thresholds_of(to_excel(model)), vectors)
    assert cuts <= {value for row in kept.rows for value in row}, "a threshold itself is asked"
