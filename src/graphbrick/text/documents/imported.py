"""Shared parts of all imports of graphs that another program made from text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.corpus import TextGraph
from graphbrick.text.documents.chunks import Span
from graphbrick.text.documents.document import Document
from graphbrick.text.documents.store import TextStore

IMPORTED = "imported"
"""Setting of a store: the folder that the graph was imported from."""


@dataclass
class Imported:
    """The result of an import.

    Attributes:
        graph: The graph.
        communities: Number of communities.
        reports: Number of reports on communities.
        claims: Number of claims.
        notes: What a user should know.
    """

    graph: TextGraph
    communities: int
    reports: int
    claims: int
    notes: list[str] = field(default_factory=list)


def replace_documents(
    store: TextStore, source: str, chunker: str, documents: Iterable[tuple[Document, Iterable[Span]]]
) -> None:
    """Store the documents of an imported graph, to open citations, in place of an earlier import.

    Args:
        store: The store of the graph.
        source: The folder that is imported.
        chunker: What cut the documents.
        documents: Each document with its passages.

    Raises:
        GraphbrickError: The store holds documents that were not imported.
    """
    if store.setting(IMPORTED) is None and store.sources():
        raise GraphbrickError(
            f"{store.folder} holds documents that were indexed, and what was extracted from them; import into another "
            "place",
            code="import.documents_there",
        )
    store.set(IMPORTED, source)
    for earlier in store.sources():
        for file in store.files_of(earlier):
            store.forget_file(file)
    for document, spans in documents:
        store.put(document, document.address, chunker, spans)
        store.finish_file(document.address, source, chunker, "", [document.address])
