"""Small tables of the textbooks and generators of larger ones, each as (X, y).

X is a pandas frame (without pandas a dict of columns), y its labels. ``load_…`` gives a fixed table; ``make_…``
generates one of any size, the same for the same ``random_state``. :func:`list_datasets` names them all.
"""

from quercus.datasets.agrawal import make_agrawal
from quercus.datasets.boolean_functions import make_boolean
from quercus.datasets.lecture_tables import (
    load_income_example,
    load_lemons_and_oranges,
    load_order_example,
    load_play_tennis,
    load_restaurant,
    load_subscription_example,
    load_temperature_example,
    load_threshold_example,
)
from quercus.datasets.led import make_led
from quercus.datasets.monks import make_monks
from quercus.datasets.registry import DATASETS, DatasetEntry, list_datasets, load
from quercus.datasets.waveform import make_waveform

__all__ = [
    "DATASETS",
    "DatasetEntry",
    "list_datasets",
    "load",
    "load_income_example",
    "load_lemons_and_oranges",
    "load_order_example",
    "load_play_tennis",
    "load_restaurant",
    "load_subscription_example",
    "load_temperature_example",
    "load_threshold_example",
    "make_agrawal",
    "make_boolean",
    "make_led",
    "make_monks",
    "make_waveform",
]
