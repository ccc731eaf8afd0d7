"""Why this answer: the lecture's sums in words and as data, and paths that add up to what predict says."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from oracle.tables import random_case
from predict.random_trees import random_rows, random_schema, random_tree
from predict.twin import reached
from tree.build import build, cut, leaf, multiway, schema_of, stand_in, subset

from quercus import C45Classifier, CARTRegressor
from quercus.data import encode_like
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.explain.cells import Among, Between
from quercus.explain.why.decision import node_values
from quercus.explain.why.route import answer_of, walk
from quercus.explain.why.why import why
from quercus.growing.grow import grow
from quercus.predict import decision_path, label_codes, predict_distribution
from quercus.tree import Tree


def lecture_tree() -> Tree:
    """The split x <= 4.5 with the leaves 5/6 and 4/10."""
    return build(cut("x", 4.5, leaf([1, 5]), leaf([6, 4])), schema_of(x="numeric"), [0, 1])


def income_tree() -> Tree:
    """Two leaves at 75 % and 50 % with a half of the weight each."""
    schema = schema_of(Income=("low", "high"))
    return build(multiway("Income", leaf([1, 3]), leaf([2, 2])), schema, ["No", "Yes"])


def test_an_example_without_x_adds_up_to_0_5625() -> None:
    """5/6·6/16 + 4/10·10/16 = 0.5625, in words, as numbers and as an exact fraction."""
    answer = why(lecture_tree(), {"x": None})
    assert "1: 5/6·6/16 + 4/10·10/16 = 0.5625" in str(answer)
    assert answer.exact(1) == Fraction(9, 16)
    assert answer.label == 1
    data = answer.to_dict()
    assert [path["factors"] for path in data["paths"]] == [[[6, 16]], [[10, 16]]]
    assert [(path["counts"][1], path["total"]) for path in data["paths"]] == [(5, 6), (4, 10)]
    assert data["distribution"][1] == pytest.approx(0.5625, abs=1e-15)
    total = sum(path["share"] * path["values"][1] for path in data["paths"])
    assert total == data["distribution"][1]


@pytest.mark.parametrize(("threshold", "label"), [(0.6, "Yes"), (0.65, "No")])
def test_income_gets_62_5_percent_and_the_threshold_decides(threshold: float, label: str) -> None:
    """62.5 % reaches a threshold of 0.6, not one of 0.65; an unseen value is as an unknown one."""
    for unknown in (None, "never seen"):
        answer = why(income_tree(), {"Income": unknown}, decision_threshold=threshold)
        assert answer.sum_text("Yes") == "3/4·4/8 + 2/4·4/8 = 0.625"
        assert answer.exact("Yes") == Fraction(5, 8)
        assert answer.distribution.tolist() == [0.375, 0.625]
        assert answer.label == label
        assert answer.decision.by == "decision threshold"
        assert "62.5 %" in str(answer)
        assert answer.decision.changed == (label == "No")
        assert str(answer).endswith(f"Answer: {label}.")


def test_a_known_example_has_one_path_with_counts() -> None:
    """The path in words, as the lecture tells it."""
    tree = C45Classifier().fit(*load_play_tennis()).tree_
    answer = why(tree, {"Outlook": "Rain", "Wind": "Weak"})
    first = "14 examples: 9 Yes, 5 No → Outlook = Rain (5 examples: 3 Yes, 2 No) → Wind = Weak (3 examples: 3 Yes)"
    assert str(answer).splitlines()[0] == first + " → Yes, 3 of 3"
    assert [step.attribute for step in answer.steps] == ["Outlook", "Wind"]
    assert [step.value for step in answer.steps] == ["Rain", "Weak"]
    frame = answer.to_frame()
    assert frame["text"].tolist() == ["Outlook = Rain", "Wind = Weak"]


def test_costs_and_smoothing_say_what_they_changed() -> None:
    """Costs turn the answer; smoothing shows both shares."""
    answer = why(income_tree(), {"Income": "low"}, cost_matrix=[[0, 10], [1, 0]], smoothing="laplace")
    assert answer.distribution.tolist() == pytest.approx([2 / 6, 4 / 6])
    text = str(answer)
    assert "Expected costs of answering: No 0.6667·1 = 0.6667, Yes 0.3333·10 = 3.333. The least: No." in text
    assert "Laplace smoothing adds 1 to every count: No gets 33.33 % instead of 25 %." in text
    assert "By the plain shares alone the answer would be Yes." in text
    assert answer.decision.changed
    assert answer.exact("Yes") == Fraction(4, 6)
    assert why(income_tree(), {"Income": "low"}, smoothing=("m", 4)).exact("Yes") == (3 + 4 * Fraction(5, 8)) / 8


def test_numbers_add_up() -> None:
    """Regression: share times the leaf's value."""
    schema = schema_of(x="numeric")
    tree = build(cut("x", 1.0, leaf(mean=10.0, weight=3), leaf(mean=20.0, weight=1)), schema)
    answer = why(tree, {"x": None})
    assert answer.sum_text() == "10·3/4 + 20·1/4 = 12.5"
    assert answer.label == 12.5
    assert "Together: 10·3/4 + 20·1/4 = 12.5" in str(answer)
    assert "mean 12.5" in str(answer)
    known = why(tree, {"x": 5})
    assert str(known) == "4 examples, mean 12.5 → x > 1 (1 example, mean 20) → 20\nAnswer: 20."
    with pytest.raises(ParameterError, match="answers numbers"):
        why(tree, {"x": 5}, decision_threshold=0.5)


