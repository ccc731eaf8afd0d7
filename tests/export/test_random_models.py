"""Thousands of random models, in every engine that can say them: every label, and every bit of the numbers."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from export.databases import by_spark, in_spark
from export.models import chain, many_values
from export.pmml_schema import check_schema, schema_errors
from export.suite import (
    BLOCK,
    MANY,
    TRIED,
    Tried,
    answered,
    check_answer,
    check_models,
    exported_or_refused,
    skip_without,
)

from quercus import CARTClassifier, ID3Classifier
from quercus.export import ENGINES, program_of, to_pmml, vectors_of


def ready(tried: Tried, request: Any) -> None:
    skip_without(tried)
    if str(tried) in ("postgres", "mariadb"):
        request.getfixturevalue(str(tried))


@pytest.mark.parametrize("tried", [tried for tried in TRIED if tried.models], ids=str)
def test_random_models_are_answered_alike(tried: Tried, request: Any) -> None:
    ready(tried, request)
    assert check_models(tried, range(tried.models)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MANY, BLOCK))
def test_every_engine_answers_thousands_of_models_alike(first: int, request: Any) -> None:
    """A block of models is fitted once and goes through all engines; an engine that is not there was skipped above."""
    for tried in TRIED:
        with suppress(pytest.skip.Exception):
            ready(tried, request)
            said = check_models(tried, range(first, first + BLOCK))
            print(f"{tried}: {said} of {BLOCK} models can be said")
    with suppress(pytest.skip.Exception):
        print(f"{check_schema(range(first, first + BLOCK))} documents of PMML follow the schema")


@pytest.mark.slow
def test_spark_answers_random_models_alike() -> None:
    """Fewer of them: Spark takes half a second for a query."""
    spark = Tried("sqlite", 72, {"dialect": "spark", "key": "id"}, in_spark, 0.0, "pyspark", by_spark, name="spark")
    skip_without(spark)
    assert check_models(spark, range(spark.models)) > 40


def test_documents_of_pmml_follow_the_schema() -> None:
    assert check_schema(range(48)) > 48


def test_the_schema_finds_a_wrong_document() -> None:
    document = to_pmml(CARTClassifier().fit({"x": [1.0, 2.0]}, ["a", "b"]))
    assert not schema_errors(document)
    assert schema_errors(document.replace("<TreeModel ", '<TreeModel depth="2" ', 1))
    assert schema_errors(document.replace("<True/>", "", 1))


@pytest.mark.parametrize("tried", [tried for tried in TRIED if tried.large], ids=str)
@pytest.mark.parametrize("make", [chain, many_values, lambda: many_values(binary=False)], ids=["deep", "sets", "wide"])
def test_deep_and_wide_trees_are_answered_alike(tried: Tried, make: Any, request: Any) -> None:
    ready(tried, request)
    model = make()
    exported = exported_or_refused(tried, program_of(model), make.__name__)
    if exported is not None:
        vectors = tried.rows(program_of(model), vectors_of(model, drawn=20, most=150))
        check_answer(tried, "large", answered(tried, [(exported, vectors)])[0], vectors)


PAYLOADS = [
    '"""\nopen("pwned", "w")\n"""',
    "'''\nopen('pwned', 'w')#",
    "`);import('node:fs').then((f)=>f.writeFileSync('pwned',''));//",
    "\u2028import('node:fs').then((f)=>f.writeFileSync('pwned',''))",
    "*/\n#error pwned\n/*",
    '"}; int system(const char*); int x = system("touch pwned"); //',
    "??/",
    "'; DROP TABLE rows; --",
    '"; DROP TABLE rows; --',
    "\\'; DROP TABLE rows; --",
    "$$; DROP TABLE rows; $$",
    "]]; DROP TABLE rows; --",
    '=HYPERLINK("http://x")',
    "</script><script>alert(1)</script>",
]


@pytest.mark.parametrize("tried", [tried for tried in TRIED if tried.large], ids=str)
def test_no_name_value_or_class_gets_out_of_its_quotes(
    tried: Tried, request: Any, tmp_path: Any, monkeypatch: Any
) -> None:
    ready(tried, request)
    monkeypatch.chdir(tmp_path)
    columns: dict[str, Any] = {name: PAYLOADS[place:] + PAYLOADS[:place] for place, name in enumerate(PAYLOADS[:4])}
    columns |= {name: [float(i * 7 % 14) for i in range(14)] for name in PAYLOADS[4:]}
    for maker in (CARTClassifier(), ID3Classifier()):
        program = program_of(maker.fit(columns, PAYLOADS))
        exported = exported_or_refused(tried, program, "payloads")
        if exported is not None:
            vectors = vectors_of(program, drawn=20)
            check_answer(tried, "payloads", answered(tried, [(exported, vectors)])[0], vectors)
    assert not (tmp_path / "pwned").exists()


def test_every_engine_takes_part() -> None:
    assert {tried.engine for tried in TRIED} == set(ENGINES)
