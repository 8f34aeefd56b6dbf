"""The retrieve brick for questions about documents as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePath
from typing import NamedTuple, cast

from graphbrick.bricks.retrieve.whole.questions import (
    COUNT,
    DOCUMENT,
    LIST,
    MENTIONS,
    MENTIONS_COUNT,
    OVERVIEW,
    WholeQuestion,
    whole_questions,
)
from graphbrick.core import Citation, Evidence, Passage, Query, Row, Subgraph
from graphbrick.core.answer import NearReading
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.graph import Capability
from graphbrick.core.items import ANSWER
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import REFUSAL, event
from graphbrick.graphs.corpus import TextGraph
from graphbrick.language.counting import counted
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.pipeline import RetrieveStage
from graphbrick.text.overview.documents import Documents, documents_of, file_of, summary_of
from graphbrick.text.overview.kept import topics_of_graph
from graphbrick.text.overview.mentions import mentions_of
from graphbrick.text.overview.names import names_of
from graphbrick.text.overview.prose import Sentence
from graphbrick.text.overview.topics import Topics, topics_of
from graphbrick.text.reporting.extracted import SENTENCES
from graphbrick.text.reporting.reports import CommunityReport, citations, reports_of

_LISTED = 1_000  # documents
_OF_MENTIONS = (MENTIONS, MENTIONS_COUNT)
_NAMED = 8  # names of all documents
_ONLY = 2  # documents, up to which a question about all is one about each


class _Statement(NamedTuple):
    """One line of an answer with the places that it was made from."""

    text: str
    citations: tuple[Citation, ...] = ()
    passages: tuple[int, ...] = ()


@dataclass(frozen=True, repr=False)
class Overview(RetrieveStage):
    """Answers about documents as a whole: their topics, what one is about, which and how many there are.

    «What are the main topics?», «Summarise notes.md», «Which documents are there?», «How many pages are there?» and
    «Which documents mention the ferry?» are recognised by their wordings, in English, German and French
    (``wordings.toml``). Any other question goes to the stage unchanged, and so does one that names no document of the
    graph, or something that no passage has all words of.

    Topics are groups of passages, each with the names that tell it from the others, and its most central sentence word
    for word. They are kept beside the graph. If a language model has written reports on the communities of the graph,
    those of the coarsest level are the topics. A document is summarised by its headings and central sentences
    (LexRank).

    Args:
        search: The stage that answers other questions, such as PassageRank(MiniLM()).
        embedder: The model whose vectors passages are grouped by, if they have vectors already; None to group them by
            their words.

    Returns:
        For a question about the whole, one `Row` with the columns "answer" and "plan" for each topic, sentence or
        document, and the passages that it stands on; else what the stage returns.
    """

    paper = "Erkan and Radev, LexRank: Graph-based Lexical Centrality as Salience in Text Summarization, 2004"
    needs = frozenset({Capability.LABELS, Capability.CORPUS})
    starts_at_seeds = False
    links_itself = True

    search: RetrieveStage = parameter(example="Passages()")
    embedder: Embedder | None = parameter(None, example="MiniLM()")

    def near(self, query: Query, subgraph: Subgraph, most: int) -> Sequence[NearReading]:
        """Return the near readings of the stage."""
        return self.search.near(query, subgraph, most)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the answer about the whole, or the evidence of the stage."""
        graph = cast(TextGraph, subgraph.graph)
        readings = whole_questions(query.text)
        if not readings or not graph.n_passages:
            return self.search.retrieve(query, subgraph)
        documents = documents_of(graph)
        for reading in readings:
            if reading.kind in _OF_MENTIONS:
                found = mentions_of(graph, reading.name, query.text)
                if found:
                    return self._evidence(graph, _mentioned(graph, reading, found), "mentions")
                continue
            named = documents.called(reading.name) if reading.name else list(documents.passages)
            if named:
                statements = self._statements(graph, documents, reading, named)
                return self._evidence(graph, statements, reading.kind.replace("_", " ")) if statements else Evidence()
        missing = next((one.name for one in readings if _is_file(one.name) and one.kind not in _OF_MENTIONS), "")
        if not missing:
            return self.search.retrieve(query, subgraph)
        files = {PurePath(address).name.lower(): address for address in documents.passages}
        near = [names_of(graph).name(files[one]) for one in get_close_matches(missing.split()[-1], files, n=3)]
        event(
            f"there is no document {missing!r}; "
            + (f"near to it: {', '.join(near)}" if near else "«Which documents are there?» lists them"),
            "overview.no_document",
            REFUSAL,
            name=missing,
            near=near,
        )
        return Evidence()

    def _statements(
        self, graph: TextGraph, documents: Documents, reading: WholeQuestion, named: Sequence[str]
    ) -> list[_Statement]:
        """Return the lines of the answer."""
        passages = [i for address in named for i in documents.passages[address]]
        if reading.kind == COUNT:
            return [_counted(graph, documents, reading, named, passages)]
        if reading.kind == LIST:
            if len(named) > _LISTED:
                event(f"{len(named):,} documents; the first {_LISTED:,} are listed", "overview.cap", n=len(named))
            names = names_of(graph)
            return [_listed(documents, address, names.name(address)) for address in named[:_LISTED]]
        is_all = len(named) == len(documents.passages)
        if len(named) <= _ONLY:
            return [line for one in named for line in _summary(graph, documents, one)]
        topics = topics_of_graph(graph, self.embedder) if is_all else topics_of(graph, passages)
        lines = _reported(graph) if is_all else []
        lines = lines or _topics(topics)
        if reading.kind in (OVERVIEW, DOCUMENT):
            size = f"{counted(len(named), 'document')}, {counted(len(passages), 'passage')}"
            most = f"; named most: {', '.join(topics.names[:_NAMED])}" if topics.names else ""
            lines.insert(0, _Statement(size + most))
        return lines

    def _evidence(self, graph: TextGraph, statements: Iterable[_Statement], plan: str) -> Evidence:
        """Return a row for each line, and the passages that they stand on."""
        source, rows, items = repr(self), list[Row](), dict[int, Passage]()
        for one in statements:
            places = tuple(_place(graph, passage) for passage in one.passages)
            rows.append(Row(ANSWER, (one.text, plan), one.citations or places, graph=graph, source=source))
            for passage, place in zip(one.passages, places, strict=True):
                items.setdefault(passage, Passage(graph.passage(passage).text, (place,), (), graph, 0.0, source))
        return Evidence((*rows, *items.values()))


