"""Tables on the command line: a data file or the name of a bundled data set becomes columns, target and options."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from quercus.cli.output import note
from quercus.cli.streams import input_path, shown_name
from quercus.errors import DataError, FileError, ParameterError, did_you_mean, shorten, shown_list


@dataclass(frozen=True, eq=False)
class InputTable:
    """A table that was read: attributes X, target y (None if the file has none), weights and what the file says."""

    name: str
    X: dict[str, Any]
    y: Any
    n_rows: int
    target: str | None = None
    weights: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    cost_matrix: Any = None
    fingerprint: str | None = None
    table: Any = None

    @property
    def labelled(self) -> tuple[Any, ...]:
        """X, y and weights, as fitting takes them."""
        return self.X, self.y, self.weights


class NamedColumn(list[Any]):
    """A target that knows its name, so that the model knows it too; where pandas is there, its series does this."""

    def __init__(self, values: Sequence[Any], name: str) -> None:
        super().__init__(values)
        self.name = name


def read_rows(
    data: str,
    target: str | None = None,
    *,
    schema: Any = None,
    missing: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    read: Sequence[str] | None = None,
    weight: str | None = None,
    model: Any = None,
    need_target: bool = True,
    unlabelled: bool = False,
) -> InputTable:
    """Read DATA.

    target: its column; else the one that the file, the schema file or the bundled data set names. missing: texts that
    mean unknown. drop, keep: columns that are no attributes, or are. read: how the file is written, NAME=VALUE.
    weight: a column that holds weights; else the one that the file or the schema names. model: a fitted one; then
    columns are read as it knows them, only its attributes are kept, and all must be there. need_target: whether a
    table without a target is refused. unlabelled: leave out the rows whose target is unknown.
    """
    known = None if model is None else model.model_.schema
    table = _read(data, known if schema is None else schema, missing, drop, keep, read)
    columns = table.columns
    named = target or (None if known is None else known.target) or table.target
    if named is not None and named not in columns:
        if need_target or target is not None:
            raise ParameterError(f"There is no column {named!r} in {data}.{_columns_hint(named, columns)}")
        named = None
    if named is None and need_target and known is not None:
        raise ParameterError(
            "The model file does not say which column is predicted. Import the model again with --target COLUMN (in "
            f"Python: fit it to a y with a name). quercus evaluate also takes --target.{_columns_hint(None, columns)}"
        )
    if named is None and need_target:
        raise ParameterError(f"Which column is to be predicted? Give --target.{_columns_hint(None, columns)}")
    if weight is not None and (weight not in columns or weight == named):
        raise ParameterError(f"There is no column {weight!r} for --weight in {data}.{_columns_hint(weight, columns)}")
    if named is not None and (need_target or unlabelled):
        table = _labelled(table, named, shown_name(data), unlabelled)
    columns, weights = dict(table.columns), table.weights if weight is None else None
    if weight is not None:
        weights = _weights(table, weight, shown_name(data))
        table = replace(table, weight=None, ignored=(*table.ignored, weight))
    for remark in (table if named is None else table.with_target(named)).notes:
        note(f"Note: {remark}")
    if known is None:
        X, y = table.split(named) if named is not None else ({name: columns[name] for name in table.attributes()}, None)
    else:
        X, y = _only(columns, known.names, data), None if named is None else table.split(named)[1]
        _note_unseen(X, known)
    if named is not None and y is not None and getattr(y, "name", None) is None:
        y = NamedColumn(y.to_pylist() if hasattr(y, "to_pylist") else list(y), named)
    own = table if named is None else table.with_target(named)
    return InputTable(
        data, X, y, table.n_rows, named, weights, own.options(), own.cost_matrix, table.fingerprint, table
    )


def _labelled(table: Any, target: str, data: str, drop: bool) -> Any:
    """The table without the rows whose target is unknown; they are refused unless they are to be dropped."""
    import numpy as np

    from quercus.data.conversion import distinct_codes, drop_tokens
    from quercus.data.names import counted
    from quercus.data.table import read_column

    tokens = table.missing_tokens
    tokens = tokens.get(target, ()) if isinstance(tokens, Mapping) else tokens
    column = drop_tokens(read_column(target, table.columns[target]), tokens)
    unknown = distinct_codes(column)[0] < 0
    n_unknown = int(unknown.sum())
    if not n_unknown:
        return table
    if n_unknown == table.n_rows:
        raise DataError(f"{data}: the target {target!r} is unknown in every row, so nothing can be learnt or measured.")
    if drop:
        note(f"Note: {counted(n_unknown, 'row')} of {table.n_rows:,} left out, because {target} is unknown.")
        return table.take(~unknown)
    first = int(np.argmax(unknown))
    more = "" if n_unknown == 1 else f", and in {n_unknown - 1:,} more"
    raise DataError(
        f"{data}, {_place(table, first)}: the target {target!r} is unknown in this row{more}. Fill it in, or leave "
        "such rows out with --drop-unlabelled."
    )


def _place(table: Any, row: int) -> str:
    """Where a row is, in a form for people: its line in a text file, else its number."""
    return f"row {row + 1}" if table.line is None else f"line {table.line(row)}"


def _read(
    data: str,
    schema: Any,
    missing: Sequence[str] | None,
    drop: Sequence[str] | None,
    keep: Sequence[str] | None,
    reading: Sequence[str] | None,
) -> Any:
    """A file, or a bundled data set if there is no such file."""
    from quercus.cli.bundled import bundled_names, bundled_table, is_bundled

    data, shown = input_path(data), data
    if not os.path.exists(data) and is_bundled(data):
        return _without(bundled_table(data), drop, data)
    if not os.path.exists(data) and not _is_stem(data):
        hint = did_you_mean(data, bundled_names())
        raise ParameterError(
            f"There is no file {data!r}, and no bundled data set of that name.{hint} quercus datasets lists them."
        )
    from quercus.files import read_file

    tokens = list(missing) if missing else None
    try:
        return read_file(data, schema=schema, missing_tokens=tokens, drop=drop, keep=keep, **_options(reading))
    except FileError as error:
        raise FileError(str(error).replace(data, shown_name(shown))) from error


def _options(reading: Sequence[str] | None) -> dict[str, Any]:
    """``--read``: parameters of ``read_file`` that say how the file is written.

    >>> _options(["decimal=,", "header=no"])
    {'decimal': ',', 'header': False}
    """
    from quercus.cli.values import named_texts

    options: dict[str, Any] = dict(named_texts("--read", reading))
    for name in sorted({"header", "strip"} & set(options)):
        answer = {"yes": True, "true": True, "no": False, "false": False}.get(options[name].lower())
        if answer is None:
            raise ParameterError(f"--read {name}={options[name]} is not allowed; give {name}=yes or {name}=no.")
        options[name] = answer
    if options.get("delimiter") in ("tab", "\\t"):
        options["delimiter"] = "\t"
    return options


def _without(table: Any, drop: Sequence[str] | None, data: str) -> Any:
    """A bundled table without some of its columns."""
    for name in drop or ():
        if name not in table.columns:
            raise ParameterError(
                f"There is no column {name!r} for --drop in {data}.{_columns_hint(name, table.columns)}"
            )
    return replace(table, ignored=(*table.ignored, *(drop or ())))


def _is_stem(data: str) -> bool:
    """Whether the name without its ending is that of C4.5's files."""
    return any(os.path.exists(data + ending) for ending in (".names", ".names.gz"))


