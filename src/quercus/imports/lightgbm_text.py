"""The text of LightGBM's ``save_model``: read into the form of ``dump_model``, with the trees as lists."""

from __future__ import annotations

import json
from typing import Any

from quercus.errors import DataError
from quercus.imports.files import reading
from quercus.imports.lightgbm_trees import LightGBMTree, linear_trees

_CATEGORICAL, _DEFAULT_LEFT = 1, 2
_MISSING_TYPES = ("None", "Zero", "NaN")


def text_model(text: str) -> dict[str, Any]:
    """The model of a text in the form of ``dump_model``; ``tree_info`` holds the trees."""
    head, *sections = text.replace("\r\n", "\n").split("\nTree=")
    if not head.startswith("tree\n"):
        raise DataError("This is not LightGBM's model: it begins neither with 'tree' nor as JSON.")
    with reading("LightGBM's model"):
        fields = _fields(head)
        names = fields["feature_names"].split()
        infos = dict(zip(names, fields["feature_infos"].split(), strict=True))
        model: dict[str, Any] = {
            "version": fields["version"],
            "num_class": int(fields["num_class"]),
            "num_tree_per_iteration": int(fields["num_tree_per_iteration"]),
            "objective": fields.get("objective", ""),
            "average_output": "average_output" in head.split("\n"),
            "feature_names": names,
            "feature_infos": {name: {"values": _codes(info)} for name, info in infos.items()},
            "tree_info": [],
        }
    if not sections or "\nend of trees" not in sections[-1]:
        raise DataError("LightGBM's model is cut off: the end of its trees is missing.")
    for number, section in enumerate(sections):
        with reading(f"Tree {number}"):
            model["tree_info"].append(_tree(_fields(section.split("\nend of trees")[0])))
    ending = sections[-1].rsplit("\npandas_categorical:", 1)
    with reading("pandas_categorical"):
        model["pandas_categorical"] = json.loads(ending[1].split("\n")[0]) if len(ending) == 2 else None
    return model


def _fields(lines: str) -> dict[str, str]:
    """The values of the lines ``name=value``, by name."""
    return dict(line.split("=", 1) for line in lines.split("\n") if "=" in line)


def _codes(info: str) -> list[int]:
    """The codes of a nominal column, ``1:0:2``; empty for ``[low:high]`` and ``none``."""
    return [] if info.startswith("[") or info == "none" else [int(code) for code in info.split(":")]


def _tree(fields: dict[str, str]) -> LightGBMTree:
    """One tree: its questions are numbered first, then its leaves; a child below 0 is the leaf ~child."""
    if int(fields.get("is_linear", 0)):
        raise linear_trees()
    n_leaves = int(fields["num_leaves"])
    n_inner = n_leaves - 1
    result = LightGBMTree()
    if n_inner:
        _add_questions(result, fields, n_inner)
    counts = [int(count) for count in _listed(fields, "leaf_count", n_leaves)] if "leaf_count" in fields else []
    for place, answer in enumerate(_listed(fields, "leaf_value", n_leaves)):
        result.add(answer=float(answer), count=counts[place] if counts else 0)
    for side in ("left", "right") if n_inner else ():
        children = [int(child) for child in _listed(fields, f"{side}_child", n_inner)]
        getattr(result, side)[:n_inner] = [child if child >= 0 else n_inner + ~child for child in children]
    return result


def _add_questions(result: LightGBMTree, fields: dict[str, str], n_inner: int) -> None:
    bounds = [int(bound) for bound in fields.get("cat_boundaries", "").split()]
    words = [int(word) for word in fields.get("cat_threshold", "").split()]
    columns = ("split_feature", "threshold", "decision_type", "split_gain", "internal_count")
    for attribute, cut, kind, gain, count in zip(*(_listed(fields, name, n_inner) for name in columns), strict=True):
        flags = int(kind)
        question: dict[str, Any] = {
            "attribute": int(attribute),
            "default_left": bool(flags & _DEFAULT_LEFT),
            "missing_type": _MISSING_TYPES[(flags >> 2) & 3],
            "gain": float(gain),
            "count": int(count),
        }
        if flags & _CATEGORICAL:
            place = int(cut)
            bits = words[bounds[place] : bounds[place + 1]]
            codes = [32 * word + bit for word, one in enumerate(bits) for bit in range(32) if one >> bit & 1]
            result.add(codes=codes, **question)
        else:
            result.add(cut=float(cut), **question)


def _listed(fields: dict[str, str], name: str, size: int) -> list[str]:
    items = fields[name].split()
    if len(items) != size:
        raise DataError(f"{name} has {len(items)} numbers, but {size} are needed.")
    return items
