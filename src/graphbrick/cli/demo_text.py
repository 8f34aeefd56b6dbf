"""The text demo: make a graph from the Python language reference, ask it, show where each answer stands."""

from __future__ import annotations

import shlex
import shutil
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from rich.text import Text

from graphbrick.cli.demo import print_asked
from graphbrick.cli.printing.terminal import console, plain
from graphbrick.cli.progress import progress
from graphbrick.demo.reference import reference_documents
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.language.counting import counted
from graphbrick.learn.default import TEXT_PIPELINE
from graphbrick.models.store import fetched
from graphbrick.pipeline.parsing import parse
from graphbrick.text.extract.extraction import Extractor
from graphbrick.text.extract.phrases import Phrases
from graphbrick.text.extract.spacy_phrases import SpacyPhrases
from graphbrick.text.indexing.indexing import index

QUESTIONS = (
    "When are the default values of parameters evaluated?",
    "What happens if a finally clause contains a return statement?",
)
WORDS_FAIL = "How do I make instances of my class hashable?"
WORDS_ALONE = "Passages(n=10) >> Quote(BM25(), n=1)"
SHOWN_ENTITIES = ("finally", "finally clause")  # the first that there is
NEXT = "Can a slice of a list be deleted?"
SPACY_MODEL = "en-core-web-sm"
_NEIGHBOURS = 6


def run_text_demo(*, rebuild: bool = False) -> None:
    """Index, ask and print; the output ends with commands for another question and for other documents."""
    out = console()
    folder = reference_documents()
    graph = folder.with_name(f"{folder.name}.graph")
    if rebuild:
        for old in (graph, text_folder(graph)):
            shutil.rmtree(old, ignore_errors=True)
    out.print(Text("The Python language reference as a graph", style="bold"))
    out.print(Text(f"graphbrick index {shlex.quote(str(folder))} {shlex.quote(str(graph))}"))
    start = time.perf_counter()
    has_spacy = find_spec("spacy") is not None and fetched(SPACY_MODEL) is not None
    extractor: Extractor = SpacyPhrases(SPACY_MODEL) if has_spacy else Phrases()
    with progress("indexing the reference") as report:
        done = index(
            [folder],
            graph,
            extractor=extractor,
            progress=report,
        )
    made = done.graph
    out.print(
        f"{counted(done.documents, 'document')}, {counted(made.n_passages, 'passage')}, "
        f"{counted(made.n_entities, 'entity')}, {counted(made.n_triples, 'triple')} "
        f"by {done.extractor!r}; ready in {time.perf_counter() - start:.1f} s"
    )
    shown = next((name for name in SHOWN_ENTITIES if made.named(name)), "")
    if shown:
        out.print(Text(plain(f"near {shown!r} in the graph: {', '.join(neighbours(made, shown))}")))
    out.print(Text(f"pipeline: {TEXT_PIPELINE}"))
    start = time.perf_counter()
    with progress("embedding the passages (the first time only)"):
        parse(TEXT_PIPELINE).run(made, NEXT)
    out.print(f"passages embedded in {time.perf_counter() - start:.1f} s, for all questions to come\n")
    for question in QUESTIONS:
        print_asked(out, made, TEXT_PIPELINE, question)
    out.print(Text("A question with other words than the answer", style="bold"))
    out.print(Text(f"by words alone: {WORDS_ALONE}"))
    print_asked(out, made, WORDS_ALONE, WORDS_FAIL)
    out.print(Text("by words and by meaning:"))
    print_asked(out, made, TEXT_PIPELINE, WORDS_FAIL)
    place = shlex.quote(str(graph))
    out.print(Text("Ask the next one, or your own documents:", style="bold"))
    out.print(f'  graphbrick ask {place} "{NEXT}"')
    out.print(f"  graphbrick index {_folder_of_user()} notes.graph")


def neighbours(graph: TextGraph, name: str) -> list[str]:
    """Return the labels of the entities whose triples with an entity most passages support."""
    if graph.support is None or not (named := graph.named(name)):
        return []
    begin, _ = graph.support
    ids = graph.triple_ids()
    heads, tails = graph.csr.heads(ids), graph.csr.tail[ids]
    mine = np.flatnonzero((heads == named[0]) | (tails == named[0]))
    best = mine[np.argsort(-np.diff(begin)[mine], kind="stable")]
    others = np.where(heads[best] == named[0], tails[best], heads[best])
    return [graph.label(entity) for entity in dict.fromkeys(others.tolist())][:_NEIGHBOURS]


def _folder_of_user() -> str:
    """Return a folder that the user is likely to have documents in."""
    return "~/Documents" if (Path.home() / "Documents").is_dir() else "docs/"
