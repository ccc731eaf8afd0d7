"""Run R's rpart with cross-validation on given folds, and write its cp tables to ../figures/cost_complexity.json.

python -m tests.against.collect.cost_complexity
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..tables import bundled, uneven_weights

FIGURES = Path(__file__).resolve().parents[1] / "figures" / "cost_complexity.json"
COLUMNS = ("CP", "nsplit", "rel error", "xerror", "xstd")
PRINT = """
for (i in seq_len(nrow(fit$cptable))) cat(sprintf("%.17g", fit$cptable[i, ]), "\\n")
cat(R.version.string, ", rpart ", as.character(packageVersion("rpart")), "\\n", sep="")
"""


def folds_of(n_rows: int) -> np.ndarray:
    """The fold of row i, 1 … 10: (7·i + i div 10) mod 10 + 1."""
    row = np.arange(n_rows)
    return (7 * row + row // 10) % 10 + 1


def cases() -> Iterator[dict[str, Any]]:
    """Every case: table, criterion, whether weighted, losses (row: true class).

    Losses come with uneven weights only. With equal ones the breast_cancer trees of three folds ask, of several
    equally good questions, others than rpart's (its competing splits show them tied), so left-out rows differ.
    """
    for weighted in (False, True):
        for table in ("iris", "wine", "breast_cancer"):
            for criterion in ("gini", "entropy"):
                yield {"table": table, "criterion": criterion, "weighted": weighted, "losses": None}
        yield {"table": "diabetes", "criterion": "squared_error", "weighted": weighted, "losses": None}
    for losses in ([[0, 10], [1, 0]], [[0, 1], [10, 0]]):
        yield {"table": "breast_cancer", "criterion": "gini", "weighted": True, "losses": losses}


def command(case: dict[str, Any]) -> str:
    """The commands of R that make `fit`."""
    parameters = []
    if case["criterion"] != "squared_error":
        parameters.append("split=" + json.dumps({"gini": "gini", "entropy": "information"}[case["criterion"]]))
    if case["losses"] is not None:
        cells = ",".join(str(cell) for row in case["losses"] for cell in row)
        parameters.append(f"loss=matrix(c({cells}), nrow={len(case['losses'])}, byrow=TRUE)")
    method = "anova" if case["criterion"] == "squared_error" else "class"
    parts = [f'rpart(y ~ . - w, data=d, weights=w, method="{method}"']
    if parameters:
        parts.append(f"parms=list({', '.join(parameters)})")
    parts.append("control=rpart.control(minsplit=20, minbucket=7, cp=0, xval=fold, maxcompete=0, maxsurrogate=0))")
    read = f'library(rpart); d <- read.csv("{case["table"]}.csv"); i <- seq_len(nrow(d)) - 1'
    return f"{read}; fold <- (7*i + i %/% 10) %% 10 + 1; fit <- {', '.join(parts)}"


def run(case: dict[str, Any]) -> tuple[list[list[float]], str]:
    """rpart's table, smallest tree first, and its version."""
    matrix, target = bundled(case["table"])
    frame = pd.DataFrame({f"x{j}": matrix[:, j] for j in range(matrix.shape[1])})
    frame["y"] = target
    frame["w"] = uneven_weights(len(target)) if case["weighted"] else 1.0
    with tempfile.TemporaryDirectory() as folder:
        frame.to_csv(Path(folder) / f"{case['table']}.csv", index=False, float_format=lambda v: repr(float(v)))
        script = command(case) + PRINT
        done = subprocess.run(["Rscript", "-e", script], cwd=folder, capture_output=True, text=True, check=True)
    *lines, version = done.stdout.strip().split("\n")
    return [[float(f"{float(cell):.15g}") for cell in line.split()] for line in lines], version


def main() -> None:
    """Run every case."""
    found, version = [], ""
    for case in cases():
        table, version = run(case)
        found.append({**case, "command": command(case), "cptable": table})
        print(case, len(table))
    header = {"program": version, "command": "python -m tests.against.collect.cost_complexity (each case: `command`)"}
    header["table"] = "NAME.csv, written by collect/cost_complexity.py (run): x0, x1, ...; y; weight w"
    header["columns"] = ", ".join(COLUMNS)
    lines = ",\n  ".join(json.dumps(case) for case in found)
    FIGURES.write_text(json.dumps(header, indent=1)[:-2] + ',\n "cases": [\n  ' + lines + "\n ]\n}\n")


if __name__ == "__main__":
    main()
