"""Pointwise scores: the probability that a language model says yes to a candidate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, tally
from graphbrick.models.llm.context_budget import cut_to_budget
from graphbrick.models.llm.messages import Message, Reply, Request, assistant, system, user
from graphbrick.models.llm.replies.replies import one_line, read_yes, shown
from graphbrick.models.llm.share_of_yes import share_of_yes
from graphbrick.models.scorers.llm_scorer import ONE_CANDIDATE, LLMScorer
from graphbrick.models.scorers.prompts import NAMES, scorer_prompt

_TASK = "Say whether the candidate helps to answer the question."
_FORM = "Reply with one word: YES or NO."
_PROMPT = "Question: {question}\nCandidate: {candidate}\nYES or NO:"
_TOP = 20  # how many of the likeliest first words to ask for; servers give no more
_MAX_TOKENS = 4  # of a reply: some models begin with an empty word, and some spell YES as two
_LISTED = 3  # replies in an event


@dataclass(frozen=True, repr=False)
class LLMPointwiseScorer(LLMScorer):
    """Probability that a language model says yes to a candidate, one call for each.

    The score is the probability of yes among yes and no, from the log probabilities of the first word in all spellings;
    a threshold of 0.5 selects what the model says yes to. It does not depend on the other candidates, so that scores of
    different calls compare. If the server gives no log probabilities, the score is 1 or 0 by the word, and 0.5 if
    neither word is said; both are events.

    All calls of one scoring are in flight together. A candidate that does not fit the context is cut, with an event.

    Args:
        llm: The language model, such as LLM().
        prefilter: A fast scorer that chooses the candidates for the model (EEMs-PF); the others score 0, and scores of
            different calls do not compare then. None for none.
        prefilter_n: Candidates that the pre-filter selects, at least 1; ties are broken by their text.
        prompt: What it is told: "zero" for instructions only, "one" or "few" for instructions and examples (of
            each example the most useful candidate, YES, and the first that is not useful, NO), or the path
            of a text file with a prompt of your own (docs/llm.md).

    Returns:
        One score a text, in [0, 1].

    Raises:
        ModelError: The server is away, refuses, or does not answer in time; or the question alone is too long.
        StoppedError: The budget does not hold the calls.
        InputError: The prompt's file is missing or is no prompt.
    """

    prompt: str = parameter(NAMES[0], path=True, search=("zero", "few"))

    @property
    def comparable(self) -> bool:  # type: ignore[override]  # other scorers know it by their class alone
        """Return whether scores of different calls can be compared: not if a pre-filter chooses texts."""
        return self.prefilter is None

    def write_reply(self, useful: Sequence[int], n: int) -> str:
        """Return the word that the model is asked for."""
        return "YES" if useful else "NO"

    def read_reply(self, reply: str, texts: Sequence[str]) -> list[int] | None:
        """Return the number of the one candidate if the reply says yes, else nothing."""
        return [1] if read_yes(reply) else []

    def _score(self, query: str, candidates: Sequence[str]) -> npt.NDArray[np.float64]:
        return _probabilities(self.llm.ask_all([request for _, request in self._requests(query, candidates)]))

    def _requests(self, query: str, candidates: Sequence[str]) -> list[tuple[Sequence[int], Request]]:
        lines, _ = cut_to_budget(self.llm, candidates, self.llm.context_budget(self._messages(query, "")))
        return [
            ([i], Request(self._messages(query, line), max_tokens=_MAX_TOKENS, top_logprobs=_TOP))
            for i, line in enumerate(lines)
        ]

    def _messages(self, query: str, candidate: str) -> list[Message]:
        """Return the prompt about one candidate, which stands last: servers keep what is equal before it."""
        prompt = scorer_prompt(self.prompt)
        messages = [system(prompt.instruction(f"{ONE_CANDIDATE}{_TASK} {_FORM}", _FORM))]
        for example in prompt.examples:
            numbers = range(1, len(example.candidates) + 1)
            useless = next(([number] for number in numbers if number not in example.useful), [])
            for number in sorted([*example.useful[:1], *useless]):
                messages.append(_question(example.question, example.candidates[number - 1]))
                messages.append(assistant(self.write_reply([1] if number in example.useful else [], 1)))
        return [*messages, _question(query, candidate)]


def probability_of_yes(reply: Reply) -> float | None:
    """Return the probability of yes against no as first word; None if neither is likely.

    >>> import math
    >>> from graphbrick.models.llm.messages import Choice, TokenLogprob, assistant
    >>> top = (("YES", math.log(0.6)), (" no", math.log(0.2)), ("Hm", math.log(0.1)))
    >>> reply = Reply((Choice(assistant("YES"), "stop", (TokenLogprob("YES", math.log(0.6), top),)),))
    >>> round(probability_of_yes(reply), 6)
    0.75
    """
    first = next((token.top for token in reply.choices[0].logprobs if token.token.strip()), ())
    return share_of_yes(first)


def _question(query: str, candidate: str) -> Message:
    return user(_PROMPT.format(question=one_line(query), candidate=candidate))


def _probabilities(replies: Sequence[Reply]) -> npt.NDArray[np.float64]:
    """Return the probability of yes of each reply, float64 [replies], in [0, 1], with events for guesses."""
    probabilities, by_word, neither = list[float](), 0, Counter[str]()
    for reply in replies:
        probability = probability_of_yes(reply)
        if probability is None:
            verdict = read_yes(reply.text)
            by_word += verdict is not None
            if verdict is None:
                neither[shown(reply.text)] += 1
            probability = 0.5 if verdict is None else float(verdict)
        probabilities.append(probability)
    n = len(probabilities)
    if by_word:
        event(
            f"{by_word:,} of {n:,} replies came without log-probabilities; they score 1 for yes, 0 for no",
            "llm_pointwise.no_logprobs",
            replies=by_word,
            of=n,
        )
    if neither:
        listed = ", ".join(reply for reply, _ in neither.most_common(_LISTED))
        more = " and others" if len(neither) > _LISTED else ""
        tally(unread_replies=neither.total())
        event(
            f"{neither.total():,} of {n:,} replies say neither yes nor no and score 0.5: {listed}{more}",
            "llm_pointwise.neither",
            replies=neither.total(),
            of=n,
        )
    return np.array(probabilities, dtype=np.float64)
