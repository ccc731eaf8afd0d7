"""The result of pruning in model files: removals and cuts as columns, tables of alphas as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from quercus.errors import ParameterError
from quercus.models.arrays import ArrayReader, ArrayStore
from quercus.models.damage import at, need
from quercus.models.parameter_values import from_json, to_json
from quercus.models.trees import TreeStore, tree_of
from quercus.pruning.alpha_table import CVTable
from quercus.pruning.cost_complexity import AlphaPath
from quercus.pruning.nested import NestedTrees
from quercus.pruning.result import Cut, Pruned, Removal
from quercus.tree import Tree
from quercus.tree.layout import LEAF

#: The arrays of a path: one element per tree of it, and one element per node of the tree that it prunes.
_BY_STEP = ("alphas", "risks", "errors")
_BY_NODE = ("node_alpha", "node_risk", "branch_risk")
_ERRORS = ("training_error", "cv_error", "standard_error")


def pruning_to_json(pruned: Pruned, trees: TreeStore) -> dict[str, Any]:
    """The parts of a pruning, its trees by their numbers."""
    arrays = trees.arrays
    removals, cuts = pruned.removals, pruned.sequence
    return {
        "method": pruned.method,
        "tree": trees.number(pruned.tree),
        "before": None if pruned.before is None else trees.number(pruned.before),
        "removals": {
            "node": arrays.put("pruning.removals.node", _whole(removal.node for removal in removals)),
            "action": [removal.action for removal in removals],
            "reason": [removal.reason for removal in removals],
            "figures": _figures_to_json(arrays, "pruning.removals.figures", [part.figures for part in removals]),
        },
        "sequence": {
            **{
                name: arrays.put(f"pruning.sequence.{name}", _whole(getattr(cut, name) for cut in cuts))
                for name in ("node", "n_nodes", "n_leaves")
            },
            "figures": _figures_to_json(arrays, "pruning.sequence.figures", [cut.figures for cut in cuts]),
        },
        "table": _table_to_json(pruned.table, trees),
    }


def read_pruning(data: Any, arrays: ArrayReader, trees: Sequence[Tree]) -> Pruned:
    """Undo :func:`pruning_to_json`."""
    before = None if data["before"] is None else tree_of(trees, data["before"])
    with at("/removals"):
        removals = _read_removals(data["removals"], arrays, before)
    with at("/sequence"):
        sequence = _read_cuts(data["sequence"], arrays)
    with at("/table"):
        table = _read_table(data["table"], arrays, trees)
    return Pruned(tree_of(trees, data["tree"]), data["method"], removals, sequence, table, before)


def _whole(numbers: Iterable[int]) -> Any:
    return np.fromiter(numbers, dtype=np.int64)


def _figures_to_json(arrays: ArrayStore, name: str, figures: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Figures by name, of many parts: the sets of names that occur, which set each part has, and all numbers."""
    sets: dict[tuple[str, ...], int] = {}
    which = _whole(sets.setdefault(tuple(part), len(sets)) for part in figures)
    numbers = np.array([float(number) for part in figures for number in part.values()], dtype=np.float64)
    return {
        "names": [list(names) for names in sets],
        "which": arrays.put(f"{name}.which", which),
        "numbers": arrays.put(f"{name}.numbers", numbers),
    }


def _read_figures(data: Any, arrays: ArrayReader, length: int) -> list[dict[str, float]]:
    with at("/which"):
        which = arrays.read(data["which"], np.int64, length)
        need(not length or 0 <= int(which.min()) <= int(which.max()) < len(data["names"]), "it names no set of figures")
    with at("/numbers"):
        sizes = np.array([len(names) for names in data["names"]], dtype=np.int64)
        numbers = iter(arrays.read(data["numbers"], np.float64, int(sizes[which].sum()) if length else 0).tolist())
    names = [tuple(part) for part in data["names"]]
    return [dict(zip(names[k], islice(numbers, len(names[k])), strict=True)) for k in which.tolist()]


def _read_removals(data: Any, arrays: ArrayReader, before: Tree | None) -> tuple[Removal, ...]:
    with at("/node"):
        nodes = arrays.read(data["node"], np.int64)
        last = np.iinfo(np.int64).max if before is None else before.n_nodes - 1
        need(not len(nodes) or 0 <= int(nodes.min()) <= int(nodes.max()) <= last, "it names no node of the tree before")
    with at("/figures"):
        figures = _read_figures(data["figures"], arrays, len(nodes))
    return tuple(map(Removal, *_same_length(nodes.tolist(), data["action"], data["reason"], figures)))


