"""Stars that stand for a rating: «a 5 star review», «gave X 4 stars», «3-star hotels»."""

from __future__ import annotations

import re
from dataclasses import replace

from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.bricks.retrieve.operators.triples.columns import letters_of_triples, triple_properties
from graphbrick.core import Query
from graphbrick.core.properties.values import Kind
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import spaced, stem
from graphbrick.patterns.properties.column_numbers import floats_of
from graphbrick.patterns.properties.sources import has_triple_properties, sources_of

RATINGS = frozenset(map(stem, "rating score stars star grade mark".split()))
"""Stems of names of numbers that say how good something is, and that do not add up."""
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_MOST_STARS, _NUMBERS_OF = 5, (Kind.INTEGER, Kind.NUMBER)
_IN_WORDS = Expression(rf"\b({'|'.join(_NUMBERS)})(?=[ -]stars?\b)")
_STARS = r"(?P<n>\d)[ -]stars?"
_RECORD = Expression(
    rf"\b(?P<have>(?:got|gets?|received?|has|have|had|with|without|no|any) )?(?:an? |any )?{_STARS}[ -]"
    r"(?P<noun>reviews?|ratings?|scores?)\b"
)
_GAVE = Expression(
    rf"\b(?P<verb>gave|gives?|given) (?P<what>(?:the )?e\d+) (?:an? )?{_STARS}(?:[ -](?:reviews?|ratings?))?\b"
)
_LETTER = Expression(
    r"\b(?:(?P<verb>gets?|got|receives?|received|earned|achieved|scored|has|have|had)|with) (?:an?|the) "
    r"(?P<letter>[A-Z])\b(?! ?[-'&.]?[A-Z])"
)
_THINGS = Expression(rf"\b{_STARS}[ -](?P<noun>[a-z]+)\b")


def with_grades(graph: Graph, query: Query) -> Query:
    """Return «who got grade A in e0» for «who got an A in e0», where triples have grades in letters.

    A letter that no property of one word has alone stays as it is.
    """
    found = _LETTER.search(query.text) if has_triple_properties(graph) else None
    own = [one for one in letters_of_triples(graph).get(found["letter"], ()) if len(one.stems) == 1] if found else []
    if found is None or len(own) != 1:
        return query
    name = spaced(own[0].name).lower()
    event(f"{found[0]!r} is read as the {name} {found['letter']}", "operators.grade", said=found[0], name=own[0].name)
    verb = "has" if found["verb"] else "with"
    text = f"{query.text[: found.start()]}{verb} {name} {found['letter']}{query.text[found.end() :]}"
    return replace(query, text=text)


def in_words_of_ratings(graph: Graph, question: Question) -> Question:
    """Return a question with the name of the rating for stars, where one property of triples or entities is a rating.

    Args:
        graph: The graph.
        question: The question.
    """
    text = question.text
    if (" star" not in text and "-star" not in text) or not forms.is_installed():
        return question
    text = _IN_WORDS.sub(lambda found: str(_NUMBERS[found[1]]), text)
    ratings = [
        one
        for one in triple_properties(graph)
        if one.is_number and one.words & RATINGS and _is_of_five(graph, one.name)
    ]
    if len(ratings) == 1 and len(ratings[0].relations) == 1:
        (relation,) = ratings[0].relations
        name = spaced(ratings[0].name).lower()
        verb = _verb_of(graph, relation)
        text = _GAVE.sub(rf"{forms.past(verb)} \g<what> with a {name} of \g<n>" if verb else r"\g<0>", text)
        text = _RECORD.sub(lambda found: _as_record(found, name, verb), text)
    own = [
        one
        for one in sources_of(graph)
        if one.relation < 0 and one.literal and one.words & RATINGS and _is_of_five(graph, one.name)
    ]
    if len(own) == 1:
        text = _THINGS.sub(rf"\g<noun> with {own[0].spoken} \g<n>", text)
    return replace(question, text=text)


def _as_record(found: re.Match[str], name: str, verb: str) -> str:
    """Return «a 5 star review» as «a review with a rating of 5», and «got» as «have»."""
    have = found["have"] or ""
    have = "have " if have.strip() in ("got", "get", "gets", "received", "receive") else have
    noun = verb if stem(found["noun"]) != stem(verb) and verb else found["noun"]
    return f"{have}{forms.plural(forms.singular(noun))} with a {name} of {found['n']}"


def _is_of_five(graph: Graph, name: str) -> bool:
    """Return whether no number of a property is above five, as stars are: five of ten points are no five stars."""
    own = [floats_of(column) for column in graph.columns if column.name == name and column.kind in _NUMBERS_OF]
    return any(map(len, own)) and all(numbers.max() <= _MOST_STARS for numbers in own if len(numbers))


def _verb_of(graph: Graph, relation: int) -> str:
    """Return the verb of a relation such as `REVIEWED`; "" for none."""
    words = spaced(graph.relation_label(relation)).lower().replace("_", " ").split()
    return forms.verb_of(words[0]) if words else ""
