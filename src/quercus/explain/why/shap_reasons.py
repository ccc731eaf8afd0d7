"""Reasons of models of many trees: the Shapley values of a row, the strongest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from quercus.data.dataset import Dataset
from quercus.data.names import quoted_name
from quercus.errors import ParameterError
from quercus.explain.cells import cell_text, cells_of
from quercus.explain.shap.terms import Terms
from quercus.explain.shap.values import summed
from quercus.explain.why.reasons import Reason, Reasons, Scale, checked_wishes
from quercus.fitted.model import Model
from quercus.rules.explanation import one_row


def shap_reasons(
    model: Model,
    dataset: Dataset | Mapping[str, Any],
    row: int = 0,
    n: int | None = 4,
    *,
    label: Any = None,
    scale: Scale | None = None,
    only: Literal["all", "for", "against"] = "all",
) -> Reasons:
    """The attributes that brought a row's answer about, by their Shapley values; as ``reason_codes`` tells of a tree.

    model: of many trees. dataset, row, n, label, only: as in :func:`reason_codes`. scale: "share", "value" of numbers,
    or "score" of trees that add up scores, which is what the values add up to; no other is possible.

    >>> from quercus import RandomForestClassifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X, y)
    >>> print(shap_reasons(forest.model_, forest.encode_rows(X), row=2, n=1)[0].attribute)
    Outlook
    """
    checked_wishes(only, n)
    one = one_row(model.schema, dataset, row)
    terms, kind = Terms.of(model), model.target_kind
    own: Scale = "score" if model.score_sum is not None else "share" if kind.has_shares else "value"
    if scale not in (None, own):
        raise ParameterError(f"scale is {scale!r}, but the values of this {model.name} add up on the scale {own!r}.")
    values, base = summed(terms, terms, one)
    answer = model.named(model.answer(one)[1])[0]
    answer = answer.item() if isinstance(answer, np.generic) else answer
    place = kind.position(answer if label is None else label) if values.shape[-1] > 1 else 0
    named = kind.label(place) if kind.has_shares else None
    cells = cells_of(one)
    moves = values[0, :, place]
    asked = [
        a for a in np.argsort(-np.abs(moves), kind="stable").tolist() if a in set(model.asked or range(len(moves)))
    ]
    reasons = []
    for rank, attribute in enumerate(asked, 1):
        name, value = model.schema[attribute].name, cell_text(model.schema[attribute], cells[attribute])
        said = (f"{quoted_name(name)} {'is ' if value == 'unknown' else '= '}{value}",)
        reasons.append(Reason(rank, name, value, said, float(moves[attribute]), own, named))
    chosen = [r for r in reasons if only == "all" or (r.contribution != 0 and r.supports == (only == "for"))]
    result = float(base[place] + moves.sum())
    why = "" if not kind.has_shares else model.decision.why_unlikely(model.shares(one)[0], kind.position(answer), kind)
    return Reasons(tuple(chosen[:n]), tuple(reasons), float(base[place]), result, own, answer, named, why)
