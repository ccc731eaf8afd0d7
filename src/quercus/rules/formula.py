"""Formulas: a class as a disjunction of conjunctions, the paths to its leaves, simplified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.dataset import Dataset
from quercus.data.latex import latex_text
from quercus.data.names import quoted_value
from quercus.data.schema import Schema
from quercus.data.values import value_from_json, value_text, value_to_json
from quercus.errors import DataError, shorten
from quercus.results import Result
from quercus.rules.condition import Condition, Interval, condition_from_dict, joined_latex, joined_texts
from quercus.rules.extract import extract_rules
from quercus.rules.rule import Rule
from quercus.targets import kind_of
from quercus.tree.tree import Tree

Conjunction = tuple[Condition, ...]


@dataclass(frozen=True, repr=False)
class Formula(Result):
    """``label = (a ∧ b) ∨ (c) ∨ …``: conjunctions of conditions, of which one must hold.

    No conjunction: the class is never answered. A conjunction without conditions: always.
    """

    label: Any
    conjunctions: tuple[Conjunction, ...]

    def holds(self, dataset: Dataset) -> NDArray[np.bool_]:
        """Which rows fulfil the formula."""
        result = np.zeros(dataset.n_rows, dtype=np.bool_)
        for conjunction in self.conjunctions:
            every = np.ones(dataset.n_rows, dtype=np.bool_)
            for condition in conjunction:
                every &= condition.holds(dataset.column(condition.name))
            result |= every
        return result

    def text(self, *, limit: int | None = None, complement: bool = False) -> str:
        """The formula with ∧ and ∨. limit: at most so many values of a set. complement: ``not in {…}`` if shorter."""
        parts = [
            "(" + " ∧ ".join(joined_texts(conjunction, limit=limit, complement=complement)) + ")"
            for conjunction in self.conjunctions
        ]
        return f"{quoted_value(self.label)} = {self._extreme('always', 'never') or ' ∨ '.join(parts)}"

    def latex(self) -> str:
        r"""The formula as LaTeX for mathematics mode, names escaped."""
        parts = ["(" + joined_latex(conjunction) + ")" for conjunction in self.conjunctions]
        formula = self._extreme(r"\top", r"\bot") or r" \lor ".join(parts)
        return rf"{latex_text(value_text(self.label))} \Leftrightarrow {formula}"

    def _extreme(self, always: str, never: str) -> str:
        if not self.conjunctions:
            return never
        return always if any(not conjunction for conjunction in self.conjunctions) else ""

    def to_dict(self) -> dict[str, Any]:
        """The formula as a dictionary that JSON can hold: {"class": …, "any": [{"all": [conditions]}, …]}."""
        parts = [{"all": [part.to_dict() for part in conjunction]} for conjunction in self.conjunctions]
        return {"class": value_to_json(self.label), "any": parts}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], schema: Schema) -> Formula:
        """Undo :meth:`to_dict`."""
        try:
            parts = [tuple(condition_from_dict(part, schema) for part in item["all"]) for item in data["any"]]
            return cls(value_from_json(data["class"]), tuple(parts))
        except (KeyError, TypeError) as error:
            raise DataError(f"A formula needs 'class' and 'any', a list of {{'all': …}}: {shorten(data)}.") from error

    def __len__(self) -> int:
        """How many conjunctions there are."""
        return len(self.conjunctions)

    def __str__(self) -> str:
        """The formula in one line."""
        return self.text()

    def __repr__(self) -> str:
        """The formula in one line, at most 10 values of a set."""
        return f"<Formula: {self.text(limit=10)}>"


def class_formula(source: Tree | Iterable[Rule], label: Any) -> Formula:
    """When a class is answered, as a disjunction of conjunctions.

    Conjunctions that differ in one attribute are merged where their values join to one condition, a condition that
    every known value fulfils is dropped, and so is a conjunction that another one contains. What is left is equivalent
    for rows whose values are known.

    source: a tree (its leaves of that class, empty ones left out), or rules, read without their order.
    label: the class.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> data = encode({"Temperature": [40.0, 48.0, 60.0, 72.0, 80.0, 90.0]})
    >>> tree = grow(data, encode_classes(["No", "No", "Yes", "Yes", "Yes", "No"]), cart_recipe())
    >>> print(class_formula(tree, "Yes"))
    Yes = (54 < Temperature <= 85)
    >>> print(class_formula(tree, "No"))
    No = (Temperature <= 54) ∨ (Temperature > 85)
    """
    rules = extract_rules(source) if isinstance(source, Tree) else tuple(source)
    kind = kind_of(source.target_kind if isinstance(source, Tree) else rules[0].classes if rules else (label,))
    classes = kind.need_classes("A formula is made for a class; these rules answer numbers.")
    code = kind.choice_of(label)
    chosen = [rule.conditions for rule in rules if rule.consequent == code and not rule.is_impossible]
    return Formula(classes[code], simplified(chosen, disjoint=isinstance(source, Tree)))


def simplified(conjunctions: Sequence[Conjunction], *, disjoint: bool = False) -> tuple[Conjunction, ...]:
    """Merge, drop what is always fulfilled, and drop what is contained, until nothing changes.

    disjoint: no row fulfils two of them (the leaves of a tree), so that none can contain another.
    """
    minded = {part.name for conjunction in conjunctions for part in conjunction if part.unknown}
    current = [_needed(conjunction, minded) for conjunction in conjunctions]
    while True:
        size = len(current)
        for name in dict.fromkeys(name for conjunction in current for name in conjunction):
            current = [_needed(parts.values(), minded) for parts in _merged_by(name, current)]
        current = current if disjoint else _without_contained(current)
        if len(current) == size:
            return tuple(tuple(parts.values()) for parts in current)


def _needed(conjunction: Iterable[Condition], minded: set[str]) -> dict[str, Condition]:
    """The conditions that say something, by attribute.

    "Known" says nothing unless another condition of the formula asks for unknown values of the attribute (minded).
    """
    return {
        part.name: part
        for part in conjunction
        if not (part.has_every_value and (part.unknown or part.name not in minded))
    }


def _merged_by(name: str, conjunctions: list[dict[str, Condition]]) -> list[dict[str, Condition]]:
    """Join the conjunctions that differ in this attribute only, as far as their values make one condition."""
    groups: dict[Any, list[int]] = {}
    for position, conjunction in enumerate(conjunctions):
        if name in conjunction:
            rest = frozenset(part for other, part in conjunction.items() if other != name)
            groups.setdefault(rest, []).append(position)
    gone: set[int] = set()
    for positions in groups.values():
        if len(positions) < 2:
            continue
        joined = _joined([(position, conjunctions[position][name]) for position in positions])
        gone.update(positions)
        for position, condition in joined:
            gone.discard(position)
            conjunctions[position] = {**conjunctions[position], name: condition}
    return [conjunction for position, conjunction in enumerate(conjunctions) if position not in gone]


def _joined(parts: list[tuple[int, Condition]]) -> list[tuple[int, Condition]]:
    """Conditions on one attribute united as far as possible, each at the place of its first part."""
    ordered = sorted(parts, key=lambda part: part[1].low if isinstance(part[1], Interval) else 0.0)
    result = [ordered[0]]
    for position, condition in ordered[1:]:
        before, last = result[-1]
        union = last.union(condition)
        if union is None:
            result.append((position, condition))
        else:
            result[-1] = (min(before, position), union)
    return result


def _without_contained(conjunctions: list[dict[str, Condition]]) -> list[dict[str, Condition]]:
    """Leave out every conjunction that implies another one; of equal ones keep the first."""
    if any(not conjunction for conjunction in conjunctions):
        return [{}]
    by_name: dict[str, list[int]] = {}
    for position, conjunction in enumerate(conjunctions):
        by_name.setdefault(min(conjunction), []).append(position)
    gone: set[int] = set()
    for position, conjunction in enumerate(conjunctions):
        for other in (other for name in conjunction for other in by_name.get(name, ())):
            if other != position and other not in gone and _implies(conjunction, conjunctions[other]):
                gone.add(position)
                break
    return [conjunction for position, conjunction in enumerate(conjunctions) if position not in gone]


def _implies(narrow: dict[str, Condition], wide: dict[str, Condition]) -> bool:
    return len(wide) <= len(narrow) and all(
        name in narrow and narrow[name].implies(condition) for name, condition in wide.items()
    )
