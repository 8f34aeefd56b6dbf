"""The columns of the rows of tables in the database of a graph made from text, by the address of the document."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from graphbrick.text.documents.document import Document, Record
from graphbrick.text.documents.results import ResultStore

RECORDS_SCHEMA = "CREATE TABLE IF NOT EXISTS records (address TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;"


class RecordStore(ResultStore):
    """The part of the database that holds records."""

    def put_record(self, document: Document) -> bool:
        """Store the record of a document, or that it has none; return whether it is the one of before."""
        address, record = document.address, document.record
        old = self._db.execute("SELECT record FROM records WHERE address = ?", (address,)).fetchone()
        new = None if record is None else record.to_json()
        if (old and old[0]) == new:
            return True
        self._db.execute("DELETE FROM records WHERE address = ?", (address,))
        if new is not None:
            self._db.execute("INSERT INTO records VALUES (?, ?)", (address, new))
        return old is None  # a folder of an earlier version has none

    def records(self) -> Iterator[tuple[str, Record]]:
        """Yield address and record of each row of a table that has one, by address."""
        for address, record in self._db.execute("SELECT address, record FROM records ORDER BY address"):
            yield str(address), Record(*json.loads(record))

    def records_state(self) -> str:
        """Return a hash of all records; empty if there is none."""
        state, n = hashlib.sha256(), 0
        for row in self._db.execute("SELECT address, record FROM records ORDER BY address"):
            state.update(json.dumps(row).encode())
            n += 1
        return state.hexdigest() if n else ""
