"""The topics of documents: groups of passages, each with the names that tell it apart and central sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.graphs.corpus import TextGraph
from graphbrick.language.folding import name_form
from graphbrick.language.hashing import hash_bytes
from graphbrick.language.stop_words import stop_words
from graphbrick.text.overview.central import centrality, most_central, words_of
from graphbrick.text.overview.prose import Sentence, prose

Matrix = npt.NDArray[np.float32]

_MOST_TOPICS, _NAMES, _SENTENCES = 8, 4, 3
_MOST_NAMES = 12  # of all documents
_LEAST_SHARE = 0.4  # of the characters of a passage that are prose
_LEAST_PASSAGES = 6  # of prose, from which on they are grouped
_NEAREST = 15  # passages around the centre of a topic whose sentences are compared
_ROUNDS, _STARTS, _SMALL = 30, 4, 1e-9
_BUCKETS = 512  # dimensions of words
_NAMED, _FIRST = 0.5, 1.0  # worth of a name of a topic in its sentence, and of the first sentence of a document
_PLAIN = 0.25  # worth of one plain word as a name, against names with a capital or several words


@dataclass(frozen=True)
class Topic:
    """One topic.

    Attributes:
        names: Labels of the entities that tell it from other topics, best first; none if no entity does.
        sentences: Central sentences, most central first, at least one.
        n_passages: Number of its passages.
        n_documents: Number of the documents that these are of.
    """

    names: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    n_passages: int
    n_documents: int


@dataclass(frozen=True)
class Topics:
    """The topics of documents, that of most documents first.

    Attributes:
        names: Labels of the entities that most documents name.
        topics: The topics.
    """

    names: tuple[str, ...]
    topics: tuple[Topic, ...]


def topics_of(
    graph: TextGraph, passages: Sequence[int], vectors: Callable[[Sequence[int]], Matrix] | None = None
) -> Topics:
    """Return the topics of passages.

    Passages of prose are grouped by spherical k-means of their vectors, or of their words; half of the square root of
    their number, from 2 to 8, is the number of groups. The names of a group are the entities that its documents name
    more often than others do; the sentences are the most central ones of the passages around its centre.

    Args:
        graph: The graph.
        passages: The passages.
        vectors: Returns vectors of passages, float32 [passages, dimensions]; None to compare words.
    """
    by_passage: dict[int, list[Sentence]] = defaultdict(list)
    for one in prose(graph, passages):
        by_passage[one.passage].append(one)
    length = {i: sum(len(one.text) for one in own) for i, own in by_passage.items()}
    chosen = [i for i in by_passage if length[i] >= _LEAST_SHARE * len(graph.passage(i).text)] or list(by_passage)
    if not chosen:
        return Topics((), ())
    named = _named(graph, chosen, by_passage)
    worth = _Worth(graph, by_passage)
    places = _Places([graph.passage(i).document for i in chosen])
    names = _most_named(worth, named, places)
    if len(chosen) < _LEAST_PASSAGES:
        groups, matrix = np.zeros(len(chosen), dtype=np.int64), None
    else:
        rows = _by_words(chosen, by_passage) if vectors is None else vectors(chosen)
        matrix = _unit(rows - rows.mean(axis=0))
        groups = _groups(matrix, int(np.clip(round(np.sqrt(len(chosen)) / 2), 2, _MOST_TOPICS)))
    topics = []
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        own = _names_of(worth, named, places, members)
        near = members
        if matrix is not None:
            near = members[np.argsort(-(matrix[members] @ matrix[members].mean(axis=0)), kind="stable")[:_NEAREST]]
        every = [one for i in near for one in by_passage[chosen[i]]]
        best = _sentences_of(every, own)
        if best:
            topics.append(Topic(tuple(own), best, len(members), places.distinct(members)))
    topics.sort(key=lambda topic: (-topic.n_documents, -topic.n_passages))
    return Topics(tuple(names), tuple(topics))


class _Places:
    """What names are counted in: documents, or the passages themselves if there are few documents."""

    def __init__(self, documents: Sequence[str]) -> None:
        number = {document: i for i, document in enumerate(dict.fromkeys(documents))}
        self.documents = [number[document] for document in documents]
        self.units = self.documents if len(number) >= _LEAST_PASSAGES else list(range(len(documents)))

    def distinct(self, members: npt.NDArray[np.int64]) -> int:
        """Return the number of documents of members."""
        return len({self.documents[i] for i in members})


def _named(graph: TextGraph, chosen: Sequence[int], of: Mapping[int, list[Sentence]]) -> list[list[int]]:
    """Return the entities that the prose of each passage names."""
    begin, mentions = graph.mentions
    rows, forms = [], dict[int, str]()
    for passage in chosen:
        text = f" {name_form(' '.join(one.text for one in of[passage]))} "
        row = []
        for entity in mentions[begin[passage] : begin[passage + 1]].tolist():
            form = forms.get(entity) or forms.setdefault(entity, name_form(graph.label(entity)))
            if len(form) > 1 and f" {form} " in text:
                row.append(entity)
        rows.append(row)
    return rows


class _Worth:
    """How well entities serve as names: one plain word does less than a name or a phrase, a stop word nothing."""

    def __init__(self, graph: TextGraph, of: Mapping[int, list[Sentence]]) -> None:
        self._graph, self._known = graph, dict[int, float]()
        self._plain = {word for own in of.values() for one in own for word in one.text.split() if word.islower()}
        self._stops = frozenset[str]().union(*stop_words().values())

    def label(self, entity: int) -> str:
        """Return the label of an entity."""
        return self._graph.label(entity)

    def of(self, entity: int) -> float:
        """Return the worth of an entity, from 0 to 1."""
        known = self._known.get(entity)
        if known is None:
            known = self._known[entity] = self._weight(self.label(entity))
        return known

    def _weight(self, label: str) -> float:
        words = label.replace("’", "'").lower().split()
        if all(word.partition("'")[0] in self._stops or word in self._stops for word in words):
            return 0.0
        return _PLAIN if len(words) == 1 and label.lower() in self._plain else 1.0


def _counts(named: Sequence[Sequence[int]], places: _Places, members: Sequence[int]) -> Counter[int]:
    """Return in how many documents among some passages each entity is named."""
    return Counter(entity for _, entity in {(places.units[i], entity) for i in members for entity in named[i]})


def _most_named(worth: _Worth, named: Sequence[Sequence[int]], places: _Places) -> list[str]:
    """Return the labels of the entities that most documents name, without parts of each other."""
    counts = _counts(named, places, range(len(named)))
    scores = {entity: n * worth.of(entity) for entity, n in counts.items() if n > 1}
    return _distinct([worth.label(entity) for entity in _best(scores, 4 * _MOST_NAMES)], _MOST_NAMES)


def _names_of(
    worth: _Worth, named: Sequence[Sequence[int]], places: _Places, members: npt.NDArray[np.int64]
) -> list[str]:
    """Return the labels of the entities that tell a group of passages from the others.

    An entity counts by its share in the group times the logarithm of how much that is above its share in all: its part
    of the Kullback-Leibler divergence.
    """
    inside, every = _counts(named, places, members.tolist()), _counts(named, places, range(len(named)))
    n_inside, n_every = len({places.units[i] for i in members}), len(set(places.units))
    scores = {
        entity: count / n_inside * np.log((count / n_inside) / (every[entity] / n_every)) * worth.of(entity)
        for entity, count in inside.items()
        if count > 1 or n_inside == 1
    }
    if n_inside == n_every:  # one group of all
        scores = {entity: count * worth.of(entity) for entity, count in inside.items()}
    return _distinct([worth.label(entity) for entity in _best(scores, 4 * _NAMES)], _NAMES)


def _best(worth: Mapping[int, float], n: int) -> list[int]:
    return sorted((one for one in worth if worth[one] > 0), key=lambda one: (-worth[one], one))[:n]


def _distinct(labels: Sequence[str], n: int) -> list[str]:
    """Return the first labels that are not parts of each other."""
    chosen: list[str] = []
    for label in labels:
        form = f" {name_form(label)} "
        if len(chosen) < n and all(form not in other and other not in form for other in map(_padded, chosen)):
            chosen.append(label)
    return chosen


def _padded(label: str) -> str:
    return f" {name_form(label)} "


def _sentences_of(every: Sequence[Sentence], names: Sequence[str]) -> tuple[Sentence, ...]:
    """Return the most central sentences, of which those that name what the topic is about count more."""
    texts = [one.text for one in every]
    forms = [_padded(name) for name in names]
    scores = centrality(texts)
    for i, text in enumerate(texts):
        padded = _padded(text)
        scores[i] *= 1 + _NAMED * sum(form in padded for form in forms) + _FIRST * every[i].is_first
    return tuple(every[i] for i in most_central(texts, scores, _SENTENCES))


def _by_words(chosen: Sequence[int], of: Mapping[int, list[Sentence]]) -> Matrix:
    """Return TF-IDF vectors of passages, each word in one of 512 dimensions with a sign, both by its hash."""
    counts = [Counter(words_of(" ".join(one.text for one in of[passage]))) for passage in chosen]
    frequency = Counter(word for one in counts for word in one)
    hashes = {word: hash_bytes(word.encode()) for word in frequency}
    matrix = np.zeros((len(chosen), _BUCKETS), dtype=np.float32)
    for row, one in enumerate(counts):
        for word, count in one.items():
            sign = 1 if hashes[word] >> 32 & 1 else -1
            matrix[row, hashes[word] % _BUCKETS] += sign * np.log1p(count) * np.log(len(chosen) / frequency[word] + 1)
    return _unit(matrix)


def _unit(rows: Matrix) -> Matrix:
    unit: Matrix = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + _SMALL)
    return unit


def _groups(rows: Matrix, k: int) -> npt.NDArray[np.int64]:
    """Return the group of each row by spherical k-means with spread starts, the best of four; always the same."""
    random, best, group = np.random.default_rng(0), -np.inf, np.zeros(len(rows), dtype=np.int64)
    for _ in range(_STARTS):
        centres = rows[random.integers(len(rows), size=1)]
        while len(centres) < k:
            distance = np.maximum(1 - (rows @ centres.T).max(axis=1), 0)
            if not distance.sum():
                break
            centres = np.concatenate([centres, rows[random.choice(len(rows), 1, p=distance / distance.sum())]])
        for _ in range(_ROUNDS):
            check_limits()
            near = np.argmax(rows @ centres.T, axis=1)
            sums = np.stack(
                [rows[near == i].sum(axis=0) if (near == i).any() else centres[i] for i in range(len(centres))]
            )
            moved = _unit(sums)
            if np.allclose(moved, centres, atol=1e-4):
                break
            centres = moved
        fit = float((rows @ centres.T).max(axis=1).sum())
        if fit > best:
            best, group = fit, near
    return group
