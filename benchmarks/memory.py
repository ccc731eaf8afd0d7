"""Peak memory of a fit, in a process of its own: the high-water mark during the fit less what was held before it.

python -m benchmarks.memory PROGRAM LAYOUT ROWS    (quercus | scikit-learn, frame | array)
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def held(field: str) -> int:
    """Bytes of memory: VmRSS now, VmHWM at most since it was last cleared."""
    if not STATUS.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    found = re.search(rf"{field}:\s+(\d+) kB", STATUS.read_text())
    if found is None:
        raise RuntimeError(f"the system does not tell {field}")
    return int(found[1]) * 1024


def give_back() -> None:
    """Let the allocator return what it holds but does not use, so that reusing it counts."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def model_of(program: str, criterion: str) -> Any:
    """An estimator of a program, with one thread."""
    if program == "quercus":
        from quercus import CARTClassifier

        return CARTClassifier(criterion=criterion, n_jobs=1)
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(criterion=criterion, random_state=0)


def table_of(layout: str, rows: int) -> tuple[Any, np.ndarray]:
    """The training rows of the numeric table, as a frame of columns or as a C-ordered array."""
    from . import data

    table = data.numeric(rows)
    matrix, target = table.train, table.train_target
    data.numeric.cache_clear()
    return (matrix if layout == "frame" else np.ascontiguousarray(matrix)), np.array(target)


def measure(program: str, layout: str, rows: int) -> dict[str, Any]:
    """Fit once on a little, so that everything is loaded, then on everything."""
    matrix, target = table_of(layout, rows)
    model_of(program, "entropy").fit(matrix[:1000], target[:1000])
    give_back()
    if CLEAR.exists():
        CLEAR.write_text("5")
    before = held("VmRSS")
    model = model_of(program, "entropy").fit(matrix, target)
    peak = held("VmHWM") - before
    columns = len(target) * matrix.shape[1] * 4
    return {
        "program": program,
        "layout": layout,
        "rows": len(target),
        "columns": columns,
        "peak": peak,
        "model": repr(model),
    }


def measured_apart(program: str, layout: str, rows: int) -> dict[str, Any]:
    """The same in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.memory", program, layout, str(rows)]
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
