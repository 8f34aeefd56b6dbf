"""Replies to messages that ask nothing: a friendly line, and questions that the graph can answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphbrick.core import Answer, Query
from graphbrick.core.answer import NearReading
from graphbrick.core.trace import REFUSAL, Trace, event, record
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.graph import Graph
from graphbrick.language.counting import counted
from graphbrick.language.small_talk import APPROVAL, FAREWELL, GREETING, THANKS, small_talk
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.run import Level, Run
from graphbrick.text.overview.documents import documents_of

EXAMPLES = 3
"""Questions that are offered."""
_LINES = {
    GREETING: "Hello! I answer questions from {source}, and show where each answer comes from.",
    THANKS: "You are welcome! Ask me more: I answer questions from {source}.",
    FAREWELL: "Goodbye! When you have another question, I answer it from {source}.",
    APPROVAL: "Good. What else do you want to know? I answer questions from {source}.",
}
_GRAPH = (
    "I answer questions from {source}: I look up facts, follow connections, count, compare and filter, and show the "
    "path to each answer."
)
_TEXTS = (
    "I answer questions from {source}: I quote the sentences that answer best, each with its place, and tell what "
    "the documents are about."
)


def welcomed(
    graph: Any, pipeline: Pipeline, question: str, examples: Callable[[], Sequence[str]], seeds: Sequence[str] = ()
) -> Run | None:
    """Return the run of a message that asks nothing, without running the pipeline; None for any other message.

    Its refusal is a friendly line, with a code such as "small_talk.greeting", and its readings are questions to ask.
    No word of the message is looked for in the graph, but an entity that is called so is offered first; a word such as
    «Nice» then means the entity.

    Args:
        graph: The graph.
        pipeline: What would answer.
        question: The message.
        examples: Gives questions that the graph can answer; called only if they are needed.
        seeds: Where to start; with any, the message is a question.
    """
    kind = "" if seeds or pipeline.gives != Level.ANSWER else small_talk(question)
    named = _named(graph, question) if kind else ""
    if not kind or (named and kind == APPROVAL):
        return None
    about = [f"Tell me about {named}"] if named and not isinstance(graph, TextGraph) else []
    offered = [*about, *examples()][:EXAMPLES]
    trace = Trace()
    with record(trace, "welcome", "step"):
        event(_line(graph, kind), f"small_talk.{kind}", REFUSAL)
    readings = tuple(NearReading(text, text) for text in offered)
    return Run(graph, Query(question), linked=True, answer=Answer(readings=readings), trace=trace)


def _named(graph: Any, message: str) -> str:
    """Return the name of an entity that is just the message; empty if there is none."""
    label = message.strip().rstrip("!.?")
    if not isinstance(graph, Graph):
        return ""
    return label if any(graph.label(entity) == label for entity in graph.named(label)) else ""


def _line(graph: Any, kind: str) -> str:
    line = _LINES.get(kind, _TEXTS if isinstance(graph, TextGraph) else _GRAPH)
    if isinstance(graph, TextGraph):
        return line.format(source=counted(len(documents_of(graph).passages), "document"))
    if isinstance(graph, Graph):
        return line.format(source=f"{counted(graph.n_triples, 'fact')} about {graph.n_entities:,} things")
    return line.format(source="this graph")
