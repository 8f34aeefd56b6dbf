"""The static vectors in the folder of models, which `StaticEmbedder` made there: list and remove them."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphbrick.core.files.folders import files_in
from graphbrick.core.files.locks import claim
from graphbrick.core.files.system import remove_lock
from graphbrick.models.store import folder, known, removing

_NAME = re.compile(r"static-minilm-v\d+")


@dataclass(frozen=True)
class Distilled:
    """Static vectors of `MiniLM` that this or an earlier version of the package made.

    Attributes:
        name: The name of the folder.
    """

    name: str

    role = "embedder"
    brick = "StaticEmbedder"
    about = "static vectors of MiniLM(), made at their first use"

    @property
    def path(self) -> Path:
        """The folder."""
        return folder() / self.name

    @property
    def bytes(self) -> int:
        """Size of its files."""
        return sum((self.path / file).stat().st_size for file in files_in(self.path))

    @property
    def licence(self) -> str:
        """The licence of the encoder."""
        return known()["all-minilm-l6-v2"].licence

    def to_dict(self) -> dict[str, Any]:
        """Return the entries of `Model.to_dict`, without files to fetch."""
        return {
            "name": self.name,
            "role": self.role,
            "brick": self.brick,
            "about": self.about,
            "licence": self.licence,
            "bytes": self.bytes,
            "fetched": True,
            "path": str(self.path),
            "files": [],
        }


def distilled() -> list[Distilled]:
    """Return the static vectors in the folder of models, by name."""
    names = (place.name for place in folder().glob("static-minilm-v*") if place.is_dir())
    return [Distilled(name) for name in sorted(names) if is_distilled(name)]


def is_distilled(name: str) -> bool:
    """Return whether a name is one of static vectors, made or not."""
    return _NAME.fullmatch(name) is not None


def find_distilled(name: str) -> Distilled | None:
    """Return the static vectors with a name; None if it is not a name of some, or they are not there."""
    return next((one for one in distilled() if one.name == name), None)


def remove_distilled(name: str) -> int:
    """Remove static vectors from the folder of models; `StaticEmbedder` makes them again when they are needed.

    Returns:
        Bytes freed; 0 if there was nothing.

    Raises:
        ModelError: Another process is making them, or they cannot be removed.
    """
    found = find_distilled(name)
    if found is None:
        return 0
    freed, lock = found.bytes, found.path.with_name(f".{name}.lock")
    with removing(name), claim(lock, wait=False):
        shutil.rmtree(found.path)
        remove_lock(lock)
    return freed
