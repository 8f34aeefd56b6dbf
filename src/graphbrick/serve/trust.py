"""Limits on recipes from clients.

A recipe can name files, model servers and keys' owners, and sizes that fill the memory. So a recipe of a client may use
the bricks of this package with harmless parts. Beyond them it may use only the models, folders and sizes in the
server's own recipes. ``graphbrick serve --trust-recipes`` lifts this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, TypeAlias

from graphbrick.bricks.agents.toolbox import names_in
from graphbrick.bricks.agents.tools import TOOLS
from graphbrick.models.embedders.embedding_model import EmbeddingModel
from graphbrick.models.embedders.llm_embedder import LLMEmbedder
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.scorers.cross_encoder import CrossEncoder
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.catalog import is_built_in
from graphbrick.pipeline.composition import Repeat, parts_within
from graphbrick.serve.errors import ServeError

Part: TypeAlias = Brick | Pipeline

LARGEST = 10_000
"""Numbers in a client's recipe may not be above this, or above the default where that is larger."""
MOST_BRICKS = 40
MOST_HOPS = 6
MOST_ROUNDS = 10
_ASKED = (ChatModel, LLMEmbedder)  # models that servers run
_MODELS = (*_ASKED, CrossEncoder, EmbeddingModel)  # those too that are downloaded by name
_TOOLS = frozenset(("finish", *(tool.name for tool in TOOLS)))
_SHIPPED = ("zero", "one", "few")
_SCORERS = ("LLMListwiseScorer", "LLMPointwiseScorer", "LLMRatingScorer")
# What a parameter that may name a file can be instead.
_WORDS = {(name, "prompt"): _SHIPPED for name in ("Generate", *_SCORERS)}
_LIMITS = {"max_hops": MOST_HOPS, "at_most": MOST_ROUNDS, "rounds": MOST_ROUNDS, "length": 100, "max_tokens": 4_000}


def calls_model(pipeline: Pipeline) -> bool:
    """Return whether a pipeline asks a language model, so that it mostly waits."""
    return any(isinstance(part, _ASKED) for part in parts_within(pipeline))


class Trust:
    """Limits on the recipes that a server runs for its clients.

    Args:
        own: The recipes of the server.
        everything: Whether every recipe is run.
    """

    def __init__(self, own: Iterable[Pipeline], *, everything: bool = False) -> None:
        self.everything = everything
        self._own = frozenset(repr(part) for pipeline in own for part in parts_within(pipeline))
        self.models = sorted(
            {repr(part) for pipeline in own for part in parts_within(pipeline) if isinstance(part, _MODELS)}
        )

    def check(self, pipeline: Pipeline) -> None:
        """Raise ServeError, status 403, if the server does not run this pipeline for clients."""
        if self.everything:
            return
        reason = self.refusal(pipeline)
        if reason:
            raise ServeError(403, "recipe_not_allowed", reason)

    def refusal(self, pipeline: Pipeline) -> str:
        """Return why the server does not run this pipeline for clients; empty if it does."""
        if self.everything:
            return ""
        parts = list(parts_within(pipeline))
        if len(parts) > MOST_BRICKS:
            return f"a recipe from a client may have {MOST_BRICKS} bricks, got {len(parts)}; leave some out"
        return next((reason for part in parts if isinstance(part, Brick) and (reason := self._refusal(part))), "")

    def _refusal(self, brick: Brick) -> str:
        """Return why one brick is refused; empty if it is allowed, as every brick of the server's own recipes is."""
        if repr(brick) in self._own:
            return ""
        name = type(brick).__name__
        if not is_built_in(brick):
            return f"{name} is a plug-in, which the server does not run for clients unless its own recipes use it"
        foreign = [tool for tool in names_in(getattr(brick, "tools", "")) if tool not in _TOOLS]
        if foreign:
            return f"{foreign[0]} is a tool of a plug-in, which the server does not run for clients either"
        if isinstance(brick, _MODELS):
            there = f"it has {', '.join(self.models)}" if self.models else "it was started without one"
            return f"the server does not call {brick!r} for clients; {there}"
        for parameter in brick.parameters():
            value = getattr(brick, parameter.name)
            words = _WORDS.get((name, parameter.name), ())
            if parameter.path and isinstance(value, str) and value not in ("", *words):
                allowed = f"be {', '.join(words)}, or " if words else ""
                return (
                    f"{name} {parameter.name} may name a file, so in a recipe from a client it can only {allowed}be as "
                    f"in the server's own recipes; got {value[:80]!r}"
                )
            if isinstance(value, int | float) and not isinstance(value, bool):
                most = _most(brick, parameter.name, parameter.default)
                if value > most:
                    return f"{name} {parameter.name} may be at most {most:,} in a recipe from a client, got {value:,}"
        return ""


def _most(brick: Brick, name: str, default: str | None) -> float:
    """Return the largest number that a client may give."""
    most = float(_LIMITS.get(name, LARGEST))
    if name == "at_most" and not isinstance(brick, Repeat):
        most = LARGEST
    try:
        return max(most, float(default or 0))
    except ValueError:  # None
        return most


class PlaceNames:
    """Names of the files and folders in the recipes of a server, which clients see and send in place of their paths.

    Args:
        own: The recipes of the server for one graph.

    Example:
        >>> from graphbrick import parse
        >>> names = PlaceNames([parse("LinkLabels(words='/srv/a/films.patterns')")])
        >>> names.shown("LinkLabels(words='/srv/a/films.patterns')")
        "LinkLabels(words='films.patterns')"
        >>> names.meant("LinkLabels(words='films.patterns')")
        "LinkLabels(words='/srv/a/films.patterns')"
    """

    def __init__(self, own: Iterable[Pipeline]) -> None:
        self._names: dict[str, str] = {}
        for part in (part for pipeline in own for part in parts_within(pipeline)):
            for parameter in part.parameters() if isinstance(part, Brick) else ():
                value = getattr(part, parameter.name)
                if parameter.path and isinstance(value, str) and PurePath(value).is_absolute():
                    self._add(value)
        self._places = {name: place for place, name in self._names.items()}

    def _add(self, place: str) -> None:
        name, number = PurePath(place).name, 1
        while name in self._names.values() and place not in self._names:
            number += 1
            name = f"{number}-{PurePath(place).name}"
        self._names.setdefault(place, name)

    def shown(self, value: Any) -> Any:
        """Return JSON with names in place of paths, in the texts of recipes and where a text is a path alone."""
        return _replaced(value, self._names) if self._names else value

    def meant(self, value: Any) -> Any:
        """Return a recipe as text or blocks with paths in place of their names."""
        return _replaced(value, self._places) if self._places else value


def _replaced(value: Any, others: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        if value in others:
            return others[value]
        for one, other in others.items():
            for quote in "'\"" if one in value else "":
                value = value.replace(f"{quote}{one}{quote}", repr(other))
        return value
    if isinstance(value, dict):
        return {key: _replaced(one, others) for key, one in value.items()}
    return [_replaced(one, others) for one in value] if isinstance(value, list | tuple) else value
