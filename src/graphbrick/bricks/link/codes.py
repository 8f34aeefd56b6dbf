"""Words that stand for entities: the code «JFK» for the airport whose property `faa` it is, «Swedish» for Sweden."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from graphbrick.bricks.link.question import Question, Span
from graphbrick.core import Mention
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import spaced, stems
from graphbrick.patterns.english.places import places_of

_BY_ADJECTIVE = 0.95  # the score of a place
_CODE = Expression(r"(?=.*(?:[A-Z].*[A-Z]|\d))[A-Z0-9][\w./-]{1,19}")
_LONGEST = 3  # words of a code, such as «AB-12»
_OPENING, _CLOSING = frozenset("<:@.$#"), frozenset(">)")  # of names of code


def is_code(graph: Graph, text: str, numbers: Iterable[int]) -> bool:
    """Return whether a name that begins and ends with signs of code stands in a text as it is: `:has()`.

    Args:
        graph: The graph.
        text: The text.
        numbers: The ids of the names that the text may have.
    """
    named = (graph.names.name(number) for number in numbers)
    codes = (one for one in named if one[:1] in _OPENING and one[-1:] in _CLOSING)
    return any(re.search(rf"(?<!\S){re.escape(one)}(?=$|[\s?.!,;])", text) for one in codes)


def entities_of_codes(graph: Graph, question: Question) -> list[tuple[Span, str, int]]:
    """Return the codes of a question with the one entity that each stands for.

    A code is a text with two capitals or a digit, written as in the graph, that is the value of a property of which no
    two entities have the same. A property that the question names, as in «the faa code JFK», is asked for by its value.
    """
    said = frozenset(stems(question.text))
    columns = [
        column
        for column in graph.columns
        if not column.of_triples and column.tells_apart and not said.intersection(stems(spaced(column.name)))
    ]
    found: list[tuple[Span, str, int]] = []
    at = 0
    while columns and at < len(question.words):
        sizes = range(min(_LONGEST, len(question.words) - at), 0, -1)
        codes = ((Span(at, at + size - 1), question.surface(Span(at, at + size - 1))) for size in sizes)
        for span, code in codes:
            owners = {
                int(owner)
                for column in columns
                if _CODE.fullmatch(code)
                for owner in column.named(code)
                if graph.properties(int(owner)).get(column.name) == code
            }
            if len(owners) == 1:
                found.append((span, code, owners.pop()))
                at = span.last
                break
        at += 1
    return found


def names_by_codes(
    graph: Graph, question: Question, taken: Sequence[Span], ranked: Callable[[Graph, str, list[int]], list[int]]
) -> list[tuple[Span, Mention]]:
    """Return the codes, and the adjectives of places with a capital, that stand for entities outside some spans.

    Args:
        graph: The graph.
        question: The question.
        taken: The spans.
        ranked: Returns the entities of a name by the ids of its spellings, the best first.
    """
    found = [
        (span, Mention(code, entity))
        for span, code, entity in entities_of_codes(graph, question)
        if not any(map(span.overlaps, taken))
    ]
    for _, mention in found:
        name = graph.label(mention.entity)
        event(f"{mention.text!r} is a code of {name!r}", "link.code", said=mention.text, taken=name)
    for at in range(len(question.words)):
        span = Span(at, at)
        if question.is_lower(span) or any(map(span.overlaps, (*taken, *(one for one, _ in found)))):
            continue
        places = (ranked(graph, place, list(graph.names.exact(place))) for place in places_of(question.words[at].text))
        entities = next(filter(None, places), None)
        if entities:
            found.append((span, Mention(question.surface(span), entities[0], _BY_ADJECTIVE, tuple(entities[1:]))))
    return found
