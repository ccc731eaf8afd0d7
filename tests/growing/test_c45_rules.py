"""C4.5 rule by rule: each test is named after a rule of growing, its result derived by hand beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from quercus.data.dataset import encode, encode_classes
from quercus.growing.c45 import c45_recipe
from quercus.growing.grow import grow
from quercus.growing.reference.grower import grow_reference
from quercus.measures import entropy
from quercus.tree.tree import Tree

GROWERS = {"core": grow, "reference": grow_reference}


@pytest.fixture(params=sorted(GROWERS))
def c45(request: pytest.FixtureRequest) -> Any:
    """Grow a table by the recipe of C4.5, once with the core and once with the reference."""

    def run(
        table: dict[str, list[Any]],
        y: Any,
        *,
        weights: list[float] | None = None,
        domains: dict[str, list[Any]] | None = None,
        fields: dict[str, Any] | None = None,
        **choices: Any,
    ) -> Tree:
        recipe = replace(c45_recipe(**choices), **(fields or {}))
        given = None if weights is None else np.array(weights, dtype=float)
        return GROWERS[request.param](encode(table, domains=domains), encode_classes(y), recipe, weights=given)

    return run


def root_name(tree: Tree) -> str | None:
    attribute = tree.root.attribute
    return None if attribute is None else attribute.name


def h(*counts: float) -> float:
    """Entropy of counts in bits."""
    return float(entropy(np.array(counts, dtype=float)))


# Rule 1: leaf if one class holds all the weight, or N < 2m. Majority ties: the first class in declaration order.


def test_rule_1_leaf_if_one_class_holds_all_the_weight(c45: Any) -> None:
    assert c45({"A": ["p", "q", "p", "q"]}, ["yes"] * 4).n_nodes == 1
    # rows of weight 0 are no examples: what is left is of one class
    assert c45({"A": list("ppqqpp")}, list("nnyynn"), weights=[1, 1, 0, 0, 1, 1]).n_nodes == 1


def test_rule_1_leaf_if_weight_below_twice_min_objects(c45: Any) -> None:
    # N = 3 < 2·2; with one row more N = 4 and both branches weigh 2
    assert c45({"A": list("ppq")}, list("yyn")).n_nodes == 1
    assert c45({"A": list("ppqq")}, list("yynn")).n_nodes == 3
    # m = 1: N = 3 >= 2, the branches weigh 2 and 1
    assert c45({"A": list("ppq")}, list("yyn"), min_objects=1).n_nodes == 3


def test_rule_1_majority_tie_takes_the_first_declared_class(c45: Any) -> None:
    pandas = pytest.importorskip("pandas")
    assert c45({"A": list("pppp")}, list("baab")).root.label == "a"
    declared = pandas.Series(pandas.Categorical(list("baab"), categories=["b", "a"]))
    assert c45({"A": list("pppp")}, declared).root.label == "b"


# Rule 2: gain = (K/N) · [I(known) − Σ (n_v/K) I(v)]; at least two branches weigh m.


def test_rule_2_gain_is_scaled_by_the_known_share(c45: Any) -> None:
    # known: 4 p all yes, 4 q all no: I(known) = 1, branches pure, K/N = 8/10; I(all) = H(6, 4) plays no part
    tree = c45({"A": [*"ppppqqqq", None, None]}, [*"yyyynnnnyy"])
    assert tree.gain[0] == pytest.approx(0.8, abs=1e-12)


def test_rule_2_two_branches_must_weigh_min_objects(c45: Any) -> None:
    # branches of 1 and 5: only one weighs 2
    assert c45({"A": list("pqqqqq")}, list("ynnnnn")).n_nodes == 1
    # branches of 1, 2 and 3: two weigh 2, the third may be small
    assert root_name(c45({"A": list("pqqrrr")}, list("ynnyyy"))) == "A"


# Rule 3: split information counts unknown as one more outcome.


def test_rule_3_unknown_is_an_outcome_of_split_information(c45: Any) -> None:
    # 6 yes, 4 no.  A: gain 0.8, split info H(2, 4, 4) = 1.522, ratio 0.526 (over the known only it would be 0.8 / 1)
    # B: gain H(6, 4) = 0.971, split info H(4, 3, 3) = 1.571, ratio 0.618.  C gains 0, so that the mean is 0.590.
    table = {
        "A": [*"pppp", *"qqqq", None, None],
        "B": [*"ttuu", *"ssss", *"tu"],
        "C": [*"vvww", *"vvww", *"vw"],
    }
    assert 0.8 / h(2, 4, 4) < h(6, 4) / h(4, 3, 3) < 0.8
    assert root_name(c45(table, [*"yyyynnnnyy"])) == "B"


# Rule 4: numeric cuts need clamp(0.1·K/k, m, 25) on both sides, and neighbouring values that differ.


def test_rule_4_a_cut_needs_a_tenth_of_the_class_average(c45: Any) -> None:
    # K = 60, k = 2: each side weighs >= 3, so the 2 yes cannot be cut off alone: 3 | 57
    x = [float(i) for i in range(60)]
    assert c45({"x": x}, ["y"] * 2 + ["n"] * 58).threshold[0] == 2.0
    assert c45({"x": x}, ["y"] * 3 + ["n"] * 57).threshold[0] == 2.0


def test_rule_4_a_cut_never_needs_more_than_25(c45: Any) -> None:
    # 0.1·600/2 = 30, limited to 25: the 25 yes may stand alone, 24 may not
    x = [float(i) for i in range(600)]
    assert c45({"x": x}, ["y"] * 25 + ["n"] * 575).threshold[0] == 24.0
    assert c45({"x": x}, ["y"] * 24 + ["n"] * 576).threshold[0] == 24.0


def test_rule_4_known_weight_must_be_twice_min_objects(c45: Any) -> None:
    # N = 6 >= 4, but only K = 3 values are known: no two sides of 2
    assert c45({"x": [1.0, 2.0, 3.0, None, None, None]}, list("yynynn")).n_nodes == 1


@pytest.mark.parametrize(("preset", "nodes"), [("c45", 3), ("r8", 1), ("j48", 1)])
def test_rule_4_any_two_distinct_numbers_may_be_cut(c45: Any, preset: str, nodes: int) -> None:
    # the gap of 1e-7 is below the 1e-5 that Release 8 and J48 demand
    x = [1e-7 * i for i in range(8)]
    assert c45({"x": x}, list("nnnnyyyy"), preset=preset).n_nodes == nodes


# Rule 5: the cut of largest gain, ties lowest; then gain −= log2(T)/N; out if <= 0.


def test_rule_5_gain_pays_for_the_number_of_cuts(c45: Any) -> None:
    # sides of at least 2 in 8 values: cuts after 2, 3, 4, 5, 6: T = 5; the best gains 1 bit
    tree = c45({"x": [float(i) for i in range(1, 9)]}, list("nnnnyyyy"))
    assert tree.gain[0] == pytest.approx(1.0 - np.log2(5) / 8, abs=1e-12)


def test_rule_5_an_attribute_that_cannot_pay_is_out(c45: Any) -> None:
    # alternating classes: the best cut, 3 | 5, gains 1 − 3/8·H(1, 2) − 5/8·H(2, 3) = 0.049 < log2(5)/8 = 0.290
    assert 1 - 3 / 8 * h(1, 2) - 5 / 8 * h(2, 3) < np.log2(5) / 8
    assert c45({"x": [float(i) for i in range(8)]}, list("nynynyny")).n_nodes == 1


def test_rule_5_equal_cuts_take_the_lowest(c45: Any) -> None:
    # 2 | 6 and 6 | 2 both gain 1 − 6/8·H(2, 4) = 0.311, of which 0.021 is left
    tree = c45({"x": [float(i) for i in range(1, 9)]}, list("nnyyyynn"), fields={"collapse": "no"})
    assert tree.threshold[0] == 2.0
    assert tree.gain[0] == pytest.approx(1 - 6 / 8 * h(2, 4) - np.log2(5) / 8, abs=1e-12)


# Rule 6: the threshold is the largest value <= the midpoint in the whole training column.


def test_rule_6_threshold_is_a_value_of_the_whole_column(c45: Any) -> None:
    # root: A (gain 1, ratio 1; x gains 0.811 − 1/8, ratio 0.846). Under A = a the values 2 and 10 are neighbours,
    # midpoint 6; the largest value of the column below it is 5, which no example under A = a has.
    tree = c45({"A": list("aaaabbbb"), "x": [1.0, 2, 10, 11, 5, 5, 5, 5]}, list("nnyywwww"))
    assert root_name(tree) == "A"
    assert tree.threshold[1] == 5.0


# Rule 7: best gain ratio among gain >= mean − ε with split information > ε; ties: first attribute.


def gate_table(copies: int) -> tuple[dict[str, list[str]], list[str]]:
    """A: 8 equal values, half of them pure: gain 0.5, ratio 1/6. B: an eighth is pure yes: gain 0.138, ratio 0.254."""
    value = [v for v in "abcdefgh" for _ in range(2)]
    wait = [*"yyyynnnn", *"ynynynyn"]
    first = [*"pp", *"q" * 14]
    return {"A": value * copies, "B": first * copies}, wait * copies


def test_rule_7_a_gain_below_the_mean_is_not_chosen(c45: Any) -> None:
    # mean (0.5 + 0.138)/2 = 0.319: B has the better ratio but too little gain
    table, y = gate_table(copies=2)
    gain_b = 1 - 14 / 16 * h(6, 8)
    assert gain_b / h(2, 14) > 0.5 / 3 and gain_b < (0.5 + gain_b) / 2
    assert root_name(c45(table, y)) == "A"


def test_rule_7_attributes_with_many_values_do_not_count_in_the_mean(c45: Any) -> None:
    # 16 rows: the 8 values of A are >= 0.3·16, the mean is B's own gain, and B's ratio wins
    table, y = gate_table(copies=1)
    assert root_name(c45(table, y)) == "B"


def test_rule_7_zero_gain_nominal_attributes_count_in_the_mean(c45: Any) -> None:
    # three attributes that gain nothing: mean 0.638/5 = 0.128 <= 0.138, and B's ratio wins
    table, y = gate_table(copies=2)
    nothing = [*"vvwwvvww", *"vvwwvvww"] * 2
    assert root_name(c45({**table, "C": nothing, "D": nothing}, y)) == "A"
    assert root_name(c45({**table, "C": nothing, "D": nothing, "E": nothing}, y)) == "B"


def test_rule_7_equal_ratios_take_the_first_attribute(c45: Any) -> None:
    assert root_name(c45({"B": list("ppqq"), "A": list("ssrr")}, list("yynn"))) == "B"
    assert root_name(c45({"A": list("ssrr"), "B": list("ppqq")}, list("yynn"))) == "A"


def test_rule_7_split_information_must_exceed_the_tolerance(c45: Any) -> None:
    # 2 of 40,000: split information 0.0008 is below 0.001, but above J48's tolerance
    table, y, weights = {"A": list("pq")}, list("yn"), [2.0, 39998.0]
    assert h(2, 39998) < 1e-3
    assert c45(table, y, weights=weights).n_nodes == 1
    assert c45(table, y, weights=weights, preset="j48").n_nodes == 3


# Rule 8: a nominal attribute once on a path; a branch a declared value; value groups as an option.


def test_rule_8_a_branch_for_each_declared_value(c45: Any) -> None:
    # "never" is declared but has no example: a leaf of weight 0 that answers the majority of its parent (4 n to 2 y)
    tree = c45({"A": list("ppqqqq")}, list("yynnnn"), domains={"A": ["p", "never", "q"]})
    assert tree.n_nodes == 4
    empty = tree.root.children[1]
    assert (empty.weight, empty.count, empty.label) == (0.0, 0, "n")
    assert tree.distributions()[empty.id].tolist() == [1.0, 0.0]


def test_rule_8_an_empty_branch_of_j48_knows_the_parents_distribution(c45: Any) -> None:
    tree = c45({"A": list("ppqqqq")}, list("yynnnn"), domains={"A": ["p", "never", "q"]}, preset="j48")
    assert tree.distributions()[tree.root.children[1].id] == pytest.approx([4 / 6, 2 / 6])


def test_rule_8_a_nominal_attribute_is_asked_once_on_a_path(c45: Any) -> None:
    generator = np.random.default_rng(0)
    table = {name: generator.choice(list("abc"), 200).tolist() for name in "ABCD"}
    y = generator.choice(list("yn"), 200).tolist()
    tree = c45(table, y, fields={"collapse": "no"})
    assert tree.depth == 4
    for leaf in tree.leaves():
        asked = [tree.attribute[number] for number in ancestors(tree, leaf.id)]
        assert len(set(asked)) == len(asked)


def ancestors(tree: Tree, number: int) -> list[int]:
    """The nodes above a node."""
    path = []
    while number > 0:
        number = int(tree.parent[number])
        path.append(number)
    return path


def test_rule_8_value_groups_merge_while_the_ratio_improves(c45: Any) -> None:
    # ratios: four groups 1/2, {a, b} merged 1/1.5, {c, d} merged too 1/1
    tree = c45({"A": list("aabbccdd")}, list("yyyynnnn"), value_groups=True)
    assert tree.n_nodes == 3
    assert tree.group_child.tolist() == [0, 0, 1, 1]


# Rule 9: unknowns go down every non-empty branch with weight × branch share of the known weight.


def test_rule_9_unknown_examples_are_divided_by_the_known_shares(c45: Any) -> None:
    # p weighs 6 of 8 known, q 2 of 8, the declared "never" nothing: the unknown one adds 0.75 and 0.25
    tree = c45({"A": [*"ppppppqq", None]}, [*"yyyyyynn", "y"], domains={"A": ["p", "never", "q"]})
    assert tree.weight.tolist() == [9.0, 6.75, 0.0, 2.25]
    assert tree.count.tolist() == [9, 7, 0, 3]
    assert tree.value[3].tolist() == [2.0, 0.25]


# Rule 10: a node whose branches' errors are not below its own becomes a leaf.


def test_rule_10_branches_that_save_no_error_collapse(c45: Any) -> None:
    # p: 3 y 1 n, q: 4 y: the split gains, but the branches make the 1 error that a leaf makes
    table, y = {"A": list("ppppqqqq")}, list("yyynyyyy")
    assert c45(table, y, fields={"collapse": "no"}).n_nodes == 3
    assert c45(table, y).n_nodes == 1
    assert c45(table, y, preset="j48").n_nodes == 1


def test_rule_10_branches_that_save_an_error_stay(c45: Any) -> None:
    assert c45({"A": list("ppppqqqq")}, list("yyynnnnn")).n_nodes == 3
