"""Names as LaTeX: text inside formulas, with every character that means something to LaTeX escaped."""

from __future__ import annotations

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
}


def latex_text(text: str) -> str:
    r"""A name inside a formula; what cannot be printed becomes its escape (``\n`` is shown as backslash and n).

    >>> print(latex_text("Soil_type"), latex_text("50 % & more"))
    \text{Soil\_type} \text{50 \% \& more}
    """
    visible = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
    return r"\text{" + "".join(_ESCAPES.get(character, character) for character in visible) + "}"
