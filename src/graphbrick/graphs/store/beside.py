"""Folders of data computed for a graph, stored beside it. A folder is complete or absent.

The path is ``<graph>.<what>/<name>-<hash of the graph>/``; the file ``facts.json`` in it describes the contents and
the sizes of the files. A removed folder can be computed again. After a change of the graph (not after a rebuild), the
folder of an earlier version can still be used, as long as at most `MOST_CHANGED` of the triples have changed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from graphbrick.core.errors import GraphbrickError, GraphFormatError
from graphbrick.core.files.digests import is_intact, sealed, sha256
from graphbrick.graphs.store.manifest import SMALL, Manifest
from graphbrick.graphs.store.overlay.delta_files import read_deltas
from graphbrick.graphs.store.overlay.overlay import ChangesSince
from graphbrick.graphs.store.stored import StoredGraph

MOST_CHANGED = 0.1
"""Maximum share of changed triples at which an earlier folder is still used; above it, a new one is made."""

_FACTS, _FORMAT = "facts.json", 1


class Earlier(NamedTuple):
    """A folder that was made for an earlier version of the graph.

    Attributes:
        folder: The folder.
        facts: The contents of its ``facts.json``.
        since: What has changed in the graph since its content was computed.
    """

    folder: Path
    facts: dict[str, Any]
    since: ChangesSince

    @property
    def is_usable(self) -> bool:
        """True if the graph has changed so little that the content is still approximately right."""
        return self.since.share <= MOST_CHANGED


class FolderBeside:
    """One folder beside a graph.

    Args:
        graph: The graph that it is for.
        what: The kind, such as "partitions"; the ending of the folder beside the graph.
        name: The parameters as part of a file name, the same for all versions of the graph.
    """

    def __init__(self, graph: StoredGraph, what: str, name: str) -> None:
        self._graph, self._name = graph, name
        self.parent = graph.place.with_name(f"{graph.place.name}.{what}")
        self.folder = self.parent / f"{name}-{graph.hash}"

    def older(self) -> list[Path]:
        """Return the folders with the same parameters for other versions of the graph, or for other graphs."""
        return sorted(
            folder
            for folder in self.parent.glob("*")
            if folder.name.rpartition("-")[0] == self._name and folder != self.folder
        )

    def earlier(self) -> Earlier | None:
        """Return the folder of the latest earlier version of the graph; None if there is no complete one.

        A fact "made" is the hash of the version that the content was computed for, if that is not the folder's own.
        """
        candidates = []
        for folder in self.older():
            with suppress(ValueError):  # treat a damaged folder as missing
                facts = facts_of(folder)
                since = self._graph.changes_since((facts or {}).get("made", folder.name.rpartition("-")[2]))
                if facts is not None and since is not None:
                    candidates.append(Earlier(folder, facts, since))
        return max(candidates, key=lambda earlier: earlier.since.number, default=None)

    def missing_because(self) -> str:
        """Return the reason why this version of the graph has no folder, for messages: "was ..." or "is ..."."""
        earlier = self.earlier()
        if earlier is not None:
            return f"was made {earlier.since} (at most {MOST_CHANGED:.0%} may have)"
        return "is of an older version of the graph" if self.older() else "was not made yet"

    def facts(self) -> dict[str, Any] | None:
        """Return the contents of ``facts.json``; None if there is no folder.

        Raises:
            ValueError: The folder is not complete.
        """
        return facts_of(self.folder)

    def write(self, fill: Callable[[Path], Mapping[str, Any]]) -> None:
        """Write the folder, replacing it and the folders of other versions of the graph.

        Args:
            fill: Function that writes the files into a given folder and returns the facts.

        Raises:
            OSError: It cannot be written.
        """
        from graphbrick.core.files.folders import put_in_place, working_folder  # most processes write none

        self.parent.mkdir(exist_ok=True)
        with working_folder(self.parent, ".part") as work:
            facts = {**fill(work), "format": _FORMAT}
            files = sorted(work.iterdir())
            facts["files"] = {file.name: file.stat().st_size for file in files}
            facts["sha256"] = {file.name: sha256(file) for file in files if file.is_file()}
            facts = sealed(facts)
            (work / _FACTS).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
            try:
                put_in_place(work, self.folder)
            except (OSError, GraphbrickError):
                if not self.folder.is_dir():  # else another process was faster; its folder is equivalent
                    raise
        if self._is_current():  # else the folder of a later version may be among the others
            for folder in self.older():
                shutil.rmtree(folder, ignore_errors=True)  # processes that have it open keep it

    def _is_current(self) -> bool:
        """Return whether the graph in the folder is still the version that is open."""
        place = self._graph.place
        try:
            return read_deltas(place, Manifest.read(place).hash)[1] == self._graph.hash
        except (GraphFormatError, OSError):
            return False

    def keep(self, what: str, fill: Callable[[Path], Mapping[str, Any]]) -> None:
        """Write the folder like `write`, for content that a user has requested.

        Args:
            what: The content in words, such as "the communities".
            fill: As for `write`.

        Raises:
            GraphbrickError: It cannot be written.
        """
        try:
            self.write(fill)
        except OSError as error:
            raise GraphbrickError(
                f"{what} of {self._graph.place} cannot be kept in {self.parent} ({error.strerror or error}); put the "
                "graph where that folder can be written",
                code="beside.not_writable",
                folder=self.parent,
            ) from error


def facts_of(folder: Path, *, largest: int = SMALL) -> dict[str, Any] | None:
    """Return the contents of ``facts.json`` in a folder beside a graph; None if there is no folder.

    Args:
        folder: The folder.
        largest: Size in bytes of the largest file whose checksum is compared.

    Raises:
        ValueError: The folder is not complete, or damaged.
    """
    try:
        facts: dict[str, Any] = json.loads((folder / _FACTS).read_text(encoding="utf-8"))
        sizes, sums = dict(facts["files"]), dict(facts.get("sha256", {}))
        version = facts["format"]
    except (FileNotFoundError, NotADirectoryError):
        if folder.exists():
            raise ValueError(f"no {_FACTS}") from None
        return None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"its {_FACTS} cannot be read ({error})") from error
    if not is_intact(facts):
        raise ValueError(f"its {_FACTS} is not what was written")
    if version != _FORMAT:
        raise ValueError(f"format {version!r} instead of {_FORMAT}")
    for name, size in sizes.items():
        file = folder / name
        actual = file.stat().st_size if file.is_file() else -1
        if actual != size:
            raise ValueError(f"{name} is {'missing' if actual < 0 else f'{actual:,} bytes instead of {size:,}'}")
        if name in sums and actual <= largest and sha256(file) != sums[name]:
            raise ValueError(f"{name} is not what was written")
    return facts
