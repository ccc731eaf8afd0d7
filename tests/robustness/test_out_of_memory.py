"""Want of memory is a MemoryError that says what was being made; the process goes on."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")

#: Fits in a process that may take `room` more bytes than it has, prints the error, and fits again on a little.
PROGRAM = """
import resource
import numpy as np
import quercus
from quercus import {model}

random = np.random.default_rng(0)
X, y = {table}
model = {model}({parameters})
model.fit(X[:200], y[:200] % 2)
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + {room}, -1))
try:
    model.fit(X, y)
except MemoryError as error:
    print(error)
model.fit(X[:200], y[:200] % 2)
print("goes on")
"""
ROWS = "np.asfortranarray(random.random((400_000, 10), dtype=np.float32)), random.integers(0, 2, 400_000)"
CLASSES = "random.random((20_000, 4), dtype=np.float32), random.integers(0, 5000, 20_000)"


def said(model: str, table: str, room: int, parameters: str = "") -> list[str]:
    program = PROGRAM.format(model=model, table=table, room=room, parameters=parameters)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("model", "table", "words"),
    [
        ("CARTClassifier", ROWS, "a tree of 400000 rows and 10 columns"),
        ("RandomForestClassifier", ROWS, "a forest of 400000 rows and 10 columns"),
        pytest.param("PARTClassifier", ROWS, "the rules of 400000 rows and 10 columns", marks=pytest.mark.slow),
        pytest.param("CARTClassifier", CLASSES, "a tree of 20000 rows and 4 columns", marks=pytest.mark.slow),
    ],
)
def test_an_error_says_what_was_being_made(model: str, table: str, words: str) -> None:
    parameters = "n_estimators=2, n_jobs=1" if "Forest" in model else ""
    message, last = said(model, table, 24 << 20, parameters)
    assert message.startswith(f"There is not enough memory for {words}")
    assert "Give fewer rows or columns" in message
    assert last == "goes on"
