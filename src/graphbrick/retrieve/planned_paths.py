"""Every instance of the relation paths that a language model plans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.core import Evidence, Path, Query, Subgraph, seeds_of
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.patterns.planner import RelationPlanner, plan_text
from graphbrick.patterns.relation_paths import instances
from graphbrick.pipeline import RetrieveStage


@dataclass(frozen=True, repr=False)
class PlannedPaths(RelationPlanner, RetrieveStage):
    """The paths that follow the relation paths proposed by a language model, in the order of the proposals.

    This is the retrieval of RoG: every instance of a plan is a reasoning path. The model is asked as by
    `PlannedRelations`, with the relations near the seeds in the whole graph; the paths stay inside the subgraph. On no
    path an entity is visited twice. A model that was tuned for plans is given here in the same way.

    Args:
        llm: The language model, such as LLM().
        max_hops: Relations in a path, from 1 to 10.
        plans: Relation paths that are asked for and used, at least 1.
        relations: Relations that the model is shown, at least 1, each direction counting as one; the nearest first.
        cap: Paths at most, at least 1; reaching it is an event.

    Returns:
        Paths in the order of the plans, then of the seeds, then of their triples. The score of a path is 1 / the
        position of its plan, so that a union or a re-ranker can tell the plans apart.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time.
    """

    paper = "Luo et al., Reasoning on Graphs (RoG), ICLR 2024"

    cap: int = parameter(10_000, at_least=1)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the instances of the plans."""
        graph, seeds = subgraph.graph, seeds_of(query, subgraph)
        seeds = seeds if subgraph.nodes is None else subgraph.nodes[seeds]
        if not len(seeds):
            return Evidence()
        paths: dict[Path, None] = {}
        matched = 0
        for position, plan in enumerate(self.planned(graph, np.sort(seeds), query), 1):
            before, text = len(paths), plan_text(graph, plan)
            found = (instance for seed in seeds.tolist() for instance in instances(graph, seed, plan, subgraph.triples))
            for instance in found:
                path = Path(graph, *instance, 1 / position, repr(self))
                if len(paths) == self.cap and path not in paths:
                    event(f"stopped at the cap of {self.cap:,} paths, within the plan {text} (cap)")
                    fact(plans_matched=matched + (len(paths) > before))
                    return Evidence(tuple(paths))
                paths.setdefault(path)
            matched += len(paths) > before
            if len(paths) == before:
                event(f"the plan {text} gives no path that an earlier one has not given")
        fact(plans_matched=matched)
        return Evidence(tuple(paths))
