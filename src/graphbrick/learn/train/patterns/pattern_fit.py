"""Fitting the weights of a `PatternModel` by Adam on the likelihood of good patterns."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, blas_threads
from graphbrick.learn.train.patterns.adam import AveragedAdam
from graphbrick.learn.train.patterns.pattern_examples import Example
from graphbrick.learn.train.patterns.role_scores import RoleScores
from graphbrick.patterns.model.model import kinds_of
from graphbrick.patterns.model.question_features import WORDS

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

START = 12.0  # untrained, a pattern scores this times the similarity of its relations and the question
_BATCH = 32
_ROUND = 200  # batches
_AVERAGED = 0.99  # of a moving average of weights
_RANK = 64
_RATES = {
    "scale": 2e-3, "narrow": 3e-4, "maps": 7e-4, "lengths": 7e-3, "relation_weights": 7e-3, "pattern_weights": 7e-3,
}  # fmt: skip
_DECAY = 1e-3
_BEGINNINGS = 0.3  # how much the order among beginnings counts beside the order among patterns


@dataclass(frozen=True, slots=True)
class Encoded:
    """Patterns as numbers, for all that are met in training.

    Attributes:
        place: int64 [patterns, max_hops + 1], relation * kinds + role of each step and of the end; -1 where there is
            none.
        length: int64 [patterns], hops.
        relation: int64 [relations], the row of a relation among those with weights of their own; -1 for none.
        whole: int64 [patterns], the row of a pattern among those with weights of their own; -1 for none.
    """

    place: Ints
    length: Ints
    relation: Ints
    whole: Ints


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over questions for the pattern that scores best.

    Attributes:
        questions: How many.
        hits_at_1: The chance that one of the entities at its end, drawn at random, is an answer.
        f1: Of the entities at its end.
    """

    questions: int
    hits_at_1: float
    f1: float


