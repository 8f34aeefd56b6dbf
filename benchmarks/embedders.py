"""Embedders side by side: texts a second of processor time by length, and recall at 5 on three retrieval sets.

python benchmarks/embedders.py HIPPORAG WILD [--texts 400] [--questions 50] [--minilm FOLDER] [--only NAME ...]

HIPPORAG is the folder of HippoRAG's samples, WILD one with documents.jsonl.gz and questions.jsonl. FOLDER holds
all-MiniLM-L6-v2 with model.onnx or onnx/model.onnx for fastembed, and model.safetensors for sentence-transformers;
without it, or without one of these packages, they are left out, and the table says so. Nothing is downloaded.

Seconds are those of all threads of the process (`time.process_time`); each is the least of three rounds, in which the
systems take turns. A set is a sample: the passages that its first questions want, and others up to --texts.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick import EmbeddingModel, MiniLM, StaticEmbedder
from graphbrick.core.session import Session
from graphbrick.models.embedders.minilm import MAX_TOKENS
from passages import load

os.environ["HF_HUB_OFFLINE"] = "1"
Encode = Callable[[Sequence[str]], npt.NDArray[Any]]
Set = tuple[list[str], list[int], list[tuple[str, set[int]]]]
"""Texts, the document of each, and the questions with the documents that are wanted."""
LENGTHS = {5: 1000, 20: 400, 200: 48}
ROUNDS = 3
WORDS = 200  # of a passage of a web page


def passages_of(data: Path, name: str, n_texts: int, n_questions: int) -> Set:
    """Return a sample of MuSiQue or HotpotQA, in which every passage is a document."""
    passages, questions = load(data, name)
    questions = questions[:n_questions]
    kept = list(dict.fromkeys(passage for _, gold in questions for passage in gold))
    kept += [passage for passage in passages if passage not in set(kept)][: max(0, n_texts - len(kept))]
    place = {passage: i for i, passage in enumerate(kept)}
    texts = [f"{title}\n{text}" for title, text in kept]
    return texts, list(range(len(texts))), [(text, {place[passage] for passage in gold}) for text, gold in questions]


def pages_of(data: Path, n_texts: int, n_questions: int) -> Set:
    """Return a sample of web pages: the first 600 words of each, in passages of 200."""
    with gzip.open(data / "documents.jsonl.gz", "rt", encoding="utf-8") as content:
        pages = {page["title"]: page["text"] for page in map(json.loads, content)}
    asked = [json.loads(line) for line in (data / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    asked = [one for one in asked if one["documents"] and all(title in pages for title in one["documents"])]
    asked = asked[:n_questions]
    titles = list(dict.fromkeys(title for one in asked for title in one["documents"]))
    titles = list(dict.fromkeys([*titles, *pages]))
    texts: list[str] = []
    places: list[int] = []
    for i, title in enumerate(titles):
        words = pages[title].split()[: 3 * WORDS]
        if len(texts) >= n_texts and not any(title in one["documents"] for one in asked):
            break
        for start in range(0, max(1, len(words)), WORDS):
            texts.append(" ".join([title, *words[start : start + WORDS]]))
            places.append(i)
    place = {title: i for i, title in enumerate(titles)}
    return texts, places, [(one["question"], {place[title] for title in one["documents"]}) for one in asked]


def recall(encode: Encode, sample: Set, n: int = 5) -> float:
    """Return the mean share of the wanted documents among the first n; a document ranks by its best passage."""
    texts, places, questions = sample
    vectors = np.asarray(encode(texts), dtype=np.float32)
    asked = np.asarray(encode([text for text, _ in questions]), dtype=np.float32)
    shares = []
    for vector, (_, wanted) in zip(asked, questions, strict=True):
        ranked = dict.fromkeys(places[i] for i in np.argsort(-(vectors @ vector), kind="stable"))
        shares.append(len(wanted & set(list(ranked)[:n])) / len(wanted))
    return float(np.mean(shares))


def speeds(systems: dict[str, Encode], words: Sequence[str]) -> dict[str, list[float]]:
    """Return texts a second of processor time, for each system and length."""
    rates: dict[str, list[float]] = {name: [] for name in systems}
    for length, n in LENGTHS.items():
        texts = [" ".join(words[i * length : (i + 1) * length]) for i in range(n)]
        least = dict.fromkeys(systems, float("inf"))
        for _ in range(ROUNDS):
            for name, encode in systems.items():
                start = time.process_time()
                encode(texts)
                least[name] = min(least[name], time.process_time() - start)
        for name in systems:
            rates[name].append(n / least[name])
            print(f"{name}: {rates[name][-1]:,.0f} texts of {length} words a second", flush=True)
    return rates


def ours() -> Iterator[tuple[str, Encode]]:
    """Yield the embedders of this package; static vectors are made before they are measured."""
    yield "MiniLM()", MiniLM().encode
    static = StaticEmbedder()
    start = time.process_time()
    static.encode(["loads, or distils"])
    print(f"StaticEmbedder() was ready after {time.process_time() - start:.1f} s")
    yield "StaticEmbedder()", static.encode


def others(folder: Path | None) -> Iterator[tuple[str, Encode | str]]:
    """Yield the other libraries with the same model, or why one is left out."""
    if folder is None:
        yield "fastembed, sentence-transformers", "no weights: name them with --minilm"
        return
    weights = next((file for file in (folder / "model.onnx", folder / "onnx/model.onnx") if file.is_file()), None)
    if weights is None:
        yield "fastembed", f"no model.onnx in {folder}"
    else:
        yield "EmbeddingModel, float32", EmbeddingModel(str(folder)).encode
        yield from _fastembed(folder, weights)
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        yield "sentence-transformers", f"not installed ({error.name})"
        return
    if not list(folder.glob("*.safetensors")):
        yield "sentence-transformers", f"no *.safetensors in {folder}"
        return
    model = SentenceTransformer(str(folder), device="cpu")
    yield "sentence-transformers", lambda texts: model.encode(list(texts), normalize_embeddings=True)


def _fastembed(folder: Path, weights: Path) -> Iterator[tuple[str, Encode | str]]:
    try:
        from fastembed import TextEmbedding
    except ImportError as error:
        yield "fastembed", f"not installed ({error.name})"
        return
    place = Path(tempfile.mkdtemp())
    for file in folder.glob("*.json"):
        shutil.copy(file, place)
    # The published files of the tokenizer pad and cut all texts to 128 tokens: cut at 256 and pad to the longest, as
    # the others do.
    _change(place / "tokenizer.json", padding=None, truncation=None)
    _change(place / "tokenizer_config.json", model_max_length=MAX_TOKENS)
    shutil.copy(weights, place / "model.onnx")
    model = TextEmbedding("sentence-transformers/all-MiniLM-L6-v2", specific_model_path=str(place))
    yield "fastembed", lambda texts: np.stack(list(model.embed(list(texts))))


def _change(file: Path, **settings: object) -> None:
    """Change settings in a JSON file."""
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | settings), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hipporag", type=Path)
    parser.add_argument("wild", type=Path)
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--minilm", type=Path, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--only", nargs="*", help="systems to measure")
    arguments = parser.parse_args()
    sizes = arguments.texts, arguments.questions
    sets = {
        "MuSiQue": passages_of(arguments.hipporag, "musique_train", *sizes),
        "HotpotQA": passages_of(arguments.hipporag, "hotpotqa_train", *sizes),
        "web pages": pages_of(arguments.wild, *sizes),
    }
    for name, (texts, _, questions) in sets.items():
        print(f"{name}: {len(texts)} texts, {len(questions)} questions")
    words = " ".join(sets["MuSiQue"][0]).split()
    words = words * (max(length * n for length, n in LENGTHS.items()) // len(words) + 1)
    with Session():
        systems: dict[str, Encode] = {}
        for name, encode in [*ours(), *others(arguments.minilm)]:
            if isinstance(encode, str):
                print(f"{name}: left out, {encode}")
            elif arguments.only is None or name in arguments.only:
                systems[name] = encode
                encode(["warm", "up"])
        rates = speeds(systems, words)
        heads = [*(f"{length} words" for length in LENGTHS), *(f"{name}, recall@5" for name in sets)]
        print(f"| texts a second of CPU | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
        for name, encode in systems.items():
            cells = [f"{rate:,.0f}" for rate in rates[name]]
            cells += [f"{recall(encode, sample):.3f}" for sample in sets.values()]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
