"""Features of many written questions, of which only a part is embedded.

Questions that are written from a graph share their words and frames. The embedding of one more is estimated from those
of others with the same words and pairs of words, or with words of about the same meaning, by kernel ridge regression,
in a hundredth of the time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from graphbrick.language.folding import tokens
from graphbrick.patterns.text import simplified

Floats = npt.NDArray[np.float32]

_RIDGE = 0.1
_RARE = 0.05  # a word in so many of the texts weighs half as much as a rare one
_MEANING, _NEAR = 2.0, 3.0  # weight of texts of the same meaning, and how fast it falls with the distance


def estimated(
    embedded: Floats,
    texts: Sequence[str],
    others: Sequence[str],
    embed: Callable[[Sequence[str]], npt.NDArray[np.floating]],
) -> Floats:
    """Return estimates of the embeddings of other texts, float32 [others, dimensions], of length 1.

    Args:
        embedded: float32 [texts, dimensions], the embeddings of texts, of length 1.
        texts: The texts.
        others: Texts in similar words.
        embed: Returns the vectors of single words, [words, dimensions].
    """
    spoken, n = [_words(text) for text in [*texts, *others]], len(texts)
    meanings, mean = _meanings(spoken, embed), embedded.mean(axis=0)
    alike: Floats = np.exp(np.float32(_NEAR) * (meanings @ meanings[:n].T - 1))
    alike *= np.float32(_MEANING)
    alike += _shared(spoken, n)
    alike.flat[: n * n : n + 1] += _RIDGE
    inverse = np.linalg.inv(alike[:n])
    weights = inverse @ (embedded - mean)
    # What an estimate from the other texts lacks of the embedding of each text. Estimates get some of it as well, so
    # that the scorer that learns from them does not rely on what only estimates have.
    lacking = weights / inverse.diagonal()[:, None]
    made: Floats = alike[n:] @ weights + mean
    made += lacking[np.random.default_rng(n).integers(n, size=len(made))]
    made /= np.linalg.norm(made, axis=1, keepdims=True) + np.float32(1e-9)
    return made


def _shared(spoken: Sequence[Sequence[str]], n: int) -> Floats:
    """Return how much each text shares with each of the first n, float32 [texts, n].

    It is the product of how often both have each part and a constant, divided by the roots of the numbers of parts.
    """
    number: dict[str, int] = {}
    parts = [["", *_parts_of(words)] for words in spoken]  # the empty part is the constant
    for part in (part for own in parts[:n] for part in own):
        number.setdefault(part, len(number))
    numbers = [[number[part] for part in own if part in number] for own in parts]
    scale = np.array([len(set(own)) for own in numbers], dtype=np.float32) ** -0.5
    table = np.zeros((len(number), n), dtype=np.float32)
    for column, own in enumerate(numbers[:n]):
        np.add.at(table[:, column], own, scale[column])
    # A text has few parts, so that adding up their rows is much faster than a product of matrices.
    shared: Floats = np.stack([table[own].sum(axis=0) for own in numbers])
    shared *= scale[:, None]
    return shared


def _meanings(spoken: Sequence[Sequence[str]], embed: Callable[[Sequence[str]], npt.NDArray[np.floating]]) -> Floats:
    """Return the weighted mean of the vectors of the words of each text, of length 1 or 0."""
    uses = Counter(word for words in spoken for word in dict.fromkeys(words))
    if not uses:
        return np.zeros((len(spoken), 1), dtype=np.float32)
    place = {word: at for at, word in enumerate(uses)}
    vectors = embed(list(uses)).astype(np.float32)
    vectors *= (_RARE / (_RARE + np.array([*uses.values()], dtype=np.float32) / len(spoken)))[:, None]
    counts = np.zeros((len(spoken), len(uses)), dtype=np.float32)
    for row, words in zip(counts, spoken, strict=True):
        for word in words:
            row[place[word]] += 1
    sums: Floats = counts @ vectors
    sums /= np.linalg.norm(sums, axis=1, keepdims=True) + np.float32(1e-9)
    return sums


def _words(text: str) -> list[str]:
    return [token.text for token in tokens(simplified(text))]


def _parts_of(words: Sequence[str]) -> list[str]:
    """Return the words of a text, pairs of neighbours, and pairs with a word between them."""
    pairs = (f"{first} {second}" for first, second in pairwise(["^", *words, "$"]))
    apart = (f"{first} _ {second}" for first, second in zip(words, words[2:], strict=False))
    return [*words, *pairs, *apart]
