"""Questions that are near one that was not answered, by what its refusal tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphbrick.bricks.retrieve.operators.sets import NO_ANTECEDENT
from graphbrick.bricks.retrieve.operators.unordered.evidence import PART_OF_NAMES, left_out
from graphbrick.bricks.retrieve.operators.wording import english
from graphbrick.bricks.retrieve.patterns.near_words import by_meaning
from graphbrick.bricks.retrieve.patterns.rewordings import rewordings, with_whole_names, without_words
from graphbrick.core.answer import NearReading
from graphbrick.core.trace import Event
from graphbrick.graphs.graph import Graph
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.lexicon import Lexicon


def reworded_by(
    graph: Graph, lexicon: Lexicon, question: str, events: Sequence[str], embedder: Embedder | None
) -> list[NearReading]:
    """Return the question with words of the graph, without words, and with whole names; they are still to be tried.

    Args:
        graph: The graph.
        lexicon: Its words.
        question: The question.
        events: What its refusal told.
        embedder: Compares words by meaning; None for no comparison.
    """
    unread = unread_words(events)
    without = 2 * len(unread) < len(english().content(question.lower()))
    reworded = rewordings(graph, question, unread, can_do_without=without)
    if embedder is not None:
        reworded += by_meaning(graph, lexicon, question, unread, embedder)
    reworded += without_words(question, left_out(events))
    told = next((one.values for one in _refusals(events) if one.values.get("reason") == PART_OF_NAMES), None)
    if told is not None:
        reworded += with_whole_names(question, str(told["part"]), told["names"])  # type: ignore[arg-type]
    return reworded


def unread_words(events: Sequence[str]) -> tuple[str, ...]:
    """Return the stems of the words that a refused question has and the graph does not know."""
    told = (one.values for one in _refusals(events) if one.values.get("reason") != NO_ANTECEDENT)
    return next((tuple(one.get("words", one.get("nouns", ()))) for one in told), ())  # type: ignore[arg-type]


def _refusals(events: Sequence[str]) -> Iterator[Event]:
    return (one for one in events if isinstance(one, Event) and one.code == "operators.not_answered")
