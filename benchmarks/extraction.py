"""What an extractor finds in passages of MuSiQue: triples, rows left out, tokens, seconds.

    python benchmarks/extraction.py DATA "OpenIE(LocalLLM('qwen2.5-coder-1.5b', threads=1))" --n 5

DATA is the folder with HippoRAG's sample (musique_train_corpus.json.gz).
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections import Counter
from pathlib import Path

from graphbrick.models.llm.conversations import Usage, ask_about
from graphbrick.pipeline.parsing import parse_brick
from graphbrick.text.extract.model_extractor import ModelExtractor

WORDS = range(40, 91)  # of a passage


def passages(data: Path, n: int, seed: int) -> list[str]:
    """Return passages of 40 to 90 words under their titles, at random."""
    with gzip.open(data / "musique_train_corpus.json.gz", "rt", encoding="utf-8") as file:
        documents = json.load(file)
    random.Random(seed).shuffle(documents)
    fitting = (one for one in documents if len(one["text"].split()) in WORDS)
    return [f"{one['title']}\n{one['text']}" for one, _ in zip(fitting, range(n), strict=False)]


def main() -> None:
    """Extract, and print a line for each passage and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("extractor")
    parser.add_argument("--n", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    extractor = parse_brick(arguments.extractor)
    if not isinstance(extractor, ModelExtractor):
        parser.error(f"{extractor!r} asks no language model")
    usage, dropped, found, start = Usage(), Counter[str](), Counter[str](), time.perf_counter()
    texts = passages(arguments.data, arguments.n, arguments.seed)
    for i, result in ask_about(extractor, enumerate(texts), usage=usage):
        print(texts[i].partition("\n")[0], json.dumps(result.to_json(), ensure_ascii=False), flush=True)
        dropped.update(result.dropped)
        found.update(
            triples=len(result.triples),
            entities=len(result.entities),
            claims=len(result.claims),
            problems=bool(result.problem),
        )
    seconds = time.perf_counter() - start
    print(f"{len(texts)} passages in {seconds:.0f} s: {dict(found)}, left out {dict(dropped)}, {usage}")


if __name__ == "__main__":
    main()
