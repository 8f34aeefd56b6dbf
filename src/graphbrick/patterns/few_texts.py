"""Scores of many texts by a slow scorer that reads few of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import blas_threads
from graphbrick.core.errors import PipelineError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import tally
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import tokens
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.scorers.scorer import Scorer

_ROUNDS = 6
_NEW = 2.0  # what a text gains if no part of it was read yet, in deviations of the scores read
_NOISE = 0.1  # share of a score that the parts of a text do not tell
_ARROW = Expression(r" (->|<-) ")

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, repr=False)
class FewTexts(Scorer):
    """A slow scorer that reads at most ``reads`` texts of a question; the scores of the others are estimated.

    A question has thousands of paths, and an embedder reads about a hundred texts a second. Paths share their parts:
    entities, relations and words. Texts are read in six rounds. The first has texts of all relation patterns, and
    those whose words are nearest to the question. After each round, the scores are explained by the parts of the texts
    read (ridge regression over parts and static vectors, in its dual form), and the next round has the texts that then
    promise most; parts that were not read yet count in favour of a text, except in the last round.

    ``Rerank(FewTexts(MiniLM()), n=32)`` gives exact scores, but may miss texts that are among the best.
    ``Rerank(MiniLM(), n=32)`` is the published form, which reads all texts. What is read depends on the question and
    the texts alone, not on vectors kept beside the graph, so that a question asked twice has the same answer.
    `BeamSearch` asks at every step, so give it fewer reads, such as 64.

    Args:
        scorer: The slow scorer, such as MiniLM(); scores of its different calls must compare.
        reads: Texts that it reads at most, at least 16; fewer texts are all read. More than are kept afterwards.
        sketch: A fast embedder that compares all texts with the question, such as StaticEmbedder(), which is nearer to
            MiniLM() once it is distilled; None for the vectors of words in the first layer of MiniLM, which need
            no run of the model.

    Returns:
        One score for each text. Texts that were not read come after all others, in the order of their estimates. The
        trace counts both, as ``texts_read`` and ``texts_estimated``.

    Raises:
        PipelineError: Scores of different calls of the scorer do not compare.
        ModelError: The extra ``graphbrick[minilm]`` is not installed, and there is no ``sketch``.
    """

    comparable: ClassVar[bool] = True

    scorer: Scorer = parameter(example="MiniLM()")
    reads: int = parameter(192, at_least=16, search=(64, 192))
    sketch: Embedder | None = parameter(None, example="StaticEmbedder()")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.scorer.comparable:
            raise PipelineError(
                f"FewTexts needs a scorer whose scores compare between calls, such as MiniLM(), got {self.scorer!r}; "
                "use that scorer itself (language models have prefilter)",
                code="few_texts.not_comparable",
            )

    def score(self, query: str, texts: Sequence[str]) -> Floats:
        """Return the score of each text."""
        if len(texts) <= self.reads:
            tally(texts_read=len(texts), texts_estimated=0)
            return self.scorer.rate(query, texts)
        with blas_threads(1):
            estimate = _Estimate(texts, *self._sketched(query, texts))
            per_round = self.reads // _ROUNDS
            first = _spread(estimate.patterns, per_round // 2)
            chosen = first + _best(estimate.nearness, per_round - len(first), without=first)
            scores = self.scorer.rate(query, [texts[i] for i in chosen])
            for number in range(2, _ROUNDS + 1):
                promise, size = estimate.given(chosen, scores), self.reads - len(chosen)
                if number < _ROUNDS:
                    promise, size = promise + _NEW * scores.std() * estimate.unknown(chosen), per_round
                new = _best(promise, size, without=chosen)
                chosen = chosen + new
                scores = np.concatenate([scores, self.scorer.rate(query, [texts[i] for i in new])])
            result = estimate.given(chosen, scores)
        tally(texts_read=len(chosen), texts_estimated=len(texts) - len(chosen))
        unread = np.ones(len(texts), dtype=np.bool_)
        unread[chosen] = False
        result[unread] += scores.min() - result[unread].max()
        result[chosen] = scores
        return result

    def _sketched(self, query: str, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Return the coarse vectors of the texts and of the question, which are not kept beside the graph."""
        if self.sketch is not None:
            vectors = self.sketch.made(texts).astype(np.float32)
            return vectors, self.sketch.encode_query(query).astype(np.float16).astype(np.float32)
        from graphbrick.models.embedders.first_layer import first_layer

        layer = first_layer()
        return layer.embed(texts), layer.embed([query])[0]


