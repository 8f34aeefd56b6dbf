"""Graphs in an Oxigraph store on disk, which pyoxigraph reads without a server."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.session import current_session
from graphbrick.graphs.databases.graph import files_mark, needed_module
from graphbrick.graphs.databases.sparql.rdf_graph import RdfGraph, Solutions
from graphbrick.graphs.databases.sparql.rdf_terms import Term

_DUMPING = 86_400.0  # seconds
_STARTING = 60.0  # seconds that opening a large store may take


class OxigraphGraph(RdfGraph):
    """A graph in the folder of an Oxigraph store, opened for reading; all its named graphs are one graph.

    Queries run in a process of their own, since pyoxigraph has no time-out: one that takes too long ends with it.
    """

    has_host = False

    def can_ask(self, term: Term) -> bool:
        """Return True: blank nodes keep their names in a store."""
        return True

    def solutions(self, text: str, limit: int, values: Mapping[str, Term] | None = None) -> Solutions:
        """Run a query; see `RdfGraph.solutions`."""
        bound = {name: _json(term) for name, term in (values or {}).items()}
        reply = self._ask({"text": text, "limit": limit, "values": bound}, self.timeout)
        rows = [tuple(None if term is None else Term.of(term) for term in row) for row in reply["rows"]]
        return Solutions(tuple(reply["columns"]), rows, reply["is_cut"])

    def mark(self) -> dict[str, Any] | None:
        """Return sizes and times of the files with statements."""
        return files_mark(file for file in Path(self.address.name).iterdir() if file.suffix in (".sst", ".log"))

    def dump(self, file: Path) -> None:
        """Write all statements to a file of N-Quads.

        Raises:
            GraphbrickError: The store cannot be read, or the file not be written.
        """
        self._ask({"dump": str(file.absolute())}, _DUMPING)

    def _ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Return the answer of the process that reads the store."""
        needed_module("pyoxigraph", "rdf")
        folder = Path(self.address.name)
        if not (folder / "CURRENT").is_file():
            text = f"{folder} holds no Oxigraph store; make one with pyoxigraph.Store({str(folder)!r})"
            raise GraphbrickError(text, code="oxigraph.no_store", folder=folder)
        worker = current_session().get(
            ("oxigraph", str(folder.absolute())), lambda: _Worker(folder), close=_Worker.close, usable=_Worker.is_alive
        )
        reply = worker.ask(request, timeout)
        if "error" in reply:
            reason = reply["error"].splitlines()[0]
            text = f"the Oxigraph store {folder} cannot run the query: {reason}"
            raise GraphbrickError(text, code="oxigraph.refused_query", reason=reason)
        return reply


class _Worker:
    """The process that reads a store; one query at a time."""

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        script = Path(__file__).with_name("oxigraph_worker.py")
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(script), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        started = self._line(_STARTING)
        if "error" in started:
            self.close()
            text = f"the Oxigraph store {folder} cannot be opened: {started['error']}"
            raise GraphbrickError(text, code="oxigraph.cannot_open", folder=folder)

    def ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Return the answer to a request; the process is ended if it takes too long.

        Raises:
            GraphbrickError: It took too long, or the process died.
        """
        assert self._process.stdin is not None
        with self._lock:
            try:
                self._process.stdin.write(json.dumps(request) + "\n")
                self._process.stdin.flush()
            except OSError as error:
                text = f"the process that reads the Oxigraph store ended: {error}; try again"
                raise GraphbrickError(text, code="oxigraph.no_process") from error
            return self._line(timeout)

    def _line(self, timeout: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            self._process.kill()

        timer = threading.Timer(timeout, end)
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if line.endswith("\n"):
            reply: dict[str, Any] = json.loads(line)
            return reply
        self._process.wait()
        if is_late.is_set():
            raise GraphbrickError(
                f"the query took longer than {timeout:g} seconds and was stopped; make it simpler, or raise ?timeout=",
                code="oxigraph.too_slow",
                seconds=timeout,
            )
        text = "the process that reads the Oxigraph store ended, perhaps for want of memory; try again"
        raise GraphbrickError(text, code="oxigraph.process_ended")

    def is_alive(self) -> bool:
        """Return whether the process runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()


def _json(term: Term) -> dict[str, str]:
    return {"type": term.kind, "value": term.value, "datatype": term.datatype, "xml:lang": term.language}
