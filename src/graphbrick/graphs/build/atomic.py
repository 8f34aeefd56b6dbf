"""The folder of an unfinished graph, which can replace only a graph."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path

from graphbrick.core.files import folders
from graphbrick.core.files.folders import NewFolder
from graphbrick.graphs.build.steps import is_left_by
from graphbrick.graphs.store import manifest, seal
from graphbrick.graphs.store.overlay.delta_files import is_delta


def new_graph_folder(
    path: Path, *, overwrite: bool, mark: str = "", check: Callable[[], None] = lambda: None
) -> NewFolder:
    """Return a folder that takes the place of ``path`` when it is committed.

    Args:
        path: The folder to make; a link is followed.
        overwrite: Replace a graph that is there. Anything that is not a graph is never replaced.
        mark: The `fingerprint` of the build; the folder left by a killed build with the same mark is continued.
        check: Function that raises for another reason not to replace the graph that is there.
    """

    def check_all() -> None:
        check_place(path, overwrite=overwrite)
        check()

    return NewFolder(
        path,
        check_all,
        can_resume=lambda folder: bool(mark) and is_left_by(folder, mark),
    )


def check_place(path: Path, *, overwrite: bool) -> None:
    """Raise GraphbrickError if ``path`` must not be replaced."""
    folders.check_place(path, "a graph", _foreign_files, overwrite=overwrite)


def _foreign_files(path: Path) -> list[str] | None:
    """Return the files of a graph folder that are not the graph's; None if it is not a graph folder."""
    names = {file.name for file in path.iterdir()} if path.is_dir() else set()
    try:
        listed = json.loads((path / manifest.NAME).read_text(encoding="utf-8"))
        if listed["format"] != manifest.FORMAT:
            return None
        own = {manifest.NAME, seal.NAME, *listed["files"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        if not {"out_ptr.npy", "in_ptr.npy", "tail.npy", "labels.zst"} <= names:
            return None
        own = {name for name in names if Path(name).suffix in (".npy", ".zst")}  # a graph with a damaged manifest
        own |= {manifest.NAME, manifest.SKIPPED, seal.NAME}
    return sorted(name for name in names if name not in own and not is_delta(name))


def not_written(path: Path, error: OSError) -> str:
    """Return an error text that names the file of a build that could not be written, the reason, and advice."""
    file = f" ({Path(error.filename).name})" if error.filename else ""
    advice = {
        errno.ENOSPC: "make space on the disk",
        errno.EDQUOT: "make space within your quota",
        errno.EFBIG: "raise the limit on file sizes (ulimit -f)",
    }.get(error.errno or 0, "choose another place for the graph")
    return f"{path} cannot be written{file}: {error.strerror or error}; {advice}, and nothing was left behind"
