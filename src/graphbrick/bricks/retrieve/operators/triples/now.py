"""Questions about now, over relations that end: «who currently works in Blue», where triples have an `until`."""

from __future__ import annotations

import re

from graphbrick.bricks.retrieve.operators.triples.columns import triple_properties
from graphbrick.core import Evidence
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph

_NOW = re.compile(
    r"\b(currently|presently|still|nowadays|at the moment|at present|these days|right now|(?<!until )now)\b",
    re.IGNORECASE,
)


def leaves_out_now(graph: Graph, question: str, evidence: Evidence) -> bool:
    """Return whether an answer follows relations whose triples have ends, though the question asks about now.

    Such triples count, also those that ended long ago, which is told.
    """
    said = _NOW.search(question)
    if said is None or not evidence.paths:
        return False
    relations = {step.relation for path in evidence.paths for step in path.steps}
    ends = [
        (one.name, graph.relation_label(number))
        for one in triple_properties(graph)
        if one.is_end
        for number in sorted(one.relations)
        if graph.relation_label(number) in relations
    ]
    for name, relation in ends[:1]:
        text = f"«{said[0]}» is not read: triples of {relation} that have an end ({name}) count too"
        event(text, "operators.not_now", word=said[0], relation=relation, property=name)
    return bool(ends)
