"""Sparse tables: the columns of a SciPy matrix of numbers, of which only the cells that are not 0 are stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

import numpy as np

from quercus.arrays import Array
from quercus.errors import DataError, DataTypeError

_MOST_ROWS = 2**31 - 2


def is_sparse(table: Any) -> bool:
    """Whether a table is a sparse matrix or array of SciPy, or of a library that follows it."""
    return hasattr(type(table), "toarray") and hasattr(type(table), "nnz")


class SparseColumns(Sequence[Array]):
    """The columns of a sparse matrix; a column is made dense when it is asked for.

    matrix: by columns (CSC), of float64 or float32, with sorted rows, each at most once in a column, and finite.

    >>> import scipy.sparse
    >>> columns = read_sparse(scipy.sparse.csr_array([[0, 3], [0, 0], [1, 0]]))
    >>> len(columns), columns[1], columns.pairs()[1]
    (2, array([3., 0., 0.]), (array([0], dtype=int32), array([3.])))
    """

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix

    def __len__(self) -> int:
        """The number of columns."""
        return int(self.matrix.shape[1])

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.matrix.shape[0])

    @property
    def nbytes(self) -> int:
        """The memory of what is stored."""
        return int(self.matrix.data.nbytes + self.matrix.indices.nbytes + self.matrix.indptr.nbytes)

    @overload
    def __getitem__(self, position: int) -> Array: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Array, ...]: ...
    def __getitem__(self, position: Any) -> Any:
        """A column, made dense."""
        if isinstance(position, slice):
            return tuple(self[place] for place in range(*position.indices(len(self))))
        if not -len(self) <= position < len(self):
            raise IndexError(f"there are {len(self)} columns, no column {position}")
        rows, numbers = self._pair(position % len(self))
        column = np.zeros(self.n_rows, dtype=numbers.dtype)
        column[rows] = numbers
        return column

    def _pair(self, position: int) -> tuple[Array, Array]:
        cells = slice(self.matrix.indptr[position], self.matrix.indptr[position + 1])
        return self.matrix.indices[cells], self.matrix.data[cells]

    def pairs(self) -> list[tuple[Array, Array]]:
        """Each column as the core grows from it: the rows of its cells, and their numbers."""
        return [self._pair(position) for position in range(len(self))]

    def take(self, rows: Any) -> SparseColumns:
        """The columns of some rows (positions or a mask), in the order given."""
        chosen = self.matrix.tocsr()[np.asarray(rows) if not isinstance(rows, slice) else rows].tocsc()
        chosen.sort_indices()
        return SparseColumns(_narrow(chosen))

    def dense_where(self, asked: Iterable[int]) -> tuple[Array, ...]:
        """All columns for a reader of some of them: those at the positions ``asked`` dense, the others one of zeros."""
        columns: list[Array] = [np.zeros(self.n_rows)] * len(self)
        for position in asked:
            columns[position] = self[position]
        return tuple(columns)


def read_sparse(table: Any) -> SparseColumns:
    """The columns of a sparse matrix of any layout; the matrix itself is not changed.

    Cells that are not stored are 0, not unknown. What is unknown (NaN) cannot stand in a sparse matrix.
    """
    if len(table.shape) != 2:
        raise DataError(f"The sparse table has {len(table.shape)} dimension, but must have two: rows and columns.")
    if table.shape[0] > _MOST_ROWS:
        raise DataError(f"The sparse table has {table.shape[0]} rows; at most {_MOST_ROWS} can be used.")
    if table.dtype.kind == "c":
        raise DataError("Complex data not supported: give the real and imaginary parts as columns of their own.")
    if table.dtype.kind not in "fiub":
        raise DataTypeError(
            f"The sparse table holds {table.dtype}, but must hold numbers. Give text and dates in a data frame."
        )
    matrix = table.tocsc()
    if not matrix.has_canonical_format:
        matrix = (
            matrix.copy() if matrix is table or np.may_share_memory(matrix.data, getattr(table, "data", 0)) else matrix
        )
        matrix.sum_duplicates()
    if matrix.dtype not in (np.float64, np.float32) or not matrix.dtype.isnative:
        matrix = matrix.astype(np.float64)
    _refuse_what_is_not_finite(matrix)
    return SparseColumns(_narrow(matrix))


def _narrow(matrix: Any) -> Any:
    """The matrix with row numbers of 32 bits, as the core takes them."""
    if matrix.indices.dtype != np.int32:
        matrix = type(matrix)((matrix.data, matrix.indices.astype(np.int32), matrix.indptr), shape=matrix.shape)
        if matrix.indices.dtype != np.int32:  # SciPy keeps both index arrays of one type
            matrix.indices = matrix.indices.astype(np.int32)
    return matrix


def _refuse_what_is_not_finite(matrix: Any) -> None:
    wrong = np.flatnonzero(~np.isfinite(matrix.data))
    if not len(wrong):
        return
    place = int(wrong[0])
    row, column = int(matrix.indices[place]), int(np.searchsorted(matrix.indptr, place, side="right")) - 1
    if np.isnan(matrix.data[place]):
        raise DataError(
            f"The sparse table holds NaN in row {row}, column {column} (counting from 0), but unknown values cannot "
            "stand in a sparse table. Give a dense one (.toarray()), where NaN is unknown, or fill the value in."
        )
    raise DataError(
        f"Input X contains infinity or a value too large: the sparse table holds it in row {row}, column {column} "
        "(counting from 0). Replace it by a number."
    )
