"""Compares the readers of delimited text and N-Triples with pyarrow.csv and pyoxigraph, on a million lines each.

A builder takes head, relation and tail of every line as spans of bytes, stripped of white space, in blocks. graphbrick
reads both with kernels, and unusual lines one by one. The libraries are measured alone:
pyarrow makes string columns, pyoxigraph makes terms and their texts. One line in a hundred of `odd.tsv` is bad. The
times are seconds of the processor, which other work on the machine changes little. To measure another version of
graphbrick, set PYTHONPATH to its `src`.

    python benchmarks/readers.py [--lines 1000000] [--repeat 3]
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow.csv
import pyoxigraph

from graphbrick.graphs.readers import ReadOptions, read_parts, source_files
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.records.records import BadRecords


def write_tab_separated(file: Path, lines: int, bad_every: int = 0) -> None:
    """Write triples of names of ordinary length; in every so many lines, a delimiter is missing."""
    rng = random.Random(0)
    with file.open("w", encoding="utf-8") as out:
        for i in range(lines):
            if bad_every and i % bad_every == bad_every - 1:
                out.write(f"Entity number {rng.randrange(lines)}\tno tail\n")
                continue
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
    """Read with graphbrick; return the number of triples and facts."""
    options = ReadOptions()
    parts = read_parts(source_files(file, None, options), FileReading(options, BadRecords(skip=True), fast=True))
    return sum(part.starts.shape[-1] for part in parts)  # type: ignore[union-attr]


def with_pyarrow(file: Path) -> int:
    """Read with pyarrow: one thread, block by block; return the number of rows."""
    names = ["head", "relation", "tail"]
    with pyarrow.csv.open_csv(
        file,
        read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=1 << 22, column_names=names),
        parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False, invalid_row_handler=lambda _: "skip"),
        convert_options=pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.string())),
    ) as batches:
        return sum(batch.num_rows for batch in batches)


def with_pyoxigraph(file: Path) -> int:
    """Read with pyoxigraph and take the texts of the three terms; return the number of triples."""
    count = 0
    with file.open("rb") as stream:
        for quad in pyoxigraph.parse(stream, format=pyoxigraph.RdfFormat.N_TRIPLES):
            _ = quad.subject.value, quad.predicate.value, str(quad.object)
            count += 1
    return count


def seconds(read: Callable[[Path], int], file: Path, repeat: int) -> float:
    """Return the shortest processor time of several readings, after one that does not count."""
    read(file)
    times = []
    for _ in range(repeat):
        start = time.process_time()
        read(file)
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    print("| file | MB | graphbrick s | library s | times faster |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, write, library in (
            ("lines.tsv", write_tab_separated, with_pyarrow),
            ("odd.tsv", partial(write_tab_separated, bad_every=100), with_pyarrow),
            ("lines.nt", write_n_triples, with_pyoxigraph),
        ):
            file = Path(folder) / name
            write(file, options.lines)
            own, other = (seconds(read, file, options.repeat) for read in (ours, library))
            print(f"| {name} | {file.stat().st_size / 1e6:.0f} | {own:.2f} | {other:.2f} | {other / own:.1f} |")


if __name__ == "__main__":
    main()
