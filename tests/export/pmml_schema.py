"""The XML schema of PMML 4.4, which JPMML's package holds, and exports that are checked by it.

JPMML's file is the schema of the Data Mining Group and some attributes and values of its own; all of these begin with
``x-``, and exports may not have them.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from export.suite import tried_model

from quercus.errors import ExportError
from quercus.export import Program, to_pmml

OPTIONS: tuple[dict[str, str], ...] = ({}, {"unknown": "refuse"}, {"rules": "rule_set"})


@cache
def pmml_schema() -> Any:
    """The schema; without it the test is skipped."""
    etree = pytest.importorskip("lxml.etree", reason="lxml is not installed")
    package = pytest.importorskip("jpmml_evaluator", reason="jpmml_evaluator, which has the schema, is not installed")
    for jar in sorted(Path(package.__file__).parent.glob("*/*.jar")):
        with zipfile.ZipFile(jar) as archive:
            if "pmml.xsd" in archive.namelist():
                return etree.XMLSchema(etree.fromstring(archive.read("pmml.xsd")))
    pytest.skip("this version of jpmml_evaluator holds no schema of PMML")


def schema_errors(document: str) -> list[str]:
    """What the schema says against a document."""
    from lxml import etree

    schema, root = pmml_schema(), etree.fromstring(document.encode(), etree.XMLParser(huge_tree=True))
    schema.validate(root)
    own = [f"{name} is JPMML's own" for element in root.iter() for name in element.attrib if name.startswith("x-")]
    return [*(f"line {error.line}: {error.message}" for error in schema.error_log), *own]


def check_schema(numbers: Iterable[int]) -> int:
    """Check the exports of some random models by the schema; returns how many there were."""
    count = 0
    for words, program, _ in map(tried_model, numbers):
        for document in _documents(program):
            assert not schema_errors(document), f"{words}: {schema_errors(document)[:3]}"
            count += 1
    return count


def _documents(program: Program) -> Iterable[str]:
    for options in OPTIONS:
        with suppress(ExportError):
            yield to_pmml(program, **options)
