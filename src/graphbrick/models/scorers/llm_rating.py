"""Ratings: a language model gives every candidate of a list a number from 0 to 100."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.parameters import parameter
from graphbrick.models.llm.context_budget import line_tokens
from graphbrick.models.llm.replies.json_replies import json_object, whole_number
from graphbrick.models.llm.replies.scores import read_scores
from graphbrick.models.scorers.llm_scorer import LLMBatchScorer
from graphbrick.models.scorers.prompts import NAMES

_BEST = 100
_RATE = (
    f"Say how much each candidate helps to answer the question, as a whole number from 0 (not at all) to {_BEST} (it "
    "holds the answer or leads to it)."
)
_IN_WORDS = (
    "Reply with one line for every candidate, its number, a colon and its score, such as\n1: 20\n2: 90\n"
    "and nothing else."
)
_IN_JSON = 'Reply with JSON that holds the score of every candidate by its number, such as {"1": 20, "2": 90}.'


@dataclass(frozen=True, repr=False)
class LLMRatingScorer(LLMBatchScorer):
    """Ratings by a language model: a whole number from 0 to 100 for every candidate.

    The calls of one scoring are in flight together. The model is asked for JSON if it is ``structured``. Every prompt
    is made to fit the context of the model, and every reply its ``max_tokens``, before the call; a candidate that does
    not fit by itself is cut, which is an event. A candidate without a readable rating scores 0, which is an event. The
    order of the texts can change the scores: models favour what stands first.

    Args:
        llm: The language model, such as LLM().
        prefilter: A fast scorer that chooses the candidates for the model (EEMs-PF), which are shown best first; the
            others score 0. None for none.
        prefilter_n: Candidates that the pre-filter selects, at least 1; ties are broken by their text.
        per_call: Candidates put to the model at once, at least 2.
        prompt: What it is told: "zero" for instructions only, "one" or "few" for instructions and examples (the
            most useful candidate of an example has 100, each further one 10 less, and the others 0), or the path
            of a text file with a prompt of your own (docs/llm.md).

    Returns:
        One score a text, a hundredth of its rating, in [0, 1]; comparable within one call only.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time; or the question alone is too long.
        StoppedError: The budget does not hold the calls.
        InputError: The prompt's file is missing or is no prompt.
    """

    prompt: str = parameter(NAMES[0], path=True, search=("zero", "few"))

    def write_reply(self, useful: Sequence[int], n: int) -> str:
        """Return ratings as the model is asked to write them: the best for useful candidates, else 0."""
        return self._written(dict.fromkeys(useful, _BEST), n)

    def _example_reply(self, useful: Sequence[int], n: int) -> str:
        return self._written({number: max(_BEST - 10 * rank, 10) for rank, number in enumerate(useful)}, n)

    def _written(self, rated: Mapping[int, int], n: int) -> str:
        """Return the ratings of ``n`` candidates in the form that the model is asked for; 0 for those not rated."""
        ratings = {str(number): rated.get(number, 0) for number in range(1, n + 1)}
        in_words = "\n".join(f"{number}: {rating}" for number, rating in ratings.items())
        return json.dumps(ratings) if self.llm.structured else in_words

    def read_reply(self, reply: str, texts: Sequence[str]) -> list[int] | None:
        """Return the numbers with a rating above 0, best first; of equal ratings by number."""
        ratings = read_scores(reply, len(texts))
        return sorted((i for i, rating in ratings.items() if rating), key=lambda i: -ratings[i])

    def _task(self) -> str:
        return _RATE

    def _form(self) -> str:
        return _IN_JSON if self.llm.structured else _IN_WORDS

    def _ending(self) -> str:
        return "Scores"

    def _schema(self, n: int) -> Mapping[str, Any]:
        return json_object(**{str(number): whole_number(0, _BEST) for number in range(1, n + 1)})

    def _most_in_a_reply(self, n: int) -> int:
        longest = f'"{min(n, self.per_call)}": {_BEST}, '
        return max(self.llm.max_tokens // line_tokens(self.llm, [longest])[0], 1)

    def _score(self, query: str, candidates: Sequence[str]) -> npt.NDArray[np.float64]:
        scores = np.zeros(len(candidates))
        for batch, reply in self._replies(query, candidates, range(len(candidates))):
            for number, rating in read_scores(reply, len(batch.indices), most=_BEST).items():
                scores[batch.indices[number - 1]] = rating / _BEST
        return scores
