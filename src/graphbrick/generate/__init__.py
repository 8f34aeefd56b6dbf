"""Generate stages: make the answer."""

from graphbrick.generate.generate import Generate
from graphbrick.generate.path_answer import PathAnswer

BRICKS = (PathAnswer, Generate)

__all__ = ["BRICKS", "Generate", "PathAnswer"]
