"""Whether the answers of an estimator keep the order that ``monotonic_cst`` asks of its trees."""

from __future__ import annotations

from typing import Any

from quercus.errors import ParameterError


def check_order_kept(estimator: Any, one: Any, n_classes: int) -> None:
    """Refuse ways to answer by which a share may fall that must rise, though it rises in every tree.

    one: the estimator of one tree. n_classes: 0 for numbers, whose answers always keep the order.
    """
    values, mine = vars(one), vars(estimator)
    if values.get("monotonic_cst") is None or not n_classes:
        return
    if values.get("smoothing") is not None:
        raise ParameterError(
            f"monotonic_cst cannot be kept with smoothing={values['smoothing']!r}: the shares of small leaves move "
            "more than those of large ones. Give smoothing=None."
        )
    if mine.get("method") == "trials":
        raise ParameterError(
            "monotonic_cst cannot be kept with method='trials', whose trees answer by smoothed shares. Give "
            "method='samme', or a forest."
        )
    if n_classes > 2 and (mine.get("vote") == "majority" or mine.get("method") == "samme"):
        raise ParameterError(
            f"monotonic_cst cannot be kept by votes for one of {n_classes} classes: a class whose share rises may lose "
            "the vote of a tree. Give two classes, or a forest with vote='probability'."
        )
