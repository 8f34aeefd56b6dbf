"""Words for records such as orders: that they came in on a day, and how many of a thing are on one."""

from __future__ import annotations

import re

from graphbrick.graphs.graph import Graph
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.sources import sources_of

_DAY = r"(?:the )?(?:year )?(?:\d|(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.? \d)"
_MADE_THEN = re.compile(
    r"(?:\b(?:that |which )?(?:were |was |have been |had been |has been |have |had |has )?"
    r"\b(?P<verb>came|come|received|made|created|entered|taken|took|recorded|issued|filed|raised|happened|occurred)"
    rf"(?: in| place)? )(?P<when>in|on|during|before|after|since|between|from|until) (?={_DAY})"
)
_QUANTITIES = frozenset(map(stem, "quantity qty units pieces count".split()))
_OF = r"(?P<what>(?:the )?e\d+)"
_HOW_MANY = (
    (
        re.compile(
            rf"^how many (?:(?:units|pieces|items) of )?{_OF} (?:are|is|were|was)(?: there)? (?:on|in|with|part of) "
            r"(?P<where>(?:the )?e\d+)$"
        ),
        r"what is the {name} of \g<what> in \g<where>",
    ),
    (
        re.compile(
            rf"^how many (?:(?:units|pieces|items) of )?{_OF} (?:do|does|did) (?P<where>(?:the )?e\d+) "
            r"(?:contain|include|have|hold|list)$"
        ),
        r"what is the {name} of \g<what> in \g<where>",
    ),
    (
        re.compile(
            rf"^(?P<lead>(?:which|what) [a-z]+) (?:has|have|had|contains?|contained|includes?|included) the "
            rf"(?P<most>most|fewest|least) (?:(?:units|pieces) of )?{_OF}(?: (?:on|in) it)?$"
        ),
        r"\g<lead> had the {most} {name} of \g<what>",
    ),
)


def in_words_of_records(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return a question about records in the words that other rules read.

    Args:
        graph: The graph.
        text: The question in lower case, with placeholders.
        lexicon: The words of the graph.
    """
    return _without_making(graph, _by_quantity(graph, text), lexicon)


def _by_quantity(graph: Graph, text: str) -> str:
    """Return «how many e0 were on e1» as a question for the quantity, where triples of the graph have one."""
    for pattern, wording in _HOW_MANY:
        match = pattern.match(text)
        if match is None:
            continue
        names = [one.name for one in graph.columns if one.of_triples and set(stems(spaced(one.name))) <= _QUANTITIES]
        if len(names) != 1:
            return text
        most = "highest" if match.groupdict().get("most") == "most" else "lowest"
        return match.expand(wording.format(name=spaced(names[0]).lower(), most=most))
    return text


def _without_making(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return a question without verbs that say of things of a day no more than that they came: «came in during 2013».

    A verb that the graph has as a relation or property stays.
    """
    match = _MADE_THEN.search(text)
    if match is None or stem(match["verb"]) in lexicon.words:
        return text
    if any(stem(match["verb"]) in source.words for source in sources_of(graph)):
        return text
    when = "in" if match["when"] == "during" else match["when"]
    return f"{text[: match.start()]}{when} {text[match.end() :]}".strip()
