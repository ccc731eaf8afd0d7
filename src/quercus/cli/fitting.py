"""Fitting on the command line: from options to an estimator, fitted with a progress bar, and how it was made."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from quercus.cli.algorithms import (
    COLLECTIONS,
    algorithm_of,
    chosen_algorithm,
    listed,
    make_estimator,
    place_of,
    with_data_options,
)
from quercus.cli.output import note
from quercus.cli.program import called_with
from quercus.cli.progress import progress_bar
from quercus.cli.seen import table_record
from quercus.cli.tables import InputTable, read_rows
from quercus.cli.values import mistake_costs, named_numbers, named_values
from quercus.errors import RENAMED, DataError, ParameterError, shown_list

#: What the signs of ``--monotone`` mean.
SIGNS = {"+": 1, "-": -1}
#: The pruning method that validation rows are for, if none is named.
BY_VALIDATION = "reduced_error"


def pruning_option(prune: str | None) -> Any:
    """The estimators' ``prune``: yes, no, or the name of a method.

    >>> pruning_option("no"), pruning_option("yes"), pruning_option("cost-complexity")
    (False, True, 'cost_complexity')
    """
    if prune is None:
        return None
    low = prune.strip().lower().replace("-", "_")
    if low in RENAMED:
        note(RENAMED[low].message)
        low = RENAMED[low].new
    return {"yes": True, "true": True, "no": False, "none": False, "false": False}.get(low, low)


def prepared(
    rows: InputTable,
    algorithm: str | None,
    numbers: bool,
    *,
    prune: str | None = None,
    validation_share: float | None = None,
    validated: bool = False,
    costs: Sequence[str] | None = None,
    attribute_costs: Sequence[str] | None = None,
    monotone: Sequence[str] | None = None,
    together: Sequence[str] | None = None,
    parameters: Sequence[str] | None = None,
    jobs: int | None = None,
    trees: int | None = None,
) -> tuple[str, Any]:
    """The name of the algorithm and its estimator with all that the options and the file say."""
    name = chosen_algorithm(algorithm, numbers)
    values = named_values("--param", parameters)
    estimator = make_estimator(name, numbers, values)
    known = estimator.get_params()
    method = pruning_option(prune)
    if method is None and validated and "prune" in known and "prune" not in values:
        method = BY_VALIDATION
    if costs and numbers:
        raise ParameterError("--costs are for mistakes between classes; numbers are to be predicted here.")
    prices = {**(rows.options.get("attribute_costs") or {}), **named_numbers("--attribute-cost", attribute_costs)}
    options = [
        ("--trees", "n_estimators", trees),
        ("--prune", "prune", method),
        ("--validation", "validation_fraction", validation_share),
        ("--costs", "cost_matrix", read_costs(costs, rows) if costs else None),
        ("--attribute-cost", "attribute_costs", prices if attribute_costs else None),
        ("--monotone", "monotonic_cst", wishes_of(monotone, rows, numbers) if monotone else None),
        ("--together", "interaction_cst", sets_of(together) if together else None),
    ]
    chosen = [entry for entry in options if entry[2] is not None]
    settings = {_need(parameter, known, name, option): value for option, parameter, value in chosen}
    if validated and "validation_fraction" not in known:
        _refuse(name, "--validation")
    if validated and "early_stopping" in known:
        settings["early_stopping"] = True
    if "oob_score" in known and "oob_score" not in values and estimator.bootstrap is True:
        settings["oob_score"] = True
    if jobs is not None and "n_jobs" in known:
        settings["n_jobs"] = jobs
    estimator.set_params(**settings)
    columns = dict(rows.options)
    if not numbers and rows.cost_matrix is not None and not costs:
        columns["cost_matrix"] = rows.cost_matrix
    return name, with_data_options(estimator, columns)


def wishes_of(entries: Sequence[str], rows: InputTable, numbers: bool) -> dict[str, Any]:
    """NAME=+, NAME=- or NAME:CLASS=+ as the estimators' ``monotonic_cst``; class names as they are printed."""
    from quercus.data.target import encode_classes
    from quercus.data.values import plain_value, value_text

    labels = {} if numbers else {value_text(label): label for label in map(plain_value, encode_classes(rows.y).classes)}
    wishes: dict[str, dict[Any, int]] = {}
    for entry in entries:
        key, equals, mark = entry.rpartition("=")
        if not equals or mark not in SIGNS:
            raise ParameterError(f"--monotone {entry!r} must be NAME=+ or NAME=-, or NAME:CLASS=+ or NAME:CLASS=-.")
        name, colon, text = key.rpartition(":")
        name, label = (key, None) if not colon or key in rows.X else (name, labels.get(text, text))
        signs = wishes.setdefault(name, {})
        if signs.setdefault(label, SIGNS[mark]) != SIGNS[mark] or (None in signs and len(signs) > 1):
            raise ParameterError(f"--monotone {entry!r} contradicts another --monotone for {name!r}; give one of them.")
    return {name: signs.get(None, signs) for name, signs in wishes.items()}


def sets_of(entries: Sequence[str]) -> Any:
    """NAME,NAME as the estimators' ``interaction_cst``; or one of its words."""
    from quercus.growing.constraints import SET_WORDS

    if len(entries) == 1 and entries[0].replace("-", "_") in SET_WORDS:
        return entries[0].replace("-", "_")
    return [[name.strip() for name in entry.split(",") if name.strip()] for entry in entries]


def _need(parameter: str, known: Mapping[str, Any], name: str, option: str) -> str:
    """Where the estimator has what an option sets."""
    place = place_of(parameter, known)
    return place if place is not None else _refuse(name, option)


