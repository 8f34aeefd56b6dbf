"""The text units of GraphRAG as passages, which are slices of documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from graphbrick.core.graph import PassageText
from graphbrick.text.documents.chunks import Sections, Span
from graphbrick.text.documents.document import Document
from graphbrick.text.exchange.graphrag.tables import Row, TableRows, ids_of, text_of, title_of
from graphbrick.text.sources.markup import markdown_headings

_FILES = frozenset({".txt", ".md", ".csv", ".json", ".html", ".pdf"})


class _Unit(NamedTuple):
    id: str
    document: int
    span: Span


class Passages:
    """The documents and text units of an output folder.

    A text unit that is not a slice of its document, or has no document, becomes a document of its own.

    Attributes:
        documents: The documents.
        apart: Number of text units that became documents.
    """

    def __init__(self, tables: TableRows) -> None:
        self.documents: list[Document] = []
        self.apart = 0
        self._units: list[_Unit] = []
        self._number: dict[str, int] = {}
        self._cited: dict[str, int] = {}
        self._latest: list[int] = []  # where the latest text unit of each document begins; -1 for none
        self._addresses: set[str] = set()
        by_unit: dict[str, int] = {}
        for row in tables["documents"]:
            i = self._add(
                text_of(row, "title") or text_of(row, "id"),
                str(row.get("text") or row.get("raw_content") or ""),
                text_of(row, "id"),
                title_of(row),
            )
            by_unit |= dict.fromkeys(ids_of(row, "text_unit_ids"), i)
        by_id = {text_of(row, "id"): i for i, row in enumerate(tables["documents"])}
        rows = sorted(tables["text_units"], key=lambda row: int(row.get("human_readable_id") or 0))
        for row in rows:
            named = next((by_id[one] for one in ids_of(row, "document_id", "document_ids") if one in by_id), None)
            self._add_unit(row, by_unit.get(text_of(row, "id")) if named is None else named)
        self.passages: list[PassageText] = [self._passage(unit) for unit in self._units]

    def number(self, unit: str) -> int | None:
        """Return the passage of a text unit by its id; None if there is no such unit."""
        return self._number.get(unit)

    def number_cited(self, number: str) -> int | None:
        """Return the passage of a text unit by the number that reports cite; None if there is no such unit."""
        return self._cited.get(number)

    def cut(self) -> Iterator[tuple[Document, list[Span]]]:
        """Yield each document with its passages."""
        spans: dict[int, list[Span]] = {}
        for unit in self._units:
            spans.setdefault(unit.document, []).append(unit.span)
        for i, document in enumerate(self.documents):
            yield document, sorted(spans.get(i, []))

    def _add(self, name: str, text: str, id_: str, title: str = "") -> int:
        address = name
        while not address or address in self._addresses:
            address = f"{address}#{id_[:8] or len(self.documents)}"
        self._addresses.add(address)
        file = PurePath(name)
        shown = file.stem if file.suffix.lower() in _FILES else name
        self.documents.append(Document(address, title or shown, text, markdown_headings(text)))
        self._latest.append(-1)
        return len(self.documents) - 1

    def _add_unit(self, row: Row, document: int | None) -> None:
        text, id_ = text_of(row, "text", "chunk"), text_of(row, "id")
        if not text:
            return
        start = -1 if document is None else self._find(document, text)
        if document is None or start < 0:
            above = text_of(row, "file_path") if document is None else self.documents[document].address
            document = self._add(f"{above}#{len(self._units) + 1}", text, id_)
            start, self.apart = 0, self.apart + 1
        self._latest[document] = start
        end = start + len(text)
        span = Span(start, end, Sections(self.documents[document]).at(start))
        number = row.get("human_readable_id")  # counts from 0 or 1, by the version
        self._cited[str(len(self._units) if number is None else number)] = len(self._units)
        self._number[id_] = len(self._units)
        self._units.append(_Unit(id_, document, span))

    def _find(self, document: int, text: str) -> int:
        """Return the offset of a text in a document, if possible after the last one's; -1 if there is none."""
        whole = self.documents[document].text
        start = whole.find(text, self._latest[document] + 1)
        return start if start >= 0 else whole.find(text)

    def _passage(self, unit: _Unit) -> PassageText:
        document, (start, end, section) = self.documents[unit.document], unit.span
        return PassageText(document.text[start:end], document.address, start, end, document.title, section)
