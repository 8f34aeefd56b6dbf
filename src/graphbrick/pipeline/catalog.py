"""Every brick there is: those of the package, listed by their folders, and those of installed plug-ins."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points

from graphbrick.core.errors import PipelineError
from graphbrick.pipeline.brick import Brick

ENTRY_POINTS = "graphbrick.bricks"
_FOLDERS = (
    *("link", "extract", "prune", "retrieve", "rerank", "generate"),
    *("scorers", "embedders", "patterns", "llm"),
)


@lru_cache(maxsize=1)
def built_in() -> dict[str, type[Brick]]:
    """The bricks of the package by name, in the order of the stages, models last."""
    folders = (import_module(f"graphbrick.{folder}") for folder in _FOLDERS)
    return {brick.__name__: brick for folder in folders for brick in folder.BRICKS}


@lru_cache(maxsize=1)
def all_bricks() -> dict[str, type[Brick]]:
    """All bricks by name, those of plug-ins (entry points of the group ``graphbrick.bricks``) included.

    Raises:
        PipelineError: A plug-in is broken, or gives a brick the name of another.
    """
    bricks = dict(built_in())
    for point in entry_points(group=ENTRY_POINTS):
        try:
            brick = point.load()
        except ImportError as error:
            raise PipelineError(
                f"the plug-in brick {point.name} ({point.value}) cannot be imported: {error}"
            ) from error
        if not (isinstance(brick, type) and issubclass(brick, Brick)):
            raise PipelineError(f"the plug-in {point.name} ({point.value}) is no brick; derive it from a stage kind")
        if brick.__name__ in bricks:
            raise PipelineError(f"the plug-in {point.value} is called {brick.__name__}, as another brick is; rename it")
        bricks[brick.__name__] = brick
    return bricks
