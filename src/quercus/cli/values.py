"""Values typed on the command line: NAME=VALUE, numbers, true and false, lists, and costs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from quercus.errors import ParameterError


def typed_value(text: str) -> Any:
    """A number, true, false, none, a JSON list or object, or else the text itself.

    >>> [typed_value(text) for text in ("3", "0.25", "true", "none", "gini", '["m", 2]')]
    [3, 0.25, True, None, 'gini', ('m', 2)]
    """
    low = text.strip().lower()
    if low in ("true", "yes", "false", "no", "none", "null"):
        return {"true": True, "yes": True, "false": False, "no": False}.get(low)
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except ValueError:
        try:
            return float(text) if low not in ("nan", "inf", "-inf", "infinity", "-infinity") else text
        except ValueError:
            return text
    return tuple(value) if isinstance(value, list) else value


def _refuse_constant(text: str) -> Any:
    raise ValueError(text)


def named_texts(option: str, entries: Iterable[str] | None) -> dict[str, str]:
    """NAME=VALUE, each once, as a dictionary of texts.

    >>> named_texts("--case", ["Outlook=Rain", "Wind=Weak"])
    {'Outlook': 'Rain', 'Wind': 'Weak'}
    """
    texts: dict[str, str] = {}
    for entry in entries or ():
        name, sign, value = entry.partition("=")
        if not sign or not name.strip():
            raise ParameterError(f"{option} {entry!r} must have the form NAME=VALUE.")
        if name.strip() in texts:
            raise ParameterError(f"{option} gives {name.strip()!r} twice.")
        texts[name.strip()] = value.strip()
    return texts


def named_values(option: str, entries: Iterable[str] | None) -> dict[str, Any]:
    """NAME=VALUE as a dictionary of values with their types."""
    return {name: typed_value(text) for name, text in named_texts(option, entries).items()}


def named_numbers(option: str, entries: Iterable[str] | None) -> dict[str, float]:
    """NAME=NUMBER as a dictionary."""
    numbers = {}
    for name, text in named_texts(option, entries).items():
        try:
            numbers[name] = float(text)
        except ValueError:
            raise ParameterError(f"{option} {name}={text!r} must have a number behind the sign.") from None
    return numbers


def mistake_costs(entries: Sequence[str] | None, classes: Sequence[Any]) -> dict[tuple[Any, Any], float] | None:
    """TRUE:ANSWERED=COST as the cost matrix that estimators take; class names as they are printed.

    >>> mistake_costs(["ill:well=10"], ["ill", "well"])
    {('ill', 'well'): 10.0}
    """
    from quercus.data.values import value_text
    from quercus.errors import shown_list

    if not entries:
        return None
    by_text = {value_text(label): label for label in classes}
    costs: dict[tuple[Any, Any], float] = {}
    for pair, cost in named_numbers("--costs", entries).items():
        cuts = [place for place, sign in enumerate(pair) if sign == ":"]
        names = [(pair[:cut].strip(), pair[cut + 1 :].strip()) for cut in cuts]
        match = next((both for both in names if both[0] in by_text and both[1] in by_text), None)
        if match is None:
            raise ParameterError(
                f"--costs {pair}={cost:g} must have the form TRUE:ANSWERED=COST with two of the classes "
                f"{shown_list(list(by_text))}."
            )
        costs[by_text[match[0]], by_text[match[1]]] = cost
    return costs
