"""Passages that questions are written about: windows of sentences, and passages of a graph from text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from graphbrick.core.graph import Corpus, Labels
from graphbrick.core.trace import event
from graphbrick.judge.synthetic.papers import in_references, written_parts
from graphbrick.language.folding import fold_name
from graphbrick.text.documents.document import Document
from graphbrick.text.documents.sentences import sentences
from graphbrick.text.extract.extraction import Kind
from graphbrick.text.extract.phrases import Phrases
from graphbrick.text.sources import documents_in, files_of
from graphbrick.text.sources.tables import SourceOptions

SENTENCES, OVERLAP = 7, 2
"""Sentences of a window, and how many of them are in the next one too, as in the evaluation of Houimli et al."""
WINDOW, FACT, FAN_OUT, CHAIN = "window", "fact", "fan-out", "chain"
"""Kinds of passages."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that questions are written about.

    Attributes:
        text: The text.
        source: Address of the document, or key of the entity that it begins with.
        kind: `WINDOW`, `FACT`, `FAN_OUT` or `CHAIN`.
        entities: Folded names of what it speaks of; passages that share one are about the same entity.
        place: Where a window begins and ends in its document; windows that overlap are never told apart.
    """

    text: str
    source: str
    kind: str = WINDOW
    entities: frozenset[str] = field(default=frozenset())
    place: tuple[int, int] = (0, 0)

    def overlaps(self, other: Passage) -> bool:
        """Return whether both are parts of one document that have text in common."""
        (start, end), (first, last) = self.place, other.place
        return self.source == other.source and self.kind == other.kind == WINDOW and start < last and first < end


def windows(document: Document, n: int = SENTENCES, overlap: int = OVERLAP) -> Iterator[Passage]:
    """Yield windows of sentences of a document; the last has fewer sentences if the document ends there.

    References and tables are left out first, as in the evaluation of Houimli et al. (`written_parts`); no window goes
    over a gap. A document that is nothing else, such as a row of a table, is taken as it is.

    Args:
        document: The document.
        n: Sentences of a window.
        overlap: Sentences that a window shares with the one before, less than ``n``.

    >>> text = " ".join(f"This is {i}." for i in range(10, 22))
    >>> [passage.text[:10] for passage in windows(Document("a", "", text))]
    ['This is 10', 'This is 15']
    """
    for begin, stop in written_parts(document) or [(0, len(document.text))]:
        ranges = sentences(document.text[begin:stop])
        for first in range(0, max(1, len(ranges) - overlap), n - overlap):
            part = ranges[first : first + n]
            if part:
                start, end = begin + part[0][0], begin + part[-1][1]
                text = document.text[start:end]
                yield Passage(text, document.address, WINDOW, names_in(text), (start, end))


def windows_of(sources: Iterable[Path], options: SourceOptions | None = None) -> list[Passage]:
    """Return the windows of all documents in files and folders, in the order of the files.

    Args:
        sources: Files and folders.
        options: Which columns of tables are read.

    Raises:
        InputError: A file cannot be read.
    """
    columns = options or SourceOptions()
    files = [file for source in sources for file in files_of(source)[0]]
    made, characters, shortened = list[Passage](), 0, 0
    for document in (document for file in files for document in documents_in(file, columns)):
        made += windows(document)
        parts = written_parts(document)
        left_out = len(document.text) - sum(end - start for start, end in parts) if parts else 0
        characters, shortened = characters + left_out, shortened + (left_out > 0)
    if characters:
        event(
            f"lists of references and tables are left out: {characters:,} characters of {shortened:,} documents",
            "passages.left_out",
            characters=characters,
            documents=shortened,
        )
    return made


def passages_of(corpus: Corpus, labels: Labels) -> list[Passage]:
    """Return the passages of a graph that was made from text, with the entities that it knows in each.

    Passages under a heading of references are left out.

    Args:
        corpus: The graph, for its passages.
        labels: The same graph, for the names of its entities.
    """
    begin, mentioned = corpus.mentions
    made, left_out = [], 0
    for number in range(corpus.n_passages):
        passage = corpus.passage(number)
        if in_references(passage.section):
            left_out += 1
            continue
        entities = frozenset(fold_name(labels.label(int(one))) for one in mentioned[begin[number] : begin[number + 1]])
        place = (passage.start, passage.end)
        made.append(Passage(passage.text, passage.document, WINDOW, entities - {""}, place))
    if left_out:
        event(f"{left_out:,} passages under a heading of references are left out", "passages.references", n=left_out)
    return made


def names_in(text: str) -> frozenset[str]:
    """Return the folded names in a text: words with capitals, and terms in quotation marks."""
    phrases = Phrases().extract([text])[0].found
    return frozenset(fold_name(text[one.start : one.end]) for one in phrases if one.kind is Kind.NAME) - {""}
