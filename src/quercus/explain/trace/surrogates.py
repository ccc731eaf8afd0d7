"""Surrogates in a trace: those that the tree has, or those that it would have."""

from __future__ import annotations

from collections.abc import Iterator

from quercus.explain.trace.context import Context
from quercus.explain.trace.decisions import Decisions
from quercus.explain.trace.trace import SurrogateTrace
from quercus.tree.questions import question_of
from quercus.tree.surrogate import Surrogate


def surrogates_at(context: Context, decisions: Decisions, entry: int) -> tuple[SurrogateTrace, ...]:
    """The surrogates of a node: the tree's, or those that the core found if they were asked for."""
    kept = context.recipe.missing == "surrogate" or not context.surrogates
    surrogates = (
        context.tree.node(decisions.node[entry]).surrogates if kept else _core_surrogates(context, decisions, entry)
    )
    return tuple(
        SurrogateTrace(one.test.attribute.name, str(one.test), str(one), one.agreement, one.adjusted)
        for one in surrogates
    )


def _core_surrogates(context: Context, decisions: Decisions, entry: int) -> Iterator[Surrogate]:
    """The core's surrogates in the tree's words."""
    primary = context.tree.node(decisions.node[entry]).test
    for place in range(decisions.surrogate_start[entry], decisions.surrogate_start[entry + 1]):
        assert primary is not None
        sides = primary.branch(0, limit=10), primary.branch(1, limit=10)
        test = question_of(decisions.surrogate_kind[place], context.tree.schema, decisions.surrogate_entries(place))
        low = decisions.surrogate_low_child[place]
        agreement, adjusted = decisions.surrogate_agreement[place], decisions.surrogate_adjusted[place]
        yield Surrogate(test, (low, 1 - low), agreement, adjusted, sides)
