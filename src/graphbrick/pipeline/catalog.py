"""The catalogue of bricks: those of the package, listed by their folders, and those of installed plug-ins."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from graphbrick.core.errors import PipelineError
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.composition import Repeat
from graphbrick.pipeline.stages import LinkStage

ENTRY_POINTS = "graphbrick.bricks"
_FOLDERS = (
    *("link", "extract", "prune", "retrieve", "agents", "rerank", "generate"),
    *("scorers", "embedders", "patterns", "llm", "text"),
)
_LISTED = 20  # names in an error


@lru_cache(maxsize=1)
def default_linker() -> LinkStage:
    """Return the link stage of pipelines that have none of their own."""
    linker = import_module("graphbrick.link").LinkLabels()
    assert isinstance(linker, LinkStage)
    return linker


@lru_cache(maxsize=1)
def built_in() -> dict[str, type[Brick]]:
    """Return the bricks of the package by name, in the order of the stages, models last."""
    folders = (import_module(f"graphbrick.{folder}") for folder in _FOLDERS)
    return {brick.__name__: brick for folder in folders for brick in folder.BRICKS} | {"Repeat": Repeat}


@lru_cache(maxsize=1)
def all_bricks() -> dict[str, type[Brick]]:
    """Return all bricks by name, including those of plug-ins (entry points of the group ``graphbrick.bricks``).

    Raises:
        PipelineError: A plug-in is broken, or has a brick with the name of another.
    """
    bricks = dict(built_in())
    for point in entry_points(group=ENTRY_POINTS):
        try:
            brick = point.load()
        except Exception as error:  # the module runs code of its own
            raise PipelineError(
                f"the plug-in brick {point.name} ({point.value}) cannot be imported: {error}"
            ) from error
        if not (isinstance(brick, type) and issubclass(brick, Brick)):
            raise PipelineError(f"the plug-in {point.name} ({point.value}) is not a brick; derive it from a stage kind")
        if brick.__name__ in bricks:
            raise PipelineError(f"the plug-in {point.value} has the name of another brick, {brick.__name__}; rename it")
        bricks[brick.__name__] = brick
    return bricks


def find(name: str) -> type[Brick]:
    """Return the brick of a name.

    Raises:
        PipelineError: There is none; the error names the nearest.

    >>> find("PPR").__name__
    'PPR'
    """
    brick = built_in().get(name) or all_bricks().get(name)  # plug-ins take time to look up
    if brick is None:
        raise PipelineError(unknown(name, all_bricks()))
    return brick


def unknown(name: str, names: Iterable[str]) -> str:
    """Return the error text about a name that no brick has."""
    known = list(names)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if not near:
        near = [other for other in known if other.lower() == name.lower()]
    listed = f"there are {', '.join(known)}" if len(known) <= _LISTED else "graphbrick bricks lists them"
    hint = f"did you mean {near[0]}?" if near else listed
    return f"there is no brick {name[:80]!r}; {hint}"


def describe(brick: type[Brick]) -> dict[str, Any]:
    """Return what is known of a brick as plain JSON types, for lists and web forms.

    Returns:
        ``name``; ``kind``, which is a stage kind or "model"; ``kinds``, the classes it is one of, which say for which
        parameters of other bricks it can stand (their ``parts``); ``summary``; ``parameters``, each as a
        `graphbrick.pipeline.brick.Parameter`; ``paper``.
    """
    return {
        "name": brick.__name__,
        "kind": getattr(brick, "kind", "model"),
        "kinds": [base.__name__ for base in brick.__mro__[1:] if issubclass(base, Brick) and base is not Brick],
        "summary": brick.summary(),
        "parameters": [asdict(parameter) for parameter in brick.parameters()],
        "paper": brick.paper,
    }
