"""The lecture's cost-aware measures on its own examples: blood tests and pulses, sonar readings, PlayTennis."""

from fractions import Fraction

import pytest
from lecture.exact import exact_gain

from quercus.measures import eg2, nunez, tan_schlimmer

OUTLOOK = float(exact_gain([[2, 3], [4, 0], [3, 2]]))
WIND = float(exact_gain([[6, 2], [3, 3]]))


def test_a_perfect_blood_test_of_150_against_a_free_pulse() -> None:
    assert nunez(1.0, 150.0, w=1) == pytest.approx(float(Fraction(1, 151)), abs=1e-12)
    assert nunez(WIND, 0.0, w=1) > nunez(1.0, 150.0, w=1)  # a weak but free test wins
    assert nunez(WIND, 0.0, w=0) < nunez(1.0, 150.0, w=0)  # unless cost is ignored


def test_a_sonar_reading_of_23_seconds() -> None:
    assert tan_schlimmer(OUTLOOK, 23.0) == pytest.approx(OUTLOOK * OUTLOOK / 23, abs=1e-12)
    assert tan_schlimmer(OUTLOOK, 30.0) < tan_schlimmer(WIND, 1.0) < tan_schlimmer(OUTLOOK, 23.0)


def test_eg2_is_nunez_at_full_importance_of_cost() -> None:
    assert eg2(OUTLOOK, 23.0) == pytest.approx((2**OUTLOOK - 1) / 24, abs=1e-12) == nunez(OUTLOOK, 23.0, w=1)
