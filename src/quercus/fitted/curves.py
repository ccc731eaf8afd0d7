"""Curves of fitted models, from tables: accuracy against the size of a tree or the number of examples or members."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from quercus.errors import DataError, ParameterError, choice_message

if TYPE_CHECKING:
    from quercus.data.rows import Rows
    from quercus.fitted.model import Model
    from quercus.pruning.curves import Curve
    from quercus.tree import Tree

Kind = Literal["growing", "pruning", "learning"]
#: Rows of a curve as the user has them: (X, y) or (X, y, sample_weight), by name.
Tables = Mapping[str, tuple[Any, ...]]
#: The same, encoded.
Sets = Mapping[str, tuple[Any, ...]]


def check_tables(sets: Tables) -> dict[str, tuple[Any, ...]]:
    """Refuse rows that are not (X, y) or (X, y, sample_weight)."""
    for name, rows in dict(sets).items():
        if not isinstance(rows, tuple) or len(rows) not in (2, 3):
            raise DataError(f"The rows {name!r} must be a tuple (X, y) or (X, y, sample_weight).")
    return dict(sets)


def tree_curve(
    model: Model, sets: Mapping[str, Rows], kind: str, refitted: Callable[[Rows], Model], options: Mapping[str, Any]
) -> Curve:
    """The curve of a tree of a kind; see ``TreesReading.curve``. refitted: fits a model as this one to other rows."""
    makers: dict[str, Callable[..., Curve]] = {"growing": _growing, "pruning": _pruning, "learning": _learning}
    if kind not in makers:
        raise ParameterError(choice_message("kind", kind, tuple(makers)))
    measured = {name: rows.measuring for name, rows in sets.items()}
    more = {"refitted": refitted} if kind == "learning" else {}
    return _made(
        f"curve(kind={kind!r}, …)",
        lambda: makers[kind](model, measured, **more, **{"cost_matrix": model.decision.costs, **options}),
    )


def members_curve(model: Model, sets: Mapping[str, Rows], n_jobs: int, points: int = 100, **options: Any) -> Curve:
    """The error of a collection against the number of its members; see ``TreesReading.curve``."""
    from quercus.forests.staged import trees_curve

    if isinstance(points, bool) or not isinstance(points, int) or points < 1:
        raise ParameterError(f"points={points!r} is not allowed; give a whole number of at least 1.")
    chosen = {"cost_matrix": model.decision.costs, "threshold": model.decision.threshold, **model.asking(n_jobs)}
    measured = {name: rows.measuring for name, rows in sets.items()}
    return _made(
        "curve(…)", lambda: trees_curve(model.need_members("A curve"), measured, points=points, **chosen, **options)
    )


def _made(call: str, make: Callable[[], Curve]) -> Curve:
    try:
        return make()
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        raise ParameterError(f"{call}: {error}.") from error


def _growing(model: Model, sets: Sets, **options: Any) -> Curve:
    from quercus.pruning.curves import growing_curve

    return growing_curve(_grown(model), sets, **options)


def _grown(model: Model) -> Tree:
    tree = model.need_tree("A curve")
    return tree if model.grown is None else model.grown


def _pruning(model: Model, sets: Sets, **options: Any) -> Curve:
    """The cuts of the model's own pruning if it made them one after the other; else the cost-complexity path."""
    from quercus.pruning.cost_complexity import cost_complexity_path, risk_of
    from quercus.pruning.curves import pruning_curve

    pruned, tree = model.pruning, _grown(model)
    if pruned is not None and pruned.sequence and pruned.before is not None and pruned.method != "cost_complexity":
        return pruning_curve(pruned, sets, **options)
    costs = model.decision.costs
    return pruning_curve(cost_complexity_path(tree, costs, risk_of(tree, costs)), sets, **options)


def _learning(model: Model, sets: Sets, refitted: Callable[[Rows], Model], **options: Any) -> Curve:
    """Trees fitted as the model is, pruning too, from more and more of the training rows."""
    from quercus.data.rows import weighed_rows
    from quercus.pruning.curves import learning_curve

    if set(sets) != {"training", "test"}:
        raise ParameterError(
            f"A learning curve needs the rows 'training' and 'test', but has {', '.join(map(repr, sets)) or 'none'}."
        )

    def fitted(dataset: Any, target: Any, weights: Any) -> Tree:
        return refitted(weighed_rows(dataset, target, weights, model.class_factors)).need_tree("A curve")

    dataset, target, weights = sets["training"]
    return learning_curve(fitted, dataset, target, sets["test"], weights=weights, **options)
