"""Files of every format, changed: read or refused in one line, and nothing is left beside the target."""

from __future__ import annotations

import json
import random
from pathlib import Path

from good_files import DOCUMENTS, GRAPHS, PACKED
from mutating import mutated
from trying import Fault, Surface, command, forked, held, names, same, warmed

from graphbrick import Graph

_LINES = (".txt", ".tsv", ".csv", ".psv", ".nt", ".nq", ".jsonl", ".sif", ".obo", ".net", ".gml", ".ttl")
_BINARY = (".xlsx", ".parquet")


def triples(graph: Path) -> list[list[str]]:
    """Return the triples of a graph in order of their texts, read in a process of its own."""
    done = held(forked(lambda: print(json.dumps(sorted(Graph.open(graph).key_triples())))))
    return json.loads(done.out)


def harmless(draw: random.Random, name: str, data: bytes) -> tuple[str, bytes]:
    """Return a file that says the same: with other ends of lines, a mark of its encoding, packed, or as it is."""
    ending = Path(name).suffix
    if ending in _LINES and draw.random() < 0.5:
        data = data.replace(b"\n", b"\r\n")
    if ending not in (*_BINARY, ".rdf", ".graphml", ".gexf") and draw.random() < 0.3:
        data = b"\xef\xbb\xbf" + data
    if ending not in _BINARY and draw.random() < 0.6:
        packing = draw.choice(sorted(PACKED))
        name, data = name + packing, PACKED[packing](data)
    return name, data


class Readers(Surface):
    """`graphbrick build` on a changed file of any format."""

    tries = 1_600

    def prepare(self) -> None:
        """Build every good file."""
        self.known: dict[str, list[list[str]]] = {}
        for name, data in GRAPHS.items():
            (self.folder / name).write_bytes(data)
            warmed("build", self.folder / name, self.folder / f"{name}.graph")
            self.known[name] = triples(self.folder / f"{name}.graph")

    def attempt(self, draw: random.Random, work: Path) -> str:
        """Build a graph from a file that is changed, or that says the same."""
        name = draw.choice(sorted(GRAPHS))
        is_harmless = draw.random() < 0.1
        source, data = harmless(draw, name, GRAPHS[name]) if is_harmless else (name, mutated(draw, GRAPHS[name]))
        if not is_harmless and draw.random() < 0.1:
            packing = draw.choice(sorted(PACKED))
            packed = PACKED[packing](GRAPHS[name])
            source, data = name + packing, mutated(draw, packed)
        options = [] if is_harmless else draw.sample(["--skip-bad", "--lenient", "--no-near"], draw.randint(0, 2))
        file, target = work / source, work / "g.graph"
        file.write_bytes(data)
        done = held(command("build", file, target, *options), (0,) if is_harmless else (0, 1))
        if done.code:
            same(names(work), [source], "left after an error")
            return "refused"
        same(names(work), sorted([source, "g.graph"]), "left after a build")
        read = triples(target)
        if is_harmless:
            same(read, self.known[name], f"the triples of {source}")
        return "same" if is_harmless else "read"


class Documents(Surface):
    """`graphbrick index` on changed documents, beside one that is good."""

    tries = 500

    def prepare(self) -> None:
        """Index every good document once, so that all that is needed is loaded."""
        for name, data in DOCUMENTS.items():
            (self.folder / "docs").mkdir(exist_ok=True)
            (self.folder / "docs" / name).write_bytes(data)
        warmed("index", self.folder / "docs", self.folder / "n.graph", "--no-embed")
        warmed("documents", self.folder / "n.graph", "--json")

    def attempt(self, draw: random.Random, work: Path) -> str:
        """Index two documents of which one is changed."""
        name = draw.choice(sorted(DOCUMENTS))
        docs, target = work / "docs", work / "n.graph"
        docs.mkdir()
        (docs / "good.txt").write_bytes(DOCUMENTS["a.txt"])
        (docs / name).write_bytes(mutated(draw, DOCUMENTS[name]))
        skips = draw.random() < 0.5
        done = held(command("index", docs, target, "--no-embed", *["--skip-bad"] * skips), (0, 1))
        if skips and done.code and "a.csv" not in done.err and "a.jsonl" not in done.err:
            raise Fault(f"--skip-bad stops at {name}: {done.line}")
        if not done.code:
            listed = held(command("documents", target, "--json"), (0,))
            if "good.txt" not in listed.out:
                raise Fault("the good document is missing")
        left = [one for one in names(work) if not one.startswith(("docs", "n.graph"))]
        same(left, [], "left beside the graph")
        return "refused" if done.code else "read"
