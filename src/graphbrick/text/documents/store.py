"""The documents of a graph made from text: one SQLite database in ``<graph>.text/``.

Every document and every batch of results is one transaction, so a process that is killed loses at most what it was
doing at that moment. Results of extraction are kept by the hash of the text and the identity of the extractor: nothing
is extracted twice, whichever documents come and go.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from graphbrick.core.graph import PassageText
from graphbrick.graphs.corpus import full_text
from graphbrick.text.documents.chunks import Span
from graphbrick.text.documents.database import SETTINGS, Database
from graphbrick.text.documents.document import Document
from graphbrick.text.documents.records import RECORDS_SCHEMA, RecordStore
from graphbrick.text.documents.results import REPLACED, RESULTS_SCHEMA

DATABASE = "documents.sqlite"

_LAYOUT = f"""{SETTINGS}
CREATE TABLE files (path TEXT PRIMARY KEY, source TEXT NOT NULL, mark TEXT NOT NULL, problem TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE contents (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, title TEXT NOT NULL, text TEXT NOT NULL,
    headings TEXT NOT NULL, chunker TEXT NOT NULL);
CREATE TABLE documents (address TEXT PRIMARY KEY, file TEXT NOT NULL, content INTEGER NOT NULL REFERENCES contents,
    read_at TEXT NOT NULL, note TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX documents_of_file ON documents (file);
CREATE INDEX documents_of_content ON documents (content);
CREATE TABLE passages (content INTEGER NOT NULL REFERENCES contents ON DELETE CASCADE, number INTEGER NOT NULL,
    section TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, digest BLOB NOT NULL,
    PRIMARY KEY (content, number)) WITHOUT ROWID;
CREATE INDEX passages_of_digest ON passages (digest);
CREATE TABLE merges (alias TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
"""
# A merge of a name with itself keeps that name apart from all others.


class StoredPassage(NamedTuple):
    """A passage as it is stored.

    Attributes:
        address: Address of the first document that has it.
        title: Title of the document.
        section: The headings above it.
        text: Its words.
        start: Offset of its first character in the text of the document.
        end: Offset after its last character.
        digest: Key of its extraction results.
    """

    address: str
    title: str
    section: str
    text: str
    start: int
    end: int
    digest: bytes

    @property
    def full_text(self) -> str:
        """Title and text, from which entities are extracted, and which questions are compared with."""
        return full_text(self.title, self.text)


class TextStore(Database, RecordStore):
    """The documents, passages and extraction results of one graph; a context manager.

    Leaving it turns errors of the database into `GraphbrickError`.

    Args:
        folder: The folder; made if there is none.

    Raises:
        GraphbrickError: It cannot be written, is damaged, or is of another version.
    """

    file = DATABASE
    layout = _LAYOUT
    schema = RESULTS_SCHEMA + RECORDS_SCHEMA
    """The tables besides those of documents."""

    def copy_into(self, other: TextStore) -> None:
        """Replace the contents of another store by those of this one."""
        self._db.backup(other._db)

    # Files

    def mark(self, path: str) -> tuple[str, str] | None:
        """Return the mark of a file that was read whole, and what was wrong with it; None for another file."""
        row = self._db.execute("SELECT mark, problem FROM files WHERE path = ?", (path,)).fetchone()
        return None if row is None else (str(row[0]), str(row[1]))

    def finish_file(self, path: str, source: str, mark: str, problem: str, addresses: Iterable[str]) -> int:
        """Note that a file was read whole, and remove its documents that are no longer in it.

        Args:
            path: The file.
            source: The folder or file that was named.
            mark: What tells its content and how it was read.
            problem: Why it could not be read; empty if it could.
            addresses: The documents that it has.

        Returns:
            The number of documents removed.
        """
        with self.transaction():
            stored = {str(row[0]) for row in self._db.execute("SELECT address FROM documents WHERE file = ?", (path,))}
            gone = stored.difference(addresses)
            if gone:
                self._remove(gone)
            self._db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", (path, source, mark, problem))
        return len(gone)

    def files_of(self, source: str) -> list[str]:
        """Return the files that were read for a source."""
        return [str(row[0]) for row in self._db.execute("SELECT path FROM files WHERE source = ?", (source,))]

    def files_in(self, folder: str) -> list[str]:
        """Return the files that were read from a folder and its subfolders, for whatever source."""
        inside = folder.rstrip(os.sep) + os.sep
        rows = self._db.execute("SELECT path FROM files WHERE substr(path, 1, ?) = ?", (len(inside), inside))
        return [str(row[0]) for row in rows]

    def sources(self) -> list[str]:
        """Return the sources, sorted."""
        return [str(row[0]) for row in self._db.execute("SELECT DISTINCT source FROM files ORDER BY 1")]

    def problems(self) -> list[tuple[str, str]]:
        """Return the files that could not be read, and why, sorted."""
        return list(self._db.execute("SELECT path, problem FROM files WHERE problem != '' ORDER BY path"))

    def forget_file(self, path: str) -> int:
        """Remove a file and its documents; return the number of documents."""
        with self.transaction():
            gone = self.addresses(path)
            self._remove(gone)
            self._db.execute("DELETE FROM files WHERE path = ?", (path,))
        return len(gone)

    def _remove(self, addresses: Iterable[str]) -> None:
        """Remove documents, and their texts if no other document has them."""
        rows = [(address,) for address in addresses]
        query = "SELECT content FROM documents WHERE address = ?"
        contents = {int(content) for row in rows for (content,) in self._db.execute(query, row)}
        self._db.executemany("DELETE FROM documents WHERE address = ?", rows)
        self._db.executemany("DELETE FROM records WHERE address = ?", rows)
        self._drop(contents)

    def _drop(self, contents: Iterable[int]) -> None:
        """Remove those of some texts that no document has."""
        self._db.executemany(
            "DELETE FROM contents WHERE id = ? AND NOT EXISTS (SELECT 1 FROM documents WHERE content = contents.id)",
            [(content,) for content in sorted(contents)],
        )

    # Documents

    def put(self, document: Document, file: str, chunker: str, spans: Iterable[Span]) -> str:
        """Store a document and its passages in one transaction.

        Args:
            document: The document.
            file: The file that it was read from.
            chunker: Identity of the chunker.
            spans: Its passages; not read if the text is there already, cut by the same chunker.

        Returns:
            "added", "changed" or "same".
        """
        digest = document.digest()
        with self.transaction():
            old = self._db.execute(
                "SELECT contents.digest, contents.chunker, contents.id FROM documents"
                " JOIN contents ON contents.id = content WHERE address = ?",
                (document.address,),
            ).fetchone()
            is_same = self.put_record(document)
            if old is not None and old[:2] == (digest, chunker):
                return "same" if is_same else "changed"
            content = self._content(document, digest, chunker, spans)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            self._db.execute(
                "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?)",
                (document.address, file, content, now, document.note),
            )
            if old is not None and old[0] != digest:
                self._drop([old[2]])
        return "added" if old is None else "changed"

    def _content(self, document: Document, digest: str, chunker: str, spans: Iterable[Span]) -> int:
        """Return the id of the text of a document, which is stored if it is not there yet."""
        known = self._db.execute("SELECT id, chunker FROM contents WHERE digest = ?", (digest,)).fetchone()
        if known is not None and known[1] == chunker:
            return int(known[0])
        if known is None:
            headings = json.dumps([(one.start, one.level, one.title) for one in document.headings])
            values = (digest, document.title, document.text, headings, chunker)
            insert = "INSERT INTO contents (digest, title, text, headings, chunker) VALUES (?, ?, ?, ?, ?)"
            content = int(self._db.execute(insert, values).lastrowid or 0)
        else:
            content = int(known[0])
            self._db.execute("UPDATE contents SET chunker = ? WHERE id = ?", (chunker, content))
            self._db.execute("DELETE FROM passages WHERE content = ?", (content,))
        self._db.executemany(
            "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?)",
            (
                (content, number, span.section, span.start, span.end, passage_key(document, span))
                for number, span in enumerate(spans)
            ),
        )
        return content

    def documents(self) -> list[tuple[str, str, int, str]]:
        """Return address, title, number of passages, and note of every document, by address."""
        return list(
            self._db.execute(
                "SELECT address, title, (SELECT count(*) FROM passages WHERE passages.content = contents.id), note"
                " FROM documents JOIN contents ON contents.id = content ORDER BY address"
            )
        )

    def n_cut_otherwise(self, chunker: str) -> int:
        """Return the number of documents that another chunker cut."""
        query = "SELECT count(*) FROM documents JOIN contents ON contents.id = content WHERE chunker != ?"
        return int(self._db.execute(query, (chunker,)).fetchone()[0])

    def addresses(self, file: str) -> list[str]:
        """Return the addresses of the documents of a file."""
        return [str(row[0]) for row in self._db.execute("SELECT address FROM documents WHERE file = ?", (file,))]

    def is_empty(self) -> bool:
        """Return whether it is without documents."""
        return not self._db.execute("SELECT EXISTS (SELECT 1 FROM documents)").fetchone()[0]

    def document(self, address: str) -> tuple[str, str] | None:
        """Return title and text of a document; None if there is none."""
        row = self._db.execute(
            "SELECT title, text FROM documents JOIN contents ON contents.id = content WHERE address = ?", (address,)
        ).fetchone()
        return None if row is None else (str(row[0]), str(row[1]))

    def n_passages(self) -> int:
        """Return the number of different passages."""
        return int(self._db.execute("SELECT count(DISTINCT digest) FROM passages").fetchone()[0])

    def passages(self) -> Iterator[StoredPassage]:
        """Yield every distinct passage by address and number; a shared text counts for its first document."""
        contents = self._db.execute(
            "SELECT min(address), title, text, content FROM documents JOIN contents ON contents.id = content"
            " GROUP BY content ORDER BY 1"
        )
        for address, title, text, content in contents:
            rows = self._db.execute(
                "SELECT section, start, end, digest FROM passages WHERE content = ? ORDER BY number", (content,)
            )
            for section, start, end, digest in rows:
                yield StoredPassage(address, title, section, text[start:end], start, end, digest)

    def passage_texts(self) -> Iterator[PassageText]:
        """Yield `passages` as a graph keeps them."""
        for one in self.passages():
            yield PassageText(one.text, one.address, one.start, one.end, one.title, one.section)

    def state(self) -> str:
        """Return a hash of everything that the graph is derived from but the extractor.

        Results follow from texts and extractor, and count only if some were replaced, as after asking a model again.
        """
        state = hashlib.sha256()
        for row in self._db.execute(
            "SELECT address, contents.digest, chunker FROM documents JOIN contents ON contents.id = content"
            " ORDER BY address"
        ):
            state.update(json.dumps(row).encode())
        state.update(json.dumps(self.merges()).encode())
        state.update((self.setting(REPLACED) or "").encode())
        return state.hexdigest()

    # Merges

    def merges(self) -> list[tuple[str, str]]:
        """Return the names that a user has merged, sorted; a name merged into itself is kept apart."""
        return list(self._db.execute("SELECT alias, name FROM merges ORDER BY alias"))

    def merge(self, alias: str, name: str) -> None:
        """Merge a name into another one; into itself to keep it apart."""
        self._db.execute("INSERT OR REPLACE INTO merges VALUES (?, ?)", (alias, name))

    def unmerge(self, alias: str) -> None:
        """Remove the merge of a name, or the wish to keep it apart."""
        self._db.execute("DELETE FROM merges WHERE alias = ?", (alias,))


def passage_key(document: Document, span: Span) -> bytes:
    """Return the key of the extraction results of a passage."""
    text = full_text(document.title, document.text[span.start : span.end])
    return hashlib.sha256(text.encode()).digest()
