"""Models on the command line: opening a model file, describing a model in words and as data."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import Any

from quercus.cli.forests import collection_text, describe_collection, is_collection, one_tree_needed
from quercus.errors import FileError, ParameterError


def open_model(path: str) -> Any:
    """Read a model file, or standard input for ``-``: ``.model``, ``.provenance``, ``.evidence``."""
    from quercus.cli.streams import input_path

    path = input_path(path)
    if not os.path.exists(path):
        raise ParameterError(f"There is no model file {path!r}. Make one with: quercus fit DATA -o {shlex.quote(path)}")
    if os.path.isdir(path):
        raise FileError(f"{path}: this is a folder. Give the model file in it.")
    from quercus.fitted.model import model_of
    from quercus.models import read_model

    file = read_model(path)
    return file if hasattr(file.model, "model_") else replace(file, model=model_of(file.model))


def tree_of(model: Any, unpruned: bool = False) -> Any:
    """The model's tree; rule learners without one are refused, and collections of many."""
    refuse_collection(model)
    fitted = model.model_
    if fitted.tree is None:
        raise ParameterError(
            f"This is a {fitted.name}, which has rules and no tree: see quercus rules, or fit with "
            "--algorithm id3, c45 or cart."
        )
    return fitted.tree if fitted.grown is None or not unpruned else fitted.grown


def refuse_collection(model: Any) -> None:
    """Refuse a model of many trees or rule lists where one is needed."""
    if is_collection(model):
        one_tree_needed(model)


def answers_by_tree(model: Any) -> bool:
    """Whether the model answers with its tree (C4.5's rules have one only to make the rules from)."""
    return bool(model.model_.answers_by == "tree")


def costs_of(model: Any) -> Any:
    """The misclassification costs in the order of the classes; None without."""
    return model.model_.decision.costs


def describe(model: Any) -> dict[str, Any]:
    """What a model is, as data."""
    from quercus.data.values import value_to_json

    fitted = model.model_
    schema, tree, rules, labels = fitted.schema, fitted.tree, fitted.rule_list, fitted.classes
    facts: dict[str, Any] = {
        "estimator": fitted.name,
        "target": schema.target,
        "attributes": list(schema.names),
        "classes": None if labels is None else [value_to_json(label) for label in labels.tolist()],
    }
    if is_collection(model):
        facts |= describe_collection(model)
    if rules is not None:
        facts |= {"rules": len(rules), "conditions": rules.n_conditions}
    if tree is not None:
        facts |= {"nodes": tree.n_nodes, "leaves": tree.n_leaves, "depth": tree.depth}
        grown = tree if fitted.grown is None else fitted.grown
        facts |= {"unpruned_nodes": grown.n_nodes, "unpruned_leaves": grown.n_leaves}
    return facts


def model_text(model: Any, unpruned: bool = False) -> str:
    """What a model is, in a line."""
    from quercus.data.names import counted

    if is_collection(model):
        return collection_text(model)
    fitted = model.model_
    title, rules = fitted.algorithm.title, fitted.rule_list
    if rules is not None and not unpruned:
        sizes = [counted(len(rules), "rule"), counted(rules.n_conditions, "condition")]
        return f"{title}: {', '.join(sizes)}"
    tree = tree_of(model, unpruned)
    sizes = [counted(tree.n_nodes, "node"), counted(tree.n_leaves, "leaf", "leaves"), f"depth {tree.depth}"]
    text = f"{title}: {', '.join(sizes)}"
    pruned = fitted.pruning
    if pruned is not None and not unpruned:
        grown = fitted.grown
        same = grown.n_nodes == tree.n_nodes
        text += f"; pruning ({pruned.method}) " + (
            "cut nothing" if same else f"cut it down from {counted(grown.n_nodes, 'node')}"
        )
    return text
