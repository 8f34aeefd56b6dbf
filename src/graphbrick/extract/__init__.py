"""Extract stages: take a subgraph around the seeds."""

from graphbrick.extract.k_hop import KHop
from graphbrick.extract.page_rank import PageRank
from graphbrick.extract.planned_relations import PlannedRelations
from graphbrick.extract.ppr import PPR
from graphbrick.extract.random_walk import RandomWalk

BRICKS = (RandomWalk, KHop, PageRank, PPR, PlannedRelations)

__all__ = ["BRICKS", "PPR", "KHop", "PageRank", "PlannedRelations", "RandomWalk"]
