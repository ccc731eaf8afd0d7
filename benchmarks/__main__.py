"""Run the benchmarks, print their table and write it to benchmarks/results.md.

python -m benchmarks             everything, at full size
python -m benchmarks --quick     small tables: a few minutes
python -m benchmarks --only full_entropy binned     some tasks; writes nothing unless told where
python -m benchmarks --only forest                  all tasks whose name begins with forest
python -m benchmarks --only forest --update         the same, and puts their tables into results.md
"""

from __future__ import annotations

import argparse
import time
import traceback
from pathlib import Path
from typing import Any

from . import report
from .cases import CASES, FULL, QUICK, Sizes
from .clock import Result
from .explaining import SHAP_CASES
from .forest_cases import FOREST_CASES
from .frame_prediction import FRAME_CASES
from .memory import measured_apart
from .prediction import PREDICTION_CASES
from .reading import reading
from .small import import_seconds, predictions, tiny_fits
from .summary import QUOTE, quoted, with_summary
from .targets import small_targets, targets

OUTPUT = Path(__file__).parent / "results.md"
README = Path(__file__).parents[1] / "README.md"
TASKS = {**CASES, **FOREST_CASES, **PREDICTION_CASES, **FRAME_CASES, **SHAP_CASES, "reading": reading}


def chosen_tasks(wanted: list[str]) -> list[str]:
    """The tasks of that name, or those whose names begin with it."""
    found = []
    for given in wanted:
        names = [given] if given in TASKS else [name for name in TASKS if name.startswith(f"{given}_")]
        if not names:
            raise SystemExit(f"There is no task {given!r}; there are {', '.join(TASKS)}.")
        found += names
    return list(dict.fromkeys(found))


def run_cases(names: list[str], sizes: Sizes) -> tuple[dict[str, list[Result]], list[str]]:
    """Run tasks one after the other; a task that fails is told and does not stop the others."""
    results, failures = {}, []
    for name in names:
        start = time.perf_counter()
        try:
            results[name] = TASKS[name](sizes)
        except Exception:
            traceback.print_exc()
            failures.append(name)
            continue
        if results[name]:
            print("\n".join(report.table(name, results[name])))
        print(f"({name}: {time.perf_counter() - start:.0f} s)\n", flush=True)
    return results, failures


def run_all(sizes: Sizes, quick: bool, names: list[str]) -> tuple[str, list[str]]:
    """The tasks and the small measurements, as the text of results.md, and the names of the tasks that failed."""
    start = time.perf_counter()
    results, failures = run_cases(names, sizes)
    wanted = [("quercus", "frame"), ("quercus", "array"), ("scikit-learn", "array")]
    memory: list[dict[str, Any]] = [measured_apart(program, layout, sizes.rows) for program, layout in wanted]
    imports, tiny, rates = import_seconds(), tiny_fits(), predictions(sizes)
    judged = targets(results) + small_targets(memory, imports[1], dict(tiny)["Quercus C45Classifier, frame of strings"])
    lines = report.header(quick, (time.perf_counter() - start) / 60)
    lines += [*report.missing_programs(), *report.target_table(judged)]
    lines += report.tables(results)
    lines += [*report.memory_table(memory), *report.small_tables(imports, tiny, rates)]
    text = "\n".join([*lines, *(f"{name} failed." for name in failures)]).rstrip() + "\n"
    return with_summary(text), failures


def write_results(text: str) -> None:
    """Write results.md, and what README.md quotes of it."""
    OUTPUT.write_text(text, encoding="utf-8")
    readme = README.read_text(encoding="utf-8")
    README.write_text(QUOTE.sub(lambda _: quoted(text), readme), encoding="utf-8")


def run_some(sizes: Sizes, names: list[str], update: bool) -> int:
    """Some tasks with the targets that they can judge; `update` puts them into results.md and leaves the rest of it."""
    results, failures = run_cases(names, sizes)
    judged = targets(results)
    if judged:
        print("\n".join(report.target_table(judged)))
    if update:
        new = [*report.target_table(judged), *report.tables(results)]
        write_results(with_summary(report.updated(OUTPUT.read_text(encoding="utf-8"), new, names)))
        print(f"Put into {OUTPUT.name}.")
    return 1 if failures else 0


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed beside other programs.")
    parser.add_argument("--quick", action="store_true", help="small tables, a few minutes")
    parser.add_argument("--only", nargs="+", metavar="TASK", help=f"some of: {', '.join(TASKS)}, or how they begin")
    parser.add_argument("--update", action="store_true", help="with --only: put what was run into results.md")
    parser.add_argument("--output", type=Path, help="where the table is written (without --only: results.md)")
    arguments = parser.parse_args()
    sizes = QUICK if arguments.quick else FULL
    names = chosen_tasks(arguments.only) if arguments.only else list(TASKS)
    if arguments.only and arguments.output is None:
        return run_some(sizes, names, arguments.update)
    text, failures = run_all(sizes, arguments.quick, names)
    if arguments.output is None:
        write_results(text)
    else:
        arguments.output.write_text(text, encoding="utf-8")
    print(text)
    print(f"Written to {(arguments.output or OUTPUT).name}.")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
