"""Rerank stages: order evidence, or keep a part of it."""

from graphbrick.rerank.random_sample import RandomSample
from graphbrick.rerank.rank_ends import RankEnds
from graphbrick.rerank.rerank import Rerank
from graphbrick.rerank.supplement import Supplement

BRICKS = (Rerank, RandomSample, RankEnds, Supplement)

__all__ = ["BRICKS", "RandomSample", "RankEnds", "Rerank", "Supplement"]
