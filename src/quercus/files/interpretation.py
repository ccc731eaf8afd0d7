"""The meaning of a raw table: each column becomes an array, by the rules of its file, the schema and the caller."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np

from quercus.arrays import Array
from quercus.data.column import CodedColumn, Column
from quercus.data.conversion import suggested_kind
from quercus.data.table import read_column
from quercus.errors import DataError, ParameterError, did_you_mean, shorten, shown_list
from quercus.files.applicable import companion_cells, companion_domain, companion_name
from quercus.files.cells import NumberColumn
from quercus.files.number_forms import PLAIN, NumberForm, is_number
from quercus.files.place import CellError, file_error
from quercus.files.raw_table import RawTable
from quercus.files.reading_notes import reading_notes
from quercus.files.recognition import Question, Recognised, is_usual_token, recognise_all
from quercus.files.row_ids import is_row_index, names_rows
from quercus.files.rules import NO_RULE, ColumnRule, Rules, overlaid
from quercus.files.table_file import TableFile
from quercus.files.text_column import typed, without, without_numbers
from quercus.files.texts import Texts

__all__ = ["interpret"]


def interpret(raw: RawTable, rules: Rules, target: str | None, missing_tokens: Any, drop: Any, keep: Any) -> TableFile:
    """Return the table file of a raw table; the parameters are those of ``read_file``."""
    names = list(raw.columns)
    target = _chosen_target(raw, rules, target)
    _check_names(raw, rules)
    merged = {name: overlaid(_rule(raw.rules, name), _rule(rules, name)) for name in names}
    if target is not None and rules.target is None and rules.classes:
        merged[target] = overlaid(merged[target], ColumnRule("nominal", rules.classes))
    _drop_and_keep(raw, merged, drop, keep)
    weight = rules.weight or raw.rules.weight
    tokens = _tokens(raw, rules, missing_tokens)
    if weight is not None and raw.rules.not_applicable:  # a weight that does not apply is an unknown one
        tokens[weight] = (*tokens.get(weight, ()), *raw.rules.not_applicable)
    parts = _Columns(raw, merged, tokens, _not_applicable(raw, rules, merged, {target, weight}))
    for name in names:
        parts.add(name)
    own = raw.rules if target == raw.rules.target else Rules()  # what the file says of another target does not count
    classes = rules.classes if target is not None and rules.target in (None, target) else None
    classes = classes or own.classes or (tuple(parts.domains[target]) if target in parts.domains else None)
    index = _row_index(raw, rules, parts, keep, {target, weight})
    ignored = tuple(name for name in names if (merged[name].ignore or name == index) and name != target)
    of_interest = [name for name in names if rules.strict or name in rules.columns]
    suspects = [name for name in parts.row_names if rules.strict and name not in {index, *_names_of(keep)}]
    return TableFile(
        raw.path, raw.format, parts.columns, parts.kinds, parts.domains, _one_for_all(tokens, len(names)),
        {name: rule.cost for name, rule in merged.items() if rule.cost is not None}, target, classes,
        rules.cost_matrix if rules.cost_matrix is not None else own.cost_matrix,
        ignored, raw.fingerprint, raw.n_rows,
        (*raw.notes, *reading_notes(raw, {n: parts.recognised[n] for n in of_interest
                                          if n in parts.recognised and n != index},
                                    {n: parts.companions[n] for n in of_interest if n in parts.companions}, index,
                                    {n: parts.distinct_names(n) for n in of_interest if n not in ignored})),
        weight, tuple(suspects),
    )  # fmt: skip


def _rule(rules: Rules, name: str) -> ColumnRule:
    return rules.columns.get(name, NO_RULE)


def _chosen_target(raw: RawTable, rules: Rules, target: str | None) -> str | None:
    names = list(raw.columns)
    for name, source in ((target, "target="), (rules.target, rules.source), (raw.rules.target, raw.path)):
        if name is None:
            continue
        if name in names:
            return name
        if name is target or rules.strict:
            problem = f"there is no column {shorten(name)} to predict ({source}); there are {shown_list(names)}."
            raise file_error(raw.path, problem + did_you_mean(name, names))
    return None


def _check_names(raw: RawTable, rules: Rules) -> None:
    names = list(raw.columns)
    for name in rules.columns if rules.strict else ():
        if name not in raw.columns:
            problem = f"columns.{name} speaks of a column that {raw.path} does not have; it has {shown_list(names)}."
            raise file_error(rules.source, problem + did_you_mean(name, names))
    if rules.weight is not None and rules.weight not in raw.columns:
        problem = f"weight is {rules.weight!r}, a column that {raw.path} does not have; it has {shown_list(names)}."
        raise file_error(rules.source, problem + did_you_mean(rules.weight, names))


def _names_of(names: Any) -> list[str]:
    return [] if names is None else [names] if isinstance(names, str) else list(names)


def _drop_and_keep(raw: RawTable, merged: dict[str, ColumnRule], drop: Any, keep: Any) -> None:
    """Put into the rules which columns the caller drops and which the caller keeps."""
    for parameter, columns, ignore in (("drop", drop, True), ("keep", keep, False)):
        for name in _names_of(columns):
            if name not in merged:
                hint = did_you_mean(name, merged)
                problem = f"{parameter} names {shorten(name)}, which is no column of {raw.path}; it has"
                raise ParameterError(f"{problem} {shown_list(list(merged))}.{hint}")
            if ignore and name in _names_of(keep):
                raise ParameterError(f"Column {name!r} is in drop and in keep. Choose one.")
            merged[name] = dataclasses.replace(merged[name], ignore=ignore)


def _tokens(raw: RawTable, rules: Rules, entries: Any) -> dict[str, tuple[Any, ...]]:
    """Return the missing tokens of each column: the caller's, else those of the schema."""
    every: tuple[Any, ...] = rules.missing_tokens or ()
    by_name: Mapping[Any, Any] = {}
    if isinstance(entries, Mapping):
        by_name = entries
        strange = [name for name in entries if name not in raw.columns]
        if strange:
            hint = did_you_mean(strange[0], raw.columns)
            raise ParameterError(f"missing_tokens names {shown_list(strange)}, which is no column of {raw.path}.{hint}")
    elif entries is not None:
        every = _token_tuple(entries)
    result = {}
    for name in raw.columns:
        own_tokens = _rule(rules, name).missing_tokens
        result[name] = _token_tuple(by_name[name]) if name in by_name else every if own_tokens is None else own_tokens
    return {name: _with_numbers(tokens) for name, tokens in result.items() if tokens}


