"""Random trees of all kinds of test, with empty branches and surrogates, and random rows with unknown values."""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus.data import Attribute, Dataset, Schema
from quercus.tree import Tree

Random = np.random.Generator
NUMBERS = np.array([-2.5, -1.0, 0.0, 0.1, 0.5, 1.0, 2.0, 1e-300, 1e300, -1e300, 3.4028235e38, 0.30000001192092896])


def random_schema(random: Random, style: str) -> Schema:
    """Up to 6 attributes: "numbers" only, "codes" only, or both ("mixed")."""
    attributes = []
    for i in range(int(random.integers(1, 7))):
        number = style == "numbers" or (style == "mixed" and random.random() < 0.5)
        cost = float(random.integers(0, 4))
        values = tuple(range(int(random.integers(2, 6))))
        attributes.append(
            Attribute(f"x{i}", "numeric", cost=cost) if number else Attribute(f"x{i}", "nominal", values, cost)
        )
    return Schema(tuple(attributes))


def _test(random: Random, schema: Schema, policy: str) -> dict[str, Any]:
    """One random test: kind, attribute, threshold, groups, number of children and what an unknown value does."""
    a = int(random.integers(len(schema)))
    test: dict[str, Any] = {"attribute": a, "kind": 1, "threshold": np.nan, "groups": [], "n": 2}
    n_values = schema[a].n_values
    if schema[a].is_numeric:
        test["threshold"] = float(random.choice(NUMBERS)) + random.choice([0.0, 0.05])
    else:
        test["kind"] = int(random.integers(2, 5))
        test["n"] = n_values + int(random.random() < 0.3) if test["kind"] == 2 else int(random.integers(2, 5))
        test["n"] = 2 if test["kind"] == 4 else test["n"]
        if test["kind"] > 2:
            test["groups"] = random.integers(-1, test["n"], n_values).tolist()
    spread = policy == "spread" or (policy == "any" and random.random() < 0.5)
    test["missing"] = -1 if spread else int(random.integers(test["n"]))
    if test["kind"] == 1 and random.random() < 0.05:
        test["threshold"], test["missing"] = np.inf, 1
    test["surrogates"] = []
    if policy == "any" and test["n"] == 2 and random.random() < 0.4:
        test["surrogates"] = [_surrogate(random, schema) for _ in range(int(random.integers(1, 4)))]
    return test


def _surrogate(random: Random, schema: Schema) -> tuple[int, int, float, int, list[int]]:
    a = int(random.integers(len(schema)))
    if schema[a].is_numeric:
        return 1, a, float(random.choice(NUMBERS)), int(random.integers(2)), []
    return 4, a, np.nan, 0, random.integers(-1, 2, schema[a].n_values).tolist()


def random_tree(random: Random, schema: Schema, policy: str = "any", n_classes: int = 3, most_nodes: int = 60) -> Tree:
    """A tree of up to about ``most_nodes``. policy: unknown values "spread", take one "child", or "any"."""
    nodes: list[dict[str, Any]] = [{}]
    stack = [0]
    while stack:
        node = stack.pop()
        if len(nodes) < most_nodes and random.random() < (0.95 if node == 0 else 0.75):
            test = _test(random, schema, policy)
            first = len(nodes)
            nodes[node] = {**test, "first": first}
            nodes += [{} for _ in range(test["n"])]
            stack += range(first + test["n"] - 1, first - 1, -1)
    return Tree.from_arrays(
        _arrays(random, nodes, n_classes),
        schema,
        tuple("abcdefgh"[:n_classes]) if n_classes else None,
        criterion="entropy",
    )


def _arrays(random: Random, nodes: list[dict[str, Any]], n_classes: int) -> dict[str, Any]:
    def column(name: str, default: Any, dtype: Any) -> np.ndarray:
        return np.array([node.get(name, default) for node in nodes], dtype=dtype)

    n = len(nodes)
    weight = np.where(random.random(n) < 0.2, 0.0, random.choice([1.0, 2.0, 0.5, 3.7], n))
    if random.random() < 0.1:
        weight[:] = 0.0
    groups = [node.get("groups", []) for node in nodes]
    surrogates = [s for node in nodes for s in node.get("surrogates", [])]
    per_node = [len(node.get("surrogates", [])) for node in nodes]
    value = random.random((n, n_classes or 3))
    return {
        "kind": column("kind", 0, np.uint8),
        "attribute": column("attribute", 0, np.int32),
        "threshold": column("threshold", np.nan, np.float64),
        "first_child": column("first", 0, np.int32),
        "n_children": column("n", 0, np.int32),
        "missing_child": column("missing", -1, np.int32),
        "weight": weight,
        "count": np.ones(n, dtype=np.int64),
        "gain": np.zeros(n),
        "value": value,
        "group_start": _starts(groups),
        "group_child": _joined(groups),
        "surrogate_start": np.concatenate([[0], np.cumsum(per_node)]).astype(np.int64),
        "surrogate_kind": np.array([s[0] for s in surrogates], dtype=np.uint8),
        "surrogate_attribute": np.array([s[1] for s in surrogates], dtype=np.int32),
        "surrogate_threshold": np.array([s[2] for s in surrogates], dtype=np.float64),
        "surrogate_low_child": np.array([s[3] for s in surrogates], dtype=np.int32),
        "surrogate_agreement": np.ones(len(surrogates)),
        "surrogate_adjusted": np.ones(len(surrogates)),
        "surrogate_group_start": _starts([s[4] for s in surrogates]),
        "surrogate_group_child": _joined([s[4] for s in surrogates]),
    }


def _starts(lists: list[list[int]]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(one) for one in lists], dtype=np.int64)]).astype(np.int64)


def _joined(lists: list[list[int]]) -> np.ndarray:
    return np.array([entry for one in lists for entry in one], dtype=np.int32)


def random_rows(random: Random, schema: Schema, n_rows: int, unknown: float = 0.2, narrow: float = 0.5) -> Dataset:
    """Rows with a share of unknown values; numeric columns are float32 with the probability ``narrow``."""
    columns = []
    for attribute in schema:
        missing = random.random(n_rows) < unknown
        if attribute.is_numeric:
            dtype = np.float32 if random.random() < narrow else np.float64
            numbers = (
                np.clip(random.choice(NUMBERS, n_rows), -3e38, 3e38)
                if dtype == np.float32
                else random.choice(NUMBERS, n_rows)
            )
            columns.append(np.where(missing, np.nan, numbers).astype(dtype))
        else:
            columns.append(np.where(missing, -1, random.integers(0, attribute.n_values, n_rows)).astype(np.int32))
    return Dataset(schema, tuple(columns), n_rows)
