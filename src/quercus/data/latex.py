"""Names and sentences as LaTeX: every character that means something to LaTeX escaped, and the document around them."""

from __future__ import annotations

#: What the text needs in front of ``\begin{document}``; ``amsmath`` is enough where the names are plain letters.
LATEX_PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath}
\usepackage[margin=2cm]{geometry}
\sloppy
"""

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
    '"': r"\symbol{34}",  # \textquotedbl is not in every encoding of fonts
    "`": r"\symbol{96}",
    "−": r"\ensuremath{-}",
    "–": "--",
    "…": r"\dots{}",
    "·": r"\ensuremath{\cdot}",
    "×": r"\ensuremath{\times}",
    "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}",
    "→": r"\ensuremath{\to}",
    "²": r"\ensuremath{^2}",
    "Σ": r"\ensuremath{\Sigma}",
    "α": r"\ensuremath{\alpha}",
    "∧": r"\ensuremath{\land}",
    "∨": r"\ensuremath{\lor}",
}
#: Characters that pdfLaTeX sets with the fonts of the preamble, first and last of each run.
_SET_BY_PDFLATEX = (
    ("\x20", "\x7e"), ("\xa0", "ĥ"), ("Ĩ", "ķ"), ("Ĺ", "ľ"), ("Ł", "ň"), ("Ŋ", "ť"), ("Ũ", "ž"), ("‐", "—"), ("‘", "‚"),
    ("“", "„"), ("•", "•"), ("‰", "‰"), ("€", "€"),
)  # fmt: skip
#: Names longer than this take several lines in a table.
LONG_IN_LATEX = 36
#: A word longer than this may be broken, after every so many characters.
_LONG_WORD, _PIECE = 24, 8


def latex_text(text: str) -> str:
    r"""A name inside a formula; what cannot be printed becomes its escape (``\n`` is shown as backslash and n).

    >>> print(latex_text("Soil_type"), latex_text("50 % & more"))
    \text{Soil\_type} \text{50 \% \& more}
    """
    return r"\text{" + _escaped(text) + "}"


def latex_words(text: str) -> str:
    r"""A sentence in a paragraph or in the cell of a table: lines may be broken in it, also within very long words.

    >>> print(latex_words("Soil_type ≤ 3"), latex_words("a" * 30))
    Soil\_type \ensuremath{\le} 3 aaaaaaaa\allowbreak{}aaaaaaaa\allowbreak{}aaaaaaaa\allowbreak{}aaaaaa
    """
    return " ".join(_breakable(word) for word in text.split(" "))


def latex_document(body: str, preamble: str = LATEX_PREAMBLE) -> str:
    r"""A whole document around a text. Characters that pdfLaTeX cannot set are shown by their number there.

    preamble: what stands in front.

    >>> print(latex_document(latex_words("日")))
    \documentclass{article}
    \usepackage[T1]{fontenc}
    \usepackage{amsmath}
    \usepackage[margin=2cm]{geometry}
    \sloppy
    \ifdefined\DeclareUnicodeCharacter
    \DeclareUnicodeCharacter{65E5}{[U+65E5]}
    \fi
    \begin{document}
    日
    \end{document}
    <BLANKLINE>
    """
    strange = sorted({character for character in body if character not in "\n" and not _is_set(character)})
    lines = [rf"\DeclareUnicodeCharacter{{{ord(character):04X}}}{{[U+{ord(character):04X}]}}" for character in strange]
    declared = "\n".join([r"\ifdefined\DeclareUnicodeCharacter", *lines, r"\fi", ""]) if lines else ""
    return f"{preamble}{declared}\\begin{{document}}\n{body}\n\\end{{document}}\n"


def _escaped(text: str) -> str:
    visible = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
    return "".join(_ESCAPES.get(character, character) for character in visible)


def _breakable(word: str) -> str:
    if len(word) <= _LONG_WORD:
        return _escaped(word)
    pieces = [word[start : start + _PIECE] for start in range(0, len(word), _PIECE)]
    return r"\allowbreak{}".join(_escaped(piece) for piece in pieces)


def _is_set(character: str) -> bool:
    return any(first <= character <= last for first, last in _SET_BY_PDFLATEX)
