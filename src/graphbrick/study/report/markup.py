"""The Jinja2 templates of report pages. Every text is escaped, and hidden characters become visible."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

# Control characters, those that change the direction of text, surrogates and non-characters. Joiners stay: Persian and
# emoji need them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """Return a text with escapes for characters that are invisible or change how others are shown.

    >>> visible("Evil\\x1b[31m \\u202egnp.exe")
    'Evil\\\\x1b[31m \\\\u202egnp.exe'
    """
    return _HIDDEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def macro(template: str, name: str, *values: Any, **named: Any) -> Markup:
    """Return the output of a template macro for the given values.

    >>> macro("parts.html", "label", "<script>")
    Markup('<bdi>&lt;script&gt;</bdi>')
    """
    return Markup(getattr(environment().get_template(template).module, name)(*values, **named))


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the environment of the templates in the folder ``templates``."""
    made = Environment(
        loader=PackageLoader("graphbrick.study.report"),
        autoescape=True,
        finalize=_finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["share"] = lambda value: f"{100 * value:.2f}%"
    made.filters["number"] = number
    return made


def _finalize(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def number(value: float) -> str:
    """Return a number as an attribute, with no more digits than can be seen.

    >>> number(3), number(2.50001), number(1 / 3)
    ('3', '2.5', '0.333')
    """
    return str(value) if isinstance(value, int) else f"{value:.3f}".rstrip("0").rstrip(".")


def data_block(name: str, value: object) -> Markup:
    """Return a value as a JSON block for a script of the page, escaped so that it cannot end the block."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    # Lone surrogates cannot be written to a file.
    text = re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)
    return Markup('<script type="application/json" id="{}">{}</script>').format(name, Markup(text))
