"""Make a graph from the output folder of Microsoft GraphRAG."""

from __future__ import annotations

import hashlib
from os import PathLike
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.core.files.locks import claim
from graphbrick.graphs.build.atomic import check_place
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.communities import keep_communities
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.corpus_writer import write_corpus
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.text.documents.imported import Imported, replace_documents
from graphbrick.text.documents.store import TextStore
from graphbrick.text.exchange.graphrag.reading import Reader
from graphbrick.text.exchange.graphrag.tables import TableRows, Tables
from graphbrick.text.reporting.reports import keep_reports

WRITER = "GraphRAG"


def import_graphrag(source: str | PathLike[str], path: str | PathLike[str], *, overwrite: bool = False) -> Imported:
    """Make a graph from an output folder of Microsoft GraphRAG: the Parquet tables of versions 0 to 3.

    Entities keep their types and descriptions, relationships become triples `RELATED` with descriptions and weights,
    text units become passages of their documents, covariates become claims. Communities and reports are kept beside the
    graph; the citations ``[Data: Entities (1, 2)]`` of reports become ids.

    Args:
        source: The folder with ``entities.parquet`` (or ``create_final_entities.parquet``), or one above it.
        path: The graph folder to make.
        overwrite: Replace a graph that is there.

    Raises:
        InputError: A table is missing or cannot be read.
        GraphbrickError: ``path`` cannot be written, or holds something else.
    """
    return import_rows(Tables(Path(source)), path, WRITER, overwrite=overwrite)


def import_rows(tables: TableRows, path: str | PathLike[str], writer: str, *, overwrite: bool) -> Imported:
    """Make a graph from rows of GraphRAG's tables; relationships may have ``keywords``.

    Args:
        tables: The rows.
        path: The graph folder to make.
        writer: The program that wrote them.
        overwrite: Replace a graph that was imported earlier.

    Raises:
        InputError: There is no entity, or no relation.
        GraphbrickError: ``path`` cannot be written, or holds something else.
    """
    place = Path(path)
    check_place(place, overwrite=overwrite)
    reader = Reader(tables)
    if not any(True for _ in reader.records()):
        raise InputError(f"{tables.folder} has no entity", code="import_graphrag.no_entity")
    if not reader.has_relations:
        raise InputError(
            f"{tables.folder} has entities, but no relation between two of them; a graph needs one",
            code="import_graphrag.no_relation",
        )
    folder = text_folder(place)
    with TextStore(folder) as store, claim(folder / "index.lock", wait=True):
        check_place(place, overwrite=overwrite)  # another process may have made it meanwhile
        replace_documents(store, str(tables.folder), writer, reader.passages.cut())
        graph = build(reader.records(), place, overwrite=overwrite)
        passages = reader.passages.passages
        state = hashlib.sha256(repr(passages).encode()).hexdigest()
        write_corpus(graph, lambda: passages, reader.mentions(graph), reader.support(graph), state)
    opened = TextGraph.open(place)
    tree, numbers = reader.communities(opened)
    reports = reader.reports(opened, numbers)
    if len(tree):
        keep_communities(opened, tree, {"source": writer})
        keep_reports(opened, tree, reports, writer)
    return Imported(opened, len(tree), len(reports), len(opened.claims), reader.notes)
