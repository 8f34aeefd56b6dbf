"""Values as SQLite can store them."""

from __future__ import annotations

import json


def to_json(value: object) -> str:
    """Return JSON in ASCII, because SQLite does not accept the lone surrogates that labels may hold."""
    return json.dumps(value, separators=(",", ":"))


def plain(text: str) -> str:
    """Return a text with lone surrogates, as in badly decoded file names, written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()
