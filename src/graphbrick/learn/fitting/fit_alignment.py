"""Fitting an `Alignment` to questions whose words are tagged with the hops they speak of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.language import forms
from graphbrick.learn.fitting.tagging import Tokens, tagged
from graphbrick.learn.fitting.word_rows import PASSES, softmax_regression, word_rows
from graphbrick.learn.train.patterns.adam import Adam
from graphbrick.learn.writing.writer import Written
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.alignment.alignment import (
    Alignment,
    Token,
    Transitions,
    n_token_features,
)
from graphbrick.patterns.alignment.alignment_table import Beginnings, Spoken, expect
from graphbrick.patterns.text import PLACEHOLDER, Steps, words_of
from graphbrick.patterns.words.phrasebook import Phrasebook

Floats = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]

_START = np.array([1.0, 1.0, -3.0, -2.0, -2.2])  # emission, transition, missing, missing on the way back, left over
_LOW = np.array([0.05, 0.0, -15.0, -15.0, -5.0])
# Every word of a written question was put there for a hop. People's words speak of something too, so that one that is
# left over must cost more than written questions show.
_HIGH = np.array([4.0, 4.0, 0.0, 0.0, -2.2])
_LENGTHS = 6.0  # the weight of a hop count lies between minus and plus this
_PRIOR = 0.02  # how strongly weights are held to where they start, for a hundred questions
_ROUNDS = 3
_WEIGHED_ON = 200  # questions
_CANDIDATES = 400  # patterns a question
_RATE, _MEMORY = 0.1, 0.98  # of Adam
_WEIGHING_STEPS = 200
_GIVEN_SHARE = 3.0  # how often a given question counts
# Of the weights that fit written questions best, so that the alignment does not drown the linear score. Questions in
# frames that neither score was fitted to ask for .8 (MetaQA) to 1.4 (Hetionet).
_SHARE = 0.85
_LEXICON = 2.0  # how much a noun of the phrasebook counts by itself, beside one use in a question


@dataclass(frozen=True, slots=True)
class Example:
    """A written question, its pattern, and the patterns around its seed."""

    written: Written
    pattern: Steps
    others: list[Steps]


@dataclass(frozen=True, slots=True)
class Meant:
    """A question with answers, without tags.

    Attributes:
        text: The question with the placeholder for its seed.
        right: The patterns that fit the answers best.
        others: All patterns around the seed.
    """

    text: str
    right: list[Steps]
    others: list[Steps]


@dataclass(frozen=True, slots=True)
class _Read:
    """A question as content words with hops, its pattern, and the patterns around its seed."""

    tokens: Tokens
    steps: list[int]
    pattern: Steps
    others: list[Steps]


class _Weighed(NamedTuple):
    """A question that the weights are fitted to: what its words say, its patterns, and the right one."""

    spoken: Spoken
    others: Beginnings
    right: int


def fit_alignment(
    embedder: Embedder,
    book: Phrasebook,
    examples: Sequence[Example],
    labelled: Sequence[Meant] = (),
    *,
    max_hops: int,
    seed: int,
    symmetric: frozenset[str] = frozenset(),
    progress: Progress = silent,
) -> Alignment:
    """Fit the words of each step, the beginnings of the next hop, and the weights of an alignment.

    Args:
        embedder: Makes vectors of words.
        book: The words of the relations.
        examples: Written questions.
        labelled: Questions with answers. What their words speak of is read with a model of the written ones.
        max_hops: The longest pattern.
        seed: Of the random numbers.
        symmetric: Relations whose two directions mean the same.
        progress: Told (what is done, of how many).
    """
    relations = tuple(book.relations)
    nouns = {noun for _, noun in _nouns(book)}
    names = tuple(sorted({form for noun in nouns for form in (noun, forms.plural(noun))}))
    weights = np.concatenate([_START, np.zeros(max_hops)])
    empty = np.zeros((2 * len(relations) + 1, n_token_features(embedder.embed(["x"]).shape[1])), dtype=np.float32)
    model = Alignment(embedder, relations, empty, Transitions(), weights, names, symmetric)
    total = (PASSES + _ROUNDS) * (1 + bool(labelled))
    read = [
        _Read(model.read(_spoken(one.written), one.written.hops), steps, one.pattern, one.others)
        for one in examples
        if (steps := model.steps(one.pattern))
    ]
    words = [token.word for one in read for token in chain(*one.tokens)]
    if words:  # one model call for all words is much faster than one for each question
        model.word_vectors(words)
    fitted = _fitted(model, book, read, [], seed, part_of(progress, "", total))
    if labelled:
        meant = [one for question in labelled if (one := _meant(fitted, question)) is not None]
        fitted = _fitted(model, book, read, meant, seed, part_of(progress, "", total, before=PASSES + _ROUNDS))
    return replace(fitted, weights=_SHARE * fitted.weights)


def _meant(model: Alignment, question: Meant) -> _Read | None:
    """Return a question tagged for the likeliest pattern it may mean; None without a score."""
    tokens = model.read(words_of(question.text))
    best: tuple[float, _Read] | None = None
    for pattern in question.right:
        steps = model.steps(pattern)
        if steps:
            value, tagged_tokens = tagged(model, tokens, steps)
            if best is None or value > best[0]:
                best = value, _Read(tagged_tokens, steps, pattern, question.others)
    return best and best[1]


def _fitted(
    model: Alignment,
    book: Phrasebook,
    written: Sequence[_Read],
    labelled: Sequence[_Read],
    seed: int,
    progress: Progress,
) -> Alignment:
    """Return the model fitted to tagged questions; those that were given count more, as there are few."""
    model = replace(
        model,
        transitions=_transitions([*written, *labelled]),
        emission=_emission(model, book, written, labelled, len(model.emission), seed, progress),
    )
    rng = np.random.default_rng([seed, 3])
    drawn = [written[at] for at in rng.permutation(len(written))[:_WEIGHED_ON].tolist()]
    drawn += [labelled[at] for at in rng.permutation(len(labelled))[:_WEIGHED_ON].tolist()]
    sampled = [_sampled(example, seed) for example in drawn]
    weighed = [
        _Weighed(model.spoken(one.tokens), model.beginnings(model.numbered(one.others)), one.others.index(one.pattern))
        for one in sampled
        if one.pattern in one.others
    ]
    expect(_ROUNDS * len(weighed))
    for done in range(_ROUNDS):
        model = replace(model, weights=_weights(model, weighed))
        progress("", PASSES + done + 1, None)
    return model


def _spoken(written: Written) -> list[str]:
    """Return the words of a question as they are read."""
    return [word if word == PLACEHOLDER else word.lower() for word in written.words]


def _transitions(questions: Sequence[_Read]) -> Transitions:
    """Count when a word speaks of another hop than the word before it, in order from the seed outwards."""
    counts: dict[tuple[bool, bool, int, tuple[str, ...] | None], tuple[int, int]] = {}
    for question in questions:
        hop, direction, steps = -1, 2, question.steps
        for token in _outwards(*question.tokens):
            if token.hop is None or not 0 <= token.hop < len(steps):
                continue
            fresh = token.hop != hop
            for connectors in (None, token.connectors):
                key = token.is_left, token.is_first, direction, connectors
                new, times = counts.get(key, (0, 0))
                counts[key] = new + fresh, times + 1
            hop, direction = token.hop, steps[token.hop] & 1
    return Transitions(counts)


def _outwards(left: list[Token], right: list[Token]) -> list[Token]:
    """Return tokens of both sides in the order of their hops; possessives on the right come first."""
    ordered: list[Token] = []
    left, right = list(left), list(right)
    while left or right:
        if not right:
            ordered.append(left.pop(0))
        elif not left or right[0].connectors == ("'s",) or _hop(right[0]) < _hop(left[0]):
            ordered.append(right.pop(0))
        else:
            ordered.append(left.pop(0))
    return ordered


def _hop(token: Token) -> float:
    return float("inf") if token.hop is None else token.hop


def _nouns(book: Phrasebook) -> list[tuple[tuple[str, bool], str]]:
    """Return the nouns of every step (relation label, forward)."""
    nouns: dict[tuple[tuple[str, bool], str], None] = {}
    for label, entry in book.relations.items():
        for forward, of_end in ((True, entry.tail), (False, entry.head)):
            nouns |= dict.fromkeys(((label, forward), noun) for noun in of_end)
    return list(nouns)


def _emission(
    model: Alignment,
    book: Phrasebook,
    written: Sequence[_Read],
    labelled: Sequence[_Read],
    n_classes: int,
    seed: int,
    progress: Progress,
) -> Floats:
    """Fit a softmax of steps over the features of tokens; common words count by the root of their number."""
    times: dict[tuple[Token, int], float] = defaultdict(float)
    by_key: dict[object, Token] = {}
    for question, share in [*((one, 1.0) for one in written), *((one, _GIVEN_SHARE) for one in labelled)]:
        for token in chain(*question.tokens):
            if token.hop is None or token.hop >= len(question.steps):
                continue
            kind = n_classes - 1 if token.hop < 0 else question.steps[token.hop]
            times[by_key.setdefault(token.key, token), kind] += share
    names = list(dict.fromkeys((noun, model.numbers[step]) for step, noun in _nouns(book)))
    words = sorted({token.word for token, _ in times} | {noun for noun, _ in names})
    place = {word: at for at, word in enumerate(words)}
    vectors = model.word_vectors(words)
    alone = Token("", None, ("'s",), False, False, "", "")
    tokens = [*(token for token, _ in times), *([alone] * len(names))]
    spoken = [*(token.word for token, _ in times), *(noun for noun, _ in names)]
    features, order = word_rows(tokens, vectors, np.array([place[word] for word in spoken], dtype=np.int64))
    features.rest[order >= len(times), :-1] = 0  # a name by itself stands nowhere
    kinds = np.array([*(kind for _, kind in times), *(kind for _, kind in names)], dtype=np.int64)
    weight = np.array([*(count**0.5 for count in times.values()), *([_LEXICON] * len(names))], dtype=np.float32)
    return softmax_regression(features, kinds[order], weight[order], n_classes, seed=seed, progress=progress)


def _sampled(example: _Read, seed: int) -> _Read:
    """Return an example with a limited number of other patterns."""
    if len(example.others) <= _CANDIDATES:
        return example
    drawn = np.random.default_rng([seed, 5]).permutation(len(example.others))[:_CANDIDATES]
    others = [example.others[at] for at in sorted(drawn.tolist())]
    return replace(example, others=others if example.pattern in others else [*others, example.pattern])


def _weights(model: Alignment, examples: Sequence[_Weighed]) -> Scores:
    """Return weights, by Adam, that make the patterns of written questions the likeliest."""
    start = np.concatenate([_START, np.zeros(model.max_hops)])
    low = np.concatenate([_LOW, np.full(model.max_hops, -_LENGTHS)])
    high = np.concatenate([_HIGH, np.full(model.max_hops, _LENGTHS)])
    if not examples:
        return model.weights
    tables = [model.features_of(one.spoken, one.others) for one in examples]
    rows = np.concatenate(tables)
    first = np.concatenate([[0], np.cumsum([len(table) for table in tables])[:-1]])
    right = rows[first + [one.right for one in examples]]
    of = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    weights = model.weights.copy()
    adam = Adam({"weights": weights}, {"weights": _RATE}, memory=_MEMORY)
    for _ in range(_WEIGHING_STEPS):
        gradient = _PRIOR * (weights - start) / 100
        scores = rows @ weights
        chance = np.exp(scores - np.maximum.reduceat(scores, first)[of])
        chance /= np.add.reduceat(chance, first)[of]
        gradient += (chance @ rows - right.sum(axis=0)) / len(tables)
        adam.step({"weights": gradient})
        weights.clip(low, high, out=weights)
    return weights
