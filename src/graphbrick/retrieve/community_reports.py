"""Reports that a language model writes about the communities of a subgraph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core import Evidence, Query, Report, Subgraph, seeds_of
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.llm.chat import ChatModel
from graphbrick.llm.replies import numbered, one_line, without_thinking
from graphbrick.pipeline import RetrieveStage
from graphbrick.scorers.scorer import Scorer

_NAMES = 30  # best-connected entities that stand for a community when communities are ranked
_TRIPLES = 100  # triples of a community that a report is written from
_INSTRUCTION = (
    "You write a report about a part of a knowledge graph, from the triples given and from nothing else: a title on "
    "the first line, then at most five sentences on what the triples say, naming entities as they are written there."
)


@dataclass(frozen=True, repr=False)
class CommunityReports(RetrieveStage):
    """Reports about the communities of the subgraph that bear most on the question.

    The subgraph is parted into communities by the Leiden method; they are ranked by what their best-connected entities
    are called, and a language model reports on each of the best ``n``. This is the GRAG-M instance of the paper, after
    Edge et al., "From Local to Global" (2024), made for the subgraph of one question: no graph has to be prepared.

    Args:
        llm: The language model that writes, one call a report.
        scorer: What ranks the communities, such as MiniLM().
        n: Reports at most, at least 1.
        size: Entities of a community at most, at least 2; larger ones are parted again.

    Returns:
        `Report` items, best first, each with the entities of its community. An empty reply gives no report. Of
        communities of equal score the one with the lowest entity id comes first.

    Raises:
        GraphbrickError: The extra ``graphbrick[communities]`` is not installed.
        ModelError: The model cannot be reached.
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (GRAG-M); Traag et al., From Louvain to Leiden, 2019"

    llm: ChatModel = parameter(example="LLM()")
    scorer: Scorer = parameter(example="MiniLM()")
    n: int = parameter(3, at_least=1, search=(1, 3, 5))
    size: int = parameter(50, at_least=2, search=(20, 50, 100))

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """The reports."""
        if not len(seeds_of(query, subgraph)):
            return Evidence()
        subgraph = subgraph.listed()
        communities = leiden(subgraph, self.size)
        fact(communities=len(communities))
        if not communities:
            return Evidence()
        degree = subgraph.csr.degrees()
        names = []
        for members in communities:
            best = members[np.argsort(-degree[members], kind="stable")[:_NAMES]]
            names.append(", ".join(subgraph.graph.label(node) for node in _entities(subgraph, best)))
        scores = self.scorer.rate(query.text, names)
        reports = []
        for i in np.argsort(-scores, kind="stable")[: self.n].tolist():
            text = self._write(query, subgraph, communities[i])
            if text:
                entities = tuple(_entities(subgraph, communities[i]))
                reports.append(Report(subgraph.graph, entities, text, float(scores[i]), repr(self)))
        return Evidence(tuple(dict.fromkeys(reports)))

    def _write(self, query: Query, subgraph: Subgraph, members: npt.NDArray[np.int64]) -> str:
        """The report on one community; empty where the model said nothing."""
        nodes = np.array(_entities(subgraph, members), dtype=np.int32)
        inside = np.zeros(subgraph.csr.n_nodes, dtype=np.bool_)
        inside[members] = True
        head = subgraph.csr.all_heads()
        triples = np.flatnonzero(inside[head] & inside[subgraph.csr.tail]).astype(np.int32)
        if subgraph.triples is not None:
            triples = subgraph.triples[triples]
        texts = Subgraph(subgraph.graph, nodes, triples).triple_texts()
        if len(texts) > _TRIPLES:
            event(f"a report was written from the first {_TRIPLES} of the {len(texts):,} triples of its community")
        listed = numbered(texts[:_TRIPLES])
        reply = self.llm.complete(
            [
                {"role": "system", "content": _INSTRUCTION},
                {
                    "role": "user",
                    "content": f"Triples:\n{listed}\n\nThe report will serve to answer: {one_line(query.text)}",
                },
            ]
        )
        return without_thinking(reply)


def leiden(subgraph: Subgraph, size: int, seed: int = 0) -> Sequence[npt.NDArray[np.int64]]:
    """The communities of a subgraph: local ids of at least two entities each, ascending, in order of the first.

    Parallel triples count each; direction does not. Entities without triples belong to none.

    Raises:
        GraphbrickError: The library for it is not installed.
    """
    try:
        from graspologic_native import hierarchical_leiden
    except ImportError as error:
        raise GraphbrickError("communities need a library: pip install 'graphbrick[communities]'") from error
    csr = subgraph.listed().csr
    head = csr.all_heads().astype(np.int64)
    tail = csr.tail.astype(np.int64)
    apart = head != tail
    ends = np.stack([np.minimum(head, tail)[apart], np.maximum(head, tail)[apart]])
    if not ends.shape[1]:
        return []
    pairs, weights = np.unique(ends, axis=1, return_counts=True)
    edges = [(str(u), str(v), float(w)) for u, v, w in zip(*pairs.tolist(), weights.tolist(), strict=True)]
    found: dict[int, list[int]] = {}
    for entry in hierarchical_leiden(edges, max_cluster_size=size, seed=seed):
        if entry.is_final_cluster:
            found.setdefault(entry.cluster, []).append(int(entry.node))
    communities = sorted(sorted(members) for members in found.values() if len(members) > 1)
    return [np.array(members) for members in communities]


def _entities(subgraph: Subgraph, local: npt.NDArray[np.int64]) -> list[int]:
    """The entity ids of local ids."""
    ids: list[int] = (local if subgraph.nodes is None else subgraph.nodes[local]).tolist()
    return ids
