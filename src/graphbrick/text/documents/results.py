"""The results of extractors in the database of a graph made from text, by the hash of the text."""

from __future__ import annotations

import json
import sqlite3
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.corpus import full_text

RESULTS_SCHEMA = """
CREATE TABLE IF NOT EXISTS extractions (digest BLOB NOT NULL, extractor TEXT NOT NULL, result TEXT NOT NULL,
    PRIMARY KEY (digest, extractor)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS drafts (digest BLOB NOT NULL, extractor TEXT NOT NULL, number INTEGER NOT NULL,
    reply TEXT NOT NULL, PRIMARY KEY (digest, extractor, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage (extractor TEXT PRIMARY KEY, passages INTEGER NOT NULL, tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS descriptions (digest BLOB PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
"""
REPLACED = "results replaced"
"""Setting: how often a result took the place of another one."""
_RESULT = "SELECT result FROM extractions WHERE digest = ? AND extractor = ?"
# The parts of a result (`Extraction.to_json`) after which it may have a problem, and rows left out.
_PROBLEM, _DROPPED, _FAILED = 4, 5, 6
_HAS_PROBLEM = f"json_array_length(result) > {_PROBLEM} AND json_extract(result, '$[{_PROBLEM}]') != ''"
_HAS_NOTHING = (
    "json_array_length(result, '$[0]') + json_array_length(result, '$[1]')"
    " + json_array_length(result, '$[2]') + json_array_length(result, '$[3]') = 0"
)


class PassageProblem(NamedTuple):
    """A passage without a result, or without all of it.

    Attributes:
        address: Address of the first document that has it.
        section: The headings above it.
        start: Offset of its first character in the text of the document.
        end: Offset after its last character.
        reason: What is wrong.
        is_empty: Whether there is no result at all.
    """

    address: str
    section: str
    start: int
    end: int
    reason: str
    is_empty: bool


