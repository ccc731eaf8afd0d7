"""Timing: contestants run in turn, round after round, and the best of each counts."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Contestant:
    """One program on one task.

    fit: trains a model; this alone is timed. size: nodes of the model. quality: accuracy (or R²) on held-out rows.
    runs: how often, if not as often as the others. held_out: how many rows the quality is measured on. own_time:
    (wall, CPU) as a program outside this process tells it. model_bytes: the memory of the model, where that is known.
    """

    program: str
    fit: Callable[[], Any]
    size: Callable[[Any], int]
    quality: Callable[[Any], float]
    threads: int = 1
    runs: int | None = None
    held_out: int = 0
    own_time: Callable[[Any], tuple[float, float]] | None = None
    note: str = ""
    model_bytes: int | None = None


@dataclass(frozen=True)
class Result:
    """The best time of one contestant on one task, with the size and held-out quality of its tree.

    spread: the standard deviation of the quality, where it is a mean. model_bytes: the memory of the model.
    """

    task: str
    program: str
    threads: int
    wall: float
    cpu: float
    nodes: int
    quality: float
    runs: int
    note: str = ""
    held_out: int = 0
    spread: float = float("nan")
    model_bytes: int | None = None


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What work returns, its wall time and the CPU time of all threads of this process."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    value = work()
    return value, time.perf_counter() - wall, time.process_time() - cpu


#: A contestant that has taken this many seconds is not run again, so that all tasks fit into one run.
ENOUGH = 30.0


def race(task: str, contestants: Sequence[Contestant], runs: int) -> list[Result]:
    """Run every contestant `runs` times, in turn; keep the least wall and the least CPU time of each.

    Who has taken ``ENOUGH`` seconds is not run again: noise of a few percent changes little in such a long run.
    """
    times: dict[int, list[tuple[float, float]]] = {place: [] for place in range(len(contestants))}
    facts: dict[int, tuple[int, float]] = {}
    for turn in range(runs):
        for place, contestant in enumerate(contestants):
            if turn >= (contestant.runs or runs) or sum(wall for wall, _ in times[place]) > ENOUGH:
                continue
            model, wall, cpu = timed(contestant.fit)
            times[place].append(contestant.own_time(model) if contestant.own_time else (wall, cpu))
            if turn == 0:
                facts[place] = contestant.size(model), contestant.quality(model)
            del model
    found = []
    for place, contestant in enumerate(contestants):
        walls, cpus = zip(*times[place], strict=True)
        who = (task, contestant.program, contestant.threads)
        best = Result(*who, min(walls), min(cpus), *facts[place], len(walls), contestant.note, contestant.held_out)
        found.append(replace(best, model_bytes=contestant.model_bytes))
    return found
