"""Fitting a `Calibration` of learned patterns on questions they were not trained on.

Three kinds of questions have an answer: as written; with a word replaced by a related one; with words in between that
mean nothing. People use other words than relation labels do, so confidence must not rest on words alone. Three kinds
have none: about a pattern that other entities have but this one does not; about a single step that it does not have, if
possible the other direction of one that it has («what does X depend on», where others depend on X); and with a word
replaced that the graph has no relation for («who is the composer of the film X»).
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.patterns.patterns import READINGS
from graphbrick.core.compute import Progress, silent
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.stop_words import FUNCTION_WORDS, WHO_WHEN_WHERE
from graphbrick.learn.fitting.fit_alignment import Example
from graphbrick.learn.train.patterns.adam import Adam
from graphbrick.learn.writing.sampling import Ints, Sample, samples
from graphbrick.learn.writing.writer import Writer, Written
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.integer_minilm import to_learn_from
from graphbrick.models.logistic import sigmoid
from graphbrick.patterns.alignment.alignment import Alignment
from graphbrick.patterns.alignment.alignment_table import Beginnings
from graphbrick.patterns.model.confidence import (
    ALIGNED,
    FEATURES,
    Best,
    Calibration,
    Spoken,
    features_of_best,
    unit_vectors,
)
from graphbrick.patterns.model.folder import load, save
from graphbrick.patterns.model.model import Numbered, PatternModel, Prepared
from graphbrick.patterns.text import PLACEHOLDER, canonical, masked, without_marks, words_of

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]

MOST = 100  # questions of each kind with an answer; 200 refuse as many, 60 too, but the limit then varies more
_SHARE = 0.2  # of the written questions, so many of each kind
_WITHOUT = 2  # of so many questions one has its three kinds without an answer: the limit is of those with one
_LEAST = 10  # questions with an answer, and without, for a fit
_UNANSWERABLE = 0.1  # share of the questions that the graph cannot answer
_LOST = 0.02  # share of the right answers that the suggested least confidence withholds; .01 varies more
_CAUTION = 0.7  # factor on it: people use words that are further from the labels than ours
_HIGHEST = 0.4  # of that: what rules read by the parts of a question has this confidence
_SUPPORT = list(FEATURES).index("support")
_LEAST_SUPPORT = 0.5  # with less, no word tells what a question means; it teaches nothing, though it has an answer
_OTHER_SEED = 7_919  # added to the seed, so that the questions are not those of the training
_TRIED = 50  # patterns, until one is found that an entity does not have
_NEAR = 3  # one of the nearest words replaces a word
_WORDS = 20  # of each step that are kept
_LEXICON = 400  # words that are drawn from the lexicon
_PENALTY, _RATE, _MEMORY, _STEPS = 2.0, 0.05, 0.98, 400


@dataclass(frozen=True, slots=True)
class Case:
    """A question for calibration.

    Attributes:
        text: The question.
        around: The entity that it is about, with the patterns around it.
        ends: The answers; None if the graph has none.
    """

    text: str
    around: Sample
    ends: Ints | None

    @property
    def seed(self) -> int:
        """The entity that it is about."""
        return self.around.seed


def fit_calibration(
    graph: Graph,
    model: PatternModel,
    writer: Writer,
    examples: Sequence[Example],
    *,
    seed: int,
    progress: Progress = silent,
) -> Calibration | None:
    """Fit the confidence of a learned model; None if the graph gives too few questions.

    Args:
        graph: The graph.
        model: The model, with its alignment.
        writer: Writes questions.
        examples: The questions that the model was trained on.
        seed: Seed of everything that is drawn at random.
        progress: Called with (done, total).
    """
    if model.alignment is None:
        return None
    words, vectors = spoken(model.alignment, examples), dict[str, Vectors]()
    n = len(examples)
    cases = list(written_cases(graph, writer, model.embedder, n=n, max_hops=model.max_hops, seed=seed))
    rows, right, answerable = [], [], []
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary) / "patterns"
        save(replace(model, calibration=None), place)
        loaded = load(str(place))  # with its weights as they are stored
    nearby: dict[int, Nearby] = {}
    questions = [masked(case.text, graph.label(case.seed)) for case in cases]
    spoken_words = {word for group in words.values() for word in group}
    unit_vectors(loaded.embedder, spoken_words.union(*map(words_of, questions)), vectors)
    rows_of = loaded.embedded(questions, to_learn_from(loaded.embedder))
    for done, (case, question, row) in enumerate(zip(cases, questions, rows_of, strict=True), 1):
        prepared = loaded.ask(question, row)
        if case.seed not in nearby:
            nearby[case.seed] = Nearby.of(loaded, case.around)
        found, first = nearby[case.seed].best(prepared)
        features = features_of_best(loaded, words, vectors, prepared, found)
        if case.ends is None or features[_SUPPORT] >= _LEAST_SUPPORT:
            rows.append(features)
            right.append(0.0 if case.ends is None else float(np.isin(case.around.all_ends[first], case.ends).mean()))
            answerable.append(case.ends is not None)
        progress("", done, len(cases))
    return fitted(np.array(rows), np.array(right), np.array(answerable, dtype=bool), words)


@dataclass(frozen=True, slots=True)
class Nearby:
    """The patterns around an entity as numbers of a model, for several questions about it.

    Attributes:
        model: The model.
        alignment: Its alignment.
        around: The entity with its patterns.
        rows: The patterns as numbers.
        aligned: The same for the alignment of the model.
        backward: int64 [patterns], steps of each that are followed backwards.
    """

    model: PatternModel
    alignment: Alignment
    around: Sample
    rows: Numbered
    aligned: Beginnings
    backward: npt.NDArray[np.int64]

    @classmethod
    def of(cls, model: PatternModel, around: Sample) -> Nearby:
        """Return the patterns around an entity as numbers of a model that has an alignment."""
        assert model.alignment is not None
        rows = model.numbered(around.others)
        aligned = model.alignment.beginnings(rows.aligned)
        backward = [sum(not forward for _, forward in steps) for steps in around.others]
        return cls(model, model.alignment, around, rows, aligned, np.array(backward, dtype=np.int64))

    def best(self, prepared: Prepared) -> tuple[Best, int]:
        """Return the best patterns for a question, and the number of the first among all of them.

        All patterns are scored at once; a search of the graph scores them hop by hop, and finds the same.
        """
        scores = self.model.linear_of(prepared, self.rows)
        scores += self.alignment.features_of(prepared.spoken, self.aligned) @ self.alignment.weights
        order = np.lexsort((self.backward, self.rows.size, -scores))[:READINGS]
        same = self.around.group[order] == self.around.group[order[0]]
        few = order[:ALIGNED]
        here = [canonical(self.around.others[place], self.model.symmetric) for place in few.tolist()]
        linear = self.model.linear_of(prepared, self.rows.of(few))
        return Best(scores[order], same, here, linear, same[:ALIGNED]), int(order[0])


def spoken(alignment: Alignment, examples: Sequence[Example]) -> Spoken:
    """Return the words that speak of each step in written questions, the most frequent first."""
    counts = defaultdict[tuple[str, bool], Counter[str]](Counter)
    for example in examples:
        steps = without_marks(example.pattern)
        written = [word if word == PLACEHOLDER else word.lower() for word in example.written.words]
        for token in chain(*alignment.read(written, example.written.hops)):
            if token.hop is not None and 0 <= token.hop < len(steps) and token.word not in WHO_WHEN_WHERE:
                counts[steps[token.hop]][token.word] += 1
    return {step: tuple(word for word, _ in counted.most_common(_WORDS)) for step, counted in counts.items()}


def written_cases(
    graph: Graph, writer: Writer, embedder: Embedder, *, n: int, max_hops: int, seed: int
) -> Iterator[Case]:
    """Yield questions of all six kinds, about entities drawn as for training but with another seed.

    There are half as many of the kinds without an answer.
    """
    each = min(MOST, round(_SHARE * n))
    drawn = list(samples(graph, each, max_hops=max_hops, n_seeds=max(20, each // 2), seed=seed + _OTHER_SEED))
    rngs = [random.Random(f"{seed + _OTHER_SEED} {number}") for number in range(len(drawn))]
    written = [writer.write(sample.pattern, rng) for sample, rng in zip(drawn, rngs, strict=True)]
    strange = _StrangeWords(embedder, {word.lower() for one in written for word in one.words}, seed)
    singles = list(dict.fromkeys(sample.pattern for sample in drawn if len(sample.pattern) == 1))
    for number, (sample, question, rng) in enumerate(zip(drawn, written, rngs, strict=True)):
        label = graph.label(sample.seed)
        yield Case(question.text(label), sample, sample.ends)
        yield Case(strange.around(question, rng).text(label), sample, sample.ends)
        content = _content(question)
        if content:
            yield Case(strange.related(question, rng.choice(content), rng).text(label), sample, sample.ends)
        if number % _WITHOUT:
            continue
        if content:
            yield Case(strange.foreign(question, rng.choice(content), rng).text(label), sample, None)
        patterns, around = rng.sample(drawn, min(_TRIED, len(drawn))), frozenset(sample.others)
        absent = [other.pattern for other in patterns if other.pattern not in around]
        begins_here = [pattern for pattern in absent if pattern[:1] in around]
        if absent:
            yield Case(writer.write(rng.choice(begins_here or absent), rng).text(label), sample, None)
        lacking = [pattern for pattern in singles if pattern not in around]
        turned = [((relation, forward),) for ((relation, forward),) in lacking
                  if ((relation, not forward),) in around]  # fmt: skip
        if lacking:
            yield Case(writer.write(rng.choice(turned or lacking), rng).text(label), sample, None)


def fitted(features: Floats, right: Floats, answerable: npt.NDArray[np.bool_], words: Spoken) -> Calibration | None:
    """Fit a logistic model whose weights have the signs of `FEATURES`.

    Returns None if there are fewer than ten questions with an answer, or without.

    Args:
        features: float64 [questions, features].
        right: float64 [questions], the share of the first answers that is right.
        answerable: bool [questions], whether the graph has an answer.
        words: The words of each step; stored with it.
    """
    if min(answerable.sum(), (~answerable).sum()) < _LEAST:
        return None
    weight = np.where(answerable, (1 - _UNANSWERABLE) / answerable.sum(), _UNANSWERABLE / (~answerable).sum())
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    scaled = (features - mean) / spread
    signs = np.array(list(FEATURES.values()))
    low, high = np.where(signs > 0, 0.0, -np.inf), np.where(signs < 0, 0.0, np.inf)
    values = {"weights": np.zeros(len(signs)), "bias": np.zeros(1)}
    adam = Adam(values, dict.fromkeys(values, _RATE), memory=_MEMORY)
    for step in range(_STEPS):
        wrong = weight * (sigmoid(scaled @ values["weights"] + values["bias"]) - right)
        penalty = _PENALTY / len(right) * values["weights"]
        adam.step({"weights": wrong @ scaled + penalty, "bias": wrong.sum(keepdims=True)}, scale=1 - step / _STEPS)
        values["weights"].clip(low, high, out=values["weights"])
    weights = values["weights"] / spread
    bias = float(values["bias"][0] - weights @ mean)
    sure = sigmoid(features @ weights + bias)[answerable & (right > 0.5)]
    least = float(np.floor(100 * _CAUTION * np.quantile(sure, _LOST)) / 100) if len(sure) else 0.0
    return Calibration(weights, bias, min(least, _HIGHEST), words)


def _content(question: Written) -> list[int]:
    """Return the places of the words that speak of a hop."""
    return [
        place
        for place, (word, hop) in enumerate(zip(question.words, question.hops, strict=True))
        if hop is not None and hop >= 0 and word.lower() not in WHO_WHEN_WHERE.union(FUNCTION_WORDS)
    ]


class _StrangeWords:
    """A writer of strange words into questions: words that no relation of the graph goes by.

    Args:
        embedder: Finds related words.
        own: The words of written questions, of which none is strange.
        seed: Of the words that are drawn; they hardly change with the words of the graph.
    """

    def __init__(self, embedder: Embedder, own: set[str], seed: int) -> None:
        drawn = random.Random(seed).sample(forms.derived_nouns(), _LEXICON)
        self._words = [noun for noun in drawn if noun not in own]
        own_words = sorted(own)
        vectors = _unit(embedder.embed([*self._words, *own_words]))
        self._vectors = vectors[: len(self._words)]
        self._own = dict(zip(own_words, vectors[len(self._words) :], strict=True))

    def around(self, question: Written, rng: random.Random) -> Written:
        """Return the question with one to three strange words in between."""
        words, hops = list(question.words), list(question.hops)
        for _ in range(rng.choice((1, 1, 2, 3))):
            place = rng.randrange(len(words) + 1)
            if words[place : place + 1] != ["'s"]:
                words.insert(place, rng.choice(self._words))
                hops.insert(place, None)
        return Written(tuple(words), tuple(hops))

    def related(self, question: Written, place: int, rng: random.Random) -> Written:
        """Return the question with one of the words nearest in meaning in a place."""
        vector = self._own[question.words[place].lower()]
        nearest = np.argsort(-(self._vectors @ vector), kind="stable")[:_NEAR]
        words = list(question.words)
        words[place] = self._words[rng.choice(nearest.tolist())]
        return Written(tuple(words), question.hops)

    def foreign(self, question: Written, place: int, rng: random.Random) -> Written:
        """Return the question with any strange word for the words of the hop that a place speaks of."""
        hop, noun = question.hops[place], rng.choice(self._words)
        same = [other for other in _content(question) if question.hops[other] == hop]
        words = [noun if at == same[0] else word for at, word in enumerate(question.words) if at not in same[1:]]
        hops = [one for at, one in enumerate(question.hops) if at not in same[1:]]
        return Written(tuple(words), tuple(hops))


def _unit(vectors: npt.NDArray[np.floating]) -> Floats:
    """Return vectors of length 1."""
    unit: Floats = np.asarray(vectors, dtype=np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True) + 1e-12
    return unit