class Weights:
    """The weights while they are fitted; see `PatternModel` for their meaning.

    Args:
        max_hops: The longest pattern.
        words: float32 [relations, dimensions], the vectors of the relations' names.
        encoded: The patterns.
        seed: Of the directions that `narrow` starts with.
    """

    def __init__(self, max_hops: int, words: Floats, encoded: Encoded, seed: int) -> None:
        self.kinds, d = kinds_of(max_hops), words.shape[1]
        self.words, self.encoded, self.max_hops = words, encoded, max_hops
        own, whole = int(encoded.relation.max(initial=-1)) + 1, int(encoded.whole.max(initial=-1)) + 1
        rank, f = min(_RANK, d), d + WORDS
        narrow = np.random.default_rng([seed, 2]).normal(scale=f**-0.5, size=(rank, f))
        self.values: dict[str, Floats] = {
            "scale": np.full(self.kinds, START / 2, dtype=np.float32),
            "narrow": narrow.astype(np.float32),
            "maps": np.zeros((self.kinds, d, rank), dtype=np.float32),
            "lengths": np.zeros((max_hops, f + 1), dtype=np.float32),
            "relation_weights": np.zeros((own, self.kinds, f + 1), dtype=np.float32),
            "pattern_weights": np.zeros((whole, f + 1), dtype=np.float32),
        }
        # Where nothing is learned yet, short patterns are likelier than long ones that repeat what they say.
        self.values["lengths"][:, -1] = -START / 4 * np.arange(max_hops)

    def copy(self) -> dict[str, Floats]:
        """Return the values as they are now."""
        return {name: value.copy() for name, value in self.values.items()}

    def holding(self, values: dict[str, Floats]) -> Weights:
        """Return the same weights with other values."""
        other = copy.copy(self)
        other.values = values
        return other

    def scores(self, batch: Batch) -> tuple[npt.NDArray[np.float64], _Pass]:
        """Return the score of every pattern of a batch, and the intermediate results for `gradients`."""
        values, questions, k = self.values, batch.masked, self.kinds
        s = len(questions)
        extended = np.hstack([questions, np.ones((s, 1), dtype=np.float32)])
        relations, code = self._codes(batch.pattern)
        words, own = self.words[relations], self.encoded.relation[relations]
        roles, rows = RoleScores.of(values, questions, words), np.flatnonzero(own >= 0)
        table = roles.table
        by_relation = values["relation_weights"][own[rows]].reshape(-1, extended.shape[1])
        table[:, :, rows] += (extended @ by_relation.T).reshape(s, -1, k).transpose(0, 2, 1)
        # One more column of zeros, for the steps that short patterns do not have.
        filled = np.zeros((s, k * len(relations) + 1), dtype=np.float32)
        filled[:, :-1] = table.reshape(s, -1)
        cell = batch.slot * filled.shape[1] + code
        hops = self.encoded.length[batch.pattern]
        scores: npt.NDArray[np.float64] = (extended @ values["lengths"].T)[batch.slot, hops - 1].astype(np.float64)
        scores += filled.ravel()[cell].sum(axis=0, dtype=np.float64)
        whole = self.encoded.whole[batch.pattern]
        trained = np.flatnonzero(whole >= 0)
        scores[trained] += (extended @ values["pattern_weights"].T)[batch.slot[trained], whole[trained]]
        return scores, _Pass(extended, roles, words, own, rows, cell, whole, trained)

    def _codes(self, patterns: Ints) -> tuple[Ints, Ints]:
        """Return the relations of patterns, and the column of each step and end, int64 [max_hops + 1, patterns].

        A column is role * relations + relation among these; the last one is of steps that a pattern does not have.
        """
        distinct, inverse = _distinct(patterns, len(self.encoded.place))
        places = self.encoded.place[distinct]
        has = places >= 0
        relation, role = np.divmod(places[has], self.kinds)
        relations, column = _distinct(relation, len(self.words))
        code = np.full(places.shape, self.kinds * len(relations), dtype=np.int64)
        code[has] = role * len(relations) + column
        return relations, np.take(np.ascontiguousarray(code.T), inverse, axis=1)

    def gradients(self, batch: Batch, by_score: npt.NDArray[np.float64], done: _Pass) -> dict[str, Floats]:
        """Return the gradient of each weight from that of each score."""
        questions, k, r = batch.masked, self.kinds, len(done.words)
        s, values = len(questions), self.values
        by_cell = np.bincount(done.cell.ravel(), np.tile(by_score, len(done.cell)), minlength=s * (k * r + 1))
        table = by_cell.reshape(s, -1)[:, :-1].reshape(s, k, r).astype(np.float32)
        relations = np.zeros_like(values["relation_weights"])
        own = table[:, :, done.rows].transpose(0, 2, 1).reshape(s, -1).T @ done.extended
        relations[done.own[done.rows]] = own.reshape(-1, k, own.shape[1])
        length = batch.slot * self.max_hops + self.encoded.length[batch.pattern] - 1
        lengths = np.bincount(length, by_score, minlength=s * self.max_hops).reshape(s, -1).astype(np.float32)
        n = len(values["pattern_weights"])
        at = batch.slot[done.trained] * n + done.whole[done.trained]
        whole = np.bincount(at, by_score[done.trained], minlength=s * n).reshape(s, n).astype(np.float32)
        return {
            **done.roles.gradients(values, questions, done.words, table),
            "lengths": lengths.T @ done.extended,
            "relation_weights": relations,
            "pattern_weights": whole.T @ done.extended,
        }


@dataclass(frozen=True, slots=True)
class _Pass:
    """Intermediate results of `Weights.scores` that its gradient needs."""

    extended: Floats
    roles: RoleScores
    words: Floats
    own: Ints
    rows: Ints
    cell: Ints
    whole: Ints
    trained: Ints


class Batch:
    """Some examples, one after the other.

    Attributes:
        masked: float32 [questions, features], the distinct masked questions.
        slot: int64 [patterns], the masked question of each pattern.
        pattern: int64 [patterns].
        owner: int64 [patterns], the example of each.
        f1: float32 [patterns].
        promise: float32 [patterns].
    """

    def __init__(self, examples: Sequence[Example], questions: Floats) -> None:
        rows = np.concatenate([example.masked for example in examples])
        distinct, self.slot = _distinct(rows, len(questions))
        self.masked = questions[distinct]
        self.pattern = np.concatenate([example.pattern for example in examples]).astype(np.int64)
        self.owner = np.repeat(np.arange(len(examples)), [len(example.pattern) for example in examples])
        self.f1 = np.concatenate([example.f1 for example in examples])
        self.promise = np.concatenate([example.promise for example in examples])


def _distinct(numbers: Ints | npt.NDArray[np.int32], n: int) -> tuple[Ints, Ints]:
    """Return the distinct numbers below n, ascending, and the place of each number among them; without sorting."""
    is_met = np.zeros(n, dtype=np.bool_)
    is_met[numbers] = True
    return np.flatnonzero(is_met), (np.cumsum(is_met) - 1)[numbers]


