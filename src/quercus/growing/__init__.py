"""Growing: from a dataset and a recipe to a tree."""

from quercus.growing.recipe import Recipe

__all__ = ["Recipe"]
