"""What is said of speed: the summary of results.md and the line of README.md follow from the tables."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def _summary() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_summary", ROOT / "benchmarks" / "summary.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SUMMARY = _summary()
RESULTS = (ROOT / "benchmarks" / "results.md").read_text(encoding="utf-8")
RACES = """# Speed

## tree: a

| program | threads | CPU s | × |
| --- | ---: | ---: | ---: |
| Quercus | 1 | 1 |  |
| Quercus | 2 | 0.6 |  |
| scikit-learn | 1 | 8 | 8.00 |
| YDF | 1 | 3 | 3.00 |
| YDF | 2 | 3 | 5.00 |

## tree: b

| program | threads | CPU s | × |
| --- | ---: | ---: | ---: |
| Quercus | 1 | 1 |  |
| scikit-learn | 1 | 1,200 | 1,200 |

## Reading a CSV file

| table | program | CPU s | × |
| --- | --- | ---: | ---: |
| mixed | Quercus | 1 | 0.5 |
| mixed | Quercus, encoded | 1.1 | 0.45 |
| mixed | pandas | 0.5 |  |
"""


def test_the_summary_tells_the_median_and_the_worst_ratio() -> None:
    lines = SUMMARY.summary(RACES)
    assert "| the fastest of each task | 1 | 3 | 3 | 0.5 |" in "\n".join(lines)
    assert any(line.startswith("| all | 1 | 4 | 5.5 | 0.5 | the faster of pandas") for line in lines)
    assert "| scikit-learn | 1 | 2 | 604 | 8 | tree: a |" in lines
    assert "| YDF | 2 | 1 | 5 | 5 | tree: a |" in lines


def test_the_summary_is_written_once_on_top() -> None:
    once = SUMMARY.with_summary(RACES)
    assert SUMMARY.with_summary(once) == once
    assert once.index("## In short") < once.index("## tree: a")
    assert once.count("## In short") == 1


def test_results_have_the_summary_of_their_tables() -> None:
    assert SUMMARY.with_summary(RESULTS) == RESULTS


def test_the_readme_quotes_the_median_of_the_results() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert SUMMARY.QUOTE.findall(readme) == [SUMMARY.quoted(RESULTS)]
