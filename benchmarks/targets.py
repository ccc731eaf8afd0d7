"""What speed is asked for, and whether a run reached it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .clock import Result

Results = dict[str, list[Result]]


@dataclass(frozen=True)
class Target:
    """A claim, the number measured for it, the bound, and on which side of it the number has to be."""

    claim: str
    measured: float
    bound: float
    at_least: bool = True

    @property
    def met(self) -> bool:
        """Whether the number is on the right side."""
        return self.measured >= self.bound if self.at_least else self.measured <= self.bound


def pick(results: Iterable[Result], program: str, threads: int) -> Result | None:
    """The result of a program with so many threads."""
    return next((result for result in results if (result.program, result.threads) == (program, threads)), None)


def seconds(result: Result) -> float:
    """CPU time on one thread (steadier on a shared machine), wall time on more or where CPU time is not known."""
    return result.cpu if result.threads == 1 and result.cpu == result.cpu else result.wall


def times_faster(results: list[Result], program: str, threads: int = 1) -> float | None:
    """How many times faster Quercus was than a peer with the same number of threads."""
    ours, theirs = pick(results, "Quercus", threads), pick(results, program, threads)
    if ours is None or theirs is None:
        return None
    if theirs.cpu != theirs.cpu:
        return theirs.wall / ours.wall
    return seconds(theirs) / seconds(ours)


FASTER = (
    ("full_entropy", "scikit-learn", 1, 25.0),
    ("full_gini", "scikit-learn", 1, 25.0),
    ("depth_entropy", "scikit-learn", 1, 20.0),
    ("depth_gini", "scikit-learn", 1, 20.0),
    ("full_entropy", "YDF", 1, 8.0),
    ("full_entropy", "YDF", 2, 8.0),
    ("binned", "LightGBM", 1, 1.0),
    ("binned", "LightGBM", 2, 1.0),
    *(
        (case, "shap", 1, 5.0)
        for case in ("shap_two_classes", "shap_shallow", "shap_ten_classes", "shap_numbers", "shap_adult")
    ),
    *(
        (case, program, 1, 1.0)
        for case in ("agrawal", "adult", "covertype")
        for program in ("scikit-learn", "YDF", "LightGBM")
    ),
    ("c45_adult", "Weka J48", 1, 1.0),
    ("c45_covertype", "Weka J48", 1, 1.0),
    ("forest_entropy", "scikit-learn", 1, 5.0),
    ("forest_entropy", "YDF", 1, 3.0),
    ("forest_entropy", "ranger", 1, 5.0),
    ("forest_gini", "scikit-learn", 1, 5.0),
    *(
        (case, program, 1, 1.0)
        for case in ("forest_adult", "forest_covertype")
        for program in ("scikit-learn", "YDF", "ranger")
    ),
    ("forest_binned", "LightGBM", 1, 1.0),
    ("forest_binned", "LightGBM", 2, 1.0),
    ("forest_binned_tree", "LightGBM", 1, 1.0),
    ("forest_binned_tree", "LightGBM", 2, 1.0),
)

# CPU seconds of C4.5 Release 8, reading the files included, quoted from an earlier measurement on another machine.
QUOTED_R8 = {"c45_adult": ("39,073 ×", 0.60), "c45_covertype": ("464,809 ×", 154.0)}


def targets(results: Results) -> list[Target]:
    """Every target that these tasks can judge."""
    found = []
    for case, program, threads, bound in FASTER:
        ratio = times_faster(results.get(case, []), program, threads)
        if ratio is not None:
            words = f"{case}: times faster than {program}, {threads} thread{'s' * (threads > 1)}"
            found.append(Target(words, ratio, bound))
    for case, (rows, quoted) in QUOTED_R8.items():
        ours = pick(results.get(case, []), "Quercus", 1)
        if ours is not None and rows in ours.task:
            found.append(
                Target(f"{case}: CPU seconds, against R8's {quoted} (quoted, other machine)", ours.cpu, quoted, False)
            )
    found += [*thread_targets(results), *quality_targets(results), *doubling_targets(results)]
    return found + forest_targets(results)


def small_targets(memory: list[dict[str, Any]], import_beyond: float, tiny: float) -> list[Target]:
    """Memory, import and tiny fits."""
    found = []
    for fact in memory:
        if fact["program"] == "quercus":
            words = f"peak memory of a fit from {fact['layout']} / encoded columns"
            found.append(Target(words, fact["peak"] / fact["columns"], 3.0, False))
    found.append(
        Target("import of our estimators beyond scikit-learn's own import, seconds", import_beyond, 0.3, False)
    )
    found.append(Target("fit on 14 rows (C4.5, frame of strings), milliseconds", 1000 * tiny, 1.0, False))
    return found


def thread_targets(results: Results) -> list[Target]:
    """What a second thread brings, by wall time."""
    found = []
    for case in (
        "full_entropy",
        "full_gini",
        "depth_entropy",
        "depth_gini",
        "binned",
        "agrawal",
        "covertype",
        "c45_covertype",
        "forest_entropy",
        "forest_covertype",
        "forest_binned",
    ):
        one, two = (pick(results.get(case, []), "Quercus", threads) for threads in (1, 2))
        if one is not None and two is not None:
            bound = 1.8 if case.startswith("forest") else 1.6
            found.append(Target(f"{case}: speed-up by a second thread", one.wall / two.wall, bound))
    return found


NO_WORSE = (
    ("binned", "LightGBM"),
    ("forest_entropy", "scikit-learn"),
    ("forest_entropy", "YDF"),
    ("forest_entropy", "ranger"),
    ("forest_binned", "LightGBM"),
    ("forest_binned_tree", "LightGBM"),
)


def quality_targets(results: Results) -> list[Target]:
    """No worse than the peer on held-out rows."""
    found = []
    for case, program in NO_WORSE:
        ours, theirs = (pick(results.get(case, []), each, 1) for each in ("Quercus", program))
        if ours is None or theirs is None:
            continue
        noise = 2 * (theirs.quality * (1 - theirs.quality) / max(ours.held_out, 1)) ** 0.5
        words = f"{case}: held-out accuracy less {program}'s (two standard errors allowed)"
        found.append(Target(words, ours.quality - theirs.quality, -noise))
    return found


def doubling_targets(results: Results) -> list[Target]:
    """What twice the rows cost, by CPU time."""
    steps = results.get("doubling", [])
    return [
        Target(f"doubling the rows to {more.task.split()[-3]}", more.cpu / less.cpu, 2.3, False)
        for less, more in itertools.pairwise(steps)
    ]


def forest_targets(results: Results) -> list[Target]:
    """What only forests are asked: rows a second, memory, one row at a time, accuracy over seeds."""
    found = []
    for case in ("forest_predict_numeric", "forest_predict_adult"):
        there = results.get(case, [])
        ours = pick(there, "Quercus", 1)
        spent = [seconds(peer) for peer in there if not peer.program.startswith("Quercus")]
        if ours is not None and spent:
            words = f"{case}: times the rows a second of the fastest peer, 1 thread"
            found.append(Target(words, min(spent) / seconds(ours), 2.0))
        theirs = pick(there, "scikit-learn", 1)
        if ours is not None and theirs is not None and ours.model_bytes and theirs.model_bytes:
            words = f"{case}: memory of the model over scikit-learn's"
            found.append(Target(words, ours.model_bytes / theirs.model_bytes, 1 / 3, False))
    rows = [one for one in results.get("forest_single_row", []) if one.task == "one row, one tree"]
    ours = pick(rows, "Quercus", 1)
    if ours is not None:
        found.append(Target("one row through Python, one tree, microseconds", 1e6 * ours.wall, 20.0, False))
    return found + accuracy_targets(results.get("forest_accuracy", []))


def accuracy_targets(results: list[Result]) -> list[Target]:
    """Over the seeds no worse than the peer that draws attributes the same way; two standard errors allowed."""
    found = []
    for program, peer in (("Quercus", "scikit-learn"), ("Quercus, as ranger", "ranger")):
        for ours in (one for one in results if one.program == program):
            for theirs in (one for one in results if (one.task, one.program) == (ours.task, peer)):
                noise = 2 * ((ours.spread**2 + theirs.spread**2) / ours.runs) ** 0.5
                words = f"forest_accuracy: {ours.task}, {program}, less {peer} (two standard errors allowed)"
                found.append(Target(words, ours.quality - theirs.quality, -max(noise, 1e-9)))
    return found
