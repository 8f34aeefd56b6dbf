"""Extract stages: take a subgraph around the seeds."""

from graphbrick.extract.ppr import PPR

BRICKS = (PPR,)

__all__ = ["BRICKS", "PPR"]
