"""Resumable build steps: a killed build continues after the last step that it finished."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from graphbrick.core.compute import Progress, part_of
from graphbrick.core.files.digests import sha256
from graphbrick.core.files.writing import naming
from graphbrick.graphs.store.writing.buckets import index_of

STATE = "state.tmp.json"
"""Name of the progress file in the build folder."""


def fingerprint(*parts: object, files: Sequence[Path]) -> str:
    """Return a hash of everything that must be unchanged for a build to be resumed.

    It covers the options, and the name, size and modification time of every file. It also covers the boot id: after
    a reboot no build is resumed, because its files may be incomplete.
    """
    stats = [(str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns) for file in files if file.exists()]
    boot = Path("/proc/sys/kernel/random/boot_id")
    started = boot.read_text(encoding="utf-8") if boot.exists() else ""
    return hashlib.sha256(repr((parts, stats, started)).encode("utf-8", "surrogatepass")).hexdigest()


def checksums(work: Path) -> dict[str, tuple[int, str]]:
    """Return the size and checksum of each finished file of a build."""
    files = [file for file in sorted(work.iterdir()) if ".tmp" not in file.name]
    with ThreadPoolExecutor(2) as pool:
        sums = pool.map(sha256, files)
        return {file.name: (file.stat().st_size, checksum) for file, checksum in zip(files, sums, strict=True)}


def is_left_by(folder: Path, mark: str) -> bool:
    """Return whether a build with this fingerprint left the folder."""
    try:
        return bool(json.loads((folder / STATE).read_text(encoding="utf-8"))["fingerprint"] == mark)
    except (OSError, ValueError, KeyError, TypeError):
        return False


class Steps:
    """Runner of the build steps, which records finished steps in the build folder.

    Args:
        work: The build folder.
        mark: The `fingerprint` of the build; empty for a build that is never resumed.
        progress: Called with the name of a step and its finished share in [0, 1].
    """

    def __init__(self, work: Path, mark: str, progress: Progress) -> None:
        self._file, self._work, self._mark, self.progress = work / STATE, work, mark, progress
        self._done: dict[str, Any] = {}
        if mark and is_left_by(work, mark):
            self._done = json.loads(self._file.read_text(encoding="utf-8"))["done"]

    def is_done(self, name: str) -> bool:
        """Return whether a step is finished."""
        return name in self._done

    def run(self, name: str, step: Callable[[Progress], Any], *, frees: Sequence[str] = ()) -> Any:
        """Run a step unless it is already finished, and return its result.

        Args:
            name: The name of the step.
            step: The function to run. It must return plain JSON, and the same result when it is restarted.
            frees: Files that no later step needs; they are deleted.
        """
        if not self.is_done(name):
            self.progress(name, 0.0, 1.0)
            self.note(name, step(part_of(self.progress, name)))
        for file in frees:
            for path in (self._work / file, index_of(self._work / file)):
                path.unlink(missing_ok=True)
        return self._done[name]

    def note(self, name: str, result: Any) -> None:
        """Record that a step is finished, with its result."""
        self._done[name] = result
        if self._mark:
            # Write to a new file and rename it, so that the state file is never incomplete.
            new = self._file.with_name(self._file.name + ".new")
            with naming(new):
                new.write_text(json.dumps({"fingerprint": self._mark, "done": self._done}))
            new.replace(self._file)
