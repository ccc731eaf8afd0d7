r"""Shapley values of trees (TreeSHAP), exact, for every kind of question and every policy for unknown values.

In a coalition S of attributes, the values of these count and those of the others do not. v(S) is what the model
answers then; the Shapley value of an attribute is its mean worth over all orders in which attributes can join:

.. math:: \phi_i = \sum_{S \not\ni i} \frac{|S|!\,(M - |S| - 1)!}{M!} \bigl(v(S \cup \{i\}) - v(S)\bigr)

docs/concepts/shap.md says what v(S) is. The sum over the coalitions is never written out: ``core/shap_paths.h``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from quercus import _core
from quercus.arrays import Floats
from quercus.data.dataset import Dataset, check_dataset
from quercus.errors import DataError, ParameterError
from quercus.explain.shap.explanation import explanation
from quercus.explain.shap.terms import Term, Terms
from quercus.fitted.model import model_of
from quercus.predict.arguments import check_schema, thread_count

if TYPE_CHECKING:
    from quercus.fitted.model import Model

#: The columns that the trees ask, and the number of rows.
CoreTable = tuple[Any, int]


def shap_values(
    model: Any, X: Any, *, background: Any = None, interactions: bool = False, n_jobs: int | None = 1
) -> Any:
    """What each attribute brought to the answers of a table: ``values``, which with ``base_values`` add up to them.

    model: a fitted model that answers by trees, or a tree or forest. X: a table. background: None: a value that does
    not count goes down every branch by its share of the training weight; or a table, whose rows give the values that do
    not count. interactions: the values of pairs of attributes as well; they add up to those of single attributes.
    n_jobs: threads.

    ``values`` has the shape (rows, attributes), of classes (rows, attributes, classes), as the package shap has it; of
    interactions one more axis of attributes. If shap is installed, the result is its ``Explanation``, which its plots
    take; else one with the same attributes.

    >>> from quercus import CARTRegressor
    >>> model = CARTRegressor().fit({"x": [1, 2, 1, 2], "z": [0, 0, 1, 1]}, [0.0, 2.0, 4.0, 10.0])
    >>> found = shap_values(model, {"x": [2], "z": [1]})
    >>> found.values.tolist(), found.base_values.tolist(), model.predict({"x": [2], "z": [1]}).tolist()
    ([[2.5, 3.5]], [4.0], [10.0])
    """
    terms = Terms.of(model_of(model))
    return explained(terms, terms, X, background=background, interactions=interactions, n_jobs=n_jobs)


def explained(
    terms: Terms, trees: Iterable[Term], X: Any, *, background: Any, interactions: bool, n_jobs: int | None
) -> Any:
    """The same, for the trees of terms that were made before."""
    rows = _encoded(terms.model, X)
    others = None if background is None else _background(terms.model, background, interactions)
    values, base = summed(terms, trees, rows, others, interactions, thread_count(n_jobs))
    return explanation(rows, values, base, terms.names)


def summed(
    terms: Terms,
    trees: Iterable[Term],
    rows: Dataset,
    others: Dataset | None = None,
    interactions: bool = False,
    threads: int = 1,
) -> tuple[Floats, Floats]:
    """The values of encoded rows [rows, attributes, outputs], or the interactions; and the base values [outputs]."""
    shape = rows.n_rows, len(terms.model.schema)
    # Each tree adds to all outputs; of several scores, to one.
    width, groups = (1, len(terms.start)) if terms.model.score_sum is not None else (terms.width, 1)
    values = [np.zeros((*shape, width)) for _ in range(groups)]
    pairs = [np.zeros((*shape, shape[1], width)) for _ in values] if interactions else [None] * groups
    base = terms.start.copy()
    table = rows.core_table(terms), rows.n_rows
    beside = None if others is None else (others.core_table(terms), others.n_rows)
    for term in trees:
        start = _add(term, table, beside, values[term.column], pairs[term.column], threads)
        base[term.column : term.column + width] += start
    joined = _outputs(terms, np.concatenate(values, axis=-1))
    if interactions:
        joined = _with_diagonal(_outputs(terms, np.concatenate([one for one in pairs if one is not None], -1)), joined)
    return joined, np.array([1.0 - base[0], base[0]]) if terms.mirrored else base


def _add(
    term: Term, table: CoreTable, beside: CoreTable | None, values: Floats, pairs: Floats | None, threads: int
) -> Floats:
    """Add what one tree brings; returns what it answers if no value counts. beside: the background."""
    tree, weight, by_leaves, said, factor = term.tree, term.weight, term.by_leaves, term.values, term.factor
    if beside is None:
        return _core.explain_rows(tree, *table, weight, by_leaves, said, factor, values, pairs, threads)
    _core.explain_against(tree, *table, *beside, weight, by_leaves, said, factor, values, threads)
    return np.asarray(factor * tree.predict_values(*beside, said, threads).mean(axis=0))


def _encoded(model: Model, X: Any) -> Dataset:
    rows = model.encode_rows(X)
    check_dataset(rows)
    check_schema(model.schema, rows.schema)
    return rows


def _background(model: Model, background: Any, interactions: bool) -> Dataset:
    if interactions:
        raise ParameterError(
            "interactions=True needs the shares of the training; it cannot be combined with background. "
            "Leave one of them out."
        )
    others = _encoded(model, background)
    if others.n_rows == 0:
        raise DataError("background has no rows, but needs at least one. Give some rows, such as 100 of the training.")
    return others


def _outputs(terms: Terms, values: Floats) -> Floats:
    """With the first of two outputs, whose values are those of the second with the other sign."""
    return np.concatenate([-values, values], axis=-1) if terms.mirrored else values


def _with_diagonal(pairs: Floats, values: Floats) -> Floats:
    """Interactions [rows, attributes, attributes, outputs]; what an attribute does alone stands on the diagonal."""
    each = np.arange(pairs.shape[1])
    pairs[:, each, each] = values - pairs.sum(axis=2)
    return pairs
