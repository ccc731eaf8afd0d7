"""Every result shows itself: one line, text as printed, HTML with every name escaped."""

from __future__ import annotations

import dataclasses
import inspect
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import quercus
from quercus import C45Classifier, CARTClassifier, CARTRegressor, RandomForestClassifier
from quercus.data import encode, encode_classes
from quercus.data.rows import Rows
from quercus.datasets import list_datasets
from quercus.files import read_file
from quercus.results import Result, Table

ROOMS = (
    "data", "datasets", "draw", "evaluation", "explain", "files", "fitted", "forests", "growing", "measures", "models",
    "predict", "pruning", "report", "rules", "tree",
)  # fmt: skip
#: Public classes that are no results: what results are made from, and what shows itself as a picture.
OTHERS = {
    "Attribute", "ClassTarget", "Dataset", "Schema", "DatasetEntry", "Chart", "Layout", "TableFile", "Decision",
    "Model", "Committee", "OutOfBagTally", "Recipe", "ModelFile", "Condition", "Interval", "ValueSet", "Grouped",
    "Multiway", "Node", "PruningMethod", "Subset", "Surrogate", "Threshold", "Tree", "Tracer",
    "ScoreSum",
}  # fmt: skip
HOSTILE = "<script>alert(1)</script>"


def public_classes() -> list[type]:
    found = {}
    for room in ROOMS:
        module = import_module(f"quercus.{room}")
        found |= {f"{room}.{name}": getattr(module, name) for name in module.__all__}
    # two classes of quercus.tree, a branch taken and a question, are no results
    return [
        value for name, value in found.items()
        if inspect.isclass(value) and value.__name__ not in OTHERS and name not in ("tree.BranchTaken", "tree.Test")
    ]  # fmt: skip


@pytest.mark.parametrize("kind", public_classes(), ids=lambda kind: kind.__name__)
def test_every_public_class_is_a_result_or_named_as_none(kind: type) -> None:
    assert issubclass(kind, Result), f"{kind.__name__} is neither a Result nor listed as something else"


@cache
def example() -> tuple[dict[str, list[Any]], list[str]]:
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
    colours = ["<red>", "<blue>", "<red>", "<blue>", "<red>", "<blue>"] * 2
    y = [HOSTILE if value > 6 or colour == "<red>" else "b" for value, colour in zip(values, colours, strict=True)]
    y[-1] = "b"
    return {HOSTILE: values, "colour": colours}, y


@cache
def results() -> dict[str, Any]:
    from quercus.evaluation import compare_models, corrected_paired_test, evaluate
    from quercus.explain import TraceWalk, competition, cost_of_use, gain_importance, permutation_importance
    from quercus.measures import best_threshold, chi_square, contingency_table, gain_table, permutation_significance
    from quercus.pruning import compare_pruning, cost_complexity_path, reduced_error

    X, y = example()
    model = C45Classifier(prune=False, min_objects=1).fit(X, y)
    cart = CARTClassifier().fit(X, y)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    dataset, target = encode(X), encode_classes(y)
    trace, answer, rules = model.trace(X, y), model.explain(X), model.rules()
    path = cost_complexity_path(cart.tree_)
    evaluation, gains = evaluate(model, X, y), gain_table(X, y)
    pruned = reduced_error(cart.tree_, dataset, target)
    table, counts = compare_pruning(cart.tree_, X, y, X, y), contingency_table(X["colour"], y)
    comparison = compare_models({HOSTILE: C45Classifier(), "cart": cart}, X, y, folds=3)
    measured = rules.measure(dataset, target)
    reasons, changes, talk = model.reason_codes(X), model.counterfactuals(X), model.consult()
    tuning = quercus.pruning.tune(
        lambda rows, truth, weights: CARTClassifier().fit(X, y).tree_, dataset, target, depths=[1, 2], folds=3
    )
    regression = CARTRegressor().fit(X, list(range(12)))
    way = quercus.rules.explain_c45_rules(model.tree_, dataset, target)
    asking = next(node for node in trace if node.candidates)
    found = [
        evaluation, evaluation.test, evaluation.test.calibration, evaluation.test.per_class[0],
        evaluate(regression, X, list(range(12))).test, corrected_paired_test([0.1, 0.2, 0.0], 0.5), comparison,
        comparison.rows[0], evaluation.test.calibration.bins[0], gains, gains[0], gains[0].branches[0], counts,
        best_threshold(X[HOSTILE], y), chi_square(counts.counts), permutation_significance(X["colour"], y),
        answer, answer.paths[0], answer.paths[0].steps[0], trace, asking, asking.candidates[0],
        asking.candidates[0].branches[0], TraceWalk(trace), changes, changes[0], changes[0].changes[0], reasons,
        reasons[0], talk, talk.question, talk.possible, rules, rules.rules[0], rules.explain(dataset),
        measured, measured[0], quercus.rules.class_formula(model.tree_, "b"), model.summary(X, y),
        gain_importance(model.tree_), permutation_importance(model.tree_, dataset, target), cost_of_use(model.tree_),
        pruned, path, path.pruned(1.0), path.pruned(1.0).removals[0], path.pruned(1.0).sequence[0], table, table[0],
        tuning, tuning.choices[0], forest.oob_curve_ if hasattr(forest, "oob_curve_") else None,
        cart.curve({"training": (X, y)}), quercus.importance(forest),
        quercus.partial_dependence(forest, X, ["colour"]), competition(trace, 0),
        quercus.explain.why_rules(rules, dataset, 0), quercus.distill(forest, X, y), way, way.leaves[0],
        quercus.evaluation.stability(C45Classifier(), X, y, samples=5),
    ]  # fmt: skip
    return {type(one).__name__: one for one in found if one is not None}


