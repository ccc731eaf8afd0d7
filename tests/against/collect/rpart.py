"""Run R's rpart on tables with gaps, losses and priors, and write its trees to ../figures/rpart.json.

python -m tests.against.collect.rpart
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

from ..tables import table_of, uneven_weights

FIGURES = Path(__file__).resolve().parents[1] / "figures" / "rpart.json"
READ = 'd <- read.csv("{file}", na.strings="", stringsAsFactors=TRUE)'
CONTROL = (
    "control=rpart.control(minsplit={min_samples_split}, minbucket={min_samples_leaf}, cp=-1, xval=0, maxcompete=0, "
    "maxsurrogate=30, usesurrogate=2, surrogatestyle=1)"
)
PRINT = """
number <- function(x) sprintf("%.17g", x)
cat("#frame\\n")
for (i in seq_len(nrow(fit$frame))) with(fit$frame[i, ], cat(rownames(fit$frame)[i], as.character(var), n,
  number(yval), ncompete, nsurrogate, "\\n", sep=","))
cat("#splits\\n")
for (i in seq_len(NROW(fit$splits))) { s <- fit$splits[i, ]
  cat(rownames(fit$splits)[i], s["count"], s["ncat"], number(s["improve"]), number(s["index"]), number(s["adj"]),
    "\\n", sep=",") }
cat("#csplit\\n")
for (i in seq_len(NROW(fit$csplit))) cat(fit$csplit[i, ], "\\n", sep=",")
cat("#version\\n"); cat(R.version.string, ", rpart ", as.character(packageVersion("rpart")), "\\n", sep="")
"""


def cases() -> Iterator[dict[str, Any]]:
    """Every case, in the words of the tests; `command` is added when it is run.

    gaps: None, the column whose cells are removed, or "all". Iris is not among the complete tables: two of its columns
    divide it the same way, and rounding decides between them.
    """
    limits = {"nominal": [], "criterion": "gini", "min_samples_split": 20, "min_samples_leaf": 7}
    three, two = [[0, 1, 2], [4, 0, 1], [3, 5, 0]], [[0, 5], [1, 0]]
    for table, losses, priors in (("wine", three, [0.2, 0.3, 0.5]), ("breast_cancer", two, [0.8, 0.2])):
        for criterion in ("gini", "entropy"):
            case = {"table": table, "gaps": None, **limits, "criterion": criterion}
            yield case
            yield {**case, "losses": losses}
            yield {**case, "priors": priors}
            yield {**case, "losses": losses, "priors": priors}
    columns = (("iris", 2, [1]), ("wine", 0, [10]), ("wine", 6, [9]), ("breast_cancer", 27, [21, 23]))
    for table, gaps, nominal in columns:
        for criterion in ("gini", "entropy"):
            yield {"table": table, "gaps": gaps, **limits, "criterion": criterion}
            yield {"table": table, "gaps": gaps, **limits, "criterion": criterion, "nominal": nominal}
    for gaps, nominal in ((2, []), (3, []), (2, [8]), (6, [8])):
        yield {"table": "diabetes", "gaps": gaps, **limits, "criterion": "squared_error", "nominal": nominal}
    for table, nominal in (("iris", [1]), ("wine", [0, 9]), ("breast_cancer", [0, 21, 27])):
        yield {"table": table, "gaps": "all", **limits, "nominal": nominal}
        yield {"table": table, "gaps": "all", **limits}
    yield {"table": "diabetes", "gaps": "all", **limits, "criterion": "squared_error", "nominal": [2]}


def command(case: dict[str, Any]) -> str:
    """The call of rpart."""
    parameters = []
    if case["criterion"] != "squared_error":
        parameters.append("split=" + json.dumps({"gini": "gini", "entropy": "information"}[case["criterion"]]))
    if "losses" in case:
        cells = ",".join(str(cell) for row in case["losses"] for cell in row)
        parameters.append(f"loss=matrix(c({cells}), nrow={len(case['losses'])}, byrow=TRUE)")
    if "priors" in case:
        parameters.append(f"prior=c({','.join(map(str, case['priors']))})")
    method = "anova" if case["criterion"] == "squared_error" else "class"
    parts = [f'rpart(y ~ . - w, data=d, weights=w, method="{method}"']
    if parameters:
        parts.append(f"parms=list({', '.join(parameters)})")
    return ", ".join([*parts, CONTROL.format(**case)]) + ")"


def write_table(path: Path, case: dict[str, Any]) -> None:
    """Columns x0, x1, …, then y and the weight w; an empty cell is unknown."""
    frame, target = table_of(case)
    frame["y"] = target
    frame["w"] = uneven_weights(len(target))
    frame.to_csv(path, index=False, float_format=lambda v: repr(float(v)))


def run(case: dict[str, Any]) -> tuple[dict[str, list[list[str]]], str]:
    """Run one case; the printed parts by their name, and the commands."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{case['table']}.csv"
        write_table(file, case)
        commands = f"library(rpart); {READ.format(file=file.name)}; fit <- {command(case)}"
        script = commands + PRINT
        done = subprocess.run(["Rscript", "-e", script], cwd=folder, capture_output=True, text=True, check=True)
    parts: dict[str, list[list[str]]] = {}
    for row in csv.reader(io.StringIO(done.stdout)):
        if row and row[0].startswith("#"):
            part = parts.setdefault(row[0][1:], [])
        elif row:
            part.append(row)
    return parts, commands


