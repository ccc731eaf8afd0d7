"""A trace as a data frame: one row per node and candidate."""

from __future__ import annotations

from typing import Any

from quercus.errors import missing_extra
from quercus.explain.trace.trace import CandidateTrace, NodeTrace, Trace

CANDIDATE_COLUMNS = (
    "attribute", "kind", "test", "threshold", "n_cuts", "gain", "price", "split_information", "worth", "cost", "status",
    "why", "unknown", "placed",
)  # fmt: skip


def trace_frame(trace: Trace) -> Any:
    """The trace as a pandas DataFrame.

    Of the node: number, depth, weight, count, impurity, whether it is a leaf, the decision. Of the candidate: what
    :class:`CandidateTrace` says, and its branches as text.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise missing_extra("pandas", "tables") from error
    rows = [
        _row(node, place, candidate)
        for node in trace
        for place, candidate in (enumerate(node.candidates) if node.candidates else [(None, None)])
    ]
    return pd.DataFrame(rows, columns=list(_row(None, None, None)))


def _row(node: NodeTrace | None, place: int | None, candidate: CandidateTrace | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        name: None if node is None else getattr(node, name)
        for name in ("node", "depth", "weight", "count", "impurity", "is_leaf")
    }
    row["chosen"] = node is not None and place is not None and place == node.chosen
    row |= {name: None if candidate is None else getattr(candidate, name) for name in CANDIDATE_COLUMNS}
    row["branches"] = None
    if candidate is not None:
        row["branches"] = "; ".join(f"{branch.text}: {list(branch.values)}" for branch in candidate.branches)
    row["reason"] = None if node is None else node.reason
    row["pruned"] = None if node is None else node.pruned
    return row
