"""The lecture's figures of information theory, to the digit."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from lecture.exact import decimal, exact_entropy, is_exactly

from quercus.measures import (
    average_log_likelihood,
    conditional_entropy,
    entropy,
    gini,
    information,
    joint_entropy,
    misclassification_error,
    mutual_information,
    specific_conditional_entropy,
    squared_error,
    tree_log_likelihood,
)

RAIN_AND_CLOUD = [[24, 1], [25, 50]]  # of 100 days: rows raining, not raining; columns cloudy, not cloudy


def test_information_of_a_coin_toss_is_one_bit() -> None:
    assert information(1 / 2) == 1.0
    assert information(1.0) == 0.0


@pytest.mark.parametrize(
    ("what", "counts", "figure"),
    [
        ("a fair coin", [1, 1], "1"),
        ("a fair die", [1] * 6, "2.58"),
        ("a loaded die", [5, 1, 1, 1, 1, 1], "2.16"),
        ("[9+, 5-]", [9, 5], "0.940"),
        ("[6+, 2-]", [6, 2], "0.811"),
        ("[3+, 3-]", [3, 3], "1"),
        ("[2+, 3-]", [2, 3], "0.971"),
        ("[4+, 0-]", [4, 0], "0"),
        ("42 of 100", [42, 58], "0.981"),
        ("3 of 100", [3, 97], "0.194"),
        ("8/9 and 1/9", [8, 1], "0.50"),
        ("4/9 and 5/9", [4, 5], "0.99"),
    ],
)
def test_entropy_of(what: str, counts: list[int], figure: str) -> None:
    exact = exact_entropy(counts)
    assert is_exactly(entropy(counts), exact, figure), what
    assert is_exactly(entropy([count / sum(counts) for count in counts]), exact, figure), what


def test_joint_entropy_of_rain_and_cloud() -> None:
    assert is_exactly(joint_entropy(RAIN_AND_CLOUD), exact_entropy([24, 1, 25, 50]), "1.56")
    assert is_exactly(joint_entropy([[0.24, 0.01], [0.25, 0.50]]), exact_entropy([24, 1, 25, 50]), "1.56")


def test_entropy_of_cloud_once_it_is_raining() -> None:
    assert is_exactly(specific_conditional_entropy(RAIN_AND_CLOUD, 0), exact_entropy([24, 1]), "0.24")


def test_conditional_entropy_of_cloud_given_rain() -> None:
    exact = Decimal("0.25") * exact_entropy([24, 1]) + Decimal("0.75") * exact_entropy([25, 50])
    assert is_exactly(conditional_entropy(RAIN_AND_CLOUD), exact, "0.75")


def test_mutual_information_of_rain_and_cloud() -> None:
    given_rain = Decimal("0.25") * exact_entropy([24, 1]) + Decimal("0.75") * exact_entropy([25, 50])
    assert is_exactly(mutual_information(RAIN_AND_CLOUD), exact_entropy([49, 51]) - given_rain, "0.25")


@pytest.mark.parametrize("counts", [[9, 5], [6, 2], [3, 3], [4, 0], [1, 1, 1, 1, 1, 1]])
def test_other_impurities_as_defined(counts: list[int]) -> None:
    shares = [Fraction(count, sum(counts)) for count in counts]
    assert gini(counts) == pytest.approx(float(1 - sum(share**2 for share in shares)), abs=1e-12)
    assert misclassification_error(counts) == pytest.approx(float(1 - max(shares)), abs=1e-12)
    nats = math.fsum(-float(share) * math.log(share) for share in shares if share)
    assert entropy(counts, base=math.e) == pytest.approx(nats, abs=1e-12)


def test_squared_error_as_defined() -> None:
    y = [2, 3, 5, 7, 11]
    mean = Fraction(sum(y), len(y))
    assert squared_error(y) == pytest.approx(float(sum((value - mean) ** 2 for value in y) / len(y)), abs=1e-12)


def test_average_log_likelihood_as_defined() -> None:
    y, f = [1, 0, 1, 1, 0], [0.9, 0.2, 0.6, 0.5, 0.7]
    written_out = math.fsum(a * math.log(b) + (1 - a) * math.log(1 - b) for a, b in zip(y, f, strict=True)) / 5
    assert average_log_likelihood(y, f) == pytest.approx(written_out, abs=1e-12)


def test_maximising_likelihood_is_minimising_weighted_entropy() -> None:
    """The split of y at x <= 4.5 (5 of 6, 4 of 10): the leaves' own means are likeliest, and cost H(Y | leaf)."""
    y = [1, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1]
    low, high = sum(y[:6]) / 6, sum(y[6:]) / 10
    likelihood = average_log_likelihood(y, [low] * 6 + [high] * 10)
    leaves = [[1, 5], [6, 4]]
    exact = -(decimal(Fraction(6, 16)) * exact_entropy([1, 5]) + decimal(Fraction(10, 16)) * exact_entropy([6, 4]))
    assert abs(Decimal(likelihood) - exact * Decimal(2).ln()) < Decimal("1e-12")
    assert likelihood == pytest.approx(-conditional_entropy(leaves, base=math.e), abs=1e-12)
    assert likelihood == pytest.approx(tree_log_likelihood(leaves), abs=1e-12)
