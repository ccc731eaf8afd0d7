"""Reading a CSV file: Quercus beside pandas and polars, each time in a process of its own.

python -m benchmarks.reading PROGRAM TABLE PATH    reads one file once and tells seconds and peak memory
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .cases import Sizes
from .clock import Result, timed
from .contestants import installed
from .memory import CLEAR, give_back, held

Columns = dict[str, Any]


def levels(random: np.random.Generator, n: int, count: int, word: str = "level") -> np.ndarray:
    """Texts of so many levels, the first ones the most frequent."""
    names = np.array([f"{word}{k}" for k in range(count)], dtype=object)
    return names[np.minimum((random.pareto(1.0, n) * count / 20).astype(np.int64), count - 1)]


def mixed(random: np.random.Generator, n: int) -> Columns:
    """12 floats, 4 whole numbers, 4 texts."""
    columns: Columns = {f"f{k}": random.normal(0, 10.0 ** (k % 5), n) for k in range(12)}
    columns |= {f"i{k}": random.integers(0, 10 ** (2 + 2 * k), n) for k in range(4)}
    return columns | {f"s{k}": levels(random, n, count) for k, count in enumerate((3, 50, 1000, 20_000))}


def few_values(random: np.random.Generator, n: int) -> Columns:
    """20 columns of at most 10 different values."""
    columns: Columns = {f"i{k}": random.integers(0, 2 + k, n) for k in range(8)}
    columns |= {f"f{k}": random.integers(0, 10, n) / 4 for k in range(4)}
    return columns | {f"s{k}": levels(random, n, 2 + k) for k in range(8)}


def many_levels(random: np.random.Generator, n: int) -> Columns:
    """Texts of 1,000 to very many levels, whole numbers, and a name for every row."""
    columns: Columns = {f"s{k}": levels(random, n, count) for k, count in enumerate((1000, 10_000, 100_000, n))}
    columns |= {f"i{k}": random.integers(0, 10**6, n) for k in range(4)}
    return columns | {"name": [f"person {k}" for k in range(n)]}


def gaps(random: np.random.Generator, n: int) -> Columns:
    """The mixed table with 30 % of the cells empty, in half of the columns NA."""
    columns = mixed(random, n)
    for place, (name, column) in enumerate(columns.items()):
        cells = np.asarray(column, dtype=object)
        cells[random.random(n) < 0.3] = "NA" if place % 2 else None
        columns[name] = cells
    return columns


def wide(random: np.random.Generator, n: int) -> Columns:
    """2,000 columns: counts, and fractions of four digits."""
    rows = max(200, n // 200)
    columns: Columns = {f"w{k}": random.poisson(0.3, rows) for k in range(1000)}
    return columns | {f"f{k}": random.random(rows).round(4) for k in range(1000)}


def text(random: np.random.Generator, n: int) -> Columns:
    """Mostly text: sentences with commas, quotes, line ends and umlauts, days, codes with leading zeros."""
    words = np.array(["tree", "größer", "leaf,", 'a "root"', "and", "the", "of\nit", "branch", "Blätter"], dtype=object)
    rows = n // 2
    sentences = [" ".join(some) for some in words[random.integers(0, len(words), (20_000, 8))]]
    columns: Columns = {f"t{k}": np.array(sentences, dtype=object)[random.integers(0, 20_000, rows)] for k in range(3)}
    days = np.datetime64("2020-01-01") + random.integers(0, 2000, rows)
    columns |= {"day": days.astype(str), "code": np.char.zfill(random.integers(0, 10**5, rows).astype(str), 5)}
    return columns | {"town": levels(random, rows, 500, "Straße "), "price": random.integers(0, 10**5, rows) / 100}


def commas(random: np.random.Generator, n: int) -> Columns:
    """Semicolons and decimal commas."""
    columns: Columns = {f"f{k}": random.normal(0, 10.0 ** (k % 5), n // 2).round(6) for k in range(8)}
    return columns | {"s": levels(random, n // 2, 100)}


def quoted(random: np.random.Generator, n: int) -> Columns:
    """The mixed table with quotes round every cell and CRLF at the ends of lines."""
    return mixed(random, n // 2)


def packed(random: np.random.Generator, n: int) -> Columns:
    """The mixed table packed by gzip."""
    return mixed(random, n // 2)


TABLES: dict[str, Callable[[np.random.Generator, int], Columns]] = {
    "mixed": mixed,
    "few_values": few_values,
    "many_levels": many_levels,
    "gaps": gaps,
    "wide": wide,
    "text": text,
    "commas": commas,
    "quoted": quoted,
    "packed": packed,
}
#: How pandas writes a table, where it is not as it does by itself.
WRITTEN: dict[str, Any] = {
    "commas": {"sep": ";", "decimal": ","},
    "quoted": {"quoting": csv.QUOTE_ALL, "lineterminator": "\r\n"},
    "packed": {"compression": {"method": "gzip", "compresslevel": 1}},
}


def file_name(name: str) -> str:
    """The name of the file of a table."""
    return f"{name}.csv.gz" if name == "packed" else f"{name}.csv"


def write(name: str, n: int, path: Path) -> int:
    """Write a table as CSV; returns its rows."""
    import pandas as pd

    frame = pd.DataFrame(TABLES[name](np.random.default_rng(0), n))
    frame.to_csv(path, index=False, **WRITTEN.get(name, {}))
    return len(frame)


def reader(program: str, name: str) -> Callable[[str], Any]:
    """The function of a program that reads a file; it is told what the program does not find out by itself."""
    if program.startswith("Quercus"):
        from quercus.data import encode
        from quercus.files import read_file

        def encoded(path: str) -> Any:
            table = read_file(path)
            return encode(dict(table.columns), **table.options())

        return read_file if program == "Quercus" else encoded
    if program == "pandas":
        import pandas as pd

        signs: Any = {"sep": ";", "decimal": ","} if name == "commas" else {}
        return lambda path: pd.read_csv(path, **signs)
    import polars as pl

    signs = {"separator": ";", "decimal_comma": True} if name == "commas" else {}
    if program != "polars":  # each text of a column once, as Quercus gives them
        texts = [key for key, column in TABLES[name](np.random.default_rng(0), 2000).items() if _is_text(column)]
        signs["schema_overrides"] = dict.fromkeys(texts, pl.Categorical)
    return lambda path: pl.read_csv(path, null_values="NA", **signs)


def _is_text(column: Any) -> bool:
    return any(isinstance(cell, str) and cell != "NA" for cell in column)


def measure(program: str, name: str, path: str) -> dict[str, float]:
    """Read a short file, so that everything is loaded, then the whole one."""
    read = reader(program, name)
    with tempfile.TemporaryDirectory() as folder:
        write(name, 2000, Path(folder) / file_name(name))
        read(str(Path(folder) / file_name(name)))
    give_back()
    if CLEAR.exists():
        CLEAR.write_text("5")
    before = held("VmRSS")
    table, wall, cpu = timed(lambda: read(path))
    peak = held("VmHWM") - before
    del table
    return {"wall": wall, "cpu": cpu, "peak": peak}


def reading(sizes: Sizes) -> list[Result]:
    """All programs on all tables, in turn; the least of each of their figures counts."""
    programs = ["Quercus", "Quercus, encoded", *(name for name in ("pandas", "polars") if installed(name))]
    programs += ["polars, categories"] if installed("polars") else []
    root, one = Path(__file__).resolve().parents[1], {**os.environ, "POLARS_MAX_THREADS": "1"}
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name in TABLES:
            path = Path(folder) / file_name(name)
            rows = write(name, sizes.rows * 9 // 10, path)
            found: dict[str, list[dict[str, float]]] = {program: [] for program in programs}
            for _ in range(sizes.runs):
                for program in programs:
                    command = [sys.executable, "-m", "benchmarks.reading", program, name, str(path)]
                    done = subprocess.run(command, cwd=root, env=one, capture_output=True, text=True, check=True)
                    found[program].append(json.loads(done.stdout.splitlines()[-1]))
            note = f"{path.stat().st_size / 1e6:,.0f} MB, {TABLES[name].__doc__}"
            for program, runs in found.items():
                wall, cpu, peak = (min(run[key] for run in runs) for key in ("wall", "cpu", "peak"))
                results.append(
                    Result(name, program, 0, wall, cpu, rows, float("nan"), len(runs), note, model_bytes=int(peak))
                )
            path.unlink()
    return results


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:4])))
