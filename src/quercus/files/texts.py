"""The many distinct texts of a column: the core holds them, and they become strings only when they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

from quercus import _core

__all__ = ["Texts"]

_FIRST = 64  # what only looks at some texts mostly looks at the first ones


class Texts(Sequence[str]):
    """Distinct texts, like a tuple of strings.

    >>> from quercus.files.cells import Cells
    >>> from quercus.files.content import Content
    >>> from quercus.files.delimited_records import Dialect
    >>> rows = "".join(f"row {number}\\n" for number in range(1000))
    >>> texts = Cells(Content("a.csv", rows.encode()), 0, Dialect(), ["a"]).columns()["a"].values
    >>> type(texts).__name__, len(texts), texts[999], texts.short(5)[-1]
    ('Texts', 1000, 'row 999', 'row 9')
    """

    def __init__(self, held: _core.HeldTexts) -> None:
        self._held = held

    @cached_property
    def strings(self) -> tuple[str, ...]:
        """All texts as strings."""
        return self._held.strings(0, len(self))

    @cached_property
    def are_stripped(self) -> bool:
        """Whether no text is blank or has blanks around it; False if this cannot be seen quickly."""
        return self._held.are_stripped()

    def short(self, most: int) -> Sequence[str]:
        """Return the texts of at most so many bytes in UTF-8."""
        return self._held.short_strings(most)

    def __len__(self) -> int:
        """The number of texts."""
        return len(self._held)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: Any) -> Any:
        """Return the text at a place, or those of a slice."""
        if "strings" not in self.__dict__ and isinstance(place, int) and 0 <= place < len(self):
            return self._held.strings(place, place + 1)[0]
        return self.strings[place]

    def __iter__(self) -> Iterator[str]:
        """Go through the texts; if the loop ends early, few strings are made."""
        if "strings" not in self.__dict__:
            yield from self._held.strings(0, min(_FIRST, len(self)))
            yield from self.strings[_FIRST:]
        else:
            yield from self.strings

    def __contains__(self, text: object) -> bool:
        """Whether a text is one of them."""
        return text in self.strings

    def __eq__(self, other: object) -> bool:
        """Whether others are the same texts in the same order."""
        return self.strings == (other.strings if isinstance(other, Texts) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show them as a tuple."""
        return repr(self.strings)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy them as a tuple."""
        return tuple, (self.strings,)
