"""The replies of models that wrote reports, in the database of the documents."""

from __future__ import annotations

from collections.abc import Iterable

from graphbrick.text.documents.results import RESULTS_SCHEMA
from graphbrick.text.documents.store import TextStore

_TABLE = """CREATE TABLE IF NOT EXISTS reports (context BLOB NOT NULL, writer TEXT NOT NULL, reply TEXT NOT NULL,
    PRIMARY KEY (context, writer)) WITHOUT ROWID"""


class ReplyStore(TextStore):
    """A text store with the replies that reports were made of; a context manager.

    Args:
        folder: The folder of the store.

    Raises:
        GraphbrickError: As for `TextStore`.
    """

    schema = f"{RESULTS_SCHEMA};{_TABLE}"

    def reply(self, context: bytes, writer: str) -> str | None:
        """Return the reply of a model; None if it is not there.

        Args:
            context: Hash of what the report was written from.
            writer: Identity of the model.
        """
        query = "SELECT reply FROM reports WHERE context = ? AND writer = ?"
        row = self._db.execute(query, (context, writer)).fetchone()
        return None if row is None else str(row[0])

    def keep_reply(self, context: bytes, writer: str, reply: str) -> None:
        """Store a reply."""
        self._db.execute("INSERT OR REPLACE INTO reports VALUES (?, ?, ?)", (context, writer, reply))

    def begin(self, state: str) -> bool:
        """Note the subject of further replies; return whether earlier ones may quote earlier documents.

        Args:
            state: What the graph was made from; see `TextGraph.text_state`.
        """
        earlier = self.setting("reports of")
        if earlier is None:
            self.set("reports of", state)
        return earlier not in (None, state)

    def drop_others(self, writer: str, used: Iterable[bytes], state: str) -> None:
        """Remove all replies but these, as they may hold words of deleted documents.

        Args:
            writer: The model that wrote those that stay.
            used: The contexts of its reports.
            state: What the graph was made from; see `TextGraph.text_state`.
        """
        with self.transaction():
            rows = self._db.execute("SELECT context, writer FROM reports").fetchall()
            wanted = {(one, writer) for one in used}
            unused = [row for row in rows if tuple(row) not in wanted]
            self._db.executemany("DELETE FROM reports WHERE context = ? AND writer = ?", unused)
            self.set("reports of", state)
