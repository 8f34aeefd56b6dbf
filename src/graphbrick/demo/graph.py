"""The world graph in the cache folder: built when it is first needed, opened afterwards."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from graphbrick import __version__
from graphbrick.core.errors import GraphFormatError
from graphbrick.demo.sources import installed_versions
from graphbrick.demo.world import world_records
from graphbrick.graphs.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.text import hash64


@contextmanager
def _no_progress(title: str) -> Iterator[Callable[[int], None]]:
    yield lambda records: None


def world_graph(
    *,
    rebuild: bool = False,
    progress: Callable[[str], AbstractContextManager[Callable[[int], None]]] = _no_progress,
) -> Graph:
    """Open the world graph, and build it first when the cache folder does not hold it or holds a damaged copy.

    The folder is ``GRAPHBRICK_CACHE``, or the user's cache folder. The graph stays valid as long as graphbrick and the
    installed data packages keep their versions.

    Args:
        rebuild: Build the graph even when the cache holds it.
        progress: Called with the reason when a build starts. Returns a context manager whose value is called with the
            number of records read.
    """
    path = _cache() / f"world-{_version()}.graph"
    reason = "building the world graph"
    if not rebuild and path.exists():
        try:
            return Graph.open(path)
        except GraphFormatError as error:
            reason = f"{error}; building the world graph again"
            shutil.rmtree(path)  # the cache holds nothing but this graph under this name
    with progress(reason) as advance:
        return build(world_records(), path, overwrite=True, progress=advance)


def _cache() -> Path:
    from platformdirs import user_cache_path

    return Path(os.environ.get("GRAPHBRICK_CACHE") or user_cache_path("graphbrick"))


def _version() -> str:
    return f"{hash64(repr((__version__, sorted(installed_versions().items())))):016x}"[:8]
