"""Rows: a table encoded once, with what is to be predicted for each row and how much the row counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.data.names import counted
from quercus.data.target import ClassTarget, Target, encode_classes, encode_numbers, take_target
from quercus.data.values import plain_value, value_key
from quercus.data.weights import class_factors, class_totals, read_sample_weight, weighed_by_class
from quercus.errors import DataError, shown_list


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """Encoded rows with their target and weights, as growing, pruning and measuring take them.

    weights: how much each row counts in growing: its sample weight times the factor of its class; None: 1 each.
    sample_weights: the sample weights alone, by which answers are measured.
    """

    dataset: Dataset
    target: Target
    weights: Floats | None = None
    sample_weights: Floats | None = None

    def __repr__(self) -> str:
        """Rows and attributes in one line."""
        weighed = "" if self.weights is None else ", weighted"
        return f"<Rows: {counted(self.n_rows, 'row')}, {counted(len(self.dataset.schema), 'attribute')}{weighed}>"

    @property
    def n_rows(self) -> int:
        """The number of rows, those without weight included."""
        return self.dataset.n_rows

    @property
    def n_weighty(self) -> int:
        """The number of rows whose weight is not 0."""
        return self.n_rows if self.weights is None else int(np.count_nonzero(self.weights))

    @property
    def total_weight(self) -> float:
        """The weight of all rows together."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    @property
    def codes(self) -> npt.NDArray[np.int32] | None:
        """The position of each row's class; None: the target is a number."""
        return self.target.codes if isinstance(self.target, ClassTarget) else None

    @property
    def growing(self) -> tuple[Dataset, Target, Floats | None]:
        """Dataset, target and weights to grow and prune by."""
        return self.dataset, self.target, self.weights

    @property
    def measuring(self) -> tuple[Dataset, Target, Floats | None]:
        """Dataset, target and weights to measure by."""
        return self.dataset, self.target, self.sample_weights

    def take(self, rows: Any) -> Rows:
        """Some of the rows, by position."""
        weights, sample_weights = (None if part is None else part[rows] for part in (self.weights, self.sample_weights))
        return Rows(self.dataset.take(rows), take_target(self.target, rows), weights, sample_weights)

    def with_weight(self) -> Rows:
        """The rows whose weight is not 0."""
        return self if self.weights is None or self.weights.all() else self.take(np.flatnonzero(self.weights))


# Reading


def checked_target(y: Any, n_rows: int, whose: str) -> Any:
    """The target, if it is as long as the table. whose: the name of the algorithm, for the message."""
    if y is None:
        raise DataError(f"This {whose} estimator requires y to be passed, but the target y is None.")
    if not hasattr(y, "__len__"):
        y = np.asarray(y)
    if getattr(y, "ndim", 1) != 0 and len(y) != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {len(y)}]. "
            "Give one target for each row of the table."
        )
    return y


def training_rows(
    dataset: Dataset,
    y: Any,
    sample_weight: Any,
    *,
    numbers: bool,
    class_weight: Any = None,
    priors: Any = None,
    known: Any = None,
) -> tuple[Rows, Floats | None]:
    """Rows to learn from, and the factor of each class's weights (None: there is none).

    y: as long as the dataset, whose schema then knows the name and the classes of the target. numbers: whether y is one
    number for each row; else it is one class. class_weight, priors: as the estimators take them. known: the classes
    (of numbers: none) of a fit before, whose schema the dataset has.
    """
    weights = read_sample_weight(sample_weight, dataset.n_rows)
    if numbers:
        target: Target = encode_numbers(y)
    else:
        target = encode_classes(y) if known is None else encode_known_classes(y, known)
    factors = _factors(target, weights, class_weight, priors)
    if known is None:
        dataset = _with_target(dataset, y, target)
    return weighed_rows(dataset, target, weights, factors), factors


def _with_target(dataset: Dataset, y: Any, target: Target) -> Dataset:
    """The dataset whose schema knows the target: its name, if y has one, and its classes."""
    name = getattr(y, "name", None)
    classes = target.classes if isinstance(target, ClassTarget) else None
    return replace(dataset, schema=dataset.schema.with_target(name if isinstance(name, str) else None, classes))


def weighed_rows(dataset: Dataset, target: Target, weights: Floats | None, factors: Floats | None) -> Rows:
    """Rows whose sample weights are multiplied by the factor of their class (None: by nothing)."""
    if factors is None or not isinstance(target, ClassTarget):
        return Rows(dataset, target, weights, weights)
    return Rows(dataset, target, weighed_by_class(factors, target.codes, weights), weights)


def known_rows(dataset: Dataset, target: Target, sample_weight: Any = None, *, factors: Floats | None = None) -> Rows:
    """Rows whose target was encoded as in fitting. factors: of the classes' weights."""
    return weighed_rows(dataset, target, read_sample_weight(sample_weight, dataset.n_rows), factors)


def encode_known_classes(y: Any, classes: Any, new_classes: bool = False) -> ClassTarget:
    """Encode labels by the classes that fitting learned; a label that is none of them is refused, or gets a new place.

    >>> encode_known_classes(["Yes"], np.array(["No", "Yes"])).codes
    array([1], dtype=int32)
    >>> encode_known_classes(["Maybe"], np.array(["No", "Yes"]), new_classes=True).codes
    array([2], dtype=int32)
    """
    labels = encode_classes(y)
    position = {value_key(plain_value(label)): code for code, label in enumerate(classes)}
    known = np.array([position.get(value_key(plain_value(label)), -1) for label in labels.classes], dtype=np.int32)
    codes = known[labels.codes]
    if not (codes < 0).any():
        return ClassTarget(classes, codes)
    if not new_classes:
        strange = plain_value(labels.classes[labels.codes[int(np.argmax(codes < 0))]])
        names = shown_list([plain_value(label) for label in classes])
        raise DataError(f"y has the class {strange!r}, which was not there in fitting: {names}.")
    new = np.intersect1d(np.flatnonzero(known < 0), labels.codes)
    known[new] = len(position) + np.arange(len(new), dtype=np.int32)
    joined = np.empty(len(position) + len(new), dtype=object)
    joined[:] = [plain_value(label) for label in (*classes, *(labels.classes[code] for code in new))]
    return ClassTarget(joined, known[labels.codes])


def _factors(target: Target, weights: Floats | None, class_weight: Any, priors: Any) -> Floats | None:
    if not isinstance(target, ClassTarget) or (class_weight is None and priors is None):
        return None
    labels = np.asarray(target.classes).tolist()
    return class_factors(class_weight, priors, labels, class_totals(target.codes, weights, len(labels)))