def test_other_policies_say_who_decided() -> None:
    """A surrogate, the branch of unknown values, a branch of their own, a value without branch."""
    schema = schema_of(Income="numeric", Age="numeric", Soil=("clay", "sand", "peat"))
    tree = build(
        cut(
            "Income",
            30,
            leaf([3, 1]),
            subset("Soil", {"clay": 0, "sand": 1}, leaf([2, 0]), leaf([0, 4]), missing=1),
            missing=1,
            surrogates=[stand_in("Age", 40.0, low=0)],
        ),
        schema,
        ["No", "Yes"],
    )
    by_surrogate = why(tree, {"Age": 35})
    assert by_surrogate.steps[0].how == "surrogate"
    assert "Income is unknown (or was never seen); its surrogate 1 decides: Age <= 40 stands for Income <= 30" in str(
        by_surrogate
    )
    assert "Age is 35" in str(by_surrogate)
    default = why(tree, {})
    assert [step.how for step in default.steps] == ["missing branch", "missing branch"]
    assert "Income is unknown (or was never seen), which goes where Income > 30." in str(default)
    peat = why(tree, {"Income": 50, "Soil": "peat"})
    assert "Soil is peat, without branch, which goes where Soil = sand." in str(peat)


def test_an_empty_branch_answers_as_the_node_above() -> None:
    """No example came there."""
    schema = schema_of(Wind=("Weak", "Strong", "Storm"))
    tree = build(multiway("Wind", leaf([0, 3]), leaf([1, 1]), leaf([0, 0])), schema, ["No", "Yes"])
    answer = why(tree, {"Wind": "Storm"})
    assert answer.label == "Yes"
    assert "no example came here" in str(answer)
    assert answer.exact("Yes") == 1


def test_many_paths_are_shown_in_part_and_kept_whole() -> None:
    """A hundred branches: all in the data, a few in the text."""
    names = tuple(f"v{i}" for i in range(100))
    tree = build(multiway("a", *(leaf([1, i + 1]) for i in range(100))), schema_of(a=names), ["No", "Yes"])
    answer = why(tree, {})
    assert len(answer.paths) == 100
    assert "more paths with" in str(answer)
    assert "more terms" in str(answer)
    assert len(str(answer).splitlines()) < 20


def test_wrong_rows_are_refused() -> None:
    """With the reason."""
    with pytest.raises(ParameterError, match="no attribute"):
        why(lecture_tree(), {"y": 1})
    with pytest.raises(ParameterError, match="no row 3"):
        why(lecture_tree(), encode_like({"x": [1.0]}, lecture_tree().schema), 3)
    with pytest.raises(ParameterError, match="smoothing"):
        why(lecture_tree(), {"x": 1}, smoothing="lots")
    with pytest.raises(DataError):
        why(lecture_tree(), encode_like({"y": [1.0]}, schema_of(y="numeric")))


