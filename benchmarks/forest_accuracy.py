"""How well forests answer: held-out accuracy (R² for numbers) of each program over seeds, the same rows for all."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from . import data
from .cases import Sizes
from .clock import Result
from .forest_contestants import Forest, quercus_model, root_of, scikit_learn_model, score
from .forest_ranger import ranger_version, run_ranger, write_columns

AS_RANGER = "Quercus, as ranger"
SEEDS = 5
TREES = 100
MOST_ROWS = 50_000


@dataclass(frozen=True)
class Set:
    """A data set of the comparison; `attributes` a node: the root of all, for numbers a third."""

    file: str
    regression: bool = False


SETS = (
    Set("adult"),
    Set("letter"),
    Set("uci_nursery"),
    Set("uci_mushroom"),
    Set("uci_kr_vs_kp"),
    Set("uci_car"),
    Set("uci_credit_g"),
    Set("uci_tic_tac_toe"),
    Set("covtype_mixed"),
    Set("diamonds", regression=True),
    Set("reg_cal_housing", regression=True),
)
QUICK_SETS = ("uci_car", "uci_credit_g", "uci_tic_tac_toe")


def shuffled(table: data.Table, seed: int, most: int = MOST_ROWS) -> data.Table:
    """The same rows, at most so many, cut anew into training and held-out ones."""
    frame = pd.concat([table.train, table.test], ignore_index=True)
    target = np.concatenate([table.train_target, table.test_target])
    order = np.random.default_rng(seed).permutation(len(frame))[:most]
    return data.cut(table.name, frame.iloc[order].reset_index(drop=True), target[order])


def accuracies(table: data.Table, forest: Forest) -> dict[str, float]:
    """The held-out accuracy of each program on one cut of a table."""
    ours = quercus_model(forest, 2).fit(table.train, table.train_target)
    like_ranger = quercus_model(replace(forest, as_ranger=True), 2).fit(table.train, table.train_target)
    codes: Any = table.codes(table.train)
    theirs = scikit_learn_model(forest, 2).fit(codes, table.train_target)
    found = {
        "Quercus": float(ours.score(table.test, table.test_target)),
        AS_RANGER: float(like_ranger.score(table.test, table.test_target)),
        "scikit-learn": float(theirs.score(table.codes(table.test), table.test_target)),
    }
    if ranger_version():
        with tempfile.TemporaryDirectory() as folder:
            write_columns(table, Path(folder), forest.regression)
            answers = run_ranger(Path(folder), forest, 2).answers
        found["ranger"] = score(answers, table.test_target, forest.regression)
    return found


def compared(one: Set, seeds: int) -> list[Result]:
    """Mean and spread over the seeds; each seed cuts the table anew and seeds the forests."""
    whole = data.real(one.file, one.regression)
    if whole is None:
        return []
    attributes = max(1, whole.train.shape[1] // 3) if one.regression else root_of(whole)
    found = []
    for seed in range(seeds):
        forest = Forest(TREES, attributes, regression=one.regression, seed=seed)
        found.append(accuracies(shuffled(whole, seed), forest))
    results = []
    for program in found[0]:
        values = np.array([each[program] for each in found])
        held_out = len(shuffled(whole, 0).test)
        what = (one.file, program, 2, float("nan"), float("nan"), 0, float(values.mean()), seeds)
        note = f"R², {attributes} attributes per node" if one.regression else f"{attributes} attributes per node"
        results.append(Result(*what, note, held_out, spread=float(values.std(ddof=1))))
    return results


def forest_accuracy(sizes: Sizes) -> list[Result]:
    """All data sets that are there; the quick run takes small ones and three seeds."""
    chosen = SETS if sizes.both_criteria else [one for one in SETS if one.file in QUICK_SETS]
    found = []
    for one in chosen:
        found += compared(one, SEEDS if sizes.both_criteria else 3)
        print(f"accuracy: {one.file} done", flush=True)
    return found
