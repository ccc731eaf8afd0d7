"""Verifying: an export is run by an engine on test vectors, and its answers are compared with the model's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from quercus.errors import ExportError, choice_message
from quercus.export.engines import (
    run_c,
    run_duckdb,
    run_javascript,
    run_onnxruntime,
    run_postgres,
    run_python,
    run_sqlite,
    run_treelite,
)
from quercus.export.pmml_engines import run_jpmml, run_pypmml
from quercus.export.vectors import Vectors
from quercus.export.workbooks import apart, run_excel, thresholds_of
from quercus.results import Result

#: What an engine answers: the labels, and the shares of the classes (of numbers none).
Answers = tuple[list[Any], list[list[float]]]
#: The engines by name: the format that each runs, and the function that runs it.
ENGINES: dict[str, tuple[str, Callable[[Any, Vectors], Answers]]] = {
    "python": ("python", run_python),
    "node": ("javascript", run_javascript),
    "cc": ("c", run_c),
    "sqlite": ("sql", run_sqlite),
    "duckdb": ("sql", run_duckdb),
    "postgres": ("sql", run_postgres),
    "onnxruntime": ("onnx", run_onnxruntime),
    "treelite": ("treelite", run_treelite),
    "libreoffice": ("excel", run_excel),
    "jpmml": ("pmml", run_jpmml),
    "pypmml": ("pmml", run_pypmml),
}


@dataclass(frozen=True, repr=False)
class Verification(Result):
    """What an engine answered on test vectors.

    engine: its name. rows: how many there were. wrong: how many got another label. largest: the largest difference of a
    share, or of the number (of one above 1 its part of the number). bits: how many shares or numbers differ at all.
    left_out: how many further rows were not asked, since a sheet cannot tell their numbers from a threshold.
    tried: as of :class:`quercus.export.Vectors`.
    """

    engine: str
    rows: int
    wrong: int
    largest: float
    bits: int
    left_out: int = 0
    tried: tuple[int, int] | None = None

    @property
    def is_exact(self) -> bool:
        """Whether all labels are equal, and all numbers to the last bit."""
        return self.wrong == 0 and self.bits == 0

    def __str__(self) -> str:
        """One line: labels, numbers, and what was not tried."""
        labels = "all labels equal" if self.wrong == 0 else f"{self.wrong:,} labels differ"
        numbers = "numbers equal to the last bit" if self.bits == 0 else f"largest difference {self.largest:.3g}"
        beside = f"; {self.left_out:,} rows beside a threshold were left out" if self.left_out else ""
        capped = ""
        if self.tried is not None:
            capped = f"; {self.tried[0]:,} of {self.tried[1]:,} test values have a row of their own"
        return f"{self.engine}: {self.rows:,} rows, {labels}, {numbers}{beside}{capped}"


def verify(exported: str | bytes, vectors: Vectors, engine: str) -> Verification:
    """Run an export on test vectors.

    exported: what :func:`quercus.export.export` gave; a query in SQL must be over the table "rows" with the key "id".
    vectors: of the model, by :func:`quercus.export.vectors_of`; sheets compare 14 digits, so that
    rows with a number right beside a threshold are left out for them. engine: one of ``ENGINES``.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> from quercus.export import to_sql, vectors_of
    >>> tree = ID3Classifier().fit(*load_play_tennis())
    >>> print(verify(to_sql(tree, key="id"), vectors_of(tree), "sqlite"))
    sqlite: 214 rows, all labels equal, numbers equal to the last bit
    """
    if engine not in ENGINES:
        raise ExportError(choice_message("engine", engine, list(ENGINES)))
    asked = vectors
    if engine == "libreoffice":
        asked = apart(thresholds_of(bytes(exported)), vectors)  # type: ignore[arg-type]
    result = compared(engine, ENGINES[engine][1](exported, asked), asked)
    return replace(result, left_out=len(vectors.rows) - len(asked.rows), tried=vectors.tried)


def compared(engine: str, answers: Answers, vectors: Vectors) -> Verification:
    """The comparison of an engine's answers with the model's answers."""
    labels, shares = answers
    numbers = not vectors.has_classes
    expected = [[number] for number in vectors.labels] if numbers else vectors.shares
    answered = [[number] for number in labels] if numbers else shares
    if len(labels) != len(vectors.rows):
        raise ExportError(f"{engine} answered {len(labels)} of {len(vectors.rows)} rows.")
    both = zip(answered, expected, strict=True)
    differences = [_difference(one, two) for row, other in both for one, two in zip(row, other, strict=True)]
    wrong = 0 if numbers else sum(one != two for one, two in zip(labels, vectors.labels, strict=True))
    return Verification(engine, len(labels), wrong, max(differences, default=0.0), sum(d != 0.0 for d in differences))


def _difference(answer: Any, expected: float) -> float:
    """The difference of two numbers, divided by the expected one if that is above 1; infinite without an answer."""
    if answer is not None and float(answer) == expected:
        return 0.0
    difference = math.inf if answer is None else abs(float(answer) - expected) / max(1.0, abs(expected))
    return math.inf if math.isnan(difference) else difference
