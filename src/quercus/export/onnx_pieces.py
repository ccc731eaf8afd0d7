"""Pieces of an ONNX graph: constants, operators, and the part of a graph that a loop repeats."""

from __future__ import annotations

from typing import Any

import numpy as np


class Pieces:
    """A graph that is being built: operators in their order, and constants, each stored once.

    onnx: the package. prefix: of the names of all values that are made, so that they clash with no other's. ml: the
    version of the operators of ai.onnx.ml; from 5 on there is TreeEnsemble. opsets: the versions by domain.
    """

    def __init__(self, onnx: Any, prefix: str = "", ml: int = 5) -> None:
        self.onnx, self.prefix, self.opsets = onnx, prefix, {"": 18, "ai.onnx.ml": ml}
        self.types = onnx.TensorProto
        self.nodes: list[Any] = []
        self._constants: dict[tuple[Any, ...], tuple[str, Any]] = {}
        self._count = [0]

    @property
    def tensors(self) -> list[Any]:
        """The constants as tensors."""
        return [tensor for _, tensor in self._constants.values()]

    def inner(self) -> Pieces:
        """The pieces of a part that a loop runs: it has its own operators, and shares constants and names."""
        part = Pieces(self.onnx, self.prefix, self.opsets["ai.onnx.ml"])
        part._constants, part._count = self._constants, self._count
        return part

    def name(self) -> str:
        """A name that is not in use yet."""
        self._count[0] += 1
        return f"{self.prefix}t{self._count[0]}"

    def constant(self, values: Any, dtype: Any) -> str:
        """The name of a constant; equal constants share one name."""
        array = np.asarray(values, dtype=dtype)
        key = (array.dtype.str, array.shape, array.tobytes() if array.dtype != object else tuple(array.ravel()))
        if key not in self._constants:
            name = f"{self.prefix}c{len(self._constants)}"
            self._constants[key] = (name, self.onnx.numpy_helper.from_array(array, name))
        return self._constants[key][0]

    def whole(self, values: Any) -> str:
        """The name of a constant of whole numbers."""
        return self.constant(values, np.int64)

    def double(self, values: Any) -> str:
        """The name of a constant of doubles."""
        return self.constant(values, np.float64)

    def op(self, name: str, inputs: list[str], *, to: str | None = None, domain: str = "", **attributes: Any) -> str:
        """The name of an operator's output. to: a name for it."""
        output = to or self.name()
        self.nodes.append(self.onnx.helper.make_node(name, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def cast(self, name: str, kind: int | None = None) -> str:
        """The values as doubles, or as another type."""
        output = self.name()
        kind = self.types.DOUBLE if kind is None else kind
        self.nodes.append(self.onnx.helper.make_node("Cast", [name], [output], name=output, to=kind))
        return output

    def to_whole(self, name: str) -> str:
        """The values as whole numbers."""
        return self.cast(name, self.types.INT64)

    def column(self, table: str, place: int) -> str:
        """One column of a table, as a list."""
        return self.op("Gather", [table, self.whole(place)], axis=1)

    def numbered(self, size: str) -> str:
        """The numbers 0 … size − 1."""
        return self.op("Range", [self.whole(0), size, self.whole(1)])
