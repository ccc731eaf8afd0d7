"""UBJ, the binary form of JSON (UBJSON, draft 12) in which XGBoost stores models: read within the bounds of the file.

XGBoost's own reader ends the process at some bytes that are damaged.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus.errors import DataError

#: Numbers by their markers, as NumPy's types; the most significant byte comes first.
_NUMBERS = {"i": ">i1", "U": ">u1", "I": ">i2", "l": ">i4", "L": ">i8", "d": ">f4", "D": ">f8"}
_WORDS = {"Z": None, "T": True, "F": False}
#: Deeper than any model is nested.
_DEEPEST = 100


def parsed_ubj(data: bytes) -> Any:
    """The content of a UBJ document.

    data: its bytes. Arrays of one type of number become lists, as in JSON.

    >>> length = b"L" + bytes(7)
    >>> parsed_ubj(b"{" + length + b"\\x01a[i\\x01i\\xff]" + length + b"\\x01b[$U#" + length + b"\\x02\\x07\\x08}")
    {'a': [1, -1], 'b': [7, 8]}
    """
    reader = _Reader(data)
    value = reader.value(reader.marker(), 0)
    if reader.place != len(data):
        raise reader.error("there is more behind its end")
    return value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def error(self, why: str) -> DataError:
        return DataError(f"This is not XGBoost's model, or it is cut off: {why} (byte {self.place:,}).")

    def take(self, count: int) -> bytes:
        if not 0 <= count <= len(self.data) - self.place:
            raise self.error(f"{count:,} bytes are announced, and {len(self.data) - self.place:,} are left")
        self.place += count
        return self.data[self.place - count : self.place]

    def marker(self) -> str:
        return self.take(1).decode("latin-1")

    def number(self, marker: str) -> Any:
        if marker not in _NUMBERS:
            raise self.error(f"{marker!r} stands where a number should begin")
        kind = np.dtype(_NUMBERS[marker])
        return np.frombuffer(self.take(kind.itemsize), kind)[0].item()

    def count(self) -> int:
        number = self.number(self.marker())
        if not isinstance(number, int) or number < 0:
            raise self.error(f"{number} is no length")
        return number

    def text(self) -> str:
        try:
            return self.take(self.count()).decode()
        except UnicodeDecodeError as error:
            raise self.error("a text is not in UTF-8") from error

    def value(self, marker: str, depth: int) -> Any:
        if depth > _DEEPEST:
            raise self.error("it is nested too deeply")
        if marker in _WORDS:
            return _WORDS[marker]
        if marker == "S":
            return self.text()
        if marker == "C":
            return self.marker()
        if marker == "{":
            return self.members(depth)
        return self.items(depth) if marker == "[" else self.number(marker)

    def items(self, depth: int) -> list[Any]:
        """The rest of an array: numbers of one type and their count, a count and values, or values up to a bracket."""
        marker = self.marker()
        if marker == "$":
            kind = self.marker()
            if kind not in _NUMBERS or self.marker() != "#":
                raise self.error("an array of one type must be of numbers and tell their count")
            size, count = np.dtype(_NUMBERS[kind]).itemsize, self.count()
            return list(np.frombuffer(self.take(size * count), _NUMBERS[kind]).tolist())
        if marker == "#":
            return [self.value(self.marker(), depth + 1) for _ in range(self.count())]
        result = []
        while marker != "]":
            result.append(self.value(marker, depth + 1))
            marker = self.marker()
        return result

    def members(self, depth: int) -> dict[str, Any]:
        """The rest of an object: names, each with a value."""
        result: dict[str, Any] = {}
        marker = self.marker()
        while marker != "}":
            self.place -= 1  # the marker belongs to the length of the name
            name = self.text()
            result[name] = self.value(self.marker(), depth + 1)
            marker = self.marker()
        return result
