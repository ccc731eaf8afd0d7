"""Curves of fitted estimators, from tables: accuracy against the size of a tree or the number of examples or trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, Literal

from sklearn.utils.validation import check_is_fitted

from quercus.errors import DataError, ParameterError, choice_message
from quercus.estimators.parameters import check_count
from quercus.estimators.pruning import Rows, risk_of
from quercus.estimators.weights import read_sample_weight

if TYPE_CHECKING:
    from quercus.pruning.curves import Curve
    from quercus.tree import Tree

Kind = Literal["growing", "pruning", "learning"]
#: Rows of a curve as the user has them: (X, y) or (X, y, sample_weight), by name.
Tables = Mapping[str, tuple[Any, ...]]


def curve_of(model: Any, sets: Tables, kind: Kind, options: Mapping[str, Any]) -> Curve:
    """The curve of a kind; see ``TracingMixin.curve``."""
    check_is_fitted(model)
    makers: dict[str, Callable[..., Curve]] = {"growing": _growing, "pruning": _pruning, "learning": _learning}
    if kind not in makers:
        raise ParameterError(choice_message("kind", kind, tuple(makers)))
    encoded = {name: _encoded(model, name, rows) for name, rows in dict(sets).items()}
    try:
        return makers[kind](model, encoded, **{"cost_matrix": model._costs(), **options})
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        raise ParameterError(f"curve(kind={kind!r}, …): {error}.") from error


def forest_curve(model: Any, sets: Tables, points: int) -> Curve:
    """The error of a collection against the number of its members; see ``ForestEstimator.curve``."""
    from quercus.estimators.inspection import decisions_of, target_of
    from quercus.forests.staged import trees_curve

    check_is_fitted(model)
    check_count("points", points, least=1)
    encoded = {}
    for name, rows in dict(sets).items():
        _check_rows(name, rows)
        dataset = model._encode_rows(rows[0])
        weights = read_sample_weight(rows[2] if len(rows) == 3 else None, dataset.n_rows)
        encoded[name] = (dataset, target_of(model, rows[1], dataset.n_rows), weights)
    costs, threshold = decisions_of(model) if hasattr(model, "classes_") else (None, None)
    return trees_curve(
        model.forest_, encoded, points=points, cost_matrix=costs, threshold=threshold, **model._options()
    )


def _check_rows(name: str, rows: Any) -> None:
    if not isinstance(rows, tuple) or len(rows) not in (2, 3):
        raise DataError(f"The rows {name!r} must be a tuple (X, y) or (X, y, sample_weight).")


def _encoded(model: Any, name: str, rows: Any) -> tuple[Any, ...]:
    """Rows to measure on: with the weights that they are given, not with those of the classes."""
    _check_rows(name, rows)
    labelled = model._labelled_rows(*rows)
    weights = read_sample_weight(rows[2] if len(rows) == 3 else None, labelled.dataset.n_rows)
    return labelled.dataset, labelled.target, weights


def _growing(model: Any, sets: Tables, **options: Any) -> Curve:
    from quercus.pruning.curves import growing_curve

    return growing_curve(model.unpruned_tree_, sets, **options)


def _pruning(model: Any, sets: Tables, **options: Any) -> Curve:
    """The cuts of the model's own pruning if it made them one after the other; else the cost-complexity path."""
    from quercus.pruning.cost_complexity import cost_complexity_path
    from quercus.pruning.curves import pruning_curve

    pruned, tree = model.pruning_, model.unpruned_tree_
    if pruned is not None and pruned.sequence and pruned.before is not None and pruned.method != "cost_complexity":
        return pruning_curve(pruned, sets, **options)
    costs = model._costs()
    return pruning_curve(cost_complexity_path(tree, costs, risk_of(tree, costs)), sets, **options)


def _learning(model: Any, sets: Tables, **options: Any) -> Curve:
    """Trees fitted as the model is, pruning too, from more and more of the training rows."""
    from quercus.pruning.curves import learning_curve

    if set(sets) != {"training", "test"}:
        raise ParameterError(
            f"A learning curve needs the rows 'training' and 'test', but has {', '.join(map(repr, sets)) or 'none'}."
        )

    def fitted(dataset: Any, target: Any, weights: Any) -> Tree:
        other = copy(model)
        other.progress = None
        whole = other._weighed(target, weights) if hasattr(other, "_weighed") else weights
        tree: Tree = other._grow(Rows(dataset, target, whole), None, None).tree_
        return tree

    dataset, target, weights = sets["training"]
    return learning_curve(fitted, dataset, target, sets["test"], weights=weights, **options)
