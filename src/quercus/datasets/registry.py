"""The list of all bundled tables and generators, by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from quercus.datasets import lecture_tables as lecture
from quercus.datasets.agrawal import make_agrawal
from quercus.datasets.boolean_functions import make_boolean
from quercus.datasets.led import make_led
from quercus.datasets.monks import make_monks
from quercus.datasets.waveform import make_waveform
from quercus.errors import ParameterError, did_you_mean, shown_list

__all__ = ["DATASETS", "DatasetEntry", "list_datasets", "load"]


@dataclass(frozen=True)
class DatasetEntry:
    """One bundled table: its name, whether it is a "table" or a "generator", a line about it, and what makes it."""

    name: str
    kind: str
    description: str
    make: Callable[..., tuple[Any, Any]] = field(repr=False)

    @property
    def options(self) -> dict[str, Any]:
        """The options that :func:`load` takes for it, with their defaults.

        >>> DATASETS["play_tennis"].options
        {'d15': False}
        """
        return {name: part.default for name, part in inspect.signature(self.make).parameters.items()}


_TABLES: dict[str, tuple[str, Callable[..., tuple[Any, Any]]]] = {
    "play_tennis": ("14 days, four nominal attributes: is tennis played? (d15: with day 15)", lecture.load_play_tennis),
    "order": ("four days for which the order of the tests matters", lecture.load_order_example),
    "restaurant": ("12 visits to a restaurant, ten nominal attributes: do we wait?", lecture.load_restaurant),
    "threshold": ("16 numbers of class 0 or 1: the threshold 4.5, P = 0.5625", lecture.load_threshold_example),
    "temperature": ("six temperatures: the candidate thresholds 54 and 85", lecture.load_temperature_example),
    "subscription": ("five people, two of unknown income: will they subscribe?", lecture.load_subscription_example),
    "income": ("eight people at a node that asks for the income: 62.5 % if unknown", lecture.load_income_example),
    "lemons_and_oranges": ("149 fruits: why accuracy is a poor measure", lecture.load_lemons_and_oranges),
}
_GENERATORS: dict[str, tuple[str, Callable[..., tuple[Any, Any]]]] = {
    "monks": ("the three Monk's problems: robots of six nominal attributes", make_monks),
    "boolean": ("AND, OR, XOR, parity, majority, with irrelevant attributes and noise", make_boolean),
    "agrawal": ("people in groups A and B by Agrawal's ten functions", make_agrawal),
    "led": ("a display of seven lights that shows a digit, with noise", make_led),
    "waveform": ("mixtures of triangular waves at 21 points, three classes", make_waveform),
}

#: The bundled tables and generators by name.
DATASETS: Mapping[str, DatasetEntry] = MappingProxyType(
    {name: DatasetEntry(name, "table", *row) for name, row in _TABLES.items()}
    | {name: DatasetEntry(name, "generator", *row) for name, row in _GENERATORS.items()}
)


def list_datasets() -> list[DatasetEntry]:
    """Return all bundled tables, then all generators.

    >>> for entry in list_datasets()[:3]:
    ...     print(entry.name, "-", entry.description)
    play_tennis - 14 days, four nominal attributes: is tennis played? (d15: with day 15)
    order - four days for which the order of the tests matters
    restaurant - 12 visits to a restaurant, ten nominal attributes: do we wait?
    """
    return list(DATASETS.values())


def load(name: str, **options: Any) -> tuple[Any, Any]:
    """Return (X, y) of a bundled table, or of a generator with its options.

    name: one of ``list_datasets()``. options: of the function that makes it.

    >>> X, y = load("agrawal", function=2, n_rows=50)
    >>> X.shape
    (50, 9)
    """
    if name not in DATASETS:
        raise ParameterError(
            f"There is no dataset {name!r}; there are {shown_list(list(DATASETS), 20)}.{did_you_mean(name, DATASETS)}"
        )
    entry = DATASETS[name]
    allowed = entry.options
    for option in options:
        if option not in allowed:
            hint = f"it takes {shown_list(list(allowed))}" if allowed else "it takes none"
            raise ParameterError(
                f"The dataset {name!r} has no option {option!r}; {hint}.{did_you_mean(option, allowed)}"
            )
    return entry.make(**options)
