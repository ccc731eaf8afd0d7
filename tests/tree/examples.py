"""Small trees that several tests use."""

from __future__ import annotations

from quercus.data.schema import Attribute
from quercus.tree import Tree
from tree.build import build, cut, grouped, leaf, multiway, schema_of, stand_in, subset

WEATHER = schema_of(
    Outlook=("Sunny", "Overcast", "Rain"),
    Temperature=("Hot", "Mild", "Cool"),
    Humidity=("High", "Normal"),
    Wind=("Weak", "Strong"),
)
FIELDS = schema_of(
    Soil=("clay", "loam", "peat", "sand"),
    Height="numeric",
    Size=Attribute("Size", "ordered", values=("S", "M", "L")),
    Day=Attribute("Day", "date"),
    Wet="boolean",
)


def play_tennis() -> Tree:
    """ID3's tree of PlayTennis."""
    humidity = multiway("Humidity", leaf([3, 0]), leaf([0, 2]), gain=0.971)
    wind = multiway("Wind", leaf([0, 3]), leaf([2, 0]), gain=0.971)
    return build(multiway("Outlook", humidity, leaf([0, 4]), wind, gain=0.2467), WEATHER, ["No", "Yes"])


def every_kind() -> Tree:
    """All kinds of tests, an empty leaf, fractional weights, surrogates."""
    wet = multiway("Wet", leaf([0, 0, 0]), leaf([1, 2, 0]), gain=0.1)
    size = cut("Size", 0.5, leaf([0, 2.4, 0]), wet, missing=1, gain=0.2)
    groups = grouped(
        "Soil", {"clay": 0, "loam": 1, "peat": 0, "sand": 2}, size, leaf([3, 0, 0]), leaf([0, 0, 4]), gain=0.4
    )
    known = cut("Height", float("inf"), leaf([1, 0, 1]), leaf([0, 1, 0]), missing=1, gain=0.05)
    soil = subset(
        "Soil", {"clay": 0, "sand": 1}, known, leaf([0, 0, 2]), gain=0.3, surrogates=[stand_in("Height", 2.0, low=1)]
    )
    stand_ins = [
        stand_in("Height", 1.25, low=1, agreement=0.9, adjusted=0.75),
        stand_in("Soil", values={"clay": 0, "loam": 1, "sand": 1}, agreement=0.8, adjusted=0.5),
    ]
    day = 1_714_521_600_000_000.0
    root = cut("Day", day, groups, soil, missing=0, gain=0.5, surrogates=stand_ins)
    return build(root, FIELDS, ["a", "b", "c"], criterion="gini")


def prices() -> Tree:
    """A regression tree with an empty branch."""
    low = multiway("Wet", leaf(mean=2.0, weight=4, squares=1.0), leaf(mean=0.0, weight=0), gain=1.0)
    return build(cut("Height", 1.5, low, leaf(mean=10.0, weight=6)), FIELDS, criterion="squared_error")
