"""Export to treelite: a model of trees for serving on CPU and GPU (treelite's GTIL and tl2cgen, RAPIDS FIL, Triton).

Thresholds and leaf values are doubles. A row is a row of doubles, one for each attribute of the model in its order:
numbers, dates as microseconds since 1970, booleans as 0 and 1, other values as their codes; NaN is unknown. The codes
are listed in the model's ``attributes``, and :func:`treelite_rows` encodes tables so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus.arrays import Floats
from quercus.data.values import value_to_json
from quercus.errors import DependencyError, ExportError
from quercus.export.program import ELSEWHERE, Program, TreeTable, program_of
from quercus.export.two_branches import Pair, chain

__all__ = ["to_treelite", "treelite_model", "treelite_rows"]


def to_treelite(model: Any) -> bytes:
    """A model as the bytes of a treelite model, which ``treelite.Model.deserialize_bytes`` reads.

    model: as of :func:`treelite_model`.
    """
    content: bytes = treelite_model(model).serialize_bytes()
    return content


def treelite_model(model: Any) -> Any:
    """A model as a ``treelite.Model``, which answers the shares of the classes, or numbers.

    model: a fitted estimator, a model, a tree or a forest. Questions with many branches become chains of questions with
    two. Rules, unknown values that follow several branches, surrogates, members of different weights, and answers by
    costs or a threshold are refused.

    >>> import treelite  # doctest: +SKIP
    >>> treelite.gtil.predict(treelite_model(tree), treelite_rows(tree, X))  # doctest: +SKIP
    """
    program = program_of(model)
    tables = _checked(program)
    builder = _builder(program)
    for table in tables:
        _add(builder, program, table)
    return builder.commit()


def treelite_rows(model: Any, X: Any) -> Floats:
    """A table as the rows that an exported model of treelite takes [rows, attributes].

    model: the one that was exported. X: a table, as ``predict`` takes it.

    >>> from quercus import CARTClassifier
    >>> X = {"size": [1.5, None, 4.0], "colour": ["red", "blue", "green"]}
    >>> model = CARTClassifier().fit(X, ["a", "b", "b"])
    >>> treelite_rows(model, {"size": [2.0, 3.0], "colour": ["green", "never seen"]})
    array([[ 2.,  1.],
           [ 3., nan]])
    """
    program = program_of(model)
    columns = program.model.encode_rows(X).columns
    cells = [
        np.asarray(column, dtype=np.float64) if attribute.is_numeric else np.where(column < 0, np.nan, column)
        for attribute, column in zip(program.schema, columns, strict=True)
    ]
    return np.column_stack(cells).astype(np.float64)


def _checked(program: Program) -> list[TreeTable]:
    """The trees; a tree that treelite cannot express is refused."""
    tables = [member for member in program.members if isinstance(member, TreeTable)]
    if len(tables) < len(program.members):
        raise ExportError(f"treelite has no rule lists; {ELSEWHERE}")
    if any(weight != 1.0 for weight in program.weights):
        raise ExportError(
            f"The members count by different weights, which treelite's averages cannot express; {ELSEWHERE}"
        )
    if program.costs is not None or program.threshold is not None:
        raise ExportError(
            "The model answers by costs of mistakes or a decision threshold; treelite answers shares of classes only. "
            f"Fit without them, or {ELSEWHERE}"
        )
    for number, table in enumerate(tables):
        spread = (table.tree.n_children > 0) & (table.tree.missing_child < 0)
        asked = np.diff(table.tree.surrogate_start) > 0
        if (spread | asked).any():
            node = int(np.flatnonzero(spread | asked)[0])
            what = "has surrogates" if asked[node] else "spreads unknown values over all its branches"
            raise ExportError(
                f"Node {node} of tree {number} {what}, which treelite's trees cannot. Fit with another policy for "
                f'unknown values, such as missing="most_common", or {ELSEWHERE}'
            )
    return tables


def _builder(program: Program) -> Any:
    """The builder to which trees are added."""
    try:
        from treelite.model_builder import Metadata, ModelBuilder, PostProcessorFunc, TreeAnnotation
    except ImportError as error:
        message = "Exports to treelite need the package treelite: pip install 'quercus[treelite]'."
        raise DependencyError(message) from error
    size, width = len(program.members), program.width
    return ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=Metadata(
            num_feature=len(program.schema),
            task_type="kMultiClf" if width > 1 else "kRegressor",
            average_tree_output=program.together,
            num_target=1,
            num_class=[width],
            leaf_vector_shape=(1, width),
        ),
        tree_annotation=TreeAnnotation(num_tree=size, target_id=[0] * size, class_id=[-1 if width > 1 else 0] * size),
        postprocessor=PostProcessorFunc("identity_multiclass" if width > 1 else "identity"),
        base_scores=[0.0] * width,
        attributes=_attributes(program),
    )


def _attributes(program: Program) -> dict[str, Any]:
    """The model's attributes: its checksum, its columns with the values of the codes, its classes."""
    columns = [
        {
            "name": one.name,
            "kind": one.kind,
            "values": [value_to_json(value) for value in one.values],
            "missing": [value_to_json(token) for token in one.missing_tokens],
        }
        for one in program.schema
    ]
    description = {"title": program.title, "checksum": program.checksum, "columns": columns}
    return {"quercus": description | {"classes": program.listed_classes(value_to_json)}}


def _add(builder: Any, program: Program, table: TreeTable) -> None:
    """Add a tree. Nodes keep their numbers as keys; the questions that a chain adds get further keys."""
    answers = table.tree.target_kind.votes(table.answers) if program.majority else table.answers
    leaves = answers.tolist() if program.width > 1 else answers[:, 0].tolist()
    further, stack = table.size, [0]
    builder.start_tree()
    while stack:
        node = stack.pop()
        pairs, last = chain(table, node)
        if not pairs:
            builder.start_node(node)
            builder.leaf(leaves[last])
            builder.end_node()
            continue
        keys = [node, *range(further, further + len(pairs) - 1)]
        further += len(pairs) - 1
        for pair, key, rest in zip(pairs, keys, [*keys[1:], last], strict=True):
            builder.start_node(key)
            _test(builder, pair, rest)
            builder.end_node()
        stack += [last, *(pair.child for pair in reversed(pairs))]
    builder.end_tree()


def _test(builder: Any, pair: Pair, rest: int) -> None:
    """Make the node a question; rest: the key of the node for the answer no."""
    branches = {"left_child_key": pair.child, "right_child_key": rest, "default_left": pair.unknown}
    if pair.cut is not None:
        builder.numerical_test(pair.attribute, pair.cut, opname="<=", **branches)
    else:
        listed = {"category_list": pair.codes, "category_list_right_child": False}
        builder.categorical_test(pair.attribute, **listed, **branches)
