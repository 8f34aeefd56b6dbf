"""Passages that do not answer a question, from far ones to those that are hard to tell from its own."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import InputError
from graphbrick.judge.synthetic.passages import Passage
from graphbrick.judge.synthetic.questions import Pair
from graphbrick.judge.words import says
from graphbrick.text.documents.sentences import sentences

RANDOM, FARTHEST, NEAREST = "random", "farthest", "nearest"
SAME_ENTITIES, NEIGHBOURS, RETRIEVED, ANSWER_REMOVED = "same entities", "neighbours", "retrieved", "answer removed"
EASY = (RANDOM, FARTHEST)
HARD = (NEAREST, SAME_ENTITIES, NEIGHBOURS, RETRIEVED, ANSWER_REMOVED)
KINDS = (*EASY, *HARD)
"""Kinds of negatives: any passage; the least and the most similar ones to the question's own; ones about the same
entities or about those beside them; ones that a search for the question finds; its own without the answer."""

_RANKS = (2, 20)  # of the passages that a search finds
_NEAR = 20  # passages that the nearest or farthest one is drawn from
_DRAWS = 50  # passages that are tried

Vectors = npt.NDArray[np.float32]


def check_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return kinds of negatives, each once.

    Raises:
        InputError: There is none, or one is unknown.
    """
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        raise InputError(
            f"negatives must be some of {', '.join(KINDS)}; got {', '.join(unknown) or 'none'}",
            code="judge_data.unknown_negatives",
            kinds=unknown,
        )
    return tuple(dict.fromkeys(kinds))


class Negatives:
    """Finds passages that do not answer a question.

    A passage that has the answer, by `says`, or that overlaps the question's own is never taken. That is not proof:
    the answer may stand there in other words.

    Args:
        passages: All passages.
        vectors: Their embeddings, float32 [passages, dimensions], of length 1.
        seed: Seed of what is drawn.
    """

    def __init__(self, passages: Sequence[Passage], vectors: Vectors, *, seed: int = 0) -> None:
        self._passages, self._vectors, self._seed = passages, vectors, seed
        self._finders: dict[str, Callable[[Pair, Vectors, random.Random], list[int]]] = {
            RANDOM: lambda pair, query, rng: self._drawn(rng, range(len(passages))),
            FARTHEST: lambda pair, query, rng: self._like(pair, rng, farthest=True),
            NEAREST: lambda pair, query, rng: self._like(pair, rng, farthest=False),
            SAME_ENTITIES: lambda pair, query, rng: self._drawn(rng, self._sharing(pair)),
            NEIGHBOURS: lambda pair, query, rng: self._drawn(rng, self._beside(pair)),
            RETRIEVED: lambda pair, query, rng: self._found(query, rng),
        }

    def of(self, pair: Pair, query: Vectors, kind: str) -> Passage | None:
        """Return a negative of one kind; None if there is none.

        Args:
            pair: The question.
            query: Its embedding, float32 [dimensions].
            kind: One of `KINDS`.
        """
        if kind == ANSWER_REMOVED:
            return _without_answer(self._passages[pair.passage], pair.answer)
        rng = random.Random(json.dumps([self._seed, kind, pair.question]))
        places = self._finders[kind](pair, query, rng)
        return next((self._passages[i] for i in places if self._is_negative(pair, i)), None)

    def _is_negative(self, pair: Pair, place: int) -> bool:
        own, other = self._passages[pair.passage], self._passages[place]
        if place == pair.passage or other.text == own.text or own.overlaps(other):
            return False
        return not says(other.text, pair.answer)

    def _drawn(self, rng: random.Random, places: Sequence[int]) -> list[int]:
        return rng.sample(places, min(_DRAWS, len(places)))

    def _like(self, pair: Pair, rng: random.Random, *, farthest: bool) -> list[int]:
        similar = self._vectors @ self._vectors[pair.passage]
        order: list[int] = np.argsort(similar if farthest else -similar, kind="stable")[: _NEAR + 1].tolist()
        rng.shuffle(order)
        return order

    def _found(self, query: Vectors, rng: random.Random) -> list[int]:
        first, last = _RANKS
        order: list[int] = np.argsort(-(self._vectors @ query), kind="stable")[first - 1 : last].tolist()
        rng.shuffle(order)
        return order

    @cached_property
    def _speaking_of(self) -> dict[str, list[int]]:
        """The passages of each entity."""
        places: dict[str, list[int]] = defaultdict(list)
        for i, passage in enumerate(self._passages):
            for entity in sorted(passage.entities):
                places[entity].append(i)
        return places

    def _sharing(self, pair: Pair) -> list[int]:
        """Return the passages with an entity of the question's own, those it names first."""
        own = self._passages[pair.passage].entities
        question = pair.question.casefold()
        named = {entity for entity in own if entity in question} or own
        return sorted({place for entity in named for place in self._speaking_of[entity]})

    def _beside(self, pair: Pair) -> list[int]:
        """Return passages that share an entity with a related one, but none with the question's own."""
        own = self._passages[pair.passage].entities
        rng = random.Random(json.dumps([self._seed, pair.question]))
        through = {one for i in self._drawn(rng, self._sharing(pair)) for one in self._passages[i].entities} - own
        places = {place for entity in through for place in self._speaking_of[entity][:_DRAWS]}
        return sorted(place for place in places if not own & self._passages[place].entities)


def _without_answer(passage: Passage, answer: str) -> Passage | None:
    """Return a passage without sentences with the answer; None if nothing is left, or it remains."""
    parts = [passage.text[start:end] for start, end in sentences(passage.text)]
    rest = [part for part in parts if not says(part, answer)]
    if not rest or len(rest) == len(parts):
        return None
    text = ("\n" if "\n" in passage.text else " ").join(rest)
    return None if says(text, answer) else replace(passage, text=text)
