"""Error-based pruning of C4.5: a leaf, the subtree or its largest branch, whichever promises the fewest errors.

A leaf that answers N training examples with E errors would do worse on new ones. C4.5 takes E as what a binomial sample
of N showed and expects the upper limit of its error rate at a confidence: few examples, much doubt. No examples need to
be held out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus import _core
from quercus.arrays import Array, Floats
from quercus.data.dataset import ClassTarget, Dataset, check_dataset
from quercus.errors import DataError, ParameterError, checked_choice, shorten
from quercus.measures.counts import as_weights
from quercus.predict.arguments import core_arguments
from quercus.pruning.method import PruningMethod, Situation, training_rows
from quercus.pruning.node_errors import refuse_numbers
from quercus.pruning.result import Pruned, Removal
from quercus.tree.layout import LEAF, taken
from quercus.tree.tree import Tree

ErrorPreset = Literal["c45", "r8", "j48"]

#: R8 reads the normal deviate off these points (confidence: deviate), linearly between them.
R8_DEVIATES = {0.0: 4.0, 0.001: 3.09, 0.005: 2.58, 0.01: 2.33, 0.05: 1.65, 0.10: 1.28, 0.20: 0.84, 0.40: 0.25, 1.0: 0.0}


def exact_deviate(confidence: float) -> float:
    """The z that a normal variable exceeds with this probability; 0 above one half."""
    from scipy.special import ndtri

    return max(0.0, -float(ndtri(confidence)))


def tabled_deviate(confidence: float) -> float:
    """The same as R8 has it, from a table of nine points.

    >>> tabled_deviate(0.25), round(exact_deviate(0.25), 4)
    (0.6925, 0.6745)
    """
    return round(float(np.interp(confidence, list(R8_DEVIATES), list(R8_DEVIATES.values()))), 12)


@dataclass(frozen=True)
class ErrorRules:
    """What the presets decide differently.

    deviate: z by the confidence. top_share: of N − E, what is added where nearly all are errors. never_negative: that
    is not below 0, also for less than one example. tolerance: what counts as equal.
    """

    deviate: Callable[[float], float]
    top_share: float
    never_negative: bool
    tolerance: float


PRESETS: Mapping[str, ErrorRules] = {
    "c45": ErrorRules(exact_deviate, 0.67, True, 1e-9),
    "r8": ErrorRules(tabled_deviate, 0.67, False, 1e-9),
    "j48": ErrorRules(exact_deviate, 1.0, True, 1e-6),
}


def added_errors(
    weight: ArrayLike, errors: ArrayLike, *, confidence: float = 0.25, preset: ErrorPreset = "c45"
) -> Floats:
    r"""How many errors more than seen are to be expected of a leaf with N examples, E of them errors: U − E.

    E = 0: :math:`N (1 - CF^{1/N})`, the exact limit. 0 < E < 1: linear between that and E = 1. E + ½ ≥ N: 0.67 (N − E).
    Otherwise :math:`N p - E`, p the upper limit of the rate by the normal approximation,

    .. math:: p = \frac{E + ½ + z²/2 + z \sqrt{(E + ½)(1 - (E + ½)/N) + z²/4}}{N + z²}

    with z the normal deviate of the confidence CF; less confidence in the data (a smaller CF) adds more.

    weight, errors: N and E. confidence: CF, above 0 and at most 1. preset: as in :func:`error_based`.

    >>> added_errors([16, 6, 2], [1, 0, 1], preset="r8").round(4)
    array([1.5069, 1.2378, 0.7962])
    """
    rules = error_rules(preset, confidence)
    n, e = np.broadcast_arrays(np.asarray(weight, dtype=np.float64), np.asarray(errors, dtype=np.float64))
    z = rules.deviate(confidence)
    some = np.where(n > 0, n, 1.0)
    none = -some * np.expm1(np.log(confidence) / some)
    whole = _added_to_whole(some, np.maximum(e, 1.0), z, rules)
    return np.asarray(np.where(n > 0, np.where(e < 1, none + e * (whole - none), whole), 0.0))


def _added_to_whole(n: Floats, e: Floats, z: float, rules: ErrorRules) -> Floats:
    """The rule for E ≥ 1."""
    top = rules.top_share * (n - e)
    if rules.never_negative:
        top = np.maximum(top, 0.0)
    half = e + 0.5
    spread = np.sqrt(np.maximum(half * (1 - half / n) + z * z / 4, 0.0))
    rate = (half + z * z / 2 + z * spread) / (n + z * z)
    return np.asarray(np.where(half >= n * (1 - 1e-9), top, n * rate - e))


def estimated_errors(tree: Tree, *, confidence: float = 0.25, preset: ErrorPreset = "c45") -> float:
    """The errors to expect of as many new examples as the tree was grown from: E + added(N, E), over its leaves.

    confidence, preset: as in :func:`error_based`.
    """
    refuse_numbers(tree, "error_based")
    leaves = tree.value[tree.kind == LEAF] / tree.case_weight
    weight = leaves.sum(axis=1)
    errors = weight - leaves.max(axis=1)
    added = added_errors(weight, errors, confidence=confidence, preset=preset)
    return float(np.sum(errors + added)) * tree.case_weight


def error_based(
    tree: Tree,
    dataset: Dataset,
    target: ClassTarget | NDArray[Any],
    *,
    weights: ArrayLike | None = None,
    preset: ErrorPreset = "c45",
    confidence: float = 0.25,
    raising: bool = True,
) -> Pruned:
    r"""Prune as C4.5 does, by the errors that the training examples themselves let one expect.

    From the leaves up, with all training examples in the tree, the pessimistic errors :math:`U = E + added(N, E)`
    (:func:`added_errors`) of three forms of each question are compared::

        leaf     as a leaf of the majority class
        subtree  the sum over the leaves below it
        branch   its heaviest branch (the last if tied) in its place, with all its examples sent down there

        if leaf <= subtree + 0.1 and leaf <= branch + 0.1   -> a leaf
        else if branch <= subtree + 0.1                     -> the branch is raised, and what stands in it pruned anew
        else                                                   the question stays

    A raised branch keeps its questions; all nodes of the result hold the examples that now reach them. Unknown values
    go the tree's way; where they go down every branch, in shares of the known weight that is there now.

    tree: with classes. dataset, target, weights: the examples that it was grown from (others give it their counts).
    confidence: CF; smaller prunes more. raising: False compares leaf and subtree only. Case weights count as examples,
    so their scale matters: 0.1 is a tenth of an example (but see ``quercus.data.case_weight`` on tiny and huge ones).

    preset:

    - ``"r8"``: as Release 8. z is read off a table of nine points (0.6925 at 0.25), 0.67 (N − E) is added where nearly
      all are errors (a negative number if a part of an example is all there is). (Computed in double, where Release 8
      has float.)
    - ``"c45"``: the same with the exact z (0.6745 at 0.25), and nothing negative is added.
    - ``"j48"``: exact z, N − E where nearly all are errors, numbers within 1e-6 are equal; confidence at most 0.5.

    The result's ``removals`` have the numbers compared: ``leaf``, ``subtree``, ``branch``, and ``cases``; its ``table``
    the estimate of the whole tree before and after.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> data = encode({"x": [1, 2, 3, 4, 5, 6, 7, 8]})
    >>> classes = encode_classes(["No", "No", "Yes", "No", "No", "No", "Yes", "Yes"])
    >>> pruned = error_based(grow(data, classes, cart_recipe()), data, classes)
    >>> print(pruned.tree)
    x <= 6.5: No (6: 5 No, 1 Yes)
    x > 6.5: Yes (2)
    >>> print(pruned)
    error_based: 7 nodes → 3 nodes, 4 leaves → 2 leaves
    node 1 → leaf: errors to expect: leaf 2.304, subtree 2.86, largest branch 2.304
    """
    refuse_numbers(tree, "error_based")
    rules = error_rules(preset, confidence)
    codes, checked = checked_examples(tree, dataset, target, weights)
    arrays, columns, n_rows = core_arguments(tree, dataset)
    result = _core.prune_error_based(
        arrays,
        tuple(columns),
        n_rows,
        codes,
        tree.value.shape[1],
        checked,
        float(confidence),
        rules.deviate(confidence),
        rules.top_share,
        rules.never_negative,
        bool(raising),
        rules.tolerance,
    )
    unit = 1.0 if weights is None else tree.case_weight
    return pruned_tree(tree, result, estimated_errors(tree, confidence=confidence, preset=preset), unit)


def pruned_tree(tree: Tree, arrays: Mapping[str, Any], estimate_before: float, unit: float) -> Pruned:
    """The result, from the nodes that stayed and the comparisons that the core (or the plain form) found.

    unit: what one case of ``found`` weighs.
    """
    result = _new_tree(tree, {**arrays, "value": arrays["value"] * unit})
    estimate = arrays["estimate"] * unit
    table = {
        "estimated errors before": estimate_before,
        "estimated errors": estimate,
        "estimated error rate": estimate / float(result.weight[0]),
    }
    return Pruned(result, "error_based", _removals(arrays), table=table, before=tree)


def error_rules(preset: str, confidence: float) -> ErrorRules:
    """The rules of a preset, if it is one and allows this confidence."""
    checked_choice("preset", preset, tuple(PRESETS))
    highest = 0.5 if preset == "j48" else 1.0
    if isinstance(confidence, bool) or not isinstance(confidence, int | float | np.number):
        raise ParameterError(f"confidence is {shorten(confidence)}, but must be a number above 0.")
    if not 0.0 < confidence <= highest:
        raise ParameterError(
            f"confidence is {shorten(confidence)}; preset {preset!r} allows numbers above 0, to {highest}."
        )
    return PRESETS[preset]


def checked_examples(
    tree: Tree, dataset: Dataset, target: ClassTarget | NDArray[Any], weights: ArrayLike | None
) -> tuple[NDArray[np.int32], Floats | None]:
    """The target as positions in the tree's classes, and the weights as numbers of cases, checked."""
    check_dataset(dataset)
    codes = tree.target_kind.truth(target, dataset.n_rows)
    if weights is None:
        if dataset.n_rows == 0:
            raise DataError("There are no rows: give the examples that the tree was grown from.")
        return codes, None
    checked = np.ascontiguousarray(as_weights(weights, "weights"))
    if checked.shape != (dataset.n_rows,):
        raise DataError(f"weights must be finite numbers, 0 or more, one for each of the {dataset.n_rows} rows.")
    if not (checked > 0).any():
        raise DataError("Every row has weight 0: give at least one row a positive weight.")
    return codes, checked / tree.case_weight


