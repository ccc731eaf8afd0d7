"""The pictures that ``quercus plot`` draws: one function per kind, from a model file and rows to SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from quercus.errors import ParameterError, choice_message


@dataclass(frozen=True)
class ChartPlan:
    """The chart to draw, and the model and rows that it shows."""

    kind: str
    path: str | None
    depth: int | None
    nodes: int | None
    case: list[str] | None
    attributes: str | None
    data: str | None
    test: str | None
    reading: Mapping[str, Any]
    tree: int | None = None
    by: str | None = None

    @cached_property
    def opened(self) -> Any:
        """The opened model file."""
        from quercus.cli.models import open_model

        assert self.path is not None
        return open_model(self.path)

    @property
    def model(self) -> Any:
        """The fitted model, or the one of its trees that was asked for."""
        if self.tree is None:
            return self.opened.model
        from quercus.cli.forests import member_of

        return member_of(self.opened.model, self.tree)

    def rows(self, option: str) -> Any:
        """The rows of DATA or --test, which must have been given."""
        from quercus.cli.tables import read_rows

        path = self.data if option == "DATA" else self.test
        if path is None:
            raise ParameterError(f"--kind {self.kind} needs {option}, {MEANING[option]}.")
        return read_rows(path, model=self.model, **self.reading)

    def encoded(self, option: str) -> tuple[Any, Any, Any]:
        """The rows as growing and pruning take them: dataset, target and weights."""
        rows = self.rows(option)
        encoded_rows = self.model.read_rows(rows.X, rows.y, rows.weights)
        return encoded_rows.dataset, encoded_rows.target, encoded_rows.weights

    @property
    def grown(self) -> Any:
        """The tree as it was grown."""
        from quercus.cli.models import answers_by_tree, tree_of

        tree = tree_of(self.model, unpruned=True)
        if not answers_by_tree(self.model):
            raise ParameterError(f"--kind {self.kind} is for models that answer with a tree.")
        return tree

    @property
    def costs(self) -> Any:
        """The model's misclassification costs."""
        from quercus.cli.models import costs_of

        return costs_of(self.model)


MEANING = {"DATA": "the rows of fitting", "--test": "rows that the model has not seen"}


def tree_picture(plan: ChartPlan) -> str:
    """The tree, with the path of a case lit."""
    from quercus.cli.cases import typed_case
    from quercus.cli.models import tree_of
    from quercus.data.dataset import encode_like
    from quercus.draw import path_parts, tree_svg

    model = plan.model
    tree = tree_of(model)
    more: dict[str, Any] = {}
    if plan.depth is not None:
        more["max_depth"] = plan.depth
    if plan.nodes is not None:
        more["max_nodes"] = plan.nodes
    if plan.case:
        more["highlight"] = path_parts(
            tree, encode_like(typed_case(model.model_.schema, plan.case), model.model_.schema)
        )
    return tree_svg(tree, **more)


def curve(plan: ChartPlan) -> str:
    """Accuracy against size while the tree grew; of a collection the error against the number of trees."""
    from quercus.cli.forests import collection_curves, is_collection
    from quercus.draw import size_curve, trees_chart

    names = {"training": ("DATA", plan.data), "test": ("--test", plan.test)}
    options = {name: option for name, (option, path) in names.items() if path is not None}
    tables = {name: plan.rows(option).labelled for name, option in options.items()}
    if is_collection(plan.model):
        return str(trees_chart(*collection_curves(plan.model, tables)).to_svg())
    _ = plan.grown
    if not options:
        return str(size_curve(_kept_curve(plan)).to_svg())
    return str(size_curve(plan.model.curve(tables, kind="growing")).to_svg())


def _kept_curve(plan: ChartPlan) -> Any:
    """The curve that the model file keeps."""
    import numpy as np

    from quercus.pruning.curves import Curve

    kept = ((plan.opened.evidence or {}).get("curves") or {}).get("growing")
    if kept is None:
        raise ParameterError(
            "The model file keeps no curve; give --test, rows that the model has not seen, or DATA, those of fitting."
        )
    return Curve(kept["title"], {name: np.array(column, dtype=float) for name, column in kept["columns"].items()})


def pruning(plan: ChartPlan) -> str:
    """What reduced-error pruning by the test rows does to the curve."""
    from quercus.draw import reduced_error_effect
    from quercus.pruning.curves import growing_curve, pruning_curve
    from quercus.pruning.reduced_error import reduced_error

    tree, costs = plan.grown, plan.costs
    validation = plan.encoded("--test")
    sets = {"validation": validation}
    if plan.data is not None:
        sets = {"training": plan.encoded("DATA"), **sets}
    dataset, target, weights = validation
    pruned = reduced_error(tree, dataset, target, weights=weights, cost_matrix=costs, order="best_first")
    growing = growing_curve(tree, sets, cost_matrix=costs)
    return str(reduced_error_effect(growing, pruning_curve(pruned, sets, cost_matrix=costs)).to_svg())


