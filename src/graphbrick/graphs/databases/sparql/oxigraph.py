"""Graphs in an Oxigraph store on disk, which pyoxigraph reads without a server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.databases.embedded import LIMITS, EmbeddedGraph
from graphbrick.graphs.databases.graph import check_client, files_mark
from graphbrick.graphs.databases.sparql.rdf_graph import RdfGraph, Solutions
from graphbrick.graphs.databases.sparql.rdf_terms import Term

_DUMPING = 86_400.0  # seconds


class OxigraphGraph(EmbeddedGraph, RdfGraph):
    """A graph in the folder of an Oxigraph store, opened for reading; all its named graphs are one graph."""

    OPTIONS = (*RdfGraph.OPTIONS, *LIMITS)
    engine = Path(__file__).with_name("oxigraph_worker.py")

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
        return files_mark(self.files())

    def files(self) -> Iterable[Path]:
        """Return the files with statements."""
        return [file for file in Path(self.address.name).iterdir() if file.suffix in (".sst", ".log")]

    def dump(self, file: Path) -> None:
        """Write all statements to a file of N-Quads.

        Raises:
            GraphbrickError: The store cannot be read, or the file not be written.
        """
        self._ask({"dump": str(file.absolute())}, _DUMPING)

    def _ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Return the answer of a process that reads the store."""
        check_client("pyoxigraph", "rdf")
        folder = Path(self.address.name)
        if not (folder / "CURRENT").is_file():
            text = f"{folder} holds no Oxigraph store; make one with pyoxigraph.Store({str(folder)!r})"
            raise GraphbrickError(text, code="oxigraph.no_store", folder=folder)
        reply: dict[str, Any] = self.ask_process({"folder": str(folder.absolute())}, request, timeout)
        return reply


def _json(term: Term) -> dict[str, str]:
    return {"type": term.kind, "value": term.value, "datatype": term.datatype, "xml:lang": term.language}
