"""Run Weka's J48 on the tables of the tests and write sizes and error counts to ../figures/j48.json.

python -m tests.against.collect.j48 [path of weka.jar]
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from ..tables import C45_FOLDER, bundled, read_c45

FIGURES = Path(__file__).resolve().parents[1] / "figures" / "j48.json"
BUNDLED = ("iris", "wine", "breast_cancer", "digits")
C45_SETS = ("golf", "labor-neg", "vote", "hypo")
OPTIONS = (
    ("-U",),
    ("-U", "-M", "1"),
    ("-U", "-M", "5"),
    ("-U", "-M", "10"),
    (),
    ("-C", "0.1"),
    ("-S",),
)


def quoted(name: str) -> str:
    """A name as ARFF wants it."""
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


def write_arff(path: Path, frame: pd.DataFrame, classes: pd.Categorical) -> None:
    """Write a table with every digit of every number; the class comes last."""
    lines = [f"@relation {path.stem}"]
    for name, column in frame.items():
        categories = getattr(column.dtype, "categories", None)
        kind = "numeric" if categories is None else "{" + ",".join(map(quoted, categories)) + "}"
        lines.append(f"@attribute {quoted(str(name))} {kind}")
    lines.append("@attribute class {" + ",".join(quoted(str(c)) for c in classes.categories) + "}")
    lines.append("@data")
    for row, label in zip(frame.itertuples(index=False), classes, strict=True):
        cells = ["?" if pd.isna(v) else quoted(v) if isinstance(v, str) else repr(float(v)) for v in row]
        lines.append(",".join([*cells, quoted(str(label))]))
    path.write_text("\n".join(lines) + "\n")


def run(weka: str, options: tuple[str, ...], train: Path, test: Path | None) -> dict[str, object]:
    """One J48: its size, its leaves, its errors on the training rows and, with a test file, on those."""
    arguments = ["weka.classifiers.trees.J48", *options, "-t", train.name]
    arguments += ["-no-cv"] if test is None else ["-T", test.name]
    command = ["java", "-cp", weka, *arguments]
    text = subprocess.run(command, cwd=train.parent, capture_output=True, text=True, check=True).stdout
    errors = [int(n) for n in re.findall(r"Incorrectly Classified Instances\s+(\d+)", text)]
    figures: dict[str, object] = {
        "command": "java -cp weka.jar " + " ".join(arguments),
        "size": int(re.search(r"Size of the tree :\s+(\d+)", text)[1]),
        "leaves": int(re.search(r"Number of Leaves\s+:\s+(\d+)", text)[1]),
        "training_errors": errors[0],
    }
    if test is not None:
        figures["test_errors"] = errors[1]
    if options == ("-U",):
        figures["tree"] = re.search(r"-{10,}\n\n?(.*?)\n\nNumber of Leaves", text, re.DOTALL)[1].split("\n")
    return figures


def tables() -> dict[str, tuple[pd.DataFrame, pd.Categorical, pd.DataFrame | None, pd.Categorical | None]]:
    """Every table by name: training rows and classes, test rows and classes or None."""
    found = {}
    for name in BUNDLED:
        matrix, target = bundled(name)
        frame = pd.DataFrame({f"x{j}": matrix[:, j] for j in range(matrix.shape[1])})
        found[name] = (frame, pd.Categorical(target, categories=np.unique(target)), None, None)
    for name in C45_SETS:
        files = read_c45(name, C45_FOLDER)
        found[name] = (files.train, files.train_classes, files.test, files.test_classes)
    return found


def main(weka: str) -> None:
    """Run every table with every set of options."""
    figures: dict[str, object] = {
        "program": "Weka 3.6.14 (Debian package weka 3.6.14-3), weka.classifiers.trees.J48, OpenJDK 17",
        "tables": "written by tests/against/collect/j48.py (write_arff): NAME.arff trains, NAME-test.arff tests",
        "note": "Sizes count all nodes, leaves of empty branches too. J48 collapses after growing, with -U too; "
        "this version has no option against it.",
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, (frame, classes, test, test_classes) in tables().items():
            train_file, test_file = Path(folder) / f"{name}.arff", None
            write_arff(train_file, frame, classes)
            if test is not None:
                test_file = Path(folder) / f"{name}-test.arff"
                write_arff(test_file, test, test_classes)
            figures[name] = {" ".join(options): run(weka, options, train_file, test_file) for options in OPTIONS}
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/java/weka.jar")
