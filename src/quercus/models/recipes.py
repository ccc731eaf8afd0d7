"""Recipes in model files: the choices by which trees were grown."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from quercus.criteria import is_function_name, own_criterion
from quercus.data.values import value_from_json, value_to_json
from quercus.growing.recipe import Recipe
from quercus.models.damage import need
from quercus.targets import TargetKind

#: The choices that are lists of their own, and left out if they are empty.
LISTED = ("quantiles", "monotonic_cst", "interaction_cst")


def recipe_to_json(recipe: Recipe) -> dict[str, Any]:
    """All choices of a recipe; quantiles and constraints only where there are some."""
    choices = {field.name: getattr(recipe, field.name) for field in fields(Recipe) if field.name not in LISTED}
    choices["criterion"] = str(recipe.criterion)
    result = {name: value_to_json(value) for name, value in choices.items()}
    lists = {
        "quantiles": list(recipe.quantiles),
        "monotonic_cst": [[value_to_json(part) for part in wish] for wish in recipe.monotonic_cst],
        "interaction_cst": recipe.interaction_cst
        if isinstance(recipe.interaction_cst, str)
        else [list(members) for members in recipe.interaction_cst or ()],
    }
    return result | {name: entries for name, entries in lists.items() if entries}


def read_recipe(data: Any, kind: TargetKind) -> Recipe:
    """Undo :func:`recipe_to_json`; the recipe must fit the target."""
    choices = {name: value_from_json(value) for name, value in data.items() if name not in LISTED}
    if is_function_name(choices.get("criterion")):
        choices["criterion"] = own_criterion(choices["criterion"], kind.task == "regression")
    wishes = tuple(tuple(map(value_from_json, wish)) for wish in data.get("monotonic_cst", ()))
    need(
        all(isinstance(name, str | int) and sign in (-1, 0, 1) for name, _, sign in wishes),
        "monotonic_cst has a wrong entry",
    )
    recipe = Recipe(
        **choices,
        quantiles=tuple(data.get("quantiles", ())),
        monotonic_cst=wishes,
        interaction_cst=data.get("interaction_cst"),
    )
    need(recipe.task == kind.task, "its criterion does not fit the target")
    return recipe
