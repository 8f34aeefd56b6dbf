"""Answers by their place in the last reply: «tell me about the first one», «the last two of them», «#3»."""

from __future__ import annotations

import re
from typing import NamedTuple

_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_NUMBERS = "two three four five six seven eight nine ten".split()
_ONE = r"(?:ones?|results?|answers?|items?|entry|entries|names?)"
_OF_THEM = r"(?: (?:of (?:them|these|those)|(?:in|on|of|from) (?:the|that|this|your) (?:list|answer)))"
_PLACE = re.compile(
    rf"\bthe (?:(?P<place>{'|'.join(_ORDINALS)}|last|\d{{1,3}}(?:st|nd|rd|th)))"
    rf"(?: (?P<n>{'|'.join(_NUMBERS)}|\d{{1,2}}))?"
    rf"(?:(?: {_ONE}){_OF_THEM}?|{_OF_THEM}|(?=[?.!\s]*$))(?! (?:to|that|who|which|whose|of)\b)"
    rf"|(?:\b(?:number|no\.?|answer|result) |#)(?P<number>\d{{1,3}})(?=[?.!\s]*$)",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"\W*(?:(?:and|please|just|only|list|show|show me|give me|name|what about|how about)\W*)*", re.I)


class Place(NamedTuple):
    """Words for answers by their place.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last character.
        text: The words.
        first: The place of the first, from 0; negative from the end.
        n: How many are meant.
    """

    start: int
    end: int
    text: str
    first: int
    n: int

    def of(self, entities: tuple[int, ...]) -> tuple[int, ...]:
        """Return those of some answers that are meant; none if there are too few."""
        first = self.first if self.first >= 0 else max(len(entities) - self.n, 0)
        return entities[first : first + self.n]


def place_in(text: str) -> Place | None:
    """Return the words of a text that stand for answers by their place; None if it has none.

    >>> [place_in(text)[2:] for text in ("Tell me about the second one.", "the last two of them", "what is #3?")]
    [('the second one', 1, 1), ('the last two of them', -1, 2), ('#3', 2, 1)]
    >>> place_in("Who was the first one to win?"), place_in("the first film of Ann")
    (None, None)
    """
    match = _PLACE.search(text)
    if match is None:
        return None
    said = (match["place"] or "").lower()
    if match["number"]:
        first = int(match["number"]) - 1
    elif said == "last":
        first = -1
    else:
        first = _ORDINALS.index(said) if said in _ORDINALS else int(re.sub(r"\D", "", said)) - 1
    number = (match["n"] or "1").lower()
    n = _NUMBERS.index(number) + 2 if number in _NUMBERS else int(number)
    return Place(match.start(), match.end(), match[0], first, n) if first >= -1 else None


def is_empty_list(text: str) -> bool:
    """Return whether a text only asks to be shown something.

    >>> is_empty_list("show me "), is_empty_list("when was  born?")
    (True, False)
    """
    return _EMPTY.fullmatch(text) is not None
