"""Weka's J48 as a contestant: a Java program that reads ARFF and tells how long building took."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from .clock import Contestant
from .data import Table

JARS = (Path("/usr/share/java/weka.jar"), Path("weka.jar"))


def jar() -> Path | None:
    """Where Weka is, if it is installed and Java too."""
    return next((path for path in JARS if path.exists()), None) if shutil.which("java") else None


def version(weka: Path) -> str:
    """Weka's version from the name of the file that the link points to."""
    found = re.search(r"weka-([\d.]+)\.jar", weka.resolve().name)
    return found[1] if found else "of unknown version"


def quoted(name: object) -> str:
    """A name as ARFF wants it."""
    return "'" + str(name).replace("\\", "\\\\").replace("'", "\\'") + "'"


def write_arff(path: Path, table: Table, frame: pd.DataFrame, target: np.ndarray) -> None:
    """Write a table in Weka's format."""
    head = ["@relation timed"]
    for name in frame:
        kind = "{" + ",".join(map(quoted, frame[name].cat.categories)) + "}" if name in table.nominal else "numeric"
        head.append(f"@attribute {quoted(name)} {kind}")
    head.append("@attribute class {" + ",".join(map(str, np.unique(table.train_target))) + "}")
    shown = frame.copy()
    for name in table.nominal:
        shown[name] = frame[name].cat.rename_categories([quoted(value) for value in frame[name].cat.categories])
    shown["class"] = target
    body = shown.to_csv(index=False, header=False, na_rep="?", quotechar="\x01", escapechar=None)
    path.write_text("\n".join([*head, "@data"]) + "\n" + body)


@dataclass(frozen=True)
class Run:
    """What Weka printed."""

    seconds: float
    size: int
    accuracy: float


def j48(table: Table, weka: Path, folder: Path, runs: int | None = None) -> Contestant:
    """J48 on one processor; the time is what it prints as "Time taken to build model"."""
    train, test = folder / "train.arff", folder / "test.arff"
    write_arff(train, table, table.train, table.train_target)
    write_arff(test, table, table.test, table.test_target)
    java = ["java", "-XX:ActiveProcessorCount=1", "-XX:+UseSerialGC", "-Xmx6g", "-cp", str(weka)]
    command = [*java, "weka.classifiers.trees.J48", "-U", "-t", str(train), "-T", str(test)]

    def run() -> Run:
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout

        def number(label: str) -> float:
            found = re.search(label + r"\s*:?\s+([\d.]+)", text)
            if found is None:
                raise RuntimeError(f"J48 did not print {label!r}")
            return float(found[1])

        shares = re.findall(r"Correctly Classified Instances\s+\d+\s+([\d.]+)", text)  # training rows, then test rows
        return Run(number("Time taken to build model"), int(number("Size of the tree")), float(shares[-1]) / 100)

    return Contestant(
        "Weka J48",
        run,
        lambda model: model.size,
        lambda model: model.accuracy,
        runs=runs,
        own_time=lambda model: (model.seconds, float("nan")),
        note="-U; wall time as it prints it, reading not included",
    )
