"""Walking through a trace: one node after the other in the order of growing, forward and back."""

from __future__ import annotations

from typing import Protocol

from quercus.errors import ParameterError, checked_place
from quercus.explain.trace.trace import NodeTrace, Trace
from quercus.explain.trace.tracing import Tracer
from quercus.results import Result


class _Source(Protocol):
    def node(self, number: int) -> NodeTrace: ...


class TraceWalk(Result):
    """A place in a trace, and the steps from it.

    source: a trace, or a :class:`Tracer`, which looks at a node when the walk comes to it. start: the node to begin at;
    the first that was grown, unless given.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> walk = TraceWalk(ID3Classifier().fit(X, y).trace(X, y))
    >>> walk.current.node, walk.forward().node, walk.forward().node, walk.back().node, walk.progress
    (0, 1, 2, 1, '2 of 8')
    """

    def __init__(self, source: Trace | Tracer, start: int | None = None) -> None:
        self.order: tuple[int, ...] = source.order
        self.trace: Trace = source.empty_trace if isinstance(source, Tracer) else source
        if isinstance(source, Trace):
            self.order = tuple(node.node for node in source)
        if not self.order:
            raise ParameterError("There is nothing to walk through: the trace has no node.")
        self._source: _Source = source
        self._seen: dict[int, NodeTrace] = {}
        self.place = 0
        if start is not None:
            self.go(start)

    @property
    def current(self) -> NodeTrace:
        """The node at this place."""
        number = self.order[self.place]
        if number not in self._seen:
            self._seen[number] = self._source.node(number)
        return self._seen[number]

    @property
    def is_first(self) -> bool:
        """Whether there is nothing before."""
        return self.place == 0

    @property
    def is_last(self) -> bool:
        """Whether there is nothing after."""
        return self.place == len(self.order) - 1

    @property
    def progress(self) -> str:
        """The place in the walk, in words."""
        return f"{self.place + 1} of {len(self.order)}"

    def forward(self) -> NodeTrace:
        """Go to the next node; at the last stay there."""
        self.place = min(self.place + 1, len(self.order) - 1)
        return self.current

    def back(self) -> NodeTrace:
        """Go to the node before; at the first stay there."""
        self.place = max(self.place - 1, 0)
        return self.current

    def go(self, node: int) -> NodeTrace:
        """Go to a node by its number."""
        number = checked_place("node", node, self.order, f"this walk has {len(self.order)} nodes")
        self.place = self.order.index(number)
        return self.current

    def __str__(self) -> str:
        """The node at this place as text."""
        from quercus.explain.trace.text import node_text

        return node_text(self.trace, self.current)
