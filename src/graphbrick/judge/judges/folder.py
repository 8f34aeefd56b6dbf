"""Folders of trained judges: ``judge.json`` with how the judge was made, and the files that it needs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.core.files.folders import files_in, new_folder

FORMAT, VERSION = "graphbrick-judge", 1
FILE = "judge.json"


@contextmanager
def new_judge(folder: Path, about: Mapping[str, Any]) -> Iterator[Path]:
    """Context manager for the folder of a new judge, which is there at the end of the block.

    Args:
        folder: The folder to make.
        about: What ``judge.json`` says beside format and version: the kind of judge, and what that kind needs.

    Raises:
        InputError: It exists, or cannot be written.
    """
    with new_folder(folder, lambda: require_no_judge(folder), InputError) as work:
        yield work
        text = json.dumps({"format": FORMAT, "version": VERSION, **about}, indent=1, ensure_ascii=False)
        (work / FILE).write_text(text + "\n", encoding="utf-8")


def require_no_judge(folder: Path) -> None:
    """Raise InputError if there is something at the place of a new judge."""
    if folder.exists():
        raise InputError("exists already, and a judge is never replaced; choose another place or remove it", folder)


def read_judge(folder: Path) -> tuple[dict[str, Any], str]:
    """Return what ``judge.json`` says, and a checksum of all files of the judge, 16 hexadecimal digits.

    Raises:
        InputError: The folder holds no judge, or one of a later version.
    """
    try:
        about = json.loads((folder / FILE).read_bytes())
        digest = hashlib.sha256()
        for name in files_in(folder):
            digest.update(f"{name}\n".encode())
            with (folder / name).open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"holds no judge ({FILE} cannot be read); train one with graphbrick judge train", folder
        ) from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise InputError(f"holds no judge: {FILE} is something else", folder)
    if about.get("version") != VERSION:
        raise InputError(f"holds a judge of version {about.get('version')}, which this graphbrick cannot open", folder)
    return about, digest.hexdigest()[:16]
