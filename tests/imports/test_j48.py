"""Trees that Weka's J48 printed answer as they do in Weka."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quercus import from_j48
from quercus.data.schema import Attribute, Schema
from quercus.errors import DataError, DataTypeError, FileError

# Weka 3.6.14: java -cp weka.jar weka.classifiers.trees.J48 -t iris.arff -no-cv
IRIS = """
J48 pruned tree
------------------

petalwidth <= 0.6: Iris-setosa (50.0)
petalwidth > 0.6
|   petalwidth <= 1.7
|   |   petallength <= 4.9: Iris-versicolor (48.0/1.0)
|   |   petallength > 4.9
|   |   |   petalwidth <= 1.5: Iris-virginica (3.0)
|   |   |   petalwidth > 1.5: Iris-versicolor (3.0/1.0)
|   petalwidth > 1.7: Iris-virginica (46.0/1.0)

Number of Leaves  : 	5

Size of the tree : 	9


Time taken to build model: 0.02 seconds

=== Confusion Matrix ===

  a  b  c   <-- classified as
 50  0  0 |  a = Iris-setosa
"""
# weka.classifiers.trees.J48 -t weather.nominal.arff -no-cv
WEATHER = """
J48 pruned tree
------------------

outlook = sunny
|   humidity = high: no (3.0)
|   humidity = normal: yes (2.0)
outlook = overcast: yes (4.0)
outlook = rainy
|   windy = TRUE: no (2.0)
|   windy = FALSE: yes (3.0)

Number of Leaves  : 	5
"""
# weka.classifiers.trees.J48 -t contact-lenses.arff -no-cv -B
LENSES = """
Options: -B 

J48 pruned tree
------------------

tear-prod-rate = reduced: none (12.0)
tear-prod-rate != reduced
|   astigmatism = no: soft (6.0/1.0)
|   astigmatism != no
|   |   spectacle-prescrip = myope: hard (3.0)
|   |   spectacle-prescrip != myope: none (3.0/1.0)

