r"""Shapley values of trees (TreeSHAP), exact, for every kind of question and every policy for unknown values.

In a coalition S of attributes, the values of these count and those of the others do not. v(S) is what the model
answers then; the Shapley value of an attribute is its mean worth over all orders in which attributes can join:

.. math:: \phi_i = \sum_{S \not\ni i} \frac{|S|!\,(M - |S| - 1)!}{M!} \bigl(v(S \cup \{i\}) - v(S)\bigr)

docs/concepts/shap.md says what v(S) is. The sum over the coalitions is never written out: ``core/shap_paths.h``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from quercus import _core
from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.errors import DataError, ParameterError
from quercus.explain.shap.explanation import Explanation, explanation
from quercus.explain.shap.terms import Term, Terms
from quercus.fitted.model import model_of
from quercus.predict.arguments import asked_rows, thread_count

if TYPE_CHECKING:
    from quercus.fitted.model import Model


def shap_values(
    model: Any, X: Any, *, background: Any = None, interactions: bool = False, n_jobs: int | None = 1
) -> Explanation:
    """What each attribute brought to the answers of a table: ``values``, which with ``base_values`` add up to them.

    model: a fitted model that answers by trees, or a tree or forest. X: a table. background: None: a value that does
    not count goes down every branch by its share of the training weight; or a table, whose rows give the values that do
    not count. interactions: the values of pairs of attributes as well; they add up to those of single attributes.
    n_jobs: threads.

    ``values`` has the shape (rows, attributes), of classes (rows, attributes, classes), as the package shap has it; of
    interactions one more axis of attributes. If shap is installed, the result is its ``Explanation``, which its plots
    take; else one with the same attributes.

    >>> from quercus import CARTRegressor
    >>> model = CARTRegressor().fit({"x": [1, 2, 3, 4], "y": [0, 1, 0, 1]}, [0.0, 2.0, 4.0, 10.0])
    >>> found = shap_values(model, {"x": [4], "y": [1]})
    >>> found.values.tolist(), found.base_values.tolist(), model.predict({"x": [4], "y": [1]}).tolist()
    ([[4.25, 1.75]], [4.0], [10.0])
    """
    model = model_of(model)
    rows = model.encode_rows(X)
    others = None if background is None else _background(model, background, interactions)
    terms, threads = Terms.of(model), thread_count(n_jobs)
    n_rows, n_attributes = rows.n_rows, len(model.schema)
    values = [np.zeros((n_rows, n_attributes, term.shape[0])) for term in _columns(terms)]
    pairs = [np.zeros((n_rows, n_attributes, n_attributes, one.shape[2])) if interactions else None for one in values]
    base = terms.start.copy()
    for term in terms:
        place = term.column if len(values) > 1 else 0
        start = _add(term, rows, others, values[place], pairs[place], threads)
        if start is not None:
            base[term.column : term.column + len(start)] += start
    joined = _outputs(terms, np.concatenate(values, axis=-1))
    if others is not None:
        base = _mean_answer(model, others, threads)
    elif terms.mirrored:
        base = np.array([1.0 - base[0], base[0]])
    if interactions:
        joined = _with_diagonal(_outputs(terms, np.concatenate([one for one in pairs if one is not None], -1)), joined)
    return explanation(rows, joined, base, terms.names)


def _columns(terms: Terms) -> list[Floats]:
    """The outputs that are summed together: all, unless each tree adds to one of several scores."""
    if terms.model.score_sum is not None:
        return [np.zeros(1) for _ in terms.start]
    return [np.zeros(terms.width)]


def _add(
    term: Term, rows: Dataset, others: Dataset | None, values: Floats, pairs: Floats | None, threads: int
) -> Floats | None:
    """Add what one tree brings; without a background, returns what it answers if no value counts."""
    compact, table, n_rows = asked_rows(term.tree, rows)
    if others is None:
        start: Floats = _core.explain_rows(
            compact, table, n_rows, term.tree.weight, term.values, term.factor, values, pairs, threads
        )
        return start
    _, beside, n_others = asked_rows(term.tree, others)
    _core.explain_against(
        compact, table, n_rows, beside, n_others, term.tree.weight, term.values, term.factor, values, threads
    )
    return None


def _background(model: Model, background: Any, interactions: bool) -> Dataset:
    if interactions:
        raise ParameterError(
            "interactions=True needs the shares of the training; it cannot be combined with background. "
            "Leave one of them out."
        )
    others = model.encode_rows(background)
    if others.n_rows == 0:
        raise DataError("background has no rows, but needs at least one. Give some rows, such as 100 of the training.")
    return others


def _mean_answer(model: Model, others: Dataset, threads: int) -> Floats:
    """The mean answer of the background: what is answered if no value counts."""
    if model.score_sum is not None:
        return np.asarray(model.score_sum.scores(others, threads).mean(axis=0))
    if model.vote == "majority":
        terms = Terms.of(model)
        base = terms.start.copy()
        for term in terms:
            compact, table, n_rows = asked_rows(term.tree, others)
            said = compact.predict_values(table, n_rows, term.values, threads)
            base[: said.shape[1]] += term.factor * said.mean(axis=0)
        return np.array([1.0 - base[0], base[0]]) if terms.mirrored else base
    return np.asarray(model.shares(others, threads).mean(axis=0))


def _outputs(terms: Terms, values: Floats) -> Floats:
    """With the first of two outputs, whose values are those of the second with the other sign."""
    return np.concatenate([-values, values], axis=-1) if terms.mirrored else values


def _with_diagonal(pairs: Floats, values: Floats) -> Floats:
    """Interactions [rows, attributes, attributes, outputs]; what an attribute does alone stands on the diagonal."""
    each = np.arange(pairs.shape[1])
    pairs[:, each, each] = values - pairs.sum(axis=2)
    return pairs
