"""Extract stages: take a subgraph around the seeds."""

from graphbrick.extract.communities import Communities
from graphbrick.extract.expand import Expand
from graphbrick.extract.k_hop import KHop
from graphbrick.extract.page_rank import PageRank
from graphbrick.extract.planned_relations import PlannedRelations
from graphbrick.extract.ppr import PPR
from graphbrick.extract.random_walk import RandomWalk
from graphbrick.extract.sized_ppr import SizedPPR
from graphbrick.extract.sizers import LearnedSizer, ShareSizer
from graphbrick.extract.solvers import AGP, FORA, ExactPPR
from graphbrick.extract.vector_neighbors import VectorNeighbors

BRICKS = (
    RandomWalk, KHop, PageRank, PPR, SizedPPR, Communities, VectorNeighbors, PlannedRelations, ShareSizer, LearnedSizer,
    Expand, ExactPPR, FORA, AGP,
)  # fmt: skip

__all__ = [
    "AGP", "BRICKS", "FORA", "PPR", "Communities", "ExactPPR", "Expand", "KHop", "LearnedSizer", "PageRank",
    "PlannedRelations", "RandomWalk", "ShareSizer", "SizedPPR", "VectorNeighbors",
]  # fmt: skip
