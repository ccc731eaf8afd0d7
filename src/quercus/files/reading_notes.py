"""Notes on how a file was read: one line for each decision, for any number of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from quercus.errors import shown_list
from quercus.files.applicable import companion_name
from quercus.files.date_forms import shown_order
from quercus.files.number_forms import NumberForm
from quercus.files.raw_table import RawTable
from quercus.files.recognition import Recognised
from quercus.files.texts import Texts

__all__ = ["reading_notes", "row_name_note"]

_FEW = 3


def reading_notes(
    raw: RawTable,
    recognised: Mapping[str, Recognised],
    companions: Mapping[str, tuple[str, ...]],
    index: str | None,
    names: Mapping[str, Sequence[str]],
) -> list[str]:
    """Return the notes on the columns of a text file, on those that do not apply everywhere, and on row numbers.

    - names: the columns in use, with the distinct texts of nominal ones.
    """
    notes = []
    if index is not None:
        notes.append(
            f"The first column has no name, and no two of its cells are alike: taken for row numbers and left out "
            f"(keep={index!r}, or --keep {index}, uses it)."
        )
    unnamed = [name for name in raw.unnamed if name != index]
    if unnamed:
        notes.append(f"Columns without a name were called {shown_list(unnamed, _FEW)}.")
    notes += _token_notes(recognised)
    notes += _form_notes(recognised)
    notes += _doubt_notes(recognised)
    if raw.format == "delimited":
        notes += _name_notes(list(names))
        notes += _blank_notes(names)
    if companions:
        texts = _texts(text for texts in companions.values() for text in texts)
        new = shown_list([companion_name(name) for name in companions], _FEW)
        notes.append(
            f"{texts} means that a value does not apply in {_columns(list(companions))}: a question of its own asks "
            f"for it ({new}), and other questions take such cells for unknown."
        )
    return notes


def _columns(names: list[str]) -> str:
    """Name one column, or say how many there are and name a few."""
    if len(names) == 1:
        return f"column {names[0]!r}"
    return f"{len(names)} columns ({shown_list(names, _FEW)})"


def _texts(texts: Iterable[str]) -> str:
    return shown_list(list(dict.fromkeys(texts)), 5)


def _token_notes(recognised: Mapping[str, Recognised]) -> list[str]:
    unknown = {
        name: recognition
        for name, recognition in recognised.items()
        if recognition.tokens and recognition.kind != "nominal"
    }
    kept = {
        name: recognition
        for name, recognition in recognised.items()
        if recognition.tokens and recognition.kind == "nominal"
    }
    notes = []
    if unknown:
        tokens = _texts(token for recognition in unknown.values() for token in recognition.tokens)
        dates = " and dates" if any(recognition.kind == "date" for recognition in unknown.values()) else ""
        way = 'missing_tokens="", or --missing "", keeps such cells as text'
        notes.append(f"{tokens} means unknown among the numbers{dates} of {_columns(list(unknown))} ({way}).")
    if kept:
        tokens = _texts(token for recognition in kept.values() for token in recognition.tokens)
        first = next(iter(kept.values())).tokens[0]
        way = f"missing_tokens={first!r}, or --missing {_shell(first)}, makes it unknown"
        notes.append(f"{tokens} is a value like any other in {_columns(list(kept))} of text ({way}).")
    return notes


def _shell(text: str) -> str:
    return text if text.isalnum() else f"'{text}'"


def _form_notes(recognised: Mapping[str, Recognised]) -> list[str]:
    numbers: dict[NumberForm, list[str]] = {}
    dates: dict[str, list[str]] = {}
    for name, recognition in recognised.items():
        if recognition.kind == "numeric" and any(recognition.examples):
            numbers.setdefault(recognition.form, []).append(name)
        if recognition.kind == "date" and recognition.order in ("dmy", "mdy"):
            dates.setdefault(shown_order(recognition.order), []).append(name)
    notes = []
    if numbers:
        examples = {recognised[names[0]].examples[0]: names for names in numbers.values()}
        notes.append(f"Numbers are read so: {_listed(examples)}.")
    if dates:
        notes.append(f"Dates are read as {_listed(dates)}.")
    return notes


def _listed(columns: Mapping[str, list[str]]) -> str:
    return "; ".join(f"{shown} in {_columns(names)}" for shown, names in columns.items())


_ONE_WAY = "write all of them the same way, or give the few that differ as missing_tokens, or --missing"
_DOUBTS = {
    "decimal": (
        "its comma may be a decimal one or stand between thousands",
        'decimal="," or decimal="." decides (--read decimal=,)',
    ),
    "date_order": (
        "day and month, or the century, are not told by the cells",
        'date_order="dmy" or "mdy" decides (--read date_order=dmy)',
    ),
    "large": (
        "whole numbers beyond 2**53 are no numbers to a computer's arithmetic, but names",
        'kind = "numeric" in a schema rounds them',
    ),
    "range": (
        "it is beyond all numbers that a computer's arithmetic holds (1.8e308)",
        "correct it, or if it means unknown, give it as missing_tokens, or --missing",
    ),
    "percent": ("only some cells have the sign %", "write all of them the same way"),
    "comma": ("only some cells have a decimal comma", _ONE_WAY),
    "money": (
        "the sign of a currency is no part of a number",
        'write the cells without it, or say kind = "nominal" in a schema',
    ),
    "zeros": ("such leading zeros are mostly those of codes", 'kind = "numeric" in a schema makes numbers'),
    "program": ("only programs write numbers so", 'kind = "numeric" in a schema makes numbers'),
    "truth": ("true and false are written in several ways", 'kind = "boolean" in a schema makes them one'),
    "stray": ("all else in it are numbers", "if that means unknown, give it as missing_tokens, or --missing"),
    "stray date": ("all else in it are dates", "if that means unknown, give it as missing_tokens, or --missing"),
    "date_forms": ("all cells are dates, but written in several ways", _ONE_WAY),
    "zone": ("only some dates have a time zone", _ONE_WAY),
    "odd": ("all else in it are numbers", "if that means unknown, give it as missing_tokens, or --missing"),
}


def _doubt_notes(recognised: Mapping[str, Recognised]) -> list[str]:
    notes = []
    for doubt, (reason, way) in _DOUBTS.items():
        names = [name for name, recognition in recognised.items() if recognition.doubt == doubt]
        if names:
            examples = _texts(text for name in names for text in recognised[name].examples)
            notes.append(f"Read as text because of {examples}: {_columns(names)}; {reason}; {way}.")
    return notes


def _name_notes(names: list[str]) -> list[str]:
    """Return a note on names of columns with blanks around them."""
    blank = [name for name in names if name.strip() not in (name, "")]
    if not blank:
        return []
    return [f"Blanks are part of the name of {_columns(blank)} (strip=True, or --read strip=yes, leaves them out)."]


def _blank_notes(names: Mapping[str, Sequence[str]]) -> list[str]:
    """Return notes on values that differ only in the blanks around them."""
    pairs: dict[str, tuple[str, str]] = {}
    for name, texts in names.items():
        if texts.are_stripped if isinstance(texts, Texts) else list(map(str.strip, texts)) == list(texts):
            continue  # as usual; there may be very many
        first: dict[str, str] = {}
        for text in texts:
            other = first.setdefault(text.strip(), text)
            if other != text:
                pairs.setdefault(name, (other, text))
    if not pairs:
        return []
    one, other = next(iter(pairs.values()))
    way = "strip=True, or --read strip=yes, makes them one"
    return [f"{one!r} and {other!r} differ only in blanks, but are two values in {_columns(list(pairs))} ({way})."]


def row_name_note(names: list[str]) -> str:
    """Return the note on columns that seem to number or name the rows.

    >>> row_name_note(["Day"])
    "No two rows are alike in column 'Day': if it only numbers or names the rows, leave it out (drop='Day', --drop ..."
    """
    first = names[0]
    option = first if first.isidentifier() else f"'{first}'"
    them = "it only numbers or names" if len(names) == 1 else "they only number or name"
    out = f"leave {'it' if len(names) == 1 else 'them'} out (drop={first!r}, --drop {option})"
    return f"No two rows are alike in {_columns(names)}: if {them} the rows, {out}."