def tree_of(parts: dict[str, list[list[str]]]) -> list[dict[str, Any]]:
    """rpart's nodes depth first, the low side (nominal: the side of the first present value) of each split first."""
    nodes, split = {}, 0
    for number, variable, n, value, n_compete, n_surrogate, _ in parts["frame"]:
        node: dict[str, Any] = {"n": int(n), "value": rounded(value)}
        if variable != "<leaf>":
            rows = parts["splits"][split : split + 1 + int(n_compete) + int(n_surrogate)]
            split += len(rows)
            low_left = left_side(rows[0], parts)
            node.update(question_of(rows[0], parts, low_left), improve=rounded(rows[0][3]))
            node["surrogates"] = [
                {**question_of(row, parts, low_left), "agreement": rounded(row[3]), "adjusted": rounded(row[5])}
                for row in rows[1 + int(n_compete) :]
            ]
            node["left_first"] = low_left
        nodes[int(number)] = node
    ordered: list[dict[str, Any]] = []

    def visit(number: int) -> None:
        node = nodes[number]
        ordered.append({key: value for key, value in node.items() if key != "left_first"})
        if "variable" in node:
            first = 2 * number if node["left_first"] else 2 * number + 1
            visit(first)
            visit(4 * number + 1 - first)

    visit(1)
    return ordered


def rounded(text: str) -> float:
    """A printed number to 12 significant digits."""
    return float(f"{float(text):.12g}")


def left_side(row: list[str], parts: dict[str, list[list[str]]]) -> bool:
    """Whether rpart's left branch is our branch 0: the low side, or the side of the first present value."""
    if abs(int(row[2])) == 1:
        return int(row[2]) == -1
    sides = [cell for cell in parts["csplit"][int(float(row[4])) - 1] if cell]
    return next(side for side in sides if side != "2") == "1"


def question_of(row: list[str], parts: dict[str, list[list[str]]], low_left: bool) -> dict[str, Any]:
    """A split as a test whose branches are 0 and 1 in our sense, given which of rpart's is which."""
    left = 0 if low_left else 1
    if abs(int(row[2])) == 1:
        return {"variable": row[0], "threshold": rounded(row[4]), "low": left if int(row[2]) == -1 else 1 - left}
    sides = [cell for cell in parts["csplit"][int(float(row[4])) - 1] if cell]
    branch = {"1": left, "3": 1 - left, "2": None}
    values = {name: branch[side] for name, side in zip("abcd", sides, strict=False)}
    return {"variable": row[0], "values": values}


def main() -> None:
    """Run every case."""
    found, version = [], ""
    for case in cases():
        parts, commands = run(case)
        tree = tree_of(parts)
        version = ",".join(parts["version"][0])
        found.append({**case, "command": commands, "n_nodes": len(tree), "nodes": tree})
        print({key: value for key, value in case.items()}, len(tree))
    lines = ",\n  ".join(json.dumps(case) for case in found)
    header = {"program": version, "command": "python -m tests.against.collect.rpart (each case: its own `command`)"}
    header["table"] = "NAME.csv, written by collect/rpart.py (write_table): columns x0, x1, ...; y; weight w"
    FIGURES.write_text(json.dumps(header, indent=1)[:-2] + ',\n "cases": [\n  ' + lines + "\n ]\n}\n")


if __name__ == "__main__":
    main()
