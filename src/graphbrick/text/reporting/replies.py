"""The replies of models that wrote reports, kept in a database beside the graph."""

from __future__ import annotations

from collections.abc import Iterable

from graphbrick.graphs.communities import communities_place
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.text.documents.database import Database
from graphbrick.text.documents.results import RESULTS_SCHEMA
from graphbrick.text.documents.store import TextStore

REPLIES = "replies.sqlite"
"""The database of the replies about a graph that was not made from documents, in the folder of its communities."""
_TABLE = """CREATE TABLE IF NOT EXISTS reports (context BLOB NOT NULL, writer TEXT NOT NULL, reply TEXT NOT NULL,
    PRIMARY KEY (context, writer)) WITHOUT ROWID"""


class ReplyStore(Database):
    """A database with the replies that reports were made of; a context manager.

    Args:
        folder: The folder of the database.

    Raises:
        GraphbrickError: As for `Database`.
    """

    file = REPLIES
    schema = _TABLE

    def anew(self) -> str:
        """Return what to do to make the database again, for errors."""
        return f"remove {self.path} and prepare the reports again, which asks the model again"

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
        """Note the subject of further replies; return whether earlier ones may quote what it was made from before.

        Args:
            state: What the graph was made from; see `state_of`.
        """
        earlier = self.setting("reports of")
        if earlier is None:
            self.set("reports of", state)
        return earlier not in (None, state)

    def drop_others(self, writer: str, used: Iterable[bytes], state: str) -> None:
        """Remove all replies but these, as they may hold words of what was deleted.

        Args:
            writer: The model that wrote those that stay.
            used: The contexts of its reports.
            state: What the graph was made from; see `state_of`.
        """
        with self.transaction():
            rows = self._db.execute("SELECT context, writer FROM reports").fetchall()
            wanted = {(one, writer) for one in used}
            unused = [row for row in rows if tuple(row) not in wanted]
            self._db.executemany("DELETE FROM reports WHERE context = ? AND writer = ?", unused)
            self.set("reports of", state)


class DocumentReplies(ReplyStore, TextStore):
    """The replies about a graph made from documents, in the database of these."""

    file = TextStore.file
    layout = TextStore.layout
    schema = f"{RESULTS_SCHEMA};{_TABLE}"

    def anew(self) -> str:
        """Return what to do to make the database again, for errors."""
        return TextStore.anew(self)


def reply_store(graph: Graph) -> ReplyStore:
    """Return the database of the replies about a graph."""
    if isinstance(graph, TextGraph):
        return DocumentReplies(text_folder(graph.place))
    return ReplyStore(communities_place(graph).parent)


def state_of(graph: Graph) -> str:
    """Return a hash of what reports are written from: documents, or the triples of a graph without any."""
    return graph.text_state if isinstance(graph, TextGraph) else graph.hash
