"""The default search space of a graph: every brick that runs on it with the models at hand."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING
from itertools import combinations

from graphbrick.bricks.extract.vector_neighbors import VectorNeighbors
from graphbrick.core.errors import PipelineError
from graphbrick.core.graph import Capabilities, Capability, capabilities_of
from graphbrick.core.parameters import Declared, declared
from graphbrick.graphs.graph import Graph
from graphbrick.learn.learned import learned_pipeline, learned_place
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.indexes.vector_index import UNITS, missing
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import Pipeline, catalog
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.parsing import parse
from graphbrick.pipeline.stages import Stage
from graphbrick.recipes import published
from graphbrick.study.store.identity import bricks_of
from graphbrick.study.tune.space.space import STAGES, Space, filled, readable, uses
from graphbrick.study.tune.space.trees import allows
from graphbrick.study.tune.space.usable import options_of, scorers

_PLACES = {Scorer: "$scorer", Embedder: "$embedder", ChatModel: "$llm"}
_OPTIONAL = ("extract", "prune", "rerank")
_UNITED = ("extract", "retrieve")  # stages of which two together may find what one does not
# A baseline for tables that nobody would use; paths added to those of another model; and what reads reports.
_LEFT_OUT = ("RandomSample", "Supplement", "Points")
_INDEXED = "VectorNeighbors()"
_SCORER = "FewTexts(MiniLM())"  # MiniLM() alone reads thousands of texts for a first question, and would be given up
# What a graph made from documents is asked with; over other graphs they have nothing to read.
_TEXT = frozenset({Capability.CORPUS, Capability.PASSAGES})


def default_space(graph: Graph, *, llm: str = "", link: bool = False) -> Space:
    """Return the space of all bricks that run on a graph.

    A brick takes part if everything that it needs can be given: scorers (BM25, MiniLM that reads few texts, the
    alignment of words, the learned patterns of the graph, and those of plug-ins without parameters that must be given),
    reports on communities where they are prepared, MiniLM as embedder, an index that is there or quickly
    made, and the language model, if there is one. Two extract or two retrieve stages may be united; all unions
    together are drawn as often as one brick (`Space`). The commands that would bring in more are the advice of the
    space.

    Args:
        graph: The graph.
        llm: The language model as recipe text; empty for none.
        link: Whether seeds are found in the questions; else the files give them.
    """
    place = learned_place(graph)
    learned = (f"PatternScorer({str(place)!r})",) if learned_pipeline(graph) is not None else ()
    plugged, advice = scorers()
    models = {
        "scorer": (*learned, "WordAlignment(MiniLM())", _SCORER, "BM25()", *plugged),
        "embedder": ("MiniLM()",),
        **({"llm": (llm,)} if llm else {}),
    }
    stages: dict[str, tuple[str, ...]] = {}
    able = capabilities_of(graph)
    if not learned and Capability.CORPUS not in able:
        advice.append(f"graphbrick learn {shlex.quote(str(graph.place))} brings in patterns learned from the graph")
    for stage in STAGES:
        options, left_out = options_of(lambda brick, at=stage: _option(brick, at, models, able), models, graph)  # type: ignore[misc]
        advice += [text for text in left_out if text not in advice]
        if stage == "link":
            words = f", words={str(place)!r}" if learned else ""
            options = [f"LinkLabels(readings=2{words})", "LinkLabels()"] if link else []
        elif stage == "generate":
            writers = ("Quote", "WriteAnswer") if Capability.CORPUS in able else ("PathAnswer", "Generate")
            options = [text for text in options if text.startswith(writers)]
        elif Capability.CORPUS in able and stage in _OPTIONAL:
            options = []  # passages are found in the whole graph
        elif _INDEXED in options:
            indexed, commands = _indexed(graph)
            options = [*(option for option in options if option != _INDEXED), *indexed]
            advice += [f"{command} brings in nearest neighbours by meaning" for command in commands]
        if stage in _UNITED:
            options += _unions(options, models)
        if options:
            stages[stage] = ("", *options) if stage in _OPTIONAL else tuple(options)
    return Space(stages, models, tuple(advice))


def _indexed(graph: Graph) -> tuple[list[str], list[str]]:
    """Return options over the usable indexes of a graph, and the commands that make the others."""
    needed = {unit: missing(graph, VectorNeighbors().embedder, unit) for unit in UNITS}
    options = [f"{_INDEXED[:-1]}unit={unit!r})" for unit, command in needed.items() if not command]
    return options, list(dict.fromkeys(command for command in needed.values() if command))


def _unions(options: Sequence[str], models: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the unions of two options that go together, without those that ask a language model."""
    first = {name: texts[0] for name, texts in models.items()}
    pairs = combinations([option for option in options if "$llm" not in option], 2)
    return [text for text in map(" | ".join, pairs) if readable(filled(text, first)) is not None]