def loss(scores: npt.NDArray[np.float64], reward: Floats, group: Ints) -> tuple[float, npt.NDArray[np.float64]]:
    """Return minus the logarithm of the expected reward, summed over groups, and its gradient by score.

    In each group a pattern is drawn with the probability that the softmax of its scores gives. Where several patterns
    give the same answers, it need not be known which of them the question meant: any of them will do.

    Args:
        scores: float64 [patterns].
        reward: float32 [patterns], from 0 to 1.
        group: int64 [patterns], ascending; groups without any reward do not count.
    """
    if not len(scores):
        return 0.0, np.zeros(0)
    first = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    owner = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(group))))
    size = np.exp(scores - np.maximum.reduceat(scores, first)[owner])
    share = size / np.add.reduceat(size, first)[owner]
    expected = np.add.reduceat(share * reward, first)
    counts = np.maximum.reduceat(reward, first) > 0
    expected = np.maximum(expected, 1e-12)
    gradient = np.where(counts[owner], share - share * reward / expected[owner], 0.0)
    return float(-np.log(expected[counts]).sum()), gradient


def step_gradient(batch: Batch, scores: npt.NDArray[np.float64], length: Ints) -> tuple[float, npt.NDArray[np.float64]]:
    """Return the loss of a batch: right patterns among all, their beginnings among those of a length."""
    total, gradient = loss(scores, batch.f1, batch.owner)
    for hops in range(1, int(length.max(initial=1))):
        rows = np.flatnonzero(length == hops)
        part, by_score = loss(scores[rows], batch.promise[rows], batch.owner[rows])
        total += _BEGINNINGS * part
        gradient[rows] += _BEGINNINGS * by_score
    return total, gradient


def quality(weights: Weights, examples: Sequence[Example], questions: Floats) -> Quality:
    """Return the quality of the best-scored patterns, over at least one example."""
    precision = f1 = 0.0
    for example in examples:
        scores, _ = weights.scores(Batch([example], questions))
        best = int(np.argmax(scores))
        precision += float(example.precision[best])
        f1 += float(example.f1[best])
    return Quality(len(examples), precision / len(examples), f1 / len(examples))


@blas_threads(1)  # the matrices are small
def fit(
    weights: Weights,
    examples: Sequence[Example],
    questions: Floats,
    development: Sequence[Example],
    *,
    rounds: int,
    patience: int,
    seed: int,
    progress: Progress,
) -> int:
    """Fit the weights, and leave the averages that were best on the development examples.

    A moving average of the weights is evaluated and kept, because it is steadier than the weights.

    Args:
        weights: Changed in place.
        examples: The training examples; those without any reward are left out.
        questions: The features of the masked questions.
        development: What says when to stop; without any, all rounds are run and the last averages are left.
        rounds: Rounds at most; each is a pass over the examples, or over as many of them as a round takes.
        patience: Rounds without a better result after which it stops.
        seed: Of the order of the examples.
        progress: Told each round that is done.

    Returns:
        The round whose averages are left.
    """
    rng = np.random.default_rng(seed)
    useful = [example for example in examples if example.f1.any()]
    batches = min(_ROUND, -(-len(useful) // _BATCH))
    adam, order = (
        AveragedAdam(weights.values, _RATES, decay=_DECAY, steps=rounds * batches),
        np.zeros(0, dtype=np.int64),
    )
    best, best_values, at, steps = -1.0, adam.average, 0, 0
    for number in range(1, rounds + 1):
        for _ in range(batches):
            if not len(order):
                order = rng.permutation(len(useful))
            taken, order = order[:_BATCH], order[_BATCH:]
            batch = Batch([useful[i] for i in taken], questions)
            scores, done = weights.scores(batch)
            _, by_score = step_gradient(batch, scores, weights.encoded.length[batch.pattern])
            steps += 1
            share = max(1 - _AVERAGED, 9 / (10 + steps))  # the first steps are soon forgotten
            adam.step_towards(weights.gradients(batch, by_score / len(taken), done), share)
        progress("", number, rounds)
        merit = quality(weights.holding(adam.average), development, questions).f1 if development else float(number)
        if merit >= best:
            best, best_values, at = merit, {name: value.copy() for name, value in adam.average.items()}, number
        elif number - at == patience:
            break
    weights.values = best_values
    return at
