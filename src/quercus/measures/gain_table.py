"""The gain table: every attribute of a table measured as a split, best first, as on a lecturer's blackboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.criteria import CLASS_CRITERIA
from quercus.data.dataset import encode, encode_classes
from quercus.data.latex import LONG_IN_LATEX, latex_document, latex_words
from quercus.data.schema import Attribute
from quercus.data.values import number_text, value_text
from quercus.errors import DataError, checked_choice, choice_message
from quercus.measures.contingency import missing_tokens, row_weights
from quercus.measures.gain import gain
from quercus.measures.gain_ratio import gain_ratio, split_information
from quercus.measures.impurity import reduction
from quercus.measures.thresholds import best_threshold
from quercus.results import Result, frame_of

#: The measures a gain table may be ordered by: each with the criterion that chooses a numeric attribute's threshold.
MEASURES: Mapping[str, tuple[Callable[..., float], str]] = MappingProxyType(
    {"gain": (gain, "entropy"), "gain_ratio": (gain_ratio, "entropy")}
    | {row.gain_name: (partial(reduction, impurity=row.impurity), row.name) for row in CLASS_CRITERIA.values()}
)

#: How many branches of an attribute are printed.
_SHOWN_BRANCHES = 8


@dataclass(frozen=True)
class Branch(Result):
    """One branch of a split: its text (``"Sunny"``, ``"<= 54"``) and its class counts in the order of the classes."""

    name: str
    counts: tuple[float, ...]


@dataclass(frozen=True, repr=False)
class GainRow(Result):
    """One attribute as a split of the examples.

    value: the measure the table is ordered by. threshold: of a numeric, ordered or date attribute, else None.
    branches: the branches of the known examples (none if the attribute cannot split). unknown: weight of the others.
    """

    attribute: str
    gain: float
    split_information: float
    gain_ratio: float
    value: float
    threshold: float | None
    branches: tuple[Branch, ...]
    unknown: float

    def __str__(self) -> str:
        """The attribute, what it measures, and its branches."""
        return f"{self.attribute}: gain {self.gain:.4f}, gain ratio {self.gain_ratio:.4f}; {_branch_text(self)}"


@dataclass(frozen=True, repr=False)
class GainTable(Result, Sequence[GainRow]):
    """The rows of a gain table, best first; printed as aligned text."""

    rows: tuple[GainRow, ...]
    classes: tuple[Any, ...]
    measure: str

    @overload
    def __getitem__(self, index: int) -> GainRow: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[GainRow, ...]: ...
    def __getitem__(self, index: int | slice) -> GainRow | tuple[GainRow, ...]:
        """Return the row at a position, the best at 0."""
        return self.rows[index]

    def __len__(self) -> int:
        """How many attributes were measured."""
        return len(self.rows)

    def __iter__(self) -> Iterator[GainRow]:
        """Go through the rows, best first."""
        return iter(self.rows)

    @property
    def best(self) -> GainRow:
        """The attribute that measures best, the first in the table's column order if several do."""
        return self.rows[0]

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame, one row for each attribute."""
        names = ("attribute", "gain", "split_information", "gain_ratio", "value", "threshold", "unknown")
        return frame_of([{name: getattr(row, name) for name in names} for row in self.rows], "attribute")

    def row(self, attribute: str) -> GainRow:
        """Return the row of an attribute by its name."""
        for row in self.rows:
            if row.attribute == attribute:
                return row
        raise DataError(choice_message("attribute", attribute, [row.attribute for row in self.rows]))

    def to_latex(self, *, document: bool = False) -> str:
        r"""Return the table as LaTeX, numbers to four places, without the branches. document: a whole one.

        >>> X = {"Outlook": ["Sunny", "Sunny", "Rain", "Rain"], "Temperature": [30, 5, 28, 7]}
        >>> print(gain_table(X, ["Yes", "Yes", "No", "No"]).to_latex())
        \begin{tabular}{lrrr}
        \hline
        attribute & gain & split information & gain ratio \\
        \hline
        Outlook & 1.0000 & 1.0000 & 1.0000 \\
        Temperature \ensuremath{\le} 6 & 0.3113 & 0.8113 & 0.3837 \\
        \hline
        \end{tabular}
        """
        head, *rows = (line[:-1] for line in self._cells())
        tests = [
            row.attribute if row.threshold is None else f"{row.attribute} ≤{row.branches[0].name[2:]}" for row in self
        ]
        column = r"p{0.4\linewidth}" if any(len(test) > LONG_IN_LATEX for test in tests) else "l"
        lines = [
            rf"\begin{{tabular}}{{{column}{'r' * (len(head) - 1)}}}",
            r"\hline",
            " & ".join(head) + r" \\",
            r"\hline",
        ]
        lines += [" & ".join([latex_words(test), *row[1:]]) + r" \\" for test, row in zip(tests, rows, strict=True)]
        text = "\n".join([*lines, r"\hline", r"\end{tabular}"])
        return latex_document(text) if document else text

    def _cells(self) -> list[list[str]]:
        """The head and one line for each attribute, as text."""
        extra = [] if self.measure in ("gain", "gain_ratio") else [self.measure.replace("_", " ")]
        classes = ", ".join(value_text(label) for label in self.classes)
        lines = [["attribute", *extra, "gain", "split information", "gain ratio", f"branches [{classes}]"]]
        for row in self.rows:
            numbers = ([row.value] if extra else []) + [row.gain, row.split_information, row.gain_ratio]
            lines.append([row.attribute, *(f"{number:.4f}" for number in numbers), _branch_text(row)])
        return lines

    def __str__(self) -> str:
        """Return the table as aligned text, numbers to four places."""
        lines = self._cells()
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]) - 1)]
        return "\n".join(
            "  ".join(
                [line[0].ljust(widths[0])]
                + [cell.rjust(width) for cell, width in zip(line[1:-1], widths[1:], strict=True)]
                + [line[-1]]
            ).rstrip()
            for line in lines
        )


def gain_table(
    X: Any,
    y: Any,
    measure: str = "gain",
    *,
    weights: ArrayLike | None = None,
    missing: object = None,
    kinds: Mapping[str, Any] | None = None,
) -> GainTable:
    """Measure every attribute of a table as a split of its examples, best first.

    A nominal attribute gets a branch for each of its values, a numeric, ordered or date attribute its best threshold
    (by gain for ``"gain"`` and ``"gain_ratio"``, else by the measure itself). Ties keep the column order.

    Parameters
    ----------
    X : a table: pandas, polars or pyarrow frame, dict of columns, array or list of rows.
    y : the class of each example.
    measure : ``"gain"``, ``"gain_ratio"``, ``"gini_gain"``, ``"accuracy_gain"`` or the gain of another criterion
        (``quercus.criteria``): what the rows are ordered by.
    weights : weight of each example, all 1 if not given.
    missing : a value, or a collection of values, that also mean unknown besides None, NaN and NaT (such as ``"?"``).
    kinds : kinds of attributes by name, where they are not what the column's type says.

    >>> X = {"Outlook": ["Sunny", "Sunny", "Rain", "Rain"], "Temperature": [30, 5, 28, 7]}
    >>> print(gain_table(X, ["Yes", "Yes", "No", "No"]))
    attribute      gain  split information  gain ratio  branches [No, Yes]
    Outlook      1.0000             1.0000      1.0000  Rain [2, 0]  Sunny [0, 2]
    Temperature  0.3113             0.8113      0.3837  <= 6 [0, 1]  > 6 [2, 1]
    """
    checked_choice("measure", measure, MEASURES)
    dataset = encode(X, missing_tokens=missing_tokens(missing), kinds=kinds)
    target = encode_classes(y)
    codes = np.asarray(target.codes)
    if dataset.n_rows != codes.size:
        raise DataError(f"X has {dataset.n_rows} rows but y has {codes.size} labels; both need one per row.")
    weight = row_weights(weights, dataset.n_rows)
    n_classes = len(target.classes)
    rows = [
        _measure(attribute, column, codes, weight, n_classes, measure)
        for attribute, column in zip(dataset.schema.attributes, dataset.columns, strict=True)
    ]
    rows.sort(key=lambda row: -round(row.value, 12))
    return GainTable(tuple(rows), tuple(target.classes.tolist()), measure)


def _measure(
    attribute: Attribute, column: np.ndarray, codes: np.ndarray, weight: Floats, n_classes: int, measure: str
) -> GainRow:
    """Measure one encoded column as a split."""
    of_table, criterion = MEASURES[measure]
    threshold: float | None = None
    if attribute.is_numeric:
        best = best_threshold(column, codes, criterion, weights=weight)
        names: list[str] = []
        branches = np.full(column.size, -1)
        if best is not None:
            threshold = best.threshold
            names = [f"<= {attribute.show(threshold)}", f"> {attribute.show(threshold)}"]
            branches = np.where(np.isnan(column), -1, column > threshold).astype(np.int64)
    else:
        names = [value_text(value) for value in attribute.values]
        branches = column.astype(np.int64)
    counts = np.zeros((len(names) + 1, n_classes))
    np.add.at(counts, (branches, codes), weight)  # unknown (-1) is counted in the last row
    known, unknown = counts[:-1], float(counts[-1].sum())
    if not names:
        return GainRow(attribute.name, 0.0, 0.0, 0.0, 0.0, None, (), unknown)
    return GainRow(
        attribute.name,
        gain(known, unknown=unknown),
        split_information(known, unknown=unknown),
        gain_ratio(known, unknown=unknown),
        of_table(known, unknown=unknown),
        threshold,
        tuple(Branch(name, tuple(row.tolist())) for name, row in zip(names, known, strict=True)),
        unknown,
    )


def _branch_text(row: GainRow) -> str:
    texts = [
        f"{branch.name} [{', '.join(number_text(count, 6) for count in branch.counts)}]"
        for branch in row.branches[:_SHOWN_BRANCHES]
    ]
    if len(row.branches) > _SHOWN_BRANCHES:
        texts.append(f"and {len(row.branches) - _SHOWN_BRANCHES} more")
    if row.unknown:
        texts.append(f"unknown {number_text(row.unknown, 6)}")
    return "  ".join(texts) or "no split"
