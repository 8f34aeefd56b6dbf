"""The pipeline that answers questions over a graph if none is named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

# Bricks are imported where they are used, so that the command line can show the default at once.
if TYPE_CHECKING:
    from graphbrick.graphs.databases.graph import DatabaseGraph
    from graphbrick.graphs.graph import Graph
    from graphbrick.graphs.local.extracted import ExtractedGraph
    from graphbrick.pipeline import Pipeline

TEXT_PIPELINE = "PassageRank(MiniLM(), facts=0, synonyms=None) >> Quote(MiniLM(), n=3)"
"""The default for graphs made from documents. It needs no other vectors than those of the passages."""
WORDS_PIPELINE = "Passages() >> Quote(BM25(), n=3)"
"""The default for them if MiniLM is not installed."""
DEFAULT_PIPELINE = "Operators(Patterns(WordAlignment(MiniLM()), n=32)) >> PathAnswer()"
"""The default for other graphs that were not learned."""


def default_pipeline(graph: Graph | DatabaseGraph | ExtractedGraph | None) -> Pipeline:
    """Return the default pipeline for a graph: the one for passages, or the learned one, if there is one.

    Passages are found by words alone if MiniLM is not installed; callers say so.

    Raises:
        ModelError: What was learned of the graph is damaged.
    """
    from graphbrick.graphs.corpus import TextGraph
    from graphbrick.graphs.graph import Graph
    from graphbrick.learn.learned import learned_pipeline
    from graphbrick.models.embedders.minilm import MiniLM
    from graphbrick.pipeline.parsing import parse

    if isinstance(graph, TextGraph):
        return parse(TEXT_PIPELINE if MiniLM().is_installed else WORDS_PIPELINE)
    learned = learned_pipeline(graph) if isinstance(graph, Graph) else None
    return parse(DEFAULT_PIPELINE) if learned is None else learned


def with_model(pipeline: Pipeline, model: str) -> Pipeline:
    """Return the pipeline with a model that answers, and that plans operators which the rules cannot read.

    In place of quotations from passages it writes an answer with citations.

    Args:
        pipeline: The pipeline.
        model: The language model as recipe text, such as "LLM('gpt-4.1')".
    """
    from graphbrick.bricks.generate.generate import Generate
    from graphbrick.bricks.generate.quote import Quote
    from graphbrick.bricks.retrieve.operators.stage import Operators
    from graphbrick.pipeline import Sequence
    from graphbrick.pipeline.parsing import parse

    generate = parse(f"Generate({model})")
    assert isinstance(generate, Generate)
    if isinstance(pipeline, Sequence):
        if isinstance(pipeline.stages[-1], Quote):
            return Sequence((*pipeline.stages[:-1], parse(f"WriteAnswer({model}, form='a short answer')")))
        stages = (replace(one, llm=generate.llm) if isinstance(one, Operators) else one for one in pipeline.stages)
        pipeline = Sequence(tuple(stages))
    return ending_in(pipeline, generate)


def ending_in(pipeline: Pipeline, last: Pipeline) -> Pipeline:
    """Return the pipeline with another last stage."""
    from graphbrick.pipeline import Sequence

    return Sequence((*pipeline.stages[:-1], last)) if isinstance(pipeline, Sequence) else last
