"""Changes: the content of a counterfactual, attribute by attribute, with the new answer and its cost."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from quercus.data.names import percent, quoted_name, quoted_value, significant
from quercus.data.values import value_to_json
from quercus.results import Result, frame_of


@dataclass(frozen=True, repr=False)
class Change(Result):
    """One attribute that changes.

    attribute: its name. before: its value, in words. value: the nearest value that will do, as the table would hold it
    (a date in microseconds since 1970). example: a value that people would write and that will do, too, in words.
    condition: all values that will do, in words. cost: of this change. code: the value as the tree compares it.
    impossible: why it can hardly be done, by the attribute's name (an age does not go down); empty: nothing is known.
    """

    attribute: str
    before: str
    value: Any
    example: str
    condition: str
    cost: float
    code: float
    _domain: Any = None
    _up: bool = False
    impossible: str = ""

    def __str__(self) -> str:
        """From what to what."""
        name = quoted_name(self.attribute)
        notes = [] if self.condition == f"{name} = {self.example}" else [f"any {self.condition}"]
        notes += [self.impossible] if self.impossible else []
        return f"{name} from {self.before} to {self.example}" + (f" ({'; '.join(notes)})" if notes else "")

    def covers(self, other: Change) -> bool:
        """Whether the other change is one of those that this one stands for: same attribute, same way."""
        if self.attribute != other.attribute:
            return False
        if isinstance(self._domain, frozenset):
            return bool(other._domain <= self._domain)
        return self._up == other._up

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            "attribute": self.attribute,
            "before": self.before,
            "value": value_to_json(self.value),
            "example": self.example,
            "condition": self.condition,
            "cost": self.cost,
            "impossible": self.impossible,
        }


@dataclass(frozen=True, repr=False)
class Counterfactual(Result):
    """A change of the example that gives another answer.

    changes: the attributes that change, in the order asked. cost: of all of them. label: the new answer. distribution:
    the new class shares, or the new number alone. share: of the new class (None: a number).
    """

    changes: tuple[Change, ...]
    cost: float
    label: Any
    distribution: tuple[float, ...]
    share: float | None

    @property
    def values(self) -> dict[str, Any]:
        """The new values of the attributes that change, by name."""
        return {change.attribute: change.value for change in self.changes}

    def __str__(self) -> str:
        """The changes and the new answer."""
        answer = (
            significant(self.label, 6) if self.share is None else f"{quoted_value(self.label)} ({percent(self.share)})"
        )
        return f"{' and '.join(map(str, self.changes))} → {answer}, cost {significant(self.cost)}"

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            "label": value_to_json(self.label),
            "cost": self.cost,
            "distribution": list(self.distribution),
            "changes": [change.to_dict() for change in self.changes],
            "text": str(self),
        }


@dataclass(frozen=True, repr=False)
class Counterfactuals(Result, Sequence[Counterfactual]):
    """The cheapest changes, the cheapest first; a sequence of :class:`Counterfactual`.

    found: the changes. now: the answer without a change. wanted: what was asked for, in words. complete: whether the
    search came to its end, so that nothing cheaper exists (and, if none is found, none at all). already: whether the
    answer is as wanted without a change; then nothing is searched. why: why a class is answered, now or after a change,
    though it is not the most likely; empty: all are. blocked: if nothing is found, the attributes that were not free to
    change and that the smallest change would need. unblocked: that change; None: the model never answers so.
    """

    found: tuple[Counterfactual, ...]
    now: Any
    wanted: str
    complete: bool
    already: bool = False
    why: str = ""
    blocked: tuple[str, ...] = ()
    unblocked: Counterfactual | None = None

    @overload
    def __getitem__(self, index: int) -> Counterfactual: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Counterfactual]: ...
    def __getitem__(self, index: int | slice) -> Counterfactual | Sequence[Counterfactual]:
        """A change by its place."""
        return self.found[index]

    def __len__(self) -> int:
        """How many were found."""
        return len(self.found)

    def __iter__(self) -> Iterator[Counterfactual]:
        """The changes, the cheapest first."""
        return iter(self.found)

    def __str__(self) -> str:
        """The present answer, and one line for each change."""
        now = significant(self.now, 6) if isinstance(self.now, float) else quoted_value(self.now)
        if self.already:
            return f"Now: {now}. Wanted: {self.wanted}: it is so already."
        if not self.found:
            return "\n".join(filter(None, [f"Now: {now}. Wanted: {self.wanted}: {self._nothing()}", self.why]))
        lines = [f"Now: {now}. Wanted: {self.wanted}. The smallest change{'s' if len(self.found) > 1 else ''}:"]
        lines += [f"{number}. {one}" for number, one in enumerate(self.found, 1)]
        if not self.complete:
            lines.append("The search was cut short: there may be smaller changes.")
        if kept := dict.fromkeys(change.attribute for one in self.found for change in one.changes if change.impossible):
            names = ", ".join(repr(name) for name in kept)
            options = " ".join(f"--fixed {shlex.quote(name)}" for name in kept)
            lines.append(f"To leave out what cannot change: fixed=[{names}], on the command line {options}.")
        return "\n".join([*lines, self.why] if self.why else lines)

    def _nothing(self) -> str:
        """Why there is no change, in words."""
        if not self.complete:
            return "the search was cut short before it found it."
        if self.unblocked is None:
            return "no change gives it, for the model answers so nowhere."
        names = " and ".join(quoted_name(name) for name in self.blocked)
        one = len(self.blocked) == 1
        return (
            f"no change of the other attributes gives it. What blocks it: {names} {'is' if one else 'are'} not free to "
            f"change. If {'it' if one else 'they'} were: {self.unblocked}."
        )

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            "now": value_to_json(self.now),
            "wanted": self.wanted,
            "complete": self.complete,
            "already": self.already,
            "why": self.why,
            "blocked": list(self.blocked),
            "unblocked": None if self.unblocked is None else self.unblocked.to_dict(),
            "counterfactuals": [one.to_dict() for one in self.found],
            "text": str(self),
        }

    def to_frame(self) -> Any:
        """One line for each change of an attribute."""
        return frame_of(
            [
                {"counterfactual": number, "label": one.label, **change.to_dict(), "value": change.value}
                for number, one in enumerate(self.found, 1)
                for change in one.changes
            ]
        )
