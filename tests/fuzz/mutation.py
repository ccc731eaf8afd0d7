"""Mutation: one argument of a call becomes something else: another number, shape, type or length, or nothing at all."""

from __future__ import annotations

import random
from typing import Any, get_args

import numpy as np

from quercus.growing import recipe
from quercus.growing.forest import Bootstrap

INTEGERS = (-(2**63), -(2**31), -1, 0, 1, 2, 3, 5, 100, 1025, 3000, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32)
LARGE = (2**59, 2**60 + 1, 2**61, 2**62, 2**63 - 1, 2**64 - 1, 2**64)
NUMBERS = (0.0, -0.0, -1.0, 0.5, 1.0, 2.0, 1e-9, 5e-324, 2.0**53, 1e100, 1e308, -1e308)
NO_NUMBERS = (float("nan"), float("inf"), float("-inf"))
#: Names of choices: those of another option are wrong where one of this is due.
NAMES = tuple(
    name
    for choice in (
        *(recipe.Criterion, recipe.Selection, recipe.NominalSplit, recipe.MissingPolicy, recipe.CollapseRule),
        Bootstrap,
    )
    for name in get_args(choice)
)


def mutated(value: Any, chance: random.Random) -> Any:
    """A copy of ``value`` with one change somewhere inside."""
    if isinstance(value, dict) and value and chance.random() < 0.95:
        name = chance.choice(sorted(value))
        return {**value, name: mutated(value[name], chance)}
    if isinstance(value, tuple | list) and value and chance.random() < 0.9:
        place = chance.randrange(len(value))
        changed = [*value[:place], mutated(value[place], chance), *value[place + 1 :]]
        return type(value)(changed)
    if isinstance(value, np.ndarray):
        return _mutated_array(value, chance)
    if isinstance(value, dict):
        return dict(chance.sample(sorted(value.items()), chance.randrange(len(value)))) if value else None
    if isinstance(value, tuple | list):
        return _mutated_sequence(value, chance)
    return _mutated_scalar(value, chance)


def _mutated_sequence(value: Any, chance: random.Random) -> Any:
    kind = type(value)
    changes = [kind(), kind(value[:-1]), kind([*value, *value[-1:]]), kind(reversed(value)), None, 0]
    return chance.choice(changes)


def _mutated_scalar(value: Any, chance: random.Random) -> Any:
    if chance.random() < 0.05:
        return chance.choice([None, "x", 1.5, (), [], np.zeros(3), np.int64(2)])
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice([*INTEGERS, *LARGE, value - 1, value + 1, 2 * value])
    if isinstance(value, str):
        return chance.choice([*NAMES, value[:-1], value + "\0"])
    if isinstance(value, float):
        return chance.choice([*NUMBERS, *NO_NUMBERS, -value, 2 * value])
    return chance.choice([None, 0, 1.0, np.ones(3), np.zeros(2, dtype=np.int32)])


def _mutated_array(array: np.ndarray, chance: random.Random) -> Any:
    if array.dtype.kind not in "fbiu":  # changed before, into something that holds no numbers
        return None
    array = np.atleast_1d(array)
    if chance.random() < 0.7 and array.size:
        return _other_cells(array.copy(), chance)
    return chance.choice(_OTHER_FORMS)(array)


def _other_cells(array: np.ndarray, chance: random.Random) -> np.ndarray:
    cells = array.reshape(-1)
    how_many = chance.choice([1, 1, 1, 2, 3, cells.size])
    places = [chance.randrange(cells.size) for _ in range(how_many)]
    if chance.random() < 0.2:  # cells of the array change places
        cells[places] = cells[places[::-1]]
        return array
    for place in places:
        if array.dtype.kind == "f":
            cells[place] = chance.choice([*NUMBERS, *NO_NUMBERS, -cells[place]]) if array.dtype.itemsize == 8 else 2.0
        elif array.dtype.kind == "b":
            cells[place] = not cells[place]
        else:
            limits = np.iinfo(array.dtype)
            near = [int(cells[place]) + step for step in (-1, 1, 2)]
            other = chance.choice([limits.min, limits.max, 0, 1, -1, cells.size, *near, limits.max // 2])
            cells[place] = min(max(other, limits.min), limits.max)
    return array


def _unaligned(array: np.ndarray) -> np.ndarray:
    room = np.zeros(array.nbytes + 1, dtype=np.uint8)
    moved = room[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


_OTHER_FORMS = (
    lambda array: array[:-1].copy(),
    lambda array: array[:0].copy(),
    lambda array: np.concatenate([array, array[-1:]]),
    lambda array: np.concatenate([array, array]),
    lambda array: array[::-1],
    lambda array: np.repeat(array, 2, axis=0)[::2],
    lambda array: array[None],
    lambda array: array.reshape(-1)[:1].reshape(()) if array.size else None,
    lambda array: array.astype(np.float64),
    lambda array: array.astype(np.float32),
    lambda array: array.astype(np.int64) if np.isfinite(array).all() else None,
    lambda array: array.astype(array.dtype.newbyteorder()),
    lambda array: array.tolist(),
    lambda array: np.broadcast_to(array[:1], (len(array), *array.shape[1:])) if array.size else None,
    lambda array: array.astype(object),
    _unaligned,
    lambda array: None,
)
