"""Relation paths that a language model plans, matched in the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphbrick.core import Query, Subgraph
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.extract.seeds import start
from graphbrick.graphs.graph import Graph
from graphbrick.patterns.planner import Plan, RelationPlanner, plan_text
from graphbrick.patterns.relation_paths import Ids, match
from graphbrick.pipeline import ExtractStage


@dataclass(frozen=True, repr=False)
class PlannedRelations(RelationPlanner, ExtractStage):
    """The entities and triples on the relation paths that a language model proposes for the question.

    The model is shown the relations near the seeds and replies with relation paths. All their instances in the graph
    are matched from every seed; on none of them an entity is visited twice. A tuned planner, as in the paper, is the
    same brick over a tuned model: relations of the graph that it names without having been shown them are found too.
    A name without an arrow is followed either way. The model is asked for JSON where it is ``structured``.

    A subgraph holds every triple that is on an instance, but neither the instances nor the order of the plans, and a
    retrieve stage after it finds paths of its own. For the instances themselves, plan by plan, use `PlannedPaths`.

    Args:
        llm: The language model, such as LLM().
        max_hops: Relations in a path, from 1 to 10.
        plans: Relation paths that are asked for and used, at least 1.
        relations: Relations that the model is shown, at least 1, each direction counting as one. The nearest to a seed
            come first, of those the most frequent, then by name; that there are more, or that not all of them fit the
            context of the model, is an event. Directions in which triples only lead back towards the seeds are not
            shown.
        cap: Triples at most, at least 1. Paths are matched in the order of the plans and seeds, and those that no
            longer fit are left out, which is an event.

    Returns:
        A `Subgraph` of the seeds and of the entities and triples on the matched paths; of the seeds alone where there
        is no plan.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time.
    """

    paper = "Luo et al., Reasoning on Graphs (RoG), ICLR 2024; Cao et al., LEGO-GraphRAG, VLDB 2025 (SAE by LLM)"

    cap: int = parameter(10_000, at_least=1)

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        """Return the seeds, and the entities and triples on the matched paths."""
        seeds = start(graph, query)
        plans = self.planned(graph, seeds, query)
        triples = np.array(sorted(self._matched(graph, seeds, plans)), dtype=np.int32)
        heads = graph.csr.heads(triples)
        return Subgraph(graph, np.union1d(seeds, np.union1d(heads.astype(np.int32), graph.csr.tail[triples])), triples)

    def _matched(self, graph: Graph, seeds: Ids, plans: Sequence[Plan]) -> set[int]:
        """Return the triples on the instances of the plans, as many as the cap allows."""
        triples: set[int] = set()
        matched = 0
        for plan in plans:
            paths = 0
            for seed in seeds.tolist():
                for path in match(graph, seed, plan):
                    if len(triples) + len(set(path) - triples) > self.cap:
                        within = plan_text(graph, plan)
                        event(f"stopped at the cap of {self.cap:,} triples, within the plan {within} (cap)")
                        return triples
                    triples.update(path)
                    paths += 1
            matched += paths > 0
            if not paths:
                event(f"the plan {plan_text(graph, plan)} matches nothing from the seeds")
        fact(plans_matched=matched)
        return triples
