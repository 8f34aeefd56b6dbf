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
        url: Where it is.
        name: What it is called once it is fetched.
        sha256: Its checksum; None where it is not known for certain.
        bytes: Its size; None where it is not known.
        members: By split, the file with the questions: in the archive, or this file itself.
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
        name: How it is called here.
        title: How its authors call it.
        form: The form of its files, for `load`.
        graph: The graph that it is about.
        page: Its page.
        licence: Its licence; "not known" where that is so.
        paper: Where it was published.
        files: What can be fetched without a browser; none for some.
        note: What to know before using it, and how to get what cannot be fetched.
        by_hand: By split, the files that can be had with a browser only, where they belong in the data set's folder.
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
        """The splits whose files are known, in their order."""
        members = [split for file in self.files for split, _ in file.members]
        return tuple(dict.fromkeys(members + [split for split, _ in self.by_hand]))


@lru_cache(maxsize=1)
def known() -> Mapping[str, Dataset]:
    """Return all published data sets by name.

    >>> known()["webquestions"].files[1].members
    (('test', 'webquestions.examples.test.json'),)
    """
    content = tomllib.loads((files("graphbrick.evaluate.datasets") / "known.toml").read_text(encoding="utf-8"))
    found = {}
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
        by_hand = tuple((split, file) for split, some in entry.pop("by_hand", {}).items() for file in some)
        found[name] = Dataset(name=name, files=held, note=entry.pop("note", ""), by_hand=by_hand, **entry)
    return found


def published(name: str) -> Dataset:
    """Return a published data set by its name.

    Raises:
        InputError: There is none of that name.
    """
    found = known().get(name.strip().lower())
    if found is None:
        near = difflib.get_close_matches(name.lower(), known(), n=1) or ["metaqa"]
        raise InputError(f"there is no data set {name!r}; there is {', '.join(known())}; try {near[0]!r}")
    return found
