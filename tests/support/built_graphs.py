"""A small graph and how tests build it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphbrick.graphs.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records import Record

TRIPLES = [("a", "r", "b"), ("b", "r", "c"), ("c", "s", "a")]


def built(folder: Path, *records: Record, **options: Any) -> Graph:
    return build(records, folder / "g.graph", **options)


def content(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())
