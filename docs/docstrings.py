"""Docstrings: what a docstring says of each parameter, and its prose as Markdown.

A docstring documents its parameters in one of three forms, and all three are read here:

- a section ``Parameters`` with lines ``name : words``, or the words in the lines below the name;
- items of a list, ``- name: words``;
- sentences in a paragraph, ``name: words. other, third: words.``
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

SECTION = re.compile(r"^(\w+)\n-{3,}\n", flags=re.MULTILINE)
ROLE = re.compile(r":(?:func|class|meth|mod|data|attr):`~?([^`]+)`")
MATH = re.compile(r":math:`([^`]+)`")
CODE = re.compile(r"(``?)(.+?)\1", flags=re.DOTALL)
ALSO = re.compile(
    r"(?:[Pp]arameters|[Oo]ptions|[Aa]rguments)(?: are|:)? (?:those |as )(?:in|of) (?::\w+:)?`+([\w.]+)`+"
)
#: Signs of formulas, as characters.
SIGNS = {
    r"\sum": "Σ",
    r"\alpha": "α",
    r"\chi": "χ",
    r"\pi": "π",
    r"\Gamma": "Γ",
    r"\cdot": "·",
    r"\ln": "ln ",
    r"\log": "log",
    r"\lfloor": "⌊",
    r"\rfloor": "⌋",
    r"\left": "",
    r"\right": "",
    r"\|": "‖",
}


@dataclass
class Docstring:
    """A docstring in parts: the prose in blocks, the words on each parameter, the attributes, and the examples."""

    prose: list[str] = field(default_factory=list)
    parameters: dict[str, list[str]] = field(default_factory=dict)
    attributes: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)
    #: The function whose parameters these are, too, if the docstring says so.
    also: str | None = None
    #: Whether the last parameter still waits for the list of its values.
    is_open: bool = False


def read_docstring(text: str, names: Collection[str]) -> Docstring:
    """Take a docstring apart; names: what its parameters are called.

    >>> text = "Grow.\\n\\nrows: the table.\\nseed, folds: of the dealing; depth: at most.\\n\\n>>> 1\\n1"
    >>> parts = read_docstring(text, ["rows", "seed", "folds", "depth"])
    >>> parts.prose, parts.examples
    (['Grow.'], ['>>> 1\\n1'])
    >>> parts.parameters
    {'rows': ['The table.'], 'seed, folds': ['Of the dealing.'], 'depth': ['At most.']}
    """
    result = Docstring()
    if match := ALSO.search(text):
        result.also = match[1]
    for title, body in _sections(text):
        for block in _blocks(body):
            if block.startswith(">>> "):
                result.examples.append(block)
            elif title == "Parameters":
                for line in re.split(r"(?<!,)\n(?!\s)", block):
                    _read_prose(re.sub(r"^(\w+(?:, \w+)*)\n\s+", r"\1 : ", line), names, result)
            elif title == "Attributes":
                result.attributes += re.split(r"\n(?!\s)", block)
            else:
                _read_prose(block, names, result)
    return result


def _sections(text: str) -> Iterator[tuple[str, str]]:
    parts = SECTION.split(text)
    yield "", parts[0]
    yield from zip(parts[1::2], parts[2::2], strict=True)


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs, indented blocks, items of lists and sessions; a session ends with a blank line."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if block.strip():
            yield from re.split(r"\n(?=- )", block)


def _read_prose(block: str, names: Collection[str], result: Docstring) -> None:
    """Read a paragraph; what stands behind the name of a parameter and a colon is on this parameter.

    A list behind ``name:`` alone says which values the parameter may have.
    """
    name = "(?:" + "|".join(map(re.escape, names)) + ")" if names else "(?!)"
    mark = re.compile(rf"(?:^|(?<=[.;:)] )|(?<=[.;]\n)|(?<=^- )|(?<= - ))({name}(?:,\s+{name})*)\s?:(?=\s|$)")
    before, *entries = mark.split(block)
    if result.is_open and re.match(r"- .|\d+\. ", before):
        result.parameters[next(reversed(result.parameters))].append(block)
        return
    result.is_open = False
    if not entries:
        result.prose.append(block)
        return
    if before.strip(" -"):
        result.prose.append(before.strip(" -"))
    for key, words in zip(entries[::2], entries[1::2], strict=True):
        sentence = _sentence(words.rstrip(" -"))
        result.parameters[" ".join(key.split())] = [sentence] if sentence else []
        result.is_open = not sentence


def _sentence(words: str) -> str:
    """Words as a sentence: a capital letter in front, and a full stop at the end.

    >>> _sentence(" of the dealing; "), _sentence("``x`` or y"), _sentence("n_jobs")
    ('Of the dealing.', '``x`` or y.', 'n_jobs.')
    """
    words = re.sub(r"\n\s+", "\n", words.strip()).rstrip(";").strip()
    if not words:
        return ""
    first = words.split()[0]
    words = words[0].upper() + words[1:] if first.isalpha() and first.islower() else words
    return words if words.endswith((".", ":", "!", "?")) else words + "."


def markdown(text: str) -> str:
    """A piece of a docstring as Markdown: code and formulas as code, and no sign of the rest taken for a mark.

    >>> markdown("As :func:`why`: 2**3 < x_1, ``a*b``")
    'As `why`: 2\\\\*\\\\*3 &lt; x\\\\_1, `a*b`'
    >>> markdown("the vote :math:`\\\\ln\\\\frac{1 - e}{e}`")
    'the vote `ln (1 - e)/e`'
    """
    if text.startswith("    "):
        return text  # pseudocode
    if text.startswith("  - "):
        text = re.sub(r"^  ", "    ", text, flags=re.MULTILINE)
    text = MATH.sub(lambda match: f"``{_formula(match[1])}``", ROLE.sub(r"``\1``", text)).replace("::\n", ":\n")
    text = re.sub(r"::$", ":", text)
    pieces = CODE.split(text)
    shown = []
    for outside, _, inside in zip(pieces[::3], [*pieces[1::3], ""], [*pieces[2::3], ""], strict=True):
        shown.append(re.sub(r"(?<!^)[*_]|^[*_]", lambda match: "\\" + match[0], outside).replace("<", "&lt;"))
        shown.append(f"`{' '.join(inside.split())}`" if inside else "")
    return "".join(shown)


def _formula(latex: str) -> str:
    """A formula of few signs as a line of text.

    >>> _formula(r"\\sqrt{\\sum_{b} n_{b}} + \\frac{k - 1}{2} \\log_2 \\binom{N}{e}")
    '√(Σ_b n_b) + (k - 1)/2 log_2 (N over e)'
    """
    for sign, shown in SIGNS.items():
        latex = latex.replace(sign, shown)
    latex = re.sub(r"\\[ ,;]", " ", latex)
    latex = re.sub(r"_\{([^{}]*)\}", r"_\1", latex)
    latex = re.sub(r"\^\{([^{}]*)\}", r"^(\1)", latex)
    latex = re.sub(r"\\text\{([^{}]*)\}", r"\1", latex)
    latex = re.sub(r"\\binom\{([^{}]*)\}\{([^{}]*)\}", r"(\1 over \2)", latex)
    latex = re.sub(r"\\sqrt\{([^{}]*)\}", r"√(\1)", latex)
    latex = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", lambda match: _term(match[1]) + "/" + _term(match[2]), latex)
    return " ".join(latex.replace("\\", "").split())


def _term(text: str) -> str:
    """A part of a fraction, in brackets if it has several parts itself."""
    return f"({text})" if " " in text else text
