"""The XML of an export to PMML: elements written one after the other, every text escaped."""

from __future__ import annotations

import datetime as dt
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from quercus.errors import ExportError, shorten
from quercus.export.program import exact

#: What XML 1.0 cannot hold, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Document:
    """A document that is written from start to end; elements may nest to any depth."""

    def __init__(self) -> None:
        self._text = io.StringIO()
        self._out = XMLGenerator(self._text, encoding="utf-8", short_empty_elements=True)
        self._out.startDocument()
        self._open: list[str] = []

    def start(self, tag: str, /, **attributes: str | None) -> None:
        """Begin an element. attributes: those that are None are left out."""
        self._out.ignorableWhitespace("\n" if self._open else "")
        texts = {key: checked(text) for key, text in attributes.items() if text is not None}
        self._out.startElement(tag, AttributesImpl(texts))
        self._open.append(tag)

    def end(self) -> None:
        """End the element that was begun last."""
        self._out.endElement(self._open.pop())

    @contextmanager
    def element(self, tag: str, /, **attributes: str | None) -> Iterator[None]:
        """An element around everything that is written inside the ``with`` block."""
        self.start(tag, **attributes)
        yield
        self.end()

    def empty(self, tag: str, /, **attributes: str | None) -> None:
        """Write an element without content."""
        self.start(tag, **attributes)
        self.end()

    def characters(self, text: str) -> None:
        """Write text inside the element that was begun last."""
        self._out.characters(checked(text))

    def constant(self, text: str, kind: str) -> None:
        """A constant of a type; texts stand in a CDATA section.

        PMML4S keeps only the first or the last piece of other texts that its reader divides: at an escaped sign, at a
        character above U+FFFF, or after many characters.
        """
        sign = next((sign for sign in ("]]>", "\r") if sign in text), None)
        if sign is not None:
            raise ExportError(
                f"The text {shorten(text)} holds {sign!r}, which engines for PMML do not read as it stands. Rename it "
                "before fitting."
            )
        with self.element("Constant", dataType=kind):
            if kind == "string" and text:
                self._out.ignorableWhitespace(f"<![CDATA[{checked(text)}]]>")  # writes as it stands
            else:
                self.characters(text)

    def text(self) -> str:
        """The text of the whole document."""
        self._out.endDocument()
        return self._text.getvalue() + "\n"


def checked(text: str) -> str:
    """A text, if XML can hold it; other texts are refused."""
    if _FORBIDDEN.search(text):
        raise ExportError(f"The text {shorten(text)} holds a character that XML cannot hold. Rename it before fitting.")
    return text


def number(value: float) -> str:
    """A number with all its bits; zero has no sign, since engines may treat −0.0 as below 0.0."""
    return exact(float(value) + 0.0)


def value_as_text(value: Any) -> str:
    """A class, or a value of an attribute, as the text of an attribute of XML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, float):
        return number(value)
    kind = "date or time" if isinstance(value, dt.date | dt.time | dt.timedelta) else type(value).__name__
    raise ExportError(f"{shorten(value)} is a {kind}, which PMML has no exact text for. Convert it before fitting.")
