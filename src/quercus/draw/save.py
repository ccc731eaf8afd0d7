"""Pictures as files: SVG as it is, PNG and PDF through libraries of the extra ``png``."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

from quercus.errors import ParameterError, choice_message, missing_extra
from quercus.files.atomic import write_whole

FORMATS = (".svg", ".png", ".pdf")
MOST_PIXELS = 200_000_000
LONGEST_SIDE = 32_000

_PATTERN = re.compile(r'((?:fill="|style="fill:)\s*)url\(#[^)"]*\) (#[0-9a-f]{6})')
_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')


def save_picture(svg: str, path: str | os.PathLike[str], *, scale: float = 2.0) -> None:
    """Write a picture to a file, whole or not at all; the end of its name says in which format.

    svg: of a tree or a chart. path: ending in .svg, .png or .pdf. scale: pixels of a PNG for each unit of the SVG.
    PNG and PDF need ``pip install "quercus[png]"``. PDF knows no patterns: classes after the eighth have their colour.

    >>> import tempfile
    >>> from quercus.draw import entropy_curve
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_picture(entropy_curve().to_svg(), Path(folder) / "entropy.svg")
    ...     os.listdir(folder)
    ['entropy.svg']
    """
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise ParameterError(choice_message("The end of the picture's name", ending, FORMATS))
    if not scale > 0:
        raise ParameterError(f"scale is {scale!r}, but must be greater than 0.")
    if ending == ".svg":
        write_whole(path, svg)
    else:
        write_whole(path, _png(svg, scale) if ending == ".png" else _pdf(svg))


def _png(svg: str, scale: float) -> bytes:
    match = _SIZE.match(svg)
    width, height = (float(side) * scale for side in match.groups()) if match else (0.0, 0.0)
    if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
        raise ParameterError(
            f"The PNG would have {width:,.0f} × {height:,.0f} pixels; at most {LONGEST_SIDE:,} per side and "
            f"{MOST_PIXELS:,} in all are possible. Draw less (max_nodes, max_depth), give a smaller scale, or save it "
            "as .svg or .pdf."
        )
    try:
        import resvg_py
    except ImportError as error:
        raise missing_extra("resvg_py", "png") from error
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=scale))


def _pdf(svg: str) -> bytes:
    try:
        from reportlab.graphics.renderPDF import drawToString  # type: ignore[import-untyped]
        from svglib.svglib import svg2rlg
    except ImportError as error:
        raise missing_extra("svglib", "png") from error
    drawing = svg2rlg(io.BytesIO(_PATTERN.sub(r"\1\2", svg).encode()))
    if drawing is None:
        raise ParameterError("This is not an SVG picture; give the text that to_svg() returns.")
    content: bytes = drawToString(drawing, autoSize=1)
    return content