def _refuse(name: str, option: str) -> NoReturn:
    able = listed(COLLECTIONS) if option == "--trees" else "an algorithm with a tree"
    raise ParameterError(f"{option} is not for {algorithm_of(name).title}; leave it out, or choose {able}.")


def read_costs(costs: Sequence[str], rows: InputTable) -> Any:
    """The cost matrix: from TRUE:ANSWERED=COST, or from a file that has a line of that form for each."""
    from quercus.data.target import encode_classes
    from quercus.data.values import plain_value

    classes = [plain_value(label) for label in encode_classes(rows.y).classes]
    lines: list[str] = []
    for entry in costs:
        if "=" not in entry and os.path.exists(entry):
            lines += _cost_lines(entry)
        else:
            lines.append(entry)
    return mistake_costs(lines, classes)


def _cost_lines(path: str) -> list[str]:
    """The lines of a cost file, in this program's form or C4.5's (``answered, true: cost``)."""
    from quercus.files.content import decode, read_content

    lines = []
    for line in decode(read_content(path)).splitlines():
        text = line.partition("|")[0].partition("#")[0].strip()
        if not text:
            continue
        if "=" not in text:  # C4.5: predicted class, true class: cost
            names, _, cost = text.rpartition(":")
            answered, _, true = names.partition(",")
            text = f"{true.strip()}:{answered.strip()}={cost.strip()}"
        lines.append(text)
    return lines


def validation_rows(
    validation: str | None, rows: InputTable, reading: Mapping[str, Any]
) -> tuple[float | None, InputTable | None]:
    """``--validation``: a share between 0 and 1, or a file of rows. reading: how DATA was read."""
    if validation is None:
        return None, None
    try:
        share = float(validation)
    except ValueError:
        return None, _validation_file(validation, rows, reading)
    if not 0 < share < 1:
        raise ParameterError(f"--validation is {validation}, but must be a share between 0 and 1, or a file.")
    return share, None


def _validation_file(path: str, rows: InputTable, reading: Mapping[str, Any]) -> InputTable:
    """Rows of another file with the columns of the first; their weights do not count."""
    from dataclasses import replace

    from quercus.files.applicable import with_companions

    held_out = read_rows(path, rows.target, **{**reading, "weight": None})
    held_out = replace(held_out, X=with_companions(held_out.X, rows.X))
    lacking = [name for name in rows.X if name not in held_out.X]
    if lacking:
        raise DataError(f"{path} lacks the columns {shown_list(lacking)} of {rows.name}.")
    return replace(held_out, X={name: held_out.X[name] for name in rows.X})


def fitted(estimator: Any, rows: InputTable, validation: InputTable | None = None, quiet: bool = False) -> Any:
    """Fit with a progress bar; return the rows as they were encoded."""
    with progress_bar("growing", quiet) as moved:
        estimator.set_params(progress=moved)
        try:
            more: dict[str, Any] = {}
            if validation is not None:
                more = {"X_val": validation.X, "y_val": validation.y}
            if rows.weights is not None:
                more["sample_weight"] = rows.weights
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UserWarning)
                training = estimator.fit_rows(rows.X, rows.y, **more)
        finally:
            estimator.set_params(progress=None)
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        note(f"Note: {text}")
    return training


def notes_on(estimator: Any) -> list[str]:
    """What may surprise in how the estimator does its work."""
    from quercus.estimators.pruning import remark_on_costs

    estimator = estimator.get_params(deep=False).get("estimator") or estimator
    remark = remark_on_costs(estimator, "--prune cost_complexity")
    return [] if remark is None else [remark]


def notes_on_quantiles(model: Any, kept: bool) -> list[str]:
    """What may surprise in the quantiles of a fitted model. kept: whether it is written to a file."""
    from quercus.estimators.quantile_remarks import quantile_remarks

    if not kept or model.leaf_targets is None:
        return quantile_remarks(model)
    lost = (
        "The model file does not keep the training targets, so that keep_targets is of no use there and the file "
        "answers no quantiles; those of --param criterion=pinball are kept."
    )
    return [*quantile_remarks(model), lost]


def provenance_of(estimator: Any, rows: InputTable, validation: InputTable | None = None) -> dict[str, Any]:
    """How a model was made: data, options, versions, time and command."""
    import platform
    from datetime import UTC, datetime
    from importlib.metadata import version

    from quercus.estimators.base import method_of_model

    made = method_of_model(estimator)
    options = {name: value for name, value in made.parameters.items() if repr(value) != repr(made.defaults[name])}
    versions = {name: version(name) for name in ("quercus", "numpy", "scikit-learn")}
    return {
        "data": table_record(rows),
        **({} if validation is None else {"validation": table_record(validation)}),
        "options": {name: _plain(value) for name, value in options.items()},
        "versions": {**versions, "python": platform.python_version()},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": called_with(),
    }


def _plain(value: Any) -> Any:
    """A parameter as data that JSON can hold."""
    from quercus.cli.output import strict

    if isinstance(value, Mapping):
        return {
            str(key) if not isinstance(key, tuple) else " : ".join(map(str, key)): _plain(v) for key, v in value.items()
        }
    return strict(value)


def evidence_of(model: Any, training: Any, scores: Any = None, quiet: bool = False) -> dict[str, Any] | None:
    """What explaining and reporting need of the rows, to be kept in the model file; None if it cannot be had.

    training: what :func:`fitted` returned. scores: of the training rows, if they are known already.
    """
    from quercus.report.evidence import evidence_of as gathered

    sets = {"training": training.rows, **({} if training.validation is None else {"validation": training.validation})}
    with progress_bar("keeping what the report will need", quiet):
        try:
            return gathered(model.model_, sets, scores=None if scores is None else {"training": scores})
        except MemoryError:
            note(
                "There is not enough memory to keep what explanations need; give the data to explain and report again."
            )
            return None
