"""Bring the documents of a store up to date with its sources; files that have not changed are not read again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.files.digests import digest
from graphbrick.pipeline.identity import identity_of
from graphbrick.text.chunks import Chunker
from graphbrick.text.sources import SourceOptions, documents_in, files_of
from graphbrick.text.store import TextStore

_READER = 1  # raise it when the same bytes are read differently


@dataclass
class Reading:
    """What has changed in the documents.

    Attributes:
        added: Number of new documents.
        changed: Number of documents with another text, title or chunker than before.
        same: Number of documents that stayed as they were.
        deleted: Number of documents removed.
        problems: Files that could not be read, and why.
        others: Files in the folders that are of kinds that are not read.
    """

    added: int = 0
    changed: int = 0
    same: int = 0
    deleted: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)


def read_sources(
    store: TextStore,
    sources: Iterable[Path],
    chunker: Chunker,
    options: SourceOptions,
    *,
    progress: Callable[[int], None] = lambda count: None,
) -> Reading:
    """Read sources into a store: add new documents, replace changed ones, remove those that have gone.

    Only documents of these sources are removed. A file that cannot be read is noted, and its documents of an earlier
    reading stay.

    Args:
        store: The store.
        sources: Files and folders.
        chunker: Cuts documents into passages.
        options: Which columns of tables are read.
        progress: Called with the number of documents read.

    Raises:
        InputError: A source does not exist, or holds no file that is read.
    """
    reading = Reading()
    listed = []
    for source in sources:
        place = source.absolute()
        files, others = files_of(place)
        if not files and not store.files_of(str(place)):
            raise InputError("no file in it is of a kind that is read", source)
        reading.others += others
        listed.append((str(place), [str(file) for file in files]))
    for name, files_now in listed:
        for file in files_now:
            _read_file(store, Path(file), name, chunker, options, reading, progress)
        for gone in set(store.files_of(name)).difference(files_now):
            reading.deleted += store.forget_file(gone)
    return reading


def _read_file(
    store: TextStore,
    file: Path,
    source: str,
    chunker: Chunker,
    options: SourceOptions,
    reading: Reading,
    progress: Callable[[int], None],
) -> None:
    """Read one file, unless it was read before and has not changed."""
    identity = identity_of(chunker)
    how = hashlib.sha256(repr((_READER, identity, options)).encode()).hexdigest()
    mark = f"{digest(file)} {how}"
    known = store.mark(str(file))
    if known is not None and known[0] == mark:
        if known[1]:
            reading.problems.append((str(file), known[1]))
        reading.same += store.n_documents(str(file))
        return
    addresses: list[str] = []
    problem = ""
    try:
        for document in documents_in(file, options):
            done = store.put(document, str(file), identity, chunker.spans(document))
            setattr(reading, done, getattr(reading, done) + 1)
            addresses.append(document.address)
            progress(reading.added + reading.changed + reading.same)
    except InputError as error:
        problem = error.reason if error.line is None else f"row {error.line}: {error.reason}"
        reading.problems.append((str(file), problem))
        addresses += store.addresses(str(file))
    reading.deleted += store.finish_file(str(file), source, mark, problem, addresses)
