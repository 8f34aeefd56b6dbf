"""Scores by criteria in words, weighted by how likely the model finds each score (G-Eval)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, NamedTuple

from graphbrick.core.errors import ModelError
from graphbrick.judge.asking import UnreadableError, about, fitted, gathering, likeliest_at, object_of, prompts_digest
from graphbrick.judge.metrics.steps import reference_of
from graphbrick.judge.verdicts import Case
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.conversations import Usage, each_whole_reply
from graphbrick.models.llm.messages import Choice, Message, Reply, Request
from graphbrick.models.llm.naming import name_of
from graphbrick.models.llm.replies.json_replies import json_list, json_object, whole_number
from graphbrick.models.llm.replies.replies import shown

BY_LOGPROBS, BY_MEDIAN, STATED = "log probabilities", "median of samples", "stated score"
_TOP = 20  # likeliest tokens; servers give no more
_HIGHEST = 10
_MOST_STEPS = 8
_REPLY = (
    "Reply with a JSON object and nothing else: reason, one short sentence about this answer; score, a whole number "
    "from {low} (worst) to {high} (best)."
)
_STEPS = 'Reply with JSON and nothing else: {"steps": ["...", ...]}.'
_DIGITS = re.compile(r"\s*(\d{1,2})(?!\d)")

Likeliest = tuple[tuple[str, float], ...]


class CriteriaScore(NamedTuple):
    """The score of one case.

    Attributes:
        value: The score, on the scale of the judge; None if no reply could be read.
        by: "log probabilities", "median of samples", or "stated score" for one sample without log probabilities.
        reason: Of the judge, or why there is no score.
        stated: The scores that the replies state.
    """

    value: float | None
    by: str
    reason: str = ""
    stated: tuple[float, ...] = ()


@dataclass(frozen=True)
class CriteriaJudge:
    """A language model that scores answers by criteria in words, as G-Eval does (Liu et al., EMNLP 2023).

    The score is ``sum of s p(s) / sum of p(s)`` over the whole numbers s of the scale among the 20 likeliest tokens
    where the reply states its score, after a reason. It tells apart answers that would all be stated as 4. If the
    server gives no log probabilities, it is the median of the samples that could be read, and the result says so. On a
    scale up to 10, where a model writes 10 as two tokens, a 1 that was not said may be the beginning of 10, and is left
    out.

    Args:
        llm: The model.
        criteria: What is scored, such as "Is the answer short and friendly?".
        steps: How to score, step by step; `with_steps` lets the model write them.
        scale: The lowest and the highest score, within 0 and 10.
        samples: Replies for each case, at least 1; more than 1 needs a temperature above 0.
        tokens: Most tokens of evidence.

    Raises:
        ValueError: A parameter is out of its range.

    Example:
        >>> from graphbrick import LLM
        >>> from graphbrick.testing import ScriptedLLM
        >>> with ScriptedLLM(['{"reason": "It is short.", "score": 4}']) as server:
        ...     judge = CriteriaJudge(LLM(base_url=server.base_url), "Is the answer short?")
        ...     [(place, found.value, found.by) for place, found in judge.score([Case("Who?", answer="Ada Alm")])]
        [(0, 4.0, 'stated score')]
    """

    llm: ChatModel
    criteria: str
    steps: tuple[str, ...] = ()
    scale: tuple[int, int] = (1, 5)
    samples: int = 1
    tokens: int = 3000

    def __post_init__(self) -> None:
        low, high = self.scale
        if not self.criteria.strip() or not 0 <= low < high <= _HIGHEST or self.samples < 1:
            raise ValueError(
                f"a judge needs criteria, a scale within 0 and {_HIGHEST} such as (1, 5), and 1 sample at least; got "
                f"{self.criteria!r}, {self.scale}, {self.samples}"
            )
        if self.samples > 1 and not self.llm.temperature:
            raise ValueError(
                f"{self.samples} samples at temperature 0 are the same one; give the model a temperature, such as 0.7"
            )

    @property
    def identity(self) -> str:
        """Settings that change scores, as text, with a checksum of the prompt."""
        rest = f"{self.criteria!r}, {self.steps!r}, {self.scale}, samples={self.samples}, tokens={self.tokens}"
        return f"CriteriaJudge({name_of(self.llm)}, {rest}, prompts={prompts_digest(('score',), _REPLY)})"

    def with_steps(self) -> CriteriaJudge:
        """Return this judge with steps that the model wrote for its criteria.

        Raises:
            ModelError: The model cannot be asked, or wrote no steps.
        """
        schema = json_object(steps=json_list({"type": "string", "maxLength": 300}, _MOST_STEPS))
        reply = self.llm.complete(about("steps", {"criteria": self.criteria}, _STEPS), schema=schema)
        try:
            steps = object_of(reply, "steps")["steps"]
        except UnreadableError as error:
            raise ModelError(
                f"{self.llm.model} wrote no steps: {error}; give them as steps=(...)", code="criteria.unread_steps"
            ) from error
        texts = [str(step).strip() for step in steps] if isinstance(steps, list) else []
        if not any(texts):
            raise ModelError(
                f"{self.llm.model} wrote no steps: {shown(reply)}; give them as steps=(...)", code="criteria.no_steps"
            )
        return replace(self, steps=tuple(filter(None, texts)))

    def score(self, cases: Sequence[Case], usage: Usage | None = None) -> Iterator[tuple[int, CriteriaScore]]:
        """Yield the score of each case with its place, as soon as it is there; several calls are in flight.

        Args:
            cases: The cases; the judge sees question, answer, and evidence and correct answers where there are any.
            usage: The calls are added to it.

        Raises:
            ModelError: The model cannot be asked. A prompt that the server refuses is a score of None.
            StoppedError: The budget is used up; what is paid for was yielded.
        """
        with gathering():
            requests = [self._request(case) for case in cases]
        for place, reply in each_whole_reply(self.llm, requests, usage=usage):
            yield place, self._score(reply)

    def _request(self, case: Case) -> Request:
        low, high = self.scale
        data: dict[str, Any] = {"question": case.question, "answer": case.answer}
        data |= {"correct_answer": reference_of(case)} if reference_of(case) else {}
        data |= {"evidence": case.evidence} if case.evidence else {}
        data = fitted(self.llm, data, self._messages(dict.fromkeys(data, "")), self.tokens)
        schema = json_object(reason={"type": "string", "maxLength": 300}, score=whole_number(low, high))
        return Request(self._messages(data), schema, top_logprobs=_TOP, n=self.samples)

    def _messages(self, data: dict[str, Any]) -> list[Message]:
        low, high = self.scale
        steps = "\n".join(f"{number}. {step}" for number, step in enumerate(self.steps, 1))
        more = {"criteria": self.criteria} | ({"steps": steps} if steps else {})
        reply = _REPLY.format(low=low, high=high)
        return about("score", data, reply, **more)

    def _score(self, reply: Reply | ModelError) -> CriteriaScore:
        if isinstance(reply, ModelError):
            return CriteriaScore(None, STATED, f"the model failed: {reply}")
        weighted, stated, reasons, unread = list[float](), list[float](), list[str](), ""
        for choice in reply.choices:
            try:
                score, reason = self._stated(choice)
            except UnreadableError as error:
                unread = unread or str(error)
                continue
            stated.append(score)
            reasons.append(reason)
            mean = expected_score(likeliest_at(choice, "score"), self.scale)
            weighted += [] if mean is None else [mean]
        if weighted:
            return CriteriaScore(sum(weighted) / len(weighted), BY_LOGPROBS, reasons[0], tuple(stated))
        by = BY_MEDIAN if self.samples > 1 else STATED
        if not stated:
            return CriteriaScore(None, by, unread)
        return CriteriaScore(float(median(stated)), by, reasons[0], tuple(stated))

    def _stated(self, choice: Choice) -> tuple[float, str]:
        """Return the score and the reason of a reply.

        Raises:
            UnreadableError: There is no score, or it is outside the scale.
        """
        said = object_of(choice.message.text, "score", partial=True)
        try:
            score = float(str(said["score"]))
        except ValueError as error:
            raise UnreadableError(f"the score is no number: {shown(choice.message.text)}") from error
        if not self.scale[0] <= score <= self.scale[1]:
            raise UnreadableError(f"the score is outside {self.scale}: {shown(choice.message.text)}")
        return score, str(said.get("reason", ""))


def expected_score(tokens: Sequence[tuple[str, Likeliest]], scale: tuple[int, int]) -> float | None:
    """Return the mean of the scores of a scale, weighted by the probabilities of their tokens.

    Args:
        tokens: The tokens from the score on, each with the likeliest ones at its place.
        scale: The lowest and the highest score.

    Returns:
        The mean; None if no token is a score.

    >>> round(expected_score([("4", (("4", math.log(0.6)), ("5", math.log(0.2)), ("x", math.log(0.2))))], (1, 5)), 6)
    4.25
    """
    if not tokens:
        return None
    (said, top), *rest = tokens
    weights: dict[int, float] = {}
    for word, logprob in top:
        match = _DIGITS.match(word)
        if match:
            weights[int(match[1])] = weights.get(int(match[1]), 0.0) + math.exp(logprob)
    if scale[1] == _HIGHEST and 1 in weights and _HIGHEST not in weights:
        # A model may write 10 as 1 and 0: what follows a 1 that was said tells how likely that is.
        one = weights.pop(1)
        if said.strip() == "1" and rest:
            word, likeliest = rest[0]
            zero = sum(math.exp(p) for other, p in likeliest if other[:1] == "0")
            total = sum(math.exp(p) for _, p in likeliest)
            ten = zero / total if total else float(word[:1] == "0")
            weights |= {1: one * (1 - ten), _HIGHEST: one * ten}
    fitting = {score: weight for score, weight in weights.items() if scale[0] <= score <= scale[1]}
    total = sum(fitting.values())
    return sum(score * weight for score, weight in fitting.items()) / total if total else None
