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
        (case, program, 1, 1.0)
        for case in ("agrawal", "adult", "covertype")
        for program in ("scikit-learn", "YDF", "LightGBM")
    ),
    ("c45_adult", "Weka J48", 1, 1.0),
    ("c45_covertype", "Weka J48", 1, 1.0),
)

# CPU seconds of C4.5 Release 8, reading the files included, quoted from an earlier measurement on another machine.
QUOTED_R8 = {"c45_adult": ("39,073 ×", 0.60), "c45_covertype": ("464,809 ×", 154.0)}


def targets(results: Results, memory: list[dict[str, Any]], import_beyond: float, tiny: float) -> list[Target]:
    """Every target that this run can judge."""
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
    ):
        one, two = (pick(results.get(case, []), "Quercus", threads) for threads in (1, 2))
        if one is not None and two is not None:
            found.append(Target(f"{case}: speed-up by a second thread", one.wall / two.wall, 1.6))
    return found


def quality_targets(results: Results) -> list[Target]:
    """The binned tree is no worse than LightGBM's on held-out rows."""
    ours, theirs = (pick(results.get("binned", []), program, 1) for program in ("Quercus", "LightGBM"))
    if ours is None or theirs is None:
        return []
    noise = 2 * (theirs.quality * (1 - theirs.quality) / max(ours.held_out, 1)) ** 0.5
    words = "binned: held-out accuracy less LightGBM's (two standard errors allowed)"
    return [Target(words, ours.quality - theirs.quality, -noise)]


def doubling_targets(results: Results) -> list[Target]:
    """What twice the rows cost, by CPU time."""
    steps = results.get("doubling", [])
    return [
        Target(f"doubling the rows to {more.task.split()[-3]}", more.cpu / less.cpu, 2.3, False)
        for less, more in itertools.pairwise(steps)
    ]
