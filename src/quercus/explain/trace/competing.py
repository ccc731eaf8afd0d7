"""Competing splits: what every question of a tree was chosen against, and what can stand in for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from quercus.data.names import significant
from quercus.errors import missing_extra
from quercus.explain.trace.trace import CandidateTrace, NodeTrace, SurrogateTrace, Trace
from quercus.results import Result


@dataclass(frozen=True, repr=False)
class Competitor(Result):
    """One attribute's best question at a node.

    improvement: D, the impurity it takes away times the weight (rpart's improve); margin: the worth of the chosen one
    above its own. unknown: the weight of the examples whose value is unknown.
    """

    attribute: str
    test: str
    improvement: float
    gain: float
    worth: float
    margin: float
    unknown: float

    def __str__(self) -> str:
        """The question, what it improves, its worth if that is not the gain, and how many values it misses."""
        improvement, margin = significant(self.improvement, 6), significant(self.margin)
        worth = "" if self.worth == self.gain else f"worth {significant(self.worth)}, "
        missing = f", unknown {significant(self.unknown)}" if self.unknown > 0 else ""
        return f"{self.test}: improvement {improvement}, {worth}margin {margin}{missing}"


@dataclass(frozen=True, repr=False)
class Competition(Result):
    """A question of the tree, those it was compared with, the best first, and its surrogates."""

    node: int
    primary: Competitor
    competitors: tuple[Competitor, ...]
    surrogates: tuple[SurrogateTrace, ...]

    def __str__(self) -> str:
        """One line per question."""
        lines = [f"Node {self.node}: {self.primary.test}: improvement {significant(self.primary.improvement, 6)}"]
        lines += [f"  instead   {competitor}" for competitor in self.competitors]
        lines += [f"  stand-in  {surrogate.text}" for surrogate in self.surrogates]
        return "\n".join(lines)


def competition(trace: Trace, node: NodeTrace | int, limit: int | None = None) -> Competition | None:
    """What competed at one node; None at a leaf. limit: competitors and surrogates told of.

    >>> from quercus import CARTClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(competition(CARTClassifier(max_depth=1).fit(X, y).trace(X, y), 0, limit=2))
    Node 0: petal length (cm) <= 2.45: improvement 50
      instead   petal width (cm) <= 0.8: improvement 50, margin 0
      instead   sepal length (cm) <= 5.45: improvement 34.1641, margin 0.1056
    """
    node_trace = node if isinstance(node, NodeTrace) else trace.node(node)
    if node_trace.chosen is None:
        return None
    chosen = node_trace.candidates[node_trace.chosen]
    others = [one for one in node_trace.ranked if one.takes_part and one is not chosen]
    return Competition(
        node_trace.node,
        _competitor(node_trace, chosen, chosen),
        tuple(_competitor(node_trace, one, chosen) for one in others[:limit]),
        node_trace.surrogates[:limit],
    )


def _competitor(node: NodeTrace, candidate: CandidateTrace, chosen: CandidateTrace) -> Competitor:
    gain, worth = candidate.gain or 0.0, candidate.worth or 0.0
    return Competitor(
        attribute=candidate.attribute,
        test=candidate.test,
        improvement=gain * node.total + candidate.price * node.total,
        gain=gain,
        worth=worth,
        margin=max((chosen.worth or 0.0) - worth, 0.0),
        unknown=candidate.unknown,
    )


def competitions(trace: Trace, limit: int | None = None) -> Iterator[Competition]:
    """What competed at every traced question, in the order of growing; parameters as in :func:`competition`."""
    for node in trace:
        rivals = competition(trace, node, limit)
        if rivals is not None:
            yield rivals


def competing_frame(trace: Trace, limit: int | None = None) -> Any:
    """What competed at every traced question as a pandas frame: one row per node and question, with its role.

    Parameters as in :func:`competition`.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise missing_extra("pandas", "tables") from error
    rows: list[dict[str, Any]] = []
    for rivals in competitions(trace, limit):
        roles = [("primary", rivals.primary), *(("competing", one) for one in rivals.competitors)]
        rows += [{"node": rivals.node, "role": role, **vars(one)} for role, one in roles]
        rows += [
            {
                "node": rivals.node,
                "role": "surrogate",
                "attribute": one.attribute,
                "test": one.test,
                "agreement": one.agreement,
                "adjusted": one.adjusted,
            }
            for one in rivals.surrogates
        ]
    return pd.DataFrame(rows)
