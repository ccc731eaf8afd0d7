"""The explanation of a table: values, base values and the table itself, as the package shap holds them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.results import Result, frame_of


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """What each attribute brought to each answer; the attributes are those of ``shap.Explanation``.

    values: (rows, attributes), of several outputs (rows, attributes, outputs); of interactions with one more axis of
    attributes. base_values: what is answered if no value counts, for each row, (rows,) or (rows, outputs). data: the
    table. feature_names, output_names: of its columns, and of the outputs.

    ``found[3]`` is one row, ``found[:, :, 1]`` one output of all rows.
    """

    values: Floats
    base_values: Any
    data: NDArray[Any]
    feature_names: list[str]
    output_names: list[str] | None = None
    display_data: None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.values.shape

    def __len__(self) -> int:
        """The number of rows, or of attributes of one row."""
        return len(self.values)

    def __getitem__(self, key: Any) -> Explanation:
        """Some rows, or one; with further keys some attributes and outputs."""
        keys = key if isinstance(key, tuple) else (key,)
        several = self.values.ndim - (self.data.ndim if self.data.ndim else 0)
        rows, columns = keys[0], keys[1] if len(keys) > 1 else slice(None)
        outputs = keys[2:] if several else ()
        if self.data.ndim == 1:
            raise IndexError("This explanation is of one row; take its values by found.values[…].")
        base = np.asarray(self.base_values)[(rows, *outputs)]
        names: Any = np.asarray(self.feature_names, dtype=object)[columns]
        named: Any = self.output_names if self.output_names is None else np.asarray(self.output_names, dtype=object)
        named = named if named is None or not outputs else named[outputs[-1]]
        return replace(
            self,
            values=self.values[keys],
            base_values=base if base.ndim else float(base),
            data=self.data[rows, columns],
            feature_names=names.tolist() if isinstance(names, np.ndarray) else names,
            output_names=named.tolist() if isinstance(named, np.ndarray) else named,
        )

    def __str__(self) -> str:
        """What it holds."""
        if self.values.ndim == 1:
            lines = zip(self.feature_names, self.data, self.values, strict=True)
            return "\n".join(
                [f"base: {self.base_values:g}", *(f"{name} = {value}: {number:+g}" for name, value, number in lines)]
            )
        return f"Shapley values of the shape {self.values.shape}"

    def to_frame(self) -> Any:
        """One line per row, attribute and output."""
        return frame_of(
            [
                {"row": place[0], "attribute": self.feature_names[place[1]], "place": place[2:], "value": float(number)}
                for place, number in np.ndenumerate(self.values)
            ]
        )


def explanation(rows: Dataset, values: Floats, base: Floats, names: tuple[str, ...]) -> Any:
    """The explanation of these rows: shap's, if it is installed. values: [rows, …, outputs]. base: [outputs]."""
    if not names:
        values, base = values[..., 0], base[0]
    parts: dict[str, Any] = {
        "values": np.ascontiguousarray(values),
        "base_values": np.tile(base, (rows.n_rows, 1)) if names else np.full(rows.n_rows, base),
        "data": table_of(rows),
        "feature_names": [attribute.name for attribute in rows.schema],
        "output_names": list(names) if names else None,
    }
    try:
        import shap
    except ImportError:
        return Explanation(**parts)
    return shap.Explanation(**parts)


def table_of(rows: Dataset) -> NDArray[Any]:
    """The table as one array: of numbers, if all columns hold numbers; else of values, None where one is unknown."""
    if not any(attribute.values for attribute in rows.schema):
        return np.column_stack([np.asarray(rows.column(place), dtype=np.float64) for place in range(len(rows.schema))])
    table = np.empty((rows.n_rows, len(rows.schema)), dtype=object)
    for place, (attribute, column) in enumerate(zip(rows.schema, rows.columns, strict=True)):
        if not attribute.values:
            table[:, place] = column
            continue
        known = np.isfinite(column) & (np.asarray(column) >= 0)
        labels = np.empty(len(attribute.values) + 1, dtype=object)
        labels[:-1] = attribute.values
        table[:, place] = labels[np.where(known, column, len(attribute.values)).astype(np.intp)]
    return table
