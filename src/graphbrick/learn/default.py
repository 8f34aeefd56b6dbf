"""The pipeline that answers questions over a graph if none is named."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

# Bricks are imported where they are used, so that the command line can show the default at once.
if TYPE_CHECKING:
    from graphbrick.graphs.databases.graph import DatabaseGraph
    from graphbrick.graphs.graph import Graph
    from graphbrick.graphs.local.extracted import ExtractedGraph
    from graphbrick.models.llm.chat import ChatModel
    from graphbrick.pipeline import Pipeline, Sequence

TEXT_PIPELINE = (
    "Overview(PassageRank(MiniLM(), facts=0, synonyms=None, walk=0.25, short=1, links=0.6, late=300), MiniLM()) >> "
    "Quote(MiniLM(), n=3, min_confidence=0.5)"
)
"""The default for graphs made from documents: words, meaning and a walk, and what continues the best.

It needs no other vectors than those of the passages, and begins to answer without them.
"""
WORDS_PIPELINE = "Overview(Passages()) >> Quote(BM25(), n=3, min_confidence=0.5)"
"""The default for them if MiniLM is not installed."""
RECORDS = "Records(Operators(Patterns({scorer}), cap=100000), {search})"
"""What the search is replaced by in graphs of documents that are rows of tables."""
DEFAULT_PIPELINE = "Operators(Patterns(WordAlignment(MiniLM()), n=32)) >> PathAnswer(min_confidence=0.3)"
"""The default for other graphs that were not learned."""
_ROWS = 1_000  # of a query by a model
_LARGE = 32_000  # tokens of the context of a model that reads more
_PASSAGES, _READ = 20, 24_000  # passages that it is given, and tokens of them, such as of a document to summarise
_COPIED = 5_000_000  # triples of a graph that is copied for a query without being asked to


def default_pipeline(graph: Graph | DatabaseGraph | ExtractedGraph | None, llm: str = "") -> Pipeline:
    """Return the default pipeline for a graph: the one for passages, or the learned one, if there is one.

    `ask`, `evaluate` and `serve` run it if no pipeline is named, and `tune` compares with it. Passages are found by
    words alone if MiniLM is not installed; callers say so.

    Args:
        graph: The graph; None for one that was not learned.
        llm: Recipe text of a language model that answers, such as "LLM('gpt-4.1')". A model at a server writes a query
            where the pipeline gives no answer, if `lacks_queries` names no reason against it. A model in this process
            does not, as it is small: it plans operators that the rules cannot read, and answers from the evidence. In
            place of quotations from passages, a model writes an answer with citations; one with a large context reads
            more passages, and may search again.

    Raises:
        ModelError: What was learned of the graph is damaged.
    """
    from graphbrick.graphs.corpus import TextGraph
    from graphbrick.graphs.graph import Graph
    from graphbrick.graphs.store.beside_text import records_place
    from graphbrick.learn.learned import learned_pipeline
    from graphbrick.models.embedders.minilm import MiniLM
    from graphbrick.pipeline.parsing import parse

    if isinstance(graph, TextGraph):
        text = TEXT_PIPELINE if MiniLM().is_installed else WORDS_PIPELINE
        if records_place(graph.place).is_dir():
            search, end, answer = text.partition(" >> Quote")
            scorer = "WordAlignment(MiniLM())" if MiniLM().is_installed else "BM25()"
            text = RECORDS.format(scorer=scorer, search=search) + end + answer
        pipeline = parse(text)
    else:
        learned = learned_pipeline(graph) if isinstance(graph, Graph) else None
        pipeline = parse(DEFAULT_PIPELINE) if learned is None else learned
    return _with_model(pipeline, llm, may_query=graph is not None and not lacks_queries(graph)) if llm else pipeline


def lacks_queries(graph: Graph | DatabaseGraph | ExtractedGraph) -> str:
    """Return why a model cannot query a graph, and what to do about it; empty if it can."""
    from graphbrick.graphs.databases.graph import DatabaseGraph
    from graphbrick.graphs.graph import Graph
    from graphbrick.graphs.query_copy import has_copy

    if isinstance(graph, DatabaseGraph):
        return ""
    if not isinstance(graph, Graph):
        return f"{graph.path} holds parts of a graph; open the graph itself"
    if find_spec("ladybug") is None:
        return "ladybug is not installed: pip install 'graphbrick[ladybug]'"
    if graph.n_triples > _COPIED and not has_copy(graph):
        command = f'graphbrick query {graph.path} "RETURN 1"'
        return f"{graph.n_triples:,} triples are not copied for that unless you say so: {command} makes the copy"
    return ""


def _with_model(pipeline: Pipeline, model: str, *, may_query: bool) -> Pipeline:
    from graphbrick.bricks.generate.generate import Generate
    from graphbrick.bricks.generate.path_answer import PathAnswer
    from graphbrick.bricks.generate.quote import Quote
    from graphbrick.bricks.link.labels import LinkLabels
    from graphbrick.bricks.retrieve.operators.stage import Operators
    from graphbrick.models.llm.local_llm import LocalLLM
    from graphbrick.pipeline import LinkStage, RetrieveStage, Sequence
    from graphbrick.pipeline.catalog import default_linker
    from graphbrick.pipeline.parsing import parse

    generate = parse(f"Generate({model})")
    assert isinstance(generate, Generate)
    may_query = may_query and not isinstance(generate.llm, LocalLLM)  # a small model writes wrong queries
    if isinstance(pipeline, Sequence):
        if isinstance(pipeline.stages[-1], Quote):
            return _written(pipeline, generate.llm)
        by_model = {"reasons": True} if may_query else {"llm": generate.llm}  # a query says more than a plan
        stages = [replace(one, **by_model) if isinstance(one, Operators) else one for one in pipeline.stages]
        last = stages[-1]
        if isinstance(last, PathAnswer):
            generate = replace(generate, first=last)
        if isinstance(last, PathAnswer) and may_query:
            query = parse(f"TextToQuery({model}, n={_ROWS}, declines=True)")
            assert isinstance(query, RetrieveStage)
            generate = replace(generate, otherwise=query)
            linker = stages.pop(0) if isinstance(stages[0], LinkStage) else default_linker()
            stages.insert(0, replace(linker, required=False) if isinstance(linker, LinkLabels) else linker)
        pipeline = Sequence(tuple(stages))
    return _ending_in(pipeline, generate)


def _written(pipeline: Sequence, llm: ChatModel) -> Pipeline:
    """Return the pipeline over documents whose answer a model writes: from more passages if its context is large."""
    from graphbrick.bricks.generate.write_answer import WriteAnswer
    from graphbrick.models.llm.local_llm import LocalLLM
    from graphbrick.models.llm.naming import with_room
    from graphbrick.pipeline import Sequence

    if isinstance(llm, LocalLLM) or llm.context_tokens() < _LARGE:
        return _ending_in(pipeline, WriteAnswer(llm, form="a short answer"))
    search = _searching(pipeline.stages[0])
    answer = WriteAnswer(with_room(llm), form="a short answer", tokens=_READ, documents=True, search=search[-1])
    return Sequence((search[0], *pipeline.stages[1:-1], answer))


def _searching(stage: Any) -> tuple[Any, ...]:
    """Return a retrieve stage, and what it searches with, with more passages."""
    inner = getattr(stage, "search", None)
    if inner is None:
        return (replace(stage, n=_PASSAGES),)
    found = _searching(inner)
    return replace(stage, search=found[0]), *found


def withholding(pipeline: Pipeline, min_confidence: float) -> Pipeline | None:
    """Return the pipeline whose last stage withholds answers of low confidence; None if it cannot."""
    from graphbrick.pipeline import Sequence
    from graphbrick.pipeline.brick import Brick

    last = pipeline.stages[-1] if isinstance(pipeline, Sequence) else pipeline
    first = getattr(last, "first", None)  # of a stage in which a language model answers what this one withholds
    if first is not None:
        changed = withholding(first, min_confidence)
        return None if changed is None else _ending_in(pipeline, replace(last, first=changed))  # type: ignore[type-var]
    if not isinstance(last, Brick) or all(entry.name != "min_confidence" for entry in last.parameters()):
        return None
    return _ending_in(pipeline, replace(last, min_confidence=min_confidence))  # type: ignore[type-var]


def _ending_in(pipeline: Pipeline, last: Pipeline) -> Pipeline:
    """Return the pipeline with another last stage."""
    from graphbrick.pipeline import Sequence

    return Sequence((*pipeline.stages[:-1], last)) if isinstance(pipeline, Sequence) else last
