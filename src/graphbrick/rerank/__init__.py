"""Rerank stages: order evidence, or keep a part of it."""

from graphbrick.rerank.points import Points
from graphbrick.rerank.random_sample import RandomSample
from graphbrick.rerank.rank_ends import RankEnds
from graphbrick.rerank.rerank import Rerank
from graphbrick.rerank.supplement import Supplement

BRICKS = (Rerank, RandomSample, RankEnds, Supplement, Points)

__all__ = ["BRICKS", "Points", "RandomSample", "RankEnds", "Rerank", "Supplement"]
