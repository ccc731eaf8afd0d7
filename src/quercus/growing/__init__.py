"""Growing: from a dataset and a recipe to a tree."""

from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.growing.id3 import id3_recipe
from quercus.growing.recipe import Recipe

__all__ = ["Recipe", "c45_recipe", "cart_recipe", "grow", "id3_recipe"]
