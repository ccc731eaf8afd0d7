"""The core install has no data frame library: arrays, dicts and lists must do without."""

import subprocess
import sys

SCRIPT = """
import sys
for name in ("pandas", "polars", "pyarrow"):
    sys.modules[name] = None
import datetime as dt
import numpy as np
from quercus.data import encode, encode_classes, encode_like, encode_numbers
from quercus.datasets import load_play_tennis
X, y = load_play_tennis()
assert isinstance(X, dict)
data = encode(X)
assert encode_like(X, data.schema).columns[0].tolist() == data.columns[0].tolist()
assert encode_classes(y).classes.tolist() == ["No", "Yes"]
assert encode_numbers([1, 2]).tolist() == [1.0, 2.0]
table = {"a": np.array(["x", None], dtype=object), "b": [1, None], "c": [dt.date(2024, 5, 1), None], "d": [True, None]}
assert [attribute.kind for attribute in encode(table).schema] == ["nominal", "numeric", "date", "boolean"]
assert encode(np.eye(2)).n_rows == 2 and encode([["a", 1.5]]).n_rows == 1
print("done")
"""


def test_no_data_frame_library_is_needed() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "done", run.stderr


def test_no_data_frame_library_is_imported() -> None:
    script = (
        "import sys, quercus.data; print([name for name in ('pandas', 'polars', 'pyarrow') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "[]", run.stdout + run.stderr
