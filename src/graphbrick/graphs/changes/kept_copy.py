"""The whole of a small database as a folder in the user's cache, so that questions about all of it are answered."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphbrickError, GraphFormatError, UnavailableError
from graphbrick.core.files.folders import user_folder
from graphbrick.core.files.locks import claim
from graphbrick.core.graph import Copied
from graphbrick.core.session import current_session
from graphbrick.core.trace import NOTE, event
from graphbrick.graphs.changes.copying import copy_graph, mark_of, pages_of
from graphbrick.graphs.changes.refreshing import refresh_graph, refreshed_of
from graphbrick.graphs.databases.cypher.cypher import CypherGraph
from graphbrick.graphs.databases.graph import USER, DatabaseGraph
from graphbrick.graphs.databases.sparql.rdf_graph import RdfGraph
from graphbrick.graphs.databases.sparql.rdf_terms import Term
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local.local import LocalAround
from graphbrick.graphs.local.seeds import seeds_in
from graphbrick.graphs.store.source_mark import SourceMark, mark_file

_FRESH = 300.0  # seconds for which a copy is taken as it is, of a database that does not tell whether it changed
_NEW = 5.0  # seconds for which such a copy is as good as the database


class KeptCopy:
    """A database whose whole is asked as a folder graph; pass it to a pipeline instead of a graph.

    Args:
        source: The database.
        graph: Its copy, from `kept_copy`.
    """

    def __init__(self, source: DatabaseGraph, graph: Graph) -> None:
        self.source, self.graph = source, graph

    def __repr__(self) -> str:
        return f"KeptCopy({self.source.path!r})"

    def for_question(self, question: str, seeds: Iterable[str | int], question_id: str = "") -> tuple[Graph, list[str]]:
        """Return the copy, and the keys of the seeds; none if none are given, as the copy is linked like any folder.

        Args:
            question: The question.
            seeds: Ids, keys or names in the database.
            question_id: Not used.

        Raises:
            LinkError: A seed does not exist.
        """
        source = self.source
        keys = [one if isinstance(one, str) else source.key(*seeds_in(source, question, [one])) for one in seeds]
        # Names are looked up in the copy: the database may give the keys of nodes with the same id in another order.
        return self.graph, [*map(self.graph.key, seeds_in(self.graph, question, keys))] if keys else []


def copied(graph: Copied, *, required: bool) -> KeptCopy | LocalAround:
    """Return a graph as what a pipeline walks on: all of a small database, or what is around the seeds of a question.

    Args:
        graph: A graph without adjacency.
        required: Whether a question that names nothing is an error where all is not copied.

    Raises:
        GraphbrickError: The database does not answer, or its address has a bad limit.
    """
    fault = ""
    if isinstance(graph, DatabaseGraph) and graph.copied_whole:
        try:
            whole = kept_copy(graph)
        except UnavailableError:
            raise
        except (GraphbrickError, OSError) as error:
            fault, whole = str(error), None
            text = f"only the part around the entities of a question is copied, as a copy of all failed: {fault}"
            event(text, "kept_copy.not_made", reason=fault)
        if whole is not None:
            return whole
    return LocalAround(graph, **graph.copy_limits(), required=required, fault=fault)


def kept_copy(source: DatabaseGraph) -> KeptCopy | None:
    """Return a database with a copy of all of it that is up to date; None if it is too large.

    The copy is made at the first question and brought up to date if the database reports a change
    (`DatabaseGraph.mark`). If it cannot tell, that is done when it has more or fewer nodes, relations or triples, and
    after five minutes; until then, a note tells the age of the copy. An endpoint whose blank nodes cannot be asked for
    counts as too large, as a copy would lose them.

    Args:
        source: The database; ``?whole=`` of its address is the most nodes and relations that are copied.

    Raises:
        GraphbrickError: The database does not answer, or cannot be copied.
        OSError: The copy cannot be written.
    """
    holder = current_session().get(("kept copy", str(place_of(source))), lambda: _Holder(place_of(source)))
    graph = holder.current(source)
    return None if graph is None else KeptCopy(source, graph)


def place_of(source: DatabaseGraph) -> Path:
    """Return the folder of the copy of a database, whether it is there or not.

    Users who may see different parts of a database have different ones.
    """
    name = source.path if source.has_host else f"{source.path}\n{Path(source.address.name).resolve()}"
    digest = sha256(f"{name}\n{os.environ.get(USER, '')}".encode()).hexdigest()[:16]
    return _folder() / f"{digest}.graph"


def _folder() -> Path:
    return user_folder("GRAPHBRICK_CACHE") / "databases"


def _sizes(source: DatabaseGraph) -> tuple[int, ...]:
    """Return how many nodes and relations, or triples, a database has; none if not all of it is copied."""
    most = source.copied_whole
    if isinstance(source, RdfGraph):
        blank = "ASK { ?s ?p ?o FILTER(isBlank(?s) || isBlank(?o)) }"
        if not source.can_ask(Term("bnode", "b")) and source.is_true(blank):
            return ()
        counts = [f"SELECT (COUNT(*) AS ?n) WHERE {{ SELECT * WHERE {{ ?s ?p ?o }} LIMIT {most + 1} }}"]
    elif isinstance(source, CypherGraph):
        patterns = ("(one)", "()-[one]->()")
        counts = [f"MATCH {pattern} WITH one LIMIT {most + 1} RETURN count(one)" for pattern in patterns]
    else:
        return ()  # another package's kind; nothing lists its nodes
    sizes = tuple(int(source.query(text, {}, 1).rows[0][0]) for text in counts)
    return sizes if sum(sizes) <= most else ()


class _Holder:
    """The copy of one database in this process.

    Args:
        place: Its folder.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._graph: Graph | None = None
        self._mark: dict[str, Any] | None = None
        self._sizes: tuple[int, ...] = ()  # of a database without a mark
        self._read = 0.0  # when the database was last known to be as it is here

    def current(self, source: DatabaseGraph) -> Graph | None:
        """Return the copy, made or brought up to date if that is needed; None if the database is too large."""
        mark = mark_of(source)  # before the lock, so that questions do not wait for each other's
        sizes = _sizes(source) if self._sizes else ()
        with self._lock:
            if not _holds(mark, sizes, SourceMark("", "", self._mark, self._sizes), self._read):
                self._mark, self._read = None, 0.0  # what fails is tried again at the next question
                sizes = _sizes(source)
                if not sizes:
                    self._graph, self._mark, self._sizes, self._read = None, mark, (), time.time()
                    return None
                self._graph = self._copied(source, mark, sizes)
                self._graph.origin, self._graph.remote = source.path, source
            age = time.time() - self._read
            if self._graph is not None and age > _NEW and (mark is None or mark != self._mark):
                text = f"answered from a copy made {age:.0f} seconds ago: a value that has changed since is not seen"
                event(text, "kept_copy.age", NOTE, seconds=round(age))
            return self._graph

    def _copied(self, source: DatabaseGraph, mark: dict[str, Any] | None, sizes: tuple[int, ...]) -> Graph:
        start = time.time()
        self._place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with claim(self._place.with_name(f"{self._place.name}.lock"), wait=True):
            found, known = self._found(source)
            if found is not None and known is not None:
                self._mark, self._sizes = known.mark, known.sizes
                self._read = mark_file(self._place).stat().st_mtime
                if _holds(mark, sizes, known, self._read):
                    return found
            self._without_pages()  # of a copy that was ended, when the database may have been another
            try:
                graph = self._renewed(source)
            finally:
                self._without_pages()  # of one that failed, such as on a full disk
            # Of a server where others change what is theirs, the mark says nothing.
            is_other = source.mark_is_shared and found is not None and found.hash == graph.hash
            self._mark, self._sizes, self._read = mark, sizes if mark is None or is_other else (), start
            SourceMark(source.path, graph.hash, mark, self._sizes).write(self._place)
        text = (
            f"all of {source.path} was copied to {self._place}, as it is small: {graph.n_entities:,} entities, "
            f"{graph.n_triples:,} triples ({time.time() - start:.1f} s)"
        )
        event(text, "kept_copy.made", NOTE, folder=self._place)
        return graph

    def _renewed(self, source: DatabaseGraph) -> Graph:
        """Return the copy after everything that differs was copied, or all if there is none to go on with."""
        try:
            return refresh_graph(self._place).graph
        except GraphbrickError as error:
            # None, a damaged one, or one whose refresh was ended before it was noted.
            if not isinstance(error, GraphFormatError) and error.code != "refresh.has_changes":
                raise
        return copy_graph(source.path, self._place, overwrite=True)

    def _without_pages(self) -> None:
        for target in (self._place, refreshed_of(self._place)):
            shutil.rmtree(pages_of(target), ignore_errors=True)

    def _found(self, source: DatabaseGraph) -> tuple[Graph, SourceMark] | tuple[None, None]:
        """Return a copy that is there, whole, and what is known of the database at that time; None if there is none."""
        try:
            graph = Graph.open(self._place)
        except GraphFormatError:
            return None, None
        known = SourceMark.of(graph)
        is_whole = known is not None and known.graph == graph.hash and known.address == source.path
        return (graph, known) if known is not None and is_whole else (None, None)


def _holds(mark: dict[str, Any] | None, sizes: tuple[int, ...], known: SourceMark, read: float) -> bool:
    """Return whether what was read at a time is still so, as far as the mark and the sizes of a database tell."""
    is_fresh = time.time() - read < _FRESH
    if known.sizes:
        return (mark is not None and mark == known.mark) or (is_fresh and sizes == known.sizes)
    return mark == known.mark and (mark is not None or is_fresh)
