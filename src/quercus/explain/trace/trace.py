"""The trace of growing as data: for every node all candidates, the winner and by how much, and why a leaf is a leaf."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, overload

from quercus.criteria import CRITERIA
from quercus.data.names import quoted_name, short_number, significant
from quercus.errors import ParameterError, checked_place, shown_list
from quercus.results import Result
from quercus.targets import TargetKind, kind_of

#: How the worth that decides between attributes is called, by ``selection``.
WORTHS: dict[str, str] = {
    "gain": "gain",
    "gain_ratio": "gain ratio",
    "tan_schlimmer": "gain²/cost",
    "nunez": "(2^gain − 1)/(cost + 1)^w",
}


def worth_name(selection: str, base: float = 2.0) -> str:
    """How the worth is called where logarithms have the given base: 2 to a gain in bits is e to the same in nats."""
    name = WORTHS[selection]
    return name.replace("2^", "e^" if base == math.e else f"{base:g}^") if base != 2 else name


CHOSEN, TIED, LOST, REFUSED, NOT_KEPT = "chosen", "tied", "lost", "refused", "not kept"
BELOW_MEAN, LITTLE_INFORMATION, ASKED = "below the mean gain", "split information too small", "asked above"


Entry = TypeVar("Entry")


def examples(count: int, weight: float, weighed: bool) -> str:
    """How many examples there are and, if they do not weigh 1 each, what they weigh.

    >>> examples(9, 9.0, False), examples(1, 0.5, True)
    ('9 examples', '1 example of weight 0.5')
    """
    return f"{count} example{'' if count == 1 else 's'}" + (f" of weight {short_number(weight)}" if weighed else "")


@dataclass(frozen=True, repr=False)
class BranchTrace(Result):
    """What a branch of a candidate would receive.

    text: in names. branch: its number. weight, count: of the instances that would go there. values: the class weights,
    or mean and variance. total: the weight that enters the impurity (class weights times the multipliers of their
    costs). prediction: the number that a regression tree would answer there.
    """

    text: str
    branch: int
    weight: float
    count: int
    values: tuple[float, ...]
    total: float
    impurity: float
    prediction: float | None = None

    def __str__(self) -> str:
        """The branch and what it would receive."""
        size = examples(self.count, self.weight, self.weight != self.count)
        return f"{self.text}: {size}, impurity {significant(self.impurity)}"


@dataclass(frozen=True, repr=False)
class CandidateTrace(Result):
    """One attribute at one node: its best division, what it is worth, and what became of it.

    attribute, test: the name, and the question in words. kind: threshold, multiway, grouped or subset; none if the
    attribute offers no division. threshold: of a number (None also where the question is whether a value is known).
    n_cuts: the admissible cuts of a numeric attribute; n_tried: all divisions that were looked at, n_best: how many of
    them are as good as the best (the first is taken). gain: what attributes are compared by, ``price`` taken off
    (log2(n_cuts)/N, if the recipe asks for it). split_information: in bits. worth: by the recipe's selection; None if
    the attribute takes no part. cost: of asking. status: chosen, tied, lost, refused (the best, but not good enough),
    not kept (asked while growing, a leaf now), or why it takes no part; why: the same with numbers. unknown: the weight
    of the instances that stay unknown; placed: of those that are unknown, but that ``missing`` sends to a branch, and
    missing_branch: the number of that branch (None: there is no such one). known: the weight of all but those that stay
    unknown, as it enters the impurity, and known_impurity theirs. branches: those that receive an instance;
    n_branches: all. cuts: every threshold with its gain before the price (None: not admissible), kept on demand.
    """

    attribute: str
    kind: str
    test: str
    threshold: float | None
    n_cuts: int | None
    n_tried: int | None
    n_best: int
    gain: float | None
    split_information: float | None
    worth: float | None
    price: float
    cost: float
    status: str
    why: str
    unknown: float
    known: float
    known_impurity: float
    branches: tuple[BranchTrace, ...]
    n_branches: int
    cuts: tuple[tuple[float | None, float | None], ...] | None = None
    placed: float = 0.0
    missing_branch: int | None = None

    @property
    def takes_part(self) -> bool:
        """Whether it was compared with the others."""
        return self.worth is not None

    def __str__(self) -> str:
        """The question, its gain, and what became of it, with its branches."""
        gain = "" if self.gain is None else f": gain {significant(self.gain)}"
        lines = [f"{self.test or quoted_name(self.attribute)}{gain}, {self.why or self.status}"]
        return "\n".join([*lines, *(f"  {branch}" for branch in self.branches)])


@dataclass(frozen=True, repr=False)
class SurrogateTrace(Result):
    """A test on another attribute that imitates the winner where its value is unknown.

    text: which answer stands for which branch. agreement: the share of weight sent the same way. adjusted: the same
    above sending all to the larger branch.
    """

    attribute: str
    test: str
    text: str
    agreement: float
    adjusted: float

    def __str__(self) -> str:
        """The test, which answer stands for which branch, and how well it imitates."""
        return f"{self.text}, agreement {significant(self.agreement)}, adjusted {significant(self.adjusted)}"


class OnDemand(Sequence[Entry]):
    """The parts of a trace, each made when it is first looked at; many at once, if one after the other is.

    numbers: one for each part. make: what gives some of them, each with its number, in any order.
    """

    def __init__(self, numbers: Sequence[int], make: Callable[[Sequence[int]], Iterable[tuple[int, Entry]]]) -> None:
        self.numbers = numbers
        self._make = make
        self._known: dict[int, Entry] = {}

    def __len__(self) -> int:
        """The number of parts."""
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> Entry: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, place: int | slice) -> Entry | tuple[Entry, ...]:
        """The part at a place, or several."""
        if isinstance(place, slice):
            return tuple(self._some(self.numbers[place]))
        return next(self._some((self.numbers[place],)))

    def __iter__(self) -> Iterator[Entry]:
        """The parts in their order."""
        for first in range(0, len(self), 1_000):
            yield from self._some(self.numbers[first : first + 1_000])

    def _some(self, numbers: Sequence[int]) -> Iterator[Entry]:
        unknown = [number for number in numbers if number not in self._known]
        if unknown:
            self._known |= self._make(unknown)
        return (self._known[number] for number in numbers)

    def __eq__(self, other: object) -> bool:
        """Whether the parts are the same."""
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        """As the tuple of the parts."""
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parts themselves, without the training rows."""
        return tuple, (tuple(self),)


