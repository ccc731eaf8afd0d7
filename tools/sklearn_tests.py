"""scikit-learn's own tests of trees, forests, bagging and boosting, run with the classes of Quercus instead of its own.

    python tools/sklearn_tests.py                   what passes, and the first errors of the rest
    python tools/sklearn_tests.py --each test_tree  also every test that fails, with its error
    python tools/sklearn_tests.py -k max_features   only some tests, by pytest's expressions

The tests are read from the installed scikit-learn and copied to a folder that is removed at the end. Nothing in them is
changed, but for one line after their imports that gives their names of classes to the classes of Quercus. A test that
makes no object of Quercus counts for nothing.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

FILES = (
    "tree/tests/test_tree.py", "tree/tests/test_export.py", "tree/tests/test_monotonic_tree.py",
    "ensemble/tests/test_forest.py", "ensemble/tests/test_bagging.py", "ensemble/tests/test_weight_boosting.py",
)  # fmt: skip

#: What scikit-learn's names mean in the copies; extra-trees are forests and trees with other defaults.
NAMES = """
from quercus import (
    BaggingClassifier, BaggingRegressor, CARTClassifier, CARTRegressor, RandomForestClassifier, RandomForestRegressor,
)
from quercus import BoostedClassifier as AdaBoostClassifier
from quercus.estimators.declaration import changed, declares

DecisionTreeClassifier, DecisionTreeRegressor = CARTClassifier, CARTRegressor

def with_defaults(name, base, **defaults):
    return declares(type(name, (base,), {each: changed(default=value) for each, value in defaults.items()}))

ExtraTreesClassifier = with_defaults(
    "ExtraTreesClassifier", RandomForestClassifier, random_thresholds=True, bootstrap=False)
ExtraTreesRegressor = with_defaults(
    "ExtraTreesRegressor", RandomForestRegressor, random_thresholds=True, bootstrap=False)
ExtraTreeClassifier = with_defaults("ExtraTreeClassifier", CARTClassifier, splitter="random", max_features="sqrt")
ExtraTreeRegressor = with_defaults("ExtraTreeRegressor", CARTRegressor, splitter="random", max_features=1.0)
__all__ = [name for name in dir() if name.endswith(("Classifier", "Regressor"))]
"""

#: Writes a line for each test: its name, whether it passed, whether it made one of our objects, its error.
CONFTEST = """
import json, os
import pytest
from quercus.estimators.base import Estimator

pytest_plugins = ["sklearn.conftest"]
made = [0]

def counted(kind, *arguments, **options):
    made[0] += 1
    return object.__new__(kind)

Estimator.__new__ = counted

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.when == "setup":
        made[0] = 0
    if report.skipped or (report.when != "call" and not report.failed):
        return
    error = call.excinfo
    first = "" if error is None else f"{error.typename}: {error.value}".strip().splitlines()[0]
    line = {"test": item.name, "file": item.path.name, "passed": report.passed, "ours": made[0] > 0, "error": first}
    with open(os.environ["QUERCUS_OUTCOMES"], "a") as file:
        file.write(json.dumps(line) + "\\n")
"""


def with_our_names(text: str) -> str:
    """The test file with one line after its last import, which gives its names to our classes."""
    imports = [node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom)]
    lines = text.splitlines()
    lines.insert(max(node.end_lineno or 0 for node in imports), "from names_of_quercus import *")
    return "\n".join(lines) + "\n"


def outcomes(files: list[str], expression: str) -> list[dict[str, Any]]:
    """Run the copies in a folder of their own; return a line for each test."""
    import sklearn

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for file in files:
            text = (Path(sklearn.__file__).parent / file).read_text(encoding="utf-8")
            (place / Path(file).name).write_text(with_our_names(text), encoding="utf-8")
        (place / "names_of_quercus.py").write_text(NAMES, encoding="utf-8")
        (place / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        told = place / "outcomes.jsonl"
        command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "--rootdir", folder]
        command += ["-W", "ignore", *(["-k", expression] if expression else []), folder]
        settings = {**os.environ, "QUERCUS_OUTCOMES": str(told), "PYTHONPATH": folder}
        run = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
        if not told.exists():
            sys.exit(run.stdout + run.stderr)
        return [json.loads(line) for line in told.read_text(encoding="utf-8").splitlines()]


def kind_of_error(error: str) -> str:
    """An error without the numbers and the names of one case, so that errors alike are counted together."""
    return re.sub(r"[0-9][0-9.e+-]*", "#", re.sub(r"<[^>]*>|array\(.*", "…", error))[:150]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--each", action="store_true", help="list every test that fails")
    parser.add_argument("-k", default="", metavar="EXPRESSION", help="only the tests that pytest selects by it")
    parser.add_argument("files", nargs="*", help="parts of file names; all files if none is given")
    given = parser.parse_args()
    files = [file for file in FILES if not given.files or any(part in file for part in given.files)]
    lines = [line for line in outcomes(files, given.k) if line["ours"] or not line["passed"]]
    for file in files:
        own = [line for line in lines if line["file"] == Path(file).name]
        print(f"{sum(line['passed'] for line in own):5} of {len(own):4} pass: {file}")
    failed = [line for line in lines if not line["passed"]]
    print(f"{len(lines) - len(failed):5} of {len(lines):4} pass")
    for error, number in Counter(kind_of_error(line["error"]) for line in failed).most_common():
        print(f"{number:5}  {error}")
    for line in failed if given.each else ():
        print(f"{line['file']}::{line['test']}\n        {line['error'][:300]}")


if __name__ == "__main__":
    main()
