"""Seconds and memory of making a graph from text, without a language model.

    python benchmarks/indexing.py OUT [--only medquad musique large] [--passages 100000] [--extract "Phrases()"]

- ``medquad``: the 498 health documents of MedQuAD, by heading.
- ``musique``: the 1,890 paragraphs of the MuSiQue sample, one passage each.
- ``large``: the documents of MedQuAD over and over until there are ``--passages`` passages. In every copy a third of
  the long words are altered, so that the number of names grows with the number of documents.

Each is indexed in a process of its own, whose peak of resident memory is reported. The data is read from
``GRAPHBRICK_DATA`` or ../shared/data. Graphs are written to OUT, and made anew.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from graphbrick import ByHeading, ByTokens, index
from graphbrick.pipeline.parsing import parse_brick
from graphbrick.text.documents.chunks import Chunker
from graphbrick.text.documents.document import Document
from graphbrick.text.extract.extraction import Extractor
from graphbrick.text.sources.tables import SourceOptions

DATA = Path(os.environ.get("GRAPHBRICK_DATA") or Path(__file__).parents[2] / "shared" / "data")
NAMES = ("medquad", "musique", "large")
_LONG_WORD = re.compile(r"[^\W\d_]{6,}")
_WHOLE = 10_000  # tokens; more than any paragraph has


def rows_of(name: str, passages: int) -> Iterator[dict[str, str]]:
    """Yield the documents of a collection, each with title and text."""
    if name == "musique":
        with gzip.open(DATA / "hipporag" / "musique_train_corpus.json.gz") as file:
            for row in json.load(file):
                yield {"title": row["title"], "text": row["text"]}
        return
    with gzip.open(DATA / "medquad" / "documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    texts = [(row["focus"], "\n\n".join(part["answer"] for part in row["sections"])) for row in documents]
    if name == "medquad":
        yield from ({"title": title, "text": text} for title, text in texts)
        return
    count = copy = 0
    while count < passages:
        for title, text in texts:
            yield {"title": altered(title, copy), "text": altered(text, copy)}
            count += sum(1 for _ in ByHeading().spans(Document("", title, text)))
            if count >= passages:
                return
        copy += 1


def altered(text: str, copy: int) -> str:
    """Return a text in which a third of the long words end differently in each copy."""
    if not copy:
        return text
    end = "".join(chr(ord("a") + int(digit)) for digit in str(copy))
    return _LONG_WORD.sub(lambda word: word[0] + end if crc32(word[0].lower().encode()) % 3 == 0 else word[0], text)


def measure(name: str, out: Path, extractor: Extractor) -> None:
    """Index a collection and print a row of the table."""
    graph, steps = out / f"{name}.graph", dict[str, float]()
    last = ["", time.perf_counter()]

    def progress(step: str, done: float, total: float | None) -> None:
        now = time.perf_counter()
        steps[str(last[0])] = steps.get(str(last[0]), 0.0) + now - float(last[1])
        last[:] = [step, now]

    chunker: Chunker = ByTokens(n=_WHOLE, overlap=0) if name == "musique" else ByHeading()
    start, options = time.perf_counter(), SourceOptions(text="text", title="title")
    made = index(
        [out / f"{name}.jsonl"], graph, chunker=chunker, extractor=extractor, options=options, progress=progress
    )
    progress("", 0, 0)
    store = sum(file.stat().st_size for file in Path(f"{graph}.text").rglob("*") if file.is_file())
    folder = sum(file.stat().st_size for file in graph.rglob("*") if file.is_file())
    counts = (made.graph.n_passages, made.graph.n_entities, made.graph.n_triples)
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = [steps.get(step, 0.0) for step in ("reading", "extracting", "building")]
    whole = (time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
    figures = (*counts, *seconds, *whole, store / 1e6, folder / 1e6)
    print("|", " | ".join([name, *(f"{figure:,.0f}" for figure in figures)]), "|", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--only", nargs="+", choices=NAMES, default=list(NAMES))
    arguments.add_argument("--passages", type=int, default=100_000, help="passages of the large collection")
    arguments.add_argument("--extract", default="Phrases()", help="an extractor")
    arguments.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.here:
        extractor = parse_brick(given.extract)
        assert isinstance(extractor, Extractor)
        measure(given.only[0], given.out, extractor)
        return
    titles = "documents passages entities triples read extract build all processor peak store graph".split()
    units = [""] * 4 + [", s"] * 5 + [", MB"] * 3
    print("|", " | ".join(map("".join, zip(titles, units, strict=True))), "|\n|" + "---|" * len(titles), flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.only:
        for old in (given.out / f"{name}.graph", given.out / f"{name}.graph.text"):
            shutil.rmtree(old, ignore_errors=True)
        with (given.out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows_of(name, given.passages))
        command = [sys.executable, __file__, str(given.out), "--here", "--only", name, "--extract", given.extract]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