def _place(graph: TextGraph, passage: int) -> Citation:
    _, document, start, end, _, section = graph.passage(passage)
    return Citation(document, start, end, section=section)


def _counted(
    graph: TextGraph, documents: Documents, reading: WholeQuestion, named: Sequence[str], passages: Sequence[int]
) -> _Statement:
    """Return how many documents, pages or passages there are."""
    if reading.counted == "passage":
        return _Statement(counted(len(passages), "passage"))
    pages = documents.pages(named, graph) if reading.counted == "page" else 0
    if pages:
        return _Statement(f"{counted(pages, 'page')} in {counted(len(named), 'document')}")
    return _Statement(counted(len(named), "document"))


def _mentioned(graph: TextGraph, reading: WholeQuestion, passages: Sequence[int]) -> list[_Statement]:
    """Return the documents of passages that mention something, those with most of them first, or how many there are."""
    by_file: dict[str, list[int]] = {}
    for i in passages:
        by_file.setdefault(file_of(graph.passage(i).document), []).append(i)
    if reading.kind == MENTIONS_COUNT:
        files, size = counted(len(by_file), "document"), counted(len(passages), "passage")
        pages = documents_of(graph).pages_among(passages, graph) if reading.counted == "page" else 0
        many = f"{counted(pages, 'page')} in {files}" if pages else f"{files} ({size})"
        return [_Statement(size if reading.counted == "passage" else many, (), tuple(passages[:_NAMED]))]
    if len(by_file) > _LISTED:
        event(f"{len(by_file):,} documents; the first {_LISTED:,} are listed", "overview.mentions_cap", n=len(by_file))
    names, documents = names_of(graph), documents_of(graph)
    lines = []
    for file, found in sorted(by_file.items(), key=lambda pair: -len(pair[1]))[:_LISTED]:
        address = graph.passage(found[0]).document
        name = names.name(address) if file == address else PurePath(file).name
        title = documents.titles[address] if file == address else ""
        shown = f": {title}" if title and title.casefold() != PurePath(name).stem.casefold() else ""
        lines.append(_Statement(f"{name}{shown} ({counted(len(found), 'passage')})", (), tuple(found[:1])))
    return lines


def _listed(documents: Documents, address: str, name: str) -> _Statement:
    """Return a document with its name and title."""
    title = documents.titles[address]
    shown = f": {title}" if title and title.casefold() != PurePath(name).stem.casefold() else ""
    size = counted(len(documents.passages[address]), "passage")
    return _Statement(f"{name}{shown} ({size})", (), tuple(documents.passages[address][:1]))


def _summary(graph: TextGraph, documents: Documents, address: str) -> list[_Statement]:
    """Return what a document is about: its title and headings, then its central sentences."""
    passages = documents.passages[address]
    summary = summary_of(graph, passages)
    title = documents.titles[address] or PurePath(address).name
    under = f": {'; '.join(summary.headings)}" if summary.headings else ""
    lines = [_Statement(f"{title}{under} ({counted(len(passages), 'passage')})", (), tuple(passages[:1]))]
    for heading, one in summary.sentences:
        lines.append(_Statement(f"{heading}: {one.text}" if heading else one.text, (), (one.passage,)))
    if not summary.sentences:  # such as a list or a table
        lines += [_Statement(" ".join(graph.passage(i).text.split())[:500], (), (i,)) for i in passages[:2]]
    return lines


def _topics(topics: Topics) -> list[_Statement]:
    """Return the topics with their names, each with its central sentence."""
    lines = []
    for topic in topics.topics:
        first: Sentence = topic.sentences[0]
        names = f"{', '.join(topic.names)}: " if topic.names else ""
        places = tuple(dict.fromkeys(one.passage for one in topic.sentences))
        lines.append(_Statement(f"{names}{first.text}", (), places))
    return lines


def _reported(graph: TextGraph) -> list[_Statement]:
    """Return the reports of a language model on the coarsest communities; none if it has written none."""
    try:
        kept = reports_of(graph)
    except GraphbrickError:  # there are none, or of other documents
        return []
    if kept.writer == SENTENCES:
        return []
    reports: list[CommunityReport] = sorted((kept.of[one] for one in kept.at_level(0)), key=lambda one: -one.rating)
    return [
        _Statement(f"{one.title}: {one.summary}", citations(graph, one.cited if any(one.cited) else one.all_cited))
        for one in reports
    ]


def _is_file(name: str) -> bool:
    """Return whether words end in the name of a file, such as ``notes.md``."""
    return bool(PurePath(name).suffix[1:].isalnum()) and len(PurePath(name).suffix) <= 6 if name else False
