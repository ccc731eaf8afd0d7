"""The dictionary form of a trace: what JSON can hold, with a version; read back with every part checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from quercus.criteria import CRITERIA
from quercus.data.notation import style_of
from quercus.data.values import value_from_json
from quercus.errors import DataError, shorten
from quercus.explain.trace.formula import gain_formula, split_information_formula, worth_formula
from quercus.explain.trace.trace import (
    WORTHS,
    BranchTrace,
    CandidateTrace,
    NodeTrace,
    SurrogateTrace,
    Trace,
)
from quercus.measures.counts import check_base

VERSION = 1
Reader = Callable[[Any], Any]


def trace_to_dict(trace: Trace) -> dict[str, Any]:
    """Lists for tuples; beside what the trace holds, the formulas of every candidate as text."""
    return {
        "version": VERSION,
        "algorithm": trace.algorithm,
        "criterion": trace.criterion,
        "selection": trace.selection,
        "missing": trace.missing,
        "cost_exponent": trace.cost_exponent,
        **trace.target_kind.to_json(),
        "multipliers": None if trace.multipliers is None else list(trace.multipliers),
        "target": trace.target,
        "n_rows": trace.n_rows,
        "order": list(trace.order),
        "grown": None if trace.grown is None else list(trace.grown),
        "nodes": [_node_to_dict(trace, node) for node in trace],
    } | ({} if trace.base == 2 else {"base": trace.base})


def _node_to_dict(trace: Trace, node: NodeTrace) -> dict[str, Any]:
    result = {name: getattr(node, name) for name in NODE}
    for name in ("path", "values", "tied"):
        result[name] = list(result[name])
    if node.wide:
        result["wide"] = list(node.wide)
    if node.weighed:
        result["weighed"] = True
    result["surrogates"] = [{name: getattr(one, name) for name in SURROGATE} for one in node.surrogates]
    result["candidates"] = [_candidate_to_dict(trace, node, candidate) for candidate in node.candidates]
    return result


def _candidate_to_dict(trace: Trace, node: NodeTrace, candidate: CandidateTrace) -> dict[str, Any]:
    result = dict(zip(CANDIDATE, _CANDIDATE_FIELDS(candidate), strict=True))
    result["branches"] = [dict(zip(BRANCH, _BRANCH_FIELDS(branch), strict=True)) for branch in candidate.branches]
    for branch, part in zip(result["branches"], candidate.branches, strict=True):
        branch["values"] = list(branch["values"])
        if part.prediction is not None:
            branch["prediction"] = part.prediction
    if candidate.placed:
        result |= {"placed": candidate.placed, "missing_branch": candidate.missing_branch}
    result["cuts"] = None if candidate.cuts is None else [list(cut) for cut in candidate.cuts]
    style = style_of(trace.base)
    result["gain_formula"] = gain_formula(node, candidate, style)
    result["split_information_formula"] = (
        split_information_formula(node, candidate, style) if trace.selection == "gain_ratio" else ""
    )
    result["worth_formula"] = worth_formula(candidate, trace.selection, trace.cost_exponent, style)
    return result


# Reading


def trace_from_dict(data: Mapping[str, Any]) -> Trace:
    """A trace from its dictionary form."""
    if not isinstance(data, Mapping):
        raise DataError(f"A trace's dictionary is needed; given: {shorten(data)}. Use the result of Trace.to_dict().")
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise DataError(
            f"The trace's dictionary has version {shorten(data.get('version'))}; this library reads version {VERSION}."
        )
    fields = _read(data, TRACE, "trace")
    check_base(fields.get("base", 2.0))
    if fields["criterion"] not in CRITERIA or fields["selection"] not in WORTHS:
        raise DataError(
            f"The trace's criterion {shorten(fields['criterion'])} or selection {shorten(fields['selection'])} is not "
            "known to this library."
        )
    return Trace(**fields)


def _read(data: Any, readers: Mapping[str, Reader], what: str) -> dict[str, Any]:
    """The fields of one part by their readers; what else is there is not looked at."""
    if not isinstance(data, Mapping):
        raise DataError(f"The trace is damaged: a {what} must be a dictionary; given: {shorten(data)}.")
    fields = {}
    for name, reader in {**readers, **OPTIONAL[what]}.items():
        if name not in data:
            if name in OPTIONAL[what]:
                continue
            raise DataError(f"The trace is damaged: a {what} has no {name!r}.")
        try:
            fields[name] = reader(data[name])
        except DataError:
            raise
        except (TypeError, ValueError, KeyError, OverflowError) as error:
            raise DataError(f"The trace is damaged: {name!r} of a {what} is {shorten(data[name])}.") from error
    return fields


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError
    return value


def _or_none(reader: Reader) -> Reader:
    return lambda value: None if value is None else reader(value)


def _each(reader: Reader) -> Reader:
    def read(values: Any) -> tuple[Any, ...]:
        if not isinstance(values, list | tuple):
            raise TypeError
        return tuple(reader(value) for value in values)

    return read


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _cut(values: Any) -> tuple[Any, Any]:
    threshold, gain = values
    return _or_none(_number)(threshold), _or_none(_number)(gain)


BRANCH: dict[str, Reader] = {
    "text": _text, "branch": _whole, "weight": _number, "count": _whole, "values": _each(_number), "total": _number,
    "impurity": _number,
}  # fmt: skip
CANDIDATE: dict[str, Reader] = {
    "attribute": _text, "kind": _text, "test": _text, "threshold": _or_none(_number), "n_cuts": _or_none(_whole),
    "n_tried": _or_none(_whole), "n_best": _whole, "gain": _or_none(_number), "split_information": _or_none(_number),
    "worth": _or_none(_number), "price": _number, "cost": _number, "status": _text, "why": _text, "unknown": _number,
    "known": _number, "known_impurity": _number, "n_branches": _whole,
    "branches": _each(lambda data: BranchTrace(**_read(data, BRANCH, "branch"))), "cuts": _or_none(_each(_cut)),
}  # fmt: skip
SURROGATE: dict[str, Reader] = {
    "attribute": _text, "test": _text, "text": _text, "agreement": _number, "adjusted": _number,
}  # fmt: skip
NODE: dict[str, Reader] = {
    "node": _whole, "depth": _whole, "path": _each(_text), "weight": _number, "count": _whole, "values": _each(_number),
    "prediction": _or_none(_number), "total": _number, "impurity": _number, "formula": _text, "reason": _text,
    "chosen": _or_none(_whole), "best": _or_none(_whole), "margin": _or_none(_number), "runner_up": _or_none(_whole),
    "tied": _each(_whole), "mean_gain": _or_none(_number), "decision": _text, "pruned": _text, "note": _text,
    "surrogates": _each(lambda data: SurrogateTrace(**_read(data, SURROGATE, "surrogate"))),
    "candidates": _each(lambda data: CandidateTrace(**_read(data, CANDIDATE, "candidate"))),
}  # fmt: skip


#: What a part has only if there is something to say; earlier versions wrote none of it.
OPTIONAL: dict[str, dict[str, Reader]] = {
    "branch": {"prediction": _or_none(_number)},
    "candidate": {"placed": _number, "missing_branch": _or_none(_whole)},
    "node": {"wide": _each(_whole), "weighed": _flag},
    "surrogate": {},
    "trace": {"base": _number},
}

_CANDIDATE_FIELDS, _BRANCH_FIELDS = attrgetter(*CANDIDATE), attrgetter(*BRANCH)


def _node(data: Any) -> NodeTrace:
    """One node; the places of its winner and of its rivals must be among its candidates."""
    fields = _read(data, NODE, "node")
    places = [fields["chosen"], fields["best"], fields["runner_up"], *fields["tied"], *fields.get("wide", ())]
    if any(place is not None and place >= len(fields["candidates"]) for place in places):
        raise DataError(f"The trace is damaged: node {fields['node']} names a candidate that it does not have.")
    return NodeTrace(**fields)


TRACE: dict[str, Reader] = {
    "algorithm": _text, "criterion": _text, "selection": _text, "missing": _text, "cost_exponent": _number,
    "classes": _or_none(_each(value_from_json)), "multipliers": _or_none(_each(_number)), "target": _or_none(_text),
    "n_rows": _whole, "order": _each(_whole), "nodes": _each(_node),
    "grown": _or_none(_each(_or_none(_whole))),
}  # fmt: skip
