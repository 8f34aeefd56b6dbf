"""Generate stages: make the answer."""

from graphbrick.generate.generate import Generate
from graphbrick.generate.path_answer import PathAnswer
from graphbrick.generate.quote import Quote

BRICKS = (PathAnswer, Generate, Quote)

__all__ = ["BRICKS", "Generate", "PathAnswer", "Quote"]
