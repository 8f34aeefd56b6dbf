"""Measures of an extracted subgraph: answers in it, size, number of components."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from graphbrick.core import Subgraph
from graphbrick.kernels.paths.components import components
from graphbrick.study.metrics.sets import Gold, gold_sets, harmonic, places


class SubgraphScores(NamedTuple):
    """The measures of one subgraph.

    Attributes:
        recall: The share of the gold answers that are in it, in [0, 1].
        precision: The share of its entities that are gold answers, in [0, 1]; 0 if it is empty.
        f1: The harmonic mean of both; usually small, because a subgraph contains much more than answers.
        nodes: Number of entities.
        triples: Number of triples.
        components: Number of weakly connected components; None for a view of the whole graph, where counting them would
            take longer than answering the question.
    """

    recall: float
    precision: float
    f1: float
    nodes: int
    triples: int
    components: int | None


def subgraph_scores(subgraph: Subgraph, gold: Gold) -> SubgraphScores:
    """Return the measures of one subgraph.

    Recall is the share of gold answers with at least one alternative in the subgraph. Precision is the share of the
    subgraph's entities that are an alternative of some gold answer.

    Args:
        subgraph: The result of extraction and pruning.
        gold: For each gold answer, its entity id or a collection of possible ids; None or an empty collection for one
            that is not in the graph, which counts as not found.

    Raises:
        ValueError: There are no gold answers.

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
        f1=harmonic(precision, recall),
        nodes=nodes,
        triples=subgraph.n_triples,
        components=None if subgraph.is_whole else n_components(subgraph),
    )


def n_components(subgraph: Subgraph) -> int:
    """Return the number of weakly connected components; 0 if the subgraph is empty.

    An entity without triples is a component of its own.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> n_components(Subgraph(tiny_graph()))
        1
    """
    lowest = components(subgraph.csr.rows)
    return int(np.count_nonzero(lowest == np.arange(len(lowest), dtype=np.int32)))
