"""Passage retrieval beside LangChain and LlamaIndex: BM25 and MiniLM with their fusion, over the same passages.

python benchmarks/beside_retrievers.py ours DATA GRAPH FOLDER --questions wild
OTHER/bin/python benchmarks/beside_retrievers.py theirs FOLDER

The first command runs pipelines of graphbrick, and writes passages, vectors and questions to FOLDER. The second runs in
an environment of its own with langchain-classic, langchain-community, rank-bm25 and llama-index-retrievers-bm25; both
libraries get the passages with their titles, and their vectors by MiniLM, also those of the questions. Recall is the
mean share of a question's documents that have a passage among the first 1, 2, 5 and 10. No model or key is needed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (1, 2, 5, 10)
HEAD = "| | all | even | odd | ms |\n|---|---|---|---|---|"
PIPELINES = {
    "words": "Passages(n=10)",
    "MiniLM": "Passages(MiniLM(), n=10, by='meaning')",
    "both fused": "Passages(MiniLM(), n=10)",
    "HippoRAG 2's walk": (
        "PassageRank(MiniLM(), n=10, facts=0, names=1.0, passages=0.05, entities=5, titles=1.0, links=0.0)"
    ),
    "the default of ask": "PassageRank(MiniLM(), n=10, facts=0, synonyms=None, walk=0.25, short=1, links=0.6)",
}
Gold = list[tuple[str, list[list[int]]]]


def gold_of(data: Path, name: str, graph: Any) -> Gold:
    """Return the questions of a set, each with the ids of the passages of its documents."""
    passages = [graph.passage(i) for i in range(graph.n_passages)]
    by: dict[str, list[int]] = {}
    if name == "wild":
        for i, passage in enumerate(passages):
            by.setdefault(passage.title.strip(), []).append(i)
        rows = [json.loads(line) for line in (data / "wild" / "questions.jsonl").open(encoding="utf-8")]
        gold = [(row["question"], [by[title.strip()] for title in row["documents"]]) for row in rows]
    else:
        from passages import load

        for i, passage in enumerate(passages):
            by.setdefault(passage.text, []).append(i)
        gold = [(question, [by[text.strip()] for _, text in facts]) for question, facts in load(data, name)[1]]
    return gold


def table(name: str, search: Callable[[str], Iterable[int]], gold: Gold) -> None:
    """Print a row: recall of all questions, of those with an even place and an odd place, and milliseconds."""
    rows, seconds = [], []
    list(search(gold[0][0]))
    for question, documents in gold:
        start = time.process_time()
        ranked = list(search(question))
        seconds.append(time.process_time() - start)
        rows.append([np.mean([bool(set(ranked[:size]) & set(document)) for document in documents]) for size in SIZES])
    parts = [np.array(rows)[begin::step].mean(axis=0) for begin, step in ((0, 1), (0, 2), (1, 2))]
    cells = [" / ".join(f"{value:.3f}" for value in part) for part in parts]
    print(f"| {name} | {' | '.join(cells)} | {1000 * float(np.median(seconds)):.0f} |", flush=True)


def ours(data: Path, place: Path, folder: Path, name: str) -> None:
    """Run the pipelines of graphbrick, and write what the others need."""
    from graphbrick import MiniLM, parse
    from graphbrick.core import Query, Subgraph
    from graphbrick.core.session import Session
    from graphbrick.graphs.corpus import TextGraph
    from graphbrick.models.vectors.store import store_of

    graph = TextGraph.open(place)
    with Session():
        gold, texts = gold_of(data, name, graph), graph.passage_texts()
        vectors = store_of(graph).get(MiniLM(), texts)
        folder.mkdir(exist_ok=True)
        np.savez(folder / "vectors.npz", texts=vectors, questions=MiniLM().encode([question for question, _ in gold]))
        with gzip.open(folder / "passages.json.gz", "wt", encoding="utf-8") as file:
            json.dump({"texts": texts, "gold": gold}, file)
        at: dict[tuple[str, int | None], int] = {}
        for i in range(graph.n_passages):
            passage = graph.passage(i)
            at[passage.document, passage.start] = i
        print(f"{name}: {len(texts):,} passages, {len(gold)} questions\n{HEAD}")
        for title, text in PIPELINES.items():
            stage = parse(text)

            def search(question: str, stage: Any = stage) -> list[int]:
                items = stage.retrieve(Query(question), Subgraph(graph)).items
                return [at[item.citations[0].document, item.citations[0].start] for item in items]

            table(title, search, gold)


def theirs(folder: Path, depths: list[int]) -> None:
    """Run the retrievers of LangChain and LlamaIndex, each with so many passages before fusion."""
    with gzip.open(folder / "passages.json.gz", "rt", encoding="utf-8") as file:
        content = json.load(file)
    kept = np.load(folder / "vectors.npz")
    texts, gold = content["texts"], content["gold"]
    vectors = dict(zip(texts, kept["texts"].astype(float), strict=True))
    vectors |= dict(zip((question for question, _ in gold), kept["questions"].astype(float), strict=True))
    print(HEAD)
    for depth in depths:
        for name, search in {**_langchain(texts, vectors, depth), **_llama_index(texts, vectors, depth)}.items():
            table(f"{name}, {depth} of each", search, gold)


def _langchain(texts: list[str], vectors: dict[str, Any], depth: int) -> dict[str, Callable[[str], Iterable[int]]]:
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.retrievers import BM25Retriever
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    class Made(Embeddings):  # type: ignore[misc]
        def embed_documents(self, texts: list[str]) -> list[Any]:
            return [vectors[text] for text in texts]

        def embed_query(self, text: str) -> Any:
            return vectors[text]

    documents = [Document(page_content=text, metadata={"i": i}) for i, text in enumerate(texts)]
    store = InMemoryVectorStore.from_documents(documents, Made())
    words, meaning = BM25Retriever.from_documents(documents, k=depth), store.as_retriever(search_kwargs={"k": depth})
    both = EnsembleRetriever(retrievers=[words, meaning], weights=[0.5, 0.5], id_key="i")
    retrievers = {"LangChain BM25": words, "LangChain EnsembleRetriever": both}

    def search(question: str, name: str) -> list[int]:
        return [one.metadata["i"] for one in retrievers[name].invoke(question)[:10]]

    return {name: lambda question, name=name: search(question, name) for name in retrievers}  # type: ignore[misc]


def _llama_index(texts: list[str], vectors: dict[str, Any], depth: int) -> dict[str, Callable[[str], Iterable[int]]]:
    from llama_index.core import VectorStoreIndex
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import TextNode
    from llama_index.retrievers.bm25 import BM25Retriever

    class Made(BaseEmbedding):  # type: ignore[misc]
        def _get_query_embedding(self, query: str) -> list[float]:
            return list(vectors[query].tolist())

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return list(vectors[query].tolist())

        def _get_text_embedding(self, text: str) -> list[float]:
            return list(vectors[text].tolist())

    nodes = [TextNode(text=text, id_=str(i), embedding=vectors[text].tolist()) for i, text in enumerate(texts)]
    meaning = VectorStoreIndex(nodes, embed_model=Made()).as_retriever(similarity_top_k=depth)
    words = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=depth)
    both = QueryFusionRetriever(
        [words, meaning],
        llm=MockLLM(),
        mode="reciprocal_rerank",
        similarity_top_k=depth,
        num_queries=1,
        use_async=False,
    )
    retrievers = {"LlamaIndex BM25": words, "LlamaIndex QueryFusionRetriever": both}

    def search(question: str, name: str) -> list[int]:
        return [int(one.node.node_id) for one in retrievers[name].retrieve(question)[:10]]

    return {name: lambda question, name=name: search(question, name) for name in retrievers}  # type: ignore[misc]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    first, second = parts.add_parser("ours"), parts.add_parser("theirs")
    first.add_argument("data", type=Path, help="folder with the questions")
    first.add_argument("graph", type=Path, help="graph of the passages, with vectors")
    for part in (first, second):
        part.add_argument("folder", type=Path, help="folder for passages and vectors")
    first.add_argument("--questions", choices=("wild", "musique_train", "hotpotqa_train"), required=True)
    second.add_argument("--depth", type=int, action="append", help="passages of each retriever [10 and 100]")
    arguments = parser.parse_args()
    if arguments.part == "ours":
        ours(arguments.data, arguments.graph, arguments.folder, arguments.questions)
    else:
        theirs(arguments.folder, arguments.depth or [10, 100])


if __name__ == "__main__":
    main()
