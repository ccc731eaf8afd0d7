"""Export to ONNX: a graph for onnxruntime, in double precision.

Each column is an input of its own, of shape [rows, 1]: doubles (NaN is unknown; booleans are 0 and 1) or texts. The
trees are one ``TreeEnsemble`` (ai.onnx.ml 5), which says for each tree the number of its answer; the answers are
then looked up and added up tree by tree, in the order in which Quercus adds them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus.arrays import Array
from quercus.data.schema import Attribute
from quercus.errors import DependencyError, ExportError
from quercus.export.program import Ask, Program, TreeTable, program_of

__all__ = ["to_onnx"]

_AT_MOST, _MEMBER = 0, 6  # modes of a node: x <= split, x in a set
TIE = 1e-12


def to_onnx(model: Any) -> bytes:
    """A model as the bytes of an ONNX file, for onnxruntime 1.21 and newer.

    model: a fitted estimator, a model, a tree or a forest. The graph has one input per attribute that is read, under
    the attribute's name, and the outputs ``label`` and ``probabilities`` (regression: ``value``). A text that is no
    value of its attribute is unknown. Rules, surrogates and unknown values that follow several branches are refused.
    """
    program = program_of(model)
    for number, member in enumerate(program.members):
        if not isinstance(member, TreeTable):
            raise ExportError("ONNX has no rule lists; export the rules to SQL, Python, JavaScript or C.")
        if member.spreads:
            node = int(np.flatnonzero((member.tree.n_children > 0) & (member.tree.missing_child < 0))[0])
            raise ExportError(
                f"Node {node} of tree {number} spreads unknown values over all its branches, which ONNX's trees "
                'cannot. Fit with another policy for unknown values, such as missing="most_common", or export to SQL, '
                "Python, JavaScript or C."
            )
        if member.has_surrogates:
            node = int(np.flatnonzero(np.diff(member.tree.surrogate_start))[0])
            raise ExportError(
                f"Node {node} of tree {number} has surrogates, which ONNX's trees cannot follow. Fit with another "
                'policy for unknown values, such as missing="most_common", or export to SQL, Python, JavaScript or C.'
            )
    try:
        import onnx
    except ImportError as error:
        raise DependencyError("Exports to ONNX need the package onnx: pip install 'quercus[onnx]'.") from error
    return _Graph(program, onnx).file()


class _Graph:
    def __init__(self, program: Program, onnx: Any) -> None:
        self.program, self.onnx = program, onnx
        self.nodes: list[Any] = []
        self.constants: dict[tuple[Any, ...], tuple[str, Any]] = {}
        self.count = 0

    def file(self) -> bytes:
        helper, program = self.onnx.helper, self.program
        types = self.onnx.TensorProto
        inputs = [self._input(program.schema[place]) for place in program.inputs]
        taken = {"label", "probabilities", "value"} & {program.schema[place].name for place in program.inputs}
        if taken or any(not program.schema[place].name for place in program.inputs):
            raise ExportError(
                f"A column is called {sorted(taken)[0] if taken else ''!r}, as an output of the graph is, or has no "
                "name. Rename the column before fitting."
            )
        if not inputs:
            raise ExportError("The model asks for no attribute, so that an ONNX graph would have no input.")
        columns = [self._column(program.schema[place]) for place in program.inputs]
        cells = columns[0] if len(columns) == 1 else self._op("Concat", columns, axis=1)
        shares = self._shares(cells)
        if program.classes is None:
            self._op("Identity", [shares], to="value")
            outputs = [helper.make_tensor_value_info("value", types.DOUBLE, [None, 1])]
        else:
            self._op("Identity", [shares], to="probabilities")
            kind = self._label(shares)
            outputs = [
                helper.make_tensor_value_info("label", kind, [None]),
                helper.make_tensor_value_info("probabilities", types.DOUBLE, [None, program.width]),
            ]
        constants = [tensor for _, tensor in self.constants.values()]
        graph = helper.make_graph(self.nodes, "quercus", inputs, outputs, constants, doc_string=program.title)
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 5)]
        file = helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="quercus")
        helper.set_model_props(file, {"quercus_model": program.model.name, "quercus_checksum": program.checksum})
        self.onnx.checker.check_model(file)
        content: bytes = file.SerializeToString()
        return content

    # Pieces of the graph

    def _constant(self, values: Any, dtype: Any) -> str:
        """The name of a constant; the same one for the same numbers."""
        array = np.asarray(values, dtype=dtype)
        key = (array.dtype.str, array.shape, array.tobytes() if array.dtype != object else tuple(array.ravel()))
        if key not in self.constants:
            name = f"c{len(self.constants)}"
            self.constants[key] = (name, self.onnx.numpy_helper.from_array(array, name))
        return self.constants[key][0]

    def _op(self, name: str, inputs: list[str], *, to: str | None = None, domain: str = "", **attributes: Any) -> str:
        self.count += 1
        output = to or f"t{self.count}"
        self.nodes.append(self.onnx.helper.make_node(name, inputs, [output], domain=domain, **attributes))
        return output

    # Columns

    def _input(self, attribute: Attribute) -> Any:
        """The input of an attribute: texts or doubles."""
        types = self.onnx.TensorProto
        kind = types.DOUBLE
        if attribute.kind in ("nominal", "ordered") and self._are_texts(attribute):
            kind = types.STRING
        return self.onnx.helper.make_tensor_value_info(attribute.name, kind, [None, 1])

    def _are_texts(self, attribute: Attribute) -> bool:
        values = attribute.values
        if all(isinstance(value, str) for value in values):
            return True
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
            return False
        raise ExportError(
            f"Column {attribute.name!r} has values that are neither all texts nor all numbers, which an input of ONNX "
            "cannot be. Convert them to texts before fitting."
        )

    def _column(self, attribute: Attribute) -> str:
        """An input as doubles: the number, or the code; NaN where the value is unknown."""
        if attribute.kind in ("numeric", "date", "boolean"):
            return attribute.name
        texts = self._are_texts(attribute)
        keys: dict[str, Any] = {"keys_strings": [str(value) for value in attribute.values]}
        source = attribute.name
        if not texts:
            keys = {"keys_int64s": self._whole_keys(attribute)}
            source = self._cast(attribute.name, self.onnx.TensorProto.INT64)
        codes = self._op(
            "LabelEncoder",
            [source],
            domain="ai.onnx.ml",
            values_int64s=list(range(attribute.n_values)),
            default_int64=-1,
            **keys,
        )
        numbers = self._cast(codes)
        if not texts:  # a number that is no whole one was cut by the cast: it is no value
            same = self._op("Equal", [self._cast(source), attribute.name])
            numbers = self._op("Where", [same, numbers, self._constant(np.nan, np.float64)])
        unknown = self._op("Less", [numbers, self._constant(0.0, np.float64)])
        return self._op("Where", [unknown, self._constant(np.nan, np.float64), numbers])

    def _cast(self, name: str, kind: int | None = None) -> str:
        self.count += 1
        output = f"t{self.count}"
        kind = self.onnx.TensorProto.DOUBLE if kind is None else kind
        self.nodes.append(self.onnx.helper.make_node("Cast", [name], [output], to=kind))
        return output

    def _whole_keys(self, attribute: Attribute) -> list[int]:
        if any(int(value) != value or abs(value) > 2**53 for value in attribute.values):
            raise ExportError(
                f"Column {attribute.name!r} has values that are no whole numbers, which ONNX cannot look up exactly. "
                "Convert them to texts before fitting."
            )
        return [int(value) for value in attribute.values]

    # Trees

    def _shares(self, cells: str) -> str:
        """What the trees answer together: [rows, width]."""
        program = self.program
        tables = [member for member in program.members if isinstance(member, TreeTable)]
        numbers = self._cast(self._ensemble(cells, tables), self.onnx.TensorProto.INT64)
        total, used = "", 0.0
        for place, (table, weight) in enumerate(zip(tables, program.weights, strict=True)):
            column = self._op("Gather", [numbers, self._constant(place, np.int64)], axis=1)
            said = self._op("Gather", [self._constant(self._said(table), np.float64), column], axis=0)
            if not program.together:
                return said
            if weight != 1.0:
                said = self._op("Mul", [said, self._constant(weight, np.float64)])
            total = said if not total else self._op("Add", [total, said])
            used += weight
        return self._op("Div", [total, self._constant(used, np.float64)])

    def _said(self, table: TreeTable) -> Array:
        """The different answers of a tree; by majority the vote for one class."""
        if not self.program.majority:
            return table.leaf_answers
        votes: Array = table.tree.target_kind.votes(table.leaf_answers)
        return votes

    def _ensemble(self, cells: str, tables: list[TreeTable]) -> str:
        """The number of each tree's answer: [rows, trees]."""
        trees = _Nodes(self.program.inputs)
        for place, table in enumerate(tables):
            trees.add(table, place)
        from_array = self.onnx.numpy_helper.from_array
        sets = {"membership_values": from_array(np.array(trees.members))} if trees.members else {}
        return self._op(
            "TreeEnsemble",
            [cells],
            domain="ai.onnx.ml",
            n_targets=len(tables),
            aggregate_function=1,
            post_transform=0,
            tree_roots=trees.roots,
            nodes_featureids=trees.feature,
            nodes_splits=from_array(np.array(trees.split)),
            nodes_modes=from_array(np.array(trees.mode, dtype=np.uint8)),
            nodes_truenodeids=trees.true,
            nodes_trueleafs=trees.true_leaf,
            nodes_falsenodeids=trees.false,
            nodes_falseleafs=trees.false_leaf,
            nodes_missing_value_tracks_true=trees.missing,
            leaf_targetids=trees.target,
            leaf_weights=from_array(np.array(trees.weight)),
            **sets,
        )

    # The label

    def _label(self, shares: str) -> int:
        """The output ``label``; what type it has."""
        program, types = self.program, self.onnx.TensorProto
        scores, tie = shares, TIE
        if program.costs is not None:
            costs = np.array(program.costs)
            scores = self._op("Neg", [self._op("MatMul", [shares, self._constant(costs, np.float64)])])
            tie = TIE * max(1.0, float(np.abs(costs).max()))
        if program.threshold is not None:
            second = self._op("Gather", [shares, self._constant(1, np.int64)], axis=1)
            reached = self._op("GreaterOrEqual", [second, self._constant(program.threshold - TIE, np.float64)])
            code = self._cast(reached, types.INT64)
        else:
            most = self._op("ReduceMax", [scores, self._constant([1], np.int64)], keepdims=1)
            least = self._op("Sub", [most, self._constant(tie, np.float64)])
            close = self._cast(self._op("GreaterOrEqual", [scores, least]))
            code = self._op("ArgMax", [close], axis=1, keepdims=0)
        classes = list(program.classes or ())
        if all(isinstance(one, str) for one in classes):
            self._op("Gather", [self._constant(np.array(classes, dtype=object), object), code], to="label")
            return int(types.STRING)
        if all(isinstance(one, int) and abs(one) < 2**63 for one in classes):
            self._op("Gather", [self._constant([int(one) for one in classes], np.int64), code], to="label")
            return int(types.INT64)
        raise ExportError("The classes are neither all texts nor all whole numbers or booleans, as ONNX needs them.")


