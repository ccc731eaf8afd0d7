"""The subject of a report: what any fitted model of the library is made of, under the same names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quercus.data.schema import Schema
from quercus.errors import ParameterError
from quercus.forests.committee import Committee
from quercus.rules.rule_list import RuleList
from quercus.tree.distribution import added_weights
from quercus.tree.forest import Forest
from quercus.tree.layout import GROUPED, THRESHOLD
from quercus.tree.tree import Tree

Floats = NDArray[np.float64]

#: A grown tree of more nodes than this is not put into the report beside the pruned one.
LARGEST_GROWN = 20_000


@dataclass(frozen=True)
class Subject:
    """A model, taken apart.

    name: the kind of model. answers_by: who answers, the tree, the rules, or many members together. tree: the model's
    tree, or the one its rules were made from; None: rules alone. rules: the rule list of a rule model; None: those of
    the tree. grown: the tree before pruning, if the model's tree is a part of it (else the model's tree). number: for
    each node of ``grown`` its number in ``tree``, −1 where pruning took it away; None: they are the same. added: what
    smoothing adds to each class weight. costs: of misclassification. threshold: the share from which on the second
    class is answered. pruned, alpha_table: what pruning left. unpruned: the tree before it, whatever was done. options:
    the parameters that are not at their defaults. importances: of the attributes, by name. figures: a few words and
    numbers of a collection. curve: the error of a collection after so many members.
    """

    name: str
    answers_by: Literal["tree", "rules", "members"]
    schema: Schema
    classes: tuple[Any, ...] | None
    tree: Tree | None
    rules: RuleList | None
    grown: Tree | None = None
    number: NDArray[np.int64] | None = None
    added: Floats | None = None
    costs: Floats | None = None
    threshold: float | None = None
    pruned: Any = None
    alpha_table: Any = None
    criterion: str = ""
    unpruned: Tree | None = None
    options: dict[str, Any] = field(default_factory=dict)
    importances: dict[str, float] = field(default_factory=dict)
    figures: tuple[tuple[str, str], ...] = ()
    curve: Any = None


def subject_of(model: Any) -> Subject:
    """Take a fitted estimator, a :class:`Tree` or a :class:`RuleList` apart.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> subject = subject_of(ID3Classifier().fit(*load_play_tennis()))
    >>> subject.name, subject.answers_by, subject.tree.n_nodes, subject.classes
    ('ID3Classifier', 'tree', 8, ('No', 'Yes'))
    """
    if isinstance(model, Tree):
        return _of_tree("Tree", model)
    if isinstance(model, RuleList):
        return Subject("RuleList", "rules", model.schema, model.classes, model.tree, model, model.tree)
    if hasattr(model, "rules_") and isinstance(model.rules_, RuleList):
        rules: RuleList = model.rules_
        tree = rules.tree if rules.tree is not None else getattr(model, "tree_", None)
        schema = _schema(model, rules.schema)
        return Subject(
            type(model).__name__, "rules", schema, rules.classes, tree, rules, tree, options=options_of(model),
            costs=_costs(model, rules.classes) if not hasattr(model, "recipe_") else None,
            criterion=tree.criterion if tree is not None else "",
        )  # fmt: skip
    if isinstance(getattr(model, "tree_", None), Tree):
        return _of_estimator(model)
    if isinstance(getattr(model, "forest_", None), Forest | Committee):
        return _of_collection(model)
    if hasattr(model, "fit"):
        raise ParameterError(
            f"{type(model).__name__} is not fitted, or is no model of Quercus. Give a fitted tree, rule or forest "
            "model, a Tree or a RuleList."
        )
    raise ParameterError(f"A report is made of a fitted model, a Tree or a RuleList, not of {type(model).__name__}.")


def _of_tree(name: str, tree: Tree, **more: Any) -> Subject:
    grown = more.pop("grown", tree)
    number = more.pop("number", None)
    return Subject(
        name, "tree", more.pop("schema", tree.schema), tree.classes, tree, None, grown, number,
        criterion=tree.criterion, **more,
    )  # fmt: skip


def _of_estimator(model: Any) -> Subject:
    tree: Tree = model.tree_
    grown = getattr(model, "unpruned_tree_", None)
    grown = tree if grown is None or grown.n_nodes > max(LARGEST_GROWN, tree.n_nodes) else grown
    number = None
    if grown is not tree:
        number = numbers_in(grown, tree)
        grown = tree if number is None else grown
    return _of_tree(
        type(model).__name__,
        tree,
        schema=_schema(model, tree.schema),
        grown=grown,
        number=number,
        added=_added(tree, getattr(model, "smoothing", None)),
        costs=_costs(model, tree.classes),
        threshold=getattr(model, "decision_threshold", None),
        pruned=getattr(model, "pruning_", None),
        unpruned=getattr(model, "unpruned_tree_", None),
        alpha_table=getattr(model, "alpha_table_", None),
        options=options_of(model),
        importances=dict(zip(tree.schema.names, np.asarray(model.feature_importances_).tolist(), strict=True)),
    )


def _of_collection(model: Any) -> Subject:
    """Many members, none of which is shown by itself."""
    forest, schema = model.forest_, model.schema_
    if isinstance(forest, Committee):
        figures = [("rule lists", f"{len(forest):,}"), ("rules", f"{sum(map(len, forest)):,}")]
    else:
        figures = [("trees", f"{len(forest):,}"), ("nodes", f"{int(forest.n_nodes.sum()):,}")]
    shares = getattr(model, "feature_importances_", None)
    return Subject(
        type(model).__name__,
        "members",
        schema,
        forest.classes,
        None,
        None,
        criterion="" if isinstance(forest, Committee) else forest.criterion,
        options=options_of(model),
        importances={} if shares is None else dict(zip(schema.names, shares.tolist(), strict=True)),
        figures=tuple(figures),
        curve=getattr(model, "oob_curve_", getattr(model, "boosting_curve_", None)),
    )


def _schema(model: Any, schema: Schema) -> Schema:
    known = getattr(model, "schema_", schema)
    return known if isinstance(known, Schema) else schema


def _costs(model: Any, classes: tuple[Any, ...] | None) -> Floats | None:
    if classes is None or getattr(model, "cost_matrix", None) is None:
        return None
    from quercus.data.weights import read_cost_matrix

    return read_cost_matrix(model.cost_matrix, list(classes))


def _added(tree: Tree, smoothing: Any) -> Floats | None:
    """What smoothing adds to the class weights of a node; None: nothing."""
    if tree.classes is None or smoothing is None:
        return None
    if isinstance(smoothing, str):
        return added_weights(tree, True, None, None)
    return added_weights(tree, False, float(smoothing[1]), None)


def options_of(model: Any) -> dict[str, Any]:
    """The parameters of an estimator that are not at their defaults."""
    if not hasattr(model, "get_params"):
        return {}
    given, plain = model.get_params(deep=False), type(model)().get_params(deep=False)
    return {name: value for name, value in given.items() if name != "progress" and not _same(value, plain.get(name))}


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(one is other or one == other)
    except ValueError:  # arrays
        return False


def numbers_in(grown: Tree, tree: Tree) -> NDArray[np.int64] | None:
    """For each node of the grown tree its number in a tree pruned from it, −1 where it went.

    None if the tree is no part of the grown one: a branch was raised, or it was grown from other rows.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> whole = grow(encode({"x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "No"]), cart_recipe())
    >>> numbers_in(whole, whole.collapse(np.arange(5) == 2)).tolist()
    [0, 1, 2, -1, -1]
    """
    number, theirs = _matched(grown, tree)
    if len(theirs) < tree.n_nodes:
        return None
    ours = np.flatnonzero(number >= 0)
    same = np.allclose(grown.weight[ours], tree.weight[number[ours]], rtol=1e-9, atol=1e-9)
    return number if same else None


def traced_numbers(subject: Subject, grown: Tree) -> NDArray[np.int64]:
    """For each node of the page's tree its number in the tree as it was grown, which traces speak of; −1: it has none.

    Where pruning raised a branch, the nodes below it have none.
    """
    assert subject.grown is not None
    if subject.grown.n_nodes == grown.n_nodes:
        return np.arange(grown.n_nodes)
    number = _matched(grown, subject.grown)[0]
    result = np.full(subject.grown.n_nodes, -1, dtype=np.int64)
    ours = np.flatnonzero(number >= 0)
    result[number[ours]] = ours
    return result


def _matched(grown: Tree, tree: Tree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each node of the grown tree the node of the other that is reached by the same answers to the same questions.

    Both are walked down level by level, as long as they ask the same; second: the nodes of the other that were met.
    """
    number = np.full(grown.n_nodes, -1, dtype=np.int64)
    ours, theirs = np.array([0]), np.array([0])
    met = []
    while len(ours):
        number[ours] = theirs
        met.append(theirs)
        asks = (tree.n_children[theirs] > 0) & _same_questions(grown, ours, tree, theirs)
        ours, theirs = ours[asks], theirs[asks]
        size = tree.n_children[theirs].astype(np.int64)
        step = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        ours = np.repeat(grown.first_child[ours].astype(np.int64), size) + step
        theirs = np.repeat(tree.first_child[theirs].astype(np.int64), size) + step
    return number, np.concatenate(met)


def _same_questions(one: Tree, ours: NDArray[np.int64], other: Tree, theirs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which pairs of nodes ask the same."""
    same = np.ones(len(ours), dtype=bool)
    for name in ("kind", "attribute", "n_children", "missing_child"):
        same &= getattr(one, name)[ours] == getattr(other, name)[theirs]
    a, b = one.threshold[ours], other.threshold[theirs]
    same &= (a == b) | (one.kind[ours] != THRESHOLD)
    for place in np.flatnonzero(same & (one.kind[ours] >= GROUPED)).tolist():
        same[place] = np.array_equal(_groups(one, int(ours[place])), _groups(other, int(theirs[place])))
    return same


def _groups(tree: Tree, node: int) -> NDArray[np.int32]:
    return tree.group_child[tree.group_start[node] : tree.group_start[node + 1]]