def _new_tree(tree: Tree, result: Mapping[str, Any]) -> Tree:
    """The tree of the nodes that stayed, with what reaches them now; unchanged numbers stay exactly as they were."""
    source, leaf = result["source"], result["leaf"].astype(bool)
    some_leaf = int(np.argmax(tree.kind == LEAF))
    arrays: dict[str, Array] = taken(tree.arrays, np.where(leaf, some_leaf, source))
    value, weight = result["value"], result["value"].sum(axis=1)
    same = np.isclose(value, tree.value[source], rtol=1e-9, atol=1e-9 * float(weight[0])).all(axis=1)
    same &= result["count"] == tree.count[source]
    arrays["value"] = np.where(same[:, None], tree.value[source], value)
    arrays["weight"] = np.where(same, tree.weight[source], weight)
    arrays["count"] = result["count"]
    arrays["first_child"] = result["first_child"]
    return Tree.from_arrays(arrays, tree.schema, tree.target_kind, criterion=tree.criterion, empty_leaf=tree.empty_leaf)


def _removals(arrays: Mapping[str, Any]) -> tuple[Removal, ...]:
    """The comparisons that removed a question, by node."""
    order = np.argsort(arrays["removed"], kind="stable")
    nodes, actions, figures = (arrays[name][order].tolist() for name in ("removed", "action", "figures"))
    return tuple(map(_removal, nodes, actions, figures))


