"""The bundled data sets as tables that every command takes by name, with options behind a colon."""

from __future__ import annotations

from typing import Any

from quercus.errors import ParameterError


def is_bundled(data: str) -> bool:
    """Whether a bundled data set is meant: its name, or its name, a colon and options.

    >>> is_bundled("play_tennis"), is_bundled("agrawal:n_rows=100,function=2"), is_bundled("patients.csv")
    (True, True, False)
    """
    from quercus.datasets import DATASETS

    return data.partition(":")[0] in DATASETS


def bundled_names() -> list[str]:
    """The names of the bundled data sets."""
    from quercus.datasets import DATASETS

    return list(DATASETS)


def bundled_table(data: str) -> Any:
    """A bundled data set as if it had been read from a file."""
    import hashlib

    import numpy as np

    from quercus.cli.values import named_values
    from quercus.data.values import is_missing
    from quercus.datasets import load
    from quercus.files import TableFile

    name, _, size = data.partition(":")
    options = named_values(name, [part for part in size.split(",") if part.strip()])
    try:
        X, y = load(name, **options)
    except TypeError as error:
        raise ParameterError(f"{data}: {error}.") from error
    target = str(getattr(y, "name", None) or "target")
    columns = {str(column): np.asarray(X[column]) for column in X}
    columns[target] = np.asarray(y)
    text = repr({column: [None if is_missing(v) else v for v in values.tolist()] for column, values in columns.items()})
    fingerprint = hashlib.sha256(text.encode()).hexdigest()
    return TableFile(data, "bundled", columns, target=target, fingerprint=fingerprint, n_rows=len(columns[target]))


def described(name: str) -> dict[str, Any]:
    """A bundled data set in a line: its size, its target, what it is, and its options with their defaults."""
    from quercus.cli.output import strict
    from quercus.datasets import DATASETS

    entry = DATASETS[name]
    table = bundled_table(name)
    return {
        "name": name,
        "kind": entry.kind,
        "rows": table.n_rows,
        "attributes": len(table.columns) - 1,
        "target": table.target,
        "about": entry.description,
        "options": strict(entry.options),
    }
