"""A trace as LaTeX: formulas set by amsmath, a table of the candidates; every name escaped."""

from __future__ import annotations

from collections.abc import Sequence

from quercus.explain.trace import NodeTrace, Trace
from quercus.explain.trace_formula import (
    LATEX,
    gain_formula,
    impurity_formula,
    split_information_formula,
    worth_formula,
)
from quercus.explain.trace_text import holding
from quercus.rules.latex import latex_text
from quercus.tree.names import short_number

PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath}
\usepackage[margin=2cm]{geometry}
\begin{document}
"""
SPELLED = {"−": "-", "²": "^2", "→": "->", "≤": "<=", "≥": ">=", "·": "*", "…": "...", "α": "alpha", "–": "-"}
WORTHS = {
    "gain": r"\mathrm{gain}",
    "gain_ratio": r"\mathrm{gain\ ratio}",
    "tan_schlimmer": r"\mathrm{gain}^2/\mathrm{cost}",
    "nunez": r"(2^{\mathrm{gain}}-1)/(\mathrm{cost}+1)^w",
}


def trace_latex(trace: Trace, nodes: Sequence[NodeTrace], document: bool, max_branches: int) -> str:
    r"""Some nodes of a trace as LaTeX.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> print(ID3Classifier().fit(X, y).trace(X, y).to_latex(6))
    \paragraph{Node 6.} \text{Outlook = Sunny and Humidity = High}: \text{3 examples: 3 No}.
    \begin{align*}
    \mathrm{entropy} &= -\frac{3}{3}\cdot \log_2 \frac{3}{3} = 0
    \end{align*}
    \text{Leaf: one class only, 3 No.}
    """
    text = "\n\n".join(_node(trace, node, max_branches) for node in nodes)
    return f"{PREAMBLE}{text}\n\\end{{document}}\n" if document else text


def _node(trace: Trace, node: NodeTrace, max_branches: int) -> str:
    where = " and ".join(node.path) if node.path else "the root"
    lines = [rf"\paragraph{{Node {node.node}.}} {_words(where)}: {_words(holding(trace, node))}."]
    if node.count:
        lines += [r"\begin{align*}", rf"\mathrm{{{_name(trace)}}} &= {_impurity(trace, node)}", r"\end{align*}"]
    if node.candidates:
        lines += _table(trace, node)
        lines += _formulas(trace, node, max_branches)
    lines.append(_words(node.decision))
    if node.pruned:
        lines += ["", _words(f"Pruned later by {node.pruned}.")]
    return "\n".join(lines)


def _words(text: str) -> str:
    """Text in a paragraph; signs of our own sentences that the standard fonts lack are spelled out."""
    for sign, spelled in SPELLED.items():
        text = text.replace(sign, spelled)
    return latex_text(text)


def _name(trace: Trace) -> str:
    return trace.impurity_name.replace(" ", r"\ ")


def _impurity(trace: Trace, node: NodeTrace) -> str:
    """The impurity with its numbers, from what the trace holds."""
    entering: list[float] = []
    if trace.classes is not None:
        factors = trace.multipliers or (1.0,) * len(node.values)
        entering = [value * factor for value, factor in zip(node.values, factors, strict=True)]
    return impurity_formula(
        trace.criterion,
        entering,
        node.impurity,
        weight=node.weight,
        centre=node.prediction or 0.0,
        unit_weights=node.weight == node.count,
        style=LATEX,
    )


def _table(trace: Trace, node: NodeTrace) -> list[str]:
    """The candidates, the winner first."""
    ratio, cost = trace.selection == "gain_ratio", trace.selection in ("tan_schlimmer", "nunez")
    head = ["attribute", "gain", *(["split information"] if ratio else ["cost"] if cost else [])]
    head += [f"${WORTHS[trace.selection]}$"] if ratio or cost else []
    lines = [r"\begin{center}", rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}l}}", r"\hline"]
    lines += [" & ".join([*head, ""]) + r" \\", r"\hline"]
    for candidate in node.ranked:
        cells = [_words(candidate.test if candidate.kind == "threshold" else candidate.attribute)]
        cells.append(_number(candidate.gain))
        cells += [_number(candidate.split_information)] if ratio else [short_number(candidate.cost)] if cost else []
        cells += [_number(candidate.worth)] if ratio or cost else []
        lines.append(" & ".join([*cells, _words(candidate.status)]) + r" \\")
    return [*lines, r"\hline", r"\end{tabular}", r"\end{center}"]


def _number(value: float | None) -> str:
    return "--" if value is None else f"${LATEX.number(value)}$"


def _formulas(trace: Trace, node: NodeTrace, max_branches: int) -> list[str]:
    """The gains, and what is made of them, one line each."""
    lines = []
    for candidate in node.ranked:
        if candidate.gain is None or len(candidate.branches) > max_branches:
            continue
        name = _words(candidate.attribute)
        lines.append(rf"\mathrm{{gain}}({name}) &= {gain_formula(node, candidate, LATEX)}")
        if trace.selection == "gain_ratio":
            information = split_information_formula(node, candidate, LATEX)
            lines.append(rf"\mathrm{{split\ information}}({name}) &= {information}")
        worth = worth_formula(candidate, trace.selection, trace.cost_exponent, LATEX)
        lines += [f"{WORTHS[trace.selection]} &= {worth}"] if worth else []
    if not lines:
        return []
    return [r"\begin{align*}", " \\\\\n".join(lines), r"\end{align*}"]
