"""Explaining: how a tree was grown, what its questions compete with, why it answers as it does."""

from quercus.explain.answer import Answer, Path, Step
from quercus.explain.cells import UNKNOWN
from quercus.explain.change import Change, Counterfactual, Counterfactuals
from quercus.explain.consultation import Consultation, Question
from quercus.explain.counterfactual import counterfactuals
from quercus.explain.reasons import Reason, Reasons, reason_codes
from quercus.explain.span import Span
from quercus.explain.trace import BranchTrace, CandidateTrace, NodeTrace, Trace
from quercus.explain.trace_walk import TraceWalk
from quercus.explain.tracing import Tracer, trace_growing
from quercus.explain.why import why
from quercus.explain.why_rules import RuleAnswer, why_rules

__all__ = [
    "UNKNOWN",
    "Answer",
    "BranchTrace",
    "CandidateTrace",
    "Change",
    "Consultation",
    "Counterfactual",
    "Counterfactuals",
    "NodeTrace",
    "Path",
    "Question",
    "Reason",
    "Reasons",
    "RuleAnswer",
    "Span",
    "Step",
    "Trace",
    "TraceWalk",
    "Tracer",
    "counterfactuals",
    "reason_codes",
    "trace_growing",
    "why",
    "why_rules",
]
