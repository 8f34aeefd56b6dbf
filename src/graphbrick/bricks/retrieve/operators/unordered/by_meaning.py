"""Answers to questions with words that the graph does not know, by the words of the graph that are nearest to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import cast

from graphbrick.bricks.retrieve.operators.question import is_known, question_of
from graphbrick.bricks.retrieve.operators.unordered.different import number_of_different
from graphbrick.bricks.retrieve.operators.unordered.own_property import own_property
from graphbrick.bricks.retrieve.operators.unordered.unknown_noun import noun_as_class
from graphbrick.bricks.retrieve.operators.wording import english
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.trace import StageTrace, Trace, event, record, tell_again
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.lexicon import Lexicon

CONFIDENCE = 0.4
"""The confidence of an answer to a question of which a word is read as one of the graph that is near to it."""
_ASSUMED, _MOST_NAMESAKES = 0.5, 6
_SURE = 0.3  # confidence below which words are compared


def or_by_meaning(
    retrieve: Callable[[Query, Subgraph], Evidence],
    lexicon: Lexicon,
    query: Query,
    subgraph: Subgraph,
    embedder: Embedder | None,
) -> Evidence:
    """Answer a question; where that fails, with a class or property of the graph for words that it does not know.

    What is read as what is told by an event, and the answer is not sure.

    Args:
        retrieve: Answers a question.
        lexicon: The words of the graph.
        query: The question.
        subgraph: The graph.
        embedder: Compares words; None for no comparison.
    """
    trial = Trace()
    with record(trial, "", ""):
        evidence = retrieve(query, subgraph)
    is_weak = not evidence.items or (evidence.confidence is not None and evidence.confidence < _SURE)
    if not evidence.items and (found := _of_namesake(retrieve, query, subgraph)) is not None:
        return found
    if not evidence.items:
        counted = number_of_different(partial(_read_again, retrieve, query, subgraph), query.text)
        if counted is not None:
            return counted
    is_open = is_weak and bool(lexicon.classes) and forms.is_installed()
    if is_open and embedder is not None and embedder.reads(query.text):
        graph = cast(Graph, subgraph.graph)
        known = partial(is_known, lexicon, english().for_graph(lexicon.by_class, lexicon.words))
        with record(Trace(), "", ""):
            question = question_of(graph, query, known)
        read = partial(_read_again, retrieve, query, subgraph)
        found = noun_as_class(read, graph, lexicon, question, query.text, known, embedder, trial.events)
        found = found or own_property(read, graph, lexicon, question, embedder)
        if found is not None:
            return replace(found, confidence=CONFIDENCE)
    tell_again(trial)
    return evidence


def _of_namesake(retrieve: Callable[[Query, Subgraph], Evidence], query: Query, subgraph: Subgraph) -> Evidence | None:
    """Return the answer about another entity that has the same name, such as the state Hamburg for the office.

    None if no such entity gives a sure answer.
    """
    graph = cast(Graph, subgraph.graph)
    for mention in query.mentions:
        for other in mention.others[:_MOST_NAMESAKES]:
            if set(graph.types(other)) == set(graph.types(mention.entity)):
                continue
            seeds = tuple(other if seed == mention.entity else seed for seed in query.seeds if seed != other)
            mentions = tuple(replace(one, entity=other, others=()) if one == mention else one for one in query.mentions)
            with record(Trace(), "", "") as read:
                found = retrieve(replace(query, seeds=seeds, mentions=mentions), subgraph)
            if found.items and (found.confidence or 0.0) >= _ASSUMED:
                name, kind = graph.label(other), ", ".join(graph.types(other))
                said = f"{name!r} is taken for the {kind}, of which the graph knows what is asked"
                event(said, "operators.namesake_answers", name=name)
                tell_again(Trace([read]))
                return found
    return None


def _read_again(
    retrieve: Callable[[Query, Subgraph], Evidence],
    query: Query,
    subgraph: Subgraph,
    text: str,
    seeds: tuple[int, ...] | None = None,
) -> tuple[Evidence, StageTrace]:
    """Return what another text of a question is answered, from other seeds if some are given, and its events."""
    with record(Trace(), "", "") as read:
        other = replace(query, text=text, seeds=query.seeds if seeds is None else seeds, mentions=())
        return retrieve(other, subgraph), read
