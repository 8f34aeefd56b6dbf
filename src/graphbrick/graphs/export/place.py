"""The place of an export: a file or folder that appears when it is complete."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TextIO

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.files.folders import NewFolder, files_in, new_folder
from graphbrick.core.files.system import flush_to_disk
from graphbrick.core.trace import event
from graphbrick.graphs.records.records import LeftOut


class Written(NamedTuple):
    """The result of an export.

    Attributes:
        folder: The folder or file.
        relations: Number of relations in it, if they may be fewer than the triples of the graph.
        left_out: What the format cannot hold, or other programs read otherwise, with counts.
    """

    folder: Path
    relations: int | None = None
    left_out: LeftOut | None = None


@dataclass(frozen=True)
class Export:
    """A format that graphs are written in; declared as an entry point whose name is that of the format.

    Attributes:
        write: Writes a graph: ``write(graph, target, overwrite=False)`` returns the file or folder that it made, or a
            `Written`. It raises `GraphbrickError` if ``target`` exists and must not be replaced, as `new_export_file`
            and `new_export_folder` do.
        takes: Other keywords of ``write``: "progress" (called with a step, what is done and the total), "base" (what
            IRIs begin with), "embedder", and "left_out" (a `LeftOut` for what the format cannot hold).
        needs_text: Whether only graphs made from documents can be written.
    """

    write: Callable[..., Path | Written]
    takes: tuple[str, ...] = ()
    needs_text: bool = False


def tell_left_out(left_out: LeftOut) -> None:
    """Record an event for each kind of what an export cannot hold."""
    for what, n in left_out.counts.items():
        examples = left_out.examples[what]
        shown = f": {', '.join(examples)}" if examples else ""
        event(f"not as in the graph: {n:,} {what}{shown}", "export.left_out", what=what, n=n, examples=examples)


def export_fault(value: object) -> str:
    """Return why a value is not an export; empty if it is one."""
    if not isinstance(value, Export):
        return "it is not an export; declare a graphbrick.Export(write)"
    return "" if callable(value.write) else "its write is not a function of a graph and a target"


@contextmanager
def new_export_file(target: Path, *, overwrite: bool) -> Iterator[Path]:
    """Yield the path of a file to write, in a hidden folder; the file is renamed to ``target`` at the end.

    If the block raises, the hidden folder is removed and an old file is kept.

    Raises:
        GraphbrickError: ``target`` exists and must not be replaced, is not a file, or cannot be written.
    """
    try:
        with NewFolder(target, lambda: _check_file(target, overwrite=overwrite)) as work:
            file = work / target.name
            yield file
            _check_file(target, overwrite=overwrite)
            flush_to_disk(file)
            _put(file, target, overwrite=overwrite)
    except OSError as error:
        raise _not_written(target, error) from error


@contextmanager
def new_export_text(target: Path, *, overwrite: bool) -> Iterator[TextIO]:
    """Yield an open text file in UTF-8; otherwise like `new_export_file`."""
    with (
        new_export_file(target, overwrite=overwrite) as path,
        path.open("w", encoding="utf-8", newline="\n") as file,
    ):
        yield file


@contextmanager
def new_export_folder(target: Path, files: Collection[str], *, overwrite: bool) -> Iterator[Path]:
    """Yield a hidden folder to write files into, which is renamed to ``target`` at the end.

    Args:
        target: The folder to make.
        files: Endings of the names that such an export has; a folder with other files is never replaced.
        overwrite: Replace an earlier export.

    Raises:
        GraphbrickError: ``target`` exists and must not be replaced, or cannot be written.
    """
    with new_folder(target, lambda: _check_folder(target, tuple(files), overwrite=overwrite)) as work:
        yield work


def _put(file: Path, target: Path, *, overwrite: bool) -> None:
    """Rename a file to its final path, or raise the error about a file that was put there meanwhile."""
    if not overwrite:
        try:
            os.link(file, target.resolve())  # which never replaces a file, as renaming does
        except FileExistsError:
            _check_file(target, overwrite=False)
            raise
        except OSError:  # a file system without links
            _check_file(target, overwrite=False)
        else:
            return
    file.replace(target.resolve())


def _check_file(target: Path, *, overwrite: bool) -> None:
    if target.is_dir():
        text = f"{target} is a folder, and this export is a file; choose another name"
        raise GraphbrickError(text, code="export.is_a_folder", target=target)
    if target.exists() and not target.is_file():
        text = f"{target} is a device or a pipe, which a file would replace; choose another name"
        raise GraphbrickError(text, code="export.is_a_device", target=target)
    if target.exists() and not overwrite:
        text = f"{target} exists; replace it with --overwrite, or choose another name"
        raise GraphbrickError(text, code="export.file_exists", target=target)


def _check_folder(target: Path, endings: tuple[str, ...], *, overwrite: bool) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        text = f"{target} is a file, and this export is a folder; choose another name"
        raise GraphbrickError(text, code="export.is_a_file", target=target)
    names = files_in(target)
    foreign = next((name for name in names if not name.endswith(endings)), None)
    if foreign is not None:
        text = f"{target} holds {foreign}, which is not of such an export; choose another folder"
        raise GraphbrickError(text, code="export.other_files", target=target, file=foreign)
    if names and not overwrite:
        text = f"{target} exists; replace it with --overwrite, or choose another folder"
        raise GraphbrickError(text, code="export.folder_exists", target=target)


def _not_written(target: Path, error: OSError) -> GraphbrickError:
    text = f"{target} cannot be written ({error.strerror or error}); choose another place"
    return GraphbrickError(text, code="export.not_written", target=target)
