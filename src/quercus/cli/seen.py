"""Rows that a model has seen before: the fingerprint of a table beside those that the model file keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def table_record(rows: Any) -> dict[str, Any]:
    """What a model file keeps of a table that the model was made with: its name, fingerprint and size."""
    import os

    from quercus.cli.streams import shown_name

    return {
        "name": os.path.basename(shown_name(rows.name)),
        "fingerprint": rows.fingerprint,
        "rows": rows.n_rows,
        "columns": len(rows.X) + 1,
    }


def fitted_to(opened: Any, rows: Any) -> bool:
    """Whether a model was fitted to just these rows."""
    return _same((opened.provenance or {}).get("data"), rows)


def pruned_by(opened: Any, rows: Any) -> bool:
    """Whether a model was pruned, or stopped, by just these rows."""
    made = opened.provenance or {}
    steps = made.get("pruned_again") or ()
    tables = [made.get("validation"), *(step.get("table") for step in steps if isinstance(step, Mapping))]
    return any(_same(table, rows) for table in tables)


def remark_on_evaluation(opened: Any, rows: Any) -> str | None:
    """What to say where a model is measured on rows that it was made with; None: nothing is known against them."""
    if fitted_to(opened, rows):
        return (
            f"{_name(rows)} holds the rows that the model was fitted to; on rows that it has not seen it does worse. "
            "Measure it on other rows."
        )
    if pruned_by(opened, rows):
        return (
            f"{_name(rows)} holds the rows that the model was pruned by; its size was chosen to do well on them. "
            "Measure it on other rows."
        )
    return None


def remark_on_pruning(opened: Any, rows: Any, method: object) -> str | None:
    """What to say where a method that needs unseen rows gets those of fitting."""
    if method not in ("reduced_error", "stop_by_validation") or not fitted_to(opened, rows):
        return None
    return (
        f"{_name(rows)} holds the rows that the model was fitted to, and these answer for the tree as it was grown, so "
        f"that {method} cuts little or nothing. Give rows that the model has not seen."
    )


def _name(rows: Any) -> str:
    from quercus.cli.streams import shown_name

    return shown_name(rows.name)


def _same(record: Any, rows: Any) -> bool:
    """Whether a table that the model file names is the table given."""
    known = record.get("fingerprint") if isinstance(record, Mapping) else None
    return bool(known) and known == rows.fingerprint
