"""Folders of extracted subgraphs, written by hand as docs/spark.md states their format."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = {
    "seeds": ("set", "entity"),
    "scores": ("set", "entity", "score", "rank"),
    "triples": ("set", "head", "relation", "tail"),
    "labels": ("entity", "label"),
}


def write_table(folder: Path, table: str, rows, files=1) -> None:
    """Write rows into so many Parquet files of a table."""
    place = folder / table
    place.mkdir(parents=True, exist_ok=True)
    columns = COLUMNS[table]
    types = {"score": pa.float64(), "rank": pa.int32()}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in columns])
    for number in range(files):
        part = rows[number::files]
        arrays = {name: [row[at] for row in part] for at, name in enumerate(columns)}
        pq.write_table(pa.table(arrays, schema=schema), place / f"part-{number:05}.snappy.parquet")


def write_extraction(folder: Path, sets, labels=None, files=1) -> Path:
    """Write a folder.

    Args:
        folder: The folder to make.
        sets: For the name of each set, its seeds and its triples; entities are scored in the order of the triples.
        labels: Labels of keys.
        files: Number of files of each table.
    """
    seeds = [(name, seed) for name, (own, _) in sets.items() for seed in own]
    scores = []
    for name, (_, triples) in sets.items():
        entities = dict.fromkeys(end for head, _, tail in triples for end in (head, tail))
        scores += [(name, entity, 1 / rank, rank) for rank, entity in enumerate(entities, 1)]
    triples = [(name, *triple) for name, (_, own) in sets.items() for triple in own]
    for table, rows in (("seeds", seeds), ("scores", scores), ("triples", triples)):
        write_table(folder, table, rows, files)
    if labels is not None:
        write_table(folder, "labels", sorted(labels.items()))
    settings = {"format": 1, "settings": {"restart": 0.2}, "source": "countries.nt", "counts": {"sets": len(sets)}}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "_SUCCESS").touch()
    return folder
