"""A trace as LaTeX: formulas and a table of the candidates; every name escaped.

Sentences and formulas are set in paragraphs, in which LaTeX breaks lines; a displayed formula would run off the page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from quercus.data.latex import LONG_IN_LATEX, latex_document, latex_words
from quercus.data.names import short_number
from quercus.data.notation import LATEX, style_of
from quercus.explain.trace.formula import gain_formula, impurity_formula, split_information_formula, worth_formula
from quercus.explain.trace.text import holding, unknown_words, wide_words
from quercus.explain.trace.trace import NodeTrace, Trace

WORTHS = {
    "gain": "gain",
    "gain_ratio": "gain ratio",
    "tan_schlimmer": r"$\mathrm{gain}^2/\mathrm{cost}$",
    "nunez": r"$(2^{\mathrm{gain}}-1)/(\mathrm{cost}+1)^w$",
}


def trace_latex(trace: Trace, nodes: Sequence[NodeTrace], document: bool, max_branches: int) -> str:
    r"""Some nodes of a trace as LaTeX.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> print(ID3Classifier().fit(X, y).trace(X, y).to_latex(6))
    \paragraph{Node 6.} Outlook = Sunny and Humidity = High: 3 examples: 3 No.
    \begin{flushleft}
    entropy $\displaystyle = -\frac{3}{3}\cdot \log_2 \frac{3}{3} = 0$
    \end{flushleft}
    Leaf: one class only, 3 No.
    """
    text = "\n\n".join(_node(trace, node, max_branches) for node in nodes)
    return latex_document(text) if document else text


def _node(trace: Trace, node: NodeTrace, max_branches: int) -> str:
    where = " and ".join(node.path) if node.path else "the root"
    lines = [rf"\paragraph{{Node {node.node}.}} {latex_words(where)}: {latex_words(holding(trace, node))}."]
    if node.count:
        lines += _flush([_equation(trace.impurity_name, _impurity(trace, node))])
    if node.candidates:
        lines += _table(trace, node)
        if node.mean_gain is not None:
            lines.append(rf"mean gain ${LATEX.number(node.mean_gain)}${latex_words(wide_words(trace, node))}.")
        lines += _flush(_formulas(trace, node, max_branches))
    lines.append(latex_words(node.decision))
    if node.pruned:
        lines += ["", latex_words(f"Pruned later by {node.pruned}.")]
    return "\n".join(lines)


def _flush(lines: Sequence[str]) -> list[str]:
    """Formulas, one below the other; each may take several lines."""
    return [r"\begin{flushleft}", " \\\\[3pt]\n".join(lines), r"\end{flushleft}"] if lines else []


def _equation(name: str, formula: str) -> str:
    """name: as LaTeX already."""
    return rf"{name} $\displaystyle = {formula}$"


def _impurity(trace: Trace, node: NodeTrace) -> str:
    """The impurity with its numbers, from what the trace holds."""
    return impurity_formula(
        trace.criterion,
        trace.target_kind.entering(node.values, trace.multipliers),
        node.impurity,
        weight=node.weight,
        centre=node.prediction or 0.0,
        unit_weights=node.weight == node.count,
        style=style_of(trace.base, LATEX),
    )


def _table(trace: Trace, node: NodeTrace) -> list[str]:
    """The candidates, the winner first."""
    ratio, cost = trace.selection == "gain_ratio", trace.selection in ("tan_schlimmer", "nunez")
    head = ["attribute", "gain", *(["split information"] if ratio else ["cost"] if cost else [])]
    head += [_worth_name(trace)] if ratio or cost else []
    long = any(len(candidate.test) > LONG_IN_LATEX for candidate in node.candidates)
    first = r"p{0.4\linewidth}" if long else "l"
    lines = [r"\begin{center}", rf"\begin{{tabular}}{{{first}{'r' * (len(head) - 1)}l}}", r"\hline"]
    lines += [" & ".join([*head, ""]) + r" \\", r"\hline"]
    for candidate in node.ranked:
        cells = [latex_words(candidate.test if candidate.kind == "threshold" else candidate.attribute)]
        cells.append(_number(candidate.gain))
        cells += [_number(candidate.split_information)] if ratio else [short_number(candidate.cost)] if cost else []
        cells += [_number(candidate.worth)] if ratio or cost else []
        lines.append(" & ".join([*cells, latex_words(candidate.status)]) + r" \\")
    return [*lines, r"\hline", r"\end{tabular}", r"\end{center}"]


def _worth_name(trace: Trace) -> str:
    base = "e" if trace.base == math.e else f"{trace.base:g}"
    return WORTHS[trace.selection].replace("(2^", f"({base}^")


def _number(value: float | None) -> str:
    return "--" if value is None else f"${LATEX.number(value)}$"


def _formulas(trace: Trace, node: NodeTrace, max_branches: int) -> list[str]:
    """The gains, and what is made of them, one equation each."""
    lines = []
    for candidate in node.ranked:
        if candidate.gain is None or len(candidate.branches) > max_branches:
            continue
        name, style = latex_words(candidate.attribute), style_of(trace.base, LATEX)
        if unknown := unknown_words(trace, node, candidate):
            lines.append(latex_words(unknown))
        lines.append(_equation(f"gain({name})", gain_formula(node, candidate, style)))
        if trace.selection == "gain_ratio":
            lines.append(_equation(f"split information({name})", split_information_formula(node, candidate, style)))
        worth = worth_formula(candidate, trace.selection, trace.cost_exponent, style)
        if worth:
            lines.append(_equation(f"{_worth_name(trace)}({name})", worth))
    return lines
