"""The tables that lectures on decision trees work through by hand."""

from __future__ import annotations

from typing import Any

from quercus.datasets.frames import table

__all__ = [
    "load_income_example",
    "load_lemons_and_oranges",
    "load_order_example",
    "load_play_tennis",
    "load_restaurant",
    "load_subscription_example",
    "load_temperature_example",
    "load_threshold_example",
]

_PLAY_TENNIS = """
D1  Sunny    Hot  High   Weak   No
D2  Sunny    Hot  High   Strong No
D3  Overcast Hot  High   Weak   Yes
D4  Rain     Mild High   Weak   Yes
D5  Rain     Cool Normal Weak   Yes
D6  Rain     Cool Normal Strong No
D7  Overcast Cool Normal Strong Yes
D8  Sunny    Mild High   Weak   No
D9  Sunny    Cool Normal Weak   Yes
D10 Rain     Mild Normal Weak   Yes
D11 Sunny    Mild Normal Strong Yes
D12 Overcast Mild High   Strong Yes
D13 Overcast Hot  Normal Weak   Yes
D14 Rain     Mild High   Strong No
"""
_D15 = "D15 Sunny    Hot  Normal Strong No\n"

_RESTAURANT = """
x1  Yes No  No  Yes Some $$$ No  Yes French  0-10  Yes
x2  Yes No  No  Yes Full $   No  No  Thai    30-60 No
x3  No  Yes No  No  Some $   No  No  Burger  0-10  Yes
x4  Yes No  Yes Yes Full $   Yes No  Thai    10-30 Yes
x5  Yes No  Yes No  Full $$$ No  Yes French  >60   No
x6  No  Yes No  Yes Some $$  Yes Yes Italian 0-10  Yes
x7  No  Yes No  No  None $   Yes No  Burger  0-10  No
x8  No  No  No  Yes Some $$  Yes Yes Thai    0-10  Yes
x9  No  Yes Yes No  Full $   Yes No  Burger  >60   No
x10 Yes Yes Yes Yes Full $$$ No  Yes Italian 10-30 No
x11 No  No  No  No  None $   No  No  Thai    0-10  No
x12 Yes Yes Yes Yes Full $   No  No  Burger  30-60 Yes
"""

_ORDER = """
1 Sunny Hot  Yes
2 Sunny Cold Yes
3 Rain  Hot  No
4 Rain  Cold No
"""

_SUBSCRIPTION = """
25 High   Yes No
40 ?      No  Yes
35 Low    Yes Yes
30 ?      Yes No
45 Medium No  Yes
"""

_INCOME = """
1 Low    Yes
2 Low    Yes
3 Low    Yes
4 Low    No
5 Medium Yes
6 Medium No
7 High   Yes
8 High   No
"""


def load_play_tennis(d15: bool = False) -> tuple[Any, Any]:
    """Return PlayTennis: 14 days, four nominal attributes.

    d15: add the fifteenth day of the overfitting example.

    >>> X, y = load_play_tennis()
    >>> list(X["Outlook"][:3]), list(y[:3])
    (['Sunny', 'Sunny', 'Overcast'], ['No', 'No', 'Yes'])
    >>> len(load_play_tennis(d15=True)[1])
    15
    """
    text = _PLAY_TENNIS + (_D15 if d15 else "")
    return _nominal_table(text, ["Outlook", "Temperature", "Humidity", "Wind"], "PlayTennis")


def load_restaurant() -> tuple[Any, Any]:
    """Return WillWait: 12 visits to a restaurant, ten nominal attributes. "None" is a value of Pat (patrons) here.

    >>> X, y = load_restaurant()
    >>> sorted(set(X["Pat"])), list(y).count("Yes")
    (['Full', 'None', 'Some'], 6)
    """
    names = ["Alt", "Bar", "Fri", "Hun", "Pat", "Price", "Rain", "Res", "Type", "Est"]
    return _nominal_table(_RESTAURANT, names, "Wait")


def load_order_example() -> tuple[Any, Any]:
    """Return four days for which the order of the tests matters: Outlook first needs one test, Temperature first three.

    >>> X, y = load_order_example()
    >>> list(X["Outlook"]), list(y)
    (['Sunny', 'Sunny', 'Rain', 'Rain'], ['Yes', 'Yes', 'No', 'No'])
    """
    return _nominal_table(_ORDER, ["Outlook", "Temperature"], "PlayTennis")


