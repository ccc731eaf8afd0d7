"""What a trace says is true: weights are weights, unknown values are told, and wrong input gets a clear message."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import quercus
from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.explain import Trace
from quercus.measures import poisson_deviance

X, Y = load_play_tennis()
HOLES = X.astype(object).copy()
HOLES.iloc[0, 0] = None
HOLES.iloc[5, 2] = None


def test_weighed_counts_are_not_called_examples() -> None:
    model = CARTClassifier(priors={"No": 0.5, "Yes": 0.5}, max_depth=1).fit(X, Y)
    text = model.trace(X, Y).to_text()
    assert "14 examples of weight 14: 7 No, 7 Yes" in text and "14 examples: " not in text
    assert "Outlook = Overcast        4 examples of weight 3.11: 3.11 Yes" in text
    assert str(model.explain(X, row=0)).startswith("14 examples of weight 14: 7 No, 7 Yes")
    again = Trace.from_dict(model.trace(X, Y).to_dict())
    assert again.to_text() == text


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("own_value", "Outlook unknown: 1, unknown counts as a value of its own, in the branch Outlook unknown"),
        ("most_common", "Outlook unknown: 1, unknown counts as the most common value here, in the branch Outlook = R"),
        ("class_most_common", "Outlook unknown: 1, unknown counts as the most common value that examples of the same"),
        ("fractional", "Outlook unknown: 1, left out here, then shared among the branches"),
    ],
)
def test_unknown_values_are_told(missing: str, words: str) -> None:
    trace = C45Classifier(missing=missing, prune=False).fit(HOLES, Y).trace(HOLES, Y)
    candidate = trace.node(0).candidate("Outlook")
    assert candidate.unknown + candidate.placed == 1
    assert words in trace.to_text(0) and words in Trace.from_dict(trace.to_dict()).to_text(0)
    assert "unknown: 1" in trace.to_latex(0)


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(1), 3])
def test_a_loaded_model_of_held_out_rows_can_be_traced(random_state: object, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.integers(0, 5, 60), "b": rng.integers(0, 50, 60).astype(float)})
    target = np.where(table["b"] + rng.normal(0, 5, 60) > 25, "u", "v")
    model = CARTClassifier(prune="reduced_error", random_state=random_state).fit(table, target)
    quercus.save(model, tmp_path / "model.json")
    loaded = quercus.load(tmp_path / "model.json")
    assert loaded.trace(table, target).to_text() == model.trace(table, target).to_text()
    with pytest.raises(DataError, match=r"without the share that is held out to prune by, 41 of these 59 rows"):
        loaded.trace(table[:59], target[:59])


def test_wrong_rows_are_told_by_what_differs() -> None:
    model = ID3Classifier().fit(X, Y)
    with pytest.raises(DataError, match=r"fitted to: there are 10 rows, but the tree was grown from 14\. Give the X"):
        model.trace(X[:10], Y[:10])
    other = np.array(Y).copy()
    other[0] = "Yes"
    with pytest.raises(DataError, match="there are 10 Yes, 4 No, but the tree was grown from 9 Yes, 5 No"):
        model.trace(X, other)
    other[[0, 2]] = "Yes", "No"
    with pytest.raises(DataError, match=r"to node 1 \(Outlook = Overcast\) come 3 Yes, 1 No, but in growing there"):
        model.trace(X, other)


def test_branches_and_formula_have_one_order() -> None:
    table = pd.DataFrame({"City": [f"c{i:02d}" for i in range(20)] + ["c19"] * 5})
    target = ["a", "b"] * 12 + ["a"]
    text = ID3Classifier().fit(table, target).trace(table, target).to_text(0, max_branches=3)
    places = [text.index(f"City = c{i:02d}") for i in range(3)]
    assert places == sorted(places) and "City = c19" not in text and "… 17 branches more" in text


def test_the_mean_gain_says_whom_it_leaves_out() -> None:
    twice = pd.concat([X.assign(Day=[f"D{i}" for i in range(14)])] * 2, ignore_index=True)
    trace = C45Classifier(prune=False).fit(twice, [*Y, *Y]).trace(twice, [*Y, *Y])
    node = trace.node(0)
    narrow = [c.gain for c in node.candidates if c.attribute != "Day" and c.gain is not None]
    assert node.wide == (4,) and node.mean_gain == pytest.approx(np.mean(narrow))
    words = "without Day, which has too many values for 28 training rows"
    assert words in trace.to_text(0) and words in Trace.from_dict(trace.to_dict()).to_text(0)


@pytest.mark.parametrize("number", ["a", 1.7, True, None, 99, -1])
def test_a_node_is_a_whole_number(number: object) -> None:
    model = ID3Classifier().fit(X, Y)
    trace, summary = model.trace(X, Y), model.summary(X, Y)
    for ask in (trace.node, model.tree_.node, summary.node_text, summary.competition, summary.relative_alpha):
        with pytest.raises(ParameterError, match="the tree's nodes are 0 … 7"):
            ask(number)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="the tree's nodes are 0 … 7"):
        model.trace(X, Y, nodes=[number])  # type: ignore[list-item]


def test_poisson_and_absolute_error_are_named_truthfully() -> None:
    table, target = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6.0]}), np.array([0, 1, 2, 2, 5, 9.0])
    trace = CARTRegressor(criterion="poisson", max_depth=1).fit(table, target).trace(table, target)
    assert trace.impurity_name == "half the mean Poisson deviance"
    assert 2 * trace.node(0).impurity == pytest.approx(poisson_deviance(target))
    text = CARTRegressor(criterion="absolute_error", max_depth=1).fit(table, target).trace(table, target).to_text(0)
    assert "6 examples: median 2, mean 3.16667" in text and "x > 5.5   1: median 9, mean 9" in text
