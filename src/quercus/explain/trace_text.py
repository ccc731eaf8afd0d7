"""A trace as text, to be read beside a lecture."""

from __future__ import annotations

from collections.abc import Sequence

from quercus.explain.trace import BranchTrace, CandidateTrace, NodeTrace, Trace
from quercus.explain.trace_formula import gain_formula, measured, split_information_formula, style_of, worth_formula
from quercus.tree.names import class_counts, counted, quoted_name, quoted_value, short_number, significant

SHOWN_NODES = 50


def trace_text(trace: Trace, formulas: bool = True, max_branches: int = 12) -> str:
    """All nodes of a trace, one below the other."""
    return "\n\n".join(node_text(trace, node, formulas, max_branches) for node in trace)


def short_trace_text(trace: Trace) -> str:
    """The first nodes of a trace; the last line says so if these are not all."""
    text = "\n\n".join(node_text(trace, node) for node in trace.nodes[:SHOWN_NODES])
    hidden = len(trace) - SHOWN_NODES
    return text if hidden <= 0 else f"{text}\n\n… {counted(hidden, 'node')} more; to_text() shows all"


def node_text(trace: Trace, node: NodeTrace, formulas: bool = True, max_branches: int = 12) -> str:
    """One node: what it holds, its impurity, every attribute's best division, and what was decided.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> print(ID3Classifier().fit(X, y).trace(X, y).to_text(2, formulas=False))
    Node 2: Outlook = Rain
      5 examples: 3 Yes, 2 No
      entropy = −3/5·log2(3/5) − 2/5·log2(2/5) = 0.971
    <BLANKLINE>
      attribute    gain   what became of it
      Wind         0.971  chosen
      Temperature  0.020  lost
      Humidity     0.020  lost
      Outlook      –      asked above
    <BLANKLINE>
      Wind is asked: its gain 0.971 is the largest, 0.951 above Temperature with 0.020.
    """
    where = f": {' and '.join(node.path)}" if node.path else ", the root"
    lines = [f"Node {node.node}{where}", f"  {holding(trace, node)}"]
    if node.count:
        lines.append(f"  {trace.impurity_name} = {node.formula}{_costs_counted(trace, node)}")
    if node.candidates:
        lines += ["", *_table(trace, node)]
    if formulas:
        for candidate in node.ranked:
            lines += _details(trace, node, candidate, max_branches)
    lines += ["", f"  {node.decision}"]
    if node.pruned:
        lines.append(f"  Pruned later by {node.pruned}.")
    return "\n".join(lines)


def holding(trace: Trace, node: NodeTrace) -> str:
    """What is at a node, in words."""
    if node.count == 0:
        return "no examples"
    size = f"{short_number(node.weight)} example{'' if node.weight == 1 else 's'}"
    if abs(node.weight - node.count) > 1e-9:
        size = f"{counted(node.count, 'row')} of weight {short_number(node.weight)}"
    return f"{size}: {_values(trace, node.values, node.weight)}"


def _values(trace: Trace, values: Sequence[float], weight: float, limit: int = 20) -> str:
    if trace.classes is None:
        mean, variance = values
        return f"mean {significant(mean, 6)}, standard deviation {significant(max(variance, 0.0) ** 0.5)}"
    return class_counts(values, [quoted_value(label) for label in trace.classes], limit) or "nothing"


def _costs_counted(trace: Trace, node: NodeTrace) -> str:
    """What the class weights were multiplied by, where costs count."""
    if trace.multipliers is None or trace.classes is None:
        return ""
    parts = [
        f"{quoted_value(label)} {short_number(value)}·{short_number(factor)} = {short_number(value * factor)}"
        for label, value, factor in zip(trace.classes, node.values, trace.multipliers, strict=True)
        if value > 0
    ]
    return f"  (weighed by the costs of errors: {', '.join(parts)})"


def _table(trace: Trace, node: NodeTrace) -> list[str]:
    """One line an attribute, the winner first."""
    ratio, cost = trace.selection == "gain_ratio", trace.selection in ("tan_schlimmer", "nunez")
    cuts = any(candidate.n_cuts is not None for candidate in node.candidates)
    head = ["attribute", "gain"]
    head += ["split information", "gain ratio"] if ratio else ["cost", trace.worth_name] if cost else []
    head += ["cuts"] if cuts else []
    rows = [[*head, "what became of it"]]
    for candidate in node.ranked:
        name = candidate.test if candidate.kind == "threshold" else quoted_name(candidate.attribute)
        row = [name, _number(candidate.gain)]
        row += [_number(candidate.split_information), _number(candidate.worth)] if ratio else []
        row += [short_number(candidate.cost), _number(candidate.worth)] if cost else []
        row += ["" if candidate.n_cuts is None else str(candidate.n_cuts)] if cuts else []
        rows.append([*row, candidate.status])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    if node.mean_gain is not None:
        lines.append(f"mean gain {measured(node.mean_gain)}")
    return [f"  {line}" for line in lines]


def _number(value: float | None) -> str:
    return "–" if value is None else measured(value)


def _details(trace: Trace, node: NodeTrace, candidate: CandidateTrace, max_branches: int) -> list[str]:
    """The branches of a candidate and the formulas of what it is worth."""
    name = quoted_name(candidate.attribute)
    if not candidate.branches:
        return ["", f"  {name}: {candidate.why}"]
    shown = candidate.branches
    if len(shown) > max_branches:
        shown = tuple(sorted(shown, key=lambda branch: -branch.weight)[:max_branches])
    width = max(len(branch.text) for branch in shown)
    lines = ["", *(f"  {_branch(trace, branch, width)}" for branch in shown)]
    if len(shown) < len(candidate.branches):
        lines.append(f"  … {counted(len(candidate.branches) - len(shown), 'branch', 'branches')} more")
    if candidate.unknown > 0:
        lines.append(f"  {name} unknown: {short_number(candidate.unknown)}, {_unknown_words(trace)}")
    style = style_of(trace.base)
    lines.append(f"    gain({name}) = {gain_formula(node, candidate, style)}")
    if trace.selection == "gain_ratio":
        lines.append(f"    split information = {split_information_formula(node, candidate, style)}")
    worth = worth_formula(candidate, trace.selection, trace.cost_exponent, style)
    if worth:
        lines.append(f"    {trace.worth_name} = {worth}")
    if candidate.why:
        lines.append(f"    out: {candidate.why}")
    return lines


def _branch(trace: Trace, branch: BranchTrace, width: int) -> str:
    weight = short_number(branch.weight)
    held = _values(trace, branch.values, branch.weight, 8)
    return f"{branch.text.ljust(width)}  {weight}: {held}; {trace.impurity_name} {measured(branch.impurity)}"


def _unknown_words(trace: Trace) -> str:
    if trace.missing == "fractional":
        return "left out here, then shared among the branches"
    return "left out here, then sent by surrogates"
