"""Why rules answer as they do: the rule that fired, those that nearly did, the votes, the tree behind them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from predict.random_trees import random_rows, random_schema, random_tree
from tree.build import schema_of

from quercus import C45Classifier
from quercus.datasets import load_play_tennis
from quercus.explain.why.rules import why_rules
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList


def play_tennis() -> RuleList:
    """The rules of the lecture's tree."""
    return C45Classifier().fit(*load_play_tennis()).rules()


def credit() -> RuleList:
    """Two rules as an expert writes them."""
    schema = schema_of(Income="numeric", Debts="numeric", Job=("none", "worker", "clerk"))
    rules = [
        Rule.of(schema, {"Income": (None, 30), "Debts": (10, None)}, "No", ["No", "Yes"]).with_weights([8, 2]),
        Rule.of(schema, {"Job": ["worker", "clerk"]}, "Yes", ["No", "Yes"]).with_weights([1, 3]),
    ]
    return RuleList(tuple(rules), 0, schema, ("No", "Yes"))


def test_the_rule_that_fired_and_those_that_nearly_did() -> None:
    """With the condition that failed and the value it failed by."""
    answer = why_rules(credit(), {"Income": 50, "Debts": 20, "Job": "clerk"})
    assert (answer.position, answer.label) == (1, "Yes")
    assert str(answer) == (
        "Rule 2 fires: IF Job in {worker, clerk} THEN Yes (4, 0.75).\n"
        "Nearly:\n"
        "  Rule 1 (No): 1 of 2 conditions holds; Income <= 30 fails, Income is 50.\n"
        "The rule names Yes (75 %).\n"
        "Answer: Yes."
    )
    first = answer.nearly()[0]
    assert [condition.name for condition in first.failed] == ["Income"]
    assert answer.to_frame()["failed"].tolist() == ["Income <= 30", ""]


def test_the_default_answers_where_no_rule_fires() -> None:
    """And says so; an unknown value fails a condition."""
    answer = why_rules(credit(), {"Income": 50})
    assert answer.rule is None
    assert answer.label == "No"
    assert "No rule fires; the default answers No." in str(answer)
    assert "Job is unknown" in str(answer)


def test_costs_may_turn_the_answer() -> None:
    """p = (1/4, 3/4): answering Yes costs 10/4, No 3/4."""
    answer = why_rules(credit(), {"Job": "clerk"}, cost_matrix=[[0, 10], [1, 0]])
    assert answer.label == "No"
    assert answer.decision.changed
    assert "By the plain shares alone the answer would be Yes." in str(answer)


def test_votes_are_shown_with_their_strength() -> None:
    """Both rules fire; Laplace precisions 9/12 and 4/6."""
    answer = why_rules(credit().with_mode("voting"), {"Income": 20, "Debts": 20, "Job": "clerk"})
    assert answer.label == "No"
    assert [check.strength for check in answer.checks] == pytest.approx([9 / 12, 4 / 6])
    assert "2 rules vote:" in str(answer)
    assert "No gets 52.94 % of the votes." in str(answer)


def test_the_tree_decides_where_a_value_is_unknown() -> None:
    """With all its paths."""
    answer = why_rules(play_tennis(), {"Outlook": "Rain"})
    assert answer.tree is not None
    assert len(answer.tree.paths) == 2
    assert "the example goes down the tree" in str(answer)
    assert "Yes: 3/3·3/5 = 0.6" in str(answer)
    assert answer.label == "Yes"


@pytest.mark.parametrize("mode", ["ordered", "voting"])
def test_random_rules_are_explained_as_they_answer(mode: str) -> None:
    """Label and distribution are the rule list's; a rule fires exactly if it covers the row."""
    for seed in range(150):
        random = np.random.default_rng([seed, 21])
        schema = random_schema(random, "mixed")
        tree = random_tree(random, schema, "any", int(random.choice([0, 2, 3])), 20)
        rules = RuleList.from_tree(tree, unknown=str(random.choice(["tree", "fails"])))  # type: ignore[arg-type]
        for number in range(len(rules)):
            if rules[number].conditions and random.random() < 0.4:
                rules = rules.replace(number, rules[number].without(0))
        rules = rules.with_mode(mode)  # type: ignore[arg-type]
        rows = random_rows(random, schema, 3, unknown=0.3)
        for row in range(3):
            answer = why_rules(rules, rows, row)
            one = rows.take([row])
            predicted = rules.predict(one)[0]
            assert answer.label == (float(predicted) if rules.classes is None else rules.classes[int(predicted)])
            assert answer.distribution.tolist() == rules.distribution(one)[0].tolist()
            assert answer.position == rules.fired(one)[0]
            assert [check.fires for check in answer.checks] == [bool(rule.covers(one)[0]) for rule in rules]
            json.dumps(answer.to_dict(), allow_nan=False)
            assert str(answer)
