"""Run R's rpart with all competing splits kept, and write their improvements to ../figures/rpart_competing.json.

python -m tests.against.collect.rpart_competing
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .rpart import PRINT, READ, command, left_side, rounded, write_table

FIGURES = Path(__file__).resolve().parents[1] / "figures" / "rpart_competing.json"
IMPORTANCE = """
cat("#importance\\n")
for (name in names(fit$variable.importance)) cat(name, number(fit$variable.importance[name]), "\\n", sep=",")
"""


def cases() -> Iterator[dict[str, Any]]:
    """Complete tables by both criteria, numbers, losses, gaps in one column, nominal columns."""
    limits = {"nominal": [], "gaps": None, "min_samples_split": 20, "min_samples_leaf": 7}
    for table in ("wine", "breast_cancer"):
        for criterion in ("gini", "entropy"):
            yield {"table": table, **limits, "criterion": criterion}
    yield {"table": "wine", **limits, "criterion": "gini", "losses": [[0, 1, 2], [4, 0, 1], [3, 5, 0]]}
    yield {"table": "diabetes", **limits, "criterion": "squared_error"}
    yield {"table": "diabetes", **limits, "criterion": "squared_error", "gaps": 2, "nominal": [8]}
    yield {"table": "wine", **limits, "criterion": "gini", "gaps": 6, "nominal": [9]}


def run(case: dict[str, Any]) -> tuple[dict[str, list[list[str]]], str]:
    """Run one case; the printed parts by their name, and the commands."""
    call = command(case).replace("maxcompete=0", "maxcompete=100")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{case['table']}.csv"
        write_table(file, case)
        commands = f"library(rpart); {READ.format(file=file.name)}; fit <- {call}"
        script = commands + PRINT + IMPORTANCE
        done = subprocess.run(["Rscript", "-e", script], cwd=folder, capture_output=True, text=True, check=True)
    parts: dict[str, list[list[str]]] = {}
    for row in csv.reader(io.StringIO(done.stdout)):
        if row and row[0].startswith("#"):
            part = parts.setdefault(row[0][1:], [])
        elif row:
            part.append(row)
    return parts, commands


def nodes_of(parts: dict[str, list[list[str]]]) -> list[dict[str, Any]]:
    """The nodes depth first, the low side first, with the improvement of every variable's best split."""
    nodes, split = {}, 0
    for number, variable, n, _, n_compete, n_surrogate, _ in parts["frame"]:
        node: dict[str, Any] = {"n": int(n)}
        if variable != "<leaf>":
            rows = parts["splits"][split : split + 1 + int(n_compete) + int(n_surrogate)]
            split += len(rows)
            node["improve"] = {row[0]: rounded(row[3]) for row in rows[: 1 + int(n_compete)]}
            node["low_left"] = left_side(rows[0], parts)
        nodes[int(number)] = node
    ordered: list[dict[str, Any]] = []
    waiting = [1]
    while waiting:
        number = waiting.pop()
        node = nodes[number]
        low_left = node.pop("low_left", None)
        ordered.append(node)
        if low_left is not None:
            waiting += [2 * number + 1, 2 * number] if low_left else [2 * number, 2 * number + 1]
    return ordered


def main() -> None:
    """Run all cases."""
    found = []
    for case in cases():
        parts, commands = run(case)
        importance = {name: rounded(value) for name, value, *_ in parts["importance"]}
        found.append({**case, "command": commands, "nodes": nodes_of(parts), "importance": importance})
    lines = ",\n  ".join(json.dumps(case) for case in found)
    header = {
        "program": ",".join(parts["version"][0]),
        "command": "python -m tests.against.collect.rpart_competing (each case: its own `command`)",
        "table": "NAME.csv, written by collect/rpart.py (write_table): columns x0, x1, ...; y; weight w",
    }
    FIGURES.write_text(json.dumps(header, indent=1)[:-2] + ',\n "cases": [\n  ' + lines + "\n ]\n}\n")


if __name__ == "__main__":
    main()
