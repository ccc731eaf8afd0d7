"""A trace as text, to be read beside a lecture."""

from __future__ import annotations

from quercus.data.names import counted, listed, quoted_name, short_number
from quercus.data.notation import measured, style_of
from quercus.explain.trace.formula import gain_formula, split_information_formula, worth_formula
from quercus.explain.trace.trace import BranchTrace, CandidateTrace, NodeTrace, Trace, examples
from quercus.growing.missing import POLICIES

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
    """The examples at a node, in words."""
    if node.count == 0:
        return "no examples"
    size = examples(node.count, node.weight, node.weighed or abs(node.weight - node.count) > 1e-9)
    return f"{size}: {_values(trace, node)}"


def _values(trace: Trace, part: NodeTrace | BranchTrace, limit: int = 20) -> str:
    """The classes with their weights, or the middle and the spread of the numbers."""
    median = part.prediction if trace.criterion == "absolute_error" else None
    return trace.target_kind.traced_text(part.values, median, limit)


def _costs_counted(trace: Trace, node: NodeTrace) -> str:
    """What the class weights were multiplied by, where costs count."""
    return trace.target_kind.multiplied_text(node.values, trace.multipliers)


def _table(trace: Trace, node: NodeTrace) -> list[str]:
    """One line per attribute, the winner first."""
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
        lines.append(f"mean gain {measured(node.mean_gain)}{wide_words(trace, node)}")
    return [f"  {line}" for line in lines]


def wide_words(trace: Trace, node: NodeTrace) -> str:
    """Which attributes the mean gain leaves out and why; empty if it is over all."""
    if not node.wide:
        return ""
    names = listed((quoted_name(node.candidates[place].attribute) for place in node.wide), len(node.wide), 5)
    have = "has" if len(node.wide) == 1 else "have"
    return f", without {names}, which {have} too many values for {counted(trace.n_rows, 'training row')}"


def _number(value: float | None) -> str:
    return "–" if value is None else measured(value)


def _details(trace: Trace, node: NodeTrace, candidate: CandidateTrace, max_branches: int) -> list[str]:
    """The branches of a candidate, and the formulas of its gain and its worth."""
    name = quoted_name(candidate.attribute)
    if not candidate.branches:
        return ["", f"  {name}: {candidate.why}"]
    branches = candidate.branches[:max_branches]
    width = max(len(branch.text) for branch in branches)
    lines = ["", *(f"  {_branch(trace, node, branch, width)}" for branch in branches)]
    if len(branches) < len(candidate.branches):
        lines.append(f"  … {counted(len(candidate.branches) - len(branches), 'branch', 'branches')} more")
    if unknown := unknown_words(trace, node, candidate):
        lines.append(f"  {unknown}")
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


def _branch(trace: Trace, node: NodeTrace, branch: BranchTrace, width: int) -> str:
    size = examples(branch.count, branch.weight, True) if node.weighed else short_number(branch.weight)
    held = _values(trace, branch, 8)
    return f"{branch.text.ljust(width)}  {size}: {held}; {trace.impurity_name} {measured(branch.impurity)}"


def unknown_words(trace: Trace, node: NodeTrace, candidate: CandidateTrace) -> str:
    """How many values of a candidate are unknown, and what the policy does with them; empty if none is."""
    number, unit = candidate.unknown + candidate.placed, "weight " if node.weighed else ""
    if number <= 0:
        return ""
    where = next((branch.text for branch in candidate.branches if branch.branch == candidate.missing_branch), "")
    words = POLICIES[trace.missing].traced.format(branch=where)
    return f"{quoted_name(candidate.attribute)} unknown: {unit}{short_number(number)}, {words}"