def _read_cuts(data: Any, arrays: ArrayReader) -> tuple[Cut, ...]:
    columns = []
    for name in ("node", "n_nodes", "n_leaves"):
        with at(f"/{name}"):
            columns.append(arrays.read(data[name], np.int64).tolist())
    with at("/figures"):
        figures = _read_figures(data["figures"], arrays, len(columns[0]))
    return tuple(map(Cut, *_same_length(*columns, figures)))


def _same_length(*columns: list[Any]) -> tuple[list[Any], ...]:
    need(len({len(column) for column in columns}) == 1, "its columns are not equally long")
    return columns


def _table_to_json(table: Any, trees: TreeStore) -> Any:
    if table is None:
        return None
    if isinstance(table, Mapping):
        return {"figures": to_json(table)}
    if isinstance(table, AlphaPath):
        return {"alpha_path": _path_to_json(table, trees, "pruning.alpha_path")}
    if not isinstance(table, CVTable):
        raise ParameterError(f"A pruning whose table is of type {type(table).__name__} cannot be saved.")
    name, put = "pruning.cv_table", trees.arrays.put
    paths = enumerate(table.fold_paths)
    return {
        "cv_table": {
            "path": _path_to_json(table.path, trees, f"{name}.path"),
            **{column: put(f"{name}.{column}", getattr(table, column)) for column in _ERRORS},
            "root_error": float(table.root_error),
            "folds": put(f"{name}.folds", np.asarray(table.folds, dtype=np.int64)),
            "fold_paths": [_path_to_json(path, trees, f"{name}.fold_paths.{number}") for number, path in paths],
        }
    }


def _read_table(data: Any, arrays: ArrayReader, trees: Sequence[Tree]) -> Any:
    if data is None:
        return None
    name, content = next(iter(data.items()))
    with at(f"/{name}"):
        if name == "figures":
            return from_json(content)
        if name == "alpha_path":
            return _read_path(content, arrays, trees)
        with at("/path"):
            path = _read_path(content["path"], arrays, trees)
        columns = {}
        for column in _ERRORS:
            with at(f"/{column}"):
                columns[column] = arrays.read(content[column], np.float64, len(path))
        with at("/folds"):
            folds = arrays.read(content["folds"], np.int64)
        fold_paths = []
        for number, part in enumerate(content["fold_paths"]):
            with at(f"/fold_paths/{number}"):
                fold_paths.append(_read_path(part, arrays, trees))
        need(len(fold_paths) == len(np.unique(folds)), f"it has {len(fold_paths)} paths for other folds than these")
        return CVTable(
            path=path,
            root_error=float(content["root_error"]),
            folds=folds,
            fold_paths=tuple(fold_paths),
            measure="error",  # the model, which has the costs, says what it is
            **columns,
        )


def _path_to_json(path: AlphaPath, trees: TreeStore, name: str) -> dict[str, Any]:
    put = trees.arrays.put
    columns = {column: getattr(path, column) for column in (*_BY_STEP, *_BY_NODE)}
    columns["cut_step"] = np.asarray(path.nested.cut_step, dtype=np.int64)
    columns["links"] = np.asarray(path.links, dtype=np.int32)
    columns["branch_leaves"] = np.asarray(path.branch_leaves, dtype=np.int32)
    return {
        "tree": trees.number(path.before),
        "risk": path.risk,
        **{column: put(f"{name}.{column}", array) for column, array in columns.items()},
    }


def _read_path(data: Any, arrays: ArrayReader, trees: Sequence[Tree]) -> AlphaPath:
    before = tree_of(trees, data["tree"])
    n_nodes = before.n_nodes
    with at("/alphas"):
        alphas = arrays.read(data["alphas"], np.float64)
        rising = len(alphas) > 0 and alphas[0] == 0.0 and bool((np.diff(alphas) >= 0).all())
        need(rising and bool(np.isfinite(alphas).all()), "alphas rise from 0")
    columns = {"alphas": alphas}
    for names, length in ((_BY_STEP[1:], len(alphas)), (_BY_NODE, n_nodes)):
        for name in names:
            with at(f"/{name}"):
                columns[name] = arrays.read(data[name], np.float64, length)
    with at("/branch_leaves"):
        columns["branch_leaves"] = arrays.read(data["branch_leaves"], np.int32, n_nodes)
    with at("/cut_step"):
        cut_step = arrays.read(data["cut_step"], np.int64, n_nodes)
        need(0 <= int(cut_step.min()) <= int(cut_step.max()) <= len(alphas), "a step is a place among the alphas")
    with at("/links"):
        links = arrays.read(data["links"], np.int32)
        inside = not len(links) or 0 <= int(links.min()) <= int(links.max()) < n_nodes
        need(inside and bool((before.kind[links] != LEAF).all()), "links are questions of the tree")
    nested = NestedTrees(before, cut_step, len(alphas))
    return AlphaPath(before=before, risk=data["risk"], nested=nested, links=links, **columns)