@dataclass(frozen=True, repr=False)
class NodeTrace(Result):
    """What happened at one node.

    node, depth, path: where it is; the branches taken, in words. weight, count: of its instances. values: the class
    weights, or mean and variance. prediction: of a regression tree. total: the weight that enters the impurity.
    formula: of the impurity with the numbers filled in. reason: why it is a leaf, in the grower's words; empty if it
    asks. chosen: the place of the winner among the candidates, best: the same also where the winner was refused.
    margin: its worth above the runner-up's. tied: places of those of equal worth (the first in the table wins).
    candidates: of all attributes, each put into words when it is looked at.
    mean_gain: what C4.5's gate compares with. wide: places of the candidates that do not count in that mean, because
    they have very many values. weighed: whether some instances have a weight other than 1. decision: a sentence that
    says it all. pruned: why pruning took the node. note: how the tree differs from this trace; empty unless something
    is wrong. surrogates: tests that imitate the winner, the best first, if the tree has any or they were asked for.
    """

    node: int
    depth: int
    path: tuple[str, ...]
    weight: float
    count: int
    values: tuple[float, ...]
    prediction: float | None
    total: float
    impurity: float
    formula: str
    reason: str
    chosen: int | None
    best: int | None
    margin: float | None
    runner_up: int | None
    tied: tuple[int, ...]
    mean_gain: float | None
    decision: str
    candidates: Sequence[CandidateTrace]
    pruned: str = ""
    note: str = ""
    surrogates: tuple[SurrogateTrace, ...] = ()
    wide: tuple[int, ...] = ()
    weighed: bool = False

    @property
    def is_leaf(self) -> bool:
        """Whether the node asks nothing."""
        return self.chosen is None

    @property
    def ranked(self) -> tuple[CandidateTrace, ...]:
        """The candidates by worth, the winner first; those that take no part after them, by gain."""
        best = -1 if self.best is None else self.best

        def size(number: float | None) -> float:
            return math.inf if number is None else -float(f"{number:.12g}")  # equal but for rounding is equal

        def key(place: int) -> tuple[bool, bool, float, float, int]:
            candidate = self.candidates[place]
            return place != best, not candidate.takes_part, size(candidate.worth), size(candidate.gain), place

        return tuple(self.candidates[place] for place in sorted(range(len(self.candidates)), key=key))

    def __str__(self) -> str:
        """Where the node is, what every attribute was worth, and the decision; with class names ``Trace.to_text``."""
        where = f": {' and '.join(self.path)}" if self.path else ", the root"
        size = examples(self.count, self.weight, self.weighed)
        lines = [f"Node {self.node}{where}", f"  {size}, impurity {self.formula}"]
        for candidate in self.ranked:
            gain = "–" if candidate.gain is None else significant(candidate.gain)
            lines.append(f"  {quoted_name(candidate.attribute)}: gain {gain}, {candidate.status}")
        lines.append(f"  {self.decision}")
        return "\n".join([*lines, f"  Pruned later by {self.pruned}."] if self.pruned else lines)

    def candidate(self, attribute: str) -> CandidateTrace:
        """The candidate of an attribute, by name."""
        for candidate in self.candidates:
            if candidate.attribute == attribute:
                return candidate
        names = shown_list([candidate.attribute for candidate in self.candidates])
        raise ParameterError(f"Node {self.node} has no candidate {attribute!r}; it has {names or 'none'}.")


