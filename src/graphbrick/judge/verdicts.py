"""Cases, verdicts and judges of answers: one protocol for models, classifiers and simple baselines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Label(StrEnum):
    """The qualities judged, named as in ARES (Saad-Falcon et al., NAACL 2024), and correctness."""

    CONTEXT_RELEVANCE = "context_relevance"
    """The evidence holds what is needed to answer the question."""
    ANSWER_FAITHFULNESS = "answer_faithfulness"
    """The answer says nothing that the evidence does not support."""
    ANSWER_RELEVANCE = "answer_relevance"
    """The answer is an answer to the question, whether right or wrong."""
    CORRECTNESS = "correctness"
    """The answer means the same as one of the gold answers."""


@dataclass(frozen=True)
class Case:
    """One question with what a system found and answered; a judge sees nothing else of its record.

    Attributes:
        question: The question.
        evidence: Texts of the evidence, best first.
        answer: The answer as text.
        gold: Names of correct answers; only for `Label.CORRECTNESS`.
    """

    question: str
    evidence: tuple[str, ...] = ()
    answer: str = ""
    gold: tuple[str, ...] = ()


class Verdict(NamedTuple):
    """The verdict of a judge on one case.

    Attributes:
        probability: That the label holds, from 0 to 1; None if the judge failed or its reply could not be read. Such a
            verdict is neither a 0 nor left out silently: reports give the share of them.
        reason: Why, in the judge's words, or why there is no probability; may be empty.
    """

    probability: float | None
    reason: str = ""


class Judge(ABC):
    """Judges cases by one or several labels."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """Settings that change its verdicts, such as ``Rubric(LLM(model='gpt-4.1'))``.

        A study stores ratings under this text. Leave out what changes no verdict, such as the number of parallel calls;
        a trained judge gives the checksum of its files.
        """

    @property
    @abstractmethod
    def labels(self) -> frozenset[Label]:
        """The labels that this judge can judge by."""

    @abstractmethod
    def rate(self, label: Label, cases: Sequence[Case]) -> list[Verdict]:
        """Return one verdict a case, in the order of the cases.

        Raises:
            ValueError: The judge does not judge by this label.
        """

    def rate_each(self, label: Label, cases: Sequence[Case]) -> Iterator[tuple[int, Verdict]]:
        """Yield place and verdict of each case as soon as it is there, in any order; as `rate`."""
        yield from enumerate(self.rate(label, cases))


class AskingJudge(Judge):
    """A judge whose verdicts cost something and come one by one, so that those before an error are kept."""

    def rate(self, label: Label, cases: Sequence[Case]) -> list[Verdict]:
        """Return one verdict a case, in their order, with as many calls in flight as the model takes.

        Raises:
            ModelError: The model cannot be asked. A prompt that the server refuses is a verdict of None instead.
            StoppedError: The budget is used up.
            ValueError: The judge does not judge by this label.
        """
        verdicts = dict(self.rate_each(label, cases))
        return [verdicts[place] for place in range(len(cases))]

    @abstractmethod
    def rate_each(self, label: Label, cases: Sequence[Case]) -> Iterator[tuple[int, Verdict]]:
        """Yield the place and the verdict of each case as soon as its reply is there; errors as for `rate`."""
