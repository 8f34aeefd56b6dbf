"""Scorers that tests of beam search know the answers of, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick import Path as ReasoningPath
from graphbrick import Query, Subgraph
from graphbrick.bricks.retrieve.paths.beam_search import BeamSearch
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.graphs.graph import Graph
from graphbrick.models.scorers.scorer import Scorer

ASKED: list[list[str]] = []
HUGE = 10**6


@dataclass(frozen=True, repr=False)
class Ranks(Scorer):
    """A whole number that looks random but depends on the text only; keeps what it was asked in ASKED.

    Args:
        levels: Scores are from -1 to levels - 2; few make ties.
        salt: Another one gives other scores.
    """

    levels: int = 4
    salt: str = ""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        ASKED.append(list(texts))
        return np.array([self.one(text) for text in texts], dtype=np.float64)

    def one(self, text: str) -> int:
        digest = blake2b(f"{self.salt}|{text}".encode("utf-8", "surrogatepass"), digest_size=4).digest()
        return int.from_bytes(digest, "little") % self.levels - 1


@dataclass(frozen=True, repr=False)
class Measures(Ranks):
    """The same, but scores of different calls compare."""

    comparable: ClassVar[bool] = True


@dataclass(frozen=True, repr=False)
class Listed(Scorer):
    """Scores from a list of words: the higher the later the word that the text ends in; -1 for others.

    Args:
        words: With a space between them.
    """

    words: str = ""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        ASKED.append(list(texts))
        ends = {word: float(i) for i, word in enumerate(self.words.split())}
        return np.array([ends.get(text.split()[-1], -1.0) for text in texts])


def retrieve(brick: BeamSearch, query: Query, subgraph: Subgraph) -> tuple[tuple[ReasoningPath, ...], StageTrace]:
    with record(Trace(), repr(brick), "retrieve") as entry:
        found = brick.retrieve(query, subgraph)
    return found.items, entry


def ends(items: Sequence[ReasoningPath]) -> list[str]:
    return [path.graph.label(path.end) for path in items]


def starting(graph: Graph, *names: str) -> Query:
    return Query("?", seeds=tuple(graph.entity(name) for name in names))
