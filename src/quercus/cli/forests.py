"""Collections of trees on the command line: what they are in words and as data, one of their members, their curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from quercus.errors import ParameterError

#: So many attributes are listed with their importance.
MOST_IMPORTANT = 20


def is_collection(model: Any) -> bool:
    """Whether a fitted model is a collection of trees or rule lists."""
    return model.model_.forest is not None


def title_of(model: Any) -> str:
    """The name of a collection for people."""
    title: str = model.model_.algorithm.title
    return title


def one_tree_needed(model: Any) -> NoReturn:
    """Refuse a collection where one tree is needed, and say how to get one."""
    kind, one = ("rule lists", "rule list") if _has_rules(model) else ("trees", "tree")
    size = len(model.model_.forest)
    raise ParameterError(
        f"{title_of(model)}: this model answers with {size:,} {kind} together; one {one} is needed here. "
        "Take one of them: quercus show MODEL --tree 0 -o one.json; or let one imitate all: quercus distill MODEL DATA "
        "-o one.json. See all together with quercus show, evaluate, report, or plot --kind importance or curve."
    )


def member_of(model: Any, number: int) -> Any:
    """One member as a fitted model of its own."""
    if not is_collection(model):
        raise ParameterError("--tree is for a forest or another collection of trees; this model has only one.")
    size = len(model.model_.forest)
    if number >= size:
        raise ParameterError(f"There is no tree {number}; this model's are 0 … {size - 1:,}.")
    return model.model_.member_model(number) if model.model_.member is None else model.estimators_[number]


def _has_rules(model: Any) -> bool:
    answers_by_rules: bool = model.model_.answers_by_rules
    return answers_by_rules


def describe_collection(model: Any) -> dict[str, Any]:
    """The size of a collection and what is known of its quality, as data."""
    fitted = model.model_
    forest = fitted.forest
    facts: dict[str, Any] = {"members": len(forest), "partial": forest.partial}
    if _has_rules(model):
        facts |= {"rules": sum(map(len, forest)), "conditions": sum(rules.n_conditions for rules in forest)}
    else:
        trees = list(forest)
        facts |= {"nodes": int(fitted.member_trees.n_nodes.sum()), "leaves": sum(tree.n_leaves for tree in trees)}
        facts |= {"depth": max(tree.depth for tree in trees)}
    facts["oob_score"] = None if fitted.out_of_bag is None else fitted.out_of_bag.score
    if fitted.boosting is not None:
        facts["stopped"] = fitted.boosting.stopped
    facts["importances"] = importances(model)
    return facts


def importances(model: Any) -> dict[str, float] | None:
    """The share of each attribute in the gain of the trees; None for rules."""
    if _has_rules(model):
        return None
    return dict(zip(model.model_.schema.names, model.feature_importances_.tolist(), strict=True))


def collection_text(model: Any) -> str:
    """What a collection is, in a line."""
    from quercus.data.names import counted

    facts = describe_collection(model)
    parts = [counted(facts["members"], "rule list" if _has_rules(model) else "tree")]
    if _has_rules(model):
        parts += [counted(facts["rules"], "rule"), counted(facts["conditions"], "condition")]
    else:
        parts += [counted(facts["nodes"], "node"), counted(facts["leaves"], "leaf", "leaves")]
        parts.append(f"depth at most {facts['depth']}")
    text = f"{title_of(model)}: {', '.join(parts)}"
    if facts["partial"]:
        text += "; growing was stopped before the last"
    early = "stopped" in facts and facts["members"] < model.n_estimators and not facts["partial"]
    return f"{text}; no more, because {facts['stopped']}" if early else text


def unseen_text(model: Any) -> str | None:
    """How a collection does on rows out of the bag; None if that was not measured."""
    fitted = model.model_
    if fitted.out_of_bag is None:
        return None
    score = f"{fitted.target_kind.score_name} {fitted.out_of_bag.score:.3f}"
    return f"{score} out of the bag: each row answered by those that have not seen it"


def summary_text(model: Any) -> str:
    """A collection in some lines: size, quality, and the attributes by their importance."""
    from quercus.data.names import quoted_name
    from quercus.evaluation.text_table import indented, text_table
    from quercus.forests.importance import IMPURITY_NOTE

    lines = [collection_text(model)]
    unseen = unseen_text(model)
    lines += [] if unseen is None else [unseen]
    shares = importances(model)
    if shares:
        ranked = sorted(shares.items(), key=lambda entry: -entry[1])
        largest = ranked[0][1] or 1.0
        rows = [
            [quoted_name(name), f"{share:.3f}", "█" * round(24 * share / largest)]
            for name, share in ranked[:MOST_IMPORTANT]
        ]
        lines += ["", "Share of each attribute in the gain:", indented(text_table(rows, left=(0, 2)))]
        if len(ranked) > MOST_IMPORTANT:
            lines.append(f"  … and {len(ranked) - MOST_IMPORTANT:,} more")
        lines.append(f"  {IMPURITY_NOTE} See quercus importance.")
    return "\n".join(lines)


def collection_curves(model: Any, tables: Mapping[str, tuple[Any, ...]]) -> list[Any]:
    """The error after so many trees: as fitting found it, out of the bag or while boosting, and on given rows.

    Boosting counts mistakes whatever they cost; beside mean costs its own curve would mislead, and is left out.
    """
    fitted = model.model_
    record = fitted.out_of_bag or fitted.boosting
    kept = None if record is None else record.curve
    if not tables:
        if kept is None:
            raise ParameterError(
                "This model has no curve of its error against the number of trees; give --test, rows that it has not "
                "seen, or fit it with --param oob_score=true."
            )
        return [kept]
    alike = fitted.out_of_bag is not None or fitted.decision.costs is None
    return [*([kept] if kept is not None and alike else []), model.curve(tables)]
