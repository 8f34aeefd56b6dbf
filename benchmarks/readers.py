"""Compares the readers of delimited text and N-Triples with pyarrow.csv and pyoxigraph, on a million lines each.

A builder takes head, relation and tail of every line as spans of bytes, stripped of white space, in blocks. For the
libraries two times are given: what they need alone (pyarrow: string columns; pyoxigraph: terms and their text), and
with the conversion to what a builder takes.

    python benchmarks/readers.py [--lines 1000000] [--repeat 3]
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.csv
import pyoxigraph

from graphbrick.graphs.blocks import TripleBlock
from graphbrick.graphs.readers import ReadOptions, read_parts
from graphbrick.graphs.records import BadRecords


def write_tab_separated(file: Path, lines: int) -> None:
    """Write triples of names of ordinary length."""
    rng = random.Random(0)
    with file.open("w", encoding="utf-8") as out:
        for _ in range(lines):
            out.write(f"Entity number {rng.randrange(lines)}\tpeople.person.relation_{rng.randrange(200)}\t")
            out.write(f"Entity number {rng.randrange(lines)}\n")


def write_n_triples(file: Path, lines: int) -> None:
    """Write triples as in Wikidata and DBpedia: three quarters are between entities, the others have literals."""
    rng = random.Random(0)
    with file.open("w", encoding="utf-8") as out:
        for i in range(lines):
            number = rng.randrange(lines)
            tail = f"<http://example.org/entity/Q{rng.randrange(lines)}>" if i % 4 else f'"Name of {number}"@en'
            relation = "http://www.w3.org/2000/01/rdf-schema#label" if not i % 8 else f"http://example.org/p/P{i % 300}"
            out.write(f"<http://example.org/entity/Q{number}> <{relation}> {tail} .\n")


def ours(file: Path) -> int:
    """Read with graphbrick; the number of triples and facts."""
    parts = read_parts(file, None, options=ReadOptions(), bad=BadRecords())
    return sum(part.starts.shape[-1] for part in parts)  # type: ignore[union-attr]


def with_pyarrow(file: Path) -> int:
    """Read with pyarrow."""
    with pyarrow_batches(file) as batches:
        return sum(batch.num_rows for batch in batches)


def pyarrow_batches(file: Path) -> pyarrow.csv.CSVStreamingReader:
    """Open a file with pyarrow: one thread like ours, block by block."""
    options = pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False)
    read = pyarrow.csv.ReadOptions(use_threads=False, block_size=1 << 22, column_names=["head", "relation", "tail"])
    convert = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(["head", "relation", "tail"], pyarrow.string()))
    return pyarrow.csv.open_csv(file, read_options=read, parse_options=options, convert_options=convert)


def blocks_with_pyarrow(file: Path) -> int:
    """Read with pyarrow, and make spans of the columns whose cells have nothing to strip."""
    count = 0
    with pyarrow_batches(file) as batches:
        for batch in batches:
            data = np.concatenate([np.frombuffer(column.buffers()[2], dtype=np.uint8) for column in batch.columns])
            starts, ends, before = [], [], 0
            for column in batch.columns:
                assert pc.all(pc.equal(pc.utf8_trim_whitespace(column), column)).as_py()
                places = np.frombuffer(column.buffers()[1], dtype=np.int32)[: len(column) + 1].astype(np.int64) + before
                starts.append(places[:-1])
                ends.append(places[1:])
                before += len(np.frombuffer(column.buffers()[2], dtype=np.uint8))
            count += TripleBlock(data, np.stack(starts), np.stack(ends)).starts.shape[1]
    return count


def blocks_with_pyoxigraph(file: Path) -> int:
    """Read with pyoxigraph, and make blocks of what the terms say."""
    triples, count = [], 0
    with file.open("rb") as stream:
        for quad in pyoxigraph.parse(stream, format=pyoxigraph.RdfFormat.N_TRIPLES):
            triples.append((quad.subject.value, quad.predicate.value, str(quad.object)))
            if len(triples) == 1 << 14:
                count += TripleBlock.of(triples).starts.shape[1]
                triples = []
    return count + TripleBlock.of(triples).starts.shape[1]


def with_pyoxigraph(file: Path) -> int:
    """Read with pyoxigraph and take the texts of the three terms."""
    count = 0
    with file.open("rb") as stream:
        for quad in pyoxigraph.parse(stream, format=pyoxigraph.RdfFormat.N_TRIPLES):
            _ = quad.subject.value, quad.predicate.value, str(quad.object)
            count += 1
    return count


def seconds(read: Callable[[Path], int], file: Path, repeat: int) -> float:
    """The shortest time of several readings, after one that does not count."""
    read(file)
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        read(file)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    print("| file | MB | graphbrick s | library s | with conversion s | times faster | with conversion |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, write, *readers in (
            ("lines.tsv", write_tab_separated, ours, with_pyarrow, blocks_with_pyarrow),
            ("lines.nt", write_n_triples, ours, with_pyoxigraph, blocks_with_pyoxigraph),
        ):
            file = Path(folder) / name
            write(file, options.lines)
            own, alone, converted = (seconds(read, file, options.repeat) for read in readers)
            size = f"{file.stat().st_size / 1e6:.0f} | {own:.2f} | {alone:.2f} | {converted:.2f}"
            print(f"| {name} | {size} | {alone / own:.1f} | {converted / own:.1f} |")


if __name__ == "__main__":
    main()
