"""Trees whose rows may follow several branches, or ask surrogates, as a loop of ONNX's standard operators.

The trees are one table of states: a question, a surrogate, or an end with an answer. What a row does at a state depends
on a slot: 0 if its value is unknown, 1 and 2 up to the cut and above, or 1 + the code. Each slot leads to a run of
steps: one step, or one for each child among which the row is divided, with the child's share. The loop holds all walks,
one behind the other: each round moves every walk by one question, and where a row is divided, its parts take its place.
So the walks stay in depth-first order, and their parts of the answer are added up in the order of Quercus. All tables
grow with the number of nodes, and the number of operators not at all.
"""

from __future__ import annotations

import math

import numpy as np

from quercus.arrays import Floats, Integers
from quercus.export.onnx_pieces import Pieces
from quercus.export.program import Ask, TreeTable

Run = tuple[int, int]  # the first of the steps, and how many there are


def walked(pieces: Pieces, cells: str, tables: list[TreeTable], inputs: list[int]) -> str:
    """What each tree answers: [trees, rows, width]. inputs: the positions of the attributes that cells hold."""
    states = _States(inputs)
    for table in tables:
        states.add(table)
    width = tables[0].answers.shape[1]
    op, whole = pieces.op, pieces.whole
    flat = op("Reshape", [cells, whole([-1])])
    rows = pieces.numbered(op("Div", [op("Size", [flat]), whole(len(inputs))]))
    shape = op("Concat", [whole([len(tables)]), op("Shape", [rows])], axis=0)  # walks: tree by tree, row by row
    state, row = (
        op("Reshape", [op("Expand", [one, shape]), whole([-1])])
        for one in (whole([[root] for root in states.roots]), op("Mul", [rows, whole(len(inputs))]))
    )
    walks = pieces.numbered(op("ReduceProd", [shape], keepdims=0))
    part = op("Expand", [pieces.double(1.0), op("Shape", [walks])])
    # The body reads flat, which is no input of the loop: all inputs come from it, so that it stands before the loop.
    ends = _loop(pieces, _round(pieces, states, flat), [walks, row, state, part], states.longest)
    return _sums(pieces, states, ends, (op("Shape", [walks]), len(tables), width))


def _loop(pieces: Pieces, body: tuple[Pieces, list[str], list[str]], start: list[str], longest: int) -> list[str]:
    """Run the rounds; return the walks with their rows, states and parts at the end."""
    inner, arguments, made = body
    helper, types = pieces.onnx.helper, pieces.types
    kinds = [types.INT64, types.BOOL, types.INT64, types.INT64, types.INT64, types.DOUBLE]
    shapes: list[list[None]] = [[], [], *([[None]] * 4)]
    inputs = [helper.make_tensor_value_info(*one) for one in zip(arguments, kinds, shapes, strict=True)]
    outputs = [helper.make_tensor_value_info(*one) for one in zip(made, kinds[1:], shapes[1:], strict=True)]
    graph = helper.make_graph(inner.nodes, "one_question", inputs, outputs)
    ends = [pieces.name() for _ in start]
    limit, going = pieces.whole(longest), pieces.constant(True, np.bool_)
    pieces.nodes.append(helper.make_node("Loop", [limit, going, *start], ends, name=ends[0], body=graph))
    return ends


def _round(pieces: Pieces, states: _States, flat: str) -> tuple[Pieces, list[str], list[str]]:
    """The body of the loop: every walk moves on by one question. Returns its operators, inputs and outputs."""
    inner = pieces.inner()
    op, whole = inner.op, inner.whole
    arguments = [inner.name() for _ in range(6)]
    _, _, walk, row, state, part = arguments
    start, count = (op("Gather", [whole(table), _slot(inner, states, flat, row, state)]) for table in states.runs)
    begin = op("CumSum", [count, whole(0)], exclusive=1)
    total = op("ReduceSum", [count], keepdims=0)
    places = inner.numbered(total)
    nothing = op("Expand", [whole(0), op("Shape", [places])])
    ones = op("Expand", [whole(1), op("Shape", [count])])
    first = op("ScatterElements", [nothing, begin, ones])  # 1 where the parts of a walk begin
    owner = op("Sub", [op("CumSum", [first, whole(0)]), whole(1)])
    within = op("Sub", [places, op("Gather", [begin, owner])])
    step = op("Add", [op("Gather", [start, owner]), within])
    state = op("Gather", [whole(states.step_state), step])
    part = op("Mul", [op("Gather", [part, owner]), op("Gather", [inner.double(states.step_share), step])])
    asking = op("ReduceSum", [op("Gather", [whole(states.asking), state])], keepdims=0)
    going = op("Greater", [asking, whole(0)])
    return inner, arguments, [going, op("Gather", [walk, owner]), op("Gather", [row, owner]), state, part]


def _slot(inner: Pieces, states: _States, flat: str, row: str, state: str) -> str:
    """The slot of each walk among all slots of all states."""
    op, whole = inner.op, inner.whole
    value = op("Gather", [flat, op("Add", [row, op("Gather", [whole(states.place), state])])])
    above = inner.to_whole(op("Greater", [value, op("Gather", [inner.double(states.cut), state])]))
    unknown = op("IsNaN", [value])
    code = inner.to_whole(op("Where", [unknown, inner.double(0.0), value]))
    number = op("Gather", [inner.constant(states.is_number, np.bool_), state])
    slot = op("Add", [op("Where", [number, above, code]), whole(1)])
    return op("Add", [op("Gather", [whole(states.first_slot), state]), op("Where", [unknown, whole(0), slot])])


