"""Pipelines as trees of bricks: kinds of stages, comparison with options, and replacement of bricks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Many
from dataclasses import replace

from graphbrick.core.errors import PipelineError
from graphbrick.core.parameters import declared
from graphbrick.models.llm.chat import ChatModel
from graphbrick.pipeline import Level, Pipeline, Repeat, Sequence, Stage, Union
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.composition import stages_of
from graphbrick.study.store.identity import bricks_of
from graphbrick.study.tune.space.space import PLACE, Space

_KINDS = {Level.QUERY: "link", Level.SUBGRAPH: "extract", Level.EVIDENCE: "retrieve", Level.ANSWER: "generate"}
_MARK = "place_of_"  # stands before the name of a place where Python allows no $

Models = Mapping[str, Many[str]]


def kind_of(stage: Pipeline) -> str:
    """Return the kind of a stage; of a union, that of a branch or of a stage that gives the same.

    >>> from graphbrick import parse
    >>> [kind_of(parse(text)) for text in ("PPR()", "PPR() | KHop()", "PPR() >> AllPaths() | ShortestPaths()")]
    ['extract', 'extract', 'retrieve']
    """
    if isinstance(stage, Stage):
        return stage.kind
    if isinstance(stage, Repeat):
        return kind_of(stage.stage)
    parts = stage.branches if isinstance(stage, Union) else ()
    kinds = {kind_of(part) for part in parts}
    return kinds.pop() if len(kinds) == 1 else _KINDS[stage.gives]


def name_of(stage: Pipeline) -> str:
    """Return the names of the bricks of a stage, without parameters.

    >>> from graphbrick import parse
    >>> name_of(parse("PPR(k=50) | KHop()"))
    'PPR | KHop'
    """
    if isinstance(stage, Sequence | Union):
        return stage.text(name_of)
    return type(stage).__name__


def asks_model(pipeline: Pipeline | None) -> bool:
    """Return whether a pipeline asks a language model."""
    return any(isinstance(brick, ChatModel) for brick in bricks_of(pipeline))


def allows(space: Space, pipeline: Pipeline, kinds: Many[str]) -> bool:
    """Return whether the stages of these kinds are options of a space, whatever their other parameters.

    Args:
        space: The space.
        pipeline: The pipeline.
        kinds: Kinds of stage, such as "extract".
    """
    stages = stages_of(pipeline)
    for kind in kinds:
        there = [stage for stage in stages if kind_of(stage) == kind]
        part = None if not there else there[0] if len(there) == 1 else Sequence(tuple(there))
        options = space.stages.get(kind, ("",))
        if not any(not option if part is None else matches(option, part, space.models) for option in options):
            return False
    return True


def matches(text: str, value: Brick | Pipeline, models: Models) -> bool:
    """Return whether a brick or pipeline fits a recipe text; omitted parameters may be any.

    >>> from graphbrick import parse
    >>> matches("Rerank($scorer)", parse("Rerank(BM25(k1=1.5), n=8)"), {"scorer": ("BM25()",)})
    True
    """
    return bool(text) and _fits(ast.parse(PLACE.sub(rf"{_MARK}\1", text), mode="eval").body, value, models)


def _fits(node: ast.expr, value: object, models: Models) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            if type(value).__name__ != name or not isinstance(value, Brick):
                return False
            names = [entry.name for entry in declared(type(value))]
            arguments = [*zip(names, args, strict=False), *((one.arg or "", one.value) for one in keywords)]
            return all(_fits(argument, getattr(value, entry, None), models) for entry, argument in arguments)
        case ast.Name(id=name) if name.startswith(_MARK):
            return any(matches(text, value, models) for text in models[name.removeprefix(_MARK)])  # type: ignore[arg-type]
        case ast.BinOp(op=ast.BitOr()):
            parts = value.branches if isinstance(value, Union) else ()
            return _all_fit(_flat(node, ast.BitOr), parts, models)
        case ast.BinOp(op=ast.RShift()):
            parts = value.stages if isinstance(value, Sequence) else ()
            return _all_fit(_flat(node, ast.RShift), parts, models)
    return bool(ast.literal_eval(node) == value)


def _all_fit(nodes: Many[ast.expr], values: Many[object], models: Models) -> bool:
    return len(nodes) == len(values) and all(_fits(*pair, models) for pair in zip(nodes, values, strict=True))


def _flat(node: ast.expr, joint: type[ast.operator]) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, joint):
        return [*_flat(node.left, joint), *_flat(node.right, joint)]
    return [node]


def models_in(pipeline: Pipeline, models: Many[Brick]) -> list[Brick]:
    """Return the bricks of a pipeline that have the type of one of these models, each once.

    What a model is made of, such as the encoder of `WordAlignment`, is not one of them.
    """
    seen: list[Brick] = []

    def look(brick: Brick) -> Brick | None:
        if not _is_model(brick, models):
            return None
        if brick not in seen:
            seen.append(brick)
        return brick

    _rebuilt(pipeline, look)
    return seen


def with_model(pipeline: Pipeline, old: Brick, new: Brick, models: Many[Brick]) -> Pipeline | None:
    """Return a pipeline with a model in the place of an equal one; None where it does not fit.

    Args:
        pipeline: The pipeline.
        old: The model.
        new: The one in its place; where a parameter does not take it, such as an embedder, the old one stays.
        models: Models of the same use, which are not looked into.
    """

    def put(brick: Brick) -> Brick | None:
        if brick == old:
            return new
        return brick if _is_model(brick, models) else None

    try:
        changed = _rebuilt(pipeline, put)
    except PipelineError:
        return None
    return changed if isinstance(changed, Pipeline) else None


def _is_model(brick: Brick, models: Many[Brick]) -> bool:
    return type(brick) in {type(model) for model in models}


def _rebuilt(value: object, put: Callable[[Brick], Brick | None]) -> object:
    """Return a brick or pipeline with replaced bricks; ``put`` returns None to look inside."""
    if isinstance(value, Sequence):
        return Sequence(tuple(_pipelines(value.stages, put)))
    if isinstance(value, Union):
        return Union(tuple(_pipelines(value.branches, put)))
    if not isinstance(value, Brick):
        return value
    changed = {}
    for entry in declared(type(value)):
        before = getattr(value, entry.name)
        if isinstance(before, Brick | Pipeline):
            chosen = put(before) if isinstance(before, Brick) else None
            after = _rebuilt(before, put) if chosen is None else chosen
            if after != before and entry.accepts(after):
                changed[entry.name] = after
    return replace(value, **changed) if changed else value  # type: ignore[type-var]  # every brick is a dataclass


def _pipelines(parts: Many[Pipeline], put: Callable[[Brick], Brick | None]) -> Iterator[Pipeline]:
    for part in parts:
        changed = _rebuilt(part, put)
        assert isinstance(changed, Pipeline)
        yield changed