@dataclass(frozen=True, eq=True, repr=False)
class Trace(Result):
    """The trace of a tree, or of some of its nodes.

    algorithm, criterion, selection, missing, cost_exponent: of the recipe. classes: None for regression. multipliers:
    what each class's weight counts by its costs; None if all count 1. target: the name of what is predicted. n_rows: of
    the training table. order: the tree's nodes as they were grown. nodes: those that were asked for, in that order,
    each traced when it is first looked at. grown: if the tree was pruned later, the number in this trace of every node
    of the pruned tree; else None. base: of the logarithms in entropies, gains and split information.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> trace = ID3Classifier().fit(X, y).trace(X, y)
    >>> trace.node(0).formula
    '−9/14·log2(9/14) − 5/14·log2(5/14) = 0.940'
    >>> trace.node(0).decision
    'Outlook is asked: its gain 0.247 is the largest, 0.095 above Humidity with 0.152.'
    >>> [round(candidate.gain, 4) for candidate in trace.node(0).candidates]
    [0.2467, 0.0292, 0.1518, 0.0481]
    """

    algorithm: str
    criterion: str
    selection: str
    missing: str
    cost_exponent: float
    classes: tuple[Any, ...] | None
    multipliers: tuple[float, ...] | None
    target: str | None
    n_rows: int
    order: tuple[int, ...]
    nodes: Sequence[NodeTrace]
    grown: tuple[int | None, ...] | None = None
    base: float = 2.0

    @cached_property
    def target_kind(self) -> TargetKind:
        """What the tree answers: one of the classes, or numbers."""
        return kind_of(self.classes)

    @cached_property
    def _places(self) -> Mapping[int, int]:
        nodes = self.nodes
        numbers = nodes.numbers if isinstance(nodes, OnDemand) else [node.node for node in nodes]
        return {number: place for place, number in enumerate(numbers)}

    def node(self, number: int) -> NodeTrace:
        """What happened at one node, by its number in the tree."""
        size = len(self.order)
        number = checked_place("node", number, range(size), f"the tree's nodes are 0 … {size - 1}")
        if number in self._places:
            return self.nodes[self._places[number]]
        raise ParameterError(
            f"Node {number} is in the tree, but was not traced; traced: {shown_list(list(self._places))}. "
            f"Trace it with nodes=[{number}]."
        )

    def __contains__(self, number: int) -> bool:
        """Whether a node was traced."""
        return number in self._places

    def __iter__(self) -> Iterator[NodeTrace]:
        """The traced nodes in the order of growing."""
        return iter(self.nodes)

    def __len__(self) -> int:
        """How many nodes were traced."""
        return len(self.nodes)

    @property
    def is_complete(self) -> bool:
        """Whether every node of the tree was traced."""
        return len(self.nodes) == len(self.order)

    @property
    def worth_name(self) -> str:
        """How the worth that decides is called."""
        return worth_name(self.selection, self.base)

    @property
    def impurity_name(self) -> str:
        """How the impurity is called."""
        return CRITERIA[self.criterion].title

    # Views

    def to_frame(self) -> Any:
        """One row per node and candidate, as a pandas DataFrame (a leaf that looked at none has one row)."""
        from quercus.explain.trace.frame import trace_frame

        return trace_frame(self)

    def to_text(self, node: int | None = None, *, formulas: bool = True, max_branches: int = 12) -> str:
        """The trace as text: of one node, or of all. formulas: each gain with its numbers filled in."""
        from quercus.explain.trace.text import node_text, trace_text

        if node is None:
            return trace_text(self, formulas, max_branches)
        return node_text(self, self.node(node), formulas, max_branches)

    def to_latex(self, node: int | None = None, *, document: bool = False, max_branches: int = 12) -> str:
        """The trace as LaTeX: of one node, or of all.

        document: a whole document, to be set by itself. Without it the text is for a document of your own, whose
        preamble needs ``quercus.data.latex.LATEX_PREAMBLE``, or of it ``amsmath`` at least.
        """
        from quercus.explain.trace.latex import trace_latex

        chosen = self.nodes if node is None else (self.node(node),)
        return trace_latex(self, chosen, document, max_branches)

    def __str__(self) -> str:
        """The trace as text; of many nodes the first 50 only."""
        from quercus.explain.trace.text import short_trace_text

        return short_trace_text(self)

    def __repr__(self) -> str:
        """The trace in one line."""
        return f"<Trace: {len(self.nodes):,} of {len(self.order):,} nodes, {self.algorithm}>"

    def to_dict(self) -> dict[str, Any]:
        """The trace as plain lists, numbers and strings that JSON can hold."""
        from quercus.explain.trace.dictionary import trace_to_dict

        return trace_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Trace:
        """Undo :meth:`to_dict`; every part is checked."""
        from quercus.explain.trace.dictionary import trace_from_dict

        return trace_from_dict(data)
