"""Names under which readers know the documents of a graph: paths from what was indexed, never those of the machine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import PurePath

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.text.documents.store import DATABASE, TextStore
from graphbrick.text.overview.documents import documents_of


class DocumentNames:
    """Names of documents, each of one document only.

    A document of an indexed folder is named by its path from there, an indexed file by its own name. Where two would be
    alike, the name of the indexed folder goes before them, or a number. Addresses of web pages stay as they are.

    Args:
        addresses: The documents as they are stored.
        sources: The files and folders that were indexed, as absolute paths.

    Example:
        >>> names = DocumentNames(["/srv/x/a/notes.md", "/srv/y/notes.md"], ["/srv/x", "/srv/y"])
        >>> names.name("/srv/x/a/notes.md"), names.name("/srv/y/notes.md"), names.address("notes.md")
        ('a/notes.md', 'notes.md', '/srv/y/notes.md')
    """

    def __init__(self, addresses: Iterable[str], sources: Iterable[str]) -> None:
        self._sources = sorted(
            {one.rstrip(os.sep) for one in sources if PurePath(one).is_absolute()}, key=len, reverse=True
        )
        places = "|".join(re.escape(one) for one in self._sources if one)
        self._in_text = re.compile(rf"(?<![\w./-])({places})({re.escape(os.sep)}|(?![\w-]))") if places else None
        alike: dict[str, list[str]] = {}
        for address in sorted(set(addresses)):
            alike.setdefault(self._within(address), []).append(address)
        self._names: dict[str, str] = {}
        self._addresses: dict[str, str] = {}
        for short, same in sorted(alike.items(), key=lambda one: len(one[1])):  # a name of one alone is never numbered
            for address in same:
                folder = self._folder(address) if len(same) > 1 else ""
                self._add(address, f"{folder}/{short}" if folder else short, is_alone=len(same) == 1 or bool(folder))

    def _add(self, address: str, wanted: str, *, is_alone: bool) -> None:
        """Store a name, with a number if another document may be meant by it."""
        name, number = wanted, 0
        while name in self._addresses or not (is_alone or number):
            number += 1
            folder, slash, file = wanted.rpartition("/")
            name = f"{folder}{slash}{number}-{file}"
        self._names[address], self._addresses[name] = name, address

    def name(self, address: str) -> str:
        """Return the name of a document."""
        return self._names.get(address) or self._within(address)

    def address(self, name: str) -> str:
        """Return the document of a name; an address, which links of earlier versions have, stands for itself."""
        return self._addresses.get(name, name)

    def in_text(self, text: str) -> str:
        """Return a message with paths from what was indexed in place of those of the machine."""
        if self._in_text is None:
            return text
        return self._in_text.sub(lambda one: "" if one[2] else PurePath(one[1]).name, text)

    def _within(self, address: str) -> str:
        """Return the path of a document from what was indexed."""
        if not PurePath(address).is_absolute():
            return address
        for source in self._sources:
            if address.startswith(source + os.sep):
                return address[len(source) + 1 :]
            if address.startswith(f"{source}#"):  # a row of an indexed table
                return PurePath(source).name + address[len(source) :]
        return PurePath(address).name

    def _folder(self, address: str) -> str:
        """Return the name of the folder that was indexed; empty for a file that was named itself."""
        return PurePath(next((one for one in self._sources if address.startswith(one + os.sep)), "")).name


def names_of(graph: TextGraph) -> DocumentNames:
    """Return the names of the documents of a graph; without the database of the documents, by their files alone."""
    return current_session().get(("document names",), lambda: _names(graph), of=graph)


def _names(graph: TextGraph) -> DocumentNames:
    folder = text_folder(graph.place)
    if (folder / DATABASE).is_file():
        try:
            with TextStore(folder) as store:
                return stored_names(store)
        except GraphbrickError as error:  # passages can be read without it
            event(f"documents are named by their files alone: {error}", "names.no_database", reason=str(error))
    return DocumentNames(documents_of(graph).passages, ())


def stored_names(store: TextStore) -> DocumentNames:
    """Return the names of all documents of a database, those that are not indexed yet and unreadable files too."""
    files = (file for file, _ in store.problems())
    return DocumentNames([*(one[0] for one in store.documents()), *files], store.sources())