def _columns_hint(target: str | None, columns: Any) -> str:
    near = "" if target is None else did_you_mean(target, columns)
    return f"{near} The columns are {shown_list(list(columns), limit=30)}."


def _only(columns: dict[str, Any], attributes: Sequence[str], data: str) -> dict[str, Any]:
    """The columns of a model's attributes, in their order; others are of no use to it."""
    lacking = [name for name in attributes if name not in columns]
    if lacking:
        raise DataError(
            f"{data} lacks {shown_list(lacking)}, which the model was fitted with.{_columns_hint(lacking[0], columns)} "
            "A column of unknown values may be empty, but must be there."
        )
    return {name: columns[name] for name in attributes}


def _note_unseen(X: Mapping[str, Any], known: Any) -> None:
    """Tell of columns of names in which no known cell is a value of the model: mostly they are written another way."""
    unseen: dict[str, list[Any]] = {}
    for attribute in known.attributes:
        if attribute.values and attribute.kind in ("nominal", "boolean"):
            values = _present_values(attribute, X[attribute.name])
            if values and all(attribute.code(value) < 0 for value in values):
                unseen[attribute.name] = values
    if not unseen:
        return
    name, values = next(iter(unseen.items()))
    more = f" So it is in {shown_list(list(unseen)[1:], 5)}." if len(unseen) > 1 else ""
    note(
        f"Note: no cell of {name!r} is a value of the model: the model has {shown_list(known[name].values, 5)}; the "
        f"table has {shown_list(values, 5)}.{more}"
    )


