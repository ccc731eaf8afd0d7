"""A model as an argument: functions that take a tree or rules also take a model that answers by them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from quercus.errors import ParameterError
from quercus.fitted.reading import Readable, one_or_many
from quercus.rules.rule_list import RuleList
from quercus.tree.tree import Tree

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")
Function = Callable[Concatenate[T, P], R]


def of_models(
    *kinds: type[Tree] | type[RuleList],
) -> Callable[[Function[T, P, R]], Callable[Concatenate[T | Readable, P], R]]:
    """Let the first argument of a function also be a fitted estimator, or its model; then what answers in it is meant.

    kinds: what the function takes: Tree, RuleList, or both. Where a function chooses an answer, it does so by the
    model's own costs, threshold and smoothing, unless they are said. The rows (``dataset``) may be a table then.

    >>> from quercus import C45Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> n_leaves = of_models(Tree)(lambda tree: tree.n_leaves)
    >>> n_leaves(C45Classifier().fit(X, y))
    5
    """

    def decorate(function: Function[T, P, R]) -> Callable[Concatenate[T | Readable, P], R]:
        first, *names = signature(function).parameters
        call: Callable[..., R] = function

        @wraps(function)
        def taking(*args: Any, **options: Any) -> R:
            arguments = dict(zip((first, *names), args, strict=False)) | options
            thing = arguments.get(first)
            if first not in arguments or len(args) > len(names) + 1 or isinstance(thing, kinds):
                return call(*args, **options)
            return call(**arguments | _parts(function.__name__, kinds, first, names, arguments))

        return taking

    return decorate


def _parts(
    function: str, kinds: tuple[type[Any], ...], first: str, names: list[str], arguments: dict[str, Any]
) -> dict[str, Any]:
    """The arguments that a model takes the place of: what answers, how it chooses, and the rows encoded."""
    thing = arguments[first]
    if not isinstance(thing, Readable):
        words = " or ".join(f"a {kind.__name__}" for kind in kinds)
        raise ParameterError(
            f"{first} is a {type(thing).__name__}, but must be {words}, or a fitted model that answers by one."
        )
    model, parts = thing.model_, {}
    if RuleList in kinds and (model.rule_list is not None or Tree not in kinds):
        answering: Any = model.need_rules(function)
        decision: dict[str, Any] = {"cost_matrix": model.decision.choosing}
    else:
        answering = model.need_tree(function)
        decision = model.decision.options if "decision_threshold" in names else {}
    if arguments.get("dataset") is not None:
        parts["dataset"] = one_or_many(model, arguments["dataset"])
    return {first: answering, **{name: value for name, value in decision.items() if name not in arguments}, **parts}
