"""Recipes in model files: the choices by which trees were grown."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from quercus.criteria import is_function_name, own_criterion
from quercus.data.values import value_from_json, value_to_json
from quercus.growing.recipe import Recipe
from quercus.models.damage import need
from quercus.targets import TargetKind


def recipe_to_json(recipe: Recipe) -> dict[str, Any]:
    """All choices of a recipe; quantiles only where there are some."""
    choices = {field.name: getattr(recipe, field.name) for field in fields(Recipe) if field.name != "quantiles"}
    choices["criterion"] = str(recipe.criterion)
    result = {name: value_to_json(value) for name, value in choices.items()}
    return result | ({"quantiles": list(recipe.quantiles)} if recipe.quantiles else {})


def read_recipe(data: Any, kind: TargetKind) -> Recipe:
    """Undo :func:`recipe_to_json`; the recipe must fit the target."""
    choices = {name: value_from_json(value) for name, value in data.items() if name != "quantiles"}
    if is_function_name(choices.get("criterion")):
        choices["criterion"] = own_criterion(choices["criterion"], kind.task == "regression")
    recipe = Recipe(**choices, quantiles=tuple(data.get("quantiles", ())))
    need(recipe.task == kind.task, "its criterion does not fit the target")
    return recipe
