"""What every prediction hands to the core: the tree's arrays, the columns, the rows and the number of threads."""

from __future__ import annotations

import os
from operator import attrgetter
from typing import Any

from quercus import _core
from quercus.data.dataset import Dataset, check_dataset
from quercus.data.schema import Attribute, Schema
from quercus.errors import DataError, ParameterError
from quercus.tree.tree import Tree

_tree_arrays = attrgetter(*_core.predict_arrays)


def core_arguments(tree: Tree, dataset: Dataset) -> tuple[Any, Any, int]:
    """The tree's arrays in the core's order, the columns, and how many rows there are."""
    check_dataset(dataset)
    if dataset.schema is not tree.schema:
        check_schema(tree.schema, dataset.schema)
    return _tree_arrays(tree), dataset.core_columns(tree), dataset.n_rows


def asked_rows(tree: Tree, dataset: Dataset) -> tuple[Any, Any, int]:
    """The tree as the core follows it, the columns or the matrix, and how many rows there are."""
    check_dataset(dataset)
    if dataset.schema is not tree.schema:
        check_schema(tree.schema, dataset.schema)
    return tree.compact, dataset.core_table(tree), dataset.n_rows


def finite(answers: Any, dataset: Dataset) -> Any:
    """What the core found; None says that a question read an infinite number, which is named as an error."""
    if answers is None:
        dataset.refuse_infinity()
    return answers


#: More threads than any machine has cores; the core takes no more.
MOST_THREADS = 1024


def thread_count(n_jobs: int | None) -> int:
    """How many threads ``n_jobs`` asks for: None is 1, −1 all processors, −2 all but one.

    >>> thread_count(None), thread_count(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ParameterError(f"n_jobs is {n_jobs!r}, but must be a whole number other than 0, or None (1 thread).")
    if n_jobs > MOST_THREADS:
        raise ParameterError(f"n_jobs is {n_jobs}, but may be at most {MOST_THREADS}; -1 stands for all cores.")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def check_schema(grown: Schema, schema: Schema) -> None:
    """Refuse rows that were encoded otherwise than those the tree was grown from: the same code must mean the same."""
    if grown.attributes is schema.attributes:
        return
    if len(grown) != len(schema):
        raise DataError(
            f"The rows have {len(schema)} attributes, but the tree was grown with {len(grown)}. "
            "Encode them with encode_like(table, tree.schema)."
        )
    for ours, theirs in zip(grown, schema, strict=True):
        if ours is not theirs and _meaning(ours) != _meaning(theirs):
            raise DataError(
                f"Attribute {theirs.name!r} ({theirs.kind}, {theirs.n_values} values) is not encoded like the tree's "
                f"{ours.name!r} ({ours.kind}, {ours.n_values} values). Encode the rows with encode_like(table, "
                "tree.schema)."
            )


def _meaning(attribute: Attribute) -> tuple[Any, ...]:
    return attribute.name, attribute.kind, attribute.values, attribute.date_type