def _removal(node: int, action: int, compared: list[float]) -> Removal:
    cases, leaf, subtree, branch = compared
    figures = {"cases": cases, "leaf": leaf, "subtree": subtree}
    if branch == np.inf:
        return Removal(node, "leaf", f"errors to expect: leaf {leaf:.4g}, subtree {subtree:.4g}", figures)
    figures["branch"] = branch
    reason = f"errors to expect: leaf {leaf:.4g}, subtree {subtree:.4g}, largest branch {branch:.4g}"
    return Removal(node, "leaf" if action == 1 else "raised", reason, figures)


def _prune(situation: Situation, options: Mapping[str, Any]) -> Pruned:
    rows = training_rows(situation)
    ordered = situation.recipe is not None and situation.recipe.has_order
    pruned = error_based(
        situation.tree,
        rows.dataset,
        rows.target,
        weights=rows.weights,
        preset=options.get("preset", "c45"),
        confidence=float(options["confidence"]),
        raising=bool(options.get("subtree_raising", True)) and not ordered,
    )
    if not ordered:
        return pruned
    mask = np.zeros(situation.tree.n_nodes, dtype=bool)
    mask[[removal.node for removal in pruned.removals]] = True
    return replace(pruned, tree=situation.tree.collapse(mask))  # its nodes answer between their bounds


ERROR_BASED = PruningMethod(
    "error_based",
    "C4.5's method: a leaf, or the largest branch, replaces a question where the estimated errors are not more",
    _prune,
    reads=("preset", "confidence", "subtree_raising"),
    rows="training",
    costs=False,
    place=5,
    compare=lambda situation: ("confidence 0.25", _prune(situation, {"confidence": 0.25})),
)