class ResultStore(ABC):
    """The part of `TextStore` that keeps results of extractors, named by their identity."""

    path: Path
    _db: sqlite3.Connection

    @abstractmethod
    def transaction(self) -> AbstractContextManager[None]:
        """Commit what the block writes at its end; nothing of it if it raises."""

    def missing(self, extractor: str) -> list[bytes]:
        """Return the keys of the texts without a result of an extractor, in the order of the documents."""
        rows = self._db.execute(
            "SELECT digest FROM passages WHERE NOT EXISTS (SELECT 1 FROM extractions"
            " WHERE extractions.digest = passages.digest AND extractor = ?) ORDER BY content, number",
            (extractor,),
        )
        return list(dict.fromkeys(digest for (digest,) in rows))

    def with_problem(self, extractor: str) -> list[bytes]:
        """Return keys of texts with a problem in an extractor's result, in the order of documents."""
        rows = self._db.execute(
            "SELECT digest FROM passages JOIN extractions USING (digest)"
            f" WHERE extractor = ? AND {_HAS_PROBLEM} ORDER BY content, number",
            (extractor,),
        )
        return list(dict.fromkeys(digest for (digest,) in rows))

    def failed(self, extractor: str) -> list[bytes]:
        """Return keys of texts about which a server failed to reply, in the order of documents."""
        rows = self._db.execute(
            "SELECT digest FROM passages JOIN extractions USING (digest)"
            f" WHERE extractor = ? AND json_extract(result, '$[{_FAILED}]') ORDER BY content, number",
            (extractor,),
        )
        return list(dict.fromkeys(digest for (digest,) in rows))

    def texts(self, digests: Iterable[bytes]) -> Iterator[str]:
        """Yield the title and text of passages by their keys, as they are needed."""
        place = "SELECT content, start, end FROM passages WHERE digest = ? LIMIT 1"
        last, title, whole = -1, "", ""
        for digest in digests:
            content, start, end = self._db.execute(place, (digest,)).fetchone()
            if content != last:  # passages come document by document, and a document may be large
                row = self._db.execute("SELECT title, text FROM contents WHERE id = ?", (content,)).fetchone()
                last, title, whole = content, str(row[0]), str(row[1])
            yield full_text(title, whole[start:end])

    def keep(self, extractor: str, results: Sequence[tuple[bytes, Any]], tokens: tuple[int, int] | None = None) -> None:
        """Store results of an extractor, each as JSON, and remove the replies of conversations that are at their end.

        A result that replaces another one changes `TextStore.state`, so that the graph is built again.

        Args:
            extractor: The extractor.
            results: Key and result of each text.
            tokens: Tokens read and written for them by a language model, if one was asked.
        """
        rows = [(digest, extractor, json.dumps(result)) for digest, result in results]
        with self.transaction():
            if any(self._db.execute(_RESULT, row[:2]).fetchone() not in (None, row[2:]) for row in rows):
                self._db.execute(
                    "INSERT INTO settings VALUES (?, '1') ON CONFLICT (name) DO UPDATE SET value = value + 1",
                    (REPLACED,),
                )
            self._db.executemany("INSERT OR REPLACE INTO extractions VALUES (?, ?, ?)", rows)
            if tokens is not None:
                ends = [(digest, extractor) for digest, result in results if not any(result[_FAILED:])]
                self._db.executemany("DELETE FROM drafts WHERE digest = ? AND extractor = ?", ends)
                self._db.execute(
                    "INSERT INTO usage VALUES (?, ?, ?, ?) ON CONFLICT (extractor) DO UPDATE SET"
                    " passages = passages + excluded.passages, tokens_in = tokens_in + excluded.tokens_in,"
                    " tokens_out = tokens_out + excluded.tokens_out",
                    (extractor, len(ends), *tokens),
                )

    def result(self, digest: bytes, extractor: str) -> Any:
        """Return the result of an extractor for a text."""
        row = self._db.execute(_RESULT, (digest, extractor)).fetchone()
        if row is None:
            raise GraphbrickError(
                f"{self.path} has passages without a result of {extractor}; index again", code="text_store.no_result"
            )
        return json.loads(row[0])

    def drop_unused(self) -> None:
        """Remove the results of texts that no document has any more."""
        with self.transaction():
            for table in ("extractions", "drafts"):
                self._db.execute(f"DELETE FROM {table} WHERE digest NOT IN (SELECT digest FROM passages)")

    # Language models

    def draft(self, digest: bytes, extractor: str, number: int) -> str | None:
        """Return a reply of a conversation that was interrupted; None if there is none."""
        row = self._db.execute(
            "SELECT reply FROM drafts WHERE digest = ? AND extractor = ? AND number = ?", (digest, extractor, number)
        ).fetchone()
        return None if row is None else str(row[0])

    def keep_draft(self, digest: bytes, extractor: str, number: int, reply: str) -> None:
        """Keep a reply of a conversation that is not at its end."""
        self._db.execute("INSERT OR REPLACE INTO drafts VALUES (?, ?, ?, ?)", (digest, extractor, number, reply))

    def usage(self, extractor: str) -> tuple[int, int, int]:
        """Return the passages that a language model was asked about, and its tokens read and written."""
        row = self._db.execute(
            "SELECT passages, tokens_in, tokens_out FROM usage WHERE extractor = ?", (extractor,)
        ).fetchone()
        return (0, 0, 0) if row is None else (int(row[0]), int(row[1]), int(row[2]))

    def passage_problems(self, extractor: str) -> list[PassageProblem]:
        """Return the passages of which an extractor has no result, or not all of it, by address and place."""
        rows = self._db.execute(
            f"SELECT min(address), section, start, end, json_extract(result, '$[{_PROBLEM}]'), {_HAS_NOTHING}"
            " FROM extractions JOIN passages USING (digest) JOIN documents ON documents.content = passages.content"
            f" WHERE extractor = ? AND {_HAS_PROBLEM} GROUP BY passages.content, number ORDER BY 1, start",
            (extractor,),
        )
        return [
            PassageProblem(address, section, start, end, reason, bool(is_empty))
            for address, section, start, end, reason, is_empty in rows
        ]

    def dropped_rows(self, extractor: str) -> Counter[str]:
        """Return how many rows of replies were left out, by reason."""
        total: Counter[str] = Counter()
        rows = self._db.execute(
            f"SELECT json_extract(result, '$[{_DROPPED}]') FROM extractions"
            f" WHERE extractor = ? AND json_array_length(result) > {_DROPPED}",
            (extractor,),
        )
        for (dropped,) in rows:
            total.update(json.loads(dropped))
        return total

    # Descriptions

    def description(self, key: bytes) -> str | None:
        """Return the description that a language model made of those with this key; None if there is none."""
        row = self._db.execute("SELECT text FROM descriptions WHERE digest = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def keep_description(self, key: bytes, text: str) -> None:
        """Keep a description."""
        self._db.execute("INSERT OR REPLACE INTO descriptions VALUES (?, ?)", (key, text))

    def keep_descriptions(self, keys: Iterable[bytes]) -> None:
        """Remove all descriptions but these."""
        stored = {row[0] for row in self._db.execute("SELECT digest FROM descriptions")}
        with self.transaction():
            self._db.executemany(
                "DELETE FROM descriptions WHERE digest = ?", [(key,) for key in stored.difference(keys)]
            )


@dataclass
class StoredDrafts:
    """Replies of interrupted conversations of one extractor.

    Attributes:
        store: Where they are.
        extractor: Identity of the extractor, or of another brick that asks.
    """

    store: ResultStore
    extractor: str

    def draft(self, key: bytes, number: int) -> str | None:
        """Return a reply of an interrupted conversation; None if there is none."""
        return self.store.draft(key, self.extractor, number)

    def keep_draft(self, key: bytes, number: int, reply: str) -> None:
        """Keep a reply."""
        self.store.keep_draft(key, self.extractor, number, reply)
