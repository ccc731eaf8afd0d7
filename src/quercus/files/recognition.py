"""The kind of a column by its distinct texts: numbers, dates or names, and the doubts that remain.

Every reader of text hands the distinct cells of a column to :func:`recognise`; :func:`recognise_all` lets the columns
of one file decide for each other where a column alone does not tell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from quercus.arrays import Array
from quercus.data.schema import Kind
from quercus.files.date_forms import DateOrder, date_orders, date_reader, date_way
from quercus.files.number_forms import (
    PLAIN,
    NumberForm,
    has_leading_zeros,
    is_comma_number,
    is_money,
    is_number,
    is_program_number,
    number_forms,
)
from quercus.files.texts import Texts
from quercus.files.truth_words import mixed_truth_words

__all__ = ["Question", "Recognised", "is_usual_token", "recognise", "recognise_all"]

_USUAL = frozenset(["?", "na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "-", "."])
_LONGEST = max(map(len, _USUAL))
_ODD = frozenset(["none", "nil", "*", "unknown", "missing"])
_MOST_STRAYS = 10
_MANY = 10  # so many times as many different numbers or dates as strays make the strays doubtful
_MANY_CELLS = 50  # and so do so many times as many cells, where the strays are no codes
_CODE = 2  # so few letters and digits may be a code, as A is beside 1, 2 and 3
_INFINITE = frozenset(["inf", "infinity", "∞"])
_WHOLE = re.compile(r"\s*[+-]?(?:0|[1-9][0-9]*)\s*", re.ASCII)
_GROUPS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+\s*", re.ASCII)
_EXACT = 2**53


def is_usual_token(text: str) -> bool:
    """Whether a text usually means that a value is not known, such as NA, ?, null or -.

    >>> is_usual_token("n/a"), is_usual_token("None")
    (True, False)
    """
    return text.strip().lower() in _USUAL


@dataclass(frozen=True)
class Question:
    """The distinct texts of a column, its declared kind, and whether NA and similar texts are values.

    codes: of each cell the position of its text, below 0 for none; None: how often a text comes is not known.
    """

    values: Sequence[str]
    kind: Kind | None = None
    usual_tokens: bool = True
    codes: Array | None = None

    def n_cells(self, texts: Iterable[str]) -> int:
        """Return how many cells have one of the texts; 0 if that is not known."""
        if self.codes is None:
            return 0
        wanted = set(texts)
        places = [place for place, value in enumerate(self.values) if value in wanted]
        return int(np.isin(self.codes, places).sum())


@dataclass(frozen=True)
class Recognised:
    """The result of recognition.

    - kind: numeric, date or nominal.
    - cells: of numbers and dates, what each text stands for (None: unknown).
    - tokens: the usual texts for unknown; among numbers and dates they are unknown cells.
    - form, order: how numbers, or dates, are written.
    - doubt: why texts that look like numbers, dates or truth values stay texts: "decimal", "date_order", "large" (whole
      numbers that a 64-bit float cannot hold), "range" (beyond all floats, or "inf"), "percent" (only some cells have
      the sign), "comma" (only some have a decimal comma), "money" ($7.5), "zeros" (007), "program" (0x10, 1_000),
      "truth" (true and yes in one column), "odd" (texts such as "none" among numbers), "stray" and "stray date" (few
      texts among many numbers or dates), "date_forms" (dates written in several ways), "zone" (only some dates have a
      time zone); "" if there is no doubt.
    - examples: texts that show the doubt, or how numbers are read.
    """

    kind: Kind
    cells: Sequence[Any] = ()
    tokens: tuple[str, ...] = ()
    form: NumberForm = PLAIN
    order: str = "iso"
    doubt: str = ""
    examples: tuple[str, ...] = ()


def recognise(question: Question, decimal: str | None = None, date_order: DateOrder | None = None) -> Recognised:
    """Find out whether the distinct texts of a column are numbers, dates or names.

    - decimal: the decimal sign; None: the texts tell.
    - date_order: "dmy", "mdy" or "ymd" for dates that are not written as 2024-05-31; None: the texts tell.

    >>> recognise(Question(["1", "NA", "2.5"])).cells, recognise(Question(["01234", "99"])).kind
    ([1.0, None, 2.5], 'nominal')
    >>> recognise(Question(["1,234"])).doubt, recognise(Question(["1,234"]), decimal=".").cells
    ('decimal', [1234])
    """
    known, usual = _known_and_usual(question)
    rest = [value for value in known if not is_usual_token(value)] if usual else known
    if not rest:
        stated = question.kind is not None and bool(question.values)
        cells = [None] * len(question.values)
        return Recognised(question.kind or "nominal", cells if stated else (), tuple(usual))
    if question.kind in (None, "numeric"):
        result = _numbers(rest, decimal, exact=question.kind is None)
        if result is not None:
            return _placed(result, question.values, rest, usual)
    if question.kind in (None, "date"):
        result = _dates(rest, date_order)
        if result is not None:
            return _placed(result, question.values, rest, usual)
    names = _other_doubts(rest, question)
    if question.kind is not None and names.doubt in _DECIDED:
        names = Recognised("nominal")
    return replace(names, tokens=tuple(usual))


def _known_and_usual(question: Question) -> tuple[Sequence[str], list[str]]:
    """Return the texts that are not blank, and the usual tokens among them; there may be very many texts."""
    known = question.values
    if isinstance(known, Texts) and known.are_stripped:
        stripped = known.short(_LONGEST)  # usual tokens are ASCII, and no other letter is one of theirs in lower case
    else:
        stripped = list(map(str.strip, question.values))
    if "" in stripped:
        known = [value for value, text in zip(question.values, stripped, strict=True) if text]
    if not question.usual_tokens or _USUAL.isdisjoint([text.lower() for text in stripped if len(text) <= _LONGEST]):
        return known, []
    return known, [value for value in known if is_usual_token(value)]


def _placed(recognition: Recognised, values: Sequence[str], rest: Sequence[str], usual: list[str]) -> Recognised:
    """Put the cells into the places of all values."""
    if recognition.doubt or len(rest) == len(values):
        return replace(recognition, tokens=tuple(usual))
    place = dict(zip(rest, recognition.cells, strict=True))
    cells = [place.get(value) for value in values]
    return replace(recognition, cells=cells, tokens=tuple(usual))


def _numbers(rest: Sequence[str], decimal: str | None, exact: bool) -> Recognised | None:
    """Return numbers, a doubt, or None if the texts are not numbers; too large whole numbers are names."""
    forms = number_forms(rest, decimal)
    if not forms:
        return None
    if len(forms) > 1:
        return Recognised("nominal", doubt="decimal", examples=tuple(rest[:1]))
    form = forms[0]
    texts = rest if form == PLAIN else [form.plain(value) for value in rest]
    floats = list(map(float, texts))
    if any(map(math.isinf, floats)):
        example = next(value for value, number in zip(rest, floats, strict=True) if math.isinf(number))
        return Recognised("nominal", doubt="range", examples=(example,)) if exact else None
    whole: Sequence[float] = floats
    if exact and all(map(_WHOLE.fullmatch, texts)):
        whole = list(map(int, texts))
        if max(map(abs, whole)) > _EXACT:
            example = max(zip(map(abs, whole), rest, strict=True))[1]
            return Recognised("nominal", doubt="large", examples=(example,))
    examples = () if form == PLAIN else (form.example(floats),)
    return Recognised("numeric", whole, form=form, examples=examples)


def _dates(rest: Sequence[str], date_order: DateOrder | None) -> Recognised | None:
    orders = date_orders(rest)
    if len(orders) > 1 and date_order is None:
        return Recognised("nominal", doubt="date_order", examples=tuple(rest[:1]))
    if date_order is not None and orders != ["iso"]:
        orders = [date_order] if date_order in orders else []
    if not orders:
        return None
    read = date_reader(orders[0])  # type: ignore[arg-type]
    try:
        return Recognised("date", [read(value) for value in rest], order=orders[0])
    except ValueError:  # years of two digits do not tell the order, but a stated one may not fit all dates
        return None


def _is_percentage(text: str) -> bool:
    return text.rstrip().endswith("%") and is_number(text.rstrip()[:-1])


#: Texts that keep a column from being numbers: the doubt, and whether a text is of that sort.
_SORTS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("odd", lambda text: text.strip().lower() in _ODD),
    ("range", lambda text: text.strip().lower().lstrip("+-") in _INFINITE),
    ("percent", _is_percentage),
    ("comma", is_comma_number),
    ("money", is_money),
    ("zeros", has_leading_zeros),
    ("program", is_program_number),
)
_DECIDED = ("zeros", "program", "truth")  # a stated kind leaves no doubt
_WHOLE_COLUMNS = (*_DECIDED, "money")  # all texts may be of the sort


def _other_doubts(rest: Sequence[str], question: Question) -> Recognised:
    """Return names, with the doubt that few texts, or texts of one sort, keep them from being numbers or dates."""
    words = mixed_truth_words(rest)
    if words:
        return Recognised("nominal", doubt="truth", examples=words)
    others: list[str] = []
    sorts = _SORTS
    for value in rest:
        if not is_number(value):
            others.append(value)
            sorts = tuple(sort for sort in sorts if sort[1](value))
            few = len(others) <= _MOST_STRAYS
            if not few and (not sorts or sorts[0][0] == "odd"):
                return _date_doubts(rest, question)
    doubt = sorts[0][0] if sorts else ""
    if len(others) == len(rest) and doubt not in _WHOLE_COLUMNS:
        return _date_doubts(rest, question)
    if not doubt:
        return _stray(rest, others, "stray", question)
    return Recognised("nominal", doubt=doubt, examples=tuple(others if doubt in ("odd", "range") else others[:1]))


def _date_doubts(rest: Sequence[str], question: Question) -> Recognised:
    """Return names, with the doubt that most or all of them alone are dates."""
    strays: list[str] = []
    ways: dict[tuple[str, ...], str] = {}
    for value in rest:
        way = date_way(value)
        if way:
            ways.setdefault(way, value)
            continue
        strays.append(value)
        if len(strays) > _MOST_STRAYS:
            return Recognised("nominal")
    if strays:
        return _stray(rest, strays, "stray date", question)
    if len(ways) < 2:
        return Recognised("nominal")
    doubt = "zone" if {way[0] for way in ways} == {"iso"} else "date_forms"
    return Recognised("nominal", doubt=doubt, examples=tuple(ways.values()))


def _stray(rest: Sequence[str], strays: Sequence[str], doubt: str, question: Question) -> Recognised:
    """Return names, with the doubt that a few of them alone are not what the many others are."""
    if len(rest) < _MANY * len(strays) and not _are_rare(rest, strays, question):
        return Recognised("nominal")
    return Recognised("nominal", doubt=doubt, examples=tuple(strays))


def _are_rare(rest: Sequence[str], strays: Sequence[str], question: Question) -> bool:
    """Whether few cells have the strays, and not all of them look like codes."""
    if all(len(text) <= _CODE and text.isalnum() for text in map(str.strip, strays)):
        return False
    n_strays = question.n_cells(strays)
    return 0 < _MANY_CELLS * n_strays <= question.n_cells(rest) - n_strays


def recognise_all(
    questions: Mapping[str, Question],
    decimal: str | None = None,
    date_order: DateOrder | None = None,
    decimals: Iterable[str] = (),
) -> dict[str, Recognised]:
    """Recognise the columns of one file; a column that can be read in two ways follows the others, if they agree.

    - decimals: the decimal signs that further columns of the file show beyond doubt.

    >>> both = {"a": Question(["1,5"]), "b": Question(["1,234"])}
    >>> recognise_all(both)["b"].cells
    [1.234]
    """
    result = {name: recognise(question, decimal, date_order) for name, question in questions.items()}
    signs = {sign for name, recognition in result.items() if (sign := _shown_decimal(questions[name], recognition))} | {
        *decimals
    }
    shown = {name: _shown_order(questions[name], recognition) for name, recognition in result.items()}
    for name, recognition in result.items():
        if recognition.doubt == "decimal" and len(signs) == 1:
            result[name] = recognise(questions[name], next(iter(signs)), date_order)
        elif recognition.doubt == "date_order":
            sign = _date_sign(recognition.examples)
            orders = {order for other, order in shown.values() if order and other == sign}
            if len(orders) == 1:
                again = recognise(questions[name], decimal, next(iter(orders)))  # type: ignore[arg-type]
                result[name] = again if again.kind == "date" else recognition
    return result


def _date_sign(values: Sequence[str]) -> str:
    """Return the sign between the parts of the first date, such as "/"; dates with another sign tell nothing of it."""
    return next((sign for value in values for sign in "/-" if sign in value), "")


def _shown_order(question: Question, recognition: Recognised) -> tuple[str, str]:
    """Return the sign and the order of a column of dates that shows its order beyond doubt; "" if it does not."""
    if recognition.kind != "date" or recognition.order not in ("dmy", "mdy"):
        return "", ""
    return _date_sign(question.values), recognition.order


def _shown_decimal(question: Question, recognition: Recognised) -> str:
    """Return the decimal sign that a column shows beyond doubt; "" if it shows none."""
    if recognition.kind != "numeric":
        return ""
    if recognition.form.decimal != "." or recognition.form.thousands:
        return recognition.form.decimal
    with_point = any("." in value and not _GROUPS.fullmatch(value) and is_number(value) for value in question.values)
    return "." if with_point else ""