def alpha(plan: ChartPlan) -> str:
    """The cross-validated error against the price of leaves."""
    from quercus.draw import alpha_chart

    model = plan.model
    _ = plan.grown
    table = model.model_.alpha_table
    if table is None:
        rows = plan.rows("DATA")
        table = model.prune_with("cost_complexity", rows.X, rows.y, rows.weights, ccp_alpha=None).alpha_table_
    if table is None:
        raise ParameterError("The tree is one leaf; there is nothing to price.")
    return str(alpha_chart(table).to_svg())


def learning(plan: ChartPlan) -> str:
    """Accuracy against the number of training examples: each tree fitted, and pruned, as the model is."""
    from quercus.draw import learning_chart

    _ = plan.grown
    sets = {"training": plan.rows("DATA").labelled, "test": plan.rows("--test").labelled}
    return str(learning_chart(plan.model.curve(sets, kind="learning", repeats=5)).to_svg())


def importance(plan: ChartPlan) -> str:
    """The share of each attribute in what the tree, or the trees, gained; or another measure, with intervals."""
    from quercus.cli.forests import is_collection
    from quercus.cli.importance import kind_of, measured
    from quercus.cli.models import tree_of
    from quercus.draw import importance_chart

    model = plan.model
    kind = kind_of(plan.by, plan.data is not None or plan.test is not None)
    if kind != "impurity":
        rows = plan.rows("--test" if kind == "permutation" and plan.test is not None else "DATA")
        importances = measured(replace(plan.opened, model=model), kind, rows)
        return str(importance_chart(importances).to_svg())
    if not is_collection(model):
        tree_of(model)
    if model.model_.answers_by == "rules" or model.model_.answers_by_rules:
        raise ParameterError(
            "--kind importance is for models that answer with a tree; give --test, and it is measured by permutation."
        )
    shares = dict(zip(model.model_.schema.names, model.feature_importances_.tolist(), strict=True))
    return str(importance_chart(shares).to_svg())


def confusion(plan: ChartPlan) -> str:
    """The confusion matrix on the test rows."""
    from quercus.draw import confusion_chart

    scores = _class_scores(plan)
    return str(confusion_chart(scores.confusion, scores.classes).to_svg())


def reliability(plan: ChartPlan) -> str:
    """Predicted probabilities against what came true on the test rows."""
    from quercus.draw import reliability_chart

    return str(reliability_chart(_class_scores(plan).calibration).to_svg())


def _class_scores(plan: ChartPlan) -> Any:
    from quercus.evaluation import evaluate

    plan.model.model_.target_kind.need_classes(f"--kind {plan.kind} is for classes; this model answers numbers.")
    rows = plan.rows("DATA" if plan.test is None and plan.data is not None else "--test")
    return evaluate(plan.model, *rows.labelled).test


def regions(plan: ChartPlan) -> str:
    """What the tree answers over the plane of two numeric attributes."""
    from quercus.cli.models import tree_of
    from quercus.draw import class_regions

    tree = tree_of(plan.model)
    numeric = [attribute.name for attribute in tree.schema if attribute.kind == "numeric"]
    names = [part.strip() for part in (plan.attributes or ",".join(numeric[:2])).split(",")]
    if len(names) != 2:
        raise ParameterError(f"--attributes must be two numeric ones with a comma between; there are {numeric}.")
    for name in names:
        if name not in numeric:
            raise ParameterError(choice_message("--attributes", name, numeric))
    more: dict[str, Any] = {}
    if plan.data is not None or plan.test is not None:
        dataset, target, _ = plan.encoded("DATA" if plan.data is not None else "--test")
        more = {"dataset": dataset, "target": target}
    return str(class_regions(tree, *names, **more).to_svg())


def entropy(plan: ChartPlan) -> str:
    """The entropy of two classes."""
    from quercus.draw import entropy_curve

    return str(entropy_curve().to_svg())


KINDS: dict[str, Callable[[ChartPlan], str]] = {
    "tree": tree_picture,
    "curve": curve,
    "pruning": pruning,
    "alpha": alpha,
    "learning": learning,
    "importance": importance,
    "confusion": confusion,
    "reliability": reliability,
    "regions": regions,
    "entropy": entropy,
}
