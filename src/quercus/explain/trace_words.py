"""The words of a trace: why an attribute takes no part, why the winner won, why a leaf is a leaf."""

from __future__ import annotations

from collections.abc import Sequence

from quercus.explain.trace import ASKED, BELOW_MEAN, LITTLE_INFORMATION, CandidateTrace, worth_name
from quercus.explain.trace_formula import measured, style_of
from quercus.growing.recipe import Recipe
from quercus.growing.reference_splits import ALL_UNKNOWN, CONSTANT, PRICE, TOO_CLOSE, TOO_SMALL
from quercus.tree.names import counted, quoted_name, short_number


def why_out(status: str, recipe: Recipe, figures: dict[str, float], base: float = 2.0) -> str:
    """Why an attribute takes no part, with the numbers compared. base: of the logarithms."""
    if status == BELOW_MEAN:
        tolerance = f" − {recipe.gate_tolerance:g}" if recipe.gate_tolerance else ""
        return f"its gain {measured(figures['gain'])} is below the mean gain {measured(figures['mean'])}{tolerance}"
    if status == LITTLE_INFORMATION:
        return (
            f"its split information {measured(figures['split_information'])} is not above {recipe.min_split_info:g}, "
            "so its gain ratio means nothing"
        )
    if status == PRICE:
        logarithm = style_of(base).logarithm.replace("SHARE", str(int(figures["cuts"])))
        return (
            f"its gain {measured(figures['gain'] + figures['price'])} does not pay for choosing among "
            f"{counted(int(figures['cuts']), 'cut')}: {logarithm}/{short_number(figures['weight'])} = "
            f"{measured(figures['price'])}"
        )
    plain = {
        ASKED: "it was asked above, one branch a value, so that only one value is left",
        ALL_UNKNOWN: "none of its values is known here",
        CONSTANT: "it has one value only here",
        TOO_CLOSE: f"no two neighbouring values differ by more than {recipe.threshold_gap:g}",
        TOO_SMALL: f"no division leaves two branches of {least_branch(recipe)}",
    }
    return plain.get(status, status)


def least_branch(recipe: Recipe) -> str:
    """What a branch must have at least, in words."""
    parts = []
    if recipe.min_cut:
        parts.append("the weight that a cut needs")
    least = max(recipe.min_objects, recipe.min_weight_leaf)
    if least > 0:
        parts.append(f"weight {short_number(least)}")
    if recipe.min_samples_leaf > 1:
        parts.append(f"{recipe.min_samples_leaf} rows")
    if recipe.criterion == "poisson":
        parts.append("a mean above 0")
    return " and ".join(parts) or "any weight"


def why_won(
    candidates: Sequence[CandidateTrace],
    best: int,
    runner_up: int | None,
    tied: Sequence[int],
    selection: str,
    base: float = 2.0,
) -> str:
    """Why the winner is asked, and what was close or looked better."""
    winner = candidates[best]
    name, worth, unit = quoted_name(winner.attribute), measured(winner.worth or 0.0), worth_name(selection, base)
    asked = f"{winner.test} is asked" if winner.kind == "threshold" else f"{name} is asked"
    if tied:
        others = ", ".join(quoted_name(candidates[place].attribute) for place in tied[:5])
        others += f" and {len(tied) - 5} more" if len(tied) > 5 else ""
        sentence = f"{asked}: its {unit} {worth} is tied with {others}, and it comes first in the table."
    elif runner_up is None:
        sentence = f"{asked}: its {unit} is {worth}, and no other attribute takes part."
    else:
        second = candidates[runner_up]
        margin = (winner.worth or 0.0) - (second.worth or 0.0)
        sentence = (
            f"{asked}: its {unit} {worth} is the largest, {measured(margin)} above "
            f"{quoted_name(second.attribute)} with {measured(second.worth or 0.0)}."
        )
    if winner.n_best > 1:
        sentence += f" {counted(winner.n_best, 'division')} of {name} are equally good; the first is taken."
    return sentence + _looked_better(candidates, winner, selection)


def _looked_better(candidates: Sequence[CandidateTrace], winner: CandidateTrace, selection: str) -> str:
    """The attribute of greatest gain ratio that takes no part, if it would have won; likewise of greatest gain."""
    if selection != "gain_ratio":
        return ""
    out = [c for c in candidates if c.status in (BELOW_MEAN, LITTLE_INFORMATION) and c.gain and c.split_information]
    better = [c for c in out if (c.gain or 0.0) / (c.split_information or 1.0) > (winner.worth or 0.0)]
    text = ""
    if better:
        first = max(better, key=lambda c: (c.gain or 0.0) / (c.split_information or 1.0))
        ratio = (first.gain or 0.0) / (first.split_information or 1.0)
        text += f" {quoted_name(first.attribute)} has the gain ratio {measured(ratio)}, but is out: {first.why}."
    compared = [c for c in candidates if c.takes_part and c is not winner and (c.gain or 0.0) > (winner.gain or 0.0)]
    if compared:
        first = max(compared, key=lambda c: c.gain or 0.0)
        text += (
            f" {quoted_name(first.attribute)} has more gain ({measured(first.gain or 0.0)}), but divides into more "
            f"or evener branches (split information {measured(first.split_information or 0.0)})."
        )
    return text


def why_stopped(reason: str, recipe: Recipe, figures: dict[str, float], counts: str) -> str:
    """Why a node that was never divided is a leaf, with the numbers compared.

    figures: weight, count, depth, majority (the share of the most common class), and of the refused winner gain, worth
    and decrease. counts: the classes here.
    """
    weight, count = short_number(figures["weight"]), int(figures["count"])
    if reason == "all values of the target are the same":
        if recipe.is_regression:
            return f"Leaf: all {counted(count, 'number')} are {short_number(figures['mean'])}."
        return f"Leaf: one class only, {counts}."
    numbers = {
        "one class holds the share sufficient_majority": f"{counts}: the share of the most common class, "
        f"{measured(figures.get('majority', 0.0))}, reaches sufficient_majority = "
        f"{recipe.sufficient_majority or 0.0:g}",
        "the depth is max_depth": f"the depth {int(figures['depth'])} is max_depth",
        "the weight is below 2 · min_objects": f"its weight {weight} is below 2 · min_objects = "
        f"{short_number(2 * recipe.min_objects)}",
        "there are fewer rows than min_samples_split": f"it has {counted(count, 'row')}, fewer than min_samples_split "
        f"= {recipe.min_samples_split}",
        "the weight is below 2 · min_weight_leaf": f"its weight {weight} is below 2 · min_weight_leaf = "
        f"{short_number(2 * recipe.min_weight_leaf)}",
        "the gain is below min_gain": f"the best gain {measured(figures.get('gain', 0.0))} is below min_gain = "
        f"{recipe.min_gain:g}",
        "the decrease of impurity is below min_impurity_decrease": "the decrease of impurity by the best question, "
        f"{weight}/{short_number(figures['root'])}·{measured(figures.get('gain', 0.0))} = "
        f"{measured(figures.get('decrease', 0.0))}, is below min_impurity_decrease = "
        f"{recipe.min_impurity_decrease:g}",
        "the split is not significant": "the best question is not significant: chi-square "
        f"{measured(figures.get('chi_square', 0.0))} is below {measured(figures.get('critical', 0.0))}, the critical "
        f"value at the level {recipe.significance or 0.0:g} with {int(figures.get('freedom', 0))} degrees of freedom",
        "no attribute passes the gate": "no attribute takes part: none has both enough gain and enough split "
        "information",
    }
    return f"Leaf: {numbers.get(reason, reason)}."
