"""Graphs from documents by the LightRAG package and by `ExtractGraph`, with the same local model, side by side.

    python benchmarks/beside_lightrag.py DATA OUT --n 10

DATA is the folder with HippoRAG's samples (musique_train_corpus.json.gz). Needs lightrag-hku beside graphbrick. Both
make one request at a time of the same model server, and embed with MiniLM. A document that is done is a line of
OUT/rows.jsonl, so that an interrupted run goes on where it was (a document that LightRAG had begun counts with the next
one); LightRAG's storage is imported in the end.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from lightrag import LightRAG
from lightrag.utils import EmbeddingFunc, Tokenizer

from graphbrick.core.trace import Trace, record
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.models.llm.conversations import Usage
from graphbrick.models.llm.local_llm import LocalLLM
from graphbrick.text.documents.chunks import ByHeading
from graphbrick.text.documents.store import TextStore
from graphbrick.text.exchange.importing import import_graph
from graphbrick.text.extract.extract_graph import ExtractGraph
from graphbrick.text.indexing.extracting import extract_missing
from graphbrick.text.indexing.indexing import Indexed, index
from graphbrick.text.indexing.reading import read_sources
from graphbrick.text.sources.tables import SourceOptions

WORDS = range(40, 61)  # of a document
REPLY = 1500  # tokens: LightRAG has no limit, and a model that repeats itself would not end
CONTEXT = 16_384
DIMENSIONS = 384
THEIRS, OURS = "LightRAG", "ExtractGraph"


class Words:
    """A tokenizer without files: words and signs, each with the space before it; nothing is lost."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._words: list[str] = []

    def encode(self, content: str) -> list[int]:
        """Return the numbers of the words of a text."""
        ids = []
        for word in re.findall(r"\s*\w+|\s*[^\w\s]|\s+", content):
            if word not in self._ids:
                self._words.append(word)
                self._ids[word] = len(self._words) - 1
            ids.append(self._ids[word])
        return ids

    def decode(self, tokens: list[int]) -> str:
        """Return the text of numbers."""
        return "".join(self._words[token] for token in tokens)


def documents(data: Path, n: int, seed: int) -> list[tuple[str, str]]:
    """Return name and text of short documents at random, each its title and its words."""
    with gzip.open(data / "musique_train_corpus.json.gz", "rt", encoding="utf-8") as file:
        listed = json.load(file)
    random.Random(seed).shuffle(listed)
    fitting = [one for one in listed if len(one["text"].split()) in WORDS][:n]
    return [(f"{i:02}.txt", f"{one['title']}\n\n{one['text']}") for i, one in enumerate(fitting)]


