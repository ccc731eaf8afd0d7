"""SVG as text: escaping, numbers, and the frame that every picture shares."""

from __future__ import annotations

import hashlib
import html
import re

# What XML 1.0 does not allow in a document, however it is written.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: Stands for the mark of the picture in ids; no escaped text can hold it.
OWN = "\x00"
FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"


def escaped(text: str) -> str:
    """Any text as SVG text or attribute: no character of it can end or begin an element.

    >>> escaped('<img src=x onerror="alert(1)">')
    '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;'
    """
    return html.escape(_FORBIDDEN.sub("\ufffd", text))


def number(value: float) -> str:
    """A coordinate, with two decimals at most.

    >>> number(3.0), number(2.456), number(-0.001)
    ('3', '2.46', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def picture(
    body: str, width: float, height: float, *, kind: str, theme: str, style: str, title: str, description: str
) -> str:
    """A whole SVG document around a body.

    kind: the name of the kind of picture, a class of the root element. body: may hold :data:`OWN` in ids, where the
    picture's own mark goes, so that several pictures can stand on one page.
    """
    own = "q" + hashlib.sha256(f"{body}{theme}{title}".encode(errors="replace")).hexdigest()[:10]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="quercus {kind} {kind}-{theme}" '
        f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}" '
        f'role="img" aria-labelledby="{own}-title {own}-description" font-family="{FONT}">\n'
        f'<title id="{own}-title">{escaped(title)}</title>\n'
        f'<desc id="{own}-description">{escaped(description)}</desc>\n'
    )
    return f"{head}<style>\n{style}</style>\n{body.replace(OWN, own)}</svg>\n"