Number of Leaves  : 	4
"""
ARFF = """@relation contact-lenses
@attribute age {young, pre-presbyopic, presbyopic}
@attribute spectacle-prescrip {myope, hypermetrope}
@attribute astigmatism {no, yes}
@attribute tear-prod-rate {reduced, normal}
@attribute contact-lenses {soft, hard, none}
@data
young,myope,no,reduced,none
"""


def test_thresholds() -> None:
    model = from_j48(IRIS)
    assert model.tree.n_nodes == 9 and model.labels == ("Iris-setosa", "Iris-versicolor", "Iris-virginica")
    rows = {"petalwidth": [0.6, 1.7, 1.6, 1.7, 1.8], "petallength": [1.0, 4.9, 5.0, 4.91, 5.0]}
    assert [label[5:] for label in model.predict(rows)] == [
        *("setosa", "versicolor", "versicolor"),
        *("versicolor", "virginica"),
    ]
    assert model.predict_proba(rows)[4].tolist() == [0.5 / 46, 0.5 / 46, 45 / 46]


def test_a_branch_for_each_value() -> None:
    model = from_j48(WEATHER)
    assert model.schema["outlook"].values == ("sunny", "overcast", "rainy")
    rows = {"outlook": ["sunny", "rainy", "overcast", None], "humidity": ["high", None, None, "normal"]}
    rows["windy"] = [None, "FALSE", None, "TRUE"]
    assert model.predict(rows).tolist() == ["no", "yes", "yes", "yes"]
    # 5/14 of the row is sunny and normal: yes; 4/14 overcast: yes; 5/14 rainy and windy: no
    assert np.allclose(model.predict_proba(rows)[3], [5 / 14, 9 / 14], atol=1e-15)
    assert "IF outlook = overcast THEN yes" in str(model.rules())


def test_one_value_and_the_others_need_the_schema(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 7 asks for one value of 'tear-prod-rate' and all others"):
        from_j48(LENSES)
    path = tmp_path / "lenses.arff"
    path.write_text(ARFF)
    model = from_j48(LENSES, schema=path)
    assert model.labels == ("soft", "hard", "none") and len(model.schema) == 4
    rows = {"age": ["young"] * 3, "spectacle-prescrip": ["myope", "hypermetrope", "myope"]}
    rows |= {"astigmatism": ["yes", "yes", "no"], "tear-prod-rate": ["normal"] * 3}
    assert model.predict(rows).tolist() == ["hard", "none", "soft"]


def test_an_empty_branch_answers_as_its_node() -> None:
    text = "a = u: yes (6.0/2.0)\na = v: no (3.0)\na = w: yes (0.0)\n"
    shares = from_j48(text).predict_proba({"a": ["u", "v", "w"]})
    assert np.allclose(shares, [[4 / 6, 2 / 6], [0, 1], [4 / 9, 5 / 9]], atol=1e-15)


def test_tied_weights_keep_the_printed_class() -> None:
    text = "a = u: yes (4.0/2.0)\na = v: no (4.0/2.0)\n"
    assert from_j48(text).predict({"a": ["u", "v"]}).tolist() == ["yes", "no"]


def test_a_single_leaf_and_strange_names() -> None:
    leaf = from_j48("J48 pruned tree\n------------------\n: good (57.0/20.0)\n\nNumber of Leaves  : \t1\n")
    assert leaf.tree.n_nodes == 1 and leaf.labels == ("good",)
    text = "größe = 2 > 1 <= 3.5: ja: sicher (2.0)\ngröße = 2 > 1 > 3.5: nein (3.5/1.25)\n"
    model = from_j48(text)
    assert model.schema.names == ("größe = 2 > 1",) and model.labels == ("ja: sicher", "nein")
    assert model.predict({"größe = 2 > 1": [3.5, 4.0]}).tolist() == ["ja: sicher", "nein"]


# a value with a colon at a leaf and above one, an attribute with one, and a class with one
COLONS = """x = a: b: yes (3.0)
x = a: no: so (2.0/1.0)
x = c: d
|   n: m <= 1.5: yes (2.0)
|   n: m > 1.5: no: so (1.0)
x = e (1.0): yes (4.0)
"""


def test_values_with_colons_need_the_schema() -> None:
    attributes = (Attribute("x", "nominal", ("a", "a: b", "c: d", "e (1.0)")), Attribute("n: m", "numeric"))
    model = from_j48(COLONS, schema=Schema(attributes).with_target("t", ["yes", "no: so"]))
    rows = {"x": ["a: b", "a", "c: d", "c: d", "e (1.0)"], "n: m": [0.0, 0.0, 1.0, 2.0, 0.0]}
    assert model.predict(rows).tolist() == ["yes", "no: so", "yes", "no: so", "yes"]
    with pytest.raises(DataError, match=r"line 1 can be read in several ways.*Give the schema"):
        from_j48("x = a: b: yes (3.0)\nx = c: no (1.0)\n")
    with pytest.raises(DataError, match="line 1 can be read in several ways, even by the schema"):
        from_j48(COLONS, schema=Schema(attributes).with_target("t", ["yes", "b: yes", "no: so"]))
    values = Attribute("a", "nominal", ("u <= 1", "u > 1"))
    text = "a = u <= 1: yes (1.0)\na = u > 1: no (1.0)\n"
    model = from_j48(text, schema=Schema((values,)).with_target("t", ["yes", "no"]))
    assert model.predict({"a": ["u <= 1", "u > 1"]}).tolist() == ["yes", "no"]


def test_the_first_bad_line_is_named() -> None:
    text = "a = u\n|   b = u: x (1.0)\n|   b = v: {} (1.0)\na = v\n|   b = u: y (1.0)\n|   b = {}: {} (1.0)\n"
    schema = Schema(tuple(Attribute(name, "nominal", ("u", "v")) for name in "ab")).with_target("t", ["x", "y"])
    for words, line in ((("z", "v", "z"), 3), (("x", "w", "x"), 6), (("x", "v", "z"), 6)):
        with pytest.raises(DataError, match=f"line {line} "):
            from_j48(text.format(*words), schema=schema)


@pytest.mark.parametrize(
    "text, words",
    [
        ("nothing\n", "no branches of one question"),
        ("\n\n", "no tree of J48"),
        ("a <= 1: x (2.0)\na > 2: y (1.0)\n", "no branches of one question"),
        ("a <= 1: x (2.0)\n", "no branches of one question"),
        ("a <= 1\na > 1: y (1.0)\n", "line 1 has neither a class nor branches"),
        ("a <= 1: x (1.0)\n|   b <= 1: y (1.0)\n", "line 2 stands below no question"),
        ("|   b <= 1: y (1.0)\n", "line 1 stands below no question"),
    ],
)
def test_text_that_is_no_tree_is_refused(text: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        from_j48(text)


def test_a_schema_that_does_not_fit_is_refused() -> None:
    text = "a = u: x (2.0)\na = v: y (1.0)\n"
    good = Schema((Attribute("a", "nominal", ("u", "v")),))
    for schema, words in (
        (good, "names no classes"),
        (good.with_target("t", ["x"]), "line 2 answers 'y'"),
        (Schema((Attribute("a", "numeric"),)).with_target("t", ["x", "y"]), "which is numeric"),
        (Schema((Attribute("a", "nominal", ("u",)),)).with_target("t", ["x", "y"]), "'v', which is no value of 'a'"),
        (Schema((Attribute("b", "numeric"),)).with_target("t", ["x", "y"]), "no attribute 'a'"),
    ):
        with pytest.raises(DataError, match=words):
            from_j48(text, schema=schema)
    with pytest.raises(FileError, match="No such file"):
        from_j48("no such file")
    with pytest.raises(DataTypeError, match="type int"):
        from_j48(3)  # type: ignore[arg-type]


WEKA = Path("/usr/share/java/weka.jar")


def write_arff(path: Path, data: dict[str, Any], rows: range) -> None:
    """A table of the folder of measured tables as ARFF."""
    kinds = [
        "numeric" if column["k"] == "num" else "{" + ",".join(f"v{code}" for code in range(column["n"])) + "}"
        for column in data["cols"]
    ]
    lines = ["@relation t", *(f"@attribute a{place} {kind}" for place, kind in enumerate(kinds))]
    lines += ["@attribute y {" + ",".join(f"c{code}" for code in range(data["k"])) + "}", "@data"]
    for row in rows:
        cells = [(column["v"][row], column["k"]) for column in data["cols"]]
        texts = ["?" if cell is None else f"{cell!r}" if kind == "num" else f"v{cell}" for cell, kind in cells]
        lines.append(",".join([*texts, f"c{data['y'][row]}"]))
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tn_hearth", "jd_autos", "wk_breast_cancer", "gy_LEV"])
@pytest.mark.parametrize("option", ["", "-U", "-B"])
def test_weka_answers_the_same_labels(name: str, option: str, tmp_path: Path) -> None:
    table = Path(os.environ.get("QUERCUS_TABLES", "tables")) / "faithful" / f"{name}.json.gz"
    if not (WEKA.exists() and shutil.which("java") and table.exists()):
        pytest.skip("needs Weka, Java and the measured tables (QUERCUS_TABLES names their folder)")
    data = json.loads(gzip.decompress(table.read_bytes()))
    parts = {"train": range(data["ntrain"]), "test": range(data["ntrain"], data["n"])}
    for part, rows in parts.items():
        write_arff(tmp_path / f"{part}.arff", data, rows)
    command = ["java", "-XX:+UseSerialGC", "-cp", str(WEKA), "weka.classifiers.trees.J48", *option.split()]
    command += ["-t", str(tmp_path / "train.arff"), "-T", str(tmp_path / "test.arff")]
    text = subprocess.run([*command, "-no-cv"], capture_output=True, text=True, check=True).stdout
    printed = subprocess.run([*command, "-p", "0"], capture_output=True, text=True, check=True).stdout
    labels = re.findall(r"^ +\d+ +\S+ +\d+:(\S+)", printed, re.MULTILINE)
    columns = {
        f"a{place}": [
            None if column["v"][row] is None else column["v"][row] if column["k"] == "num" else f"v{column['v'][row]}"
            for row in parts["test"]
        ]
        for place, column in enumerate(data["cols"])
    }
    model = from_j48(text, schema=tmp_path / "train.arff")
    assert model.predict(columns).tolist() == labels
