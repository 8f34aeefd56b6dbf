"""Words and vectors of the names in a graph, held in memory while a session asks about it."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
import numpy.typing as npt

from graphbrick.core.files.locks import ForkLock
from graphbrick.core.graph import Graph
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.language.folding import fold
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.vectors.store import current_store

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

_MOST = 100_000  # names in memory; their vectors take 150 MB
_MANY = 256  # fresh labels of one question that are worth telling


class NameTable:
    """Names that were met, as words and as vectors; safe for threads.

    Args:
        embedder: What makes vectors of names; None for words alone.
    """

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder, self._lock = embedder, ForkLock()
        self._clear()

    def _clear(self) -> None:
        self._row: dict[int, int] = {}
        self._number: dict[str, int] = {}
        self._words: Ints = np.zeros(0, dtype=np.int64)
        self._begin: Ints = np.zeros(1, dtype=np.int64)
        self._vectors: Floats = np.zeros((0, 0), dtype=np.float32)
        self._used = 0

    def look_up(self, ids: Ints, name: Callable[[int], str], words: Collection[str], query: Floats | None) -> Names:
        """Compare the names of distinct entities, or relations, with a question.

        Args:
            ids: int64 [names].
            name: Gives the name of an entity, or of a relation, by its id.
            words: Folded words of a question.
            query: float32 [dimensions, queries], vectors to compare names with; None without an embedder.
        """
        with self._lock:
            if len(self._row) + len(ids) > _MOST:
                self._clear()
            wanted_ids = ids.tolist()
            self._add([number for number in wanted_ids if number not in self._row], name)
            rows = np.array(list(map(self._row.__getitem__, wanted_ids)), dtype=np.int64)
            size = self._begin[rows + 1] - self._begin[rows]
            starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(size)])
            word = self._words[np.repeat(self._begin[rows] - starts[:-1], size) + np.arange(starts[-1])]
            n_words = len(self._number)
            wanted = np.zeros(n_words, dtype=np.bool_)
            wanted[[self._number[text] for text in words if text in self._number]] = True
            vectors = self._vectors
        similarity = None if query is None or not len(rows) else vectors[rows] @ query
        return Names(word, np.repeat(np.arange(len(rows)), size), wanted, len(rows), similarity)

    def _add(self, fresh: list[int], name: Callable[[int], str]) -> None:
        if not fresh:
            return
        names = [name(number) for number in fresh]
        if self._embedder is not None:  # first: if this fails, nothing has changed
            self._add_vectors(self._embedder, names)
        number, words, ends = self._number, [], []
        for text in names:
            words += [number.setdefault(word, len(number)) for word in dict.fromkeys(fold(text).split())]
            ends.append(len(words))
        self._begin = np.concatenate([self._begin, np.array(ends, dtype=np.int64) + len(self._words)])
        self._words = np.concatenate([self._words, np.array(words, dtype=np.int64)])
        self._row.update(zip(fresh, range(len(self._row), len(self._row) + len(fresh)), strict=True))

    def _add_vectors(self, embedder: Embedder, names: list[str]) -> None:
        store = current_store()
        missing = 0 if store is None else len(store.missing(embedder, names))
        if missing > _MANY:
            event(
                f"{missing:,} labels were embedded for this question; in advance: graphbrick prepare embeddings",
                "entity_names.embedded_now",
                n=missing,
            )
        made = embedder.embed(names)
        if self._used + len(made) > len(self._vectors):
            grown = np.zeros((2 * (self._used + len(made)), made.shape[1]), dtype=np.float32)
            if self._used:
                grown[: self._used] = self._vectors[: self._used]
            self._vectors = grown
        self._vectors[self._used : self._used + len(made)] = made
        self._used += len(made)


class Names:
    """Names against the words of a question.

    Attributes:
        weight: float64 [names], summed weight of the question's words in the name. A word weighs the more, the fewer
            of these names have it: log(names / names with the word).
        cover: float64 [names], their share of the weight of all words of the name, from 0 to 1.
        similarity: float32 [names, queries], cosine of name and query; None without an embedder.
    """

    def __init__(
        self, word: Ints, owner: Ints, wanted: npt.NDArray[np.bool_], n: int, similarity: Floats | None
    ) -> None:
        often = np.bincount(word, minlength=len(wanted))
        rare = np.log((n + 1) / np.maximum(often, 1))[word] if len(word) else np.zeros(0)
        self.weight = np.bincount(owner, rare * wanted[word], minlength=n)
        total = np.bincount(owner, rare, minlength=n)
        self.cover = self.weight / np.where(total > 0, total, 1)
        self.similarity = similarity


def entity_names(graph: Graph, embedder: Embedder | None) -> NameTable:
    """Return the labels of a graph's entities that were met in the current session."""
    return _table(graph, "entity names", embedder)


def relation_names(graph: Graph, embedder: Embedder | None) -> NameTable:
    """Return the names of a graph's relations that were met in the current session."""
    return _table(graph, "relation names", embedder)


def _table(graph: Graph, kind: str, embedder: Embedder | None) -> NameTable:
    key = (kind, "" if embedder is None else embedder.identity)
    return current_session().get(key, lambda: NameTable(embedder), of=graph, at_most=4)
