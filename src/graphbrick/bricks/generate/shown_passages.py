"""Passages as a model with a large context reads them: in the order of their documents, with what stands around."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from graphbrick.core import Citation, Evidence, Item, Passage
from graphbrick.core.items import ANSWER, Row
from graphbrick.graphs.corpus import TextGraph
from graphbrick.text.overview.documents import documents_of
from graphbrick.text.overview.names import names_of

SUMMARY = "one overview"
"""The plan of rows that tell what one document is about."""
PROSE = ("all topics", "all overview", SUMMARY)
"""Plans of rows that a model writes better; others, such as a count, are the answer."""
_WIDENED = 5  # passages with those around them
_TABLE = 4  # further passages of a table
_READ = 100  # passages of a document that are read without a summary of all of it
_HEADING = 300  # characters
_NEAREST = 3


def plan_of(evidence: Evidence) -> str:
    """Return the plan of computed answers; empty without any."""
    return next((row.values[1] for row in evidence.items if isinstance(row, Row) and row.columns == ANSWER), "")


def widened(items: Sequence[Item]) -> list[Item]:
    """Return passages, each text once, with those around the first few of them, which follow what they stand around.

    The whole of a table follows a part of it. Other items stay.
    """
    texts, kept = set[str](), list[Item]()
    for item in items:
        text = _plain(item.text)
        if item.kind != "passage" or text not in texts:
            kept.append(item)
            texts.add(text)
    found = [place for item in kept if (place := _index(item)) is not None]
    wide = list[Item]()
    for item in kept:
        wide.append(item)
        place = _index(item)
        if place is None or place not in found[:_WIDENED]:
            continue
        graph = cast(TextGraph, item.graph)
        for near in _around(graph, place):
            text = _plain(graph.passage(near).text)
            if near not in found and text not in texts:
                wide.append(_passage(graph, near, item))
                texts.add(text)
    return wide


def whole_document(items: Sequence[Item]) -> list[Item]:
    """Return all passages of the documents of the passages; rows only before more than a model may read."""
    first = next((item for item in items if _index(item) is not None), None)
    if first is None:
        return list(items)
    graph = cast(TextGraph, first.graph)
    named = dict.fromkeys(item.citations[0].document for item in items if _index(item) is not None)
    places = [place for document in named for place in documents_of(graph).passages[document]]
    rest = [item for item in items if item.kind != "passage" and len(places) > _READ]
    return [*rest, *(_passage(graph, place, first) for place in places)]


def nearest(items: Iterable[Item]) -> list[str]:
    """Return the names of the first documents that passages are of, each with the section of its first passage."""
    names: dict[str, str] = {}
    for item in items:
        if item.kind == "passage" and item.citations:
            names.setdefault(item.citations[0].document, _heading(item))
    return list(names.values())[:_NEAREST]


def in_reading_order(items: Sequence[Item]) -> list[Item]:
    """Return items with the passages of a document together, in its order; the best document first."""
    first: dict[str, int] = {}
    for item in items:
        if item.kind == "passage" and item.citations:
            first.setdefault(item.citations[0].document, len(first))

    def place(item: Item) -> tuple[int, int]:
        if item.kind != "passage" or not item.citations:
            return -1, 0
        return first[item.citations[0].document], item.citations[0].start or 0

    return sorted(items, key=place)


def lines_of(items: Iterable[Item], longest: int) -> list[str]:
    """Return a numbered entry for each item: document and section of a passage, and below it its lines, indented.

    No line of a passage can pass for an entry of its own.
    """
    return [f"{number}. {_entry(item)[:longest]}" for number, item in enumerate(items, 1)]


def _entry(item: Item) -> str:
    if item.kind != "passage" or not item.citations:
        return " ".join((item.values[0] if isinstance(item, Row) else item.text).split())
    lines = ("".join(c if c.isprintable() or c == "\t" else " " for c in line) for line in item.text.splitlines())
    return "\n   ".join([f"({_heading(item)})", *(line.rstrip() for line in lines if line.strip())])


def _heading(item: Item) -> str:
    """Return the document and the section of a passage."""
    place = item.citations[0]
    name = names_of(item.graph).name(place.document) if isinstance(item.graph, TextGraph) else place.document
    return " ".join(f"{name}: {place.section}".split() if place.section else [name])[:_HEADING]


def _index(item: Item) -> int | None:
    """Return the number of a passage in its graph; None for any other item."""
    if not isinstance(item, Passage) or not isinstance(item.graph, TextGraph) or not item.citations:
        return None
    place = item.citations[0]
    return item.graph.passage_at(place.document, place.start or 0, place.end or 0)


def _passage(graph: TextGraph, place: int, like: Item) -> Passage:
    """Return a passage with the score and the source of another item."""
    text, document, start, end, _, section = graph.passage(place)
    begin, mentions = graph.mentions
    entities = tuple(mentions[begin[place] : begin[place + 1]].tolist())
    return Passage(text, (Citation(document, start, end, section=section),), entities, graph, like.score, like.source)


def _around(graph: TextGraph, place: int) -> list[int]:
    """Return the passages before and after one in its document, and the rest of a table that it is a part of."""
    document = graph.passage(place).document
    near = list[int]()
    for step in (-1, 1):
        other = place
        for more in range(1 + _TABLE):
            before, other = other, other + step
            if not 0 <= other < graph.n_passages or graph.passage(other).document != document:
                break
            if more and not _are_one_table(graph, min(before, other)):
                break
            near.append(other)
    return near


def _are_one_table(graph: TextGraph, place: int) -> bool:
    """Return whether a passage ends and the next one begins with a row of a table."""
    above, below = graph.passage(place).text.strip(), graph.passage(place + 1).text.strip()
    return above.rpartition("\n")[2].startswith(("|", "+-")) and below.startswith(("|", "+-"))


def _plain(text: str) -> str:
    return " ".join(text.split())
