"""Recipes in model files: the choices by which trees were grown."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from quercus.data.values import value_from_json, value_to_json
from quercus.growing.recipe import Recipe
from quercus.models.damage import need


def recipe_to_json(recipe: Recipe) -> dict[str, Any]:
    """All choices of a recipe."""
    return {field.name: value_to_json(getattr(recipe, field.name)) for field in fields(Recipe)}


def read_recipe(data: Any, classes: tuple[Any, ...] | None) -> Recipe:
    """Undo :func:`recipe_to_json`; the recipe must fit the target."""
    recipe = Recipe(**{name: value_from_json(value) for name, value in data.items()})
    need(recipe.is_regression == (classes is None), "its criterion does not fit the target")
    return recipe
