"""Explaining: how a tree was grown, what its questions compete with, why it answers as it does."""

from quercus.explain.cells import UNKNOWN
from quercus.explain.consult.consultation import Consultation, Question
from quercus.explain.consult.cost_of_use import CostOfUse, cost_of_use
from quercus.explain.consult.span import Span
from quercus.explain.counterfactual.change import Change, Counterfactual, Counterfactuals
from quercus.explain.counterfactual.counterfactual import counterfactuals
from quercus.explain.importance import Importances, gain_importance, permutation_importance
from quercus.explain.shap.explanation import Explanation
from quercus.explain.shap.values import shap_values
from quercus.explain.summary import Summary, summarize
from quercus.explain.trace.competing import Competition, Competitor, competing_frame, competition, competitions
from quercus.explain.trace.trace import BranchTrace, CandidateTrace, NodeTrace, SurrogateTrace, Trace
from quercus.explain.trace.tracing import Tracer, trace_growing
from quercus.explain.trace.walk import TraceWalk
from quercus.explain.why.answer import Answer, Path, Step
from quercus.explain.why.members import MembersAnswer, why_members
from quercus.explain.why.reasons import Reason, Reasons, reason_codes
from quercus.explain.why.rules import RuleAnswer, why_rules
from quercus.explain.why.why import why

__all__ = [
    "UNKNOWN",
    "Answer",
    "BranchTrace",
    "CandidateTrace",
    "Change",
    "Competition",
    "Competitor",
    "Consultation",
    "CostOfUse",
    "Counterfactual",
    "Counterfactuals",
    "Explanation",
    "Importances",
    "MembersAnswer",
    "NodeTrace",
    "Path",
    "Question",
    "Reason",
    "Reasons",
    "RuleAnswer",
    "Span",
    "Step",
    "Summary",
    "SurrogateTrace",
    "Trace",
    "TraceWalk",
    "Tracer",
    "competing_frame",
    "competition",
    "competitions",
    "cost_of_use",
    "counterfactuals",
    "gain_importance",
    "permutation_importance",
    "reason_codes",
    "shap_values",
    "summarize",
    "trace_growing",
    "why",
    "why_members",
    "why_rules",
]