def _present_values(attribute: Any, cells: Any) -> list[Any]:
    """The distinct values of the known cells of a column."""
    import numpy as np

    from quercus.data.conversion import distinct_codes, drop_tokens
    from quercus.data.table import read_column

    codes, values = distinct_codes(drop_tokens(read_column(attribute.name, cells), attribute.missing_tokens))
    return [values[code] for code in np.unique(codes).tolist() if code >= 0]


def _weights(table: Any, name: str, data: str) -> Any:
    """The weights that a column holds; a cell that is no number is refused."""
    import numpy as np

    from quercus.data.conversion import distinct_codes
    from quercus.data.table import read_column
    from quercus.data.target import encode_numbers

    try:
        return encode_numbers(table.columns[name])
    except ValueError:
        codes, values = distinct_codes(read_column(name, table.columns[name]))
        usable = np.array([*map(_is_weight, values), False])  # the last is that of unknown cells, whose code is -1
        first = int(np.argmin(usable[codes]))
        weight = "unknown" if codes[first] < 0 else shorten(values[codes[first]])
        raise DataError(
            f"--weight {name}: the weight in {_place(table, first)} of {data} is {weight}, but must be a finite "
            "number. Correct it, or name a column of numbers."
        ) from None


def _is_weight(value: Any) -> bool:
    """Whether a value, or its text, is a finite number."""
    import sys

    from quercus.files.number_forms import is_number

    if isinstance(value, str):
        return is_number(value)
    return isinstance(value, (int, float)) and abs(value) <= sys.float_info.max


def checked_task(task: str | None) -> str | None:
    """What ``--task`` says; any other word is refused."""
    if task not in (None, "classification", "regression"):
        raise ParameterError(f"--task is {task!r}, but must be classification or regression.")
    return task


def is_numeric_target(rows: InputTable, task: str | None, algorithm: str | None) -> tuple[bool, str]:
    """Whether numbers are to be predicted, and a remark if that was guessed.

    A target of text, truth values or dates has classes. Numbers are predicted as numbers, unless they are at most 20
    whole ones, which look like the codes of classes, or the algorithm knows classes only.
    """
    from quercus.cli.algorithms import ALGORITHMS
    from quercus.data.table import read_column

    if checked_task(task) is not None:
        return task == "regression", ""
    column = read_column(rows.target or "y", rows.y)
    if column.kind != "numeric" or column.numbers is None:
        return False, ""
    import numpy as np

    values = np.unique(np.asarray(column.numbers, dtype=np.float64))
    values = values[np.isfinite(values)]
    codes = len(values) <= 20 and bool((values == np.floor(values)).all())
    if not codes:
        return True, ""
    if algorithm is not None and algorithm in ALGORITHMS and ALGORITHMS[algorithm].regressor is None:
        return False, ""
    return False, (
        f"{rows.target} has {len(values)} different whole numbers; they are taken as classes "
        "(--task regression predicts numbers)."
    )
