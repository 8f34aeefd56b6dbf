"""The words of passages, indexed for BM25 when the graph is made, so that no question has to index them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.language.bm25 import bm25s
from graphbrick.language.folding import search_words

WORDS = "1 lucene 1.2 0.75"
"""What the index was made by: the version of `search_words`, and the formula. An index of another one is not used."""


class WordIndex:
    """BM25 scores of passages (Lucene's variant, k1 = 1.2, b = 0.75).

    Args:
        index: An index of bm25s; None if no passage has a word.
    """

    def __init__(self, index: Any) -> None:
        self._index = index
        self._ids: dict[str, int] = {} if index is None else index.vocab_dict

    def scores(self, words: list[str], n: int) -> npt.NDArray[np.float64]:
        """Return the score of each of ``n`` passages for words, of which one may occur twice, float64 [passages]."""
        known = [word for word in words if word in self._ids]
        return np.asarray(self._index.get_scores(known), dtype=np.float64) if known else np.zeros(n)

    def frequency(self, word: str) -> int:
        """Return the number of passages with a word that a passage has."""
        begin, at = self._index.scores["indptr"], self._ids[word]
        return int(begin[at + 1] - begin[at])

    def words(self) -> Iterable[str]:
        """Return the folded words of all passages."""
        return self._ids.keys()

    @property
    def is_empty(self) -> bool:
        """True if no text has a word."""
        return self._index is None

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    def save(self, folder: Path) -> None:
        """Write the index into a folder; nothing if no passage has a word."""
        if self._index is not None:
            self._index.save(folder)


def word_index(texts: Iterable[str]) -> WordIndex:
    """Return the index of texts."""
    ids: dict[str, int] = {}
    rows = [[ids.setdefault(word, len(ids)) for word in search_words(text)] for text in texts]
    if not ids:
        return WordIndex(None)
    index = bm25s().BM25(k1=1.2, b=0.75, method="lucene", dtype="float32")
    index.index((rows, ids), show_progress=False)
    return WordIndex(index)


def load_word_index(folder: Path) -> WordIndex:
    """Return the index in a folder, by memory map.

    Raises:
        FileNotFoundError: There is none.
    """
    return WordIndex(bm25s().BM25.load(folder, mmap=True))
