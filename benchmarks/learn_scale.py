"""Time and memory of ``graphbrick learn`` on large graphs.

    python benchmarks/learn_scale.py 1e7 300 [--written 4000] [--work FOLDER]

The graph is that of ``synthetic.py`` (degrees as in Freebase, relations by Zipf's law) with as many relations as the
second argument says, whose labels are made of English words, such as «deputy_editor» and «supplied_by». Printed are the
seconds of each step, the largest resident memory, and the size of what was learned.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from graphbrick import Graph, build
from graphbrick.learn.learning import learn
from synthetic import edges, n_entities

_FIRST = (
    "main deputy former local foreign annual public private senior junior honorary regional central acting "
    "legal medical military musical technical spare digital native official primary secondary external "
    "internal joint chief assistant maximum minimum average total daily weekly monthly first second third last "
    "previous next early late left right upper lower inner outer north south east west summer winter spring "
    "autumn royal federal urban rural coastal alpine polar"
).split()
_SECOND = (
    "editor supplier owner office language colour weight price garden engine harbour bridge teacher pupil "
    "doctor patient lawyer client judge court minister cabinet party member chairman sponsor league coach "
    "stadium route station airport island river valley summit forest farm crop mill mine metal mineral gas "
    "fuel tool machine vehicle wheel sail mast temple priest saint feast song singer drum painter portrait "
    "gallery museum library shelf author chapter print journal article critic prize donor fund bank loan debt "
    "tax budget market shop brand label"
).split()
_CHUNK = 1 << 20


def labels(n: int) -> list[str]:
    """Return ``n`` distinct labels of one or two words."""
    pairs = [f"{first}_{second}" for second in _SECOND for first in _FIRST]
    found = [*_SECOND, *pairs[:: max(1, len(pairs) // max(1, n - len(_SECOND)))], *pairs]
    chosen = list(dict.fromkeys(found))[:n]
    if len(chosen) < n:
        raise SystemExit(f"at most {len(chosen):,} relations, got {n:,}")
    return chosen


def write(triples: int, relations: int, file: Path) -> None:
    """Write the triples as tab-separated text."""
    names, entities = labels(relations), n_entities(triples)
    with file.open("w", encoding="utf-8") as handle:
        for first in range(0, triples, _CHUNK):
            columns = edges(first, min(first + _CHUNK, triples), entities, relations)
            for head, relation, tail in zip(*(column.tolist() for column in columns), strict=True):
                handle.write(f"entity {head}\t{names[relation]}\tentity {tail}\n")


def main() -> None:
    """Make the graph, learn, print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("triples", type=lambda text: int(float(text)))
    arguments.add_argument("relations", type=int)
    arguments.add_argument("--written", type=int, default=4_000)
    arguments.add_argument("--work", type=Path, help="keep the graph here")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        place = work / f"scale-{given.triples}-{given.relations}.graph"
        if not place.is_dir():
            write(given.triples, given.relations, work / "scale.tsv")
            build(work / "scale.tsv", place)
            (work / "scale.tsv").unlink()
        graph = Graph.open(place)
        started, steps = time.perf_counter(), dict[str, float]()

        def progress(what: str, done: float, total: float | None) -> None:
            steps[what] = time.perf_counter() - started

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        report = learn(graph, Path(temporary) / "scale.patterns", n=given.written, progress=progress)
        size = sum(file.stat().st_size for file in (Path(temporary) / "scale.patterns").iterdir())
        for what, seconds in steps.items():
            print(f"{seconds:7.1f} s  until the last of: {what}")
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{graph.n_triples:,} triples, {report.relations:,} relations: {report.seconds:.0f} s, memory "
              f"{before:.0f} -> {after:.0f} MB at most, {size / 2**20:.0f} MB written")  # fmt: skip


if __name__ == "__main__":
    main()
