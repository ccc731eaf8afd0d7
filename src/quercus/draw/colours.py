"""Colours: a palette that colour-blind people can tell apart, in a light and a dark theme, as style sheets.

The eight colours are Okabe and Ito's ("Color Universal Design", 2008) with grey in the place of black. The ninth class
and further ones take a colour again, with a pattern on it; names stand beside colours everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from quercus.draw.markup import OWN
from quercus.errors import ParameterError, choice_message

ThemeName = Literal["auto", "light", "dark"]
THEMES: tuple[ThemeName, ...] = get_args(ThemeName)

PALETTE = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#8c8c8c")
SHADES = 9  # of a regression tree's leaves

_PATTERNS = (
    "M-2,2 L2,-2 M0,8 L8,0 M6,10 L10,6",
    "M2,2 h1.6 M6,6 h1.6",
    "M0,0 L8,8 M8,0 L0,8",
)


@dataclass(frozen=True)
class Theme:
    """The colours of paper, ink and lines."""

    paper: str
    ink: str
    muted: str
    box: str
    border: str
    edge: str
    grid: str

    def tint(self, colour: str, part: float) -> str:
        """So much of a colour on the paper."""
        return mixed(colour, self.paper, part)


LIGHT = Theme("#ffffff", "#1b1f24", "#4b535d", "#f4f6f8", "#6e7781", "#c3cad1", "#e3e7eb")
DARK = Theme("#12161c", "#eef2f6", "#b4bdc7", "#1f2630", "#8b95a1", "#4d5762", "#2b323b")


def checked_theme(theme: str) -> ThemeName:
    """The name of a theme."""
    if theme not in THEMES:
        raise ParameterError(choice_message("theme", theme, THEMES))
    return THEMES[THEMES.index(theme)]


def mixed(colour: str, other: str, part: float) -> str:
    """So much of a colour in another.

    >>> mixed("#000000", "#ffffff", 0.25)
    '#bfbfbf'
    """
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(part * a + (1 - part) * b):02x}" for a, b in pairs)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours as the Web Content Accessibility Guidelines define it.

    >>> round(contrast("#000000", "#ffffff"), 1)
    21.0
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    parts = [value / 255 for value in _channels(colour)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def colour_of(number: int) -> str:
    """The colour of a class, without its pattern."""
    return PALETTE[number % len(PALETTE)]


def tint_of(number: int, theme: Theme) -> str:
    """The ground of a leaf of a class."""
    return theme.tint(colour_of(number), 0.2 if theme is LIGHT else 0.3)


def shade_of(step: int, theme: Theme) -> str:
    """The ground of a regression leaf, the darker (in the dark theme lighter) the greater its value."""
    return theme.tint(PALETTE[0], 0.05 + 0.5 * step / (SHADES - 1))


def fill_of(number: int) -> str:
    """What fills an area of a class: its colour with its pattern, if it has one and patterns can be drawn."""
    colour = colour_of(number)
    return colour if number < len(PALETTE) else f"url(#{OWN}-p{_cycled(number)}) {colour}"


def pattern_definitions(numbers: Iterable[int]) -> str:
    """The patterns of the classes that have one."""
    patterned = sorted({_cycled(number) for number in numbers if number >= len(PALETTE)})
    drawn = (
        f'<pattern id="{OWN}-p{number}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<rect width="8" height="8" fill="{colour_of(number)}"/>'
        f'<path d="{_PATTERNS[number // len(PALETTE) - 1]}" stroke="#fff" stroke-width="1.6" fill="none"/></pattern>'
        for number in patterned
    )
    text = "".join(drawn)
    return f"<defs>{text}</defs>\n" if text else ""


def _cycled(number: int) -> int:
    """Colours and patterns begin again after all have been used."""
    size = len(PALETTE)
    return size + (number - size) % (size * len(_PATTERNS))


def style_sheet(kind: str, theme: ThemeName, rules: Mapping[str, tuple[str, str]], fixed: Mapping[str, str]) -> str:
    """The styles of a picture, which touch nothing outside of it.

    kind: of picture, as in ``picture``. rules: by class, what it looks like in the light and in the dark theme. fixed:
    by class, what does not change.
    """
    scope = f".{kind}-{theme}"
    lines = [f"{scope} .{name}{{{look}}}" for name, look in fixed.items()]
    lines += [f"{scope} .{name}{{{looks[theme == 'dark']}}}" for name, looks in rules.items()]
    if theme == "auto":
        lines.append("@media (prefers-color-scheme: dark){")
        lines += [f"{scope} .{name}{{{dark}}}" for name, (_, dark) in rules.items()]
        lines.append("}")
    return "\n".join(lines) + "\n"
