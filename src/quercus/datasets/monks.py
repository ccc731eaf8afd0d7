"""The three Monk's problems: robots of six nominal attributes, and a rule that says which belong together."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from quercus.datasets.frames import generator, noisy, table, whole_number

__all__ = ["make_monks"]

_VALUES = {
    "head_shape": ("round", "square", "octagon"),
    "body_shape": ("round", "square", "octagon"),
    "is_smiling": ("yes", "no"),
    "holding": ("sword", "balloon", "flag"),
    "jacket_color": ("red", "yellow", "green", "blue"),
    "has_tie": ("yes", "no"),
}


def make_monks(
    problem: int = 1, n_rows: int | None = None, noise: float | None = None, random_state: Any = 0
) -> tuple[Any, Any]:
    """Return one of the three Monk's problems of Thrun and others (1991), the class "yes" or "no".

    problem:

    1. The head has the shape of the body, or the jacket is red.
    2. Exactly two of the six attributes have their first value.
    3. The jacket is green and the robot holds a sword, or the jacket is not blue and the body is no octagon; 5 % of the
       labels are wrong.

    - n_rows: None gives all 432 robots, each once; a number draws so many of them, without repetition up to 432.
    - noise: the share of wrong labels; None: 5 % in the third problem if rows are drawn, else none.

    >>> X, y = make_monks(1)
    >>> X.shape, list(y).count("yes")
    ((432, 6), 216)
    """
    whole_number("problem", problem, least=1, most=3)
    random = generator(random_state)
    robots = np.array(list(product(*(range(len(values)) for values in _VALUES.values()))), dtype=np.int64)
    if n_rows is not None:
        count = whole_number("n_rows", n_rows, least=1)
        robots = robots[random.choice(len(robots), count, replace=count > len(robots))]
    if noise is None:
        noise = 0.05 if problem == 3 and n_rows is not None else 0.0
    codes = noisy(_belongs(problem, robots).astype(np.int64), 2, noise, random)
    columns = {
        name: np.array(values, dtype=object)[robots[:, k]].tolist() for k, (name, values) in enumerate(_VALUES.items())
    }
    return table(columns, np.array(["no", "yes"], dtype=object)[codes].tolist(), f"monk_{problem}")


def _belongs(problem: int, robots: Any) -> Any:
    head, body, _, holding, jacket, _ = robots.T
    if problem == 1:
        return (head == body) | (jacket == 0)
    if problem == 2:
        return (robots == 0).sum(axis=1) == 2
    return ((jacket == 2) & (holding == 0)) | ((jacket != 3) & (body != 2))
