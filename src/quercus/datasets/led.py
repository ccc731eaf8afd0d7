"""The LED display: seven lights that show a digit, each of them wrong now and then."""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus.datasets.frames import check_share, generator, table, whole_number

__all__ = ["LED_DIGITS", "make_led"]

# top, upper left, upper right, middle, lower left, lower right, bottom
LED_DIGITS = (
    "1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111", "1111011",
)  # fmt: skip


def make_led(n_rows: int = 1000, noise: float = 0.1, n_irrelevant: int = 0, random_state: Any = 0) -> tuple[Any, Any]:
    """Return the LED problem of Breiman and others (1984): seven lights, on (1) or off (0); the class is the digit.

    - n_rows: how many rows.
    - noise: the chance that a light is the other way round. At 0.1 the best that any classifier can do is 74 %.
    - n_irrelevant: so many further lights, z1, z2, …, are on or off by chance (17 in the original with 24 attributes).

    >>> X, y = make_led(5, noise=0)
    >>> list(X), X.shape
    (['light1', 'light2', 'light3', 'light4', 'light5', 'light6', 'light7'], (5, 7))
    """
    count = whole_number("n_rows", n_rows, least=1)
    extra = whole_number("n_irrelevant", n_irrelevant, least=0)
    check_share("noise", noise)
    random = generator(random_state)
    digits = random.integers(0, 10, count)
    shown = np.array([[int(light) for light in lights] for lights in LED_DIGITS])[digits]
    lights = shown ^ (random.random((count, 7)) < noise)
    chance = random.integers(0, 2, (count, extra))
    columns = {f"light{k + 1}": lights[:, k].tolist() for k in range(7)}
    columns |= {f"z{k + 1}": chance[:, k].tolist() for k in range(extra)}
    return table(columns, digits.tolist(), "digit")
