"""Rerank stages: order evidence, or keep a part of it."""
