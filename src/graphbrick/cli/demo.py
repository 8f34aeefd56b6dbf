"""The demo: build the world graph, answer questions over it, show paths and the time of each stage."""

from __future__ import annotations

import shlex
import time

import numpy as np
from rich.console import Console
from rich.text import Text

from graphbrick.cli.printing.runs import print_answers, stage_table
from graphbrick.cli.printing.terminal import console
from graphbrick.cli.progress import progress
from graphbrick.core.errors import ModelError
from graphbrick.demo.graph import world_graph
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.info import size
from graphbrick.language.folding import fold
from graphbrick.language.stop_words import QUESTION_WORDS
from graphbrick.learn.learned import learned_pipeline
from graphbrick.learn.learning import learn
from graphbrick.models.scorers.bm25 import BM25
from graphbrick.pipeline.parsing import parse

QUESTIONS = (
    "What are the capitals of the countries that border Uganda?",
    "On which continent is the country whose currency is the Algerian dinar?",
    "What currencies do I need in the countries that border the one with the capital Maputo?",
)
TEXT_SEARCH_FAILS = "Which currency is used in the country whose capital is Nairobi?"
WRITTEN = 1_000
"""Questions that the demo learns from."""
NEXT = "Which languages are spoken in the country whose capital is Port-au-Prince?"


def run_demo(*, rebuild: bool = False) -> None:
    """Build, learn, ask and print; the text ends with the command that asks the next question."""
    out = console()
    graph = learned_world(out, rebuild=rebuild)
    pipeline = repr(learned_pipeline(graph))
    out.print(f"pipeline: {pipeline}\n")
    for question in QUESTIONS:
        print_asked(out, graph, pipeline, question)
    out.print(Text("A question that text search gets wrong", style="bold"))
    _text_search(out, graph, TEXT_SEARCH_FAILS)
    print_asked(out, graph, pipeline, TEXT_SEARCH_FAILS, stages=True)
    out.print(Text("Ask the next one:", style="bold"))
    out.print(f'  graphbrick ask {shlex.quote(str(graph.path))} "{NEXT}" --explain')


def serve_demo(port: int, *, rebuild: bool = False, browse: bool = False) -> None:
    """Serve the world graph on this machine until Ctrl-C.

    Args:
        port: Port; 0 for a free one.
        rebuild: Build the graph even if it is there.
        browse: Whether to open the page in a browser.
    """
    from graphbrick.cli.serve import needed, run_server

    needed()
    from graphbrick.serve.options import ServeOptions
    from graphbrick.serve.start import LOOPBACK_HOSTS, Listening

    graph = learned_world(console(), rebuild=rebuild)
    recipes = {"paths": "PPR(k=1000) >> ShortestPaths() >> Rerank(FewTexts(MiniLM()), n=32) >> PathAnswer()"}
    options = ServeOptions({"world": str(graph.path)}, recipes, hosts=LOOPBACK_HOSTS)
    run_server(options, Listening(port=port), browse=browse)


def learned_world(out: Console, *, rebuild: bool = False) -> Graph:
    """Return the world graph; build it and learn from it first if that was not done."""
    start = time.perf_counter()
    with progress("building the world graph", unit="share") as report:
        graph = world_graph(rebuild=rebuild, progress=report)
    facts = graph.manifest
    out.print(Text("The world as a graph", style="bold"))
    out.print(
        f"{facts.entities:,} entities, {facts.relations} relations, {facts.triples:,} triples, "
        f"{size(graph) / 1e6:,.1f} MB; "
        f"from GeoNames, ISO and airport tables inside Python packages; ready in {time.perf_counter() - start:.1f} s"
    )
    start = time.perf_counter()
    if not _is_learned(graph):
        with progress("learning the graph from itself (the first time only)") as report:
            learn(graph, n=WRITTEN, progress=report)
        out.print(
            f"learned from {WRITTEN:,} questions that the graph wrote itself, in {time.perf_counter() - start:.0f} s"
        )
    return graph


def _is_learned(graph: Graph) -> bool:
    """Return whether the graph was learned; False for damaged patterns and those of another version."""
    try:
        return learned_pipeline(graph) is not None
    except ModelError as error:
        console().print(f"learning again: {error}", markup=False)
        return False


def print_asked(out: Console, graph: Graph, pipeline: str, question: str, *, stages: bool = False) -> None:
    """Ask a question and print it, the answers, the time and perhaps the stages."""
    run = parse(pipeline).run(graph, question)
    out.print(Text(question, style="bold cyan"))
    print_answers(out, run.to_dict())
    out.print(Text(f"{1000 * run.trace.seconds:,.0f} ms", style="dim"))
    if stages:
        out.print(stage_table(run.trace))
    out.print()


def _text_search(out: Console, graph: Graph, question: str) -> None:
    """Return the triples that BM25 finds for a question, to compare with search by paths."""
    words = [word for word in fold(question).split() if word not in QUESTION_WORDS]
    texts = [graph.triple_text(triple) for triple in graph.triple_ids().tolist()]
    scores = BM25().score(" ".join(words), texts)
    out.print(f"BM25 over all {len(texts):,} triples as text finds, for {' '.join(words)!r},")
    for i in np.argsort(-scores, kind="stable")[:3]:
        out.print(Text(f"  {scores[i]:5.2f}  {texts[i]}"))
    out.print("because no one triple holds the answer. Two triples in a row do:")
