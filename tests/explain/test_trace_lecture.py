"""The trace of PlayTennis has the figures of the lecture, and the sentences and formulas a student would write."""

from __future__ import annotations

import math
from math import copysign, log2

import pytest

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.datasets import load_play_tennis
from quercus.errors import ParameterError
from quercus.explain import Trace


@pytest.fixture(scope="module")
def trace() -> Trace:
    X, y = load_play_tennis()
    return ID3Classifier().fit(X, y).trace(X, y)


def gains(trace: Trace, node: int) -> dict[str, float]:
    return {c.attribute: c.gain for c in trace.node(node).candidates if c.gain is not None}


def entropy(*counts: int) -> float:
    return -sum(c / sum(counts) * log2(c / sum(counts)) for c in counts if c)


def test_gains_of_the_root(trace: Trace) -> None:
    whole = entropy(9, 5)
    expected = {
        "Outlook": whole - 5 / 14 * entropy(2, 3) * 2,
        "Humidity": whole - 7 / 14 * entropy(3, 4) - 7 / 14 * entropy(6, 1),
        "Wind": whole - 8 / 14 * entropy(6, 2) - 6 / 14 * entropy(3, 3),
        "Temperature": whole - 4 / 14 * entropy(2, 2) - 6 / 14 * entropy(4, 2) - 4 / 14 * entropy(3, 1),
    }
    assert gains(trace, 0) == pytest.approx(expected, abs=1e-12)
    rounded = {name: round(gain, 4) for name, gain in gains(trace, 0).items()}
    assert rounded == {"Outlook": 0.2467, "Humidity": 0.1518, "Wind": 0.0481, "Temperature": 0.0292}


def test_gains_under_sunny(trace: Trace) -> None:
    sunny = next(node for node in trace if node.path == ("Outlook = Sunny",))
    assert sunny.values == (3.0, 2.0)
    assert sunny.impurity == pytest.approx(entropy(2, 3), abs=1e-12)
    rounded = {name: round(gain, 3) for name, gain in gains(trace, sunny.node).items()}
    assert rounded == {"Humidity": 0.971, "Temperature": 0.571, "Wind": 0.02}
    assert sunny.candidate("Outlook").status == "asked above"


def test_the_root_in_words_and_formulas(trace: Trace) -> None:
    root = trace.node(0)
    assert root.formula == "−9/14·log2(9/14) − 5/14·log2(5/14) = 0.940"
    assert root.decision == "Outlook is asked: its gain 0.247 is the largest, 0.095 above Humidity with 0.152."
    assert root.candidates[root.chosen or 0].attribute == "Outlook"
    assert root.candidates[root.runner_up or 0].attribute == "Humidity"
    assert root.margin == pytest.approx(0.2467 - 0.1518, abs=1e-4)
    text = trace.to_text(0)
    assert "gain(Humidity) = 0.940 − 7/14·0.985 − 7/14·0.592 = 0.152" in text
    assert "Outlook = Sunny     5: 3 No, 2 Yes; entropy 0.971" in text


def test_a_pure_leaf_says_so(trace: Trace) -> None:
    overcast = next(node for node in trace if node.path == ("Outlook = Overcast",))
    assert overcast.is_leaf
    assert overcast.decision == "Leaf: one class only, 4 Yes."
    assert overcast.candidates == ()


def test_gain_ratio_and_gate_of_c45() -> None:
    X, y = load_play_tennis()
    root = C45Classifier().fit(X, y).trace(X, y, nodes=[0]).node(0)
    outlook, wind = root.candidate("Outlook"), root.candidate("Wind")
    assert outlook.split_information == pytest.approx(1.5774, abs=1e-4)
    assert outlook.worth == pytest.approx(0.2467 / 1.5774, abs=1e-4)
    assert root.mean_gain == pytest.approx((0.2467 + 0.1518 + 0.0481 + 0.0292) / 4, abs=1e-4)
    assert wind.status == "below the mean gain"
    assert wind.worth is None
    assert wind.why == "its gain 0.048 is below the mean gain 0.119 − 0.001"


def test_formulas_of_the_other_criteria() -> None:
    X, y = load_play_tennis()
    assert CARTClassifier().fit(X, y).trace(X, y, nodes=[0]).node(0).formula == "1 − (9/14)² − (5/14)² = 0.459"
    model = CARTClassifier(criterion="misclassification").fit(X, y)
    assert model.trace(X, y, nodes=[0]).node(0).formula == "1 − 9/14 = 0.357"
    table, numbers = {"x": [1, 2, 3]}, [1, 2, 6]
    expected = {
        "squared_error": "Σ(y − 3)²/3 = 14/3 = 4.667",
        "absolute_error": "Σ|y − 2|/3 = 5/3 = 1.667",
        "poisson": "Σ(y·ln(y/3) − y + 3)/3 = 2.249/3 = 0.750",
    }
    for criterion, formula in expected.items():
        grown = CARTRegressor(criterion=criterion).fit(table, numbers)
        assert grown.trace(table, numbers, nodes=[0]).node(0).formula == formula


def test_costs_of_errors_are_shown() -> None:
    X, y = load_play_tennis()
    model = CARTClassifier(cost_matrix={("No", "Yes"): 3}).fit(X, y)
    trace = model.trace(X, y, nodes=[0])
    assert trace.multipliers == (1.5, 0.5)
    root = trace.node(0)
    assert root.formula == "1 − (7.5/12)² − (4.5/12)² = 0.469"
    assert "No 5·1.5 = 7.5, Yes 9·0.5 = 4.5" in trace.to_text(0)


