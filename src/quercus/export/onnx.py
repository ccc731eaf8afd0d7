"""Export to ONNX: a graph for onnxruntime, in double precision.

Each column is an input of its own, of shape [rows, 1]: doubles (NaN is unknown; booleans are 0 and 1) or texts. Trees
whose rows follow one branch are one ``TreeEnsemble`` (ai.onnx.ml 5), which says for each tree the number of its answer.
Trees that divide rows or ask surrogates, and rules, are tables that standard operators read. Answers are added up tree
by tree, in the order in which Quercus adds them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus.data.schema import Attribute
from quercus.errors import DependencyError, ExportError
from quercus.export.onnx_answers import answered
from quercus.export.onnx_columns import are_texts, column, read_columns
from quercus.export.onnx_pieces import Pieces
from quercus.export.program import Program, program_of

__all__ = ["to_onnx"]

#: A file of ONNX is a message of protocol buffers, which hold no more bytes.
MOST_BYTES = 2**31 - 1


def to_onnx(model: Any) -> bytes:
    """A model as the bytes of an ONNX file, for onnxruntime 1.23 and newer.

    model: a fitted estimator, a model, a tree, a forest or a rule list. The graph has one input per attribute that is
    read (of a model that reads none the first), under the attribute's name, and the outputs ``label`` and
    ``probabilities`` (regression: ``value``). A text that is no value of its attribute is unknown.
    """
    program = program_of(model, scores=True)
    try:
        import onnx
    except ImportError as error:
        raise DependencyError("Exports to ONNX need the package onnx: pip install 'quercus[onnx]'.") from error
    file = _file(program, onnx)
    content = _serialized(file)
    onnx.checker.check_model(file)
    return content


def _serialized(file: Any) -> bytes:
    """The bytes of a file; a file that is too large is refused."""
    from google.protobuf.message import EncodeError

    try:
        content: bytes = file.SerializeToString()
    except EncodeError:  # larger than a message may be
        content = b""
    if not 0 < len(content) <= MOST_BYTES:
        raise ExportError(
            f"The graph is larger than the {MOST_BYTES:,} bytes that a file of ONNX holds. Grow fewer or smaller "
            "trees, or export to C."
        )
    return content


def _file(program: Program, onnx: Any) -> Any:
    """The graph with everything else that a file contains."""
    attributes = [program.schema[place] for place in read_columns(program)]
    helper, pieces = onnx.helper, Pieces(onnx, _prefix(attributes, not program.has_classes))
    inputs = [_input(pieces, attribute) for attribute in attributes]
    columns = [column(pieces, attribute, attribute.name) for attribute in attributes]
    cells = columns[0] if len(columns) == 1 else pieces.op("Concat", columns, axis=1)
    shares, codes = answered(pieces, program, cells)
    if codes is None:
        outputs = [helper.make_tensor_value_info("value", pieces.types.DOUBLE, [None, 1])]
        pieces.op("Identity", [shares], to="value")
    else:
        pieces.op("Identity", [shares], to="probabilities")
        outputs = [
            helper.make_tensor_value_info("label", labels(pieces, program, codes, "label"), [None]),
            helper.make_tensor_value_info("probabilities", pieces.types.DOUBLE, [None, program.width]),
        ]
    graph = helper.make_graph(pieces.nodes, "quercus", inputs, outputs, pieces.tensors, doc_string=program.title)
    opsets = [helper.make_opsetid(domain, version) for domain, version in pieces.opsets.items()]
    file = helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="quercus")
    helper.set_model_props(file, {"quercus_model": program.model.name, "quercus_checksum": program.checksum})
    return file


def _prefix(attributes: list[Attribute], numbers: bool) -> str:
    """The first letters of the names of inner values; columns that cannot be inputs are refused.

    numbers: whether a number is answered, not a class.
    """
    names = {attribute.name for attribute in attributes}
    taken = ({"value"} if numbers else {"label", "probabilities"}) & names
    if taken or "" in names:
        raise ExportError(
            f"A column is called {sorted(taken)[0] if taken else ''!r}, as an output of the graph is, or has no "
            "name. Rename the column before fitting."
        )
    prefix = "_"
    while any(name.startswith(prefix) for name in names):
        prefix += "_"
    return prefix


def _input(pieces: Pieces, attribute: Attribute) -> Any:
    """The input of an attribute: texts or doubles."""
    kind = pieces.types.STRING if are_texts(attribute) else pieces.types.DOUBLE
    return pieces.onnx.helper.make_tensor_value_info(attribute.name, kind, [None, 1])


def labels(pieces: Pieces, program: Program, codes: str, to: str) -> int:
    """The classes at the positions, under a name; and their type."""
    classes = list(program.classes)
    if all(isinstance(one, str) for one in classes):
        pieces.op("Gather", [pieces.constant(np.array(classes, dtype=object), object), codes], to=to)
        return int(pieces.types.STRING)
    if all(isinstance(one, int) and abs(one) < 2**63 for one in classes):
        pieces.op("Gather", [pieces.whole([int(one) for one in classes]), codes], to=to)
        return int(pieces.types.INT64)
    raise ExportError("The classes are neither all texts nor all whole numbers or booleans, as ONNX needs them.")
