"""The path of an example through a tree: the part of the example that reaches each node."""

from __future__ import annotations

from quercus.data.dataset import Dataset
from quercus.errors import ParameterError
from quercus.fitted.argument import of_models
from quercus.predict import decision_path
from quercus.tree.tree import Tree


@of_models(Tree)
def path_parts(tree: Tree, dataset: Dataset, row: int = 0) -> dict[int, float]:
    """The part of a row that reaches each node, as ``tree_svg(highlight=…)`` takes it.

    >>> from quercus import C45Classifier
    >>> from quercus.data import encode_like
    >>> from quercus.datasets import load_play_tennis
    >>> tree = C45Classifier().fit(*load_play_tennis()).tree_
    >>> case = {"Outlook": ["Sunny"], "Temperature": ["Hot"], "Humidity": [None], "Wind": ["Weak"]}
    >>> path_parts(tree, encode_like(case, tree.schema))
    {0: 1.0, 3: 1.0, 6: 0.6, 7: 0.4}
    """
    if not -dataset.n_rows <= row < dataset.n_rows:
        raise ParameterError(f"row is {row}, but the table has the rows 0 … {dataset.n_rows - 1}.")
    path = decision_path(tree, dataset.take([row % dataset.n_rows]), weights=True)
    return {int(node): float(part) for node, part in zip(path.indices, path.data, strict=True)}
