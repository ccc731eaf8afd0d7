"""The schema: name, kind, values and cost of every attribute, and the classes of the target."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from quercus.data.costs import MOST_COST
from quercus.data.values import number_text, plain_value, value_from_json, value_key, value_text, value_to_json
from quercus.errors import DataError, choice_message, did_you_mean, shorten, shown_list, visible

__all__ = ["DATE_TYPES", "KINDS", "Attribute", "DateType", "Kind", "Schema"]

#: What an attribute is: its values are numbers, names, names in an order, yes and no, or dates.
Kind = Literal["numeric", "nominal", "ordered", "boolean", "date"]
DateType = Literal["local", "utc", "duration", "time"]
KINDS: tuple[Kind, ...] = get_args(Kind)
DATE_TYPES: tuple[DateType, ...] = get_args(DateType)


@dataclass(frozen=True)
class Attribute:
    """One attribute (column) of a table.

    - name: the column's name as text.
    - kind: "numeric", "nominal", "ordered", "boolean" or "date".
    - values: the domain of a nominal, ordered or boolean attribute, plain Python values; code i means values[i].
    - cost: what it costs to learn the attribute's value.
    - date_type: what a date attribute's microseconds count: "local" (since 1970-01-01, no time zone), "utc" (the same,
      with one), "duration", or "time" (of day).
    - missing_tokens: values that mean "missing" in this column, besides None, NaN and NaT.
    - from_text: the numbers or dates are read from text.
    - gaps: whether some values were unknown in the table that the attribute was learnt from; None: nobody looked.

    >>> wind = Attribute("Wind", "nominal", values=("Weak", "Strong"))
    >>> wind.show(1), wind.code("Weak"), wind.code("Storm"), wind.n_values
    ('Strong', 0, -1, 2)
    >>> Attribute("Temperature", "numeric").show(54.0)
    '54'
    >>> Attribute("Day", "date", date_type="local").show(1_714_521_600_000_000)
    '2024-05-01'
    """

    name: str
    kind: Kind
    values: tuple[Any, ...] = ()
    cost: float = 0.0
    date_type: DateType | None = None
    missing_tokens: tuple[Any, ...] = ()
    from_text: bool = False
    gaps: bool | None = dataclasses.field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Check the fields against each other."""
        if not isinstance(self.name, str):
            raise DataError(f"An attribute's name is {shorten(self.name)}, but must be a string.")
        if self.kind not in KINDS:
            raise DataError(choice_message(f"The kind of attribute {self.name!r}", self.kind, KINDS))
        if not (isinstance(self.cost, (int, float)) and 0 <= self.cost <= MOST_COST):
            raise DataError(
                f"The cost of attribute {self.name!r} is {shorten(self.cost)}, but must be a number from 0 to "
                f"{MOST_COST:g}."
            )
        if self.kind == "boolean" and not self.values:
            object.__setattr__(self, "values", (False, True))
        if self.kind in ("numeric", "date") and self.values:
            raise DataError(f"Attribute {self.name!r} is {self.kind} and cannot have a list of values.")
        if self.kind == "date" and self.date_type is None:
            object.__setattr__(self, "date_type", "local")
        if self.date_type is not None and (self.kind != "date" or self.date_type not in DATE_TYPES):
            raise DataError(f"Attribute {self.name!r} is {self.kind} with date type {shorten(self.date_type)}.")
        if len(self._codes) < len(self.values):
            raise DataError(f"Attribute {self.name!r} has a value twice in its domain: {shown_list(self.values)}.")

    @cached_property
    def _codes(self) -> dict[object, int]:
        return {value_key(value): code for code, value in enumerate(self.values)}

    @property
    def plain_numbers(self) -> bool:
        """Whether the attribute is numeric and takes numbers as they are: no text, no tokens of its own."""
        return self.kind == "numeric" and not self.missing_tokens and not self.from_text

    @cached_property
    def category_codes(self) -> list[Any]:
        """Of the categorical that was read last: its categories, and the code of each; empty: none was."""
        return []

    @cached_property
    def text_codes(self) -> dict[str, int]:
        """The code of each value of a nominal attribute of texts alone, none of which means missing; else empty."""
        plain = self.kind == "nominal" and not self.missing_tokens and {*map(type, self.values)} == {str}
        return {value: code for code, value in enumerate(self.values)} if plain else {}

    @cached_property
    def domain_elsewhere(self) -> dict[str, Any]:
        """The domain as other libraries hold it, by their names; made when first needed."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave the derived look-up table out of pickles."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @property
    def n_values(self) -> int:
        """How many values the domain has; 0 for numeric and date attributes."""
        return len(self.values)

    @property
    def is_numeric(self) -> bool:
        """Whether the attribute is tested by thresholds: numeric, ordered and date attributes."""
        return self.kind in ("numeric", "ordered", "date")

    def code(self, value: object) -> int:
        """Return the code of a value of the domain, -1 for any other value."""
        try:
            return self._codes.get(value_key(plain_value(value)), -1)
        except TypeError:
            return -1

    def codes(self, plain_values: Iterable[Any]) -> list[int]:
        """Return the codes of many plain Python values, -1 for those outside of the domain."""
        known = self._codes
        return [known.get(value_key(value), -1) for value in plain_values]

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        """The values as text; those that would look the same (1 and "1") with their quotes."""
        texts = [value_text(value) for value in self.values]
        if len(set(texts)) < len(texts):
            count = Counter(texts)
            texts = [repr(value) if count[text] > 1 else text for value, text in zip(self.values, texts, strict=True)]
        return tuple(texts)

    def show(self, value: float, digits: int | None = 10) -> str:
        """Write an encoded value (a code, a number, microseconds) as text; NaN and the code -1 are "unknown".

        A number between two codes of an ordered attribute (a threshold) is written as the lower value. ``digits``: at
        most so many significant digits of a numeric attribute's number; None: all that tell it apart from every other.
        """
        if value != value:
            return "unknown"
        if self.kind == "numeric":
            return number_text(value, digits)
        if self.kind == "date":
            return _date_text(value, self.date_type or "local")
        code = math.floor(value) if self.kind == "ordered" and math.isfinite(value) else value
        if self.kind == "ordered" and self.values:
            code = min(max(code, 0), len(self.values) - 1)
        return self._texts[int(code)] if 0 <= code < len(self.values) else "unknown"

    def to_dict(self) -> dict[str, Any]:
        """Return the attribute as a dictionary that JSON can hold; fields at their defaults are left out."""
        result: dict[str, Any] = {"name": self.name, "kind": self.kind}
        if self.kind in ("nominal", "ordered", "boolean"):
            result["values"] = [value_to_json(value) for value in self.values]
        if self.cost:
            result["cost"] = float(self.cost)
        if self.date_type is not None:
            result["date_type"] = self.date_type
        if self.missing_tokens:
            result["missing_tokens"] = [value_to_json(token) for token in self.missing_tokens]
        if self.from_text:
            result["from_text"] = True
        if self.gaps is not None:
            result["gaps"] = self.gaps
        return result

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Attribute:
        """Undo :meth:`to_dict`."""
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = [key for key in data if key not in known]
        if unknown or "name" not in data or "kind" not in data:
            raise DataError(f"An attribute needs 'name' and 'kind', may have {sorted(known)}; given: {sorted(data)}.")
        fields = dict(data)
        for field in ("values", "missing_tokens"):
            fields[field] = tuple(value_from_json(value) for value in data.get(field, ()))
        return cls(**fields)


def _date_text(microseconds: float, date_type: DateType) -> str:
    if not math.isfinite(microseconds) or abs(microseconds) >= 2.0**63:
        return number_text(microseconds)
    whole = round(microseconds)
    day, clock = divmod(whole, 86_400_000_000)
    seconds, fraction = divmod(clock, 1_000_000)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}"
    if seconds % 60 or fraction:
        text += f":{seconds % 60:02d}"
    if fraction:
        text += f".{fraction:06d}".rstrip("0")
    if date_type == "time":
        return text
    if date_type == "duration":
        days = f"{day} day" + ("" if day == 1 else "s")
        return days if clock == 0 else f"{days} {text}" if day else text
    date = str(np.datetime64(day, "D"))
    zone = "Z" if date_type == "utc" else ""
    return (date if clock == 0 else f"{date} {text}") + zone


@dataclass(frozen=True, repr=False)
class Schema:
    """The attributes of a table in column order, the target's name and its classes (None: numbers, or not known yet).

    >>> schema = Schema((Attribute("Wind", "nominal", ("Weak", "Strong")), Attribute("Humidity", "numeric")))
    >>> len(schema), schema[0].name, schema["Humidity"].kind, schema.names
    (2, 'Wind', 'numeric', ('Wind', 'Humidity'))
    >>> Schema.from_dict(schema.to_dict()) == schema
    True
    >>> schema
    <Schema: Wind (nominal), Humidity (numeric)>
    """

    attributes: tuple[Attribute, ...]
    target: str | None = None
    classes: tuple[Any, ...] | None = None

    def __repr__(self) -> str:
        """The first attributes in one line, and the target."""
        shown = [f"{visible(attribute.name, one_line=True)} ({attribute.kind})" for attribute in self.attributes[:6]]
        more = [f"{len(self) - 6:,} more"] if len(self) > 6 else []
        target = "" if self.target is None else f"; target {visible(self.target, one_line=True)}"
        return f"<Schema: {', '.join([*shown, *more]) or 'no attributes'}{target}>"

    def __post_init__(self) -> None:
        """Check that no name comes twice."""
        object.__setattr__(self, "attributes", tuple(self.attributes))
        if len(self._positions) < len(self.attributes):
            seen: set[str] = set()
            twice = [name for name in self.names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
            raise DataError(f"Column names must differ, but {shown_list(twice)} comes more than once. Rename columns.")

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {attribute.name: position for position, attribute in enumerate(self.attributes)}

    @cached_property
    def plain_numbers(self) -> bool:
        """Whether every attribute is numeric and takes numbers as they are: no text, no tokens of its own."""
        return all(attribute.plain_numbers for attribute in self.attributes)

    @cached_property
    def _last_columns(self) -> list[Any]:
        return []

    def matches(self, columns: Any) -> bool:
        """Whether the columns of a data frame have these names, in this order.

        columns: the frame's ``columns``; an index of pandas, which cannot change, is compared once.
        """
        if self._last_columns and self._last_columns[0] is columns:
            return True
        if len(columns) != len(self.attributes) or tuple(columns) != self.names:
            return False
        if not isinstance(columns, list):
            self._last_columns[:] = [columns]
        return True

    def __getstate__(self) -> dict[str, Any]:
        """Leave the derived look-up table out of pickles."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attributes' names, in column order."""
        return tuple(attribute.name for attribute in self.attributes)

    def __len__(self) -> int:
        """How many attributes there are."""
        return len(self.attributes)

    def __iter__(self) -> Iterator[Attribute]:
        """Go through the attributes in column order."""
        return iter(self.attributes)

    def __getitem__(self, key: int | str) -> Attribute:
        """Return the attribute at a position or of a name."""
        return self.attributes[self.position(key) if isinstance(key, str) else key]

    def position(self, name: str) -> int:
        """Return the column position of the attribute with this name."""
        if name not in self._positions:
            hint = did_you_mean(name, self.names)
            raise DataError(f"There is no attribute {name!r}; there are {shown_list(self.names)}.{hint}")
        return self._positions[name]

    def with_target(self, target: str | None, classes: Sequence[Any] | np.ndarray | None = None) -> Schema:
        """Return the same schema with the target's name and its classes as plain Python values."""
        plain = None if classes is None else tuple(plain_value(label) for label in classes)
        return dataclasses.replace(self, target=target, classes=plain)

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as a dictionary that JSON can hold and that keeps the type of every value."""
        classes = None if self.classes is None else [value_to_json(label) for label in self.classes]
        attributes = [attribute.to_dict() for attribute in self.attributes]
        return {"attributes": attributes, "target": self.target, "classes": classes}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Schema:
        """Undo :meth:`to_dict`."""
        if "attributes" not in data:
            raise DataError(f"A schema needs 'attributes'; given: {sorted(data)}.")
        labels = data.get("classes")
        classes = None if labels is None else tuple(value_from_json(label) for label in labels)
        return cls(tuple(Attribute.from_dict(item) for item in data["attributes"]), data.get("target"), classes)
