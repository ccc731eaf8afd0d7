"""The page: one HTML file that contains everything, works offline and sends nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from quercus.errors import ParameterError, missing_extra
from quercus.export.runtime import runtime
from quercus.report.charts import chart_pictures
from quercus.report.content import page_content, page_data
from quercus.report.evidence import collect_evidence, with_test
from quercus.report.inline import Report
from quercus.report.subject import subject_of

#: In the order in which they build on each other.
SCRIPTS = (
    "elements.js", "words.js", "tree_model.js", "rule_model.js", "tidy_layout.js", "tree_view.js",
    "node_picture.js", "tree_picture.js", "viewport.js", "tree_keys.js", "node_panel.js", "trace_panel.js", "search.js",
    "pruning_chart.js", "pruning_slider.js", "case_fields.js", "case_form.js", "rules_table.js", "theme.js",
    "printing.js", "start.js",
)  # fmt: skip
STYLES = ("colours.css", "page.css", "tree.css", "panels.css", "print.css")

#: What ends a script early, or what a line of JavaScript may not hold, as JSON escapes.
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def report_html(
    model: Any,
    *,
    evidence: Mapping[str, Any] | None = None,
    provenance: Mapping[str, Any] | None = None,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    test: tuple[Any, ...] | None = None,
    title: str | None = None,
) -> str:
    """The report of a model: its tree to walk through, traces, pruning, rules, a form, curves, data and origin.

    model: a fitted estimator, a Tree or a RuleList; a forest's report has no tree, but all the rest. evidence: what
    :func:`collect_evidence` gathered when the model was fitted (a model file keeps it); without it, X and y let it be
    gathered now, and without these the report shows what the model itself knows. test: rows the model has not seen,
    (X, y) or (X, y, weights), to be shown beside. provenance: how the model was made. title: the heading.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> page = report_html(ID3Classifier().fit(X, y), X=X, y=y, title="PlayTennis")
    >>> page[:15], "<title>PlayTennis</title>" in page, "http://" in page.replace("http://www.w3.org", "")
    ('<!DOCTYPE html>', True, False)
    """
    if (X is None) != (y is None):
        raise ParameterError(f"{'X' if X is None else 'y'} is None; give both X and y, or neither.")
    subject = subject_of(model)
    if evidence is None and X is None:
        evidence = subject.model.evidence
    if evidence is None and X is not None:
        evidence = collect_evidence(model, X, y, sample_weight, test=test)
    elif test is not None:
        evidence = with_test(model, evidence, test)
    evidence = evidence or {}
    data = script_json(page_data(subject, evidence))
    # how a case is answered, and what exported JavaScript does, is one and the same program
    scripts = [runtime("answers.js"), *(_asset(name) for name in SCRIPTS)]
    script = "(() => {\n'use strict';\n" + "\n".join(scripts) + "\n})();"
    content = page_content(subject, evidence, provenance or {}, title)
    rendered: str = _template().render(
        **content,
        charts=chart_pictures(subject, evidence),
        data=data,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style="\n".join(_asset(name) for name in STYLES),
        bars=_bars,
    )
    return rendered.encode("utf-8", "replace").decode()


def write_report(
    model: Any,
    path: str | os.PathLike[str],
    *,
    evidence: Mapping[str, Any] | None = None,
    provenance: Mapping[str, Any] | None = None,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    test: tuple[Any, ...] | None = None,
    title: str | None = None,
) -> Path:
    """Write :func:`report_html` to a file, whole or not at all, and return where it stands.

    path: the file. All other options as of :func:`report_html`.
    """
    page = report_html(
        model,
        evidence=evidence,
        provenance=provenance,
        X=X,
        y=y,
        sample_weight=sample_weight,
        test=test,
        title=title,
    )
    return Report(page).write(path)


def report(
    model: Any,
    *,
    evidence: Mapping[str, Any] | None = None,
    provenance: Mapping[str, Any] | None = None,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    test: tuple[Any, ...] | None = None,
    title: str | None = None,
) -> Report:
    """The report to look at in a notebook; options as of :func:`report_html`.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> report(ID3Classifier().fit(*load_play_tennis()), title="PlayTennis")._repr_html_()[:45]
    '<iframe class="quercus-report" sandbox="allow'
    """
    return Report(
        report_html(
            model,
            evidence=evidence,
            provenance=provenance,
            X=X,
            y=y,
            sample_weight=sample_weight,
            test=test,
            title=title,
        )
    )


def script_json(data: Any) -> str:
    r"""JSON that can stand in a script element: no sign in it can end the element or be read as markup.

    >>> print(script_json({"name": "</script><img src=x>"}))
    {"name":"\u003c/script\u003e\u003cimg src=x\u003e"}
    """
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for sign, escape in _ESCAPES.items():
        text = text.replace(sign, escape)
    return text.encode("utf-8", "backslashreplace").decode()  # half a surrogate pair has no UTF-8


def _bars(counts: list[int], name: str) -> Any:
    """A small bar chart of a column."""
    from markupsafe import Markup

    tallest, width = max(counts, default=0) or 1, 132 / max(len(counts), 1)
    bars = "".join(
        f'<rect x="{place * width:.1f}" y="{26 - 25 * count / tallest:.1f}" width="{width - 1:.1f}" '
        f'height="{25 * count / tallest:.1f}"/>'
        for place, count in enumerate(counts)
    )
    head = Markup('<svg class="bars" viewBox="0 0 132 26" role="img" aria-label="Distribution of {}">').format(name)
    return head + Markup(bars + "</svg>")


@cache
def _asset(name: str) -> str:
    return files("quercus.report").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def _template() -> Any:
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise missing_extra("jinja2", "report") from error
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_asset("page.html"))
