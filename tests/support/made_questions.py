"""Questions about a graph, in the words of its own relations."""

from __future__ import annotations

from graphbrick import Graph
from graphbrick.questions.question import Question


def made_questions(graph: Graph) -> tuple[Question, ...]:
    """Return twelve questions about one relation, and as many about two in a row."""
    triples = [graph.triple(int(triple)) for triple in graph.triple_ids()]
    pairs = [(a, b) for a in triples for b in triples if a[2] == b[0]]
    asked = [((a,), a[2]) for a in triples[:12]] + [((a, b), b[2]) for a, b in pairs[:12]]
    found = []
    for number, (steps, end) in enumerate(asked):
        words = " of ".join(graph.relation_label(step[1]) for step in reversed(steps))
        seed = steps[0][0]
        text = f"{words} of {graph.label(seed)}?"
        found.append(
            Question(str(number), text, (graph.key(seed),), (graph.key(end),), hops=len(steps), dataset="made")
        )
    return tuple(found)
