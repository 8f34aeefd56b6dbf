"""Databases on this machine, which answer queries in processes of their own; docs/adr/0082-queries-in-a-process.md."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from graphbrick.core.compute import usable_cores
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.schema import Rows
from graphbrick.core.session import current_session
from graphbrick.core.workers import Pool, Worker, WorkerFault
from graphbrick.core.workers.child import VALUE
from graphbrick.graphs.databases.errors import QueryError, TooMuchError, in_one_line, refused_query, too_slow
from graphbrick.graphs.databases.graph import DatabaseGraph, files_mark, number_option

LIMITS = ("memory", "characters")
"""Options of an address that every database on this machine knows, besides ``timeout``."""
MEMORY = 2048
"""Megabytes that a process may use for queries, unless the address says another number."""
CHARACTERS = 16_000_000
"""Characters that the result of a query may have, unless the address says another number; it may have a sixteenth as
many values."""
_PROCESSES = max(4, usable_cores())  # for one database; each may use that much memory
_longest: ContextVar[int] = ContextVar("graphbrick_longest_result", default=1 << 40)


class _Processes(Pool):
    """The processes that have opened a database in one state of its files."""

    def __init__(self, start: Callable[[], Worker], state: Mapping[str, Any]) -> None:
        super().__init__(start, _PROCESSES)
        self.state = state


class EmbeddedGraph(DatabaseGraph):
    """A graph in a database on this machine, whose queries run in processes that can be killed.

    As many queries as there are processors, and at least four, run at the same time, each in a process that stays for
    the next one, up to ten minutes. A query that takes more
    time or memory than it may is ended with its process. They are started anew when another program has changed the
    database.

    Attributes:
        engine: File with the function that opens the database; see `graphbrick.core.workers.child`.
        takes_options: Whether users write the address, and may raise the limits there.
    """

    has_host = False
    engine: Path
    takes_options = True

    @abstractmethod
    def files(self) -> Iterable[Path]:
        """Return the files that differ after every change of the database."""

    def query(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query that only reads, whose result is limited in characters too; see `DatabaseGraph.query`."""
        token = _longest.set(int(number_option(self.address, "characters", CHARACTERS)))
        try:
            return super().query(text, parameters, limit)
        finally:
            _longest.reset(token)

    @property
    def memory(self) -> int:
        """Bytes that a process may use for queries."""
        return int(number_option(self.address, "memory", MEMORY) * (1 << 20))

    def ask_process(self, arguments: Mapping[str, Any], request: Any, seconds: float) -> Any:
        """Return the answer of a process that has opened the database.

        Args:
            arguments: What the process opens the database with.
            request: The request.
            seconds: Time that it may take.

        Raises:
            GraphbrickError: The database cannot be opened, the query is wrong, or takes more than a limit.
        """
        memory, state = self.memory, files_mark(self.files())
        try:
            pool = current_session().get(
                ("database processes", self.engine, memory, *arguments.items()),
                lambda: _Processes(lambda: self._start(arguments, memory), state),
                close=Pool.close,
                usable=lambda pool: pool.state == state,  # a process sees the database as it was when it began
            )
            return pool.ask(request, seconds, _longest.get())
        except WorkerFault as fault:
            raise self._explained(fault, seconds) from fault

    def _start(self, arguments: Mapping[str, Any], memory: int) -> Worker:
        try:
            return Worker(self.engine, arguments, memory)
        except WorkerFault as fault:
            reason = in_one_line(fault.reason) if fault.reason else "it takes too long"
            text = f"{self.address} cannot be opened: {reason}"
            raise GraphbrickError(text, code="database.cannot_open", reason=reason) from fault

    def _explained(self, fault: WorkerFault, seconds: float) -> GraphbrickError:
        """Return the error of a query without an answer."""
        if fault.kind == "time":
            return too_slow(self.address, seconds, self._or_raise("timeout"))
        if fault.kind == "refused":
            return refused_query(self.address, fault.reason)
        if fault.kind == "memory":
            megabytes = self.memory >> 20
            text = f"the query takes more than {megabytes:,} MB of memory; ask for less{self._or_raise('memory')}"
            return TooMuchError(f"{self.address}: {text}", code="database.too_much_memory", megabytes=megabytes)
        if fault.kind == "length":
            characters = _longest.get()
            text = f"the result has more than {characters:,} characters or {characters // VALUE:,} values"
            text += f"; ask for less{self._or_raise('characters')}"
            return TooMuchError(f"{self.address}: {text}", code="database.too_long", characters=characters)
        if fault.kind == "busy":
            text = f"{_PROCESSES} queries run already, the most at the same time; try again later"
            return GraphbrickError(f"{self.address}: {text}", code="database.busy", n=_PROCESSES)
        text = f"the process of the query ended ({fault.reason}); make the query simpler"
        return QueryError(f"{self.address}: {text}", code="database.process_ended", reason=fault.reason)

    def _or_raise(self, option: str) -> str:
        """Return the advice to raise a limit, where the address is one that the user has written."""
        return f", or raise ?{option}=" if self.takes_options else ""
