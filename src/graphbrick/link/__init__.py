"""Link stages: find the seeds of a question."""

from graphbrick.link.labels import LinkLabels

BRICKS = (LinkLabels,)

__all__ = ["BRICKS", "LinkLabels"]
