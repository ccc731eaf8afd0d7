"""The C++ core, compiled from core/: arrays in, arrays out (see core/bindings.cpp and core/bind_predict.cpp)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[Any]
_Floats = NDArray[np.float64]

predict_arrays: tuple[str, ...]
stop_names: tuple[str, ...]
offer_names: tuple[str, ...]

def grow(
    columns: Sequence[_Array | tuple[_Array, _Array]],
    n_values: Sequence[int],
    target: _Array,
    n_classes: int,
    weights: _Floats | None,
    options: Mapping[str, Any],
    progress: Callable[[int, int, int], object] | None,
) -> dict[str, _Array]: ...

class Retracer:
    def __init__(
        self,
        columns: Sequence[_Array],
        n_values: Sequence[int],
        target: _Array,
        n_classes: int,
        weights: _Floats | None,
        options: Mapping[str, Any],
    ) -> None: ...
    def walk(
        self, tree: tuple[_Array, ...], marked: NDArray[np.uint8], cuts: NDArray[np.uint8], surrogates: bool
    ) -> dict[str, _Array]: ...

def explain_rows(
    tree: CompactTree,
    columns: tuple[_Array, ...] | _Array,
    n_rows: int,
    weight: _Floats,
    by_leaves: bool,
    node_values: _Floats,
    factor: float,
    values: _Floats,
    pairs: _Floats | None,
    n_threads: int = 1,
) -> _Floats: ...
def explain_against(
    tree: CompactTree,
    columns: tuple[_Array, ...] | _Array,
    n_rows: int,
    background: tuple[_Array, ...] | _Array,
    n_background: int,
    weight: _Floats,
    by_leaves: bool,
    node_values: _Floats,
    factor: float,
    values: _Floats,
    n_threads: int = 1,
) -> None: ...
def machine_width() -> int: ...
def first_largest(scores: _Floats, tolerance: float) -> NDArray[np.int64]: ...

class CompactTree:
    n_bytes: int
    def __init__(self, tree: tuple[_Array, ...], n_attributes: int, steps: str = "chosen") -> None: ...
    def predict_values(
        self,
        columns: tuple[_Array, ...] | _Array,
        n_rows: int,
        node_values: _Floats,
        n_threads: int = 1,
        refuse_infinite: bool = False,
    ) -> _Floats | None: ...
    def predict_sparse(
        self,
        columns: tuple[_Array, ...] | _Array,
        n_rows: int,
        starts: NDArray[np.int64],
        places: NDArray[np.int32],
        numbers: _Floats,
        width: int,
        n_threads: int = 1,
        refuse_infinite: bool = False,
    ) -> _Floats | None: ...
    def predict_codes(
        self,
        columns: tuple[_Array, ...] | _Array,
        n_rows: int,
        node_values: _Floats,
        node_codes: NDArray[np.int64],
        n_threads: int = 1,
        refuse_infinite: bool = False,
    ) -> tuple[NDArray[np.int64], _Floats] | None: ...
    def find_leaves(
        self,
        columns: tuple[_Array, ...] | _Array,
        n_rows: int,
        n_threads: int = 1,
        refuse_infinite: bool = False,
    ) -> NDArray[np.int64] | None: ...
    def find_paths(
        self,
        columns: tuple[_Array, ...] | _Array,
        n_rows: int,
        with_weights: bool = False,
        n_threads: int = 1,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], _Floats]: ...
    def expected_test_costs(
        self,
        columns: tuple[_Array, ...] | _Array,
        n_rows: int,
        attribute_costs: _Floats,
        n_threads: int = 1,
    ) -> _Floats: ...
    def tally_classes(
        self,
        columns: tuple[_Array, ...] | _Array,
        n_rows: int,
        labels: NDArray[np.int32],
        n_classes: int,
        weights: _Floats | None,
        n_threads: int = 1,
    ) -> _Floats: ...
    def tally_numbers(
        self,
        columns: tuple[_Array, ...] | _Array,
        n_rows: int,
        target: _Floats,
        weights: _Floats | None,
        n_threads: int = 1,
    ) -> _Floats: ...

def weakest_links(
    first_child: NDArray[np.int32], n_children: NDArray[np.int32], risk: _Floats
) -> tuple[_Floats, _Floats, NDArray[np.int32], NDArray[np.int32]]: ...
def cut_between(low: float, high: float, scale: str) -> float: ...
def learn_part(
    columns: Sequence[_Array],
    n_values: Sequence[int],
    target: NDArray[np.int32],
    n_classes: int,
    weights: _Floats | None,
    options: Mapping[str, Any],
    confidence: float,
    z: float,
    prune: bool,
    progress: Callable[[int, int, int], object] | None,
) -> dict[str, _Array]: ...
def prune_error_based(
    tree: tuple[_Array, ...],
    columns: tuple[_Array, ...],
    n_rows: int,
    labels: NDArray[np.int32],
    n_classes: int,
    weights: _Floats | None,
    confidence: float,
    deviate: float,
    top_share: float,
    never_negative: bool,
    raising: bool,
    tolerance: float,
) -> dict[str, Any]: ...
def drop_conditions(
    columns: tuple[_Array, ...],
    n_rows: int,
    labels: NDArray[np.int32],
    n_classes: int,
    weights: _Floats | None,
    conditions: tuple[_Array, ...],
    rules: tuple[_Array, ...],
    order: NDArray[np.int32],
    estimate: _Floats,
    plain: bool = False,
    n_threads: int = 1,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]: ...
def cover_rows(
    columns: tuple[_Array, ...],
    n_rows: int,
    conditions: tuple[_Array, ...],
    rules: tuple[_Array, ...],
    n_threads: int = 1,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
def tally_covers(
    covers: tuple[_Array, ...],
    rule_label: NDArray[np.int32],
    labels: NDArray[np.int32],
    n_classes: int,
    weights: _Floats | None,
) -> _Floats: ...
def choose_subsets(
    covers: tuple[_Array, ...],
    rule_label: NDArray[np.int32],
    labels: NDArray[np.int32],
    n_classes: int,
    weights: _Floats | None,
    rule_bits: _Floats,
    theory_weight: float = 0.5,
    all_subsets: int = 10,
    seed: int = 1,
    n_threads: int = 1,
) -> tuple[NDArray[np.uint8], _Floats]: ...
def order_rules(
    covers: tuple[_Array, ...],
    rule_label: NDArray[np.int32],
    labels: NDArray[np.int32],
    n_classes: int,
    weights: _Floats | None,
    rank: _Floats,
    costs: _Floats,
) -> tuple[NDArray[np.int32], int, NDArray[np.int32]]: ...

class ForestGrower:
    def __init__(
        self,
        columns: list[Any],
        n_values: list[int],
        target: NDArray[Any],
        n_classes: int,
        weights: _Floats | None,
        options: dict[str, Any],
        sampling: dict[str, Any],
    ) -> None: ...
    def grow(
        self, first: int, count: int, progress: Any
    ) -> tuple[list[dict[str, NDArray[Any]]], KeyboardInterrupt | StopIteration | None]: ...

def drawn_counts(sampling: dict[str, Any], tree: int, n_rows: int) -> NDArray[np.int32]: ...
def drawn_attributes(sampling: dict[str, Any], tree: int, n_attributes: int) -> NDArray[np.uint32]: ...
def predict_forest(
    trees: list[tuple[_Array, ...]],
    columns: tuple[_Array, ...] | _Array,
    n_rows: int,
    n_classes: int,
    majority: bool,
    tree_weights: list[float],
    sampling: dict[str, Any] | None,
    numbers: list[int],
    n_threads: int = 1,
) -> tuple[_Floats, _Floats] | Literal[False] | None: ...
def forest_leaves(
    trees: list[tuple[_Array, ...]], columns: tuple[_Array, ...] | _Array, n_rows: int, n_threads: int = 1
) -> NDArray[np.int32] | Literal[False] | None: ...
def value_sets(keys: NDArray[np.uint64], table: NDArray[np.uint32]) -> tuple[_Array, _Array, _Array]: ...
def packed_value_sets(start: _Array, value: _Array, child: _Array) -> tuple[_Array, _Array]: ...

class HeldTexts:
    def __len__(self) -> int: ...
    def strings(self, begin: int, end: int) -> tuple[str, ...]: ...
    def short_strings(self, most: int) -> list[str]: ...
    def are_stripped(self) -> bool: ...

class KnownTexts:
    def __init__(self, texts: tuple[str, ...]) -> None: ...
    def codes_of_objects(self, values: _Array) -> NDArray[np.int32] | None: ...
    def codes_of_arrow(self, column: Any) -> NDArray[np.int32] | None: ...

def codes_of_numbers(cells: _Array, table: NDArray[np.int32], low: int) -> NDArray[np.int32]: ...

class DelimitedReader:
    def __init__(
        self, delimiter: int, quote: int, skip_space: bool, decimals: NDArray[np.uint8], size: int
    ) -> None: ...
    def read(self, data: NDArray[np.uint8], last: bool) -> int: ...
    def columns(self) -> list[tuple[_Array, tuple[str, ...] | HeldTexts, int | None] | None]: ...
