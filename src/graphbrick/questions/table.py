"""The table of published data sets: address, licence, form and checksums."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from graphbrick.core.errors import InputError


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file of a data set.

    Attributes:
        url: Its URL.
        name: Its file name after download.
        sha256: Its checksum; None if not known for certain.
        bytes: Its size; None if unknown.
        members: The file of questions of each split: a file in the archive, or this file itself.
    """

    url: str
    name: str
    sha256: str | None
    bytes: int | None
    members: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A published data set of questions.

    Attributes:
        name: Its name in graphbrick.
        title: The name that its authors use.
        form: The form of its files, for `load`.
        graph: The graph that its questions are about.
        page: URL of its web page.
        licence: Its licence, or "not known".
        paper: The publication that introduced it.
        files: Files that can be downloaded automatically; may be empty.
        note: Remarks to read before use, and how to get files that must be downloaded by hand.
        by_hand: For each split, the files that only a browser can download, as paths in the data set's folder.
    """

    name: str
    title: str
    form: str
    graph: str
    page: str
    licence: str
    paper: str
    files: tuple[PublishedFile, ...]
    note: str
    by_hand: tuple[tuple[str, str], ...] = ()

    @property
    def splits(self) -> tuple[str, ...]:
        """Splits whose files are known, in order."""
        members = [split for file in self.files for split, _ in file.members]
        return tuple(dict.fromkeys(members + [split for split, _ in self.by_hand]))


@lru_cache(maxsize=1)
def known() -> Mapping[str, Dataset]:
    """Return all published data sets by name.

    >>> known()["webquestions"].files[1].members
    (('test', 'webquestions.examples.test.json'),)
    """
    content = tomllib.loads((files("graphbrick.questions") / "known.toml").read_text(encoding="utf-8"))
    datasets = {}
    for name, entry in content.items():
        held = tuple(
            PublishedFile(
                file["url"],
                file["name"],
                file.get("sha256"),
                file.get("bytes"),
                tuple(file.get("members", {file.get("split", ""): file["name"]}).items()),
            )
            for file in entry.pop("files", [])
        )
        by_hand = tuple((split, file) for split, names in entry.pop("by_hand", {}).items() for file in names)
        datasets[name] = Dataset(name=name, files=held, note=entry.pop("note", ""), by_hand=by_hand, **entry)
    return datasets


def published(name: str) -> Dataset:
    """Return a published data set by its name.

    Raises:
        InputError: There is no data set of that name.
    """
    dataset = known().get(name.strip().lower())
    if dataset is None:
        near = difflib.get_close_matches(name.lower(), known(), n=1) or ["metaqa"]
        raise InputError(
            f"there is no data set {name!r}; there is {', '.join(known())}; try {near[0]!r}",
            code="datasets.unknown",
            name=name,
            example=near[0],
        )
    return dataset
