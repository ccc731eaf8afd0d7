"""Labelling: from class probabilities to one class, by the most probable, the least expected cost or a threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from quercus.errors import ParameterError, shown_list
from quercus.estimators.weights import Floats
from quercus.tree.tree import Tree


def smoothed_distributions(tree: Tree, smoothing: Any) -> Floats:
    """The class distribution of every node: shares, or (n_c + 1)/(n + k) by Laplace, or (n_c + m p_c)/(n + m).

    The m-estimate pulls a leaf to the shares p_c of the whole training table, with the weight of m examples.
    """
    if smoothing is None:
        return tree.distributions()
    if isinstance(smoothing, str):
        return tree.distributions(laplace=True)
    return tree.distributions(m_estimate=float(smoothing[1]), prior=tree.value[0] / tree.value[0].sum())


def check_decision_threshold(decision_threshold: float | None, classes: Any) -> None:
    """Refuse a decision threshold unless there are two classes to decide between."""
    if decision_threshold is not None and len(classes) != 2:
        raise ParameterError(
            f"decision_threshold={decision_threshold!r} decides between two classes, but y has {len(classes)}: "
            f"{shown_list(list(classes))}. Give None."
        )


def choose_classes(
    probabilities: Floats, *, costs: Floats | None = None, decision_threshold: float | None = None
) -> npt.NDArray[np.intp]:
    """The code of the class to answer, row by row; ties go to the first class.

    Without costs and threshold: the most probable. With costs: argmin_j Σ_i p_i L(i, j). With a threshold: the second
    of the two classes if its probability reaches the threshold.

    >>> p = np.array([[0.375, 0.625]])
    >>> choose_classes(p), choose_classes(p, decision_threshold=0.6), choose_classes(p, decision_threshold=0.7)
    (array([1]), array([1]), array([0]))
    >>> choose_classes(p, costs=np.array([[0.0, 10.0], [1.0, 0.0]]))
    array([0])
    """
    if decision_threshold is not None:
        return (probabilities[:, 1] >= decision_threshold).astype(np.intp)
    if costs is not None:
        return np.asarray(np.argmin(probabilities @ costs, axis=1))
    return np.asarray(np.argmax(probabilities, axis=1))
