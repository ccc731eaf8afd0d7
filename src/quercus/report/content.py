"""The content of a report: the data that its script works on, and the words and figures of its fixed parts."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from quercus.criteria import CRITERIA
from quercus.data.names import counted, quoted_name, significant
from quercus.errors import visible
from quercus.report.quality import class_table, cost_text, measure_table, score_sets
from quercus.report.rule_data import rule_data
from quercus.report.subject import LARGEST_GROWN, Subject, traced_numbers
from quercus.report.tree_data import attribute_data, removal_reasons, tree_data, used_attributes
from quercus.report.walks import MOST_STEPS, pruning_walks

#: Lines of the tree as text.
TEXT_LINES = 200


def page_data(subject: Subject, evidence: Mapping[str, Any]) -> dict[str, Any]:
    """What the script of the page works on; a collection needs none of it."""
    if subject.model.answers_by == "members":
        return {"version": 1, "answers_by": "members"}
    tree_answers = subject.model.answers_by == "tree"
    return {
        "version": 1,
        "answers_by": subject.model.answers_by,
        "attributes": attribute_data(subject.model.schema, subject.grown),
        "used": _used(subject),
        "classes": subject.model.target_kind.class_texts,
        "added": _added(subject),
        "costs": None if subject.model.decision.choosing is None else subject.model.decision.choosing.tolist(),
        "threshold": subject.model.decision.threshold,
        "tree": tree_data(subject),
        "removals": removal_reasons(subject),
        "pruning": _pruning(subject, evidence) if tree_answers else None,
        "trace": evidence.get("trace"),
        "impurity": _impurity_name(evidence),
        "trace_number": _trace_number(subject, evidence),
        "rules": rule_data(subject),
    }


def _added(subject: Subject) -> list[float] | None:
    """What smoothing adds to each class weight."""
    tree = subject.tree if subject.model.answers_by == "tree" else None
    added = None if tree is None else subject.model.decision.added(tree)
    return None if added is None else added.tolist()


def _used(subject: Subject) -> list[int]:
    """The attributes that the form asks for."""
    attributes = [] if subject.tree is None else used_attributes(subject.tree)
    if subject.rules is not None:
        names = [condition.name for rule in subject.rules for condition in rule.conditions]
        attributes = [subject.model.schema.position(name) for name in dict.fromkeys(names)]
        attributes += used_attributes(subject.rules.tree) if subject.rules.tree is not None else []
    return list(dict.fromkeys(attributes))


def _impurity_name(evidence: Mapping[str, Any]) -> str | None:
    """What the impurity of the trace is called, as a sentence begins."""
    if not evidence.get("trace"):
        return None
    name = evidence["trace"]["criterion"]
    title = CRITERIA[name].title if name in CRITERIA else str(name)
    return title[:1].upper() + title[1:]


def _trace_number(subject: Subject, evidence: Mapping[str, Any]) -> list[int] | None:
    """For each node of the page's tree its number in the trace; None: the same."""
    grown = subject.unpruned
    if not evidence.get("trace") or grown is None or subject.grown is None or grown.n_nodes == subject.grown.n_nodes:
        return None
    return [int(number) for number in traced_numbers(subject, grown)]


