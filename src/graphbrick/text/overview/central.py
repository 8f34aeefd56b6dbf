"""The central sentences of a text: LexRank over shared words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graphbrick.language.folding import search_words
from graphbrick.language.stop_words import stop_words_of

Floats = npt.NDArray[np.float64]

_THRESHOLD, _DAMPING = 0.1, 0.15  # of LexRank
_ROUNDS, _SMALL = 50, 1e-6
_MOST = 1_000  # sentences that are compared
_SAME = 0.5  # cosine from which on two sentences say the same
_LEANING = 0.5  # worth of a sentence that leans on the one before
# First words of sentences that are not understood without the one before.
_LEANS = frozenset(
    "this these that those it its they their he his she her we our you your i my such however but and so then thus "
    "therefore yet also or if because although moreover furthermore both another other likewise instead here there "
    "dies diese dieser dieses das er sie es ihr ihre sein seine wir du ich aber und oder denn doch jedoch dann daher "
    "deshalb damit dabei so auch wenn weil dort hier ce cet cette ces cela il elle ils elles on nous vous je mais et "
    "ou donc or car puis ainsi aussi si".split()
)


def centrality(texts: Sequence[str]) -> Floats:
    """Return how central each sentence is among all, float64 [sentences], with the mean 1.

    A sentence is central if central sentences share its rare words: the stationary distribution of a walk over
    sentences whose cosine of TF-IDF is above 0.1 (Erkan and Radev, LexRank, 2004). Of many sentences, 1,000 are
    compared, evenly spaced; the others get 0. Sentences that begin with words such as «this» and «however» count half.

    Args:
        texts: The sentences.
    """
    scores = np.zeros(len(texts))
    if not texts:
        return scores
    chosen = np.unique(np.linspace(0, len(texts) - 1, min(len(texts), _MOST)).astype(np.int64))
    similar = similarity([texts[i] for i in chosen])
    links = np.where(similar >= _THRESHOLD, similar, 0.0)
    np.fill_diagonal(links, 0.0)
    links[links.sum(axis=1) == 0] = 1.0  # a sentence without links supports all alike
    links /= links.sum(axis=1, keepdims=True)
    rank = np.full(len(chosen), 1 / len(chosen))
    for _ in range(_ROUNDS):
        after = _DAMPING / len(chosen) + (1 - _DAMPING) * rank @ links
        is_done = np.abs(after - rank).sum() < _SMALL
        rank = after
        if is_done:
            break
    leaning = [_LEANING if _leans(texts[i]) else 1.0 for i in chosen]
    scores[chosen] = len(chosen) * rank * leaning
    return scores


def similarity(texts: Sequence[str]) -> Floats:
    """Return the cosines of the TF-IDF of sentences, float64 [sentences, sentences]."""
    counts = [Counter(words_of(text)) for text in texts]
    frequency = Counter(word for one in counts for word in one)
    place = {word: i for i, word in enumerate(frequency)}
    vectors = np.zeros((len(texts), len(place)), dtype=np.float32)
    for row, one in enumerate(counts):
        for word, count in one.items():
            vectors[row, place[word]] = count * np.log(1 + len(texts) / frequency[word])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _SMALL)
    return (vectors @ vectors.T).astype(np.float64)


def most_central(texts: Sequence[str], scores: Floats, n: int) -> list[int]:
    """Return the indices of the sentences with the highest scores, best first, none of which repeats another.

    Args:
        texts: The sentences.
        scores: Their scores, float64 [sentences].
        n: Most sentences.
    """
    order = [i for i in np.argsort(-scores, kind="stable")[: 10 * n].tolist() if scores[i] > 0]
    similar = similarity([texts[i] for i in order])
    chosen: list[int] = []
    for i in range(len(order)):
        if len(chosen) < n and all(similar[i, j] < _SAME for j in chosen):
            chosen.append(i)
    return [order[i] for i in chosen]


def words_of(text: str) -> list[str]:
    """Return the folded words of a text that tell something, without stop words of its language."""
    words = search_words(text)
    stops = stop_words_of(words)
    return [word for word in words if word not in stops]


def _leans(text: str) -> bool:
    """Return whether a sentence is hardly understood without the one before it."""
    words = search_words(text)[:1]
    return bool(words) and words[0] in _LEANS
