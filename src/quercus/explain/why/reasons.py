"""Reason codes: how much each attribute changed the answer, from the answer of the root to that of the leaf.

At every question the answer moves from what the node says to what the child says; the move is credited to the
attribute whose value decided (a surrogate's, where one stood in). Where an example is shared among branches, each
branch's move counts by its part. The moves add up to the answer less the root's:

.. math:: v(x) - v(root) = \\sum_a \\sum_{moves\\ of\\ a} w\\,(v(child) - v(node))

On the scale of log-odds, ln(p / (1 − p)), the whole example moves level by level: the change of the log-odds from one
level of questions to the next is divided among the attributes asked there in proportion to their moves of the share.
For an example with one path this is just the change at each question.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, cast, get_args, overload

import numpy as np

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.data.names import evenly, quoted_name, quoted_value, significant
from quercus.data.values import value_to_json
from quercus.data.weights import named_costs
from quercus.errors import ParameterError, choice_message
from quercus.explain.cells import Cell, cell_text, cells_of
from quercus.explain.why.decision import decide, node_values
from quercus.explain.why.route import Cells, Visit, walk
from quercus.fitted.argument import of_models
from quercus.fitted.decision import Decision as ModelDecision
from quercus.predict.predict import predict_distribution
from quercus.results import Result, frame_of
from quercus.rules.condition import merged
from quercus.rules.explanation import one_row
from quercus.rules.extract import branch_conditions
from quercus.tree.tree import Tree

Scale = Literal["share", "log_odds", "value", "score"]


@dataclass(frozen=True, repr=False)
class Reason(Result):
    """What one attribute did to the answer.

    rank: 1 is the strongest. attribute, value: whose value it is, and the value in words. conditions: what was found
    out about it on the way. contribution: by how much it moved the answer, towards it if above 0. scale: of what: the
    "share" of the class, its "log_odds", the "value", or the "score" of trees that add up scores. label: the class
    meant (None: a number).
    """

    rank: int
    attribute: str
    value: str
    conditions: tuple[str, ...]
    contribution: float
    scale: Scale
    label: Any

    @property
    def supports(self) -> bool:
        """Whether it pushed towards the class, or the number up."""
        return self.contribution > 0

    def __str__(self) -> str:
        """The reason as a sentence."""
        name = quoted_name(self.attribute)
        what = " and ".join(self.conditions)
        plain = what in (f"{name} = {self.value}", f"{name} {self.value}", f"{name} is {self.value}")
        shown = what if plain else f"{name} is {self.value} ({what})"
        if self.contribution == 0:
            return f"{shown} changed nothing"
        verb = "raised" if self.supports else "lowered"
        if self.scale == "value":
            return f"{shown} {verb} the value by {significant(abs(self.contribution))}"
        label = quoted_value(self.label)
        if self.scale == "score":
            whose = "" if self.label is None else f" of {label}"
            return f"{shown} {verb} the score{whose} by {significant(abs(self.contribution))}"
        if self.scale == "share":
            points = f"{100 * abs(self.contribution):.2f}"
            return f"{shown} {verb} the share of {label} by {points} percentage points"
        return f"{shown} {verb} the log-odds of {label} by {significant(abs(self.contribution))}"

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        result = {**vars(self), "conditions": list(self.conditions), "label": value_to_json(self.label)}
        return {**result, "text": str(self)}


@dataclass(frozen=True, repr=False)
class Reasons(Result, Sequence[Reason]):
    """The strongest reasons of an answer, the strongest first; a sequence of :class:`Reason`.

    shown: the strongest ones asked for. all: every attribute that was asked. base: what the root says. result: what the
    answer is; ``base`` and all contributions together. answer: the label answered. label: the class whose share the
    contributions move (None: the number). why: why the class is answered
    though it is not the most likely; empty: it is.
    """

    shown: tuple[Reason, ...]
    all: tuple[Reason, ...]
    base: float
    result: float
    scale: Scale
    answer: Any
    label: Any
    why: str = ""

    @overload
    def __getitem__(self, index: int) -> Reason: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Reason]: ...
    def __getitem__(self, index: int | slice) -> Reason | Sequence[Reason]:
        """A reason by its place."""
        return self.shown[index]

    def __len__(self) -> int:
        """How many reasons are shown."""
        return len(self.shown)

    def __iter__(self) -> Iterator[Reason]:
        """The reasons, the strongest first."""
        return iter(self.shown)

    @property
    def rest(self) -> float:
        """The sum of the contributions that are not shown."""
        shown = {reason.attribute for reason in self.shown}
        return math.fsum(reason.contribution for reason in self.all if reason.attribute not in shown)

    def __str__(self) -> str:
        """The answer, one line for each reason, and how they add up."""
        answer = significant(self.answer, 6) if self.label is None else quoted_value(self.answer)
        lines = [f"Answer: {answer}. What pushed it most:"]
        lines += [f"{reason.rank}. {reason}." for reason in self.shown]
        if not self.shown:
            lines = [f"Answer: {answer}. Nothing was asked that could push it."]
        parts = [self.base, *(reason.contribution for reason in self.shown), self.rest, self.result]
        first, *pushes, rest, last = self._numbers(parts)
        terms = "".join(f" {_signed(text, r.contribution)}" for text, r in zip(pushes, self.shown, strict=True))
        terms += f" {_signed(rest, self.rest)} (others)" if len(self.all) > len(self.shown) else ""
        what = {"share": f"Share of {quoted_value(self.label)}", "log_odds": f"Log-odds of {quoted_value(self.label)}"}
        what["score"] = "Score" if self.label is None else f"Score of {quoted_value(self.label)}"
        start = first if self.base >= 0 else f"−{first}"
        end = last if self.result >= 0 else f"−{last}"
        lines.append(f"{what.get(self.scale, 'Value')}: {start} at the start{terms} = {end}.")
        return "\n".join([*lines, self.why] if self.why else lines)

    def _numbers(self, numbers: Sequence[float]) -> list[str]:
        """The absolute values of the numbers of a sum."""
        if self.scale == "share":
            return [f"{text} %" for text in evenly([100 * abs(number) for number in numbers], most=2)]
        return evenly([abs(number) for number in numbers])

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            "answer": value_to_json(self.answer),
            "label": value_to_json(self.label),
            "scale": self.scale,
            "base": self.base,
            "result": self.result,
            "rest": self.rest,
            "why": self.why,
            "reasons": [reason.to_dict() for reason in self.shown],
            "all": [reason.to_dict() for reason in self.all],
            "text": str(self),
        }

    def to_frame(self) -> Any:
        """One line per attribute that was asked, the strongest first."""
        return frame_of([{**reason.to_dict(), "conditions": " and ".join(reason.conditions)} for reason in self.all])


def _signed(text: str, number: float) -> str:
    return f"+ {text}" if number >= 0 else f"− {text}"


@of_models(Tree)
@named_costs
def reason_codes(
    tree: Tree,
    dataset: Dataset | Mapping[str, Any],
    row: int = 0,
    n: int | None = 4,
    *,
    label: Any = None,
    scale: Scale | None = None,
    only: Literal["all", "for", "against"] = "all",
    smoothing: Any = None,
    cost_matrix: Any = None,
    decision_threshold: float | None = None,
) -> Reasons:
    """The attributes that pushed a row's answer most, with how much each did; together they explain all of it.

    tree, dataset, row: as in :func:`why`. n: at most so many reasons; None: all. label: the class whose
    share is meant; None: the class answered. scale: "share" (or "value" of a regression tree), or "log_odds", for
    which shares of 0 and 1 are smoothed by Laplace unless ``smoothing`` says otherwise. only: "for", only reasons that
    pushed towards the class (for a refusal: its adverse reasons); "against", only those that pushed away. smoothing,
    cost_matrix, decision_threshold: as in :func:`why`.

    >>> from quercus import C45Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> tree = C45Classifier().fit(*load_play_tennis()).tree_
    >>> print(reason_codes(tree, {"Outlook": "Sunny", "Humidity": "High"}))
    Answer: No. What pushed it most:
    1. Humidity = High raised the share of No by 40.00 percentage points.
    2. Outlook = Sunny raised the share of No by 24.29 percentage points.
    Share of No: 35.71 % at the start + 40.00 % + 24.29 % = 100.00 %.
    """
    one = one_row(tree.schema, dataset, row)
    scale = _scale(tree, scale)
    checked_wishes(only, n)
    values = node_values(tree, smoothing)
    shares = predict_distribution(tree, one, values)[0]
    kind = tree.target_kind
    answer = decide(shares, kind, shares, cost_matrix=cost_matrix, decision_threshold=decision_threshold).label
    position = kind.position(answer if label is None else label)
    if scale == "log_odds" and smoothing is None:
        values = node_values(tree, "laplace")
    cells = cells_of(one)
    moves = contributions(tree, cells, values[:, position], scale)
    named = kind.label(position) if kind.has_shares else None
    reasons = _reasons(tree, cells, moves, scale, named)
    chosen = [r for r in reasons if only == "all" or (r.contribution != 0 and r.supports == (only == "for"))]
    base, result = float(values[0, position]), float(predict_distribution(tree, one, values)[0, position])
    if scale == "log_odds":
        base, result = _log_odds(base), _log_odds(result)
    costs = None if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64)
    why = ModelDecision(costs, decision_threshold).why_unlikely(shares, kind.position(answer), kind)
    return Reasons(tuple(chosen[:n]), reasons, base, result, scale, answer, named, why)


def checked_wishes(only: str, n: int | None) -> None:
    """Refuse what cannot be wished of reasons."""
    if only not in ("all", "for", "against"):
        raise ParameterError(choice_message("only", only, ("all", "for", "against")))
    if n is not None and (not isinstance(n, int | np.integer) or n < 0):
        raise ParameterError(f"n is {n!r}, but must be a whole number of at least 0, or None for all reasons.")


def _scale(tree: Tree, scale: Scale | None) -> Scale:
    allowed = tree.target_kind.scales
    if scale is None:
        return cast(Scale, allowed[0])
    if scale not in get_args(Scale):
        raise ParameterError(choice_message("scale", scale, get_args(Scale)))
    if scale not in allowed:
        kind, names = tree.target_kind, " or ".join(f'"{name}"' for name in allowed)
        has = "has classes" if kind.has_shares else "predicts numbers"
        raise ParameterError(f"scale is {scale!r}, but this tree {has}: use {names}.")
    return scale


def contributions(tree: Tree, cells: Cells, values: Floats, scale: Scale = "share") -> dict[int, float]:
    """By how much each attribute asked moved the answer, in the order asked; values: one number per node."""
    visits = walk(tree, cells)
    moves: dict[int, list[float]] = {}
    slopes = _slopes(visits, values) if scale == "log_odds" else None
    depths = _depths(visits)
    for place, visit in enumerate(visits):
        if visit.above < 0:
            continue
        move = visit.part * (float(values[visit.node]) - float(values[visits[visit.above].node]))
        moves.setdefault(visit.attribute, []).append(move if slopes is None else move * slopes[depths[place] - 1])
    return {attribute: math.fsum(parts) for attribute, parts in moves.items()}


def _depths(visits: Sequence[Visit]) -> list[int]:
    depths: list[int] = []
    for visit in visits:
        depths.append(0 if visit.above < 0 else depths[visit.above] + 1)
    return depths


def _slopes(visits: Sequence[Visit], values: Floats) -> list[float]:
    """Change of the log-odds for each change of the share, from every level of questions to the next."""
    depths = _depths(visits)
    parts: list[list[float]] = [[] for _ in range(max(depths) + 1)]
    for place, visit in enumerate(visits):
        ends = len(parts) if visit.last else depths[place] + 1
        for depth in range(depths[place], ends):  # what has ended stays as it is
            parts[depth].append(visit.part * float(values[visit.node]))
    levels = [math.fsum(part) for part in parts]
    slopes = []
    for before, after in pairwise(levels):
        if abs(after - before) > 1e-12:
            slopes.append((_log_odds(after) - _log_odds(before)) / (after - before))
        else:
            _log_odds(before)
            slopes.append(1.0 / (before * (1.0 - before)))
    return slopes


def _log_odds(share: float) -> float:
    if not 0.0 < share < 1.0:
        raise ParameterError(
            f'The share {share} has no finite log-odds. Use smoothing="laplace", or ("m", m) with m above 0.'
        )
    return math.log(share / (1.0 - share))


def _reasons(
    tree: Tree, cells: Mapping[int, Cell], moves: Mapping[int, float], scale: Scale, label: Any
) -> tuple[Reason, ...]:
    """The attributes asked, the strongest first, those of equal strength in the order asked."""
    conditions = _conditions(tree, cells)
    order = sorted(moves, key=lambda attribute: -abs(moves[attribute]))
    return tuple(
        Reason(
            rank,
            tree.schema[attribute].name,
            cell_text(tree.schema[attribute], cells[attribute]),
            conditions.get(attribute, ()),
            moves[attribute],
            scale,
            label,
        )
        for rank, attribute in enumerate(order, 1)
    )


def _conditions(tree: Tree, cells: Cells) -> dict[int, tuple[str, ...]]:
    """What the way of the example says of each attribute; of one shared among branches, that it is unknown there."""
    visits = walk(tree, cells)
    result: dict[int, list[Any]] = {}
    texts: dict[int, tuple[str, ...]] = {}
    for visit in visits:
        if visit.above < 0:
            continue
        above = visits[visit.above].node
        attribute = tree.schema[visit.attribute]
        if visit.how == "value":
            branch = visit.node - int(tree.first_child[above])
            result.setdefault(visit.attribute, []).append(branch_conditions(tree, above)[branch])
        elif visit.how == "surrogate":
            test = tree.node(above).test
            assert test is not None
            texts[visit.attribute] = (*texts.get(visit.attribute, ()), f"stands in for the unknown {test.subject()}")
        elif visit.how in ("missing branch", "spread"):
            texts[visit.attribute] = (f"{quoted_name(attribute.name)} unknown",)
    for attribute_position, conditions in result.items():
        one_path = merged(dict.fromkeys(conditions))
        kept = conditions if any(condition.is_impossible for condition in one_path) else one_path
        words = tuple(dict.fromkeys(condition.text(limit=10) for condition in kept))
        texts[attribute_position] = tuple(dict.fromkeys([*words, *texts.get(attribute_position, ())]))
    return {place: tuple(dict.fromkeys(words)) for place, words in texts.items()}
