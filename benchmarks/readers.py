"""Compares the readers of delimited text and N-Triples with pyarrow.csv and pyoxigraph, on a million lines each.

Each reader gives the same: head, relation and tail of every line as UTF-8 text that a builder can take, in blocks. Ours
gives spans of the bytes that were read; pyarrow gives string columns; pyoxigraph gives terms, whose text is then taken.

    python benchmarks/readers.py [--lines 1000000] [--repeat 3]
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.csv
import pyoxigraph

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
    """Read with pyarrow, one thread as ours, block by block."""
    options = pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False)
    read = pyarrow.csv.ReadOptions(use_threads=False, block_size=1 << 22, column_names=["head", "relation", "tail"])
    convert = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(["head", "relation", "tail"], pyarrow.string()))
    with pyarrow.csv.open_csv(file, read_options=read, parse_options=options, convert_options=convert) as batches:
        return sum(batch.num_rows for batch in batches)


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
    print("| format | lines | MB | graphbrick s | library s | times faster |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, write, library in (
            ("lines.tsv", write_tab_separated, with_pyarrow),
            ("lines.nt", write_n_triples, with_pyoxigraph),
        ):
            file = Path(folder) / name
            write(file, options.lines)
            own, other = seconds(ours, file, options.repeat), seconds(library, file, options.repeat)
            megabytes = file.stat().st_size / 1e6
            print(f"| {name} | {options.lines:,} | {megabytes:.0f} | {own:.2f} | {other:.2f} | {other / own:.1f} |")


if __name__ == "__main__":
    main()
