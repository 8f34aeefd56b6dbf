"""Near readings of a question by its best patterns, and the exact answer of a pattern that a question states."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import cast

import numpy as np

from graphbrick.bricks.retrieve.patterns.patterns import Patterns
from graphbrick.core import Citation, Evidence, Query, Reading, Row, Subgraph
from graphbrick.core.answer import NearReading
from graphbrick.core.items import ANSWER, Item
from graphbrick.core.trace import DETAIL, REFUSAL, event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.patterns import Followed, follow
from graphbrick.language.forms import PERSON, kind_of
from graphbrick.language.stems import spaced
from graphbrick.patterns.in_words import InWords
from graphbrick.patterns.languages import counts_in
from graphbrick.patterns.model.scorer import PatternScorer
from graphbrick.patterns.pattern_reader import PatternReader, symmetric_relations
from graphbrick.patterns.stated import Stated, stated_text
from graphbrick.pipeline.budget import check_budget

_LEAST, _LOOKED_AT = 0.005, 8  # the lowest confidence of a reading that is offered, and patterns that are compared
_TOLD_APART = 100  # ends of which the types are looked at


def stated_evidence(pattern: Stated, subgraph: Subgraph, patterns: Patterns, cap: int) -> Evidence:
    """Return the ends of a pattern that a question states as answers, then the paths to them.

    Args:
        pattern: The pattern.
        subgraph: The view of the graph that it is followed in.
        patterns: The stage, whose scorer knows which relations are symmetric.
        cap: Most answers; reaching it is an event.
    """
    graph = cast(Graph, subgraph.graph)
    text, followed = stated_text(graph, *pattern), _followed(pattern, subgraph, patterns)
    ends = [] if followed is None else followed.ends.tolist()
    if len(ends) > cap:
        message = f"{len(ends):,} entities are the answer; the first {cap:,} are given (cap)"
        event(message, "near_patterns.cap", n=len(ends), cap=cap)
    if not ends:
        event(f"nothing in the graph fits: {text}", "near_patterns.nothing_fits", REFUSAL, path=text)
    event(f"the question is a path: {text}", "near_patterns.stated", DETAIL, path=text)
    cited, source = (Citation(query=text),), repr(patterns)
    rows: list[Item] = [
        Row(ANSWER, (graph.label(end), text), cited, (end,), graph, source=source) for end in ends[:cap]
    ]
    paths = [] if followed is None else [followed.path(i, source) for i in range(len(ends[:cap]))]
    return Evidence((*rows, *paths))


def near_patterns(patterns: Patterns, query: Query, subgraph: Subgraph, most: int) -> list[NearReading]:
    """Return the best patterns around the seeds as readings, the likeliest first.

    Each leads to other answers, and none is longer than the best. Those of hardly any confidence are left out.

    Args:
        patterns: The stage that finds patterns.
        query: The question.
        subgraph: The view of the graph.
        most: Most readings.
    """
    graph, scorer = cast(Graph, subgraph.graph), patterns.scorer
    if not query.seeds:
        return []
    learned = scorer.model if isinstance(scorer, PatternScorer) else None
    words = InWords.of(learned, symmetric_relations(scorer))
    best = patterns.readings(query, subgraph)
    longest = len(best[0].pattern.steps) if best else 0
    near: dict[tuple[int, ...], NearReading] = {}
    for reading in islice((one for one in best if len(one.pattern.steps) <= longest), _LOOKED_AT):
        likely = _confidence(scorer, query, reading, best)
        pattern = _as_stated(graph, query, reading)
        followed = None if pattern is None else _followed(pattern, subgraph, patterns)
        ends = () if followed is None else tuple(np.unique(followed.ends).tolist())
        if pattern is None or not ends or (likely is not None and likely < _LEAST):
            continue
        labels = [(graph.relation_label(relation), forward) for relation, forward in pattern.steps]
        types = [*reading.pattern.types[:-1], _type_of(graph, ends, reading.pattern.types[-1:])]
        text = words.phrase(graph.label(pattern.start), labels, types, many=len(ends) > 1)
        near.setdefault(
            ends,
            NearReading(text, stated_text(graph, *pattern), (graph.key(pattern.start),), len(ends), likely),
        )
    return sorted(near.values(), key=lambda one: -(one.confidence or 0))[:most]


def _type_of(graph: Graph, ends: Sequence[int], usual: Sequence[str]) -> str:
    """Return the type that all of some entities have; «person» for people of several types, "" if there is none."""
    types = [set(graph.types(end)) for end in ends[:_TOLD_APART]]
    if usual and all(usual[0] in own for own in types):
        return usual[0]
    return "person" if all(any(kind_of(spaced(name).lower()) == PERSON for name in own) for own in types) else ""


def _confidence(scorer: object, query: Query, reading: Reading, best: list[Reading]) -> float | None:
    """Return how likely a reading is the right one among the best; None if the scorer does not estimate it."""
    if not isinstance(scorer, PatternReader):
        return None
    others = [other for other in best if other is not reading]
    return scorer.confidence(query.text, lambda: [reading, *others])


def _as_stated(graph: Graph, query: Query, reading: Reading) -> Stated | None:
    """Return the pattern of a reading by ids; None if it comes back to its start, which a question cannot state."""
    pattern = reading.pattern
    if any(step.back for step in pattern.steps):
        return None
    numbers = {graph.relation_label(number): number for number in reversed(range(graph.n_relations))}
    starts = (seed for seed in query.seeds if query.name_of(seed, graph.label(seed)) == pattern.start_label)
    steps = tuple((numbers[step.relation], step.forward) for step in pattern.steps)
    # Entities of one name have the same label: the pattern is that of the one from which it leads to the ends.
    return next(
        (
            Stated(start, steps)
            for start in starts
            if (way := follow(Subgraph(graph), start, steps)) is not None and np.isin(reading.ends, way.ends).any()
        ),
        None,
    )


def _followed(pattern: Stated, subgraph: Subgraph, patterns: Patterns) -> Followed | None:
    symmetric = symmetric_relations(patterns.scorer)
    both = {relation for relation, _ in pattern.steps if subgraph.graph.relation_label(relation) in symmetric}
    counts = counts_in(subgraph, "")
    return follow(subgraph, pattern.start, pattern.steps, symmetric=both, check=check_budget, counts=counts)
