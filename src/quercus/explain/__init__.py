"""Explaining: how a tree was grown, what its questions compete with, why it answers as it does."""

from quercus.explain.trace import BranchTrace, CandidateTrace, NodeTrace, Trace
from quercus.explain.trace_walk import TraceWalk
from quercus.explain.tracing import Tracer, trace_growing

__all__ = [
    "BranchTrace",
    "CandidateTrace",
    "NodeTrace",
    "Trace",
    "TraceWalk",
    "Tracer",
    "trace_growing",
]
