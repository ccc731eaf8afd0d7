"""Log-likelihood of a probability tree at its edges (that it is weighted entropy: see test_properties)."""

import math

import pytest

from quercus.errors import DataError
from quercus.measures import average_log_likelihood, entropy, tree_log_likelihood


def test_certainty() -> None:
    assert average_log_likelihood([1, 0], [1.0, 0.0]) == 0.0
    assert average_log_likelihood([1, 0], [0.0, 0.0]) == -math.inf
    assert str(tree_log_likelihood([[3, 0], [0, 2]])) == "0.0"


def test_base_and_weights() -> None:
    assert average_log_likelihood([1, 0], 0.5, base=2) == -1.0
    assert average_log_likelihood([1, 0, 0], 0.25, weights=[1, 3, 0]) == pytest.approx(-entropy([1, 3], base=math.e))
    assert average_log_likelihood([True, False], 0.5, base=2) == -1.0


def test_of_many_classes() -> None:
    assert tree_log_likelihood([[2, 2, 4]], base=2) == -1.5


@pytest.mark.parametrize(
    ("y", "f", "weights", "message"),
    [
        ([0, 2], 0.5, None, "0 or 1"),
        ([], 0.5, None, "at least one"),
        ([0, 1], 1.5, None, "probability from 0 to 1"),
        ([0, 1], [0.5], None, "each of the 2 examples"),
        ([0, 1], -0.5, None, "must not be negative"),
        ([0, 1], 0.5, [1], "weights must be 2 numbers"),
        ([0, 1], 0.5, [0, 0], "not all 0"),
    ],
)
def test_what_is_refused(y: object, f: object, weights: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        average_log_likelihood(y, f, weights=weights)