def test_unknown_values_take_a_share() -> None:
    X = {"a": ["l", "l", "r", "r", None], "b": ["u", "v", "u", "v", "u"]}
    y = ["No", "No", "Yes", "Yes", "Yes"]
    root = ID3Classifier(missing="fractional").fit(X, y).trace(X, y, nodes=[0])
    a = root.node(0).candidate("a")
    assert a.unknown == 1.0
    assert a.gain == pytest.approx(4 / 5)
    assert "gain(a) = 4/5·(1.000 − 2/4·0 − 2/4·0) = 0.800" in root.to_text(0)


def test_ties_are_named_and_broken_by_order() -> None:
    X = {"first": ["a", "a", "b", "b"], "copy": ["a", "a", "b", "b"], "other": ["a", "b", "a", "b"]}
    y = ["No", "No", "Yes", "Yes"]
    root = ID3Classifier().fit(X, y).trace(X, y).node(0)
    assert root.tied == (1,)
    assert [c.status for c in root.candidates] == ["chosen", "tied", "lost"]
    assert root.decision == "first is asked: its gain 1.000 is tied with copy, and it comes first in the table."
    assert root.margin == 0.0


def test_thresholds_tried_are_kept_on_demand() -> None:
    X, y = {"Temperature": [40, 48, 60, 72, 80, 90]}, ["No", "No", "Yes", "Yes", "Yes", "No"]
    root = ID3Classifier().fit(X, y).trace(X, y, nodes=[0], cuts=["Temperature"]).node(0)
    temperature = root.candidate("Temperature")
    assert temperature.threshold == 54
    assert temperature.cuts is not None
    assert [threshold for threshold, _ in temperature.cuts] == [44, 54, 66, 76, 85]
    tried = {threshold: gain for threshold, gain in temperature.cuts}
    assert (round(tried[54] or 0, 3), round(tried[85] or 0, 3)) == (0.459, 0.191)
    assert ID3Classifier().fit(X, y).trace(X, y, nodes=[0]).node(0).candidate("Temperature").cuts is None


def test_a_pure_node_has_the_impurity_0_and_not_minus_0() -> None:
    """In the frame, in the nodes and in the branches."""
    X, y = load_play_tennis()
    for model in (ID3Classifier(), CARTClassifier()):
        trace = model.fit(X, y).trace(X, y)
        numbers = [node.impurity for node in trace] + trace.to_frame()["impurity"].tolist()
        numbers += [branch.impurity for node in trace for one in node.candidates for branch in one.branches]
        numbers += [one.known_impurity for node in trace for one in node.candidates]
        assert 0.0 in numbers
        assert all(copysign(1.0, number) == 1.0 for number in numbers)


def test_entropies_by_natural_logarithms() -> None:
    """The same trace in nats: every entropy and gain times ln 2, the sentences and formulas with it."""
    X, y = load_play_tennis()
    model = ID3Classifier().fit(X, y)
    bits, nats = model.trace(X, y), model.trace(X, y, base=math.e)
    assert nats.node(0).formula == "−9/14·ln(9/14) − 5/14·ln(5/14) = 0.652"
    assert nats.node(0).impurity == pytest.approx(-9 / 14 * math.log(9 / 14) - 5 / 14 * math.log(5 / 14), abs=1e-12)
    for in_bits, in_nats in zip(bits, nats, strict=True):
        for one, other in zip(in_bits.candidates, in_nats.candidates, strict=True):
            assert other.gain is None or other.gain == pytest.approx((one.gain or 0.0) * math.log(2), abs=1e-12)
            assert one.status == other.status
    assert nats.node(0).decision == "Outlook is asked: its gain 0.171 is the largest, 0.066 above Humidity with 0.105."
    assert "log2" not in nats.to_text() and r"\log_2" not in nats.to_latex() and r"\ln " in nats.to_latex()
    assert Trace.from_dict(nats.to_dict()) == nats and "base" not in bits.to_dict()


def test_ratios_and_powers_do_not_depend_on_the_base() -> None:
    X, y = load_play_tennis()
    costs = {"Outlook": 2.0, "Temperature": 1.0, "Humidity": 1.5, "Wind": 3.0}
    for model in (
        C45Classifier(min_objects=1, prune=False),
        ID3Classifier(selection="nunez", attribute_costs=costs),
        ID3Classifier(selection="tan_schlimmer", attribute_costs=costs),
    ):
        model.fit(X, y)
        bits, nats = model.trace(X, y).node(0), model.trace(X, y, base=math.e).node(0)
        factor = math.log(2) ** 2 if model.selection == "tan_schlimmer" else 1.0
        for one, other in zip(bits.candidates, nats.candidates, strict=True):
            assert (one.worth is None) == (other.worth is None)
            assert one.worth is None or other.worth == pytest.approx(one.worth * factor, abs=1e-12)
    with pytest.raises(ParameterError, match="grown by 'gini'"):
        CARTClassifier().fit(X, y).trace(X, y, base=math.e)


def test_limits_are_told_in_the_unit_of_the_trace() -> None:
    X, y = load_play_tennis()
    trace = ID3Classifier(epsilon=0.5).fit(X, y).trace(X, y, base=math.e)
    assert trace.node(0).decision == "Leaf: the best gain 0.171 is below min_gain = 0.346574."
