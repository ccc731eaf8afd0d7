"""Small tables of the textbooks, each as (X, y): X a pandas frame (without pandas a dict of columns), y its labels."""

from quercus.datasets.lecture_tables import (
    load_income_example,
    load_lemons_and_oranges,
    load_order_example,
    load_play_tennis,
    load_restaurant,
    load_temperature_example,
    load_threshold_example,
)

__all__ = [
    "load_income_example",
    "load_lemons_and_oranges",
    "load_order_example",
    "load_play_tennis",
    "load_restaurant",
    "load_temperature_example",
    "load_threshold_example",
]