def load_subscription_example() -> tuple[Any, Any]:
    """Return five people with age, income and an earlier subscription: will they subscribe? Two incomes are unknown.

    >>> X, y = load_subscription_example()
    >>> list(X), list(X["Age"])
    (['Age', 'Income', 'Previous Subscription'], [25, 40, 35, 30, 45])
    >>> y.name, list(y)
    ('Will Subscribe?', ['No', 'Yes', 'Yes', 'No', 'Yes'])
    """
    rows = [line.split() for line in _SUBSCRIPTION.strip().splitlines()]
    ages, incomes, previous, labels = (list(column) for column in zip(*rows, strict=True))
    columns = {
        "Age": [int(age) for age in ages],
        "Income": [None if income == "?" else income for income in incomes],
        "Previous Subscription": previous,
    }
    return table(columns, labels, "Will Subscribe?")


def load_income_example() -> tuple[Any, Any]:
    """Return eight people at one node that asks for the income: of Low 75 % subscribe, of Medium or High 50 %.

    Both branches hold four people, so that someone of unknown income counts half on each side: 62.5 %. The lecture
    describes this node beside the five people of :func:`load_subscription_example`, which are too few to give it.

    >>> X, y = load_income_example()
    >>> [list(y[4 * group : 4 * group + 4]).count("Yes") / 4 for group in (0, 1)]
    [0.75, 0.5]
    """
    return _nominal_table(_INCOME, ["Income"], "Will Subscribe?")


def load_threshold_example() -> tuple[Any, Any]:
    """Return 16 numbers x with a class 0 or 1: the split at 4.5 gives P(y = 1) = 5/6 and 4/10.

    >>> X, y = load_threshold_example()
    >>> low = [label for x, label in zip(X["x"], y) if x <= 4.5]
    >>> sum(low), len(low)
    (5, 6)
    """
    x = [0.3, 1.1, 1.8, 2.3, 3.2, 4.5, 4.8, 5.7, 6.0, 7.3, 7.9, 9.9, 10.1, 12.5, 12.6, 18.1]
    y = [1, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1]
    return table({"x": x}, y, "y")


def load_temperature_example() -> tuple[Any, Any]:
    """Return six temperatures with a class that changes twice: the candidate thresholds are 54 and 85.

    >>> X, y = load_temperature_example()
    >>> list(zip(X["Temperature"], y))[:3]
    [(40, 'No'), (48, 'No'), (60, 'Yes')]
    """
    return table({"Temperature": [40, 48, 60, 72, 80, 90]}, ["No", "No", "Yes", "Yes", "Yes", "No"], "PlayTennis")


def load_lemons_and_oranges() -> tuple[Any, Any]:
    """Return 149 fruits, 49 of them oranges, with width and height in centimetres.

    A cut of the width at 6.5 leaves 50 lemons on one side and 99 fruits with all 49 oranges on the other: no more
    fruits are classified rightly than without it, yet the information gain is about a quarter of a bit. A cut of the
    height at 8.5 is just as good, and both together tell all fruits apart. The measurements are made up.

    >>> X, y = load_lemons_and_oranges()
    >>> narrow = [label for width, label in zip(X["width"], y) if width <= 6.5]
    >>> len(y), list(y).count("orange"), len(narrow), narrow.count("orange")
    (149, 49, 50, 0)
    """
    slim = [(round(5.0 + 0.03 * i, 2), round(6.02 + 0.037 * (7 * i % 50), 3), "lemon") for i in range(50)]
    tall = [(round(6.615 + 0.0288 * i, 3), round(9.0 + 0.03 * (11 * i % 50), 2), "lemon") for i in range(50)]
    oranges = [(round(6.6 + 0.03 * i, 2), round(6.0 + 0.04 * (10 * i % 49), 2), "orange") for i in range(49)]
    # neighbours in the table are of different fruits, as if taken from one basket
    fruits = [fruit for group in zip(slim, oranges, tall, strict=False) for fruit in group] + [slim[-1], tall[-1]]
    widths, heights, labels = (list(column) for column in zip(*fruits, strict=True))
    return table({"width": widths, "height": heights}, labels, "fruit")


def _nominal_table(text: str, names: list[str], target: str) -> tuple[Any, Any]:
    """Read lines of: row name, one word per attribute, class."""
    rows = [line.split() for line in text.strip().splitlines()]
    index, *columns, labels = (list(column) for column in zip(*rows, strict=True))
    return table(dict(zip(names, columns, strict=True)), labels, target, index if not index[0].isdigit() else None)
