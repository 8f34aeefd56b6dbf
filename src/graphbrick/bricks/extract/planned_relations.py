"""Relation paths that a language model plans, matched in the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphbrick.bricks.extract.seeds import start
from graphbrick.core import Query, Subgraph
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.graphs.graph import Graph
from graphbrick.patterns.planned.planner import Plan, RelationPlanner, plan_text
from graphbrick.patterns.planned.relation_paths import Ids, match
from graphbrick.pipeline import ExtractStage


@dataclass(frozen=True, repr=False)
class PlannedRelations(RelationPlanner, ExtractStage):
    """The entities and triples on the relation paths that a language model proposes for the question.

    The model is shown the relations near the seeds and replies with relation paths. All instances of these paths in the
    graph are matched from every seed; no instance visits an entity twice. For a tuned planner, as in the paper, use
    this brick with a tuned model; it may also name relations of the graph that it was not shown. A relation without an
    arrow is followed in both directions. A model that is ``structured`` is asked for JSON.

    The subgraph holds every triple on an instance, but not the instances themselves or the order of the plans; a
    retrieve stage after it finds its own paths. To get the instances, plan by plan, use `PlannedPaths`.

    Args:
        llm: The language model, such as LLM().
        max_hops: Relations in a path, from 1 to 10.
        plans: Most relation paths asked for and used, at least 1.
        relations: Most relations shown to the model, at least 1; each direction counts as one. They are ordered by
            distance from the seeds, then by frequency, then by name. It is an event if there are more, or if they do
            not all fit the context of the model. Directions that only lead back towards the seeds are not shown.
        cap: Most triples, at least 1. Paths are matched in the order of the plans and seeds. Paths that no longer fit
            are left out, which is an event.

    Returns:
        A `Subgraph` of the seeds and of the entities and triples on the matched paths; only the seeds if there is no
        plan.

    Raises:
        ModelError: The server cannot be reached, refuses the request, or does not answer in time.
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
        """Return the triples on the instances of the plans, up to the cap."""
        triples: set[int] = set()
        matched = 0
        for plan in plans:
            paths = 0
            for seed in seeds.tolist():
                for path in match(graph, seed, plan):
                    if len(triples) + len(set(path) - triples) > self.cap:
                        within = plan_text(graph, plan)
                        event(
                            f"stopped at the cap of {self.cap:,} triples, within the plan {within} (cap)",
                            "planned_relations.cap",
                            cap=self.cap,
                            plan=within,
                        )
                        return triples
                    triples.update(path)
                    paths += 1
            matched += paths > 0
            if not paths:
                event(
                    f"the plan {plan_text(graph, plan)} matches nothing from the seeds",
                    "planned_relations.no_match",
                    plan=plan_text(graph, plan),
                )
        fact(plans_matched=matched)
        return triples
