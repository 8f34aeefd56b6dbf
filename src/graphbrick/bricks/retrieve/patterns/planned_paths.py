"""Every instance of the relation paths that a language model plans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphbrick.core import Evidence, Path, Query, Subgraph, seeds_of
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.patterns.planned.planner import RelationPlanner, plan_text
from graphbrick.patterns.planned.relation_paths import instances
from graphbrick.pipeline import RetrieveStage


@dataclass(frozen=True, repr=False)
class PlannedPaths(RelationPlanner, RetrieveStage):
    """The paths that follow relation paths proposed by a language model, in its order.

    This is the retrieval of RoG: every instance of a plan is a reasoning path. The model is asked as by
    `PlannedRelations`, with the relations near the seeds in the whole graph; the paths stay inside the subgraph. No
    path visits an entity twice. A model that was tuned for planning is used in the same way.

    Args:
        llm: The language model, such as LLM().
        max_hops: Relations in a path, from 1 to 10.
        plans: Most relation paths asked for and used, at least 1.
        relations: Most relations shown to the model, at least 1; each direction counts as one. The nearest come first.
        cap: Most paths, at least 1; reaching it is an event.

    Returns:
        Paths in the order of the plans, then of the seeds, then of their triples. The score of a path is 1 / the
        position of its plan, so that a union or a re-ranker can tell the plans apart.

    Raises:
        ModelError: The server cannot be reached, refuses the request, or does not answer in time.
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
            walks = (instance for seed in seeds.tolist() for instance in instances(graph, seed, plan, subgraph.triples))
            for instance in walks:
                path = Path(graph, *instance, 1 / position, repr(self))
                if len(paths) == self.cap and path not in paths:
                    event(
                        f"stopped at the cap of {self.cap:,} paths, within the plan {text} (cap)",
                        "planned_paths.cap",
                        cap=self.cap,
                        plan=text,
                    )
                    fact(plans_matched=matched + (len(paths) > before))
                    return Evidence(tuple(paths))
                paths.setdefault(path)
            matched += len(paths) > before
            if len(paths) == before:
                event(
                    f"the plan {text} gives no path that an earlier one has not given",
                    "planned_paths.no_new_path",
                    plan=text,
                )
        fact(plans_matched=matched)
        return Evidence(tuple(paths))
