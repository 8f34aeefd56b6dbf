"""Scores of all passages of a graph for a question: by words, and by embedding."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import numpy.typing as npt

from graphbrick.core import Citation, Passage
from graphbrick.core.errors import ModelError
from graphbrick.core.session import current_session
from graphbrick.core.trace import REFUSAL, event
from graphbrick.graphs.corpus import TextGraph, passage_words
from graphbrick.graphs.store.word_index import WordIndex
from graphbrick.language.folding import search_words
from graphbrick.language.languages.spelling import form_key, has_forms
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.vectors.store import store_of
from graphbrick.text.overview.calling import named_documents
from graphbrick.text.overview.changes import version_asked, version_passages
from graphbrick.text.overview.documents import documents_of

Scores = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.floating]

_CHUNK = 1024
_FEW = 200_000  # vectors that are held as float32: 300 MB with 384 dimensions
_MANY = 2_000  # embeddings made during a question that are worth an event
_TOP = 100
_NAMED = 2.0  # factor of the score of a passage of a document that the question names
_FUSION = 60  # reciprocal rank fusion, as in its paper


def word_scores(graph: TextGraph, question: str) -> Scores:
    """Return the BM25 score of every passage with its title and heading, float64 [passages], at least 0.

    Words count in British and American spelling, and in Cyrillic letters with other endings too.
    """
    return passage_words(graph).scores(_searched(graph, question), graph.n_passages)


def _searched(graph: TextGraph, question: str) -> list[str]:
    """Return the words of a question, and for each the words of the passages that are the same in another form."""
    words = search_words(question)
    if not any(map(has_forms, words)):
        return words
    forms = current_session().get(("forms of words",), lambda: _forms(passage_words(graph)), of=graph)
    return [form for word in words for form in ({word, *forms.get(form_key(word), ())} if has_forms(word) else (word,))]


def _forms(index: WordIndex) -> dict[str, list[str]]:
    """Return the words of the passages that have several forms, by what these share."""
    forms = defaultdict[str, list[str]](list)
    for word in index.words():
        if has_forms(word):
            forms[form_key(word)].append(word)
    return dict(forms)


def word_parts(graph: TextGraph, question: str) -> Scores:
    """Return the part of each question word in the BM25 scores, float64 [words, passages]."""
    index = passage_words(graph)
    words = [word for word in dict.fromkeys(search_words(question)) if word in index]
    rows = [index.scores([word], graph.n_passages) for word in words]
    return np.stack(rows) if rows else np.zeros((0, graph.n_passages))


def preferred(graph: TextGraph, question: str, scores: Scores) -> Scores:
    """Return scores of passages, at least 0, in which those that the question names come before others.

    It names a document by title, file name or abbreviation, with the version if it says one, and a section by version,
    which multiplies the scores. Where it asks about nothing but a version, passages about that come before all others.
    """
    scores = scores.copy()
    for document in named_documents(graph, question):
        scores[documents_of(graph).passages[document]] *= _NAMED
    number, is_all = version_asked(graph, question)
    if number:
        scores[version_passages(graph, number)] *= _NAMED
        scores[version_passages(graph, number)] += scores.max(initial=0.0) * is_all
    return scores


def has_passages(graph: TextGraph) -> bool:
    """Return whether there is any passage to look for; an event says it if all documents have been deleted."""
    if not graph.n_passages:
        event("there are no documents any more: all have been deleted", "passages.no_documents", REFUSAL)
    return bool(graph.n_passages)


def meaning_scores(graph: TextGraph, embedder: Embedder, question: str) -> Scores:
    """Return the cosine of every passage and the question, float64 [passages]."""
    return cosines(graph, embedder, question, passage_vectors(graph, embedder))


def passage_vectors(graph: TextGraph, embedder: Embedder) -> Vectors:
    """Return the vectors of all passages, [passages, dimensions]; a session holds them."""
    key = ("passage vectors", embedder.identity)
    return current_session().get(key, lambda: vectors_of(graph, embedder, graph.passage_texts()), of=graph)


def cosines(graph: TextGraph, embedder: Embedder, question: str, vectors: Vectors) -> Scores:
    """Return the cosine of the question and each of some vectors, float64 [vectors]."""
    one = store_of(graph).query_vector(embedder, question).astype(np.float32)
    if len(vectors) and vectors.shape[1] != len(one):
        raise ModelError(
            f"{embedder!r} gives {len(one)} dimensions, but {vectors.shape[1]} are kept beside the graph",
            code="passages.other_dimensions",
        )
    parts = [vectors[i : i + _CHUNK].astype(np.float32, copy=False) @ one for i in range(0, len(vectors), _CHUNK)]
    return np.concatenate([np.zeros(0, dtype=np.float32), *parts]).astype(np.float64)


def vectors_of(graph: TextGraph, embedder: Embedder, texts: list[str]) -> Vectors:
    """Return the vectors of texts, [texts, dimensions]; those that are not beside the graph yet are made.

    They are float32, which is faster to compare, if there are few of them, else float16.
    """
    store = store_of(graph)
    missing = len(store.missing(embedder, texts))
    if missing > _MANY:
        event(
            f"{missing:,} texts were embedded for this question; in advance: graphbrick prepare embeddings",
            "passages.embedded_now",
            n=missing,
        )
    parts = [store.get(embedder, texts[i : i + _CHUNK]) for i in range(0, len(texts), _CHUNK)]
    vectors: Vectors = np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float16)
    return vectors.astype(np.float32) if len(vectors) <= _FEW else vectors


def fused(rankings: list[Scores]) -> Scores:
    """Return the reciprocal rank fusion of scores, float64 [passages]; ties share the best rank."""
    total = np.zeros(len(rankings[0]))
    for scores in rankings:
        _, inverse, counts = np.unique(-scores, return_inverse=True, return_counts=True)
        ranks = np.concatenate([[0], np.cumsum(counts)[:-1]])[inverse]
        total += 1 / (_FUSION + 1 + ranks)
    return total


def standardised(scores: Scores) -> Scores:
    """Return scores with mean 0 and standard deviation 1 over the hundred best; all 0 if these are equal."""
    top = np.sort(np.partition(scores, -_TOP)[-_TOP:] if len(scores) > _TOP else scores)
    return (scores - top.mean()) / top.std() if len(top) and top.std() > 0 else np.zeros(len(scores))


def is_read(embedder: Embedder, question: str) -> bool:
    """Return whether an embedder reads the script of a question; an event if not."""
    if embedder.reads(question):
        return True
    event(
        f"{embedder!r} does not read the script of this question: its passages were ranked by words (USE() reads 16 "
        "languages)",
        "passages.other_script",
    )
    return False


def best(scores: Scores, n: int) -> list[int]:
    """Return the ``n`` best ids, best first, ties by id."""
    least = np.partition(scores, -n)[-n] if len(scores) > n else -np.inf
    ids = np.flatnonzero(scores >= least)
    order: list[int] = ids[np.argsort(-scores[ids], kind="stable")][:n].tolist()
    return order


def passage_item(graph: TextGraph, passage: int, score: float, source: str) -> Passage:
    """Return a passage as an item of evidence."""
    text, document, start, end, _, section = graph.passage(passage)
    begin, mentions = graph.mentions
    entities = tuple(mentions[begin[passage] : begin[passage + 1]].tolist())
    return Passage(text, (Citation(document, start, end, section=section),), entities, graph, score, source)
