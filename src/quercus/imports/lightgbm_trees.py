"""One tree of LightGBM: read from its dump or text, and as a tree of Quercus that sends every row the same way."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.schema import Schema
from quercus.errors import DataError
from quercus.imports.binary_trees import Nodes, depth_first, number_tree
from quercus.tree.tree import Tree

#: Numbers from −ZERO to ZERO are zero to LightGBM.
ZERO = float(np.float32(1e-35))
_BELOW_ZERO = math.nextafter(-ZERO, -math.inf)
_MISSING_TYPES = ("None", "Zero", "NaN")
_LARGEST = float(np.finfo(np.float64).max)


@dataclass
class LightGBMTree:
    """The nodes of a tree, one entry per node in each list.

    left, right: the children; −1: a leaf. attribute: the position of what is asked. cut: left up to it. codes: instead
    of a cut, the codes that go left, by node. default_left, missing_type: where missing values go, and what counts as
    one ("None", "Zero", "NaN"). answer: of leaves. count: of examples. gain: of the question.
    """

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    attribute: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    codes: dict[int, list[int]] = field(default_factory=dict)
    default_left: list[bool] = field(default_factory=list)
    missing_type: list[str] = field(default_factory=list)
    answer: list[float] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)

    def add(
        self,
        *,
        attribute: int = 0,
        cut: float = 0.0,
        codes: list[int] | None = None,
        default_left: bool = False,
        missing_type: str = "None",
        answer: float = 0.0,
        count: int = 0,
        gain: float = 0.0,
    ) -> int:
        """Add a node, at first as a leaf; return its number."""
        if missing_type not in _MISSING_TYPES:
            raise ValueError(f"missing_type is {missing_type!r}")
        if codes is not None:
            self.codes[len(self.left)] = codes
        self.left.append(-1)
        self.right.append(-1)
        self.attribute.append(attribute)
        self.cut.append(min(max(cut, -_LARGEST), _LARGEST))
        self.default_left.append(default_left)
        self.missing_type.append(missing_type)
        self.answer.append(answer)
        self.count.append(count)
        self.gain.append(gain)
        return len(self.left) - 1

    @classmethod
    def of_dump(cls, structure: Mapping[str, Any]) -> LightGBMTree:
        """The tree in the member ``tree_structure`` of a dump."""
        result = cls()
        stack: list[tuple[Any, int, str]] = [(structure, -1, "")]
        while stack:
            node, parent, side = stack.pop()
            number = result._add_dumped(node)
            if parent >= 0:
                getattr(result, side)[parent] = number
            if "split_feature" in node:
                stack += [(node["right_child"], number, "right"), (node["left_child"], number, "left")]
        return result

    def _add_dumped(self, node: Mapping[str, Any]) -> int:
        if "split_feature" not in node:
            if "leaf_coeff" in node or "leaf_const" in node:
                raise linear_trees()
            return self.add(answer=float(node["leaf_value"]), count=int(node.get("leaf_count", 0)))
        question: dict[str, Any] = {
            "attribute": int(node["split_feature"]),
            "default_left": bool(node["default_left"]),
            "missing_type": str(node["missing_type"]),
            "count": int(node.get("internal_count", 0)),
            "gain": float(node.get("split_gain", 0.0)),
        }
        if node["decision_type"] == "==":
            codes = [int(code) for code in str(node["threshold"]).split("||") if code]
            return self.add(codes=codes, **question)
        if node["decision_type"] != "<=":
            raise ValueError(f"decision_type is {node['decision_type']!r}")
        return self.add(cut=float(node["threshold"]), **question)

    def tree(self, schema: Schema, codes: Mapping[int, NDArray[np.int64]], place: str) -> Tree:
        """The tree of Quercus. codes: the code that LightGBM uses for each value of an attribute, by its position."""
        depth_first(np.array(self.left), np.array(self.right), place)
        wide, missing = [], []
        for node in range(len(self.left)):
            if self.left[node] < 0:
                missing.append(0)
                continue
            if not 0 <= self.attribute[node] < len(schema):
                raise DataError(f"{place}, node {node} asks for column {self.attribute[node]} of {len(schema)}.")
            if (node in self.codes) != (schema[self.attribute[node]].kind == "nominal"):
                name = schema[self.attribute[node]].name
                raise DataError(f"{place}, node {node}: {name!r} is asked both for sets of values and by thresholds.")
            missing.append(self._missing(node))
            if self._is_torn(node):
                wide.append(node)
        for node in wide:
            self._mend(node, missing)
        sets = {
            node: np.where(np.isin(codes[self.attribute[node]], chosen), 0, 1) for node, chosen in self.codes.items()
        }
        count = np.array(self.count, dtype=np.int64)
        arrays = (np.array(self.cut), np.array(missing), np.array(self.answer), count.astype(np.float64), count)
        links = (np.array(self.left), np.array(self.right), np.array(self.attribute))
        return number_tree(Nodes(*links, *arrays, np.array(self.gain), sets), schema, place)

    def _missing(self, node: int) -> int:
        """The branch of an unknown value: the right one of sets; where nothing counts as missing, that of 0."""
        if node in self.codes:
            return 1
        if self.missing_type[node] == "None":
            return 0 if self.cut[node] >= 0.0 else 1
        return 0 if self.default_left[node] else 1

    def _is_torn(self, node: int) -> bool:
        """Whether zeros go another way than their neighbours, since zero counts as missing.

        A cut among the numbers that are zero to LightGBM is moved to that end of them where it divides as LightGBM.
        """
        if node in self.codes:
            return False
        cut, zero_missing = self.cut[node], self.missing_type[node] == "Zero"
        zeros_left = self.default_left[node] if zero_missing else cut >= 0.0
        if _BELOW_ZERO <= cut <= ZERO:
            self.cut[node] = ZERO if zeros_left else _BELOW_ZERO
            return False
        return (cut > ZERO) != zeros_left

    def _mend(self, node: int, missing: list[int]) -> None:
        """Ask three questions instead of one: below zero, zero, above zero. The branches join again below."""
        left, right, cut, to_left = self.left[node], self.right[node], self.cut[node], self.default_left[node]
        cuts = sorted([_BELOW_ZERO, ZERO, cut])
        below = left if cut > ZERO else right  # beside zero, where the cut does not decide
        zero = left if to_left else right
        ends = [below, zero, left, right] if cut > ZERO else [left, below, zero, right]
        second = self.add(attribute=self.attribute[node], cut=cuts[1], count=self.count[node])
        third = self.add(attribute=self.attribute[node], cut=cuts[2], count=self.count[node])
        self.cut[node], self.left[node], self.right[node] = cuts[0], ends[0], second
        self.left[second], self.right[second] = ends[1], third
        self.left[third], self.right[third] = ends[2], ends[3]
        at_second = cut > ZERO  # zero ends the second question, or the third one
        missing[node] = 1
        missing += [0 if at_second else 1, 0]


def linear_trees() -> DataError:
    """The error for trees whose leaves are linear functions."""
    return DataError("LightGBM's linear trees have a function in each leaf; Quercus has a number. Fit without them.")
