"""The world graph in the user's cache folder."""

from __future__ import annotations

import logging
import shutil

from graphbrick.core import __version__
from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import GraphFormatError
from graphbrick.core.files.folders import user_folder
from graphbrick.demo.sources import installed_versions
from graphbrick.demo.world import world_records
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.language.hashing import hash64

_log = logging.getLogger(__name__)
_CONTENTS = 2
"""Raised when the world graph gets other contents from the same packages; 2 added populations and areas."""


def world_graph(*, rebuild: bool = False, progress: Progress = silent) -> Graph:
    """Open the world graph (`graphbrick.demo.world`), building it first if it is missing or unreadable.

    The folder is ``GRAPHBRICK_CACHE``, or the user's cache folder. A graph is valid for one version of graphbrick and
    of the data packages.

    Args:
        rebuild: Build it even if it is there.
        progress: Called now and then with the name of the step and the share of it that is done.
    """
    path = user_folder("GRAPHBRICK_CACHE") / f"world-{_version()}.graph"
    if not rebuild and path.exists():
        try:
            return Graph.open(path)
        except GraphFormatError as error:
            _log.warning("%s; building it again", error)
            shutil.rmtree(path)  # nobody else keeps anything under this name in the cache
    return build(world_records(), path, overwrite=True, progress=progress)


def _version() -> str:
    return f"{hash64(repr((__version__, _CONTENTS, sorted(installed_versions().items())))):016x}"[:8]
