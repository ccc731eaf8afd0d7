"""Wrong arguments of the measures: what comes out is an error of Quercus with a message, never a bare one."""

from __future__ import annotations

import math
from typing import Any

import pytest
from wrong_arguments import bare_errors

from quercus import measures
from quercus.errors import DataError, ParameterError

TABLE = [[1, 2], [3, 4]]
COLUMNS = {"attribute_values": ["a", "a", "b"], "labels": ["x", "x", "y"]}
NUMBERS = {"attribute_values": [1, 2, 3], "labels": ["x", "x", "y"]}
PRICED = {"gain": 0.5, "cost": 2.0}

#: Calls that work. The thresholds of a column need numbers, so that these functions have two.
CALLS: list[tuple[str, dict[str, Any]]] = [
    *(
        (name, columns)
        for name in ("gain_of", "split_information_of", "gain_ratio_of")
        for columns in (COLUMNS, NUMBERS)
    ),
    *(("contingency_table", columns) for columns in (COLUMNS, NUMBERS)),
    *(("permutation_significance", columns | {"n_permutations": 3}) for columns in (COLUMNS, NUMBERS)),
    *((name, PRICED) for name in ("tan_schlimmer", "nunez", "eg2", "idx")),
    *((name, {"counts": [1, 2]}) for name in ("entropy", "gini", "misclassification_error")),
    *((name, {"joint": TABLE}) for name in ("joint_entropy", "conditional_entropy", "mutual_information")),
    *((name, {"branches": TABLE}) for name in ("gain", "gain_ratio", "gini_gain", "accuracy_gain", "chi_square")),
    *((name, {"y": [1, 2]}) for name in ("squared_error", "absolute_error", "poisson_deviance", "lower_median")),
    ("squared_error_reduction", {"branches": TABLE}),
    ("error_reduction", {"branches": TABLE, "error": measures.squared_error}),
    ("impurity_reduction", {"branches": TABLE, "impurity": measures.entropy}),
    ("specific_conditional_entropy", {"joint": TABLE, "row": 0}),
    ("split_information", {"sizes": [5, 4]}),
    ("information", {"p": 0.5}),
    ("cost_multipliers", {"cost_matrix": [[0, 1], [5, 0]]}),
    ("expected_costs", {"counts": [3, 4], "cost_matrix": [[0, 1], [5, 0]]}),
    ("gain_table", {"X": {"a": [1, 2, 3], "b": ["u", "v", "v"]}, "y": ["x", "y", "x"]}),
    ("average_log_likelihood", {"y": [1, 0, 1], "f": [0.5, 0.5, 0.1]}),
    ("tree_log_likelihood", {"leaves": TABLE}),
    ("critical_value", {"level": 0.05, "degrees_of_freedom": 2}),
    ("all_thresholds", {"x": [1, 2]}),
    ("candidate_thresholds", {"x": [1, 2], "y": ["a", "b"]}),
    *(("best_threshold", {"x": [1, 2], "y": [1, 2], "criterion": name}) for name in ("entropy", "squared_error")),
]


def test_every_public_function_is_called() -> None:
    functions = {name for name in measures.__all__ if not isinstance(getattr(measures, name), type)}
    assert {name for name, _ in CALLS} == functions


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=[name for name, _ in CALLS])
def test_a_wrong_argument_gives_an_error_of_quercus(name: str, arguments: dict[str, Any]) -> None:
    assert list(bare_errors(getattr(measures, name), arguments)) == []


def test_the_messages_tell_what_is_allowed() -> None:
    with pytest.raises(ParameterError, match=r"threshold must be None .*, a number or \"best\", but 'bst' was given"):
        measures.gain_of([1, 2], ["x", "y"], threshold="bst")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="degrees_of_freedom must be a finite number of at least 1, but nan"):
        measures.critical_value(0.05, math.nan)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"n_permutations must be .* at most 1,000,000,000, .* but 2000000000 was"):
        measures.permutation_significance(["a", "b"], ["x", "y"], n_permutations=2_000_000_000)
    with pytest.raises(DataError, match="labels must be a list, an array or a column of values, but None was given"):
        measures.gain_of(["a", "b"], None)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"can be called as error\(\.\.\., weights=\.\.\.\)"):
        measures.error_reduction([[1, 2], [3]], len)
    with pytest.raises(ParameterError, match="The result of impurity must be a number, but 'many' was given"):
        measures.impurity_reduction([[1, 2]], lambda counts: "many")  # type: ignore[arg-type,return-value]


def test_a_number_of_another_kind_is_still_a_number() -> None:
    from decimal import Decimal
    from fractions import Fraction

    import numpy as np

    for half in (Decimal("0.5"), Fraction(1, 2), np.float32(0.5), np.array(0.5)):
        assert measures.information(half) == 1.0  # type: ignore[arg-type]
    assert measures.gain_of([1, 2], ["x", "y"], threshold=np.int8(1)) == 1.0  # type: ignore[arg-type]
