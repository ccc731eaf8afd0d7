"""Wrong arguments of the pruning methods: what comes out is an error of Quercus with a message, never a bare one."""

from __future__ import annotations

from typing import Any

import pytest
from wrong_arguments import bare_errors

from quercus import pruning
from quercus.data import encode, encode_classes
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow

X = {"a": [1, 2, 3, 4, 5, 6], "b": ["u", "v", "v", "u", "u", "v"]}
Y = ["x", "y", "x", "y", "y", "x"]
ROWS, TARGET = encode(X), encode_classes(Y)
TREE = grow(ROWS, TARGET, cart_recipe())
CHECKED = {"tree": TREE, "dataset": ROWS, "target": TARGET}


def _grow(dataset: Any, target: Any, weights: Any = None) -> Any:
    return grow(dataset, target, cart_recipe(), weights=weights)


GROWN = {"grow": _grow, "dataset": ROWS, "target": TARGET}

#: Calls that work, each with the parameters that get wrong values.
CALLS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("chi_square", {"tree": TREE}, ("significance",)),
    ("critical_value", {"tree": TREE}, ("significance", "measure", "value")),
    ("cost_complexity_path", {"tree": TREE}, ("risk",)),
    ("estimated_errors", {"tree": TREE}, ("confidence", "preset")),
    ("mdl", {"tree": TREE}, ("coding",)),
    ("same_prediction", {"tree": TREE}, ("policy",)),
    ("error_based", CHECKED, ("weights", "preset", "confidence")),
    ("reduced_error", CHECKED, ("order",)),
    ("keep_leaves", {"tree": TREE, "n_leaves": 2}, ("order",)),
    ("hold_out", {"n_rows": 10}, ("share", "seed")),
    ("growing_curve", {"tree": TREE, "sets": {"train": (ROWS, TARGET)}}, ("by", "measure")),
    ("cross_validated_alphas", GROWN | {"folds": 2}, ("grow", "weights", "risk", "random_state")),
    (
        "learning_curve",
        GROWN | {"test": (ROWS, TARGET), "repeats": 2, "sizes": [3, 6]},
        ("grow", "repeats", "weights", "measure", "random_state"),
    ),
    ("tune", GROWN | {"alphas": [0.1], "folds": 2}, ("grow", "weights", "risk", "preset", "random_state")),
]


@pytest.mark.parametrize(("name", "arguments", "parameters"), CALLS, ids=[name for name, *_ in CALLS])
def test_a_wrong_argument_gives_an_error_of_quercus(
    name: str, arguments: dict[str, Any], parameters: tuple[str, ...]
) -> None:
    assert list(bare_errors(getattr(pruning, name), arguments, parameters)) == []
