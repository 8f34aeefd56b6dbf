"""A language model as scorer: it names the candidates that bear on a question, or gives each a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from graphbrick.errors import PipelineError
from graphbrick.models.llm import LLM
from graphbrick.models.replies import numbered, one_line, read_numbers, read_scores
from graphbrick.models.scorer import Scorer
from graphbrick.trace import fact

_MOST = 100  # the best score that a model can give
_CANDIDATES = (
    "You are given a question and numbered candidates from a knowledge graph: entities, relations, triples or paths. "
    "In a path, A -> r -> B means that A has the relation r to B, and A <- r <- B that B has the relation r to A.\n"
)
_INSTRUCTIONS = {
    "list": _CANDIDATES
    + "Choose the candidates that help to answer the question. Reply with their numbers only, the most useful first, "
    "separated by commas. If no candidate helps, reply NONE.",
    "scores": _CANDIDATES
    + f"Say how much each candidate helps to answer the question, as a whole number from 0 (not at all) to {_MOST} (it "
    "holds the answer or leads to it). Reply with one line for every candidate, its number, a colon and its score, "
    "such as\n1: 20\n2: 90\nand nothing else.",
}
_PROMPT = "Candidates:\n{candidates}\n\nQuestion: {question}\n{ending}:"
_ENDINGS = {"list": "Numbers", "scores": "Scores"}


@dataclass(frozen=True, repr=False)
class LLMScorer(Scorer):
    """What a language model thinks of each text, by a zero-shot prompt over numbered candidates.

    By "list", the model names the candidates that bear on the question, best first. Those it names get scores from 1
    down to above 0 by their place, all others 0, so that a threshold of 0 keeps what the model chose. More candidates
    than fit one call are split over several, whose choices are merged by place: all first places before all second
    ones. With more than one round, what was chosen is then put to the model again, until it fits one call or the rounds
    are used up; what is chosen in a later round stands before what dropped out in it.

    By "scores", the model gives every candidate a whole number from 0 to 100, of which the score is a hundredth. A
    line a candidate takes about 6 tokens, so that ``max_tokens`` of the model must be above 6 times ``per_call``.

    A reply that cannot be read is an event. By "list", its candidates then score alike, below all that were chosen but
    above 0: nothing is known of them, so that a threshold of 0 keeps them; by "scores" they get 0. The order of the
    texts can change the scores: models favour what stands first.

    Args:
        llm: The language model, such as LLM().
        reply: "list" for the numbers of the useful candidates, "scores" for a score of each.
        per_call: Candidates put to the model at once, at least 2.
        rounds: How often candidates are put to the model at most, at least 1; must be 1 by "scores".

    Returns:
        One score a text, in [0, 1]; comparable within one call only.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time.
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (LLM as scorer; several rounds: M-LLMs of the technical report)"

    llm: LLM
    reply: str = "list"
    per_call: int = 64
    rounds: int = 1

    def __post_init__(self) -> None:
        self.require_part("llm", LLM, example="LLM()")
        self.require_choice("reply", _INSTRUCTIONS)
        self.require_int("per_call", minimum=2, example=64)
        self.require_int("rounds", minimum=1, example=1)
        if self.rounds > 1 and self.reply == "scores":
            raise PipelineError(
                f"LLMScorer rounds must be 1 where reply is 'scores', got {self.rounds}; try reply='list'"
            )

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """What the model thinks of each text; see the class."""
        candidates = [one_line(text) for text in texts]
        if self.reply == "scores":
            return self._scored(query, candidates)
        chosen, unread = self._chosen(query, candidates)
        scores = np.zeros(len(texts))
        scores[unread] = 0.5 / max(len(chosen), 1)
        scores[chosen] = np.arange(len(chosen), 0, -1) / max(len(chosen), 1)
        return scores

    def _scored(self, query: str, candidates: Sequence[str]) -> npt.NDArray[np.float64]:
        """By "scores": a hundredth of what the model gives."""
        scores = np.zeros(len(candidates))
        for part in _parts(range(len(candidates)), self.per_call):
            reply = self._ask(query, [candidates[i] for i in part])
            for number, score in read_scores(reply, len(part), most=_MOST).items():
                scores[part[number - 1]] = score / _MOST
        return scores

    def _chosen(self, query: str, candidates: Sequence[str]) -> tuple[list[int], list[int]]:
        """By "list": the places of the candidates chosen, best first, and of those whose reply could not be read."""
        asked, ranking, unread, without = list(range(len(candidates))), list[int](), list[int](), 0
        for _ in range(self.rounds):
            parts = _parts(asked, self.per_call)
            choices = []
            for part in parts:
                texts = [candidates[i] for i in part]
                numbers = read_numbers(self._ask(query, texts), texts)
                without += numbers == []
                unread += part if numbers is None else []
                choices.append([part[number - 1] for number in numbers or []])
            best = [i for places in zip_longest(*choices) for i in places if i is not None]
            ranking = list(dict.fromkeys(best + ranking))
            asked = sorted(best)
            if len(parts) <= 1 or not asked:
                break
        if without:
            fact(calls_that_chose_none=without)
        return ranking, unread

    def _ask(self, query: str, candidates: Sequence[str]) -> str:
        prompt = _PROMPT.format(candidates=numbered(candidates), question=one_line(query), ending=_ENDINGS[self.reply])
        return self.llm.complete(
            [{"role": "system", "content": _INSTRUCTIONS[self.reply]}, {"role": "user", "content": prompt}]
        )


def _parts(places: Sequence[int], size: int) -> list[Sequence[int]]:
    """Some places in parts of at most ``size``, all of about the same length."""
    n = -(-len(places) // size)
    return [places[len(places) * i // n : len(places) * (i + 1) // n] for i in range(n)]
