"""Constraints: attributes with which an answer must rise or fall, and attributes that may meet on one path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from quercus.arrays import Floats, Integers
from quercus.data.schema import Schema
from quercus.data.values import plain_value, value_key
from quercus.errors import ParameterError, did_you_mean, shorten, shown_list
from quercus.targets import TargetKind

if TYPE_CHECKING:
    from quercus.growing.recipe import Recipe

#: One wish: an attribute (its name, or its position), the class whose share it orders (None: the second of two
#: classes, or the number that is predicted), and 1 (the answer rises with the attribute), −1 (it falls) or 0.
Wish = tuple[str | int, Any, int]
#: Sets of attributes that may meet on a path, each by names or positions; or a word for such sets.
Sets = str | tuple[tuple[str | int, ...], ...] | None

SET_WORDS = ("pairwise", "no_interactions")
ORDER_SLACK = 1e-12


def read_order(given: Any) -> tuple[Wish, ...]:
    """The wishes of ``monotonic_cst`` in one form.

    >>> read_order([1, 0]), read_order({"income": 1, "age": {"granted": -1}})
    (((0, None, 1), (1, None, 0)), (('income', None, 1), ('age', 'granted', -1)))
    """
    if given is None:
        return ()
    if isinstance(given, Mapping):
        return tuple(wish for name, sign in given.items() for wish in _wishes(str(name), sign))
    if isinstance(given, tuple) and given and all(isinstance(wish, tuple) and len(wish) == 3 for wish in given):
        return tuple((attribute, label, _sign(repr(attribute), sign)) for attribute, label, sign in given)
    if isinstance(given, str | bytes) or not isinstance(given, Sequence | np.ndarray) or np.ndim(given) != 1:
        raise ParameterError(
            f"monotonic_cst={shorten(given)} is not allowed; give a list of -1, 0 and 1, one per attribute, or a dict "
            "such as {'income': 1}."
        )
    return tuple((position, None, _sign(f"attribute {position}", sign)) for position, sign in enumerate(given))


def _wishes(name: str, sign: Any) -> Iterator[Wish]:
    if not isinstance(sign, Mapping):
        yield name, None, _sign(repr(name), sign)
        return
    if not sign:
        raise ParameterError(f"monotonic_cst gives {name!r} an empty dict; give {{class: 1}} or {{class: -1}}.")
    for label, of_class in sign.items():
        yield name, plain_value(label), _sign(f"{name!r} and class {shorten(label)}", of_class)


def _sign(what: str, sign: Any) -> int:
    if isinstance(sign, bool | np.bool_ | str) or np.ndim(sign) or sign not in (-1, 0, 1):
        given = sign.item() if isinstance(sign, np.generic) else sign
        raise ParameterError(
            f"monotonic_cst must be None or an array-like of -1, 0 or 1, or a dict of such; it gives {shorten(given)} "
            f"for {what}. 1: the answer rises with the attribute, -1: it falls, 0: no order."
        )
    return int(sign)


def read_sets(given: Any) -> Sets:
    """The sets of ``interaction_cst`` in one form.

    >>> read_sets([{0, 1}, ["age"]]), read_sets("pairwise")
    (((0, 1), ('age',)), 'pairwise')
    """
    if given is None or (isinstance(given, str) and given in SET_WORDS):
        return given
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise ParameterError(
            f"interaction_cst={shorten(given)} is not allowed; give None, 'pairwise', 'no_interactions' or a list of "
            "sets of attributes, by their names or positions."
        )
    return tuple(_set(members) for members in given)


def _set(members: Any) -> tuple[str | int, ...]:
    if isinstance(members, str | bytes) or not isinstance(members, Iterable):
        raise ParameterError(
            f"interaction_cst holds {shorten(members)}, but must hold sets of attributes, such as {{'age', 'income'}}."
        )
    inside = [member.item() if isinstance(member, np.generic) else member for member in members]
    for member in inside:
        if isinstance(member, bool) or not isinstance(member, str | int):
            raise ParameterError(
                f"interaction_cst names the attribute {shorten(member)}; give its name, or its position from 0 on."
            )
    if not inside:
        raise ParameterError("interaction_cst holds an empty set; name the attributes that may meet.")
    return tuple(sorted(inside, key=lambda member: (isinstance(member, str), member)))


@dataclass(frozen=True, eq=False)
class Order:
    """The wishes of a recipe, for the attributes and the target of a table.

    watched: the class whose share has an order, by its code; None: the numbers that are predicted. signs: one per
    attribute. n_answers: 1, or one per quantile. slack: answers closer than this are equal.
    """

    watched: int | None
    signs: Integers
    n_answers: int
    slack: float


def order_of(recipe: Recipe, schema: Schema, kind: TargetKind, target: Floats | Integers) -> Order | None:
    """The order that a recipe asks for; None: none. target: the training rows' numbers, for what rounding may be."""
    _check_length(recipe.monotonic_cst, schema)
    signs: dict[int, int] = {}
    watched: dict[int, int] = {}
    for attribute, label, wish in recipe.monotonic_cst:
        place = _position("monotonic_cst", attribute, schema)
        if not wish:
            continue
        _check_kind(schema, place)
        code = _class_code(schema[place].name, label, kind)
        opposite = kind.n_classes == 2 and code == 0
        sign = -wish if opposite else wish
        watched[1 if opposite else code] = place
        if signs.setdefault(place, sign) != sign and len(watched) == 1:
            raise ParameterError(
                f"monotonic_cst contradicts itself: the same answer is to rise and to fall with "
                f"{schema[place].name!r}. Give one of the two."
            )
    if not signs:
        return None
    _check_recipe(recipe, kind)
    _check_one_class(watched, kind)
    table = np.array([signs.get(place, 0) for place in range(len(schema))], dtype=np.int64)
    scale = 1.0 if kind.n_classes else float(np.abs(target).max(initial=0.0))
    of_class = next(iter(watched)) if kind.n_classes else None
    return Order(of_class, table, max(len(recipe.quantiles), 1), ORDER_SLACK * scale)