def known_pipelines(graph: Graph, *, default: Pipeline, llm: str = "") -> dict[str, str]:
    """Return the first recipes of a search by name: the default, and published ones.

    Published recipes that score paths or relations by an embedder read few texts here, and are named so.

    Args:
        graph: The graph.
        default: The pipeline of ``graphbrick ask`` on this graph.
        llm: The language model as recipe text; without one, recipes that call a model are left out.
    """
    named = {"default": repr(default)}
    able = capabilities_of(graph)
    for recipe in published().values():
        if recipe.needs or (recipe.uses_llm and not llm) or "reranker" in recipe.parts or recipe.index:
            continue
        parts = {"llm": llm} if llm and "llm" in recipe.parts else {}
        pipeline, name = parse(recipe.text(**parts)), f"recipe {recipe.name}"
        if "embedder" in recipe.parts and Capability.CORPUS not in able:
            with suppress(PipelineError):  # a stage that needs vectors, not scores, stays as published
                pipeline, name = parse(recipe.text(**parts, embedder=_SCORER)), f"{name}, few texts"
        if all(stage.needs <= able for stage in bricks_of(pipeline) if isinstance(stage, Stage)):
            named[name] = repr(pipeline)
    return named


def permitted(
    known: Mapping[str, str], space: Space, *, without: Sequence[str], kinds: Sequence[str]
) -> tuple[dict[str, str], bool]:
    """Return the pipelines a restricted search begins with, and whether to recommend the first.

    The first one stays in any case, as what the winners are compared with.

    Args:
        known: Recipe texts by name.
        space: The restricted space.
        without: Names of bricks that are left out.
        kinds: Kinds of stage that must be options of the space.
    """

    def is_permitted(text: str) -> bool:
        pipeline = parse(text)
        return not uses(pipeline, without) and allows(space, pipeline, kinds)

    first = next(iter(known))
    return {name: text for name, text in known.items() if name == first or is_permitted(text)}, is_permitted(
        known[first]
    )


def _option(brick: type[Brick], stage: str, models: dict[str, tuple[str, ...]], able: Capabilities) -> str:
    """Return a brick as an option of a stage; empty if it does not take part."""
    if getattr(brick, "kind", "") != stage or brick.__name__ in _LEFT_OUT:
        return ""
    needs: frozenset[Capability] = getattr(brick, "needs", frozenset())
    reads_text = bool(needs & _TEXT)
    if not needs <= able or reads_text != (Capability.CORPUS in able and stage == "retrieve"):
        return ""
    arguments = [_argument(entry, models, able) for entry in declared(brick) if entry.default is MISSING]
    if not all(arguments):
        return ""
    return f"{brick.__name__}({', '.join(arguments)})"


def _argument(entry: Declared, models: dict[str, tuple[str, ...]], able: Capabilities) -> str:
    """Return an argument for a parameter without a default; empty if there is none."""
    for kind, place in _PLACES.items():
        if kind in entry.parts and place[1:] in models:
            return place
    bricks = [part for part in entry.parts if part in catalog.all_bricks().values()]
    return next(
        (text for brick in bricks if (text := _option(brick, str(getattr(brick, "kind", "")), models, able))), ""
    )
