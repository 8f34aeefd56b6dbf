"""The documents of a graph: how many there are, how they are called, and what each is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from graphbrick.core.session import current_session
from graphbrick.graphs.corpus import TextGraph
from graphbrick.text.overview.central import centrality, most_central
from graphbrick.text.overview.prose import Sentence, prose

_SENTENCES, _HEADINGS, _SECTIONS = 5, 12, 8
_LEAST_SECTIONS = 3  # from which on each is summarised
_FIRST = 3.0  # worth of the first sentence of a document or section
_PAGE = re.compile(r"page (\d+)")
_ARTICLE = re.compile(r"(?:the|this|my|our|der|die|das|den|dem|dieses?|dieser|le|la|les|ce|cette|l')[ ]?\b")
_KIND = re.compile(r"\b(?:document|file|page|paper|article|text|dokument|datei|seite|fichier|texte)\b")


@dataclass(frozen=True)
class Documents:
    """The documents of a graph.

    Attributes:
        passages: Ids of the passages of each document, by address.
        titles: Title of each document, by address; empty for none.
    """

    passages: dict[str, list[int]]
    titles: dict[str, str]

    def called(self, name: str) -> list[str]:
        """Return the addresses of the documents that a name means, in small letters; none for other names.

        A name is an address or its end, such as ``notes.md``, ``notes`` or ``docs/notes.md``, or a title. A table means
        the documents of all its rows.
        """
        forms = {_form(name), _form(_KIND.sub(" ", name))}
        full = [one for one in self.passages if self._is_called(one, forms)]
        return full or [one for one in self.passages if _form(PurePath(file_of(one)).stem) in forms]

    def _is_called(self, address: str, forms: set[str]) -> bool:
        path = address.casefold().rstrip("/")
        ends = (file_of(path), path)
        return _form(self.titles[address]) in forms or any(
            end == form or end.endswith(f"/{form}") for form in forms for end in ends if form
        )

    def pages(self, addresses: Sequence[str], graph: TextGraph) -> int:
        """Return the number of numbered pages of documents; 0 if they have none."""
        last = 0
        for address in addresses:
            numbers = [
                int(page[1]) for i in self.passages[address] for page in _PAGE.finditer(graph.passage(i).section)
            ]
            last += max(numbers, default=0)
        return last

    def pages_among(self, passages: Sequence[int], graph: TextGraph) -> int:
        """Return the number of numbered pages that passages stand on; 0 if they have none."""
        places = (graph.passage(i) for i in passages)
        return len({(place.document, page[1]) for place in places for page in _PAGE.finditer(place.section)})


@dataclass(frozen=True)
class DocumentSummary:
    """What one document is about.

    Attributes:
        headings: Its headings, in order, without numbers of pages.
        sentences: Its central sentences, in order, each with the heading that it stands under, or an empty text.
    """

    headings: tuple[str, ...]
    sentences: tuple[tuple[str, Sentence], ...]


def documents_of(graph: TextGraph) -> Documents:
    """Return the documents of a graph, in the order of its passages."""
    return current_session().get(("documents",), lambda: _documents(graph), of=graph)


def _documents(graph: TextGraph) -> Documents:
    passages: dict[str, list[int]] = {}
    titles: dict[str, str] = {}
    for i in range(graph.n_passages):
        _, address, _, _, title, _ = graph.passage(i)
        passages.setdefault(address, []).append(i)
        titles.setdefault(address, title)
    return Documents(passages, titles)


def summary_of(graph: TextGraph, passages: Sequence[int]) -> DocumentSummary:
    """Return the headings and central sentences of a document: one of each section, if it has at least three.

    Args:
        graph: The graph.
        passages: Its passages.
    """
    headings = _headings(graph, passages)
    every = prose(graph, passages)
    texts = [one.text for one in every]
    scores = centrality(texts)
    sections = Counter(headings[one.passage] for one in every)
    if len(sections) < _LEAST_SECTIONS:
        for i, one in enumerate(every):
            scores[i] *= _FIRST if one.is_first else 1
        chosen = sorted(most_central(texts, scores, _SENTENCES))
        shown = tuple(("", every[i]) for i in chosen)
    else:
        largest = {"", *(section for section, _ in sections.most_common(_SECTIONS))}
        begun: set[str] = set()
        best: dict[str, int] = {}
        for i, one in enumerate(every):
            section = headings[one.passage]
            scores[i] *= 1 if section in begun else _FIRST
            begun.add(section)
            if section in largest and (section not in best or scores[i] > scores[best[section]]):
                best[section] = i
        shown = tuple((headings[every[i].passage], every[i]) for i in sorted(best.values()))
    return DocumentSummary(tuple(dict.fromkeys(filter(None, headings.values())))[:_HEADINGS], shown)


def _headings(graph: TextGraph, passages: Sequence[int]) -> dict[int, str]:
    """Return the highest heading above each passage that not all passages have; empty for none."""
    parts = {i: graph.passage(i).section.split(" > ") for i in passages}
    parts = {i: [part for part in own if part and not _PAGE.fullmatch(part)] for i, own in parts.items()}
    titled = {own[0] for own in parts.values() if own}
    first = 1 if len(titled) == 1 else 0  # the title of the document
    return {i: next(iter(own[first:]), "") for i, own in parts.items()}


def file_of(address: str) -> str:
    """Return the file of an address, without the row of a table.

    >>> file_of("/notes/tickets.csv#T-1"), file_of("/notes/c#.md")
    ('/notes/tickets.csv', '/notes/c#.md')
    """
    file, mark, key = address.rpartition("#")
    return file if mark and "." in PurePath(file).name and "/" not in key else address


def _form(name: str) -> str:
    """Return a name in small letters, without articles and blanks around it."""
    plain = " ".join(name.casefold().split())
    return _ARTICLE.sub("", plain, count=1).strip() if _ARTICLE.match(plain) else plain
