"""Generate stages: make the answer."""

from graphbrick.generate.from_model import FromModel
from graphbrick.generate.generate import Generate
from graphbrick.generate.path_answer import PathAnswer
from graphbrick.generate.quote import Quote
from graphbrick.generate.write_answer import WriteAnswer

BRICKS = (PathAnswer, Generate, Quote, WriteAnswer, FromModel)

__all__ = ["BRICKS", "FromModel", "Generate", "PathAnswer", "Quote", "WriteAnswer"]
