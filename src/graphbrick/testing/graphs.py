"""Small graphs whose answers can be checked by eye."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path

from graphbrick.graphs.builder import build
from graphbrick.graphs.graph import Graph

TINY: tuple[tuple[str, str, str], ...] = (
    ("Kenya", "currency", "Kenyan shilling"),
    ("Kenya", "capital", "Nairobi"),
    ("Kenya", "borders", "Uganda"),
    ("Uganda", "currency", "Ugandan shilling"),
    ("Uganda", "capital", "Kampala"),
    ("Uganda", "borders", "Kenya"),
    ("Rwanda", "borders", "Uganda"),
    ("Rwanda", "capital", "Kigali"),
    ("Uganda", "largest city", "Kampala"),
    ("Rwanda", "borders", "Rwanda"),
)
"""Ten triples with what graphs have: a cycle, parallel relations, a self loop."""


@lru_cache(maxsize=1)
def tiny_graph() -> Graph:
    """A graph of three countries, built in a temporary folder that lasts as long as the process."""
    folder = tempfile.TemporaryDirectory(prefix="graphbrick-")
    _KEEP.append(folder)
    return build(TINY, Path(folder.name) / "tiny.graph")


_KEEP: list[tempfile.TemporaryDirectory[str]] = []
