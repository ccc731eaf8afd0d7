"""DamageError: a fault inside a model file, with its place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from quercus.errors import DataError, QuercusError

#: What reading a part of wrong type or size may raise; none of it may reach the caller as it is.
_SIGNS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, MemoryError, RecursionError)


class DamageError(DataError):
    """A part of a model file that cannot be: its place (a JSON pointer such as ``/trees/0/arrays/kind``) and why."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"at {place or '/'}: {reason}")
        self.place = place
        self.reason = reason


@contextmanager
def at(place: str) -> Iterator[None]:
    """Turn whatever goes wrong inside into damage at this place.

    >>> with at("/trees"), at("/0"):
    ...     [].pop()
    Traceback (most recent call last):
    quercus.models.damage.DamageError: at /trees/0: pop from empty list
    """
    try:
        yield
    except DamageError as error:
        raise DamageError(place + error.place, error.reason) from error
    except QuercusError as error:
        raise DamageError(place, str(error).removesuffix(".")) from error
    except _SIGNS as error:
        raise DamageError(place, str(error).removesuffix(".") or type(error).__name__) from error


def need(condition: bool, reason: str) -> None:
    """Refuse a part of which this does not hold."""
    if not condition:
        raise DamageError("", reason)
