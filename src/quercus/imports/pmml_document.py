"""The XML of a PMML document as elements, read without entities; and the fields that it declares."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from quercus.data.schema import DATE_TYPES, Attribute
from quercus.errors import DataError, FileError, shorten

_NUMBERS = ("integer", "float", "double")


def read_document(text: str, called: str) -> Element:
    """The root element, all names without their namespace. called: the name of the text in messages.

    A document type is refused, and with it every entity: nothing outside the text is read, and nothing grows in it.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: builder.start(name.rpartition(":")[2], attributes)
    parser.EndElementHandler = lambda name: builder.end(name.rpartition(":")[2])
    parser.CharacterDataHandler = builder.data

    def refuse(*_: Any) -> None:
        raise FileError(f"{called}: a document type (<!DOCTYPE) is not read, since it may hide entities. Remove it.")

    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        raise FileError(f"{called}: no XML: {error}.") from error
    except UnicodeEncodeError as error:
        raise FileError(f"{called}: character {error.start} is no character of Unicode.") from error
    return builder.close()


def child(element: Element, name: str) -> Element:
    """The only child with this name; it is an error if there is none."""
    match = element.find(name)
    if match is None:
        raise DataError(f"The PMML's {element.tag} has no {name}.")
    return match


def extension(element: Element, name: str) -> str | None:
    """The text that an export of Quercus wrote for its own import."""
    for one in element.findall("Extension"):
        if one.get("extender") == "Quercus" and one.get("name") == name:
            return one.get("value")
    return None


def number_of(text: str | None, where: str) -> float:
    """A finite number; anything else is refused. where: names the place in the message."""
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"{where} has {shorten(text)}, but must have a number.")
    return value


def typed(text: str, kind: str, where: str) -> Any:
    """A text as a value of a PMML type."""
    if kind == "integer":
        try:
            return int(text)
        except ValueError as error:
            raise DataError(f"{where} has {shorten(text)}, but must have a whole number.") from error
    if kind in ("float", "double"):
        return number_of(text, where)
    if kind == "boolean":
        if text not in ("true", "false", "1", "0"):
            raise DataError(f"{where} has {shorten(text)}, but must have true or false.")
        return text in ("true", "1")
    return text


@dataclass(frozen=True)
class Field:
    """A field of the data dictionary.

    name, kind: its name and type. continuous: whether its values are numbers to compare. values: that it lists, as
    plain values; missing: that mean unknown; invalid: numbers that are not allowed. ordinal: whether its values have
    an order. date_type: of a date of Quercus. ours: the kind of attribute that an export of Quercus wrote. limited:
    whether only some numbers are allowed.
    """

    name: str
    kind: str
    continuous: bool
    values: tuple[Any, ...]
    missing: tuple[Any, ...]
    ordinal: bool
    date_type: Any
    ours: str | None
    invalid: tuple[Any, ...]
    limited: bool

    def value(self, text: str) -> Any:
        """A text as a value of this field."""
        if self.ours == "boolean":
            return typed(text, "boolean", f"Field {self.name!r}")
        return typed(text, self.kind, f"Field {self.name!r}")

    @property
    def domain(self) -> tuple[Any, ...]:
        """The values of a field that is not continuous, in the order of their codes; none: it allows any value.

        Truth values are false and true, in this order, as of an attribute; a field may list only one of them.
        """
        truth = "boolean" in (self.kind, self.ours) and set(self.values) in (set(), {False, True})
        return (False, True) if truth else self.values

    def attribute(self, seen: list[Any], unknown: tuple[Any, ...] = ()) -> Attribute:
        """The attribute of this field. seen: values that predicates name. unknown: more numbers that mean unknown."""
        if self.continuous:
            kind: Any = "numeric" if self.date_type is None else "date"
            return Attribute(self.name, kind, date_type=self.date_type, missing_tokens=self.missing + unknown)
        values = self.domain or tuple(dict.fromkeys(seen))
        if values == (False, True) and "boolean" in (self.kind, self.ours):
            return Attribute(self.name, "boolean", missing_tokens=self.missing)
        return Attribute(
            self.name, "ordered" if self.ours == "ordered" else "nominal", values, missing_tokens=self.missing
        )


def read_fields(root: Element) -> dict[str, Field]:
    """The fields of the data dictionary by their names."""
    fields = {}
    for element in child(root, "DataDictionary").findall("DataField"):
        field = _field(element)
        if field.name in fields:
            raise DataError(f"The PMML declares the field {field.name!r} twice.")
        fields[field.name] = field
    return fields


def _field(element: Element) -> Field:
    name, kind, optype = (element.get(key, "") for key in ("name", "dataType", "optype"))
    if kind not in (*_NUMBERS, "string", "boolean"):
        raise DataError(
            f"Field {name!r} is of the type {kind!r}; an import takes integer, float, double, string and boolean. Turn "
            "dates into numbers before."
        )
    continuous = optype == "continuous"
    if continuous and kind not in _NUMBERS:
        raise DataError(f"Field {name!r} is continuous, but of the type {kind!r}.")
    ours = extension(element, "kind")
    date_type = extension(element, "date_type")
    if date_type is not None and date_type not in DATE_TYPES:
        raise DataError(f"Field {name!r} has the date type {shorten(date_type)}.")
    valid, missing, invalid = list[Any](), list[Any](), list[Any]()
    limited = continuous and element.find("Interval") is not None
    for text, purpose in _values(element):
        if purpose == "valid" and not continuous:
            valid.append(typed(text, "boolean" if ours == "boolean" else kind, f"Field {name!r}"))
        elif purpose == "valid":
            limited = True
        elif purpose == "invalid" and continuous:
            invalid.append(number_of(text, f"Field {name!r}"))
        elif purpose == "missing" and text != "NaN":
            missing.append(_token(text, kind))
    if len(set(map(repr, valid))) < len(valid):
        raise DataError(f"Field {name!r} lists a value twice.")
    return Field(
        *(name, kind, continuous, tuple(valid), tuple(missing), optype == "ordinal", date_type, ours),
        invalid=tuple(invalid),
        limited=limited,
    )


def _token(text: str, kind: str) -> Any:
    """A value that means unknown; texts stay texts in columns of numbers, too."""
    try:
        return typed(text, kind, "")
    except DataError:
        return text


def _values(element: Element) -> Iterator[tuple[str, str]]:
    for value in element.findall("Value"):
        yield value.get("value", ""), value.get("property", "valid")