NAMES = (
    "Evaluation", "ClassScores", "Calibration", "ClassRow", "NumberScores", "PairedTest", "Comparison",
    "ComparisonRow", "CalibrationBin", "GainTable", "GainRow", "Branch", "ContingencyTable", "BestThreshold",
    "ChiSquareTest", "PermutationTest", "Answer", "Path", "Step", "Trace", "NodeTrace", "CandidateTrace",
    "BranchTrace", "TraceWalk", "Counterfactuals", "Counterfactual", "Change", "Reasons", "Reason", "Consultation",
    "Question", "Span", "RuleList", "Rule", "Explanation", "RuleTable", "RuleRow", "Formula", "Summary",
    "Importances", "CostOfUse", "Pruned", "AlphaPath", "Removal", "Cut", "PruningTable", "PruningRow",
    "TuningTable", "Choice", "Curve", "Importance", "PartialDependence", "Competition", "RuleAnswer", "Distilled",
    "Stability", "RulePruning", "PrunedRule",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_result_shows_itself_in_a_line_as_text_and_in_a_notebook(name: str) -> None:
    result = results()[name]
    line = repr(result)
    assert "\n" not in line and len(line) <= 300, line
    assert result.to_text() == str(result) != ""
    page = result._repr_html_()
    assert page == result.to_html()
    assert "<script" not in page and "<red>" not in page and page.startswith("<div")


@pytest.mark.parametrize("name", NAMES)
def test_the_pieces_of_a_table_are_the_same_in_text_html_and_latex(name: str) -> None:
    result = results()[name]
    if isinstance(result, Table):
        head = result.cells().rows[0]
        assert not isinstance(head, str)
        assert all(cell in str(result) for cell in head)
        assert result.to_html().count("<th") == len(head) + 1  # and <thead>
        lines = [line for line in result.to_latex().splitlines() if line.endswith(r"\\")]
        assert len(lines) == len(result.cells().rows)
        assert result.to_latex(document=True).rstrip().endswith(r"\end{document}")


def with_frame() -> list[str]:
    return [
        "GainTable", "ContingencyTable", "Comparison", "Calibration", "ClassScores", "RuleList", "RuleTable", "Pruned",
        "AlphaPath", "PruningTable", "TuningTable", "Curve", "Importance", "Importances", "PartialDependence", "Trace",
        "Reasons", "Counterfactuals", "Answer", "RuleAnswer", "Evaluation",
    ]  # fmt: skip


@pytest.mark.parametrize("name", with_frame())
def test_a_table_is_a_data_frame_on_request(name: str) -> None:
    pandas = pytest.importorskip("pandas")
    assert isinstance(results()[name].to_frame(), pandas.DataFrame)


def test_a_dataclass_of_many_fields_has_no_raw_form() -> None:
    """A result that a dataclass shows by all its fields has few and small ones."""
    for result in results().values():
        if dataclasses.is_dataclass(result) and not repr(result).startswith("<"):
            assert len(dataclasses.fields(result)) <= 8, type(result).__name__


def test_a_report_is_shown_in_a_frame_of_its_own(tmp_path: Path) -> None:
    X, y = example()
    report = quercus.report.report(C45Classifier().fit(X, y), X=X, y=y, title="Loans")
    assert "\n" not in repr(report) and "write(path)" in str(report)
    shown = report._repr_html_()
    assert shown.startswith("<iframe") and shown.count("<") == 2  # the page itself is all escaped, in srcdoc
    assert "allow-scripts" in shown and "allow-same-origin" not in shown
    assert report.write(tmp_path / "page.html").read_text(encoding="utf-8") == report.html


def test_writing_a_report_tells_where_it_stands(tmp_path: Path) -> None:
    X, y = example()
    assert quercus.report.write_report(C45Classifier().fit(X, y), str(tmp_path / "r.html")) == tmp_path / "r.html"


def test_what_results_are_made_from_shows_itself_in_one_line(tmp_path: Path) -> None:
    """However many rows and columns there are."""
    columns = {f"x{number}": list(range(500)) for number in range(40)}
    labels = ["No", "Yes"] * 250
    path = tmp_path / "table.csv"
    lines = [",".join([str(row)] * 40 + [label]) for row, label in enumerate(labels)]
    path.write_text("\n".join([",".join([*columns, "y"]), *lines]))
    dataset, target = encode(columns), encode_classes(labels)
    model = RandomForestClassifier(5, random_state=0).fit(columns, labels)
    shown = {
        "<Dataset: 500 rows, 40 attributes>": dataset,
        "<ClassTarget: 500 rows, classes 'No', 'Yes'>": target,
        "<Rows: 500 rows, 40 attributes>": Rows(dataset, target),
        f"<TableFile: {path} (delimited), 500 rows, 41 columns, target y>": read_file(path, target="y"),
        "<Proximities: 500 rows and 500, by 5 trees>": quercus.proximities(model, columns),
        "<Schema: x0 (numeric), x1 (numeric), x2 (numeric), x3 (numeric), x4 (numeric), x5 (numeric), 34 more>": (
            dataset.schema
        ),
    }
    assert [repr(value) for value in shown.values()] == list(shown)
    assert "<function" not in repr(list_datasets())
