"""Partial dependence: what a model answers, on average and for each row, when attributes are set to values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.data.schema import Attribute
from quercus.data.values import value_to_json
from quercus.errors import DataError, ParameterError, shorten
from quercus.forests.importance import with_column
from quercus.pruning.nested import checked_weights
from quercus.results import Cells, Table, frame_of
from quercus.targets import TargetKind, kind_of

#: Class shares [n, classes], quantiles [n, levels] or numbers [n, 1] for the rows of a dataset.
Answer = Callable[[Dataset], Floats]


@dataclass(frozen=True, eq=False, repr=False)
class PartialDependence(Table):
    """Curves (of one attribute) or a surface (of two).

    attributes: their names. values: for each attribute the values tried, as they stand in tables. codes: the same as
    encoded numbers. classes: the names of the last axis of the answers; None: numbers. average: the mean over the rows,
    [values, (values of the second,) classes, quantiles or 1]. individual: the same for every row, [rows, …] (individual
    conditional expectation); None if not asked for. levels: of the quantiles on the last axis; none: it has none.
    """

    attributes: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    codes: tuple[Floats, ...]
    classes: tuple[Any, ...] | None
    average: Floats
    individual: Floats | None = None
    levels: tuple[float, ...] = ()

    @property
    def names(self) -> list[str]:
        """What the numbers on the last axis of the answers are called."""
        return [str(name) for name in self.target_kind.answer_names]

    @property
    def target_kind(self) -> TargetKind:
        """What the model answers."""
        return kind_of(self.classes, self.levels)

    def curve(self, label: Any = None) -> Floats:
        """The average for one class (of two the second, unless given) or of numbers: [values] or [values, values].

        label: the class; of quantiles the level, unless given the one nearest to the median.
        """
        return self.average[..., self.target_kind.asked_column(label)]

    def centered(self) -> Floats:
        """The individual curves less their first value, so that differences of shape are seen."""
        if self.individual is None:
            raise ParameterError("There are no individual curves; ask for them with individual=True.")
        first = self.individual[(slice(None), *(slice(0, 1) for _ in self.attributes))]
        return self.individual - first

    def to_dict(self) -> dict[str, Any]:
        """The data as plain lists and numbers."""
        return {
            "attributes": list(self.attributes),
            "values": [[value_to_json(value) for value in values] for values in self.values],
            **self.target_kind.to_json(),
            "average": self.average.tolist(),
            "individual": None if self.individual is None else self.individual.tolist(),
        }

    def cells(self) -> Cells:
        """A table of the averages, a line per value (or a pair of values)."""
        texts = [[shorten(value, 20).strip("'") for value in values] for values in self.values]
        lines = [[*self.attributes, *self.names]]
        for place in np.ndindex(self.average.shape[:-1]):
            shown = [texts[axis][index] for axis, index in enumerate(place)]
            lines.append([*shown, *(f"{number:.3f}" for number in self.average[place])])
        return Cells(lines, left=())

    def to_frame(self) -> Any:
        """The averages as a pandas DataFrame, one row for each value or pair of values."""
        names = self.target_kind.answer_names
        return frame_of(
            [
                {
                    **{name: self.values[axis][place[axis]] for axis, name in enumerate(self.attributes)},
                    **dict(zip(names, self.average[place].tolist(), strict=True)),
                }
                for place in np.ndindex(self.average.shape[:-1])
            ]
        )


def partial_dependence(
    answer: Answer,
    dataset: Dataset,
    attributes: str | Sequence[str],
    *,
    classes: TargetKind | Sequence[Any] | None = None,
    grid: dict[str, Sequence[Any]] | None = None,
    grid_size: int = 20,
    weights: ArrayLike | None = None,
    individual: bool = False,
) -> PartialDependence:
    """Set one or two attributes of all rows to each value of a grid, ask the model, and average over the rows.

    answer: the model. dataset: rows over whose other attributes is averaged. attributes: one name, or two. classes: of
    the answers, or their kind of target; None: numbers. grid: {attribute: values} instead of the grid's own: of a
    nominal, ordered or boolean attribute its domain; of a numeric one its distinct values if they are at most
    grid_size, else so many quantiles of them. weights: of the rows, for the average. individual: keep the answers for
    each row, too.

    >>> from quercus.data import encode
    >>> curves = partial_dependence(lambda data: 2.0 * data.columns[0][:, None], encode({"x": [1, 2, 3]}), ["x"])
    >>> curves.values, curves.curve().tolist()
    (((1.0, 2.0, 3.0),), [2.0, 4.0, 6.0])
    """
    attributes, kind = _checked_names(attributes), kind_of(classes)
    if grid_size < 2:
        raise ParameterError(f"grid_size={grid_size!r} is not allowed; give at least 2.")
    places = [dataset.schema.position(name) for name in attributes]
    grids = grid or {}
    if set(grids) - set(attributes):
        raise ParameterError(f"grid names {sorted(set(grids) - set(attributes))}, which are not among the attributes.")
    codes = tuple(
        _given_codes(dataset.schema[place], grids[name]) if name in grids else _own_codes(dataset, place, grid_size)
        for name, place in zip(attributes, places, strict=True)
    )
    shares = np.ones(dataset.n_rows) if weights is None else checked_weights(weights, dataset.n_rows)
    shares = shares / shares.sum()
    shape = tuple(len(column) for column in codes)
    average = np.empty((*shape, kind.width))
    every = np.empty((dataset.n_rows, *shape, kind.width)) if individual else None
    for place in np.ndindex(shape):
        table = dataset
        for axis, index in enumerate(place):
            table = with_column(table, places[axis], np.full(dataset.n_rows, codes[axis][index]))
        answers = answer(table)
        average[place] = shares @ answers
        if every is not None:
            every[(slice(None), *place)] = answers
    values = tuple(_shown(dataset.schema[place], column) for place, column in zip(places, codes, strict=True))
    return PartialDependence(tuple(attributes), values, codes, kind.classes, average, every, kind.levels)


def _checked_names(attributes: Any) -> list[str]:
    """One name, or two that differ."""
    names = [attributes] if isinstance(attributes, str) or not isinstance(attributes, Iterable) else list(attributes)
    if not 1 <= len(names) <= 2 or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ParameterError(f"attributes={shorten(attributes)} is not allowed; give one name, or two that differ.")
    return names


def _own_codes(dataset: Dataset, place: int, grid_size: int) -> Floats:
    attribute, column = dataset.schema[place], np.asarray(dataset.columns[place], dtype=np.float64)
    if attribute.values:
        return np.arange(attribute.n_values, dtype=np.float64)
    known = np.unique(column[~np.isnan(column)])
    if len(known) == 0:
        raise DataError(f"Attribute {attribute.name!r} has no known value in these rows; give a grid.")
    if len(known) <= grid_size:
        return known
    return np.unique(np.quantile(column[~np.isnan(column)], np.linspace(0.0, 1.0, grid_size), method="nearest"))


def _given_codes(attribute: Attribute, values: Sequence[Any]) -> Floats:
    if len(values) == 0:
        raise ParameterError(f"The grid of {attribute.name!r} is empty; give at least one value.")
    if not attribute.values:
        return np.asarray(values, dtype=np.float64)
    codes = [attribute.code(value) for value in values]
    if min(codes) < 0:
        strange = values[int(np.argmin(codes))]
        raise ParameterError(f"{attribute.name!r} has no value {strange!r}; it has {attribute.values!r}.")
    return np.array(codes, dtype=np.float64)


def _shown(attribute: Attribute, codes: Floats) -> tuple[Any, ...]:
    if attribute.values:
        return tuple(attribute.values[int(code)] for code in codes)
    if attribute.kind == "date":
        return tuple(attribute.show(code) for code in codes)
    return tuple(codes.tolist())
