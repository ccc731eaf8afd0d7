"""Thousands of random models, in every engine that can say them: every label, and every bit of the numbers."""

from __future__ import annotations

from typing import Any

import pytest
from export.models import chain, many_values
from export.suite import TRIED, Tried, check_models, chunks, compared, exported_or_refused, skip_without

from quercus.export import ENGINES, program_of, vectors_of


def ready(tried: Tried, request: Any) -> None:
    skip_without(tried)
    if tried.engine == "postgres":
        request.getfixturevalue("postgres")


@pytest.mark.parametrize("tried, first, count", chunks("models"))
def test_random_models_are_answered_alike(tried: Tried, first: int, count: int, request: Any) -> None:
    ready(tried, request)
    check_models(tried, first, count)


@pytest.mark.slow
@pytest.mark.parametrize("tried, first, count", chunks("more"))
def test_many_random_models_are_answered_alike(tried: Tried, first: int, count: int, request: Any) -> None:
    ready(tried, request)
    check_models(tried, first, count)


@pytest.mark.parametrize("tried", [tried for tried in TRIED if tried.large], ids=str)
@pytest.mark.parametrize("make", [chain, many_values, lambda: many_values(binary=False)], ids=["deep", "sets", "wide"])
def test_deep_and_wide_trees_are_answered_alike(tried: Tried, make: Any, request: Any) -> None:
    ready(tried, request)
    model = make()
    exported = exported_or_refused(tried, program_of(model), make.__name__)
    if exported is not None:
        vectors = tried.rows(program_of(model), vectors_of(model, drawn=20, most=150))
        result = compared(tried.engine, ENGINES[tried.engine][1](exported, vectors), vectors)
        assert result.wrong == 0 and result.largest <= tried.largest, str(result)


def test_every_engine_takes_part() -> None:
    assert {tried.engine for tried in TRIED} == set(ENGINES)