class Rows:
    """What each document took, one JSON line a document and system."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.rows = [json.loads(line) for line in lines]

    def has(self, system: str, document: str) -> bool:
        """Whether a document is done."""
        return any((row["system"], row["document"]) == (system, document) for row in self.rows)

    def add(self, system: str, document: str, usage: Usage, seconds: float) -> None:
        """Keep what a document took."""
        row = {
            "system": system,
            "document": document,
            "calls": usage.calls,
            "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out,
            "seconds": round(seconds, 1),
        }
        self.rows.append(row)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)

    def total(self, system: str, column: str) -> float:
        """Return the sum of a column."""
        return float(sum(row[column] for row in self.rows if row["system"] == system))


async def by_lightrag(texts: list[tuple[str, str]], folder: Path, model: LocalLLM, rows: Rows) -> None:
    """Insert the documents into a LightRAG storage, one after another."""
    usage, encoder = Usage(), MiniLM()

    def ask(messages: list[dict[str, str]]) -> str:
        with record(Trace(), "LightRAG", "ask") as entry:
            reply = model.complete(messages)
        usage.add(entry)
        return reply

    async def complete(
        prompt: str, system_prompt: str | None = None, history_messages: list[dict[str, str]] | None = None, **_: Any
    ) -> str:
        before = [{"role": "system", "content": system_prompt}] if system_prompt else []
        return await asyncio.to_thread(ask, [*before, *(history_messages or []), {"role": "user", "content": prompt}])

    async def embed(texts: list[str], **_: Any) -> np.ndarray:
        return np.asarray(await asyncio.to_thread(encoder.encode, texts), np.float32)

    rag = LightRAG(
        working_dir=str(folder),
        tokenizer=Tokenizer("words", Words()),
        llm_model_func=complete,
        llm_model_max_async=1,
        default_llm_timeout=3600,
        embedding_func=EmbeddingFunc(embedding_dim=DIMENSIONS, max_token_size=512, func=embed),
    )
    await rag.initialize_storages()
    for name, text in texts:
        if rows.has(THEIRS, name):
            continue
        start, usage.calls, usage.tokens_in, usage.tokens_out = time.perf_counter(), 0, 0, 0
        await rag.ainsert(text, ids=[f"doc-{name}"], file_paths=[name])
        rows.add(THEIRS, name, usage, time.perf_counter() - start)
    await rag.finalize_storages()


def by_extract_graph(texts: list[tuple[str, str]], out: Path, extractor: ExtractGraph, rows: Rows) -> Indexed:
    """Extract from the documents, one after another, and return the graph."""
    folder, graph = out / "documents", out / "ours.graph"
    folder.mkdir(exist_ok=True)
    for name, text in texts:
        if rows.has(OURS, name):
            continue
        (folder / name).write_text(text, encoding="utf-8")
        start = time.perf_counter()
        with TextStore(text_folder(graph)) as store:
            read_sources(store, [folder / name], ByHeading(), SourceOptions())
            done = extract_missing(store, extractor, lambda *_: None, skip_bad=True)
        rows.add(OURS, name, done.usage, time.perf_counter() - start)
    return index([], graph, extractor=extractor, skip_bad=True)


def without_result(storage: Path, names: list[str]) -> list[str]:
    """Return the documents in which LightRAG found no entity."""
    status = json.loads((storage / "kv_store_doc_status.json").read_text(encoding="utf-8"))
    entities = json.loads((storage / "kv_store_full_entities.json").read_text(encoding="utf-8"))
    print("status:", {name: status.get(f"doc-{name}", {}).get("status") for name in names})
    return [name for name in names if not entities.get(f"doc-{name}", {}).get("entity_names")]


def print_table(columns: dict[str, Callable[[str], float | int]]) -> None:
    """Print one line for each system."""
    print("| system | " + " | ".join(columns) + " |")
    for system in (THEIRS, OURS):
        print(f"| {system} | " + " | ".join(f"{value(system):,.0f}" for value in columns.values()) + " |")


def main() -> None:
    """Run both, import LightRAG's storage, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--n", type=int, default=10)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    for package in ("lightrag-hku", "graphbrick", "xllamacpp"):
        print(package, version(package))
    texts = documents(arguments.data, arguments.n, arguments.seed)
    names, rows, storage = [name for name, _ in texts], Rows(out / "rows.jsonl"), out / "lightrag"
    reader = LocalLLM(arguments.model, max_tokens=REPLY, context=CONTEXT, threads=arguments.threads, timeout=3600)
    extractor = ExtractGraph(replace(reader, max_tokens=ExtractGraph.reply_tokens, context=8192))
    ours = by_extract_graph(texts, out, extractor, rows)
    asyncio.run(by_lightrag(texts, storage, reader, rows))

    imported = out / "imported.graph"
    shutil.rmtree(imported, ignore_errors=True)
    shutil.rmtree(text_folder(imported), ignore_errors=True)
    theirs = import_graph(storage, imported).graph
    with TextStore(text_folder(out / "ours.graph")) as store:
        problems = store.passage_problems(extractor.identity)
    print("rows left out by ExtractGraph:", dict(ours.extraction.dropped), "problems:", len(problems))
    graphs = {THEIRS: theirs, OURS: ours.graph}
    empty = {THEIRS: without_result(storage, names), OURS: [one for one in problems if one.is_empty]}
    print_table(
        {
            "entities": lambda system: graphs[system].n_entities,
            "triples": lambda system: graphs[system].n_triples,
            "documents without an entity": lambda system: len(empty[system]),
            "calls": lambda system: rows.total(system, "calls"),
            "tokens read": lambda system: rows.total(system, "tokens_in"),
            "tokens written": lambda system: rows.total(system, "tokens_out"),
            "seconds": lambda system: rows.total(system, "seconds"),
        }
    )


if __name__ == "__main__":
    main()
