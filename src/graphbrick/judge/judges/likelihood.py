"""A judge of context relevance by how much likelier the evidence makes the question."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphbrick.core.errors import ModelError
from graphbrick.judge.asking import UnreadableError, gathering, within
from graphbrick.judge.verdicts import AskingJudge, Case, Label, Verdict
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.conversations import each_whole_reply
from graphbrick.models.llm.messages import Reply, Request, user
from graphbrick.models.llm.naming import name_of
from graphbrick.models.llm.replies.replies import shown
from graphbrick.models.llm.tokenizing import token_grammar, tokens_at_server

_ASKED = "Write a question that this text answers."
_SLOPE, _SHIFT = 1.8, -1.0
"""Slope and shift that turn the gain into log odds.

They are fitted to the 2,496 rows that `benchmarks/judge_llm.py` has of HotpotQA, MuSiQue and MedQuAD, read by
Qwen2.5-Coder-1.5B."""


@dataclass(frozen=True)
class LikelihoodJudge(AskingJudge):
    """A judge that reads how likely a language model finds the question after the evidence.

    The gain is the mean log probability of the question's tokens after the evidence, less that without evidence, so
    that a question that is likely anyway gains nothing. The likelihood is that of unsupervised passage re-ranking
    (Sachan et al., EMNLP 2022). There is no rubric that a small model could misunderstand. A grammar prescribes every
    token of the question, so the server must be llama.cpp's (`LocalLLM`). A case costs one call that reads its evidence
    and writes the question; each question costs one more call without evidence.

    Args:
        llm: The model.
        tokens: Most tokens of evidence; what is over is cut, with an event.

    Raises:
        ValueError: ``tokens`` is out of its range.

    Example::

        from graphbrick import LocalLLM
        judge = LikelihoodJudge(LocalLLM("qwen2.5-coder-1.5b"))
        judge.rate(Label.CONTEXT_RELEVANCE, [Case("Who founded it?", ("It was founded by Ada Alm in 1901.",))])
    """

    llm: ChatModel
    tokens: int = 3000

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise ValueError(f"tokens must be at least 1, got {self.tokens}")

    @property
    def identity(self) -> str:
        """Settings that change verdicts, as text."""
        return f"LikelihoodJudge({name_of(self.llm)}, tokens={self.tokens}, prompt={_ASKED!r}, {_SLOPE}, {_SHIFT})"

    @property
    def labels(self) -> frozenset[Label]:
        """Context relevance only."""
        return frozenset((Label.CONTEXT_RELEVANCE,))

    def rate_each(self, label: Label, cases: Sequence[Case]) -> Iterator[tuple[int, Verdict]]:
        """Yield verdicts as `rate` returns them; ModelError if the server is not llama.cpp's."""
        for place, gain in self.gains(label, cases):
            if isinstance(gain, Verdict):
                yield place, gain
            else:
                # By tanh, which does not overflow: servers give -9999 for a token that is very unlikely.
                probability = 0.5 * (1 + math.tanh(0.5 * (_SLOPE * gain + _SHIFT)))
                yield place, Verdict(probability, f"gain {gain:+.2f} nats a token")

    def gains(self, label: Label, cases: Sequence[Case]) -> Iterator[tuple[int, float | Verdict]]:
        """Yield the place of each case with its gain in nats per token, or a verdict without one."""
        if label is not Label.CONTEXT_RELEVANCE:
            raise ValueError(f"the likelihood of the question judges context_relevance, not {label}")
        places = list[int]()
        for place, case in enumerate(cases):
            if case.question.strip() and any(text.strip() for text in case.evidence):
                places.append(place)
            else:
                yield place, Verdict(0.0, "no evidence" if case.question.strip() else "no question")
        questions = [cases[place].question.strip() for place in places]
        grammars = self._grammars(list(dict.fromkeys(questions)))
        alone = self._alone(grammars)
        prompts = [(question, cases[place].evidence) for question, place in zip(questions, places, strict=True)]
        for number, reply in self._replies(prompts, grammars):
            question = questions[number]
            try:
                yield places[number], _likelihood(question, reply) - _likelihood(question, alone[question])
            except UnreadableError as error:
                yield places[number], Verdict(None, str(error))

    def _alone(self, grammars: Mapping[str, str]) -> dict[str, Reply | ModelError]:
        """Return the reply to each question without evidence.

        Raises:
            ModelError: None of them is the question with its log probabilities.
        """
        replies = dict(self._replies([(question, ()) for question in grammars], grammars))
        alone = {question: replies[number] for number, question in enumerate(grammars)}
        faults = list[str]()
        for question, reply in alone.items():
            try:
                _likelihood(question, reply)
            except UnreadableError as error:
                faults.append(str(error))
        if faults and len(faults) == len(alone):
            raise ModelError(
                f"{self.llm.model} at {self.llm.address()} cannot judge by likelihood: {faults[0]}; use LocalLLM(), or "
                "a server of llama.cpp",
                code="likelihood.unfit_server",
                fault=faults[0],
            )
        return alone

    def _grammars(self, questions: Sequence[str]) -> Mapping[str, str]:
        """Return the grammar of each question; a long one is cut to the longest reply of the model."""
        if not questions:
            return {}
        cut = (tokens[: self.llm.max_tokens] for tokens in tokens_at_server(self.llm, questions))
        return {question: token_grammar(tokens) for question, tokens in zip(questions, cut, strict=True)}

    def _replies(
        self, prompts: Sequence[tuple[str, tuple[str, ...]]], grammars: Mapping[str, str]
    ) -> Iterator[tuple[int, Reply | ModelError]]:
        """Yield the reply for each question and evidence, by its number."""
        with gathering():
            requests = [self._request(evidence, grammars[question]) for question, evidence in prompts]
        return each_whole_reply(self.llm, requests)

    def _request(self, evidence: tuple[str, ...], grammar: str) -> Request:
        left = self.llm.context_budget([user(_ASKED)])
        text = "\n\n".join(within(self.llm, evidence, min(self.tokens, left), "evidence")) if evidence else ""
        return Request([user(f"{text}\n\n{_ASKED}")], grammar=grammar, top_logprobs=1)


def _likelihood(question: str, reply: Reply | ModelError) -> float:
    """Return the mean log probability of the tokens of a question.

    Raises:
        UnreadableError: The reply is not the question, or has no log probabilities.
    """
    if isinstance(reply, ModelError):
        raise UnreadableError(f"the model failed: {reply}")
    choice = reply.choices[0]
    written = choice.message.text.strip().rstrip("\ufffd")  # it may be cut within a character
    if not written or not question.startswith(written):
        raise UnreadableError(
            f"the server does not obey grammars: it was to write {shown(question)}, and wrote {shown(written)}"
        )
    logprobs = [token.logprob for token in choice.logprobs if token.token]  # without the end of the reply
    if not logprobs:
        raise UnreadableError("the server gives no log probabilities")
    return sum(logprobs) / len(logprobs)
