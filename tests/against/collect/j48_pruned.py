"""Run Weka's J48 with pruning on more tables than collect/j48.py and write ../figures/j48_pruned.json.

python -m tests.against.collect.j48_pruned [path of weka.jar]
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from ..pruned_tables import GAPS, RANDOM, SHARED, SHARED_FOLDER, table
from .j48 import BUNDLED, C45_SETS, write_arff

FIGURES = Path(__file__).resolve().parents[1] / "figures" / "j48_pruned.json"
OPTIONS = ("", "-S", "-C 0.1", "-M 5", "-C 0.1 -M 5", "-C 0.45 -M 1")
#: What J48 prints of a leaf: its class, the weight of its examples, and that of the others among them.
LEAF = re.compile(r": ([^:]+) \(([\d.]+)(?:/([\d.]+))?\)$")


def leaves(text: str) -> list[list[object]]:
    """[Class, weight, errors] of each leaf, from the first to the last."""
    tree = re.search(r"-{10,}\n\n?(.*?)\n\nNumber of Leaves", text, re.DOTALL)[1]
    found = [LEAF.search(line) for line in tree.split("\n")]
    return [[leaf[1], float(leaf[2]), float(leaf[3] or 0)] for leaf in found if leaf]


def run(weka: str, options: str, train: Path) -> dict[str, object]:
    """One J48: its size, its errors on the training rows, and its leaves."""
    arguments = ["weka.classifiers.trees.J48", *options.split(), "-t", train.name, "-no-cv"]
    command = ["java", "-Xmx2g", "-cp", weka, *arguments]
    text = subprocess.run(command, cwd=train.parent, capture_output=True, text=True, check=True).stdout
    figures: dict[str, object] = {
        "command": "java -cp weka.jar " + " ".join(arguments),
        "size": int(re.search(r"Size of the tree :\s+(\d+)", text)[1]),
        "training_errors": int(re.search(r"Incorrectly Classified Instances\s+(\d+)", text)[1]),
        "leaves": int(re.search(r"Number of Leaves\s+:\s+(\d+)", text)[1]),
    }
    found = leaves(text)
    if len(found) <= 120:
        figures["leaf"] = found
    return figures


def main(weka: str) -> None:
    """Run every table with every set of options."""
    figures: dict[str, object] = {
        "program": "Weka 3.6.14 (Debian package weka 3.6.14-3), weka.classifiers.trees.J48, OpenJDK 17",
        "tables": "tests/against/pruned_tables.py, written by tests/against/collect/j48.py (write_arff)",
        "note": "leaf: [class, weight, errors] of every leaf as printed, of trees with at most 120 leaves.",
    }
    with tempfile.TemporaryDirectory() as folder:
        for name in (*BUNDLED, *GAPS, *RANDOM, *C45_SETS, *SHARED):
            if name in SHARED and not SHARED_FOLDER.is_dir():
                continue
            frame, classes = table(name)
            train = Path(folder) / f"{name}.arff"
            write_arff(train, frame, classes)
            figures[name] = {options: run(weka, options, train) for options in OPTIONS}
            print(name, flush=True)
    text = json.dumps(figures, indent=1)
    FIGURES.write_text(re.sub(r"\[\s+(\"[^\"]*\"),\s+([\d.]+),\s+([\d.]+)\s+\]", r"[\1, \2, \3]", text) + "\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/java/weka.jar")