def _sums(pieces: Pieces, states: _States, ends: list[str], shape: tuple[str, int, int]) -> str:
    """The answers of the ends, each multiplied by its part, added up one after the other for each walk."""
    op = pieces.op
    walk, _, state, part = ends
    n, trees, width = shape
    answers = op("Gather", [pieces.double(states.answers), op("Gather", [pieces.whole(states.answer), state])])
    terms = op("Mul", [op("Unsqueeze", [part, pieces.whole([1])]), answers])
    places = op("Expand", [op("Unsqueeze", [walk, pieces.whole([1])]), op("Shape", [terms])])
    empty = op("Expand", [pieces.double([[0.0]]), op("Concat", [n, pieces.whole([width])], axis=0)])
    total = op("ScatterElements", [empty, places, terms], axis=0, reduction="add")
    return op("Reshape", [total, pieces.whole([trees, -1, width])])


class _States:
    """The states of all trees, their slots, and the runs of steps that slots lead to.

    Step i leads to state i with the whole row, for all states; behind these steps stand those that divide a row.
    """

    def __init__(self, inputs: list[int]) -> None:
        self.at = {position: number for number, position in enumerate(inputs)}
        self.roots: list[int] = []
        self.longest = 1
        self.place: list[int] = []
        self.cut: list[float] = []
        self.is_number: list[bool] = []
        self.first_slot: list[int] = []
        self.answer: list[int] = []
        self.asking: list[int] = []
        self._run_start: list[int] = []  # below 0: −1 − the place among the steps that divide
        self._run_count: list[int] = []
        self._child: list[int] = []
        self._share: list[float] = []
        self._answers: list[Floats] = []

    @property
    def runs(self) -> tuple[Integers, Integers]:
        """The first step of each slot, and how many there are."""
        start, size = np.array(self._run_start, dtype=np.int64), len(self.place)
        return np.where(start < 0, size - 1 - start, start), np.array(self._run_count, dtype=np.int64)

    @property
    def step_state(self) -> Integers:
        """The state that each step leads to."""
        return np.concatenate([np.arange(len(self.place)), np.array(self._child, dtype=np.int64)])

    @property
    def step_share(self) -> Floats:
        """The share of the row that each step takes."""
        return np.concatenate([np.ones(len(self.place)), np.array(self._share)])

    @property
    def answers(self) -> Floats:
        """The different answers of all trees."""
        return np.concatenate(self._answers)

    def add(self, table: TreeTable) -> None:
        """Add the states of a tree: one for each node in order, then those of surrogates and of rows that end early."""
        base, first = len(self.place), sum(len(one) for one in self._answers)
        self.roots.append(base)
        self._answers.append(table.leaf_answers)
        later: list[tuple[Ask | None, int, Run]] = []

        def behind(ask: Ask | None, children: int, run: Run) -> Run:
            later.append((ask, children, run))
            return base + table.size + len(later) - 1, 1

        for node, answer in enumerate((table.leaf_row + first).tolist()):
            if table.is_leaf(node):
                self._end(answer)
                continue
            children = base + table.children(node)[0]
            run = self._unknown(table, node, base) or behind(None, answer, (0, 0))
            for ask in reversed(table.surrogates(node) if table.has_surrogates else []):
                run = behind(ask, children, run)
            self._ask(table, table.ask(node), children, run)
        for asked, children, run in later:
            if asked is None:
                self._end(children)
            else:
                self._ask(table, asked, children, run)
        most = int(np.diff(table.tree.surrogate_start).max()) if table.has_surrogates else 0
        self.longest = max(self.longest, table.tree.depth * (1 + most) + 1)

    def _unknown(self, table: TreeTable, node: int, base: int) -> Run | None:
        """Where an unknown value goes: to one child, or to several by their shares; None: the walk ends here."""
        children, missing = table.children(node), table.missing(node)
        if missing >= 0:
            return base + children[missing], 1
        shares = [(base + child, float(table.shares[child])) for child in children if table.shares[child] > 0.0]
        if not shares:
            return None
        place = len(self._child)
        self._child += [child for child, _ in shares]
        self._share += [share for _, share in shares]
        return -1 - place, len(shares)

    def _end(self, answer: int) -> None:
        """Add a state in which walks stay. answer: its place among the answers."""
        here = len(self.place)
        self._state(0, math.inf, answer, 0)
        self._slots([(here, 1), (here, 1)])

    def _ask(self, table: TreeTable, ask: Ask, children: int, unknown: Run) -> None:
        """Add the state of a question. children: the state of the first. unknown: where an unknown value goes."""
        if ask.cut is not None:
            self._state(self.at[ask.attribute], ask.cut, 0, 1)
            both: list[Run] = [(children, 1), (children + 1, 1)]
            self._slots([unknown, *(reversed(both) if ask.swapped else both)])
            return
        self._state(self.at[ask.attribute], math.nan, 0, 1)
        codes = [unknown if branch < 0 else (children + branch, 1) for branch in ask.table]
        absent = table.tree.schema[ask.attribute].n_values - len(codes)
        self._slots([unknown, *codes, *[unknown] * absent])

    def _state(self, place: int, cut: float, answer: int, asking: int) -> None:
        self.place.append(place)
        self.cut.append(cut)
        self.is_number.append(not math.isnan(cut))
        self.answer.append(answer)
        self.asking.append(asking)
        self.first_slot.append(len(self._run_start))

    def _slots(self, runs: list[Run]) -> None:
        self._run_start += [start for start, _ in runs]
        self._run_count += [count for _, count in runs]
