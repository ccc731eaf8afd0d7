"""The conditions of a question's branches, the question itself and the page's script send rows where the core does."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from predict.random_trees import random_rows, random_schema, random_tree
from quercus.data import Dataset
from quercus.export.runtime import runtime
from quercus.predict import decision_path, predict_distribution
from quercus.report.subject import subject_of
from quercus.report.tree_data import attribute_data, tree_data
from quercus.tree import Tree
from quercus.tree.questions import Question

STYLES = ("numbers", "codes", "mixed")
SCRIPT = """
const out = JSON.parse(require("fs").readFileSync(0, "utf8")).map(({ data, values, rows }) => {
  const tree = new TreeModel(data);
  tree.routes.answers = values;
  return rows.map((row) => {
    const { visits, shares } = tree.classify(row);
    return { answer: shares, visits: visits.map(({ node, share }) => [node, share]) };
  });
});
console.log(JSON.stringify(out));
"""


def cases(n_trees: int) -> list[tuple[Tree, Dataset]]:
    result = []
    for seed in range(n_trees):
        random = np.random.default_rng([seed, 77])
        schema = random_schema(random, STYLES[seed % 3])
        tree = random_tree(random, schema, "any", int(random.choice([0, 2, 3])))
        result.append((tree, random_rows(random, schema, 20, 0.25, narrow=0.0)))
    return result


def by_conditions(question: Question, row: list[float], tree: Tree) -> int | None:
    """The branch whose condition the known values fulfil, None if there is none; never two."""
    code = row[tree.schema.position(question.attribute.name)]
    unknown = code != code or (code < 0 and not question.attribute.is_numeric)
    branches = [] if unknown else [b for b, c in enumerate(question.conditions()) if c.holds_code(code)]
    assert len(branches) <= 1
    return branches[0] if branches else None


def route(tree: Tree, row: list[float]) -> list[tuple[int, float, bool]]:
    """The nodes that a row comes to, with its share there and whether it ends, left to right."""
    stack, reached = [(0, 1.0)], []
    while stack:
        number, share = stack.pop()
        node = tree.node(number)
        question, first = node.test, int(tree.first_child[number])
        if question is None:
            reached.append((number, share, True))
            continue
        branch = by_conditions(question, row, tree)
        for surrogate in node.surrogates:
            told = by_conditions(surrogate.test, row, tree) if branch is None else None
            branch = branch if told is None else surrogate.children[told]
        branch = question.missing_child if branch is None else branch
        assert branch == node.branch_of(row)
        weights = tree.weight[first : first + question.n_branches].tolist()
        total = 0.0
        for weight in weights:
            total += weight
        parts = [(first + b, share * (weight / total)) for b, weight in enumerate(weights)] if total > 0 else []
        parts = [part for part in parts if part[1] > 0] if branch is None else [(first + branch, share)]
        reached.append((number, share, not parts))
        stack += reversed(parts)
    return reached


def rows_of(dataset: Dataset) -> list[list[float]]:
    return [[float(column[row]) for column in dataset.columns] for row in range(dataset.n_rows)]


def test_conditions_send_rows_where_the_core_does() -> None:
    for tree, dataset in cases(300):
        answers, paths = predict_distribution(tree, dataset), decision_path(tree, dataset, weights=True).toarray()
        values = tree.distributions()
        for number, row in enumerate(rows_of(dataset)):
            reached, answer, shares = route(tree, row), np.zeros(values.shape[1]), np.zeros(tree.n_nodes)
            for node, share, last in reached:
                shares[node] = share
                answer += share * values[node] * last
            assert np.array_equal(answers[number], answer)
            assert np.array_equal(paths[number], shares)


def test_questions_send_columns_as_single_values() -> None:
    for tree, dataset in cases(100):
        for node in tree.walk():
            if node.test is None:
                continue
            columns = [dataset.columns[position] for position in node.positions]
            each = [node.test.known_branch(*map(float, cells)) for cells in zip(*columns, strict=True)]
            assert node.test.branches_of(columns).tolist() == [-1 if branch is None else branch for branch in each]


def of_page(tree: Tree, dataset: Dataset) -> dict[str, Any]:
    """A tree as the page has it, and rows with None for unknown values."""
    subject = subject_of(tree)
    rows: list[list[float | None]] = []
    for row in rows_of(dataset):
        known = [cell == cell and (cell >= 0 or a.is_numeric) for cell, a in zip(row, tree.schema, strict=True)]
        rows.append([cell if there else None for cell, there in zip(row, known, strict=True)])
    classes = None if tree.classes is None else list(tree.classes)
    data = {"tree": tree_data(subject), "attributes": attribute_data(tree.schema, tree), "classes": classes}
    return {"data": data, "values": tree.distributions().tolist(), "rows": rows}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_script_of_the_page_sends_rows_where_the_core_does() -> None:
    pairs = cases(300)
    assets = files("quercus.report").joinpath("assets")
    model = assets.joinpath("tree_model.js").read_text(encoding="utf-8")
    script = "\n".join([runtime("answers.js"), model, SCRIPT])
    given = json.dumps([of_page(tree, dataset) for tree, dataset in pairs], allow_nan=False)
    done = subprocess.run(["node", "-e", script], input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for (tree, dataset), results in zip(pairs, json.loads(done.stdout), strict=True):
        answers, paths = predict_distribution(tree, dataset), decision_path(tree, dataset, weights=True).toarray()
        for number, result in enumerate(results):
            shares = np.zeros(tree.n_nodes)
            for node, share in result["visits"]:
                shares[node] = share
            assert result["answer"] == answers[number].tolist()
            assert np.array_equal(paths[number], shares)
