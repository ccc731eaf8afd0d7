"""The form answers what the model answers, for every model and every unknown value, and lights the paths."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from browser import reports
from quercus import C45RulesClassifier, CARTClassifier, CARTRegressor, ID3Classifier, PARTClassifier, RIPPERClassifier
from quercus.data.dataset import encode_like
from quercus.datasets import load_play_tennis
from quercus.report import report_html


def random_rows(table: dict[str, list[Any]], n_rows: int, seed: int) -> dict[str, list[Any]]:
    """Rows that mix the values of the table anew, with many unknown ones and values at and beside the thresholds."""
    random = np.random.default_rng(seed)
    rows: dict[str, list[Any]] = {}
    for name, column in table.items():
        known = [value for value in column if value is not None]
        picked = [known[i] for i in random.integers(0, len(known), n_rows)]
        rows[name] = [None if random.random() < 0.35 else value for value in picked]
    return rows


def codes_of(model: Any, rows: dict[str, list[Any]]) -> list[list[float | None]]:
    """The rows as the page's function takes them: numbers and codes, None for unknown."""
    dataset = encode_like(rows, model.schema_)
    result: list[list[float | None]] = [[] for _ in range(dataset.n_rows)]
    for attribute, column in zip(dataset.schema, dataset.columns, strict=True):
        for row, code in zip(result, column.tolist(), strict=True):
            unknown = code != code or (not attribute.is_numeric and code < 0)
            row.append(None if unknown else float(code))
    return result


def assert_same_answers(page: Any, model: Any, rows: dict[str, list[Any]]) -> None:
    answers = np.array(page.evaluate("rows => rows.map(quercus.classify)", codes_of(model, rows)))
    expected = model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows)[:, None]
    np.testing.assert_allclose(answers, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", reports.MODELS)
def test_answers_equal_those_of_the_model(name: str, open_report: Any) -> None:
    table, labels = reports.mixed_table()
    model = reports.MODELS[name]().fit(table, labels)
    page = open_report(report_html(model))
    rows = random_rows(table, 300, seed=1)
    assert_same_answers(page, model, rows)
    shown = page.evaluate("rows => rows.map(row => quercus.label(quercus.classify(row)))", codes_of(model, rows))
    assert shown == model.predict(rows).tolist()


@pytest.mark.parametrize(
    "rules", [C45RulesClassifier(), C45RulesClassifier(unknown="tree"), PARTClassifier(), RIPPERClassifier()]
)
def test_rules_answer_as_in_python(rules: Any, open_report: Any) -> None:
    table, labels = reports.mixed_table()
    model = rules.fit(table, labels)
    page = open_report(report_html(model))
    assert_same_answers(page, model, random_rows(table, 200, seed=2))


def test_voting_rules_answer_as_in_python(open_report: Any) -> None:
    table, labels = reports.mixed_table()
    model = PARTClassifier().fit(table, labels)
    model = replace(model.model_, rule_list=model.rules_.with_mode("voting")).as_estimator()
    page = open_report(report_html(model))
    assert_same_answers(page, model, random_rows(table, 200, seed=3))


def test_regression_answers_numbers(open_report: Any) -> None:
    table, _ = reports.mixed_table()
    numbers = np.random.default_rng(0).normal(size=400).tolist()
    model = CARTRegressor(max_depth=6).fit(table, numbers)
    page = open_report(report_html(model))
    assert_same_answers(page, model, random_rows(table, 100, seed=4))


def fill_in(page: Any, model: Any, row: dict[str, Any]) -> None:
    for place, attribute in enumerate(model.schema_):
        field = page.locator(f"#case-{place}")
        value = row[attribute.name]
        if not field.count():
            continue
        if attribute.values:
            field.select_option("" if value is None else str(attribute.code(value)))
        else:
            field.fill("" if value is None else value.isoformat() if isinstance(value, dt.date) else repr(value))


def test_a_reader_can_fill_the_form_in(open_report: Any) -> None:
    table, labels = reports.mixed_table()
    model = reports.MODELS["c45"]().fit(table, labels)
    page = open_report(report_html(model))
    page.get_by_role("tab", name="New case").click()
    rows = random_rows(table, 8, seed=5)
    probabilities, answers = model.predict_proba(rows), model.predict(rows)
    for i in range(8):
        fill_in(page, model, {name: column[i] for name, column in rows.items()})
        assert page.locator("#case-answer .label").inner_text() == answers[i]
        percents = page.locator("#case-answer .counts .value").all_inner_texts()
        np.testing.assert_allclose(
            [float(text.removesuffix(" %")) for text in percents], 100 * np.sort(probabilities[i])[::-1], atol=0.06
        )


def test_an_unknown_value_lights_all_paths_with_their_shares(open_report: Any) -> None:
    X, y = load_play_tennis()
    model = ID3Classifier(missing="fractional").fit(X, y)
    page = open_report(report_html(model, X=X, y=y))
    page.get_by_role("tab", name="New case").click()
    form = page.locator("#case-form")
    form.get_by_label("Humidity").select_option(label="High")
    form.get_by_label("Wind").select_option(label="Weak")
    reports.drawn(page)
    shares = page.locator(".share-text").all_text_contents()
    assert shares[0] == "100 %" and "35.71 %" in shares and "28.57 %" in shares
    answer = model.predict_proba({"Outlook": [None], "Temperature": [None], "Humidity": ["High"], "Wind": ["Weak"]})[0]
    assert page.locator("#case-answer .value").all_inner_texts() == [
        f"{100 * share:.2f} %" for share in sorted(answer, reverse=True)
    ]
    page.get_by_role("button", name="Clear: all unknown").click()
    reports.drawn(page)
    assert page.locator(".share-text").count() == 0


def test_a_text_that_is_no_number_is_refused_and_counts_as_unknown(open_report: Any) -> None:
    page = open_report(reports.regression())
    page.get_by_role("tab", name="New case").click()
    before = page.locator("#case-answer .label").inner_text()
    page.get_by_label("x", exact=True).fill("12,5 apples")
    assert page.get_by_label("x", exact=True).get_attribute("aria-invalid") == "true"
    assert "needed: a number" in page.locator(".problem:visible").inner_text()
    assert page.locator("#case-answer .label").inner_text() == before


def test_dates_are_read_to_the_microsecond(open_report: Any) -> None:
    moments = [dt.datetime(2024, 5, 1, 12, 30, 15, 250), dt.datetime(1969, 12, 31, 23, 59, 59, 999_999)]
    table = {"when": [dt.datetime(2024, 1, 1), *moments, dt.datetime(1900, 2, 28)]}
    model = CARTClassifier().fit(table, ["a", "b", "a", "b"])
    page = open_report(report_html(model))
    place = model.schema_.position("when")
    for moment in moments:
        expected = float(encode_like({"when": [moment]}, model.schema_).columns[place][0])
        page.locator(f"#case-{place}").evaluate("(field, text) => { field.value = text; }", moment.isoformat(sep=" "))
        found = page.evaluate("place => quercus.form.row()[place]", place)
        assert found == expected
