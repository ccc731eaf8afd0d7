"""Test costs: what it costs to learn the attribute values that a prediction asks for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quercus.data.dataset import Dataset
from quercus.predict.arguments import asked_rows, thread_count
from quercus.tree.tree import Tree


def expected_test_cost(tree: Tree, dataset: Dataset, n_jobs: int | None = 1) -> NDArray[np.float64]:
    r"""The expected cost of each row's tests, :math:`\sum_l w_l(x) \sum_{a \text{ on the path to } l} cost(a)`.

    An attribute is paid once on a path, however often it is asked. A row that follows several branches because a value
    is unknown pays for each by its part w_l(x). A question is paid even if its answer turns out to be unknown;
    surrogates are looked up among what is known and cost nothing.

    tree: grown from attributes with costs (``tree.schema``). dataset: rows encoded by its schema. n_jobs: threads.
    Returns one cost per row.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> data = encode({"Pulse": [60.0, 60.0, 90.0], "BloodTest": [1.0, 2.0, 1.0]},
    ...               attribute_costs={"BloodTest": 150.0, "Pulse": 1.0})
    >>> tree = grow(data, encode_classes(["No", "No", "Yes"]), cart_recipe())
    >>> expected_test_cost(tree, data)
    array([1., 1., 1.])
    """
    compact, table, n_rows = asked_rows(tree, dataset)
    costs = np.array([attribute.cost for attribute in tree.schema.attributes], dtype=np.float64)
    result: NDArray[np.float64] = compact.expected_test_costs(table, n_rows, costs, thread_count(n_jobs))
    return result
