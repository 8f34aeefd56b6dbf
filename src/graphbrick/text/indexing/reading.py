"""Bring the documents of a store up to date with its sources; unchanged files are not read again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.core.files.digests import digest
from graphbrick.language.counting import counted
from graphbrick.pipeline.identity import identity_of
from graphbrick.text.documents.chunks import Chunker
from graphbrick.text.documents.document import Document
from graphbrick.text.documents.store import TextStore
from graphbrick.text.indexing.removing import check_vanished, remove_named
from graphbrick.text.sources import documents_in, files_of, no_documents
from graphbrick.text.sources.sitemap import (
    Page,
    Sitemap,
    is_address,
    is_sitemap_file,
    page_document,
    pages_of,
)
from graphbrick.text.sources.tables import SourceOptions

Source = str | PathLike[str] | Sitemap
"""A file or folder, or the address or file of a sitemap."""

_READER = 5  # raise it when the same bytes are read differently
_MOST_NOTES = 20
_EMPTY = frozenset(("reader.empty_file", "sources.no_text", "mail.no_text"))  # errors of files with nothing to read
_NO_TEXT = "it has no text, and is left out"
_SHOWN = 3  # files that a note names
_WORDS = re.compile(r"[^\W\d]+")


@dataclass
class Reading:
    """The changes in the documents.

    Attributes:
        added: Number of new documents.
        changed: Number of documents with another text, title or chunker than before.
        same: Number of documents that stayed as they were.
        deleted: Number of documents removed.
        problems: Files and pages that could not be read, and why.
        empty: Files of folders that have no text, which are left out.
        others: Files in the folders that are of kinds that are not read.
        notes: What else a user should know.
    """

    added: int = 0
    changed: int = 0
    same: int = 0
    deleted: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_sources(
    store: TextStore,
    sources: Iterable[Source],
    chunker: Chunker,
    options: SourceOptions,
    *,
    remove: Iterable[str] = (),
    progress: Progress = silent,
) -> Reading:
    """Read sources into a store: add new documents, replace changed ones, remove those that have gone.

    Only documents of these sources are removed, and of files in their folders that are gone. A file or page that cannot
    be read is noted, and its documents of an earlier reading stay, unless the server says that there is no such page
    any more.

    Args:
        store: The store; pages of sitemaps are kept in its folder.
        sources: Files, folders and sitemaps.
        chunker: Cuts documents into passages.
        options: Which columns of tables are read.
        remove: Sources, folders, files or pages that leave; of one that is among the sources, what is gone.
        progress: Called with the number of documents read.

    Raises:
        InputError: A source does not exist, holds no file that is read, is a sitemap that cannot be read, or has lost
            most of its files at once; or what is to be removed is not there.
    """
    reader = _Reader(store, chunker, options, progress)
    places = [_source(source) for source in sources]
    names = {str(place.name if isinstance(place, Sitemap) else place.absolute()) for place in places}
    expected = {one for name in remove for one in (name, str(Path(name).absolute())) if one in names}
    listed: list[tuple[str, list[Path] | Sitemap]] = []
    for source in places:
        if isinstance(source, Sitemap):
            listed.append((source.name, source))
            continue
        place = source.absolute()
        known = store.files_of(str(place)) or store.files_in(str(place))
        if known and _is_gone(str(place)):  # it was named before, and has been deleted
            listed.append((str(place), []))
            reader.reading.notes.append(f"{place} is not there any more: its documents are removed from the graph")
            continue
        files, others = files_of(place)
        if not files and not known:
            raise no_documents(place, others)
        reader.reading.others += others
        listed.append((str(place), files))
    folders = [(name, content) for name, content in listed if not isinstance(content, Sitemap) and name not in expected]
    check_vanished(store, folders, _is_gone)
    leaving = [name for name in remove if expected.isdisjoint((name, str(Path(name).absolute())))]
    reader.reading.deleted += remove_named(store, leaving, reader.reading.notes.append)
    for name, content in listed:
        if isinstance(content, Sitemap):
            pages = pages_of(content, store.folder, reader.reading.notes.append)
            now = [reader.read_page(page, name) for page in pages]
        else:
            now = [reader.read_file(file, name) for file in content]
        # A file of the folder may have been named by itself, or with another folder, when it was read.
        there = {*store.files_of(name), *filter(_is_gone, store.files_in(name))}
        for gone in sorted(there.difference(now)):
            reader.reading.deleted += store.forget_file(gone)
    reader.reading.notes += reader.told()
    return reader.reading


def _is_gone(file: str) -> bool:
    """Return whether a file is certainly gone; one that cannot be looked at may be there."""
    try:
        return not Path(file).exists()
    except OSError:
        return False


def _source(source: Source) -> Path | Sitemap:
    """Return a source as a path or a sitemap."""
    if isinstance(source, Sitemap):
        return source
    if isinstance(source, str) and is_address(source):
        return Sitemap(source)
    path = Path(source)
    return Sitemap(str(path)) if is_sitemap_file(path) and path.is_file() else path


class _Reader:
    """A reader of files and pages into a store; it passes over those that have not changed."""

    def __init__(self, store: TextStore, chunker: Chunker, options: SourceOptions, progress: Progress) -> None:
        self.reading = Reading()
        self._store, self._chunker, self._options, self._progress = store, chunker, options, progress
        self._identity = identity_of(chunker)
        self._told: dict[str, list[tuple[str, str]]] = {}  # address and note of documents by the words of the note
        self._how = hashlib.sha256(repr((_READER, self._identity, options)).encode()).hexdigest()

    def told(self) -> list[str]:
        """Return what is to be said of the documents that were read, notes that differ in numbers once."""
        notes = [
            f"{documents[0][0]}: {documents[0][1]}"
            + (f" (and {len(documents) - 1:,} more documents)" if len(documents) > 1 else "")
            for documents in self._told.values()
        ]
        if self.reading.empty:
            few = ", ".join(self.reading.empty[:_SHOWN]) + (", ..." if len(self.reading.empty) > _SHOWN else "")
            notes.insert(0, f"{counted(len(self.reading.empty), 'file')} without text left out: {few}")
        more = len(notes) - _MOST_NOTES
        return notes if more <= 0 else [*notes[:_MOST_NOTES], f"{more:,} more notes: graphbrick documents lists them"]

    def read_file(self, file: Path, source: str) -> str:
        """Read a file; return its name in the store."""
        try:
            content = digest(file)
        except InputError as error:  # no permission, or removed since the folder was listed
            self._keep(str(file), source, error.reason)
        else:
            is_alone = str(file) == source
            self._read(str(file), source, content, lambda: documents_in(file, self._options), is_alone=is_alone)
        return str(file)

    def _keep(self, name: str, source: str, problem: str) -> None:
        """Note that a file cannot be read now, and keep the documents of an earlier reading."""
        self.reading.problems.append((name, problem))
        self._store.finish_file(name, source, "", problem, self._store.addresses(name))

    def read_page(self, page: Page, source: str) -> str:
        """Read a page of a sitemap; return its name in the store."""
        if page.body is None:
            self.reading.problems.append((page.url, page.problem))
            there = [] if page.is_gone else self._store.addresses(page.url)
            self.reading.deleted += self._store.finish_file(page.url, source, "", page.problem, there)
        else:
            content = hashlib.sha256(page.type.encode() + b"\0" + page.body).hexdigest()
            self._read(page.url, source, content, lambda: [page_document(page)])
        return page.url

    def _read(
        self,
        name: str,
        source: str,
        content: str,
        documents: Callable[[], Iterable[Document]],
        *,
        is_alone: bool = True,
    ) -> None:
        """Store documents of a file whose content has this digest; one that is not alone may be empty."""
        mark, reading, store = f"{content} {self._how}", self.reading, self._store
        known = store.mark(name)
        if known is not None and known[0] == mark:
            if known[1] == _NO_TEXT and not is_alone:
                reading.empty.append(name)
            elif known[1]:
                reading.problems.append((name, known[1]))
            reading.same += len(store.addresses(name))
            return
        addresses: list[str] = []
        problem = ""
        try:
            for document in documents():
                done = store.put(document, name, self._identity, self._chunker.spans(document))
                setattr(reading, done, getattr(reading, done) + 1)
                addresses.append(document.address)
                if document.note:
                    words = " ".join(_WORDS.findall(document.note)).replace("words", "word")
                    self._told.setdefault(words, []).append((document.address, document.note))
                self._progress("", reading.added + reading.changed + reading.same, None)
        except InputError as error:
            if error.code in _EMPTY and not is_alone:
                reading.empty.append(name)
                reading.deleted += store.finish_file(name, source, mark, _NO_TEXT, [])
                return
            problem = error.reason if error.line is None else f"row {error.line}: {error.reason}"
            if addresses:
                problem += f"; the documents before it ({len(addresses):,}) are kept, what follows is not read"
            reading.problems.append((name, problem))
            addresses += store.addresses(name)
        reading.deleted += store.finish_file(name, source, mark, problem, addresses)
