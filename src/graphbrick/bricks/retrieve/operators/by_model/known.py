"""All that is known about the entities of a question that only a model can answer in words: why, what if, how."""

from __future__ import annotations

from itertools import combinations
from typing import cast

from graphbrick.bricks.retrieve.operators.paths.connection import paths_between
from graphbrick.bricks.retrieve.operators.sets import Place
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.items import Item
from graphbrick.core.trace import event
from graphbrick.graphs.cards import cards_of
from graphbrick.graphs.graph import Graph

_MOST = 5  # entities


def known_about(query: Query, subgraph: Subgraph, paths: Evidence, source: str) -> Evidence:
    """Return the cards of a question's entities, what connects them, and the paths that patterns gave.

    Args:
        query: The question, with its entities.
        subgraph: The part of the graph.
        paths: What the other readings gave.
        source: The stage, as it is named in each item.
    """
    graph, seeds = cast(Graph, subgraph.graph), list(dict.fromkeys(query.seeds))
    if len(seeds) > _MOST:
        text = (
            f"the question names {len(seeds):,} entities; what is known about the first {_MOST} is given to the model"
        )
        event(text, "known.entities_left_out", n=len(seeds))
    seeds, place = seeds[:_MOST], Place(graph, subgraph, {})
    between = (path for one, other in combinations(seeds, 2) for path in paths_between(place, one, other))
    items: list[Item] = [*cards_of(graph, seeds, source), *between, *paths.items]
    event("an open question: the model answers it from all that is known about its entities", "known.open_question")
    return Evidence(tuple(dict.fromkeys(items)))
