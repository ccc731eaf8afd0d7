"""The table of a run: Markdown for benchmarks/results.md, printed as it is."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .clock import Result
from .contestants import installed
from .forest_ranger import ranger_version
from .j48 import jar, version
from .targets import Results, Target, seconds, times_faster

PACKAGES = ("quercus", "scikit-learn", "ydf", "lightgbm", "numpy", "pandas")


def row(cells: Iterable[object]) -> str:
    """One line of a Markdown table."""
    return "| " + " | ".join(map(str, cells)) + " |"


def number(value: float, digits: int = 3) -> str:
    """A number to so many significant digits, without an exponent; a dash if there is none."""
    if value != value:
        return "–"
    return f"{value:,.{max(0, digits - 1 - int(f'{value:e}'[-3:]))}f}" if value else "0"


def processor() -> str:
    """The name of the processor."""
    file = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", file.read_text()) if file.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def busy() -> str:
    """A warning if the machine has other work."""
    load = os.getloadavg()[2] if hasattr(os, "getloadavg") else 0.0
    return f"The machine had other work (load {load:.1f}): read ratios, not seconds." if load > 2.5 else ""


def header(quick: bool, minutes: float) -> list[str]:
    """When, where and with what."""
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{package} not installed")
    weka, today = jar(), datetime.datetime.now(datetime.UTC).date()
    versions.append(f"Weka {version(weka)}" if weka else "Weka not installed: J48 left out")
    ranger = ranger_version()
    versions.append(f"ranger {ranger}" if ranger else "ranger not installed: left out")
    return [
        "# Speed beside other programs",
        "",
        f"Written by `python -m benchmarks{' --quick' if quick else ''}` on {today} in {minutes:.0f} min. "
        f"{processor()}, {os.cpu_count()} cores, {platform.system()}, Python {sys.version.split()[0]}. "
        f"{', '.join(versions)}. {busy()}",
        "",
        "Timed is fit(table, target) on data in memory: encoding, sorting and binning included, reading files not. All "
        "programs of a table ran in turn in one process, round after round; the least wall and the least CPU time of "
        "the rounds count. `×` is the program's time over that of Quercus with as many threads (CPU time on one "
        "thread, wall time on two). Size is nodes; accuracy (R² for regression) is on held-out rows.",
        "",
    ]


def table(case: str, results: list[Result]) -> list[str]:
    """The results of one task in the form that suits it."""
    if case == "doubling" or case.endswith("_doubling"):
        return doubling_table(results)
    if case in ("forest_single_row", "predict_single_row"):
        return single_row_table(results)
    if case.startswith(("forest_predict", "predict_")):
        return prediction_table(results)
    if case == "reading":
        return reading_table(results)
    if case == "forest_accuracy":
        return accuracy_table(results)
    by_task = {task: [result for result in results if result.task == task] for task in (r.task for r in results)}
    return [line for found in by_task.values() for line in race_table(found)]


def tables(results: Results) -> list[str]:
    """The results of all tasks that had any."""
    return [line for name, found in results.items() if found for line in table(name, found)]


def race_table(results: list[Result]) -> list[str]:
    """The results of one task."""
    lines = [f"## {results[0].task}", ""]
    lines += [row(["program", "threads", "wall s", "CPU s", "×", "nodes", "held-out", "runs", "settings"])]
    lines += [row(["---", *["---:"] * 7, "---"])]
    for result in results:
        ratio = times_faster(results, result.program, result.threads) if result.program != "Quercus" else None
        if ratio is None and result.program == "scikit-learn":
            ratio = times_faster(results, result.program, 1)
        cells = [result.program, result.threads, number(result.wall), number(result.cpu)]
        cells += ["" if ratio is None else number(ratio), f"{result.nodes:,}", f"{result.quality:.4f}", result.runs]
        lines.append(row([*cells, result.note]))
    return [*lines, ""]


def doubling_table(results: list[Result]) -> list[str]:
    """How time grows with the rows; the task says what grows, and then the table."""
    title = results[0].task.split(": ")[0]
    lines = [
        f"## {title[:1].upper()}{title[1:]}",
        "",
        row(["table", "wall s", "CPU s", "× the CPU time of half", "nodes"]),
    ]
    lines.append(row(["---", "---:", "---:", "---:", "---:"]))
    before: dict[str, float] = {}
    for result in results:
        name = result.task.split(": ")[1]
        what = name.rsplit(" ", 3)[0]  # without rows × columns
        ratio = number(result.cpu / before[what]) if what in before else ""
        lines.append(row([name, number(result.wall), number(result.cpu), ratio, f"{result.nodes:,}"]))
        before[what] = result.cpu
    return [*lines, ""]


def prediction_table(results: list[Result]) -> list[str]:
    """How fast grown forests answer, and what they weigh."""
    lines = [f"## {results[0].task}", ""]
    heads = ["program", "threads", "wall s", "CPU s", "rows a second", "×", "nodes", "model MB", "held-out", "runs"]
    lines += [row([*heads, "settings"]), row(["---", *["---:"] * 9, "---"])]
    ours = next(result for result in results if result.program == "Quercus")
    for result in results:
        ratio = "" if result.program.startswith("Quercus") else number(seconds(result) / seconds(ours))
        rate = number(result.held_out / seconds(result))
        size = "–" if result.model_bytes is None else number(result.model_bytes / 1e6)
        cells = [result.program, result.threads, number(result.wall), number(result.cpu), rate, ratio]
        lines.append(row([*cells, f"{result.nodes:,}", size, f"{result.quality:.4f}", result.runs, result.note]))
    return [*lines, ""]


def reading_table(results: list[Result]) -> list[str]:
    """Files read, a line for each program and table, the table with the worst ratio first."""
    peers = [result for result in results if not result.program.startswith("Quercus")]
    fastest = {
        one.task: min((r for r in peers if r.task == one.task), key=lambda r: r.cpu, default=one) for one in results
    }
    ours = {result.task: result for result in results if result.program == "Quercus"}
    order = sorted(ours, key=lambda task: fastest[task].cpu / ours[task].cpu)
    lines = ["## Reading a CSV file", ""]
    lines.append(
        "Each program in a process of its own, polars with one thread; `×` is the CPU time, or the "
        "peak of memory, of the faster of the others over that of Quercus, in lines of Quercus only."
    )
    heads = ["table", "program", "wall s", "CPU s", "×", "peak MB", "× of memory", "rows", "file"]
    lines += ["", row(heads), row(["---", "---", *["---:"] * 6, "---"])]
    for result in sorted(results, key=lambda result: order.index(result.task)):
        best, size = fastest[result.task], result.model_bytes or 1
        ratios = [number(best.cpu / result.cpu), number((best.model_bytes or 1) / size)]
        ratios = ratios if result.program.startswith("Quercus") else ["", ""]
        cells = [result.task, result.program, number(result.wall), number(result.cpu), ratios[0]]
        lines.append(row([*cells, number(size / 1e6), ratios[1], f"{result.nodes:,}", result.note]))
    return [*lines, ""]


def single_row_table(results: list[Result]) -> list[str]:
    """One row at a time."""
    lines = ["## Predicting one row through Python", "", row(["what", "program", "µs", "settings"])]
    lines.append(row(["---", "---", "---:", "---"]))
    lines += [row([each.task, each.program, number(1e6 * each.wall), each.note]) for each in results]
    return [*lines, ""]


def accuracy_table(results: list[Result]) -> list[str]:
    """Mean ± standard deviation over the seeds, one line per data set."""
    programs = list(dict.fromkeys(result.program for result in results))
    lines = ["## Held-out accuracy of forests of 100 trees", ""]
    lines.append(
        f"Mean ± standard deviation over {results[0].runs} seeds, each with its own cut of at most 50,000 rows, 80 % "
        "to grow; R² where numbers are predicted. scikit-learn gets ordinal codes. At a node scikit-learn and Quercus "
        "draw another attribute for one that is constant there and average class shares; ranger, and Quercus as ranger "
        "(`constant_features='count', vote='majority'`), count it, and the trees' votes."
    )
    lines += [
        "",
        row(["data", "held-out rows", *programs, "settings"]),
        row(["---", *["---:"] * (len(programs) + 1), "---"]),
    ]
    for name in dict.fromkeys(result.task for result in results):
        there = {result.program: result for result in results if result.task == name}
        cells = [f"{one.quality:.4f} ± {one.spread:.4f}" for one in (there[program] for program in programs)]
        first = there["Quercus"]
        lines.append(row([name, f"{first.held_out:,}", *cells, first.note]))
    return [*lines, ""]


def memory_table(facts: list[dict[str, Any]]) -> list[str]:
    """Peak memory of a fit."""
    lines = [
        "## Peak memory of a full tree",
        "",
        row(["program", "table", "columns MB", "peak of the fit MB", "ratio"]),
    ]
    lines.append(row(["---", "---", "---:", "---:", "---:"]))
    for fact in facts:
        cells = [number(fact["columns"] / 1e6), number(fact["peak"] / 1e6), number(fact["peak"] / fact["columns"])]
        lines.append(row([fact["program"], f"{fact['rows']:,} rows, float32 {fact['layout']}", *cells]))
    return [*lines, ""]


def small_tables(
    imports: tuple[float, float], tiny: list[tuple[str, float]], rates: list[tuple[str, str, float]]
) -> list[str]:
    """Import, tiny fits and prediction."""
    lines = ["## Small things", "", row(["what", "ms"]), row(["---", "---:"])]
    lines.append(row(["import of what we use of scikit-learn", number(1000 * imports[0])]))
    lines.append(row(["import of our estimators after that", number(1000 * imports[1])]))
    lines += [row([f"fit on 14 rows: {name}", number(1000 * time)]) for name, time in tiny]
    lines += [
        "",
        "## Predicting with one full tree, one thread",
        "",
        row(["table", "program", "million rows a second"]),
    ]
    lines.append(row(["---", "---", "---:"]))
    lines += [row([table, program, number(rate / 1e6)]) for table, program, rate in rates]
    return [*lines, ""]


def target_table(found: list[Target]) -> list[str]:
    """What was asked for and what came out."""
    lines = ["## Targets", "", row(["what", "measured", "asked", "met"]), row(["---", "---:", "---:", "---"])]
    for target in found:
        bound = f"{'≥' if target.at_least else '≤'} {target.bound:.3g}"
        lines.append(row([target.claim, number(target.measured), bound, "yes" if target.met else "**no**"]))
    return [*lines, ""]


def missing_programs() -> list[str]:
    """A line for each peer that is not there."""
    return [f"{name} is not installed: left out." for name in ("ydf", "lightgbm") if not installed(name)]


def sections(text: str) -> dict[str, str]:
    """A Markdown text by its second headings; what stands before the first under ""."""
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return {"": parts[0]} | {part.split("\n", 1)[0]: part.rstrip() + "\n\n" for part in parts[1:]}


def updated(old: str, new: list[str], names: list[str]) -> str:
    """The text of results.md with the sections of `new` in place of those of the same name, or behind them.

    Of the targets only the lines of the tasks that were run change; those that are not asked any more go.
    """
    there, fresh = sections(old), sections("\n".join(new))
    lines = there.get("## Targets", "").rstrip().split("\n")
    judged = {line.split("|")[1]: line for line in fresh.pop("## Targets", "").split("\n")[4:] if line.startswith("|")}
    lines = [
        judged.pop(line.split("|")[1], line) if line.startswith("|") else line
        for line in lines
        if line.split("|")[1:2] in [[claim] for claim in judged] or not re.match(rf"\| ({'|'.join(names)}):", line)
    ]
    there["## Targets"] = "\n".join([*lines, *judged.values()]) + "\n\n"
    fresh.pop("", None)
    today = datetime.datetime.now(datetime.UTC).date()
    said = f"Run again by `--only {' '.join(names)} --update` on {today}"
    kept = [part for part in re.split(r"\n{2,}", there[""].strip()) if not part.startswith(said)]
    there[""] = "\n\n".join([*kept, f"{said}. {busy()}".rstrip(), ""])
    return "".join((there | fresh).values()).rstrip() + "\n"