def _token_tuple(tokens: Any) -> tuple[Any, ...]:
    if isinstance(tokens, (str, Number)) or not isinstance(tokens, Iterable):
        tokens = (tokens,)
    return tuple(tokens)


def _with_numbers(tokens: tuple[Any, ...]) -> tuple[Any, ...]:
    """Add the number that a token's text stands for, so that "-999" is found among numbers too."""
    numbers = [float(token) for token in tokens if isinstance(token, str) and is_number(token)]
    plain = [int(number) if number.is_integer() else number for number in numbers]
    return tuple(dict.fromkeys([*tokens, *plain]))


def _one_for_all(tokens: dict[str, tuple[Any, ...]], n_columns: int) -> Any:
    """Return the tokens as one tuple if all columns have the same, else by column."""
    distinct = set(tokens.values())
    return distinct.pop() if len(distinct) == 1 and len(tokens) == n_columns else tokens or ()


def _not_applicable(
    raw: RawTable, rules: Rules, merged: Mapping[str, ColumnRule], others: set[str | None]
) -> dict[str, tuple[str, ...]]:
    """Return, by column, the texts that mean "does not apply": those of the column, else those for all columns."""
    every = rules.not_applicable if rules.not_applicable is not None else raw.rules.not_applicable
    result = {}
    for name, rule in merged.items():
        texts = every if rule.not_applicable is None else rule.not_applicable
        if texts and name not in others and not rule.ignore and raw.texts is not None:
            result[name] = texts
    return result


