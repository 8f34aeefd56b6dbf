"""The wordings of questions for a number of each group, and for what each has, taken apart by patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import is_plural

_LEAD = (
    r"(?:(?:what|which|who) (?:is|are|was|were) |(?:show|give|tell) (?:me |us )?|list |compute |calculate )?(?:the )?"
)
_EXTREMES = r"(?:highest|largest|biggest|maximum|max|lowest|smallest|minimum|min)"
_AMOUNT = rf"(?:average|mean|total|combined|overall|sum of|{_EXTREMES})"
_COUNT = r"(?:how many|(?:total )?(?:number|count) of)"
_NUMBER = rf"(?:{_COUNT}|how much|{_AMOUNT}) "
_EACH = r"(?:(?:for|in|at|of|from|to|by|on|with|within|across) )?(?:each|every)(?: of)?(?: the| our)?"
_GROUP = r"(?P<group>[a-z][a-z0-9' _-]*?)"
_WHICH = rf"(?:(?:in|at|on|from|for|by) )?(?:what|which) {_GROUP}"
_HAS = r"(?:has|have|had|with|shows?|sees?|gets?)"
_BE = r"(?:is|are|was|were)"
_UP, _DOWN = r"(?:highest|largest|biggest|greatest|most)", r"(?:lowest|smallest|fewest|least)"
_BEST = rf"(?P<best>{_UP}|{_DOWN})"

_FOR_EACH = (
    rf"(?P<said>how many .+?) (?:do|does|did|has|have|had) (?P<cue>(?:the|an) average) {_GROUP}"
    r"(?: (?:have|has|got|contain|include|hold))?",
    rf"(?P<said>how many .+?) (?:do|does|did|has|have|had) (?P<cue>(?:the|an) average) {_GROUP}"
    r" (?P<verb>[a-z]+(?: (?:in|at|on|for|to|by|with|from))?)",
    rf"(?P<cue>per|by|{_EACH}) {_GROUP},? {_LEAD}(?P<said>{_NUMBER}.+)",
    rf"(?:break down|split(?: up)?|group|divide) (?:the |our |all (?:the )?)?(?P<counted>.+?) by {_GROUP}",
    rf"(?P<said>how many .+?) (?:do|does|did|has|have|had) (?P<cue>each|every)(?: of)?(?: the| our)? {_GROUP}"
    r"(?: (?:have|has|got|contain|include|hold))?",
    rf"(?P<said>how many .+?) (?:do|does|did|has|have|had) (?P<cue>each|every)(?: of)?(?: the| our)? {_GROUP}"
    r" (?P<verb>[a-z]+(?: (?:in|at|on|for|to|by|with|from))?)",
    rf"{_LEAD}(?:all )?(?:the |our )?{_GROUP} (?:and|with) (?:their|its) (?P<said>(?:number|count) of .+)",
    rf"{_LEAD}(?P<said>{_NUMBER}.+?)(?: {_BE}| ha[sv]e? been)? (?P<done>[a-z]+) (?P<cue>{_EACH}) {_GROUP}",
    rf"{_LEAD}(?P<said>.+?)(?: (?:are there|there are|do we have))?,? (?:(?:grouped|broken down|split|divided) )?"
    rf"(?P<cue>per|by|{_EACH}) {_GROUP}",
)
_THE_BEST = (
    rf"{_WHICH} {_HAS} (?:the |our )?(?P<best>most|fewest|least) (?P<counted>.+)",
    rf"(?:what is |who is )?(?:the )?{_GROUP} with (?:the )?(?P<best>most|fewest|least) (?P<counted>.+)",
    rf"{_WHICH} (?:do|does|did|are|were) (?:the )?(?P<best>most)(?: of)?(?: the| our)? (?P<counted>.+?)"
    r"(?: (?:come|live|sit|based|located|belong|reside))?(?: (?:from|in|at|to|on))?",
    rf"{_WHICH} {_HAS} (?:the )?{_BEST} (?P<said>{_NUMBER}.+)",
    rf"{_WHICH} (?:{_BE}|{_HAS}) (?:the )?(?P<said>{_NUMBER}.+?) (?:{_BE} )?(?:the )?{_BEST}",
)
_SHOWN = Expression(r"(?:list|show|which|give|name)\b")
_TAIL = Expression(
    r" (?P<word>(?:(?:[a-z]+(?:ed|en|lt|de|ld) )?(?:in|of|during|since|for|from|at|with|on|before|after)"
    r"|[a-z]+(?:ed|en|lt|de|ld) by|that|which|who)) (?P<rest>.+)$"
)
_THERE = Expression(  # «how many tickets of each severity are there»
    r"(\b(?:each|every|per) .+?) (?:are there|there are|are stored|exist|do we have|have we(?: got)?|are known)$"
)
_MEAN = Expression(rf",? on average$|^on average,? |^{_LEAD}(?:average|mean) (?=number of )")


SUPERLATIVE = Expression(r"(?:(?:\d+|two|three|four|five) )?(?:most|least|last|first|latest|top|[a-z]+est)\b")
_BEST_LAST = Expression(  # «which employee is the oldest in each store»
    r"^(?:which|what) ([a-z]+(?: [a-z]+)?) (?:is|are|was|were) the ((?:most |least )?[a-z]+) "
    r"(?=(?:in|of|for|at|on|from) (?:each|every)\b)"
)
_EACH_WITH = (
    rf"{_LEAD}(?:all )?(?:the |our )?(?P<group>.+?) (?:and|with|along with|together with) (?:all )?"
    r"(?:their|its|his|her) (?:respective )?(?P<said>[a-z][a-z' _-]*)",
    rf"{_LEAD}(?P<said>[a-z][a-z' _-]*?) (?:of|for) (?:each|every)(?: of the| of our)? (?P<group>.+)",
    rf"{_LEAD}(?:each|every) (?P<group>.+?)(?:'s|s') (?P<said>[a-z][a-z' _-]*)",
    r"how (?:many|much) (?P<said>[a-z][a-z' _-]*?) (?:do|does|did|has|have|had) (?:each|every)(?: of the| of our)? "
    r"(?P<group>.+?)(?: (?:get|got|have|make|made|score|scored|receive|received|keep|kept|earn|earned))?",
)
_AND = r"(?P<first>.+?)(?:[,;?]+ (?:and |also )*| and (?:also )?)"
_SECOND = Expression(  # «..., and what is their budget», «and when were they hired»
    rf"{_AND}(?:(?:what|who|which|where) (?:is|are|was|were) (?P<whose>their|its|his|her)"
    r"|when (?:is|are|was|were|do|does|did) (?:they|it|he|she)) (?P<said>[a-z][a-z' _-]*)"
)
_ABOUT_THEM = Expression(  # «..., and who owns it», «and where do they live»
    rf"{_AND}(?P<asked>(?:who|what|which|where|when|how) (?:[a-z' _-]+ )?)(?:it|they|them|he|she|him)(?P<rest> .+|)"
)
_AND_WHEN = Expression(rf"{_AND}(?P<when>(?:(?:since|from|until|till) )?when)")
_OF_ONE = {"do": "does", "are": "is", "were": "was", "have": "has"}


class Asked(NamedTuple):
    """A question for a number of each group.

    Attributes:
        said: What is counted, added up or averaged, in words.
        group: What for each of which.
        best: "largest" or "smallest" for the groups with this number, "mean" for the mean of all, "" for all numbers.
        is_number: Whether a number is asked for in words: «orders by customer» may be a list.
        verb: What each group does: «how many orders did each employee handle».
        done: What is done by each group: «orders handled by each employee».
        of_best: Whether the best of each group is asked for, and no number: «the oldest employee in each store».
    """

    said: str
    group: str
    best: str = ""
    is_number: bool = True
    verb: str = ""
    done: str = ""
    of_best: bool = False


def each_asked(text: str) -> Iterator[Asked]:
    """Yield the readings of a question as one for a number of each group.

    Args:
        text: The question, in lower case, with placeholders for entities.

    >>> [(one.said, one.group) for one in each_asked("average price of products by category")]
    [('average price of products', 'category')]
    >>> [one.best for one in each_asked("which country has the most customers")]
    ['largest']
    """
    bare = _THERE.sub(r"\1", _BEST_LAST.sub(r"\2 \1 ", _MEAN.sub("", text)))
    for wording in _FOR_EACH:
        match = re.fullmatch(wording, bare)
        asked = None if match is None else _for_each(match, text, is_mean=_MEAN.search(text) is not None)
        if asked is not None:
            yield asked
            yield from _with_tail(asked)
    for wording in _THE_BEST:
        match = re.fullmatch(wording, text)
        if match is not None:
            best = "largest" if re.match(_UP, match["best"]) else "smallest"
            yield Asked(_said(match), match["group"], best)


def each_with(text: str) -> Iterator[tuple[str, str]]:
    """Yield the two phrases of a question for what each of some entities has: the entities, and what they have.

    >>> list(each_with("list the employees and their departments"))
    [('employees', 'departments')]
    """
    for wording in _EACH_WITH:
        match = re.fullmatch(wording, text)
        if match is not None and not re.match(_NUMBER, f"{match['said']} "):
            yield match["group"], match["said"]


def in_one(text: str) -> str:
    """Return one question for two, of which the second is about the answers of the first.

    >>> in_one("which projects are active and what is their budget")
    'which projects are active and their budget'
    """
    second = _SECOND.fullmatch(text)
    return f"{second['first']} and {second['whose'] or 'their'} {second['said']}" if second else text


def about_them(text: str, noun: str = "") -> tuple[str, str]:
    """Return two questions of which the second is about the answers of the first, with a noun for them; "" for others.

    >>> about_them("who works on e0, and where do they live", "person")
    ('who works on e0', 'where does each person live')
    """
    found = _ABOUT_THEM.fullmatch(text)
    if found is None:
        return "", ""
    asked = " ".join(_OF_ONE.get(word, word) for word in found["asked"].split())
    return found["first"], f"{asked} each {noun}{found['rest']}"


def and_when(text: str) -> tuple[str, str]:
    """Return a question, and for which time of its answers it asks at the end; "" for others.

    >>> and_when("who works on e0, and since when")
    ('who works on e0', 'since when')
    """
    found = _AND_WHEN.fullmatch(text)
    return (found["first"], found["when"]) if found else ("", "")


def _said(match: re.Match[str]) -> str:
    counted = match.groupdict().get("counted")
    return f"number of {counted}" if counted else match["said"]


def _for_each(match: re.Match[str], text: str, *, is_mean: bool) -> Asked | None:
    said, parts = _said(match), match.groupdict()
    is_number, cue = re.match(_NUMBER, said) is not None, parts.get("cue", "")
    is_doer = is_plural(match["group"]) and not re.match(rf"{_AMOUNT} ", said)
    if cue == "by" and (is_doer or (not is_number and _SHOWN.match(text))):
        return None  # «orders placed by customers»
    if is_mean and not is_number:
        return Asked(f"number of {said}", match["group"], "mean")
    best, verb, done = "mean" if is_mean or "average" in cue else "", parts.get("verb") or "", parts.get("done") or ""
    is_asked = is_number or cue in ("per", "by")
    of_best = not is_asked and SUPERLATIVE.match(said) is not None
    return Asked(said, match["group"], best, is_number, verb, done, of_best) if is_asked or of_best else None


def _with_tail(asked: Asked) -> Iterator[Asked]:
    """Yield a question whose groups are followed by a condition: «(orders per) month in 2013»."""
    for match in _TAIL.finditer(asked.group):
        word = "in" if match["word"] == "of" else match["word"]
        yield asked._replace(said=f"{asked.said} {word} {match['rest']}", group=asked.group[: match.start()])
