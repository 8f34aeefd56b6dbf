"""Measures of an extracted subgraph: answers in it, size, number of pieces."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from graphbrick.core import Subgraph
from graphbrick.evaluate.metrics.sets import Gold, gold_sets, places
from graphbrick.kernels.components import components


class SubgraphScores(NamedTuple):
    """The measures of one subgraph.

    Attributes:
        recall: The share of the gold answers that are in it, in [0, 1].
        precision: The share of its entities that are gold, in [0, 1]; 0 where it is empty.
        f1: The harmonic mean of both; small by nature, since a subgraph holds more than answers.
        nodes: How many entities it has.
        triples: How many triples it has.
        components: How many weakly connected components it has; None for a view of the whole graph, where counting them
            would take longer than the question.
    """

    recall: float
    precision: float
    f1: float
    nodes: int
    triples: int
    components: int | None


def subgraph_scores(subgraph: Subgraph, gold: Gold) -> SubgraphScores:
    """Return the measures of one subgraph.

    Recall is the number of gold answers of which an alternative is in it, divided by the number of gold answers;
    precision the number of its entities that are an alternative of any, divided by the number of its entities.

    Args:
        subgraph: What extraction and pruning gave.
        gold: For each answer its entity id, or a collection of the ids that it may mean; None or an empty collection
            for one that is not in the graph, which counts as not found.

    Raises:
        ValueError: There is no gold.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> subgraph_scores(Subgraph(graph), [graph.entity("Nairobi"), None]).recall
        0.5
    """
    wanted, nodes = gold_sets(gold), subgraph.n_nodes
    meant = places(wanted)
    held = [entity for entity in meant if subgraph.local([cast("int", entity)])]
    recall = len({place for entity in held for place in meant[entity]}) / len(wanted)
    precision = len(held) / nodes if nodes else 0.0
    return SubgraphScores(
        recall=recall,
        precision=precision,
        f1=2 * precision * recall / (precision + recall) if held else 0.0,
        nodes=nodes,
        triples=subgraph.n_triples,
        components=None if subgraph.is_whole else n_components(subgraph),
    )


def n_components(subgraph: Subgraph) -> int:
    """The number of weakly connected components; an entity without triples is one of its own, 0 where there is none.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> n_components(Subgraph(tiny_graph()))
        1
    """
    lowest = components(subgraph.csr.rows)
    return int(np.count_nonzero(lowest == np.arange(len(lowest), dtype=np.int32)))
