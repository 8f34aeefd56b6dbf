"""Generate stages: make the answer."""

from graphbrick.generate.generate import Generate
from graphbrick.generate.path_answer import PathAnswer
from graphbrick.generate.quote import Quote
from graphbrick.generate.write_answer import WriteAnswer

BRICKS = (PathAnswer, Generate, Quote, WriteAnswer)

__all__ = ["BRICKS", "Generate", "PathAnswer", "Quote", "WriteAnswer"]
