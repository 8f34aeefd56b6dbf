"""The demo: build the world graph once, answer questions over it, show the paths and what each stage took."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.text import Text

from graphbrick import __version__
from graphbrick.cli.show import console, print_answers, progress, stage_table
from graphbrick.cli.show_graphs import size
from graphbrick.core.errors import GraphFormatError
from graphbrick.demo.sources import installed_versions
from graphbrick.demo.world import world_records
from graphbrick.graphs.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.text import fold, hash64
from graphbrick.link.labels import STOP_WORDS
from graphbrick.pipeline.parsing import parse
from graphbrick.scorers import BM25

QUESTIONS = (
    "What are the capitals of the countries that border Uganda?",
    "On which continent is the country whose currency is the Algerian dinar?",
    "What currencies do I need in the countries that border the one with the capital Maputo?",
)
TEXT_SEARCH_FAILS = "Which currency is used in the country whose capital is Nairobi?"
NEXT = "Which languages are spoken in the country whose capital is Port-au-Prince?"


def world_graph(*, rebuild: bool = False) -> Graph:
    """The world graph, built into the cache folder when it is not there; see `graphbrick.demo.world`.

    The folder is ``GRAPHBRICK_CACHE``, or the user's cache folder; a graph stays valid as long as the installed data
    packages and graphbrick keep their versions.
    """
    path = _cache() / f"world-{_version()}.graph"
    if not rebuild and path.exists():
        try:
            return Graph.open(path)
        except GraphFormatError as error:
            console().print(f"{error}; building it anew")
            shutil.rmtree(path)  # nobody else keeps anything under this name in the cache
    with progress("building the world graph") as advance:
        return build(world_records(), path, overwrite=True, progress=advance)


def _cache() -> Path:
    from platformdirs import user_cache_path

    return Path(os.environ.get("GRAPHBRICK_CACHE") or user_cache_path("graphbrick"))


def _version() -> str:
    return f"{hash64(repr((__version__, sorted(installed_versions().items())))):016x}"[:8]


def run_demo(pipeline: str, *, rebuild: bool = False) -> None:
    """Build, ask and print; the text ends with the command that asks the next question."""
    out = console()
    start = time.perf_counter()
    graph = world_graph(rebuild=rebuild)
    facts = graph.manifest
    out.print(Text("The world as a graph", style="bold"))
    out.print(
        f"{facts.entities:,} entities, {facts.relations} relations, {facts.triples:,} triples, {size(graph)}; "
        f"from GeoNames, ISO and airport tables inside Python packages; ready in {time.perf_counter() - start:.1f} s"
    )
    with progress("compiling the kernels and loading the model (the first time only)"):
        start = time.perf_counter()
        parse(pipeline)(graph, TEXT_SEARCH_FAILS)
    out.print(f"kernels and model ready in {time.perf_counter() - start:.1f} s")
    out.print(f"pipeline: {pipeline}\n")
    for question in QUESTIONS:
        _ask(out, graph, pipeline, question, stages=False)
    out.print(Text("A question that text search gets wrong", style="bold"))
    _text_search(out, graph, TEXT_SEARCH_FAILS)
    _ask(out, graph, pipeline, TEXT_SEARCH_FAILS, stages=True)
    out.print(Text("Ask the next one:", style="bold"))
    out.print(f'  graphbrick ask {shlex.quote(str(graph.path))} "{NEXT}" --explain')


def _ask(out: Console, graph: Graph, pipeline: str, question: str, *, stages: bool) -> None:
    run = parse(pipeline).run(graph, question)
    out.print(Text(question, style="bold cyan"))
    print_answers(out, run)
    out.print(Text(f"{1000 * run.trace.seconds:,.0f} ms", style="dim"))
    if stages:
        out.print(stage_table(run.trace))
    out.print()


def _text_search(out: Console, graph: Graph, question: str) -> None:
    """The triples that BM25 finds for a question: what search without paths has to offer."""
    words = [word for word in fold(question).split() if word not in STOP_WORDS]
    texts = [graph.triple_text(triple) for triple in graph.triple_ids().tolist()]
    scores = BM25().score(" ".join(words), texts)
    out.print(f"BM25 over all {len(texts):,} triples as text finds, for {' '.join(words)!r},")
    for i in np.argsort(-scores, kind="stable")[:3]:
        out.print(Text(f"  {scores[i]:5.2f}  {texts[i]}"))
    out.print("because no one triple holds the answer. Two triples in a row do:")
