"""Rerank stages: order evidence, or keep a part of it."""

from graphbrick.rerank.rerank import Rerank

BRICKS = (Rerank,)

__all__ = ["BRICKS", "Rerank"]
