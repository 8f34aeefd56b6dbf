"""Features that tell which of the entities at the end of patterns is meant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr
from graphbrick.core.graph import Graph
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import fold
from graphbrick.language.stems import is_plural
from graphbrick.language.stop_words import FUNCTION_WORDS
from graphbrick.models.vectors.store import current_store
from graphbrick.patterns.ends.end_candidates import Candidates, Support, support_of
from graphbrick.patterns.ends.entity_names import Names, entity_names, relation_names
from graphbrick.patterns.model.end_model import FEATURES
from graphbrick.patterns.model.model import PatternModel
from graphbrick.patterns.text import PLACEHOLDER, masked, readable

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST = 64  # candidates with features
_TRIPLES = 512  # looked at around each candidate, evenly spaced
_NEIGHBOURS = 48  # names compared around each candidate, evenly spaced
_AHEAD = 1e9
_BEST = 5  # neighbours that count for similarity
_WORDS = 3  # neighbours that count for words
_NO_WORDS = frozenset((*FUNCTION_WORDS, *"but her his into its not than then through".split()))
_YEAR = Expression(r"(?<!\d)\d{4}(?!\d)")
_WHEN = frozenset(("when", "year", "date", "day"))


@dataclass(frozen=True, slots=True)
class _Around:
    """Triples around candidates: the candidate (row), the neighbour, twice the relation plus direction."""

    owner: Ints
    neighbour: Ints
    step: Ints

    def sampled(self, most: int) -> _Around:
        """Return at most so many of each candidate, evenly spaced."""
        rows = _spaced(np.bincount(self.owner), most)
        return _Around(self.owner[rows], self.neighbour[rows], self.step[rows])


def preselected(candidates: Candidates, graph: Graph, seeds: list[int], *, best_first: bool = False) -> Candidates:
    """Return the 64 candidates with most support by patterns, seeds and triples.

    Args:
        candidates: The candidates.
        graph: The graph.
        seeds: The seeds of the question.
        best_first: Take the ends of the best pattern before all others.
    """
    if len(candidates.entity) <= MOST:
        return candidates
    support = support_of(candidates)
    key = support.total + 2 * _joined(graph.csr, candidates.entity, seeds) + 0.3 * support.second_seed
    key += 0.3 * np.log1p(_degree(graph.csr, candidates.entity))
    if best_first:
        key[_is_best(candidates)] += _AHEAD
    return candidates.chosen(np.sort(np.argsort(-key, kind="stable")[:MOST]))


def features_of(
    question: str, seeds: list[int], candidates: Candidates, graph: Graph, model: PatternModel | None
) -> Floats:
    """Return the features of candidates, float64 [candidates, features].

    Args:
        question: The question.
        seeds: Its seeds.
        candidates: The candidates; see `preselected`.
        graph: The graph.
        model: Trained patterns, whose embedder compares names with the question; None to compare words alone.
    """
    csr, entity, support = graph.csr, candidates.entity, support_of(candidates)
    rest = question
    for seed in seeds:
        rest = masked(rest, graph.label(seed))
    folded, words = fold(question), _content(rest)
    queries = _queries(question, candidates, graph, model)
    around = _around(csr, entity)
    near = around.sampled(_NEIGHBOURS)
    away = ~np.isin(near.neighbour, np.array(seeds, dtype=np.int64))
    near = _Around(near.owner[away], near.neighbour[away], near.step[away])
    every, place = np.unique(np.concatenate([entity, near.neighbour]), return_inverse=True)
    embedder = None if model is None else model.embedder
    names = entity_names(graph, embedder).look_up(every, graph.label, words, queries)
    own, others = place[: len(entity)], place[len(entity) :]
    labels = [graph.label(number) for number in entity.tolist()]
    features = np.zeros((len(entity), len(FEATURES)))
    column = {name: features[:, number] for number, name in enumerate(FEATURES)}
    _fill_support(column, support, candidates)
    column["joined"][:] = _joined(csr, entity, seeds)
    column["degree"][:] = np.log1p(_degree(csr, entity))
    column["in question"][:] = [bool(name) and f" {name} " in f" {folded} " for name in map(fold, labels)]
    column["unnamed"][:] = [
        not label or label == graph.key(e) for label, e in zip(labels, entity.tolist(), strict=True)
    ]
    column["date"][:] = _dates(folded, labels)
    column["name words"][:] = np.minimum(names.weight[own], 10) / 5
    column["name cover"][:] = names.cover[own]
    column["type words"][:] = [_shared(" ".join(graph.types(e)), words) for e in entity.tolist()]
    column["description words"][:] = [_shared(graph.description(e), words) for e in entity.tolist()]
    pairs = np.unique(near.owner * len(every) + others)
    _fill_neighbours(column, pairs // len(every), pairs % len(every), names)
    if queries is not None and names.similarity is not None:
        column["name similarity"][:] = names.similarity[own, 0]
        column["name similarity, masked"][:] = names.similarity[own, 1]
    _fill_relations(column, around, graph, model, words, queries)
    return features


def asks_for_many(question: str) -> bool:
    """Return whether a question asks for several entities: «who are», «which films», «list».

    >>> [asks_for_many(text) for text in ("Who are her sons?", "Which films is he in?", "Who is she?", "name the boss")]
    [True, True, False, False]
    """
    words = fold(question).split()
    if not words:
        return False
    if words[0] in ("list", "all"):
        return True
    at = next((i for i, word in enumerate(words) if word in ("what", "which", "who")), -1)
    after = words[at + 1 : at + 4]
    if at < 0 or not after:
        return False
    if after[0] in ("are", "were"):
        return True
    return words[at] != "who" and any(is_plural(word) and not word.endswith("does") for word in after[:2])


def _fill_support(column: dict[str, Floats], support: Support, candidates: Candidates) -> None:
    column["share"][:] = support.total
    column["best share"][:] = support.best
    column["spread share"][:] = support.spread
    column["walks"][:] = support.n_walks
    column["second seed"][:] = support.second_seed
    column["other seeds"][:] = support.other_seeds
    column["best pattern"][:] = _is_best(candidates)
    column["few ends"][:] = -support.size


def _fill_neighbours(column: dict[str, Floats], owner: Ints, name: Ints, names: Names) -> None:
    """Fill in the columns about neighbours, from distinct pairs of candidate and neighbour, by candidate."""
    n = len(column["share"])
    value = (names.weight * names.cover)[name]
    column["neighbour words"][:] = _top(value, owner, n, _WORDS, mean=False) / 5
    whole = np.where(names.cover[name] > 0.999, names.weight[name], 0)
    column["neighbour named"][:] = _top(whole, owner, n, 1, mean=False) / 5
    if names.similarity is not None:
        column["neighbour similarity"][:] = _top(names.similarity[name, 1], owner, n, _BEST, mean=True)


def _fill_relations(
    column: dict[str, Floats],
    around: _Around,
    graph: Graph,
    model: PatternModel | None,
    words: frozenset[str],
    queries: npt.NDArray[np.float32] | None,
) -> None:
    n = len(column["share"])
    pairs = np.unique(around.owner * 2 * graph.n_relations + around.step)
    owner, step = np.divmod(pairs, 2 * graph.n_relations)
    column["relations"][:] = np.log1p(np.bincount(owner, minlength=n))
    if model is None or queries is None:
        return
    relations, row = np.unique(step // 2, return_inverse=True)
    compared = relation_names(graph, model.embedder).look_up(
        relations, lambda relation: readable(graph.relation_label(relation)), words, queries[:, 1:]
    )
    if compared.similarity is not None:
        similarity = compared.similarity[row, 0].astype(np.float64)
        column["relation similarity"][:] = _top(similarity, owner, n, 1, mean=True)
        column["relation similarity, mean"][:] = _top(similarity, owner, n, len(similarity), mean=True)


def _content(masked_question: str) -> frozenset[str]:
    """Return the folded words of a question without function words and placeholders."""
    return frozenset(fold(masked_question).split()) - _NO_WORDS - {PLACEHOLDER.lower()}


def _queries(
    question: str, candidates: Candidates, graph: Graph, model: PatternModel | None
) -> npt.NDArray[np.float32] | None:
    """Return the vectors of the question as it is, and masked as `PatternScorer` does it, [dimensions, 2]."""
    if model is None:
        return None
    prepared = model.ask(masked(question, graph.label(candidates.walks[0].path.start)))
    store, embedder = current_store(), model.embedder
    whole = embedder.encode_query(question) if store is None else store.query_vector(embedder, question)
    return np.stack([whole, prepared.extended[: model.dimensions]], axis=1)


def _around(csr: Csr, entity: Ints) -> _Around:
    """Return triples around candidates, at most 512 of each, evenly spaced; outgoing ones first."""
    out_begin, in_begin = csr.out_begin[entity].astype(np.int64), csr.in_begin[entity].astype(np.int64)
    n_out = csr.out_end[entity].astype(np.int64) - out_begin
    size = n_out + csr.in_end[entity].astype(np.int64) - in_begin
    rows = _spaced(size, _TRIPLES)
    owner = np.searchsorted(np.cumsum(size), rows, side="right")
    at = rows - (np.cumsum(size) - size)[owner]
    is_out = at < n_out[owner]
    entry = np.where(is_out, out_begin[owner] + at, in_begin[owner] + at - n_out[owner])
    neighbour, step = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)
    neighbour[is_out] = csr.tail[entry[is_out]]
    step[is_out] = 2 * csr.relation[entry[is_out]].astype(np.int64) + 1
    neighbour[~is_out] = csr.in_head[entry[~is_out]]
    step[~is_out] = 2 * csr.relation[csr.in_triple[entry[~is_out]]].astype(np.int64)
    return _Around(owner, neighbour, step)


def _spaced(size: Ints, most: int) -> Ints:
    """Return positions in adjacent groups of given sizes, at most so many of each group."""
    taken = np.minimum(size, most)
    owner = np.repeat(np.arange(len(size)), taken)
    number = np.arange(len(owner)) - (np.cumsum(taken) - taken)[owner]
    spaced: Ints = (np.cumsum(size) - size)[owner] + number * size[owner] // np.maximum(taken[owner], 1)
    return spaced


def _top(value: Floats, owner: Ints, n: int, k: int, *, mean: bool) -> Floats:
    """Return the sum or mean of the k largest values of each owner (ascending); 0 without any."""
    order = np.lexsort((-value, owner))
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    counts = rank < k
    total: Floats = np.bincount(owner[counts], value[order][counts], minlength=n).astype(np.float64)
    return total / np.maximum(np.bincount(owner[counts], minlength=n), 1) if mean else total


def _is_best(candidates: Candidates) -> npt.NDArray[np.bool_]:
    """Return whether the best pattern that has a candidate leads to each of them."""
    walk = candidates.best_walk()
    best: npt.NDArray[np.bool_] = walk == walk.min()
    return best


def _degree(csr: Csr, entity: Ints) -> Floats:
    degree: Floats = (csr.out_end[entity] - csr.out_begin[entity]).astype(np.float64)
    degree += csr.in_end[entity] - csr.in_begin[entity]
    return degree


def _joined(csr: Csr, entity: Ints, seeds: list[int]) -> Floats:
    """Return how many seeds a triple joins each entity to."""
    joined = np.zeros(len(entity))
    for seed in seeds:
        joined += np.isin(entity, csr.tail[csr.row(seed, True)]) | np.isin(entity, csr.in_head[csr.row(seed, False)])
    return joined


def _dates(question: str, labels: list[str]) -> Floats:
    """Return 1 for labels with a year and -1 for others if the question asks for a date; else 0."""
    if _WHEN.isdisjoint(question.split()):
        return np.zeros(len(labels))
    return np.array([1.0 if _YEAR.search(label) else -1.0 for label in labels])


def _shared(text: str, words: frozenset[str]) -> float:
    """Return the share of the question's words that a text has."""
    return len(words & set(fold(text).split())) / max(len(words), 1) if text else 0.0
