"""Recognise questions about documents as a whole, by the wordings in ``wordings.toml``."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import nfc

TOPICS, OVERVIEW, DOCUMENT, LIST, COUNT = "all_topics", "all_overview", "one_overview", "list", "count"
MENTIONS, MENTIONS_COUNT = "mentions", "mentions_count"
"""The kinds of questions; a question may be about all documents, or the one that it names."""

_END = Expression(r"[\s.!?…。？！]+$")
_QUOTES = Expression(r"[\"“”„«»`*¿¡]")
_LONGEST = 160  # characters
_PAGES, _PASSAGES = Expression("pages?|seiten?|页|páginas?|pagin[ae]"), Expression("passages?|passagen|abschnitte")


class WholeQuestion(NamedTuple):
    """A question about documents as a whole.

    Attributes:
        kind: `TOPICS`, `OVERVIEW`, `DOCUMENT`, `LIST`, `COUNT`, `MENTIONS` or `MENTIONS_COUNT`.
        name: The words that name one document, or what documents mention, in small letters; empty for all documents.
        counted: "document", "page" or "passage", what is counted.
    """

    kind: str
    name: str = ""
    counted: str = "document"


def whole_questions(text: str) -> list[WholeQuestion]:
    """Return how a question may be read as one about the whole, the surest reading first; none for other questions.

    >>> whole_questions("What are the main topics?")
    [WholeQuestion(kind='all_topics', name='', counted='document')]
    >>> whole_questions("Summarise notes.md, please")[0].name
    'notes.md'
    >>> whole_questions("When was the ship built?")
    []
    """
    plain = _plain(text)
    if not plain or len(plain) > _LONGEST:
        return []
    readings = []
    for kind, patterns in _patterns().items():
        for pattern in patterns:
            match = pattern.fullmatch(plain)
            if match is not None:
                groups = match.groupdict()
                readings.append(WholeQuestion(kind, groups.get("one") or "", _counted(groups.get("what") or "")))
    return list(dict.fromkeys(readings))


def _counted(word: str) -> str:
    if _PAGES.fullmatch(word):
        return "page"
    return "passage" if _PASSAGES.fullmatch(word) else "document"


def _plain(text: str) -> str:
    """Return a question in small letters, without courtesy, quotation marks and marks at its end."""
    content = _content()
    plain = _END.sub("", _QUOTES.sub("", nfc(text).replace("’", "'"))).lower()
    plain = " ".join(plain.split())
    before = None
    while plain != before:
        before = plain
        plain = _END.sub("", re.sub(rf"{content['courtesy_at_end']}$", "", plain))
        for courtesy in content["courtesy"]:
            plain = re.sub(rf"^{courtesy}", "", plain)
    return plain


@lru_cache(maxsize=1)
def _content() -> dict[str, Any]:
    return tomllib.loads((files("graphbrick.bricks.retrieve.whole") / "wordings.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _patterns() -> dict[str, list[re.Pattern[str]]]:
    content = _content()
    macros = {name: str(value) for name, value in content.items() if isinstance(value, str)}
    macros["the"] = "(?:(?:the|its|their|die|der|das|les?|la) )"

    def filled(text: str) -> str:
        before = ""
        while text != before:
            before = text
            text = re.sub(r"\{(\w+)\}", lambda macro: macros[macro[1]], text)
        return text

    kinds = (TOPICS, OVERVIEW, LIST, COUNT, DOCUMENT, MENTIONS, MENTIONS_COUNT)
    return {kind: [re.compile(filled(text)) for text in content[kind]["patterns"]] for kind in kinds}