def _pruning(subject: Subject, evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The walks that were measured when the model was fitted, if they fit the page's tree; else unmeasured ones."""
    assert subject.grown is not None
    known = evidence.get("pruning")
    if known and known["n_nodes"] == subject.grown.n_nodes:
        return dict(known)
    return pruning_walks(subject)


def page_content(
    subject: Subject, evidence: Mapping[str, Any], provenance: Mapping[str, Any], title: str | None
) -> dict[str, Any]:
    """The words and figures that stand in the page whatever the reader does."""
    target = subject.model.schema.target
    heading = title or (f"{subject.model.name}: {quoted_name(target)}" if target else subject.model.name)
    return {
        "title": heading,
        "subject": subject,
        "figures": _figures(subject, evidence),
        "summary": evidence.get("summary"),
        "evaluation": bool(evidence.get("evaluation")),
        "measures": measure_table(evidence),
        "per_class": class_table(evidence),
        "trace_note": _trace_note(subject, evidence),
        "pruning_notes": pruning_notes(subject, evidence),
        "tree_text": None if subject.tree is None else _tree_text(subject),
        "origin": _origin(subject, provenance),
    }


def _figures(subject: Subject, evidence: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The few numbers on top of the page."""
    figures = list(subject.figures)
    if subject.model.answers_by == "rules" and subject.rules is not None:
        figures += [("rules", f"{len(subject.rules):,}"), ("conditions", f"{subject.rules.n_conditions:,}")]
    elif subject.tree is not None:
        tree = subject.tree
        figures += [("nodes", f"{tree.n_nodes:,}"), ("leaves", f"{tree.n_leaves:,}"), ("depth", f"{tree.depth:,}")]
        before = subject.unpruned if _was_raised(subject) else subject.grown if subject.number is not None else None
        if before is not None and before.n_nodes > tree.n_nodes:
            figures.append(("nodes before pruning", f"{before.n_nodes:,}"))
    if evidence.get("summary"):
        figures.append(("training rows", f"{evidence['summary']['rows']:,}"))
    for name, scores in score_sets(evidence).items():
        if scores.get("accuracy") is not None:
            figures.append((f"{name} accuracy", f"{100 * scores['accuracy']:.1f} %"))
            if scores.get("mean_cost") is not None:
                figures.append((f"{name} mean cost", cost_text(scores)))
        elif scores.get("r2") is not None:
            figures.append((f"{name} R²", f"{scores['r2']:.3f}"))
        elif scores.get("pinball_loss") is not None:
            figures.append((f"{name} pinball loss", significant(scores["pinball_loss"])))
    return figures


def _trace_note(subject: Subject, evidence: Mapping[str, Any]) -> str | None:
    """How many nodes are traced, if not all."""
    trace = evidence.get("trace")
    grown = subject.unpruned or subject.grown
    if not trace or grown is None or len(trace["nodes"]) >= grown.n_nodes:
        return None
    return f"The heaviest {counted(len(trace['nodes']), 'node')} of {grown.n_nodes:,} have a trace."


def pruning_notes(subject: Subject, evidence: Mapping[str, Any]) -> list[str]:
    """What the pruning slider leaves out, where it leaves something out."""
    if subject.tree is None or subject.model.answers_by != "tree":
        return []
    notes = []
    threshold = subject.model.decision.threshold
    unheeded = [("smoothing", _added(subject) is not None), ("decision_threshold", threshold is not None)]
    if set_here := [name for name, value in unheeded if value]:
        notes.append(
            f"The figures beside the slider are of the plain class shares: the model's {' and '.join(set_here)} "
            f"{'does' if len(set_here) == 1 else 'do'} not count in them."
        )
    longest = max(walk.get("all_steps", 0) for walk in _pruning(subject, evidence)["walks"])
    if longest > MOST_STEPS:
        notes.append(
            f"Of walks of more than {MOST_STEPS:,} steps (here up to {longest:,}) so many are kept, evenly spread."
        )
    if subject.unpruned is not None and subject.unpruned.n_nodes > max(LARGEST_GROWN, subject.tree.n_nodes):
        notes.append(
            f"The tree before pruning has {subject.unpruned.n_nodes:,} nodes, more than the {LARGEST_GROWN:,} that "
            "this page takes: shown is the pruned tree alone."
        )
    elif _was_raised(subject):
        assert subject.unpruned is not None
        notes.append(
            f"The tree before pruning had {counted(subject.unpruned.n_nodes, 'node')}. Pruning raised a branch: it put "
            "the branch in the place of the question above it, and the rows of the whole node went down it anew. So "
            "the tree before pruning has other nodes than this one, and is not shown here: quercus show MODEL "
            "--unpruned prints it, and in Python unpruned_tree_ holds it."
        )
    return notes


def _was_raised(subject: Subject) -> bool:
    """Whether the tree cannot be had from the grown one by folding nodes, since pruning raised a branch."""
    same = subject.unpruned is None or subject.tree is None or subject.unpruned.n_nodes == subject.tree.n_nodes
    if same or subject.number is not None or subject.model.pruning is None:
        return False
    return any(removal.action == "raised" for removal in subject.model.pruning.removals)


def _tree_text(subject: Subject) -> str:
    assert subject.tree is not None
    return subject.tree.to_text(max_nodes=TEXT_LINES, max_branches=30)


def _origin(subject: Subject, provenance: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    """How the model was made: groups of names and values."""
    groups: list[tuple[str, list[tuple[str, str]]]] = []
    method = [("model", subject.model.name)]
    if subject.criterion:
        method.append(("criterion", subject.criterion))
    if subject.model.pruning is not None:
        method.append(("pruning", str(subject.model.pruning.method)))
    if provenance.get("created"):
        method.append(("made", str(provenance["created"])))
    if provenance.get("command"):
        method.append(("command", str(provenance["command"])))
    groups.append(("Model", method))
    data = provenance.get("data") or {}
    if data:
        groups.append(("Data", [(str(name), _value(value)) for name, value in data.items()]))
    options = provenance.get("options") or subject.model.method.options
    words = [(str(name), _value(value)) for name, value in options.items()]
    groups.append(("Options", words or [("all", "at their defaults")]))
    versions = provenance.get("versions") or _versions()
    groups.append(("Versions", [(str(name), str(value)) for name, value in versions.items()]))
    return [(title, [(visible(name), visible(value)) for name, value in pairs]) for title, pairs in groups]


def _value(value: Any) -> str:
    if isinstance(value, float):
        return significant(value, 6)
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    return text if len(text) <= 400 else text[:400] + "…"


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for name in ("quercus", "numpy", "scikit-learn"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