@pytest.mark.parametrize("style", ["numbers", "codes", "mixed"])
def test_paths_add_up_to_what_predict_says(style: str) -> None:
    """On random trees of all kinds: the parts are those of decision_path, the sum is predict's, bit for bit."""
    for seed in range(150):
        random = np.random.default_rng([seed, len(style)])
        schema = random_schema(random, style)
        tree = random_tree(random, schema, n_classes=int(random.choice([0, 2, 3])))
        rows = random_rows(random, schema, 4, unknown=0.4)
        expected = predict_distribution(tree, rows)
        parts = decision_path(tree, rows, weights=True).toarray()
        for row in range(4):
            answer = why(tree, rows, row)
            assert answer.distribution.tolist() == expected[row].tolist()
            ends = {path.node: path.share for path in answer.paths}
            twin = {node: part for node, part, last in reached(tree, [c[row] for c in rows.columns]) if last}
            assert ends == twin
            assert all(parts[row, node] == share for node, share in ends.items())
            total = np.sum([np.multiply(path.share, path.values) for path in answer.paths], axis=0)
            assert total == pytest.approx(expected[row], abs=1e-12)
            exact = answer.exact()
            assert float(exact) == pytest.approx(
                expected[row][0] if tree.classes is None else expected[row][tree.classes.index(answer.label)], abs=1e-12
            )
            if tree.classes is not None:
                assert answer.label == tree.classes[label_codes(expected[row : row + 1])[0]]
            json.dumps(answer.to_dict(), allow_nan=False)
            assert str(answer)


def test_grown_trees_are_explained_as_they_predict() -> None:
    """Grown by random recipes on random tables; smoothed, with costs."""
    for seed in range(120):
        case = random_case(seed)
        tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
        smoothing = None if tree.is_regression else ("laplace", ("m", 1.5), None)[seed % 3]
        expected = predict_distribution(tree, case.dataset, node_values(tree, smoothing))
        for row in range(min(3, case.dataset.n_rows)):
            answer = why(tree, case.dataset, row, smoothing=smoothing, cost_matrix=case.cost_matrix)
            assert answer.distribution.tolist() == expected[row].tolist()
            if tree.classes is not None:
                code = label_codes(expected[row : row + 1], case.cost_matrix)[0]
                assert answer.label == tree.classes[code]
                assert float(answer.exact()) == pytest.approx(expected[row][code], abs=1e-12)


def test_ranges_follow_the_branches_they_allow() -> None:
    """By the weight of just these branches, narrowing on the way."""
    schema = schema_of(x="numeric", c=("p", "q", "r"))
    low = cut("x", 2.0, leaf([8, 0]), leaf([0, 4]))
    tree = build(cut("x", 5.0, low, multiway("c", leaf([1, 1]), leaf([0, 2]), leaf([3, 1]))), schema, ["No", "Yes"])

    def shares(cells: dict[int, object]) -> list[float]:
        return answer_of(walk(tree, cells), tree.distributions()).tolist()  # type: ignore[arg-type]

    assert shares({0: Between(3.0, 4.0)}) == [0, 1]
    assert shares({0: Between(1.0, 5.0)}) == pytest.approx([8 / 12, 4 / 12])
    both = [12 / 20 * 0 + 8 / 20 * 0.5, 12 / 20 * 1 + 8 / 20 * 0.5]
    assert shares({0: Between(3.0, 7.0), 1: 0.0}) == pytest.approx(both)
    assert shares({0: 9.0, 1: Among(frozenset([0, 2]))}) == pytest.approx(
        [2 / 6 * 0.5 + 4 / 6 * 0.75, 1 - (1 / 6 + 0.5)]
    )


def test_a_hostile_name_stays_on_its_line() -> None:
    """Names with line ends and quotes are shown escaped."""
    tree = CARTRegressor().fit({'a\n"<b>"': [1.0, 2.0]}, [1.0, 5.0]).tree_
    answer = why(tree, {'a\n"<b>"': 1.0})
    assert len(str(answer).splitlines()) == 2
