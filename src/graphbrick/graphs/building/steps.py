"""The steps of a build, each done once: a build that is killed is taken up after the last step that it finished."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from graphbrick.files.writing import naming
from graphbrick.graphs.building.buckets import index_of

STATE = "state.tmp.json"
"""What is known between the steps, in the folder of the build."""

Advance = Callable[[float], None]
Watch = Callable[[str, float], None]
"""Called with the name of a step and the share of it that is done."""


def fingerprint(*parts: object, files: Sequence[Path]) -> str:
    """What must be the same for a build to be taken up: options, and name, size and time of every file.

    After the computer was started anew nothing is taken up, as files may then be incomplete.
    """
    stats = [(str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns) for file in files if file.exists()]
    boot = Path("/proc/sys/kernel/random/boot_id")
    started = boot.read_text() if boot.exists() else ""
    return hashlib.sha256(repr((parts, stats, started)).encode("utf-8", "surrogatepass")).hexdigest()


def is_left_by(folder: Path, mark: str) -> bool:
    """Whether a folder was left by a build with this fingerprint."""
    try:
        return bool(json.loads((folder / STATE).read_text())["fingerprint"] == mark)
    except (OSError, ValueError, KeyError, TypeError):
        return False


class Steps:
    """Runs the steps of a build in a folder and keeps count of them there.

    Args:
        work: The folder.
        mark: The `fingerprint` of the build; empty for one that is never taken up.
        watch: Told how far it is.
    """

    def __init__(self, work: Path, mark: str, watch: Watch) -> None:
        self._file, self._work, self._mark, self.watch = work / STATE, work, mark, watch
        self._done: dict[str, Any] = {}
        if mark and is_left_by(work, mark):
            self._done = json.loads(self._file.read_text())["done"]

    def is_done(self, name: str) -> bool:
        """Whether a step was finished before."""
        return name in self._done

    def run(self, name: str, step: Callable[[Advance], Any], *, frees: Sequence[str] = ()) -> Any:
        """Do a step, or not if it was done before; returns what it found, which must be plain JSON.

        Args:
            name: Its name.
            step: Does it; must give the same when it is begun anew.
            frees: Files that no later step needs.
        """
        if not self.is_done(name):
            self.watch(name, 0.0)
            found = step(lambda share: self.watch(name, share))
            self.note(name, found)
        for file in frees:
            for path in (self._work / file, index_of(self._work / file)):
                path.unlink(missing_ok=True)
        return self._done[name]

    def note(self, name: str, found: Any) -> None:
        """Remember that a step is finished, and what it found."""
        self._done[name] = found
        if self._mark:
            # Whole or not at all: a name that is there holds all of it.
            new = self._file.with_name(self._file.name + ".new")
            with naming(new):
                new.write_text(json.dumps({"fingerprint": self._mark, "done": self._done}))
            new.rename(self._file)