class _Nodes:
    """The arrays of a ``TreeEnsemble``. A question of many branches becomes a chain of questions with two."""

    def __init__(self, inputs: list[int]) -> None:
        self.place = {position: number for number, position in enumerate(inputs)}
        self.roots: list[int] = []
        self.feature: list[int] = []
        self.split: list[float] = []
        self.mode: list[int] = []
        self.true: list[int] = []
        self.true_leaf: list[int] = []
        self.false: list[int] = []
        self.false_leaf: list[int] = []
        self.missing: list[int] = []
        self.members: list[float] = []
        self.target: list[int] = []
        self.weight: list[float] = []

    def add(self, table: TreeTable, target: int) -> None:
        """The nodes of a tree whose answers' numbers go to one target."""
        self.roots.append(len(self.feature))
        if table.is_leaf(0):
            node = self._node(0, 0.0, _AT_MOST, 0)
            leaf = self._leaf(table, 0, target)
            self.true[node] = self.false[node] = leaf
            self.true_leaf[node] = self.false_leaf[node] = 1
            return
        stack: list[tuple[int, int, str]] = [(0, -1, "")]
        while stack:
            node, parent, side = stack.pop()
            if table.is_leaf(node):
                self._link(parent, side, self._leaf(table, node, target), 1)
                continue
            stack.extend(reversed(self._chain(table, node, parent, side)))

    def _chain(self, table: TreeTable, node: int, parent: int, side: str) -> list[tuple[int, int, str]]:
        """The questions of two branches that one question is; the children, each with its place."""
        ask, children, missing = table.ask(node), list(table.children(node)), table.missing(node)
        order = self._order(ask, len(children), missing)
        below: list[tuple[int, int, str]] = []
        for place, branch in enumerate(order[:-1]):
            if ask.cut is not None:
                here = self._node(self.place[ask.attribute], ask.cut, _AT_MOST, int(missing == branch))
            else:
                here = self._node(self.place[ask.attribute], 0.0, _MEMBER, 0)
                self.members += [float(code) for code in ask.codes(branch)] + [float("nan")]
            self._link(parent, side, here, 0)
            below.append((children[branch], here, "true"))
            parent, side = here, "false"
            if place == len(order) - 2:
                below.append((children[order[-1]], here, "false"))
        if len(order) == 1:
            below.append((children[order[0]], parent, side))
        return below

    def _order(self, ask: Ask, size: int, missing: int) -> list[int]:
        """The branches in the order in which they are asked for; that of the unknown is what is left."""
        if ask.cut is not None:
            return [0, 1]
        return [branch for branch in range(size) if branch != missing and ask.codes(branch)] + [missing]

    def _node(self, feature: int, split: float, mode: int, missing: int) -> int:
        for numbers, number in (
            (self.feature, feature),
            (self.mode, mode),
            (self.missing, missing),
            (self.true, 0),
            (self.true_leaf, 0),
            (self.false, 0),
            (self.false_leaf, 0),
        ):
            numbers.append(number)
        self.split.append(split)
        return len(self.feature) - 1

    def _leaf(self, table: TreeTable, node: int, target: int) -> int:
        self.target.append(target)
        self.weight.append(float(table.leaf_row[node]))
        return len(self.target) - 1

    def _link(self, parent: int, side: str, place: int, leaf: int) -> None:
        if parent >= 0:
            getattr(self, side)[parent] = place
            getattr(self, f"{side}_leaf")[parent] = leaf