class _Estimate:
    """Scores of texts estimated from the scores of some.

    Attributes:
        patterns: Indices of the texts of each pattern of relations.
        nearness: Cosine of each text and the question by coarse vectors, less the mean and over the deviation.
    """

    def __init__(self, texts: Sequence[str], vectors: Vectors, question: Vectors) -> None:
        numbers: dict[object, int] = {}
        rows = []
        self.patterns: dict[tuple[str, ...], list[int]] = {}
        for i, text in enumerate(texts):
            pattern, parts = _parts(text)
            self.patterns.setdefault(pattern, []).append(i)
            rows.append([numbers.setdefault(part, len(numbers)) for part in parts])
        self._rows, self._n_parts = rows, len(numbers)
        self._flat = np.concatenate([np.array(row, dtype=np.int64) for row in rows])
        lengths = np.array([len(row) for row in rows])
        self._starts = np.cumsum(lengths) - lengths
        self._scale = 1 / np.sqrt(lengths)
        self._vectors = vectors
        near = (vectors @ question).astype(np.float64)
        self.nearness = (near - near.mean()) / max(float(near.std()), 1e-9)

    def given(self, chosen: Sequence[int], scores: Floats) -> Floats:
        """Return an estimate for every text: a line over `nearness`, and what parts and vectors tell beyond it."""
        near = self.nearness[list(chosen)]
        slope = max(0.0, float((near - near.mean()) @ (scores - scores.mean())) / (near.var() * len(near) + _NOISE))
        line = scores.mean() + slope * (self.nearness - near.mean())
        has = np.zeros((len(chosen), self._n_parts), dtype=np.float32)
        for row, i in enumerate(chosen):
            has[row, self._rows[i]] = self._scale[i]
        some = self._vectors[list(chosen)]
        alike = (has @ has.T + some @ some.T).astype(np.float64)
        weights = np.linalg.solve(alike + _NOISE * np.eye(len(chosen)), scores - line[list(chosen)])
        of_part = (has.T @ weights).astype(np.float64)
        by_parts = np.add.reduceat(of_part[self._flat], self._starts) * self._scale
        estimate: Floats = line + by_parts + self._vectors @ (some.T @ weights).astype(np.float32)
        return estimate

    def unknown(self, chosen: Sequence[int]) -> Floats:
        """Return the share of the parts of every text that no chosen text has."""
        new = np.ones(self._n_parts)
        new[np.concatenate([self._rows[i] for i in chosen])] = 0
        share: Floats = np.add.reduceat(new[self._flat], self._starts) * self._scale**2
        return share


def _parts(text: str) -> tuple[tuple[str, ...], list[object]]:
    """Return the relations of a text with their directions, and all its distinct parts; a plain text has its words."""
    pieces = _ARROW.split(text)  # name, arrow, relation, arrow, name, and so on
    names, steps = pieces[::4], tuple(" ".join(pieces[i : i + 2]) for i in range(1, len(pieces) - 1, 4))
    reached = names[1:] or names
    parts: list[object] = [("step", step) for step in steps]
    parts += [("name", name) for name in reached]
    parts += [("length", len(steps)), ("end", reached[-1]), ("pattern", steps)]
    parts += [("word", word) for name in reached for word in _words(name)]
    return steps, list(dict.fromkeys(parts))


@lru_cache(maxsize=65_536)
def _words(name: str) -> tuple[str, ...]:
    """Return the words of a name in the form in which they are compared."""
    return tuple(token.text for token in tokens(name))


def _spread(patterns: dict[tuple[str, ...], list[int]], n: int) -> list[int]:
    """Return the indices of ``n`` texts, one of each pattern in turns; patterns of many texts come first."""
    groups = sorted(patterns.values(), key=lambda group: (-len(group), group[0]))
    chosen: list[int] = []
    for turn in range(len(groups[0])):
        chosen += [group[turn] for group in groups if turn < len(group)]
        if len(chosen) >= n:
            break
    return chosen[:n]


def _best(values: Floats, n: int, *, without: Sequence[int]) -> list[int]:
    """Return the indices of the ``n`` highest values without those given; ties go to the lower index."""
    taken = set(without)
    best: list[int] = []
    for i in np.argsort(-values, kind="stable").tolist():
        if len(best) == n:
            break
        if i not in taken:
            best.append(i)
    return best
