"""Download of published data sets into a local folder, and lookup of the files of a split.

The folder is ``GRAPHBRICK_DATASETS``, or ``datasets`` in the user's graphbrick cache folder; each data set has a
subfolder. A file that you put there yourself is accepted as it is if its checksum is not known.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.core.errors import InputError
from graphbrick.core.files.digests import sha256
from graphbrick.core.files.downloading import DownloadError, download
from graphbrick.core.files.folders import user_folder
from graphbrick.core.files.locks import claim
from graphbrick.core.files.system import flush_to_disk, remove_lock
from graphbrick.questions.archives import take_out
from graphbrick.questions.loading import load
from graphbrick.questions.question import Question
from graphbrick.questions.table import Dataset, PublishedFile, known, published

_RECORD = "fetched.json"
_NAMED = re.compile(r"([\w.-]+):(\w+)")


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A downloaded file of questions.

    Attributes:
        split: "train", "dev" or "test"; empty if the file does not belong to a split.
        path: Path of the file.
        source: URL that it was downloaded from.
        sha256: Checksum of the download: of the file, or of the archive that contained it.
        checked: Whether the checksum was verified against the table of data sets; False if the table has none.
    """

    split: str
    path: Path
    source: str
    sha256: str
    checked: bool


@dataclass(frozen=True, slots=True)
class Fetched:
    """A downloaded data set, or a part of it.

    Attributes:
        dataset: Description of the data set.
        folder: Folder of its files.
        files: Its files of questions.
    """

    dataset: Dataset
    folder: Path
    files: tuple[FetchedFile, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fetched data set as plain JSON types."""
        files = [asdict(file) | {"path": str(file.path)} for file in self.files]
        about = {"name": self.dataset.name, "licence": self.dataset.licence, "page": self.dataset.page}
        return about | {"folder": str(self.folder), "files": files}


def folder() -> Path:
    """Return the folder of data sets."""
    return user_folder("GRAPHBRICK_DATASETS", "datasets")


def fetch_dataset(
    name: str,
    to: str | os.PathLike[str] | None = None,
    *,
    split: str | None = None,
    progress: Progress = silent,
) -> Fetched:
    """Download the missing files of a published data set.

    An interrupted download is resumed if that is safe. A download is verified by its sha256 if the table of data sets
    has one. Otherwise the computed sha256 is recorded and returned, and `FetchedFile.checked` is False. A file appears
    under its final name only when it is complete. Archives are removed; only their files of questions are kept.

    Args:
        name: Name of the data set (`known`).
        to: Target folder; None for the data set's subfolder of `folder`, where `split_files` finds it.
        split: Download only the files that contain this split; None for all.
        progress: Called with the name of a file, its bytes that are there, and all of them.

    Raises:
        InputError: There is no such data set or split; it must be downloaded by hand, and the error says how; the URL
            cannot be reached, or returns another file; an existing file is not the published one; another process is
            downloading the data set; the folder is not writable.
    """
    dataset = published(name)
    place = folder() / dataset.name if to is None else Path(to).expanduser()
    if split is not None:
        _check_split(dataset, split)
    if not dataset.files:
        return Fetched(dataset, place, _by_hand(dataset, place, split))
    wanted = [file for file in dataset.files if split is None or split in dict(file.members)]
    try:
        place.mkdir(parents=True, exist_ok=True)
        with _alone(dataset, place):
            fetched = [entry for file in wanted for entry in _fetched(file, place, progress)]
    except OSError as error:
        raise InputError(
            f"{dataset.name} cannot be kept in {place}: {error.strerror or error}; name another folder with --to, or "
            "in GRAPHBRICK_DATASETS",
            code="datasets.not_writable",
        ) from error
    return Fetched(dataset, place, tuple(fetched))


def split_files(name: str, split: str) -> tuple[Path, ...]:
    """Return the files of one split of a data set that was fetched into `folder`.

    Raises:
        InputError: There is no such data set or split, or it was not fetched; the error says how to fetch it.
    """
    dataset = published(name)
    _check_split(dataset, split)
    place = folder() / dataset.name
    paths = _places(dataset, place, split)
    if all(path.is_file() for path in paths):
        return tuple(paths)
    if dataset.by_hand:
        raise _needs_hands(dataset, paths)
    raise InputError(
        f"{dataset.name} is not in {folder()}; run: graphbrick datasets fetch {dataset.name} --split {split}",
        code="datasets.not_fetched",
        dataset=dataset.name,
        split=split,
    )


def fetched_splits(dataset: Dataset) -> list[str]:
    """Return the splits of a data set that `split_files` finds."""
    place = folder() / dataset.name
    return [of for of in dataset.splits if all(path.is_file() for path in _places(dataset, place, of))]


def describe(dataset: Dataset) -> dict[str, Any]:
    """Return a data set and its fetched splits as plain JSON types."""
    files = [asdict(file) | {"members": dict(file.members)} for file in dataset.files]
    by_hand = [list(pair) for pair in dataset.by_hand]
    lists = {"files": files, "by_hand": by_hand, "splits": list(dataset.splits)}
    return asdict(dataset) | lists | {"fetched": fetched_splits(dataset)}


def named_files(text: str) -> tuple[Path, ...] | None:
    """Return the files of a split named like ``webqsp:test``; None if there is no such data set.

    An existing file of that name takes precedence. Raises the errors of `split_files`, and `InputError` if the split is
    missing.

    >>> named_files("questions.jsonl") is None
    True
    """
    if Path(text).exists():
        return None
    if text.strip().lower() in known():
        splits = published(text).splits
        one = f", such as {text}:{splits[-1]}" if splits else f" with graphbrick datasets show {text}"
        raise InputError(
            f"{text!r} is a data set, not a file; name one of its splits{one}",
            code="datasets.no_split_named",
            dataset=text,
        )
    match = _NAMED.fullmatch(text)
    if match is None or (match[1].lower() not in known() and match[2] not in ("train", "dev", "test")):
        return None
    return split_files(*match.groups())


def load_all(names: Iterable[str | os.PathLike[str]], form: str = "auto") -> list[Question]:
    """Return the questions of files and of splits such as ``webqsp:test``.

    Raises the errors of `load` and `split_files`.
    """
    files = [file for name in names for file in named_files(os.fspath(name)) or (Path(name),)]
    return [question for file in files for question in load(file, form)]


def _check_split(dataset: Dataset, split: str) -> None:
    if not dataset.splits:
        raise _needs_hands(dataset, [])
    if split not in dataset.splits:
        raise InputError(
            f"{dataset.name} has no split {split!r}; it has {', '.join(dataset.splits)}",
            code="datasets.no_split",
            dataset=dataset.name,
            split=split,
        )


def _places(dataset: Dataset, place: Path, split: str) -> list[Path]:
    """Return the paths of the files of a split, whether they exist or not."""
    held = [place / Path(member).name for file in dataset.files for of, member in file.members if of == split]
    return held + [place / file for of, file in dataset.by_hand if of == split]


def _by_hand(dataset: Dataset, place: Path, split: str | None) -> tuple[FetchedFile, ...]:
    """Return the existing files of a data set that only a browser can download."""
    wanted = [(of, place / file) for of, file in dataset.by_hand if split in (None, of)]
    if not wanted or not all(path.is_file() for _, path in wanted):
        raise _needs_hands(dataset, [path for _, path in wanted])
    return tuple(FetchedFile(of, path, dataset.page, sha256(path), checked=False) for of, path in wanted)


def _needs_hands(dataset: Dataset, paths: list[Path]) -> InputError:
    missing = next((path for path in paths if not path.is_file()), None)
    if missing is None:
        return InputError(
            f"{dataset.name} cannot be fetched by its name. {dataset.note} Its page is {dataset.page}",
            code="datasets.no_name",
            dataset=dataset.name,
        )
    return InputError(
        f"{dataset.name} must be fetched by hand from {dataset.page} (licence: {dataset.licence}). {dataset.note} "
        f"Put its files so that {missing} is there, or give them to graphbrick evaluate by their paths",
        code="datasets.by_hand",
        dataset=dataset.name,
        place=missing,
    )


def _fetched(file: PublishedFile, place: Path, progress: Progress) -> list[FetchedFile]:
    """Return the files of questions in one published file; download them if they are missing."""
    targets = [(split, member, place / Path(member).name) for split, member in file.members]
    entry = _read_record(place).get(file.name, {})
    if entry.get("url") == file.url and all(path.is_file() for _, _, path in targets):
        for _, _, path in targets:
            if sha256(path) != entry.get("members", {}).get(path.name):
                raise InputError(
                    "the file was changed since it was fetched; remove it to fetch it again",
                    path,
                    code="datasets.changed_file",
                )
            progress(path.name, path.stat().st_size, path.stat().st_size)
        digest = entry["sha256"]
    else:
        digest = _bring(file, place, progress)
        members = {path.name: sha256(path) for _, _, path in targets}
        _write_record(place, file.name, {"url": file.url, "sha256": digest, "members": members})
    return [FetchedFile(split, path, file.url, digest, checked=file.sha256 is not None) for split, _, path in targets]


def _bring(file: PublishedFile, place: Path, progress: Progress) -> str:
    """Download one published file, put its files of questions in place, and return its checksum."""
    whole, part = place / file.name, place / f".{file.name}.part"
    if not whole.is_file():
        try:
            download(file.url, part, part_of(progress, file.name), size=file.bytes)
        except DownloadError as error:
            raise InputError(
                f"{file.url} cannot be fetched: {error}. Check network and proxy, or fetch it otherwise, put it at "
                f"{whole}, and run the command again",
                code="datasets.not_fetchable",
            ) from error
    came = whole if whole.is_file() else part
    digest = sha256(came)
    if file.sha256 not in (None, digest):
        if came == part:
            part.unlink()
            raise InputError(
                f"{file.url} gave a file with the sha256 {digest}, not {file.sha256}; nothing of it was kept. It may "
                "have been replaced by its authors",
                code="datasets.other_checksum",
            )
        raise InputError(
            f"the file has the sha256 {digest}, not {file.sha256} of the published one; remove it",
            whole,
            code="datasets.other_file",
        )
    members = [member for _, member in file.members if member != file.name]
    try:
        _take_out(came, members, place)
    except InputError as error:
        if came != part:
            raise
        part.unlink()
        raise InputError(
            f"{file.url} gave something else than was expected; nothing of it was kept: {error.reason}",
            code="datasets.bad_file",
            problem=error.code,
        ) from error
    if came == part and any(member == file.name for _, member in file.members):
        _settle(part, whole)
    elif came == part:
        part.unlink()  # the archive is not needed any more
    return digest


def _take_out(archive: Path, members: list[str], place: Path) -> None:
    """Extract files of an archive, all of them or none."""
    targets = {member: place / Path(member).name for member in members}
    beside = {member: target.with_name(f".{target.name}.part") for member, target in targets.items()}
    try:
        for member, written in beside.items():
            take_out(archive, member, written)
        for member, target in targets.items():
            _settle(beside[member], target)
    finally:
        for written in beside.values():
            written.unlink(missing_ok=True)


def _settle(part: Path, target: Path) -> None:
    flush_to_disk(part)
    part.replace(target)


def _read_record(place: Path) -> dict[str, Any]:
    file = place / _RECORD
    if not file.is_file():
        return {}
    try:
        return {str(name): dict(entry) for name, entry in dict(json.loads(file.read_text(encoding="utf-8"))).items()}
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(
            f"the record of what was fetched is damaged ({error}); remove it", file, code="datasets.damaged_record"
        ) from error


def _write_record(place: Path, name: str, entry: object) -> None:
    part = place / f".{_RECORD}.part"
    part.write_text(json.dumps(_read_record(place) | {name: entry}, indent=1), encoding="utf-8")
    _settle(part, place / _RECORD)


@contextmanager
def _alone(dataset: Dataset, place: Path) -> Iterator[None]:
    """Context manager that locks a folder, so that only this process downloads into it."""
    lock = place / ".lock"
    try:
        held = claim(lock)
    except BlockingIOError as error:
        raise InputError(
            f"{dataset.name} is being fetched by another process; wait until it is done", code="datasets.locked"
        ) from error
    try:
        yield
    finally:
        remove_lock(lock)
        held.release()
