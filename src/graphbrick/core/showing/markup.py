"""HTML for notebooks: tables and texts in which every value is escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

LONGEST = 600
"""Characters of one text."""
# Control characters, marks that turn the direction of what follows, and halves of letters.
_HARMFUL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LEFT = "text-align:left;vertical-align:middle;overflow-wrap:break-word"
_DIM = "opacity:0.7"


class Markup(str):
    """A text that is HTML already."""

    __slots__ = ()


def escaped(value: object) -> str:
    """Return a value as text of HTML; `Markup` stays as it is.

    Marks that change the direction of what follows, and control characters, are shown by their number: a label must not
    be able to reorder the page around it.

    >>> escaped("<img src=x onerror='alert(1)'>"), escaped(Markup("<b>"))
    ('&lt;img src=x onerror=&#x27;alert(1)&#x27;&gt;', '<b>')
    >>> escaped("a\\u202eb\\x00")
    'a\\\\u202eb\\\\x00'
    """
    if isinstance(value, Markup):
        return value
    text = str(value)
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}…"
    shown = _HARMFUL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
    return html.escape(shown)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Markup:
    """Return a table; numbers are shown as they are, None as an empty cell."""
    top = "".join(f'<th style="{_LEFT}">{escaped(name)}</th>' for name in head)
    lines = (
        "".join(f'<td style="{_LEFT}">{"" if cell is None else escaped(cell)}</td>' for cell in row) for row in rows
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return Markup(f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>")


def block(*parts: object) -> Markup:
    """Return parts below each other, which may be wider than the page."""
    lines = "".join(f"<div>{escaped(part)}</div>" for part in parts)
    return Markup(f'<div style="overflow-x:auto;overflow-wrap:break-word">{lines}</div>')


def strong(text: object) -> Markup:
    """Return a text in bold."""
    return Markup(f"<b>{escaped(text)}</b>")


def dim(text: object) -> Markup:
    """Return a remark."""
    return Markup(f'<small style="{_DIM}">{escaped(text)}</small>')


def code(text: object, depth: int = 0) -> Markup:
    """Return a text in letters of one width, with its lines, moved to the right by its depth."""
    return Markup(f'<code style="white-space:pre-wrap;margin-left:{depth}em">{escaped(text)}</code>')
