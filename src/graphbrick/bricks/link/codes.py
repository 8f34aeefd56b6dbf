"""Codes that stand for entities: «JFK» for the airport whose property `faa` it is."""

from __future__ import annotations

import re

from graphbrick.bricks.link.question import Question, Span
from graphbrick.graphs.graph import Graph
from graphbrick.language.stems import spaced, stems

_CODE = re.compile(r"(?=.*(?:[A-Z].*[A-Z]|\d))[A-Z0-9][\w./-]{1,19}")
_LONGEST = 3  # words of a code, such as «AB-12»


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
