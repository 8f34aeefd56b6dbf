"""Whether the documents of a graph made from text are still those that were stored."""

from __future__ import annotations

import json
import sqlite3

from graphbrick.text.documents.chunks import Span
from graphbrick.text.documents.document import Document, Heading
from graphbrick.text.documents.store import passage_key


def altered(database: sqlite3.Connection) -> list[str]:
    """Return the addresses of the documents whose text, headings or passages differ from their checksums, sorted.

    Args:
        database: The database of a `TextStore`, which yields a text also for bytes that are none any more.
    """
    wrong = []
    for content, digest, title, text, headings in database.execute(
        "SELECT id, digest, title, text, headings FROM contents"
    ):
        try:
            document = Document("", title, text, tuple(Heading(*values) for values in json.loads(headings)))
        except (ValueError, TypeError):
            document = Document("", "", "")
        passages = database.execute("SELECT start, end, section, digest FROM passages WHERE content = ?", (content,))
        keys = [passage_key(document, Span(start, end, section)) == key for start, end, section, key in passages]
        if document.digest() != digest or not all(keys):
            rows = database.execute("SELECT address FROM documents WHERE content = ?", (content,))
            wrong += [str(address) for (address,) in rows]
    return sorted(wrong)
