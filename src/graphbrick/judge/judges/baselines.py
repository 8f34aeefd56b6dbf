"""Judges that learn nothing: what any other judge has to beat."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from graphbrick.judge.judges.parts import Reader, parts_of
from graphbrick.judge.verdicts import Case, Judge, Label, Verdict
from graphbrick.judge.words import content_words, coverage
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.models.logistic import sigmoid
from graphbrick.models.scorers.cross_encoder import CrossEncoder
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.models.store import resolve

_LABELS = frozenset({Label.CONTEXT_RELEVANCE, Label.ANSWER_FAITHFULNESS, Label.ANSWER_RELEVANCE})
_HALF = 100.0  # words of a text that is as likely as not


def known_reranker() -> CrossEncoder:
    """Return the small re-ranker that `graphbrick models fetch reranker` fetches.

    Raises:
        ModelError: It was not fetched.
    """
    return CrossEncoder(str(resolve("reranker")), template="Query: {query}\nSentence: {text}")


class Baseline(Judge):
    """A judge that compares two texts of a case: which two depends on the label.

    Context relevance compares the question with the evidence, faithfulness the answer with the evidence, and answer
    relevance the question with the answer.
    """

    @property
    def labels(self) -> frozenset[Label]:
        """All but correctness."""
        return _LABELS

    def rate(self, label: Label, cases: Sequence[Case]) -> list[Verdict]:
        """Return one verdict a case; a case without one of the two texts has probability 0."""
        if label not in _LABELS:
            raise ValueError(f"{self.identity} does not judge {label}")
        return [Verdict(float(self._compare(*texts)) if all(texts) else 0.0) for texts in map(texts_for(label), cases)]

    @abstractmethod
    def _compare(self, text: str, others: tuple[str, ...]) -> float:
        """Return a probability for a text and at least one part of the other."""


def texts_for(label: Label) -> Callable[[Case], tuple[str, tuple[str, ...]]]:
    """Return the function that gives the two texts of a case that a label is about, the second in parts."""

    def texts(case: Case) -> tuple[str, tuple[str, ...]]:
        text = case.answer if label is Label.ANSWER_FAITHFULNESS else case.question
        return text, parts_of((case.answer,) if label is Label.ANSWER_RELEVANCE else case.evidence)

    return texts


class LengthJudge(Baseline):
    """Prefers short evidence, or short answers: 100 words have probability 1/2."""

    @property
    def identity(self) -> str:
        """Its name."""
        return "length"

    def _compare(self, text: str, others: tuple[str, ...]) -> float:
        return 1 / (1 + sum(len(part.split()) for part in others) / _HALF)


class WordsJudge(Baseline):
    """The share of the words of one text that the other has, without function words."""

    @property
    def identity(self) -> str:
        """Its name."""
        return "words"

    def _compare(self, text: str, others: tuple[str, ...]) -> float:
        return coverage(content_words(text), frozenset[str]().union(*map(content_words, others)))


class CosineJudge(Baseline):
    """The cosine of a text with the most similar part of the other, from -1 to 1 as a probability.

    Args:
        embedder: Gives embeddings; all-MiniLM-L6-v2 if None.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._reader = Reader(embedder or MiniLM())

    @property
    def identity(self) -> str:
        """Its name and that of the model."""
        return f"cosine of {self._reader.embedder!r}"

    def rate(self, label: Label, cases: Sequence[Case]) -> list[Verdict]:
        """Return one verdict a case, as the others; texts of all cases are embedded together, which is faster."""
        if label in _LABELS:
            self._reader.vectors([part for text, others in map(texts_for(label), cases) for part in (text, *others)])
        return super().rate(label, cases)

    def _compare(self, text: str, others: tuple[str, ...]) -> float:
        return float(np.clip((1 + self._reader.similar(text, others).max()) / 2, 0, 1))


class RerankerJudge(Baseline):
    """The best score of a re-ranker over the parts of a text, through the logistic function.

    Args:
        reranker: Scores pairs; the one that `graphbrick models` knows if None.
    """

    def __init__(self, reranker: Scorer | None = None) -> None:
        self._given = reranker

    @cached_property
    def _reranker(self) -> Scorer:
        return self._given or known_reranker()

    @property
    def identity(self) -> str:
        """Its name and that of the model, without the folder that it is in."""
        return "re-ranker" if self._given is None else f"re-ranker {self._given!r}"

    def _compare(self, text: str, others: tuple[str, ...]) -> float:
        return float(sigmoid(self._reranker.rate(text, others).max()))
