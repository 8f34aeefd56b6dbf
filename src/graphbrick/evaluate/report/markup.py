"""Markup in which every text is escaped, because a text becomes markup in one way only."""

from __future__ import annotations

import html
import json
import re

# Control characters, those that turn the direction of what follows, halves of characters, and those that are none.
# What joins letters (in Persian, in emoji) stays.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_EMPTY = frozenset({"rect", "line", "circle", "path", "polyline", "input", "meta", "br", "col"})


class Html(str):
    """A text that is markup already; any other is escaped where it is put into an element."""

    __slots__ = ()


def visible(text: str) -> str:
    """A text with characters that cannot be seen, or that change how others are shown, written as escapes.

    >>> visible("Evil\\x1b[31m \\u202egnp.exe")
    'Evil\\\\x1b[31m \\\\u202egnp.exe'
    """
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def escape(text: str) -> Html:
    """A text as markup that shows it.

    >>> escape("<script>")
    '&lt;script&gt;'
    """
    return text if isinstance(text, Html) else Html(html.escape(visible(text)))


def element(name: str, *content: str | None, **attributes: str | float | None) -> Html:
    """An element; attributes of None are left out, and an underscore in their names is a hyphen.

    Args:
        name: The name of the element.
        content: Markup, or texts, which are escaped; None is nothing.
        attributes: Those of the element; ``class_`` is ``class``.

    >>> element("p", "a < b", element("br"), class_="note", data_value=3)
    '<p class="note" data-value="3">a &lt; b<br></p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY and not content:
        return Html(f"<{name}{given}>" if name in {"input", "meta", "br", "col"} else f"<{name}{given}/>")
    return Html(f"<{name}{given}>{join(*content)}</{name}>")


def join(*content: str | None) -> Html:
    """Several pieces of markup, or texts, which are escaped, one after the other."""
    return Html("".join(escape(piece) for piece in content if piece is not None))


def label(text: str, **attributes: str | None) -> Html:
    """A text of a graph, a model or a file, whose direction does not change what stands beside it."""
    return element("bdi", text, **attributes)


def number(value: float) -> str:
    """A number as an attribute, with no more digits than can be seen.

    >>> number(3), number(2.50001), number(1 / 3)
    ('3', '2.5', '0.333')
    """
    return str(value) if isinstance(value, int) else f"{value:.3f}".rstrip("0").rstrip(".")


def data_block(name: str, value: object) -> Html:
    """A value as JSON that a script of the page reads and a browser never takes for anything else."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    # Half of a character cannot be written to a file.
    text = re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)
    return Html(f'<script type="application/json" id="{html.escape(name)}">{text}</script>')
