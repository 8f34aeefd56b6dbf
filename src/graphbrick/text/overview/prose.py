"""The sentences of passages that say something by themselves, without menus, code, tables and repeated lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from graphbrick.core.compute import check_limits
from graphbrick.graphs.corpus import TextGraph
from graphbrick.language.folding import fold
from graphbrick.text.documents.sentences import sentences
from graphbrick.text.documents.wording import is_menu, looks_like_code, plain_words

_SHORTEST, _SHORTEST_DENSE, _LONGEST = 30, 15, 400  # characters; DENSE for scripts such as Chinese
_ENDS = (".", "!", "。", "！", "؟", "।", "۔")
_CLOSING = "\"'”’»)]*_ "
_NO_PROSE = ("#", "|", "!", "[", ">>>", "- [", "* [")
_LEAST_LETTERS = 0.6  # share of letters and blanks
_REPEATED = 3  # documents that have a sentence word for word


class Sentence(NamedTuple):
    """A sentence of prose.

    Attributes:
        text: Its words on one line.
        passage: Id of its passage.
        is_first: Whether it is the first sentence of its document.
    """

    text: str
    passage: int
    is_first: bool


def prose(graph: TextGraph, passages: Iterable[int]) -> list[Sentence]:
    """Return the sentences of prose of passages, in their order.

    Sentences that three documents have word for word, such as the notice of a web site, are left out.
    """
    every: list[Sentence] = []
    of: dict[str, set[str]] = defaultdict(set)
    seen: set[str] = set()
    for number, passage in enumerate(passages):
        if number % 256 == 0:
            check_limits()
        text, document, *_ = graph.passage(passage)
        for sentence in prose_of(text):
            of[fold(sentence)].add(document)
            every.append(Sentence(sentence, passage, document not in seen))
            seen.add(document)
    return [one for one in every if len(of[fold(one.text)]) < _REPEATED]


def prose_of(text: str) -> list[str]:
    """Return the whole sentences of a text, without headings, code, menus and rows of tables.

    >>> prose_of("# Lakes\\n\\nLake Victoria is the largest lake of Africa.\\n\\n[Home](a) [Lakes](b)")
    ['Lake Victoria is the largest lake of Africa.']
    """
    return [sentence for start, end in sentences(text) if (sentence := _plain(text[start:end]))]


def _plain(raw: str) -> str:
    """Return a sentence of prose on one line; empty for anything else."""
    if not raw.rstrip(_CLOSING).endswith(_ENDS) or raw.startswith(_NO_PROSE) or looks_like_code(raw) or is_menu(raw):
        return ""
    shown = plain_words(raw).lstrip("-*• ")
    shortest = _SHORTEST if shown.isascii() else _SHORTEST_DENSE
    letters = sum(one.isalpha() or one == " " for one in shown)
    is_long = shortest <= len(shown) <= _LONGEST and (not shown.isascii() or len(shown.split()) > 4)
    is_whole = shown.count("`") % 2 == 0 and shown.count('"') % 2 == 0
    return shown if is_long and is_whole and letters >= _LEAST_LETTERS * len(shown) and not shown[:1].islower() else ""
