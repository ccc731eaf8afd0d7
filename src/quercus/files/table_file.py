"""A table file that was read: its columns, and everything that is known about them, ready for an estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from quercus.data.column import CodedColumn
from quercus.data.conversion import as_numbers
from quercus.data.names import counted
from quercus.data.table import read_column
from quercus.errors import DataError, did_you_mean, shorten, shown_list, visible
from quercus.files.reading_notes import row_name_note

__all__ = ["TableFile"]


@dataclass(frozen=True, eq=False, repr=False)
class TableFile:
    """One file as named columns.

    - path, format: where it was read from, and as what.
    - columns: by name, the target and ignored columns included: NumPy arrays (missing: NaN or None), texts and dates
      of a text file as :class:`~quercus.data.column.CodedColumn`, which ``numpy.asarray`` makes an array, or pyarrow
      columns from Parquet; all as :func:`quercus.data.encode` accepts them.
    - kinds, domains, attribute_costs: by name, for all columns of which something is known; :meth:`options` gives
      them for the attributes alone, as the estimators' parameters of these names take them.
    - missing_tokens: the values that mean "missing" (for all columns, or by column) besides empty cells.
    - target, classes: the column to predict and its declared values, if the file, the schema or the caller says so.
    - cost_matrix: {(true class, predicted class): cost} or None.
    - ignored: columns that are no attributes.
    - fingerprint: SHA-256 of the file's bytes (of C4.5's files: of the names and the cases together).
    - reading_notes: what was decided in reading; ``notes`` has that, too.
    - weight: the column that holds the weight of each row, if the file or the schema names one; it is no attribute.
    - row_names: columns that seem to number or name the rows, which a note says.
    - texts: of a file of text, a function that reads its columns again as they stand there.
    - line: of a file of text, a function that reads again on which line a row begins, by its position.
    - unnamed: the columns that have no name in the file.
    """

    path: str
    format: str
    columns: Mapping[str, Any]
    kinds: Mapping[str, str] = field(default_factory=dict)
    domains: Mapping[str, list[Any]] = field(default_factory=dict)
    missing_tokens: Any = ()
    attribute_costs: Mapping[str, float] = field(default_factory=dict)
    target: str | None = None
    classes: tuple[Any, ...] | None = None
    cost_matrix: Mapping[tuple[Any, Any], float] | None = None
    ignored: tuple[str, ...] = ()
    fingerprint: str = ""
    n_rows: int = 0
    reading_notes: tuple[str, ...] = ()
    weight: str | None = None
    row_names: tuple[str, ...] = ()
    texts: Callable[[], Mapping[str, CodedColumn]] | None = None
    line: Callable[[int], int] | None = None
    unnamed: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """The path and the size of the table in one line."""
        target = "" if self.target is None else f", target {visible(self.target, one_line=True)}"
        size = f"{counted(self.n_rows, 'row')}, {counted(len(self.columns), 'column')}"
        return f"<TableFile: {visible(self.path, one_line=True)} ({self.format}), {size}{target}>"

    @property
    def notes(self) -> tuple[str, ...]:
        """How the file was read, one line for each decision."""
        attributes = set(self.attributes())
        suspects = [name for name in self.row_names if name in attributes]
        more = [row_name_note(suspects)] if suspects else []
        bad = 0 if self.weight is None or self.format != "c45" else int((~(self._given_weights() > 0)).sum())
        if bad:
            more.append(
                f"{bad} of {self.n_rows} weights in {self.weight!r} are unknown or not above 0: the mean of the others "
                "is taken for them."
            )
        return (*self.reading_notes, *more)

    @property
    def weights(self) -> Any:
        """The weight of each row, for ``sample_weight``, or None if no column holds weights.

        In C4.5's and C5.0's files, where it is unknown, 0 or negative, it is the mean of the others.

        >>> table = TableFile("a.data", "c45", {"w": np.array([1.0, 3.0, np.nan])}, weight="w", n_rows=3)
        >>> table.weights
        array([1., 3., 2.])
        """
        if self.weight is None:
            return None
        weights = self._given_weights()
        usable = weights > 0
        return (
            weights
            if self.format != "c45" or usable.all()
            else np.where(usable, weights, weights[usable].mean() if usable.any() else 1.0)
        )

    def _given_weights(self) -> Any:
        assert self.weight is not None
        try:
            return as_numbers(read_column(self.weight, self.columns[self.weight]), from_text=True)[0]
        except DataError as error:
            raise DataError(f"{self.path}: the weights cannot be used. {error}") from error

    def attributes(self, target: str | None = None) -> list[str]:
        """Return the names of the columns to learn from: all but the target and the ignored ones."""
        target = self._target(target, needed=False)
        left_out = {target, self.weight, *self.ignored}
        return [name for name in self.columns if name not in left_out]

    def split(self, target: str | None = None) -> tuple[dict[str, Any], Any]:
        """Return X, a dict of the attributes' columns, and y, the target's column.

        y is a pandas series with the target's name, categorical if its values are declared, where pandas is installed;
        else the column as it is.

        >>> table = TableFile("a.csv", "delimited", {"x": np.array([1, 2]), "y": np.array(["a", "b"])}, n_rows=2)
        >>> X, y = table.split("y")
        >>> list(X), list(y), y.name
        (['x'], ['a', 'b'], 'y')
        """
        chosen = self._target(target, needed=True)
        assert chosen is not None
        X = {name: self.columns[name] for name in self.attributes(chosen)}
        if not X:
            raise DataError(f"{self.path}: besides the target {chosen!r} there is no column to learn from.")
        return X, self._target_column(chosen)

    def options(self, target: str | None = None) -> dict[str, Any]:
        """Return kinds, domains, missing_tokens and attribute_costs for an estimator's constructor.

        >>> TableFile("a.csv", "delimited", {"x": [1], "y": [2]}, {"x": "numeric", "y": "numeric"}).options("y")
        {'kinds': {'x': 'numeric'}, 'domains': None, 'missing_tokens': (), 'attribute_costs': None}
        """
        names = self.attributes(target)
        tokens = self.missing_tokens
        if isinstance(tokens, Mapping):
            tokens = {name: tokens[name] for name in names if name in tokens}
        return {
            "kinds": {name: self.kinds[name] for name in names if name in self.kinds} or None,
            "domains": {name: self.domains[name] for name in names if name in self.domains} or None,
            "missing_tokens": tokens,
            "attribute_costs": {name: self.attribute_costs[name] for name in names if name in self.attribute_costs}
            or None,
        }

    def take(self, rows: Any) -> TableFile:
        """Return the same table with some of the rows (positions or a mask), in the order given.

        >>> TableFile("a.csv", "delimited", {"x": np.array([4, 5, 6])}, n_rows=3).take([2, 0]).columns["x"]
        array([6, 4])
        """
        positions = np.arange(self.n_rows)[np.asarray(rows)]
        columns = {name: _taken(column, positions) for name, column in self.columns.items()}
        all_texts, all_lines = self.texts, self.line
        texts = None if all_texts is None else lambda: {name: cells[positions] for name, cells in all_texts().items()}
        line = None if all_lines is None else lambda row: all_lines(int(positions[row]))
        return replace(self, columns=columns, n_rows=len(positions), texts=texts, line=line)

    def with_target(self, target: str) -> TableFile:
        """Return the same table with another target; its declared values become the classes."""
        chosen = self._target(target, needed=True)
        assert chosen is not None
        domain = self.domains.get(chosen)
        same = chosen == self.target
        classes = self.classes if same else None if domain is None else tuple(domain)
        ignored = tuple(name for name in self.ignored if name != chosen)
        return replace(
            self, target=chosen, classes=classes, ignored=ignored, cost_matrix=self.cost_matrix if same else None
        )

    def __str__(self) -> str:
        """A few lines about what was read."""
        lines = [f"{self.path}: {counted(self.n_rows, 'row')}, {counted(len(self.columns), 'column')}"]
        for name in self.columns:
            marks = self._marks(name)
            if name in self.domains:
                marks.append(f"one of {shown_list(self.domains[name], 5)}")
            text = f"  {name}: {self.kinds.get(name, 'all missing')}"
            lines.append(text + (f" ({'; '.join(marks)})" if marks else ""))
        return "\n".join([*lines, *self.notes])

    def _marks(self, name: str) -> list[str]:
        if name in (self.target, self.weight):
            return ["target" if name == self.target else "weight"]
        return ["ignored"] if name in self.ignored else []

    def _target(self, target: str | None, needed: bool) -> str | None:
        chosen = self.target if target is None else target
        if chosen is None and needed:
            raise DataError(
                f"{self.path}: the file does not say which column to predict. Give target=, one of "
                f"{shown_list(list(self.columns))}."
            )
        if chosen is not None and chosen not in self.columns:
            names = list(self.columns)
            raise DataError(
                f"{self.path}: there is no column {shorten(chosen)} to predict; there are {shown_list(names)}."
                f"{did_you_mean(chosen, names)}"
            )
        return chosen

    def _target_column(self, name: str) -> Any:
        column = self.columns[name]
        try:
            import pandas as pd
        except ImportError:
            return np.asarray(column) if isinstance(column, CodedColumn) else column
        declared = self.classes if name == self.target else None
        if declared is None and name in self.domains:
            declared = tuple(self.domains[name])
        if hasattr(column, "to_pandas"):
            column = column.to_pandas()
        if declared is not None and not isinstance(getattr(column, "dtype", None), pd.CategoricalDtype):
            values = column.values if isinstance(column, CodedColumn) else pd.unique(pd.Series(column).dropna())
            column = pd.Categorical(np.asarray(column), categories=list(dict.fromkeys([*declared, *values])))
        if isinstance(column, CodedColumn):
            distinct = pd.Series(np.array([*column.values, None], dtype=object), name=name)
            return distinct.take(column.codes).reset_index(drop=True)
        return pd.Series(column, name=name)


def _taken(column: Any, positions: Any) -> Any:
    if isinstance(column, (np.ndarray, CodedColumn)):
        return column[positions]
    return column.take(positions) if hasattr(column, "take") else [column[position] for position in positions]
