"""Questions after a sentence that names what they speak of: «I study at e0, does e1 stop there»."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem, stems

_ASKS = r"(?:which|what|who|whose|where|when|how|from which|in which|is|are|was|were|do|does|did|has|have|can|could)"
_TWO = Expression(
    rf"^(?P<before>[^?]*?\be\d+\b[^?]*?)(?:[.!;:?] | ?[–-] |, (?:so )?"
    rf"| (?:wants?|would like|needs?) to (?:know|find out),? )(?P<asked>{_ASKS} .+)$"
)
_ASKING = Expression(rf"^{_ASKS}\b")
_NARROWS = Expression(
    r"(?<!\be)(?<!\be\d)\b\d|\b(?:only|without|except|just those|but not)\b"
)  # a part of what is asked
_OF = Expression(r"\bof e0\b|\be0's\b")  # «take the boss of e0» speaks of the boss
_PLACE = Expression(r"(?:\bover )?\bthere\b(?! (?:is|are|was|were|any|a|an)\b)")
_WAYS = Expression(r"\b(?:go|goes|going|fly|flies|flying|run|runs|lead|leads|travel|travels|get|gets|sail|sails)\s*$")
_IN_WHICH = Expression(r"^(?P<which>(?:which|what) [a-z -]+? (?:is|was)) (?:that|this|it)(?: in)?$")
_OWN = Expression(r"\b(?:its|his|her|their)(?= [a-z])")
_AFTER = r"(?:under|as|by|in|on|at|for|from|to|with|of)"
_SUCH = Expression(rf"\b(?:that|this|the same) (?P<noun>(?!{_AFTER}\b)[a-z]+)\b(?! (?:is|are|was|were|has|have) )")
_ITSELF = Expression(
    rf"\b(?:it|he|she|him|them|they|that|this)(?=$| {_AFTER}$)"
    r"|(?<=^)(?:it|he|she|they)\b|(?<=[a-z] )(?:it|he|she|him|they)\b"
)
_OF_ITS_OWN = Expression(r"\b(?:its|his|her|their) (?!own\b)[a-z]")  # «I miss e0's manual. Where is it»
_THEM = Expression(r"\b(?:them|they|these|those)\b(?! [a-z]+s\b)")
_IS_THERE = Expression(r"^(?:is|are|was|were) there\b|^how many .* (?:is|are|was|were) there\b")


class InContext(NamedTuple):
    """A question that stands alone.

    Attributes:
        text: The question.
        before: What stood before it.
        word: The word of the question for what is named before.
    """

    text: str
    before: str
    word: str


def in_context(text: str, types: Collection[str]) -> InContext | None:
    """Return a question with the names of a sentence before it for the word that stands for them; None for another.

    Args:
        text: The question in lower case, with placeholders for entities, without the mark at its end.
        types: The types of the first entity.

    >>> in_context("i study at e0, does e1 stop there", ["Stop"]).text
    'does e1 stop at e0'
    >>> in_context("an order came from e0. which country is that", ["City"]).text
    'which country is e0 in'
    >>> in_context("we buy e0 from them. what is the phone number of that supplier", ["Product"]).text
    'what is the phone number of the supplier of e0'
    >>> in_context("i saw e0 somewhere. which group do we have that under", ["Group"]).text
    'which group do we have e0 under'
    >>> in_context("we sell to e0, e1 and e2. which of them use the euro", ["Country"]).text
    'which of e0, e1 and e2 use the euro'
    >>> in_context("take the boss of e0: who is that", ["Person"])
    >>> in_context("i use e0 and miss their manual. where is it", ["Company"])
    >>> in_context("i only need those of 2013. which of them were late", ["Flight"])
    """
    parts = _TWO.match(text)
    if parts is None:
        return None
    names = list(dict.fromkeys(re.findall(r"\be\d+\b", parts["before"])))
    if _ASKING.match(parts["before"]) or _NARROWS.search(parts["before"]) or _OF.search(parts["before"]):
        return None
    asked, found = parts["asked"], None
    if len(names) > 1:
        return _of_several(asked, parts["before"], names)
    if (match := _IN_WHICH.match(asked)) is not None:
        return InContext(f"{match['which']} e0 in", parts["before"], "that")
    if (match := _PLACE.search(asked)) is not None and not _IS_THERE.match(asked):
        found = match, f"{_preposition(asked, match)} e0"
    elif (match := _OWN.search(asked)) is not None:
        found = match, "e0's"
    elif (match := _SUCH.search(asked)) is not None:
        is_type = stem(match["noun"]) in {name for one in types for name in stems(one)}
        found = match, "e0" if is_type else f"the {match['noun']} of e0"
    elif (match := _ITSELF.search(asked)) is not None and not _OF_ITS_OWN.search(parts["before"]):
        found = match, "e0"
    return None if found is None else _with(asked, parts["before"], *found)


def _of_several(asked: str, before: str, names: list[str]) -> InContext | None:
    """Return a question about several names before it: «which of them», «where do they», «which lines go there»."""
    said = f"{', '.join(names[:-1])} and {names[-1]}"
    if (match := _THEM.search(asked)) is not None:
        return _with(asked, before, match, said)
    if (match := _PLACE.search(asked)) is not None and not _IS_THERE.match(asked):
        return _with(asked, before, match, f"{_preposition(asked, match)} {' or '.join(names)}")
    return None


def _preposition(asked: str, match: re.Match[str]) -> str:
    return "to" if _WAYS.search(asked[: match.start()]) else "at"


def _with(asked: str, before: str, match: re.Match[str], instead: str) -> InContext:
    return InContext(f"{asked[: match.start()]}{instead}{asked[match.end() :]}", before, match[0])
