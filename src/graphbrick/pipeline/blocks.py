"""Pipelines as plain JSON types, for editors that show a pipeline as blocks.

A block is one of

- ``{"brick": "PPR", "parameters": {"k": 1000}}``: a brick; a parameter is a number, text, truth value, None, a list of
  these, or a block;
- ``{"then": [block, ...]}``: stages one after another, ``>>``;
- ``{"union": [block, ...]}``: branches, ``|``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import reduce
from operator import or_, rshift
from typing import Any, TypeAlias

from graphbrick.core.errors import PipelineError, shown
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.catalog import find
from graphbrick.pipeline.composition import Pipeline, Sequence, Union

Block: TypeAlias = dict[str, Any]
_DEEPEST = 40


class BlockError(PipelineError):
    """A block that is wrong.

    Attributes:
        at: The way to it: names and indices from the outermost block inwards.
    """

    def __init__(self, message: str, at: tuple[str | int, ...], *, code: str = "", **values: object) -> None:
        super().__init__(message, code=code, **values)
        self.at = at


def to_blocks(value: Brick | Pipeline) -> Block:
    """Return a pipeline or a brick as a block; parameters with their default are left out.

    >>> from graphbrick import PPR, ShortestPaths
    >>> to_blocks(PPR(k=500) >> ShortestPaths())["then"][0]
    {'brick': 'PPR', 'parameters': {'k': 500}}
    """
    if isinstance(value, Sequence):
        return {"then": [to_blocks(stage) for stage in value.stages]}
    if isinstance(value, Union):
        return {"union": [to_blocks(branch) for branch in value.branches]}
    if not isinstance(value, Brick):
        raise PipelineError(
            f"{shown(value)} cannot be shown as a block: it is not a brick, a sequence or a union",
            code="block.not_a_brick",
        )
    written: list[str] = []
    value.text(lambda name, _: written.append(name) or "")  # type: ignore[func-returns-value]
    return {
        "brick": type(value).__name__,
        "parameters": {name: _plain(getattr(value, name)) for name in written},
    }


def from_blocks(block: object) -> Pipeline:
    """Return the pipeline that a block describes.

    Raises:
        BlockError: A block is not as the module says, names no brick, or its parameters or stages do not fit.

    >>> from_blocks({"then": [{"brick": "ShortestPaths"}, {"brick": "PathAnswer"}]})
    ShortestPaths() >> PathAnswer()
    """
    value = _value(block, ())
    if not isinstance(value, Pipeline):
        text = f"{shown(value)} is not a stage; put it into one, as in Rerank(BM25())"
        raise BlockError(text, (), code="block.model_alone")
    return value


def _plain(value: object) -> Any:
    """Return the value of a parameter as plain JSON types."""
    if isinstance(value, Brick | Pipeline):
        return to_blocks(value)
    return [_plain(entry) for entry in value] if isinstance(value, tuple | list) else value


def _value(block: object, at: tuple[str | int, ...]) -> Any:
    """Return the brick, pipeline or literal of a block at a place."""
    if len(at) > _DEEPEST:
        raise BlockError(f"the blocks are nested more than {_DEEPEST} deep", at, code="block.too_deep")
    if isinstance(block, list):
        return tuple(_value(entry, (*at, i)) for i, entry in enumerate(block))
    if not isinstance(block, Mapping):
        return block
    for word, join in (("then", rshift), ("union", or_)):
        if word in block:
            return _joined(block[word], word, join, (*at, word))
    name, parameters = block.get("brick"), block.get("parameters", {})
    if not isinstance(name, str) or not isinstance(parameters, Mapping):
        text = f'a block is {{"brick", "parameters"}}, {{"then"}} or {{"union"}}, got {shown(block)}'
        raise BlockError(text, at, code="block.wrong_shape")
    try:
        brick = find(name)
    except PipelineError as error:
        raise _placed(error, at) from error
    return _made(brick, parameters, at)


def _placed(error: PipelineError, at: tuple[str | int, ...]) -> BlockError:
    """Return an error about a block as one that names its place."""
    return BlockError(str(error), at, code=error.code, **error.values)


def _made(brick: type[Brick], parameters: Mapping[str, object], at: tuple[str | int, ...]) -> Brick:
    known = {field.name for field in fields(brick)}  # type: ignore[arg-type]
    for name in parameters:
        if name not in known:
            has = f"it has {', '.join(sorted(known)) or 'none'}"
            text = f"{brick.__name__} has no parameter {shown(name, 80)}; {has}"
            raise BlockError(text, at, code="block.no_parameter", name=name)
    values = {name: _value(entry, (*at, "parameters", name)) for name, entry in parameters.items()}
    missing = [
        parameter.name for parameter in brick.parameters() if parameter.default is None and parameter.name not in values
    ]
    if missing:
        text = f"{brick.__name__} needs {', '.join(missing)}"
        raise BlockError(text, at, code="block.missing_parameter", names=missing)
    try:
        return brick(**values)
    except PipelineError as error:
        raise _placed(error, at) from error


def _joined(parts: object, word: str, join: Any, at: tuple[str | int, ...]) -> Pipeline:
    """Return several blocks joined, one after the other."""
    if not isinstance(parts, list) or not parts:
        text = f'"{word}" needs a list of at least one block, got {shown(parts)}'
        raise BlockError(text, at, code="block.no_parts")

    def joined(left: Pipeline, numbered: tuple[int, Pipeline]) -> Pipeline:
        i, right = numbered
        try:
            return join(left, right)  # type: ignore[no-any-return]
        except PipelineError as error:
            raise _placed(error, (*at, i)) from error

    values = [_value(part, (*at, i)) for i, part in enumerate(parts)]
    for i, value in enumerate(values):
        if not isinstance(value, Pipeline):
            text = f"{shown(value)} is not a stage, so it cannot be joined with others"
            raise BlockError(text, (*at, i), code="block.not_a_stage")
    whole: Pipeline = reduce(joined, enumerate(values[1:], 1), values[0])
    return whole
