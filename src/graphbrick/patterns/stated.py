"""Relation patterns as questions: «cart-db <- depends on <- *» asks for the end of one pattern, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from graphbrick.core.errors import LinkError
from graphbrick.graphs.graph import Graph
from graphbrick.patterns.text import split_start, steps_of

_WITH_KEY = re.compile(r"(?P<label>.+) \[(?P<key>.+)\]")


class Stated(NamedTuple):
    """A pattern that a question states.

    Attributes:
        start: The entity that it starts from.
        steps: The relations, each with whether it is followed from head to tail.
    """

    start: int
    steps: tuple[tuple[int, bool], ...]


def stated_text(graph: Graph, start: int, steps: Sequence[tuple[int, bool]]) -> str:
    """Return the question that states a pattern; its start has its key where others have the same name.

    >>> from graphbrick.testing import tiny_graph
    >>> graph = tiny_graph()
    >>> text = stated_text(graph, graph.entity("Nairobi"), [(1, False), (0, True)])
    >>> text, stated(graph, text) == (graph.entity("Nairobi"), ((1, False), (0, True)))
    ('Nairobi <- capital <- * -> currency -> *', True)
    """
    label = graph.label(start)
    text = label if len(graph.named(label)) == 1 else f"{label} [{graph.key(start)}]"
    for relation, forward in steps:
        arrow = "->" if forward else "<-"
        text += f" {arrow} {graph.relation_label(relation)} {arrow} *"
    return text


def stated(graph: Graph, text: str) -> Stated | None:
    """Return the pattern that a question states; None for any other question.

    Every entity but the start must be a star. A start that the graph does not have, or that several entities are
    called, is another question too.

    >>> from graphbrick.testing import tiny_graph
    >>> stated(tiny_graph(), "What is the capital of Kenya?") is None
    True
    """
    start, walked = split_start(" ".join(text.split()))
    steps = steps_of(walked) if start and walked.endswith(" *") else ()
    if not steps or walked != " ".join(f"{arrow} {label} {arrow} *" for label, arrow in _with_arrows(steps)):
        return None
    numbers = {graph.relation_label(number): number for number in reversed(range(graph.n_relations))}
    entity = _entity(graph, start)
    if entity is None or not all(label in numbers for label, _ in steps):
        return None
    return Stated(entity, tuple((numbers[label], forward) for label, forward in steps))


def _with_arrows(steps: Sequence[tuple[str, bool]]) -> list[tuple[str, str]]:
    return [(label, "->" if forward else "<-") for label, forward in steps]


def _entity(graph: Graph, name: str) -> int | None:
    """Return the only entity of a name, or the one whose key follows it in brackets."""
    entities = graph.named(name)
    if len(entities) == 1:
        return entities[0]
    match = _WITH_KEY.fullmatch(name)
    try:
        return graph.entity(match["key"]) if match else None
    except LinkError:
        return None
