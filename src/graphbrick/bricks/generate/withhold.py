"""Answers that are withheld because nothing in the graph fits the question well enough."""

from __future__ import annotations

from graphbrick.core import Answer, Path
from graphbrick.core.trace import DETAIL, REFUSAL, event


def withheld(best: Path, confidence: float | None, min_confidence: float) -> Answer | None:
    """Return an empty answer, with an event, in place of one of low confidence; None if it may be given.

    Args:
        best: A path of the best reading of the question.
        confidence: The probability that this reading is right; None if it is not known.
        min_confidence: The lowest confidence that an answer may have.
    """
    if confidence is None:
        if min_confidence:
            event(
                "the stages before give no confidence, so that no answer is withheld",
                "withhold.no_confidence",
                DETAIL,
            )
        return None
    if confidence >= min_confidence:
        return None
    reading = reading_text(best)
    event(
        f"not sure enough of an answer: the likeliest reading, {reading}, has confidence {confidence:.2f}; "
        f"{min_confidence:.2f} is needed",
        "withhold.low_confidence",
        REFUSAL,
        reading=reading,
        confidence=confidence,
    )
    return Answer(confidence=confidence, withheld=reading)


def reading_text(path: Path) -> str:
    """Return the start and the relations of a path; a star stands for every other entity.

    >>> from graphbrick import BM25, Patterns, Query, Subgraph
    >>> from graphbrick.testing import tiny_graph
    >>> graph = tiny_graph()
    >>> query = Query("the currency of the country whose capital is Nairobi", (graph.entity("Nairobi"),))
    >>> reading_text(Patterns(BM25(), n=1, max_hops=2).retrieve(query, Subgraph(graph)).paths[0])
    'Nairobi <- capital <- * -> currency -> *'
    """
    text = path.start_label
    for relation, forward, _ in path.steps:
        arrow = "->" if forward else "<-"
        text += f" {arrow} {relation} {arrow} *"
    return text
