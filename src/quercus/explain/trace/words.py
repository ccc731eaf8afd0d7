"""The words of a trace: why an attribute takes no part, why the winner won, why a leaf is a leaf."""

from __future__ import annotations

from collections.abc import Sequence

from quercus.data.names import counted, quoted_name, short_number
from quercus.data.notation import measured, style_of
from quercus.explain.trace.trace import ASKED, BELOW_MEAN, LITTLE_INFORMATION, CandidateTrace, worth_name
from quercus.growing.recipe import Recipe

ALL_UNKNOWN, CONSTANT, TOO_SMALL, TOO_CLOSE = (
    "no value is known", "one value only", "branches too small", "values too close"
)  # fmt: skip
PRICE = "gain not above the price of a threshold"
ORDER, APART = "against the order of answers", "not together with those above"
#: Why an attribute takes no part in the choice, by the core's names.
OFFERS: dict[str, str] = {
    "below_mean": BELOW_MEAN,
    "little_information": LITTLE_INFORMATION,
    "all_unknown": ALL_UNKNOWN,
    "constant": CONSTANT,
    "too_small": TOO_SMALL,
    "too_close": TOO_CLOSE,
    "price": PRICE,
    "order": ORDER,
}
#: Why a node asks nothing, by the core's names.
STOPS: dict[str, str] = {
    "no": "",
    "pure": "all values of the target are the same",
    "majority": "one class holds the share sufficient_majority",
    "depth": "the depth is max_depth",
    "min_objects": "the weight is below 2 · min_objects",
    "min_samples_split": "there are fewer rows than min_samples_split",
    "min_weight_leaf": "the weight is below 2 · min_weight_leaf",
    "no_candidate": "no attribute has an admissible split",
    "none_passes": "no attribute passes the gate",
    "min_gain": "the gain is below min_gain",
    "min_impurity_decrease": "the decrease of impurity is below min_impurity_decrease",
    "no_gain": "the split gains nothing",
    "not_significant": "the split is not significant",
}

PLAIN = {
    ASKED: "it was asked above, one branch per value, so that only one value is left",
    ALL_UNKNOWN: "none of its values is known here",
    CONSTANT: "it has one value only here",
    ORDER: "every cut of it breaks the order of answers that monotonic_cst asks for",
    APART: "interaction_cst does not let it meet the attributes asked above",
}


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
    if status == TOO_CLOSE:
        return f"no two neighbouring values differ by more than {recipe.threshold_gap:g}"
    return f"no division leaves two branches of {least_branch(recipe)}" if status == TOO_SMALL else PLAIN[status]


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
    start = f"{winner.test} is asked" if winner.kind == "threshold" else f"{name} is asked"
    if tied:
        others = ", ".join(quoted_name(candidates[place].attribute) for place in tied[:5])
        others += f" and {len(tied) - 5} more" if len(tied) > 5 else ""
        sentence = f"{start}: its {unit} {worth} is tied with {others}, and it comes first in the table."
    elif runner_up is None:
        sentence = f"{start}: its {unit} is {worth}, and no other attribute takes part."
    else:
        second = candidates[runner_up]
        margin = (winner.worth or 0.0) - (second.worth or 0.0)
        sentence = (
            f"{start}: its {unit} {worth} is the largest, {measured(margin)} above "
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


def what_is_forbidden(test: str, gain: float, best_gain: float | None) -> str:
    """The best cut that the order of answers forbids. best_gain: of the one that is taken; None: there is none."""
    more = "" if best_gain is None else f", more than {measured(best_gain)}"
    return f" {test} would gain {measured(gain)}{more}, but breaks the order of answers that monotonic_cst asks for."


def why_stopped(stop: str, recipe: Recipe, figures: dict[str, float], counts: str, pure: str) -> str:
    """Why a node that was never divided is a leaf, with the numbers compared.

    stop: a name in :data:`STOPS`. figures: weight, root (the weight of all rows), count, depth,
    majority (the share of the most common class), and of the refused winner gain, chi_square, critical and freedom.
    counts: the classes here. pure: why a pure node is pure.
    """
    weight, count = short_number(figures["weight"]), int(figures["count"])
    match stop:
        case "pure":
            why = pure
        case "majority":
            why = f"{counts}: the share of the most common class, {measured(figures['majority'])}, reaches "
            why += f"sufficient_majority = {recipe.sufficient_majority or 0.0:g}"
        case "depth":
            why = f"the depth {int(figures['depth'])} is max_depth"
        case "min_objects":
            why = f"its weight {weight} is below 2 · min_objects = {short_number(2 * recipe.min_objects)}"
        case "min_samples_split":
            why = f"it has {counted(count, 'row')}, fewer than min_samples_split = {recipe.min_samples_split}"
        case "min_weight_leaf":
            why = f"its weight {weight} is below 2 · min_weight_leaf = {short_number(2 * recipe.min_weight_leaf)}"
        case "none_passes":
            why = "no attribute takes part: none has both enough gain and enough split information"
        case "min_gain":
            why = f"the best gain {measured(figures['gain'])} is below min_gain = {recipe.min_gain:g}"
        case "min_impurity_decrease":
            decrease = figures["weight"] / figures["root"] * figures["gain"]
            why = f"the decrease of impurity by the best question, {weight}/{short_number(figures['root'])}·"
            why += f"{measured(figures['gain'])} = {measured(decrease)}, is below min_impurity_decrease = "
            why += f"{recipe.min_impurity_decrease:g}"
        case "not_significant":
            why = f"the best question is not significant: chi-square {measured(figures['chi_square'])} is below "
            why += f"{measured(figures['critical'])}, the critical value at the level {recipe.significance or 0.0:g} "
            why += f"with {int(figures['freedom'])} degrees of freedom"
        case _:
            why = STOPS[stop]
    return f"Leaf: {why}."
