"""Base of scorers by a language model: prompts, calls that fit the context, pre-filter."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.parameters import parameter
from graphbrick.core.trace import fact
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.context_budget import cut_to_budget, pack
from graphbrick.models.llm.messages import Message, Request, assistant, system, user
from graphbrick.models.llm.replies.replies import lines_of, numbered, one_line
from graphbrick.models.scorers.prompts import scorer_prompt
from graphbrick.models.scorers.scorer import Scorer, check_prefilter

PAPER = (
    "Cao et al., LEGO-GraphRAG, VLDB 2025 (LLM as scorer; several rounds: M-LLMs, pre-filter: EEMs-PF of the "
    "technical report)"
)
CANDIDATES = (
    "You are given a question and numbered candidates from a knowledge graph: entities, relations, triples or paths. "
    "In a path, A -> r -> B means that A has the relation r to B, and A <- r <- B that B has the relation r to A.\n"
)
ONE_CANDIDATE = CANDIDATES.replace("numbered candidates", "a candidate").replace(
    "entities, relations, triples or paths", "an entity, a relation, a triple or a path"
)
# The question stands on both sides: a small model otherwise chooses by position.
_PROMPT = "Question: {question}\n\nCandidates:\n{candidates}\n\nQuestion: {question}\n{ending}:"


@dataclass(frozen=True, repr=False)
class LLMScorer(Scorer):
    """Base of the scorers by a language model.

    Args:
        llm: The language model, such as LLM().
        prefilter: A fast scorer that chooses the candidates for the model (EEMs-PF), which are shown best first; the
            others score 0. None for none.
        prefilter_n: Candidates that the pre-filter selects, at least 1; ties are broken by their text.
    """

    paper = PAPER

    llm: ChatModel = parameter(example="LLM()")
    prefilter: Scorer | None = parameter(None, example="MiniLM()")
    prefilter_n: int = parameter(64, at_least=1, search=(16, 64))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_prefilter(self)

    @property
    def prompt(self) -> str:
        """The name or the file of the prompt; scorers that let it be chosen have a parameter of this name."""
        return "zero"

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the model's score of each text; see the class."""
        scores = np.zeros(len(texts))
        shown = self._shown(query, texts)
        scores[shown] = self._score(query, lines_of(texts[i] for i in shown))
        return scores

    def requests(self, query: str, texts: Sequence[str]) -> list[tuple[list[int], Request]]:
        """Return the first calls about texts, each with the indices of its candidates in their order.

        Texts that the pre-filter leaves out are in no call.
        """
        shown = self._shown(query, texts)
        calls = self._requests(query, lines_of(texts[i] for i in shown))
        return [([shown[i] for i in indices], request) for indices, request in calls]

    @abstractmethod
    def write_reply(self, useful: Sequence[int], n: int) -> str:
        """Return the reply that the prompt asks for if these of ``n`` candidates are useful.

        Args:
            useful: Their numbers from 1, the most useful first.
            n: How many candidates are in the call.
        """

    @abstractmethod
    def read_reply(self, reply: str, texts: Sequence[str]) -> list[int] | None:
        """Return the numbers of the useful candidates in a reply, best first; None if unreadable."""

    @abstractmethod
    def _score(self, query: str, candidates: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the score of each candidate."""

    @abstractmethod
    def _requests(self, query: str, candidates: Sequence[str]) -> list[tuple[Sequence[int], Request]]:
        """Return the first calls, each with the indices of its candidates."""

    def _shown(self, query: str, texts: Sequence[str]) -> Sequence[int]:
        """Return the indices of the texts in the prompts, in their order there."""
        if self.prefilter is None or len(texts) <= self.prefilter_n:
            return range(len(texts))
        fact(left_out_by_prefilter=len(texts) - self.prefilter_n)
        scores = self.prefilter.rate(query, texts).tolist()
        return sorted(range(len(texts)), key=lambda i: (-scores[i], texts[i]))[: self.prefilter_n]


class Batch(NamedTuple):
    """Candidates that are put to the model in one call.

    Attributes:
        indices: Their indices.
        texts: Their texts as in the prompt.
        request: The call.
    """

    indices: list[int]
    texts: list[str]
    request: Request


@dataclass(frozen=True, repr=False)
class LLMBatchScorer(LLMScorer):
    """Base of the scorers that put numbered candidates to the model, as many in one call as fit.

    Args:
        llm: As for `LLMScorer`.
        prefilter: As for `LLMScorer`.
        prefilter_n: As for `LLMScorer`.
        per_call: Candidates put to the model at once, at least 2.
    """

    per_call: int = parameter(64, at_least=2, search=(16, 32, 64))

    @abstractmethod
    def _task(self) -> str:
        """Return what the model is to do with the candidates, without the form of the reply."""

    @abstractmethod
    def _form(self) -> str:
        """Return the instruction about the form of the reply."""

    @abstractmethod
    def _ending(self) -> str:
        """Return the word at the end of the prompt."""

    @abstractmethod
    def _schema(self, n: int) -> Mapping[str, Any]:
        """Return the JSON schema of a reply about ``n`` candidates."""

    def _most_in_a_reply(self, n: int) -> int:
        """Return the largest number of the ``n`` candidates that one reply may rate."""
        return self.per_call

    def _requests(self, query: str, candidates: Sequence[str]) -> list[tuple[Sequence[int], Request]]:
        return [(batch.indices, batch.request) for batch in self._batches(query, candidates, range(len(candidates)))]

    def _replies(self, query: str, candidates: Sequence[str], indices: Sequence[int]) -> list[tuple[Batch, str]]:
        """Put candidates to the model, in as many calls as it takes."""
        batches = self._batches(query, candidates, indices)
        replies = self.llm.ask_all([batch.request for batch in batches]) if batches else []
        return [(batch, reply.text) for batch, reply in zip(batches, replies, strict=True)]

    def _batches(self, query: str, candidates: Sequence[str], indices: Sequence[int]) -> list[Batch]:
        budget = self.llm.context_budget(self._messages(query, []))
        lines, sizes = cut_to_budget(self.llm, [candidates[i] for i in indices], budget)
        batches = []
        for part in pack(sizes, budget, min(self.per_call, self._most_in_a_reply(len(lines)))):
            texts = [lines[i] for i in part]
            request = Request(self._messages(query, texts), self._schema(len(texts)))
            batches.append(Batch([indices[i] for i in part], texts, request))
        return batches

    def _example_reply(self, useful: Sequence[int], n: int) -> str:
        """Return the reply of an example in the prompt."""
        return self.write_reply(useful, n)

    def _messages(self, query: str, candidates: Sequence[str]) -> list[Message]:
        prompt = scorer_prompt(self.prompt)
        form = self._form()
        messages = [system(prompt.instruction(f"{CANDIDATES}{self._task()} {form}", form))]
        for example in prompt.examples:
            messages.append(self._question(example.question, example.candidates))
            messages.append(assistant(self._example_reply(example.useful, len(example.candidates))))
        return [*messages, self._question(query, candidates)]

    def _question(self, query: str, candidates: Sequence[str]) -> Message:
        values = {"candidates": numbered(candidates), "question": one_line(query), "ending": self._ending()}
        return user(_PROMPT.format(**values))
