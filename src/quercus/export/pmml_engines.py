"""Engines that run exports to PMML on test vectors: JPMML and PMML4S, both in a Java machine of their own."""

from __future__ import annotations

import json
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any

from quercus.errors import DependencyError, ExportError
from quercus.export.engines import Answers, _class_of, _microseconds
from quercus.export.pmml_xml import value_as_text
from quercus.export.vectors import Vectors


@cache
def _java() -> Any:
    """JPMML in a Java machine of its own, which ends with this process; it is started once."""
    try:
        import jpmml_evaluator
        from jpmml_evaluator.py4j import Py4JBackend
        from py4j.java_gateway import JavaGateway
    except ImportError as error:
        raise DependencyError(
            "Running exports to PMML by JPMML needs the package jpmml_evaluator: pip install jpmml_evaluator."
        ) from error
    _need_java()
    jars = sorted(Path(jpmml_evaluator.__file__).parent.glob("*/*.jar"))
    path = os.pathsep.join(str(jar) for jar in jars)
    return Py4JBackend(JavaGateway.launch_gateway(classpath=path, die_on_exit=True))


def _need_java() -> None:
    if shutil.which("java") is None:
        raise DependencyError(
            "Running exports to PMML needs a Java runtime, and no program called java is on the path."
        )


def run_jpmml(exported: Any, vectors: Vectors) -> Answers:
    """Run an exported PMML document by JPMML-Evaluator."""
    return _pmml_answers(jpmml_outputs(exported, vectors), vectors)


def jpmml_outputs(exported: Any, vectors: Vectors) -> dict[str, list[Any]]:
    """All output fields of the rows by JPMML-Evaluator."""
    backend = _java()
    import jpmml_evaluator
    import pandas

    columns = {name: _pmml_cells(vectors, place) for place, name in enumerate(vectors.names)}
    try:
        evaluator = jpmml_evaluator.make_evaluator(exported.encode(), backend=backend)
        if columns:
            table = evaluator.evaluateAll(pandas.DataFrame(columns, dtype=object))
        else:  # a table without columns has no rows
            table = pandas.DataFrame([evaluator.evaluate({})] * len(vectors.rows))
    except Exception as error:  # of Java, of any class
        raise ExportError(f"JPMML refuses the export: {str(error)[:500]}") from error
    if "errors" in table and table["errors"].notna().any():
        raise ExportError(f"JPMML does not answer a row: {table['errors'].dropna().iloc[0]}")
    return {name: table[name].tolist() for name in table}


def run_pypmml(exported: Any, vectors: Vectors) -> Answers:
    """Run an exported PMML document by PMML4S, which the package pypmml brings."""
    return _pmml_answers(pypmml_outputs(exported, vectors), vectors)


def pypmml_outputs(exported: Any, vectors: Vectors) -> dict[str, list[Any]]:
    """All output fields of the rows by PMML4S."""
    try:
        import pypmml
    except ImportError as error:
        raise DependencyError(
            "Running exports to PMML by PMML4S needs the package pypmml: pip install pypmml."
        ) from error
    _need_java()
    cells = [_pmml_cells(vectors, place) for place in range(len(vectors.names))]
    rows = [list(row) for row in zip(*cells, strict=True)] or [[]] * len(vectors.rows)
    try:
        model = pypmml.Model.fromString(exported)
        answers = json.loads(model.predict(json.dumps({"columns": vectors.names, "data": rows})))
    except Exception as error:  # of Java, of any class
        raise ExportError(f"PMML4S refuses the export: {str(error)[:500]}") from error
    return {name: [row[place] for row in answers["data"]] for place, name in enumerate(answers["columns"])}


def _pmml_cells(vectors: Vectors, place: int) -> list[Any]:
    return [_microseconds(row[place]) for row in vectors.rows]


def _pmml_answers(columns: dict[str, list[Any]], vectors: Vectors) -> Answers:
    """The labels and shares of the output fields."""
    first, *names = vectors.target_kind.output_names(value_as_text)
    answers = columns[first]
    unanswered = [number for number, answer in enumerate(answers) if answer is None or answer != answer]
    if unanswered:
        raise ExportError(f"The engine gives no answer to row {unanswered[0]}: {vectors.rows[unanswered[0]]!r}.")
    if not vectors.has_classes:
        return answers, []
    if names[0] not in columns:
        raise ExportError('The document tells no shares of the classes: export it without rules="rule_set".')
    shares = [list(row) for row in zip(*(columns[name] for name in names), strict=True)]
    return [_class_of(label, vectors) for label in answers], shares
