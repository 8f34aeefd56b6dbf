"""Copy a graph from a database into a graph folder, page by page, so that an interrupted copy can be continued."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.core.properties.values import NO_PROPERTIES
from graphbrick.core.trace import event
from graphbrick.graphs import opening
from graphbrick.graphs.build.atomic import check_place, not_written
from graphbrick.graphs.build.builder import GraphBuilder, Origin
from graphbrick.graphs.build.parts import file_parts
from graphbrick.graphs.databases.cypher.around import edges_out_of
from graphbrick.graphs.databases.cypher.cypher import CypherGraph
from graphbrick.graphs.databases.errors import QueryError, TooSlowError
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.graphs.databases.nodes import Node
from graphbrick.graphs.databases.sparql.oxigraph import OxigraphGraph
from graphbrick.graphs.databases.sparql.rdf_graph import RdfGraph
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.readers import ReadOptions, source_files
from graphbrick.graphs.readers.streams import Meter
from graphbrick.graphs.records.blocks import Part, TripleBlock
from graphbrick.graphs.records.columns import from_json, to_json
from graphbrick.graphs.records.rdf_names import LABEL_IRIS, local_name
from graphbrick.graphs.records.records import BadRecords, EdgeRecord, EntityRecord, LeftOut, RelationRecord
from graphbrick.graphs.records.rules import Rules
from graphbrick.graphs.store.source_mark import SourceMark

_NODES, _FIRST_NODES, _FEWEST = 20_000, 1_000, 100  # per page: at most, of the first, at least
_PAGE = 10_000_000  # letters
_HEADS = 1000  # whose triples are one page
_MOST = 10_000_000  # triples that leave one node
_TRIPLES = 10_000  # per page of an endpoint; many endpoints give no more
_STATE = "state.json"
_FORMAT = 2  # of the pages


def copy_graph(
    address: str,
    path: str | PathLike[str],
    *,
    near: bool | None = None,
    overwrite: bool = False,
    progress: Progress = silent,
) -> Graph:
    """Copy a graph from a database into a graph folder, and open it.

    Pages of nodes and triples are kept in a hidden folder beside ``path`` until the graph is complete. An interrupted
    copy continues after the last page when it is started again; it does not see changes in earlier pages. Memory grows
    by about 200 bytes with each node, and not with triples. Triples with blank nodes of a SPARQL endpoint are left out,
    because their names change from page to page.

    Args:
        address: The address of the database.
        path: The folder to make.
        near: Whether misspelt names can be found; by default in graphs of at most 20,000,000 entities.
        overwrite: Replace a graph that is there.
        progress: Called after each page.

    Raises:
        GraphbrickError: The database does not answer, or is empty; the target exists or cannot be written.
    """
    source, target = opening.open(address), Path(path)
    if not isinstance(source, DatabaseGraph):
        raise InputError(
            f"{address} is not the address of a database, so there is nothing to "
            "copy; build a graph from files with build()",
            code="copy.not_a_database",
        )
    check_place(target, overwrite=overwrite)
    pages = _Pages(pages_of(target), str(source.address))
    if "mark" not in pages.state:  # else that of the copy that was ended, which holds for its pages
        pages.state["mark"] = mark_of(source)
    left_out = LeftOut()
    if isinstance(source, RdfGraph):
        parts = _rdf_parts(source, _rdf_file(source, pages, progress, left_out), left_out)
        origin = Origin(str(source.address), source.label_language, local_name)
    elif isinstance(source, CypherGraph):
        _copy_nodes(source, pages, progress)
        _copy_edges(source, pages, progress)
        if not pages.names("nodes"):
            text = f"{source.address} has no nodes; check the database that the address names"
            raise GraphbrickError(text, code="copy.no_nodes")
        parts, origin = _records(pages), Origin(str(source.address), may_be_empty=True)
    else:
        raise InputError(
            f"{source.address} cannot be copied: it lists neither its nodes nor its triples; export it to files",
            code="copy.lists_nothing",
        )
    graph = _built(parts, origin, target, left_out, near, overwrite, progress)
    SourceMark(str(source.address), graph.hash, pages.state["mark"]).write(graph.place)
    pages.remove()
    return graph


def pages_of(target: Path) -> Path:
    """Return the folder where the pages of a copy are until it is complete."""
    return target.resolve().with_name(f".{target.name}.copy")


def mark_of(source: DatabaseGraph) -> dict[str, Any] | None:
    """Return the state that a database reports (`DatabaseGraph.mark`); None, with an event, if it cannot be had."""
    try:
        return source.mark()
    except (QueryError, TooSlowError) as error:
        text = f"{source.address} does not report its state, so a refresh will copy everything: {error}"
        event(text, "copy.no_mark")
        return None


class _Pages:
    """Files of records, and a file with the state of the copy.

    Args:
        folder: The folder of the files.
        address: The source; the pages of another one are removed.
    """

    def __init__(self, folder: Path, address: str) -> None:
        self.folder, self._address = folder, address
        self.state: dict[str, Any] = {"address": address, "format": _FORMAT}
        try:
            state = json.loads((folder / _STATE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            state = {}
        if isinstance(state, dict) and state.get("address") == address and state.get("format") == _FORMAT:
            self.state = state
        else:
            shutil.rmtree(folder, ignore_errors=True)
        with self.writing():
            folder.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Raise an OSError of the block as GraphbrickError."""
        try:
            yield
        except OSError as error:
            raise GraphbrickError(
                f"the copy cannot be written to {self.folder} ({error.strerror or error}); make room there, or choose "
                "another place for the graph",
                code="copy.not_written",
                folder=self.folder,
                reason=error.strerror,
            ) from error

    def add(self, kind: str, rows: list[Any], **state: Any) -> int:
        """Write a page and the state of the copy, and return the size of the page in letters.

        If interrupted in between, the page is written again.
        """
        number, text = int(self.state.get(kind, 0)), ""
        with self.writing():
            if rows:
                text = "".join(json.dumps(row) + "\n" for row in rows)
                (self.folder / f"{kind}-{number:07}.jsonl").write_text(text, encoding="utf-8")
            self.state |= {kind: number + bool(rows), **state}
            temporary = self.folder / f"{_STATE}.tmp"
            temporary.write_text(json.dumps(self.state), encoding="utf-8")
            temporary.replace(self.folder / _STATE)
        return len(text)

    def names(self, kind: str) -> list[Path]:
        """Return the files of a kind that are complete."""
        return [self.folder / f"{kind}-{number:07}.jsonl" for number in range(int(self.state.get(kind, 0)))]

    def rows(self, kind: str) -> Iterator[Any]:
        """Yield the rows of all pages of a kind."""
        for file in self.names(kind):
            with file.open(encoding="utf-8") as lines:
                yield from map(json.loads, lines)

    def remove(self) -> None:
        """Remove all files."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _copy_nodes(source: CypherGraph, pages: _Pages, progress: Progress) -> None:
    for key, label, types, description, aliases, handle, _ in pages.rows("nodes"):  # of a copy that was ended
        source.met(Node(key, label, tuple(types), description, tuple(aliases), _handle(handle)))
    done, n = int(pages.state.get("n_nodes", 0)), min(_FIRST_NODES, _NODES)
    while not pages.state.get("has_nodes"):
        nodes = source.nodes_after(_handle(pages.state.get("after")), n)
        keys = [source.key(source.met(replace(node, properties=NO_PROPERTIES))) for node in nodes]
        rows = [
            (key, *_facts(node), node.handle, to_json(source.without_repeated(node.handle, node.properties)))
            for key, node in zip(keys, nodes, strict=True)
        ]
        done += len(rows)
        after = nodes[-1].handle if nodes else None
        if not nodes:
            _check_count(source, pages, done)
        size = pages.add("nodes", rows, after=after, has_nodes=not nodes, n_nodes=done)
        n = min(_NODES, max(_FEWEST, n * _PAGE // size)) if size else n  # nodes may have vectors of a thousand numbers
        progress("copying nodes", done, None)


def _facts(node: Node) -> tuple[Any, ...]:
    return node.label, node.types, node.description, node.aliases


def _check_count(source: CypherGraph, pages: _Pages, copied: int) -> None:
    """Raise GraphbrickError if not all nodes were copied; the next copy begins anew."""
    count = source.fetch("MATCH (n) RETURN count(n)", {}, 1).rows[0][0]
    if count != copied:
        pages.remove()
        raise GraphbrickError(
            f"{copied:,} nodes were copied, and {source.address} counts {count:,}: it changed meanwhile; start again",
            code="copy.changed_meanwhile",
        )


def _copy_edges(source: CypherGraph, pages: _Pages, progress: Progress) -> None:
    done = begun = int(pages.state.get("n_heads", 0))
    triples = int(pages.state.get("n_triples", 0))
    nodes = ((row[0], _handle(row[5])) for number, row in enumerate(pages.rows("nodes")) if number >= begun)
    while batch := list(islice(nodes, _HEADS)):
        rows = []
        for (key, _), edges in zip(batch, edges_out_of(source, [handle for _, handle in batch], _MOST), strict=True):
            if edges.is_cut:
                text = f"more than {_MOST:,} triples leave {key}; this graph cannot be copied"
                raise GraphbrickError(text, code="copy.too_many_triples", key=key)
            rows += [(key, edge.key, edge.node.key, edge.label, to_json(edge.properties)) for edge in edges.edges]
        done, triples = done + len(batch), triples + len(rows)
        pages.add("edges", rows, n_heads=done, n_triples=triples)
        progress("copying triples", triples, None)


def _handle(value: Any) -> Any:
    """Return a handle that was read from JSON, which has lists for tuples."""
    return tuple(value) if isinstance(value, list) else value


def _records(pages: _Pages) -> Iterator[Part]:
    for key, label, types, description, aliases, _, own in pages.rows("nodes"):
        yield EntityRecord(key, label, tuple(aliases), tuple(types), description or None, from_json(own))
    written: set[str] = set()
    for head, relation, tail, label, own in pages.rows("edges"):
        if relation not in written:
            written.add(relation)
            if label != relation:
                yield RelationRecord(relation, label)
        yield EdgeRecord(head, relation, tail, from_json(own)) if own else (head, relation, tail)


def _built(
    parts: Iterable[Part],
    origin: Origin,
    target: Path,
    left_out: LeftOut,
    near: bool | None,
    overwrite: bool,
    progress: Progress,
) -> Graph:
    count = reported = 0
    with GraphBuilder(target, source=origin, overwrite=overwrite, near=near) as builder:
        builder.left_out = left_out
        try:
            for part in parts:
                builder.add(part)
                count += part.starts.shape[1] if isinstance(part, TripleBlock) else 1
                if count >= reported + _NODES:
                    reported = count
                    progress("building", count, None)
            return builder.finish()
        except OSError as error:
            raise GraphbrickError(not_written(target, error), code="copy.graph_not_written") from error


def _rdf_file(source: RdfGraph, pages: _Pages, progress: Progress, left_out: LeftOut) -> Path:
    """Write all statements of a store or an endpoint to a file."""
    if isinstance(source, OxigraphGraph):
        dump = pages.folder / "graph.nq"
        source.dump(dump)
        if not dump.stat().st_size:
            raise _no_statements(source)
        return dump
    offset, blank = int(pages.state.get("offset", 0)), int(pages.state.get("blank", 0))
    while not pages.state.get("has_triples"):
        # Virtuoso sorts many rows only in a subquery.
        ordered = "SELECT ?s ?p ?o WHERE { ?s ?p ?o } ORDER BY ?s ?p ?o"
        query = f"SELECT ?s ?p ?o WHERE {{ {{ {ordered} }} }} LIMIT {_TRIPLES} OFFSET {offset}"
        page = source.solutions(query, _TRIPLES)
        if page.is_cut and len(page.rows) < _TRIPLES:
            text = f"{source.address} sends only parts of pages; raise its own limits of time and rows"
            raise GraphbrickError(text, code="copy.partial_pages")
        lines = []
        for row in page.rows:
            terms = [term for term in row if term is not None and source.can_ask(term)]
            if len(terms) == 3:
                lines.append(" ".join(term.text for term in terms) + " .")
        blank += len(page.rows) - len(lines)
        offset += len(page.rows)
        pages.add("triples", lines, offset=offset, blank=blank, has_triples=not page.rows)
        progress("copying statements", offset, None)
    if blank:
        text = f"{blank:,} statements with blank nodes were left out, since {source.address} renames them in each reply"
        event(text, "copy.blank_nodes", n=blank)
        left_out.add("statements with blank nodes, which the endpoint renames in each reply", n=blank)
    file = pages.folder / "graph.nt"
    with pages.writing(), file.open("w", encoding="utf-8", newline="\n") as written:
        written.writelines(f"{line}\n" for line in pages.rows("triples"))
    if not pages.names("triples"):
        raise _no_statements(source)
    return file


def _no_statements(source: RdfGraph) -> GraphbrickError:
    return GraphbrickError(
        f"{source.address} has no statements, and a graph needs at least one "
        "triple; check the store that the address names",
        code="copy.no_statements",
    )


def _rdf_parts(source: RdfGraph, file: Path, left_out: LeftOut) -> Iterator[Part]:
    rules = Rules(label_relations=tuple(sorted(source.labels - LABEL_IRIS)))
    options = ReadOptions(language=source.label_language)
    return file_parts(source_files(file, None, options), None, options, rules, BadRecords(), Meter(), left_out)
