"""The end of a command that makes a graph, where Ctrl-C may come too late."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from graphbrick.cli.progress import note_events
from graphbrick.core.files.digests import file_stamp
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.manifest import NAME


def completed(place: Path, make: Callable[[], Graph]) -> Graph:
    """Make a graph; a Ctrl-C that comes when it is in its place already is noted, and ends nothing."""
    before = file_stamp(place / NAME)
    try:
        return make()
    except KeyboardInterrupt:
        if file_stamp(place / NAME) in (None, before):
            raise
        note_events([f"Ctrl-C came too late: {place} is complete"])
        return Graph.open(place, passages=False)
