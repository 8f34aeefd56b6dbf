"""A folder graph that was made from text, with the passages of its documents.

The passages are beside the graph in ``notes.graph.text/passages-<hash of the graph>/``
(`graphbrick.graphs.store.beside`); the database of the documents is there too, but is not needed to ask questions.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import GraphFormatError
from graphbrick.core.graph import Corpus, PassageText
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.beside import FolderBeside, facts_of
from graphbrick.graphs.store.manifest import SMALL, Manifest
from graphbrick.graphs.store.strings import StringTable, open_array
from graphbrick.graphs.store.word_index import WORDS, WordIndex, load_word_index, word_index

OCCURS_WITH = "occurs with"
"""The relation of two entities in one sentence, from the key that comes first; it states no fact."""

TABLES = ("texts", "documents", "titles", "sections")
PLACES, BEGIN, MENTIONS, WEIGHTS = "places.npy", "mention_begin.npy", "mentions.npy", "weights.npy"
SUPPORT_BEGIN, SUPPORT = "support_begin.npy", "support.npy"
DESCRIPTIONS, KEYWORDS, CLAIMS = "triple_descriptions", "triple_keywords", "claims"
CLAIM_ENDS = "claim_ends.npy"
_WORDS_CHECKED = 1 << 24  # bytes of the largest file of the index of words that is checked before it is used
BETWEEN = "\n"  # keywords of one triple, and texts of one claim


class Claim(NamedTuple):
    """A claim that a passage makes about an entity.

    Attributes:
        subject: Id of the entity that it is about.
        object: Id of the entity that is affected; None for none.
        passage: Id of the passage.
        type: Kind of claim.
        status: "TRUE", "FALSE" or "SUSPECTED".
        start: ISO date from which it holds; empty if it is not known.
        end: ISO date until which it holds; empty if it is not known.
        description: The claim in words.
        quote: The words of the passage that make it.
    """

    subject: int
    object: int | None
    passage: int
    type: str
    status: str
    start: str
    end: str
    description: str
    quote: str


class Claims(Sequence[Claim]):
    """The claims of a graph, by passage, read from disk on demand.

    Args:
        texts: The texts of each.
        ends: int32 [claims, 3], subject, object (-1 for none) and passage.
    """

    def __init__(self, texts: StringTable, ends: npt.NDArray[np.int32]) -> None:
        self._texts, self.ends = texts, ends

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, index: int) -> Claim: ...

    @overload
    def __getitem__(self, index: slice) -> list[Claim]: ...

    def __getitem__(self, index: int | slice) -> Claim | list[Claim]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        subject, affected, passage = self.ends[index].tolist()
        texts = self._texts[range(len(self))[index]].split(BETWEEN)
        return Claim(subject, None if affected < 0 else affected, passage, *texts)

    def of(self, entity: int) -> list[Claim]:
        """Return the claims with this subject or object."""
        return [self[int(i)] for i in np.flatnonzero((self.ends[:, :2] == entity).any(axis=1))]


def corpus_place(graph: Graph) -> FolderBeside:
    """Return the folder of the passages of a graph."""
    return FolderBeside(graph, "text", "passages")


class TextGraph(Graph, Corpus):
    """A folder graph with the passages of the documents that it was made from.

    After a change of the graph the passages stay; new entities are mentioned by none.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        super().__init__(path, manifest)
        place = corpus_place(self)
        facts, folder = self._intact(place.folder), place.folder
        if facts is None:
            earlier = place.earlier()
            if earlier is None:
                raise GraphFormatError(
                    f"the passages of {path} are not in {place.parent}: indexing was interrupted, or the graph was "
                    f"replaced; run graphbrick index again with the same sources",
                    code="corpus.no_passages",
                )
            facts, folder = earlier.facts, earlier.folder
        self.text_state = str(facts["state"])
        """A hash of the input of the graph: documents, chunker, extractor and merges."""
        self._texts, self._documents, self._titles, self._sections = (StringTable.open(folder, name) for name in TABLES)
        self._places = open_array(folder / PLACES)
        self._mentions = (open_array(folder / BEGIN), open_array(folder / MENTIONS))
        self._folder, self._is_current, self._words = folder, folder == place.folder, facts.get("words")
        weights = open_array(folder / WEIGHTS)
        self.weights: npt.NDArray[np.float32] | None = weights if self._is_current else None
        """float32 [triples], the support of each triple, above 0; None after a change of the graph."""
        if len(self._places) != len(self._texts) or len(self._mentions[0]) != len(self._texts) + 1:
            raise ValueError(f"{folder} has {len(self._texts):,} passages, but {len(self._places):,} places")

    @property
    def n_passages(self) -> int:
        """Number of passages."""
        return len(self._places)

    def passage(self, passage: int) -> PassageText:
        """Return a passage; an id that does not exist raises IndexError."""
        if not 0 <= passage < self.n_passages:
            raise IndexError(f"passage {passage} of a graph with {self.n_passages}")
        start, end = self._places[passage].tolist()
        title, section = self._titles[passage], self._sections[passage]
        return PassageText(self._texts[passage], self._documents[passage], start, end, title, section)

    def passage_at(self, document: str, start: int, end: int) -> int | None:
        """Return the id of the passage with this place in a document; None if there is none."""
        same_place = np.flatnonzero((self._places[:, 0] == start) & (self._places[:, 1] == end)).tolist()
        return next((passage for passage in same_place if self._documents[passage] == document), None)

    def passage_texts(self) -> list[str]:
        """Return the text of every passage under the title of its document."""
        return [full_text(self._titles[i], self._texts[i]) for i in range(self.n_passages)]

    def word_index(self) -> WordIndex:
        """Return the words of the passages: as they were indexed with the graph, or indexed now if they were not."""
        if self._words == WORDS:
            try:
                facts_of(self._folder, largest=_WORDS_CHECKED)
                return load_word_index(self._folder)
            except (OSError, ValueError) as error:  # also where the graph was made anew since it was opened
                event(
                    f"the words of the passages in {self._folder} cannot be read ({error}) and were indexed now; run "
                    f"graphbrick index {self.path}",
                    "corpus.words_unreadable",
                )
        return word_index(searched_text(self.passage(i)) for i in range(self.n_passages))

    @property
    def mentions(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """The entities that each passage mentions: their begins, int64 [passages + 1], and the entities, int32."""
        return self._mentions

    @cached_property
    def mentioning(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The passages that mention each entity, ascending: their begins, int64 [entities + 1], and the passages."""
        begin, entities = self._mentions
        self._demand(_are_rows(begin, len(entities)) and _are_below(entities, self.n_entities), MENTIONS)
        passages = np.repeat(np.arange(self.n_passages), np.diff(begin))
        order = np.argsort(entities, kind="stable")
        counts = np.bincount(entities, minlength=self.n_entities)
        return np.concatenate([[0], np.cumsum(counts)]), passages[order]

    @cached_property
    def support(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]] | None:
        """The passages that support each triple; None after a change of the graph.

        The begins of each triple, int64 [triples + 1], and the passages, int32, ascending for each triple. A triple
        `OCCURS_WITH` is supported by the passages with both ends in one sentence.
        """
        if not self._is_current:
            return None
        self._require(SUPPORT)
        begin, passages = open_array(self._folder / SUPPORT_BEGIN), open_array(self._folder / SUPPORT)
        self._demand(_are_rows(begin, len(passages)) and _are_below(passages, self.n_passages), SUPPORT)
        return begin, passages

    def triple_description(self, triple: int) -> str:
        """Return the description of a triple by its passages; empty for none, and after a change of the graph."""
        return self._triple_texts[0][triple] if self._is_current else ""

    def triple_keywords(self, triple: int) -> tuple[str, ...]:
        """Return the topics of a triple, most important first; none after a change of the graph."""
        words = self._triple_texts[1][triple] if self._is_current else ""
        return tuple(words.split(BETWEEN)) if words else ()

    @cached_property
    def claims(self) -> Claims:
        """The claims of all passages."""
        self._require(CLAIM_ENDS)
        return Claims(StringTable.open(self._folder, CLAIMS), open_array(self._folder / CLAIM_ENDS))

    @cached_property
    def _triple_texts(self) -> tuple[StringTable, StringTable]:
        self._require(SUPPORT)
        return StringTable.open(self._folder, DESCRIPTIONS), StringTable.open(self._folder, KEYWORDS)

    def check(self) -> None:
        """Read every file of the graph and of its passages; see `Graph.check`."""
        super().check()
        self._intact(self._folder, largest=sys.maxsize)

    def _intact(self, folder: Path, largest: int = SMALL) -> dict[str, Any] | None:
        """Return the facts of the passages; raise GraphFormatError if a file is damaged."""
        try:
            return facts_of(folder, largest=largest)
        except ValueError as error:
            raise GraphFormatError(
                f"the passages in {folder} are damaged ({error}); run graphbrick index {self.path}",
                code="corpus.damaged",
                reason=str(error),
            ) from error

    def _demand(self, holds: bool, file: str) -> None:
        """Raise GraphFormatError if a file of the passages does not fit the others."""
        if not holds:
            raise GraphFormatError(
                f"{self._folder / file} is damaged: its numbers are out of range; run graphbrick index {self.path}",
                code="corpus.out_of_range",
                file=file,
            )

    def _require(self, file: str) -> None:
        """Raise GraphFormatError if an earlier version wrote the passages, without this file."""
        if not (self._folder / file).exists():
            raise GraphFormatError(
                f"{self.path} was indexed by an earlier version, which did not keep what supports its triples; run "
                f"graphbrick index {self.path} to build it again from what was extracted",
                code="corpus.of_earlier_version",
            )

    def mentioned_in(self, entity: int) -> npt.NDArray[np.int64]:
        """Return the passages that mention an entity, ascending."""
        begin, passages = self.mentioning
        return passages[begin[self._checked(entity)] : begin[entity + 1]]

    def passages(self, entities: Sequence[int], limit: int) -> list[list[PassageText]]:
        """Return at most ``limit`` passages that mention each entity, in the order of ``entities``."""
        rows = (self.mentioned_in(entity)[:limit].tolist() for entity in entities)
        return [[self.passage(passage) for passage in row] for row in rows]


def passage_words(graph: TextGraph) -> WordIndex:
    """Return the words of the passages of a graph; a session reads them once."""
    return current_session().get(("passage words",), graph.word_index, of=graph)


def _are_rows(begin: npt.NDArray[np.int64], end: int) -> bool:
    """Return whether begins of rows ascend from 0 to the end of an array."""
    return bool(len(begin)) and int(begin[0]) == 0 and int(begin[-1]) == end and bool((begin[1:] >= begin[:-1]).all())


def _are_below(ids: npt.NDArray[np.int32], end: int) -> bool:
    return not len(ids) or 0 <= int(ids.min()) <= int(ids.max()) < end


def searched_text(passage: PassageText) -> str:
    """Return the text of a passage with its heading and title, as a search by words compares it."""
    return f"{passage.section}\n{full_text(passage.title, passage.text)}"


def full_text(title: str, text: str) -> str:
    """Return the text of a passage under the title of its document, if it does not begin with it.

    >>> full_text("Kenya", "It has lakes.")
    'Kenya\\nIt has lakes.'
    """
    return text if not title or text.startswith(title) else f"{title}\n{text}"