def sets_of(recipe: Recipe, schema: Schema) -> list[list[int]]:
    """The sets of attributes that may meet, by their positions; empty: all may.

    Attributes that no set names are one more set, as in scikit-learn.
    """
    given, n_attributes = recipe.interaction_cst, len(schema)
    if given is None:
        return []
    if given == "no_interactions":
        return [[attribute] for attribute in range(n_attributes)]
    if given == "pairwise":
        pairs = [list(pair) for pair in combinations(range(n_attributes), 2)]
        return pairs or [[attribute] for attribute in range(n_attributes)]
    sets = [sorted({_position("interaction_cst", member, schema) for member in members}) for members in given]
    left = sorted(set(range(n_attributes)).difference(*sets))
    return [*sets, *([left] if left else [])]


def may_meet(sets: Sequence[Sequence[int]], asked: Iterable[int], n_attributes: int) -> frozenset[int]:
    """The attributes that may be asked where these were asked above: those of the sets that contain all of these.

    >>> sorted(may_meet([[0, 1], [1, 2], [3]], [1], 4))
    [0, 1, 2]
    """
    if not sets:
        return frozenset(range(n_attributes))
    path = set(asked)
    return frozenset(attribute for members in sets if path.issubset(members) for attribute in members)


# What is refused


def _check_length(wishes: tuple[Wish, ...], schema: Schema) -> None:
    listed = sum(isinstance(attribute, int) for attribute, _, _ in wishes)
    if listed and listed != len(schema):
        raise ParameterError(
            f"monotonic_cst has shape {listed} but the input data X has {len(schema)} features. Give one sign per "
            "attribute, or a dict of the attributes that have an order."
        )


def _position(parameter: str, attribute: str | int, schema: Schema) -> int:
    if isinstance(attribute, int):
        if not 0 <= attribute < len(schema):
            raise ParameterError(
                f"{parameter} names the attribute {attribute}, but the table has the positions 0 to {len(schema) - 1}."
            )
        return attribute
    if attribute not in schema.names:
        raise ParameterError(
            f"{parameter} names the attribute {attribute!r}, but the table has "
            f"{shown_list(schema.names)}.{did_you_mean(attribute, schema.names)}"
        )
    return schema.position(attribute)


def _check_kind(schema: Schema, place: int) -> None:
    attribute = schema[place]
    if not attribute.is_numeric:
        raise ParameterError(
            f"monotonic_cst orders the answer by {attribute.name!r}, but this attribute is {attribute.kind}, and its "
            "values have no order. Leave it out, or declare it by kinds: 'ordered' (with its domain) or 'numeric'."
        )


def _class_code(name: str, label: Any, kind: TargetKind) -> int:
    """The class whose share is ordered; 0 for numbers."""
    if not kind.n_classes:
        if label is not None:
            raise ParameterError(
                f"monotonic_cst gives {name!r} the class {shorten(label)}, but the target is a number: give 1 or -1."
            )
        return 0
    classes = [plain_value(value) for value in kind.classes or ()]
    if label is None:
        if len(classes) > 2:
            raise ParameterError(
                "Monotonicity constraints are not supported with multiclass classification unless one class is named: "
                f"the target has {len(classes)} classes; say whose share is to rise or fall, such as "
                f"monotonic_cst={{{name!r}: {{{classes[-1]!r}: 1}}}}."
            )
        return len(classes) - 1
    keys = [value_key(value) for value in classes]
    if value_key(label) not in keys:
        raise ParameterError(
            f"monotonic_cst names the class {shorten(label)}, but the target has "
            f"{shown_list(classes)}.{did_you_mean(label, classes)}"
        )
    return keys.index(value_key(label))


def _check_one_class(watched: Mapping[int, int], kind: TargetKind) -> None:
    """Only one class has an order: the shares add up to 1, so that those of several cannot be moved alone."""
    if len(watched) > 1:
        classes = [plain_value(value) for value in kind.classes or ()]
        raise ParameterError(
            f"monotonic_cst names the classes {shown_list([classes[code] for code in watched])}; give one of them: a "
            "tree keeps the order of one class's share."
        )


def _check_recipe(recipe: Recipe, kind: TargetKind) -> None:
    """Refuse leaves that answer without regard to their bounds."""
    if kind.n_classes and recipe.nominal == "multiway" and recipe.empty_leaf == "parent_class":
        raise ParameterError(
            "monotonic_cst cannot be kept with nominal='multiway' and empty_leaf='parent_class': the leaf of a value "
            "without rows answers one class alone. Use empty_leaf='parent_distribution'."
        )
