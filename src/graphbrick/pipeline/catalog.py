"""The catalogue of bricks: those of the package by tables, those of plug-ins by entry points."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import asdict, is_dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from graphbrick.core.errors import PipelineError
from graphbrick.core.plugins import plugins, skip
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.stages import LinkStage

ENTRY_POINTS = "graphbrick.bricks"
_AREAS = ("bricks", "models", "patterns", "text")
"""The packages that have a table `BRICKS` of the module of each of their bricks."""
_LISTED = 20  # names in an error


@lru_cache(maxsize=1)
def default_linker() -> LinkStage:
    """Return the link stage of pipelines that have none of their own."""
    linker = find("LinkLabels")()
    assert isinstance(linker, LinkStage)
    return linker


@lru_cache(maxsize=1)
def _homes() -> dict[str, str]:
    """Return the module of each brick of the package."""
    tables = ((area, import_module(f"graphbrick.{area}").BRICKS) for area in _AREAS)
    homes = {name: f"graphbrick.{area}.{module}" for area, table in tables for name, module in table.items()}
    return homes | {"Repeat": "graphbrick.pipeline.composition"}


@lru_cache(maxsize=1)
def built_in() -> dict[str, type[Brick]]:
    """Return the built-in bricks by name, in the order of the stages, models last; imports them all."""
    return {name: _built_in(name) for name in _homes()}


def _built_in(name: str) -> type[Brick]:
    brick: type[Brick] = getattr(import_module(_homes()[name]), name)
    return brick


@lru_cache(maxsize=1)
def all_bricks() -> dict[str, type[Brick]]:
    """Return all bricks by name, including plug-ins (entry points ``graphbrick.bricks``).

    A plug-in that is broken, or has the name of another brick, is left out with a warning.
    """
    return dict(built_in()) | _plugged_in()


@lru_cache(maxsize=1)
def _plugged_in() -> dict[str, type[Brick]]:
    """Return the bricks of plug-ins by name."""
    bricks: dict[str, type[Brick]] = {}
    for plugin in plugins(ENTRY_POINTS):
        brick = plugin.value
        if not (isinstance(brick, type) and issubclass(brick, Brick)):
            fault = "it is not a brick; derive it from a stage kind, Scorer or Embedder"
            skip(ENTRY_POINTS, plugin.name, plugin.source, fault)
        elif fault := _fault(brick):
            skip(ENTRY_POINTS, plugin.name, plugin.source, fault)
        elif brick.__name__ in bricks or brick.__name__ in _homes():
            reason = f"it has the name of another brick, {brick.__name__}; rename it"
            skip(ENTRY_POINTS, plugin.name, plugin.source, reason)
        else:
            bricks[brick.__name__] = brick
    return bricks


def _fault(brick: type[Brick]) -> str:
    """Return why a brick of a plug-in cannot be used; empty if it can."""
    if not is_dataclass(brick):
        return "it is not a dataclass; put @dataclass(frozen=True, repr=False) before it"
    missing = sorted(getattr(brick, "__abstractmethods__", ()))
    return f"it does not implement {', '.join(missing)}" if missing else ""


def lookup(name: str) -> type[Brick] | None:
    """Return the brick of a name; None if there is none. Only its own module is imported.

    >>> lookup("PPR").__name__, lookup("PR")
    ('PPR', None)
    """
    return _built_in(name) if name in _homes() else _plugged_in().get(name)


def find(name: str) -> type[Brick]:
    """Like `lookup`.

    Raises:
        PipelineError: There is none; the error names the nearest.

    >>> find("PPR").__name__
    'PPR'
    """
    brick = lookup(name)
    if brick is None:
        raise PipelineError(unknown(name, names()), code="catalog.no_brick", name=name, near=nearest(name, names()))
    return brick


def names() -> list[str]:
    """Return the names of all bricks, those of plug-ins last."""
    return [*_homes(), *_plugged_in()]


def is_built_in(brick: Brick) -> bool:
    """Return whether a brick is one of the package, not of a plug-in."""
    return _homes().get(type(brick).__name__) == type(brick).__module__


def unknown(name: str, names: Iterable[str]) -> str:
    """Return the error text about a name that no brick has."""
    known = list(names)
    near = nearest(name, known)
    listed = f"there are {', '.join(known)}" if len(known) <= _LISTED else "graphbrick bricks lists them"
    hint = f"did you mean {near}?" if near else listed
    return f"there is no brick {name[:80]!r}; {hint}"


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the name that a misspelt name probably means; empty if none is near."""
    known = list(names)
    near = difflib.get_close_matches(name, known, cutoff=0.5)
    return next(iter(near or (other for other in known if other.lower() == name.lower())), "")


def describe(brick: type[Brick]) -> dict[str, Any]:
    """Return a description of a brick as plain JSON types, for lists and web forms.

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
