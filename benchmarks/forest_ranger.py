"""R's ranger as a contestant: a script that reads the columns from plain files and tells how long ranger() took."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from .clock import Contestant
from .data import Table
from .forest_contestants import Forest, score

# Each column is a file of 4-byte numbers, nominal values as codes; the arguments are trees, attributes per node,
# threads, seed and whether numbers are predicted. Held-out rows are answered afterwards, outside the time.
SCRIPT = """
suppressMessages(library(ranger))
given <- commandArgs(trailingOnly = TRUE)
folder <- given[1]
about <- read.csv(file.path(folder, "columns.csv"), stringsAsFactors = FALSE)
rows <- as.integer(readLines(file.path(folder, "rows.txt")))
column <- function(part, n, file, levels) {
  path <- file.path(folder, paste0(part, "_", file))
  if (levels == 0) return(readBin(path, "numeric", n, size = 4))
  structure(readBin(path, "integer", n, size = 4) + 1L, levels = as.character(seq_len(levels)), class = "factor")
}
frame <- function(part, n) {
  found <- lapply(seq_len(nrow(about)), function(j) column(part, n, about$file[j], about$levels[j]))
  names(found) <- about$name
  as.data.frame(found)
}
train <- frame("train", rows[1])
numbers <- given[6] == "TRUE"
target <- column("train", rows[1], "target", if (numbers) 0 else rows[3])
spent <- system.time(model <- ranger(
  x = train, y = target, num.trees = as.integer(given[2]), mtry = as.integer(given[3]), min.node.size = 1,
  num.threads = as.integer(given[4]), seed = as.integer(given[5]), respect.unordered.factors = "order",
  oob.error = FALSE, write.forest = TRUE, verbose = FALSE))
asked <- frame("test", rows[2])
answers <- predict(model, asked, seed = as.integer(given[5]), num.threads = 1, verbose = FALSE)$predictions
writeBin(if (numbers) as.numeric(answers) else as.numeric(as.integer(answers) - 1L), file.path(folder, "answers"))
nodes <- sum(sapply(model$forest$split.varIDs, length))
cat(spent[["elapsed"]], spent[["user.self"]] + spent[["sys.self"]], nodes, "\\n")
"""


@lru_cache(maxsize=1)
def ranger_version() -> str | None:
    """The version of ranger, or None without R or without ranger."""
    if not shutil.which("Rscript"):
        return None
    asked = 'cat(as.character(packageVersion("ranger")))'
    done = subprocess.run(["Rscript", "-e", asked], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def write_columns(table: Table, folder: Path, regression: bool) -> None:
    """Write a table for the script; ranger takes no unknown values: nominal ones become a value, numbers the median."""
    about = []
    for place, name in enumerate(table.train.columns):
        levels = 0
        for part, frame in (("train", table.train), ("test", table.test)):
            if name in table.nominal:
                codes = frame[name].cat.codes.to_numpy(np.int32)
                unknown = len(frame[name].cat.categories)
                levels = unknown + int(table.train[name].isna().any() or table.test[name].isna().any())
                cells = np.where(codes < 0, unknown, codes).astype(np.int32)
            else:
                cells = frame[name].fillna(table.train[name].median()).to_numpy(np.float32)
            cells.tofile(folder / f"{part}_{place}")
        about.append({"name": f"x{place}", "file": place, "levels": levels})
    pd.DataFrame(about).to_csv(folder / "columns.csv", index=False)
    classes = 0 if regression else int(max(table.train_target.max(), table.test_target.max())) + 1
    (folder / "rows.txt").write_text(f"{len(table.train)}\n{len(table.test)}\n{classes}\n")
    table.train_target.astype(np.float32 if regression else np.int32).tofile(folder / "train_target")
    (folder / "forest.R").write_text(SCRIPT)


@dataclass(frozen=True)
class Run:
    """What the script printed, and the answers for the held-out rows."""

    wall: float
    cpu: float
    nodes: int
    answers: np.ndarray


def run_ranger(folder: Path, forest: Forest, threads: int = 1) -> Run:
    """Grow once on the columns in a folder."""
    settings = [forest.trees, forest.attributes, threads, forest.seed + 1, str(forest.regression).upper()]
    command = ["Rscript", str(folder / "forest.R"), str(folder), *map(str, settings)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"ranger failed: {done.stderr[-800:]}")
    wall, cpu, nodes = map(float, done.stdout.split())
    return Run(wall, cpu, int(nodes), np.fromfile(folder / "answers"))


def ranger_forest(table: Table, forest: Forest, folder: Path, threads: int = 1, runs: int | None = None) -> Contestant:
    """ranger on the table; nominal values in the order of their classes."""
    write_columns(table, folder, forest.regression)
    notes = ["gini"] * (not forest.regression) + ["factors by order", "unknown as a value"] * bool(table.nominal)
    return Contestant(
        "ranger",
        lambda: run_ranger(folder, forest, threads),
        lambda run: run.nodes,
        lambda run: score(run.answers, table.test_target, forest.regression),
        threads,
        runs=runs,
        own_time=lambda run: (run.wall, run.cpu),
        note=", ".join([*notes, "time of ranger() alone"]),
    )
