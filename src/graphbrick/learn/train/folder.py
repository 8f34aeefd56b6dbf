"""Folders of trained models: complete or absent, and replacing only a model of the same kind."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphbrick.core.errors import ModelError
from graphbrick.core.files import folders
from graphbrick.core.files.folders import files_in, new_folder

FORMAT, VERSION = "graphbrick-training", 1
DESCRIPTION = "training.json"


def check_place(path: Path, kind: str, *, overwrite: bool) -> None:
    """Raise ModelError unless a model can be written to a folder; called before training starts.

    Args:
        path: The folder.
        kind: Kind of model, such as "embedder".
        overwrite: Whether an existing model of this kind may be replaced.
    """
    parent = next((folder for folder in path.absolute().parents if folder.exists()), path)  # the root has no parent
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise ModelError(
            f"{path} cannot be written: {parent} is not a folder that you may write to", code="train.not_writable"
        )

    def foreign(path: Path) -> list[str] | None:
        described = _described(path)
        if described.get("format") != FORMAT or described.get("kind") != kind:
            return None
        listed = {*described.get("files", ()), DESCRIPTION}
        return [name for name in files_in(path) if name not in listed]

    folders.check_place(path, f"a trained {kind}", foreign, overwrite=overwrite, error=ModelError)


@contextmanager
def writing(path: Path, kind: str, about: Mapping[str, Any], *, overwrite: bool) -> Iterator[Path]:
    """Context manager for a new model folder, which is moved into place at the end of the block.

    If the block raises, including on Ctrl-C, the new files are removed and an existing model stays unchanged.

    Args:
        path: The folder to make.
        kind: Kind of model.
        about: Content of ``training.json`` beside the format, the kind and the list of files.
        overwrite: Replace an existing model of this kind.

    Raises:
        ModelError: The folder exists already, or cannot be written.
    """
    with new_folder(path, lambda: check_place(path, kind, overwrite=overwrite), ModelError) as work:
        yield work
        described = {"format": FORMAT, "version": VERSION, "kind": kind, **about, "files": files_in(work)}
        text = json.dumps(described, indent=1, ensure_ascii=False) + "\n"
        (work / DESCRIPTION).write_text(text, encoding="utf-8")


def _described(folder: Path) -> dict[str, Any]:
    try:
        read = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