class _Columns:
    """The columns of a table, interpreted one after the other.

    texts: columns of text, without the cells that mean missing. numbers: columns of numbers that need no text.
    """

    def __init__(
        self,
        raw: RawTable,
        rules: Mapping[str, ColumnRule],
        tokens: Mapping[str, tuple[Any, ...]],
        not_applicable: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.raw, self.rules, self.not_applicable, self.tokens = raw, rules, not_applicable, tokens
        self.columns: dict[str, Any] = {}
        self.kinds: dict[str, str] = {}
        self.domains: dict[str, list[Any]] = {}
        self.companions: dict[str, tuple[str, ...]] = {}
        self.row_names: list[str] = []
        self.recognised: dict[str, Recognised] = {}
        self.numbers = {
            name: numbers
            for name, column in raw.columns.items()
            if isinstance(column, NumberColumn) and (numbers := self._plain_numbers(name, column)) is not None
        }
        self.texts = self._text_columns()
        questions = {
            name: Question(column.values, rules[name].kind, self._usual_tokens(name), column.codes)
            for name in self.texts
            if self._is_judged(name)
            for column in [self._applicable(name)]
        }
        shown = {raw.columns[name].form.decimal for name in self.recognised if raw.columns[name].clear}
        self.recognised |= recognise_all(questions, raw.decimal, raw.date_order, shown)
        self.recognised = {name: self.recognised[name] for name in raw.columns if name in self.recognised}

    def _plain_numbers(self, name: str, column: NumberColumn) -> Array | None:
        """Return the numbers of a column if it has nothing else; None if its texts must decide its kind."""
        rule, judged = self.rules[name], self._is_judged(name)
        if rule.values is not None or rule.ignore or rule.kind not in (None, "numeric"):
            return None
        if column.form != PLAIN and not column.clear and self.raw.decimal is None:
            return None
        if rule.not_applicable is not None or not {*self.not_applicable.get(name, ())}.isdisjoint(column.others):
            return None
        tokens = {*map(str, self.tokens.get(name, ()))}
        others = tuple(text for text in column.others if text.strip() and text not in tokens)
        if others and not (judged and self._usual_tokens(name) and all(map(is_usual_token, others))):
            return None
        numbers = without_numbers(column.numbers, self.tokens.get(name, ()))
        complete = column.complete and numbers is column.numbers
        if not complete and bool(np.isnan(numbers).all()):
            return None
        if rule.kind is not None or not column.whole:
            numbers = numbers.astype(np.float64, copy=False)
        elif column.large:
            return None
        elif not complete:
            numbers = numbers + 0.0  # -0 is 0
        if judged:
            form = NumberForm(",") if self.raw.decimal == "," else column.form
            examples = () if form == PLAIN else (form.example(numbers[~np.isnan(numbers)]),)
            self.recognised[name] = Recognised("numeric", tokens=others, form=form, examples=examples)
        return numbers

    def _text_columns(self) -> dict[str, CodedColumn]:
        columns = {name: column for name, column in self.raw.columns.items() if isinstance(column, CodedColumn)}
        mixtures = [
            name for name, column in self.raw.columns.items()
            if isinstance(column, NumberColumn) and name not in self.numbers
        ]  # fmt: skip
        if mixtures:
            assert self.raw.texts is not None
            columns |= self.raw.texts(mixtures)
        return {name: without(column, self.tokens.get(name, ())) for name, column in columns.items()}

    def _usual_tokens(self, name: str) -> bool:
        """Whether NA and similar texts mean unknown among numbers and dates."""
        return set(self.tokens.get(name, ("NA",))) != {""}

    def _is_judged(self, name: str) -> bool:
        """Whether the cells decide the kind: not if the file declares it, or if the values are listed."""
        rule, own = self.rules[name], _rule(self.raw.rules, name)
        is_declared = own.kind is not None and own.kind == rule.kind
        return rule.values is None and not is_declared and rule.kind in (None, "numeric", "date") and not rule.ignore

    def _applicable(self, name: str) -> CodedColumn:
        """Return the text column without the cells that do not apply."""
        return without(self.texts[name], self.not_applicable.get(name, ()))

    def add(self, name: str) -> None:
        """Interpret one column."""
        rule = self.rules[name]
        column: Any
        kind: str | None = "numeric"
        domain: list[Any] | None = None
        if name in self.numbers:
            column = self.numbers[name]
        elif name in self.texts:
            column, kind, domain = self._of_text(name, rule)
        else:
            column, kind, domain = _column_of_values(self.raw, name, rule)
        self.columns[name] = column
        if kind is not None:
            self.kinds[name] = kind
        if domain is not None and not rule.unseen:
            self.domains[name] = domain
        if name in self.texts:
            self._add_companion(name)
        if not rule.ignore and rule.values is None and kind in ("nominal", "numeric"):
            read = self.index_column(name)
            if read is not None and names_rows(name, read):
                self.row_names.append(name)

    def _of_text(self, name: str, rule: ColumnRule) -> tuple[Any, str | None, list[Any] | None]:
        text, known = self.texts[name], self.recognised.get(name)
        if rule.ignore and rule.kind is None:
            return text, "nominal", None
        kind = rule.kind or (known.kind if known is not None else "nominal")
        if name in self.not_applicable:
            present = tuple(value for value in self.not_applicable[name] if value in text.values)
            if kind != "nominal":
                text = self._applicable(name)
            elif rule.values is not None:
                values = (*rule.values, *(value for value in present if value not in rule.values))
                rule = dataclasses.replace(rule, values=values)
        try:
            column, recognised = typed(text, rule, known)
        except CellError as error:
            raise self.raw.cell_error(error.row, name, error.problem) from error
        if recognised == "numeric":
            column = without_numbers(column, self.tokens.get(name, ()))
        return column, recognised, None if rule.values is None else list(rule.values)

    def distinct_names(self, name: str) -> Sequence[str]:
        """Return the distinct texts of a nominal column, with those that a model knows."""
        if self.kinds.get(name) != "nominal" or name not in self.texts:
            return []
        texts = self.texts[name].values
        if isinstance(texts, Texts) and not self.rules[name].values:
            return texts
        values = (*(self.rules[name].values or ()), *texts)
        return list(values) if {*map(type, values)} <= {str} else [each for each in values if isinstance(each, str)]

    def _add_companion(self, name: str) -> None:
        """Add the column that says where a column of numbers, dates or ordered values does not apply."""
        texts = self.not_applicable.get(name)
        companion = companion_name(name)
        if texts is None or self.kinds.get(name) == "nominal" or companion in self.raw.columns:
            return
        always = self.rules[name].not_applicable is not None
        if always or not set(texts).isdisjoint(self.texts[name].values):
            self.companions[name] = texts
            self.columns[companion] = companion_cells(self.texts[name], texts)
            self.kinds[companion] = "nominal"
            self.domains[companion] = companion_domain(texts)

    def index_column(self, name: str) -> Column | None:
        """Return a column as the search for row names reads it; None if it has no kind, or a text comes twice."""
        if name not in self.kinds or (name in self.texts and len(self.texts[name].values) < self.raw.n_rows):
            return None
        if name in self.texts and self.columns[name] is self.texts[name]:
            texts: Any = self.texts[name].values  # only their number counts
            return Column(name, "nominal", codes=self.texts[name].codes, values=texts)
        try:
            column = read_column(name, self.columns[name])
        except DataError:
            return None
        return dataclasses.replace(column, kind=column.kind or "nominal") if name in self.texts else column


def _row_index(raw: RawTable, rules: Rules, parts: _Columns, keep: Any, others: set[str | None]) -> str | None:
    """Return the first column if it has no name and numbers or names the rows."""
    name = next(iter(raw.columns))
    nameless = name in raw.unnamed or name == "Unnamed: 0"
    if not nameless or name in {*others, *_names_of(keep), *rules.columns} or len(raw.columns) == 1:
        return None
    column = parts.index_column(name)
    return name if column is not None and is_row_index(column) else None


def _column_of_values(raw: RawTable, name: str, rule: ColumnRule) -> tuple[Any, str | None, list[Any] | None]:
    """Interpret a column that already has values: from Parquet and JSON."""
    source = raw.columns[name]
    try:
        column = read_column(name, source)
    except DataError as error:
        raise file_error(raw.path, str(error)) from error
    declared = list(column.values) if column.declared and column.codes is not None else None
    if rule.values is not None:
        return source, rule.kind or "nominal", list(rule.values)
    if rule.kind in (None, "nominal", "ordered"):
        suggested = suggested_kind(column) if len(column) and (column.numbers is not None or column.values) else None
        return source, rule.kind or suggested, declared
    return source, rule.kind, None
