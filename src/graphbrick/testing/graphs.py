"""Small graphs whose answers can be checked by eye."""

from __future__ import annotations

import atexit
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
    return build(TINY, lasting_folder() / "tiny.graph")


def lasting_folder() -> Path:
    """A new temporary folder that is removed when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="graphbrick-")
    atexit.register(folder.cleanup)
    return Path(folder.name)
