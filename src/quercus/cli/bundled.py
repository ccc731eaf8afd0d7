"""The bundled data sets as tables that every command takes by name."""

from __future__ import annotations

from typing import Any


def bundled_names() -> list[str]:
    """The names of the bundled data sets."""
    from quercus import datasets

    return [name.removeprefix("load_") for name in datasets.__all__ if name.startswith("load_")]


def bundled_table(name: str) -> Any:
    """A bundled data set by its name, as if it had been read from a file."""
    import hashlib

    import numpy as np

    from quercus import datasets
    from quercus.files import TableFile

    X, y = getattr(datasets, f"load_{name}")()
    target = str(getattr(y, "name", None) or "target")
    columns = {str(column): np.array(list(X[column])) for column in X}
    columns[target] = np.array(list(y))
    text = repr({column: values.tolist() for column, values in columns.items()})
    fingerprint = hashlib.sha256(text.encode()).hexdigest()
    return TableFile(name, "bundled", columns, target=target, fingerprint=fingerprint, n_rows=len(y))


def described(name: str) -> dict[str, Any]:
    """A bundled data set in a line: its size, its target and what it is."""
    from quercus import datasets

    table = bundled_table(name)
    text = (getattr(datasets, f"load_{name}").__doc__ or "").strip().splitlines()[0]
    about = text.removeprefix("Return ").strip()
    return {
        "name": name,
        "rows": table.n_rows,
        "attributes": len(table.columns) - 1,
        "target": table.target,
        "about": about,
    }
