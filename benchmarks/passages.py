"""Passage retrieval over the MuSiQue and HotpotQA samples of HippoRAG: recall, and how often all passages are found.

python benchmarks/passages.py DATA FOLDER [--only musique-given]
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from pathlib import Path
from typing import Any

from graphbrick import ByTokens, FromFile, MiniLM, Phrases, SpacyPhrases, index, parse
from graphbrick.core.session import Session
from graphbrick.graphs.corpus import TextGraph
from graphbrick.models.indexes.embed_graph import embed_graph
from graphbrick.text.extract.extraction import Extractor

SIZES = (2, 5, 10)
PIPELINES = {
    "BM25": "Passages(n=10)",
    "MiniLM": "Passages(MiniLM(), n=10, by='meaning')",
    "both": "Passages(MiniLM(), n=10)",
    "HippoRAG 2, no filter": (
        "PassageRank(MiniLM(), n=10, facts=5, names=0.0, passages=0.05, entities=5, titles=1.0, links=0.0)"
    ),
    "PassageRank": "PassageRank(MiniLM(), n=10)",
    "no links": "PassageRank(MiniLM(), n=10, links=0.0)",
    "titles as other mentions": "PassageRank(MiniLM(), n=10, titles=1.0)",
    "no facts": "PassageRank(MiniLM(), n=10, facts=0)",
    "5 facts": "PassageRank(MiniLM(), n=10, facts=5)",
    "names weigh less": "PassageRank(MiniLM(), n=10, names=0.3)",
    "no synonyms": "PassageRank(MiniLM(), n=10, synonyms=None)",
    "the default of ask": "PassageRank(MiniLM(), n=10, facts=0, synonyms=None)",
    "... names weigh more": "PassageRank(MiniLM(), n=10, facts=0, synonyms=None, names=2.0)",
}
Text = tuple[str, str]


def _read(file: Path) -> Any:
    with gzip.open(file) as content:
        return json.load(content)


def load(data: Path, name: str) -> tuple[list[Text], list[tuple[str, list[Text]]]]:
    """Return the passages (title and text), and the questions with their supporting passages."""
    questions, corpus = (_read(data / f"{part}.json.gz") for part in (name, f"{name}_corpus"))
    if name == "hotpotqa_train":
        texts = {title: (title, "".join(lines)) for title, lines in corpus.items()}
        gold = [[texts[title] for title in dict.fromkeys(fact[0] for fact in q["supporting_facts"])] for q in questions]
        passages = list(texts.values())
    else:
        passages = [(entry["title"], entry["text"]) for entry in corpus]
        gold = [
            list(dict.fromkeys((p["title"], p["paragraph_text"]) for p in q["paragraphs"] if p["is_supporting"]))
            for q in questions
        ]
    return passages, [(q["question"], found) for q, found in zip(questions, gold, strict=True)]


def made(folder: Path, name: str, passages: list[Text], extractor: Extractor) -> TextGraph:
    """Return the graph of the passages, made once, with names and passages embedded."""
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps({"id": i, "title": t, "text": x}) + "\n" for i, (t, x) in enumerate(passages)))
    start = time.perf_counter()
    done = index([file], folder / f"{name}.graph", chunker=ByTokens(n=100_000, overlap=0), extractor=extractor)
    seconds, start = time.perf_counter() - start, time.perf_counter()
    embedded = embed_graph(done.graph, MiniLM())
    print(
        f"{name}: {done.graph}, {done.graph.n_passages} passages; indexed in {seconds:.0f} s, "
        f"{embedded:,} texts embedded in {time.perf_counter() - start:.0f} s",
        flush=True,
    )
    return done.graph


def measure(graph: TextGraph, pipeline: str, questions: list[tuple[str, list[Text]]]) -> list[str]:
    """Return the cells of a row: recall at each size and all passages in the top 5, for each half; milliseconds."""
    parsed = parse(pipeline)
    rows: list[list[list[float]]] = [[], []]
    seconds = []
    parsed.run(graph, questions[0][0])
    for i, (question, gold) in enumerate(questions):
        start = time.perf_counter()
        run = parsed.run(graph, question)
        seconds.append(time.perf_counter() - start)
        assert run.evidence is not None
        found = [item.text for item in run.evidence.items]
        texts = [text.strip() for _, text in gold]
        shares = [sum(text in found[:n] for text in texts) / len(texts) for n in SIZES]
        rows[i % 2].append([*shares, float(all(text in found[:5] for text in texts))])
    cells = [[sum(column) / len(half) for column in zip(*half, strict=True)] for half in rows]
    seconds.sort()
    return [f"{tuned:.3f} / {apart:.3f}" for tuned, apart in zip(*cells, strict=True)] + [
        f"{1000 * seconds[len(seconds) // 2]:.0f}"
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with the samples of HippoRAG")
    parser.add_argument("folder", type=Path, help="folder for the graphs")
    parser.add_argument(
        "--only",
        help="one of musique-given, musique-joined, musique-spacy, hotpotqa-spacy, musique-phrases, hotpotqa-phrases",
    )
    parser.add_argument("--pipeline", action="append", metavar="NAME: PIPELINE", help="instead of the usual ones")
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    pipelines = dict(part.split(": ", 1) for part in arguments.pipeline or ()) or PIPELINES
    openie = arguments.data / "musique_train_openie.jsonl.gz"
    for name, sample, extractor in (
        ("musique-given", "musique_train", FromFile(str(openie))),
        ("musique-joined", "musique_train", Phrases() | FromFile(str(openie))),
        ("musique-spacy", "musique_train", SpacyPhrases()),
        ("hotpotqa-spacy", "hotpotqa_train", SpacyPhrases()),
        ("musique-phrases", "musique_train", Phrases()),
        ("hotpotqa-phrases", "hotpotqa_train", Phrases()),
    ):
        if arguments.only not in (None, name):
            continue
        passages, questions = load(arguments.data, sample)
        with Session():
            graph = made(arguments.folder, name, passages, extractor)
            print("| pipeline | recall@2 | recall@5 | recall@10 | all in top 5 | ms |\n|---|---|---|---|---|---|")
            for title, pipeline in pipelines.items():
                print(f"| {title} | {' | '.join(measure(graph, pipeline, questions))} |", flush=True)


if __name__ == "__main__":
    main()
