"""Text widths without a font: advance widths of a wide sans-serif face, so that other faces take no more room."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from quercus.data.names import shortened

# Hundredths of the font's size, for the characters from blank to tilde.
_REGULAR = (
    *(32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64),
    *(64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79),
    *(60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63),
    *(63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84),
)
_BOLD = (
    *(35, 46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70),
    *(70, 70, 40, 40, 84, 84, 84, 58, 100, 77, 76, 73, 83, 68, 68, 82, 84, 37, 37, 77, 64, 110, 84, 85),
    *(73, 85, 77, 72, 68, 81, 77, 110, 77, 72, 73, 46, 37, 46, 84, 50, 50, 67, 72, 59, 72, 68, 44, 72),
    *(71, 34, 34, 67, 34, 104, 71, 69, 72, 72, 49, 60, 48, 71, 65, 92, 65, 65, 58, 71, 37, 71, 84),
)
_TABLES = tuple({chr(32 + place): width for place, width in enumerate(widths)} for widths in (_REGULAR, _BOLD))


@lru_cache(maxsize=65536)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide a text is at most, in the units of its size.

    >>> round(text_width("Outlook", 10), 1), round(text_width("Outlook", 10, bold=True), 1), text_width("天", 10)
    (38.9, 44.3, 11.0)
    """
    table = _TABLES[bold]
    return sum(table.get(character) or _other_width(character) for character in text) * size / 100.0


@lru_cache(maxsize=4096)
def _other_width(character: str) -> int:
    """Of a character outside of the table: as wide as its kind can be."""
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF" or ord(character) > 0xFFFF:
        return 110
    plain = unicodedata.normalize("NFD", character)[0]
    return _TABLES[1].get(plain, 100)


@lru_cache(maxsize=65536)
def fitted(text: str, width: float, size: float, bold: bool = False) -> str:
    """The text, or as much of its two ends as fits into the width.

    >>> fitted("number of the passengers' cabin", 100, 12)
    'number … cabin'
    """
    if text_width(text, size, bold) <= width:
        return text
    low, high = 1, len(text)  # characters that fit, and that do not
    while high - low > 1:
        middle = (low + high) // 2
        if text_width(shortened(text, middle), size, bold) <= width:
            low = middle
        else:
            high = middle
    return shortened(text, low)


def wrapped(text: str, width: float, size: float) -> list[str]:
    """The text in lines of at most the width, divided between words; a single word that is too long is shortened.

    >>> wrapped("number of the passengers' cabin", 100, 12)
    ['number of the', "passengers'", 'cabin']
    """
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(fitted(word, width, size))
    return lines
