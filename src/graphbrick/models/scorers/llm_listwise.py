"""Listwise scores: a language model names the useful candidates of a list, best first."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.parameters import parameter
from graphbrick.core.trace import tally
from graphbrick.models.llm.replies.json_replies import json_list, json_object, whole_number
from graphbrick.models.llm.replies.replies import read_numbers
from graphbrick.models.scorers.llm_scorer import LLMBatchScorer
from graphbrick.models.scorers.prompts import NAMES

_CHOOSE = "Choose the few candidates that answer the question or lead to its answer; leave out those that do not."
_IN_WORDS = (
    "Reply with their numbers only, the most useful first, separated by commas. If no candidate helps, reply NONE."
)
_IN_JSON = (
    "Reply with JSON that holds their numbers, the most useful first, such as "
    '{"numbers": [3, 1]}. If no candidate helps, reply {"numbers": []}.'
)


@dataclass(frozen=True, repr=False)
class LLMListwiseScorer(LLMBatchScorer):
    """Scores by rank among the candidates that a language model names as useful.

    The model names the numbers of the useful candidates, best first. Their scores go from 1 down to above 0 by rank,
    all others get 0, so that a threshold of 0 selects what the model named. More candidates than fit one call are split
    over several, and their rankings are merged by rank: all first places before all second ones.

    With more than one round (M-LLMs), the named candidates are put to the model again, as often as ``rounds`` says,
    also if one call holds them all; only those named in the last round score above 0. A round that names none, or whose
    replies cannot be read, leaves the choice of the round before. No round follows a choice of one candidate.

    The calls of a round are in flight together. The model is asked for JSON if it is ``structured``. Every prompt is
    made to fit the context of the model before it is sent; a candidate that does not fit by itself is cut, which is an
    event. A reply that cannot be read is an event: its candidates score alike, below all that were named but above 0.
    The order of the texts can change the scores: models favour what stands first.

    Args:
        llm: The language model, such as LLM().
        prefilter: A fast scorer that chooses the candidates for the model (EEMs-PF), which are shown best first; the
            others score 0. None for none.
        prefilter_n: Candidates that the pre-filter selects, at least 1; ties are broken by their text.
        per_call: Candidates put to the model at once, at least 2.
        rounds: How often candidates are put to the model at most, at least 1: 1 asks once, each further round refines
            the choice of the round before.
        prompt: What it is told: "zero" for instructions only, "one" or "few" for instructions and examples, or the path
            of a text file with a prompt of your own (docs/llm.md).

    Returns:
        One score a text, in [0, 1]; comparable within one call only.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time; or the question alone is too long.
        StoppedError: The budget does not hold the calls.
        InputError: The prompt's file is missing or is no prompt.
    """

    rounds: int = parameter(1, at_least=1, search=(1, 3))
    prompt: str = parameter(NAMES[0], path=True, search=("zero", "few"))

    def write_reply(self, useful: Sequence[int], n: int) -> str:
        """Return the numbers of the useful candidates as the model is asked to write them."""
        in_words = ", ".join(map(str, useful)) or "NONE"
        return json.dumps({"numbers": list(useful)}) if self.llm.structured else in_words

    def read_reply(self, reply: str, texts: Sequence[str]) -> list[int] | None:
        """Return the numbers that a reply names, best first; None if it cannot be read."""
        return read_numbers(reply, texts)

    def _task(self) -> str:
        return _CHOOSE

    def _form(self) -> str:
        return _IN_JSON if self.llm.structured else _IN_WORDS

    def _ending(self) -> str:
        return "Numbers"

    def _schema(self, n: int) -> Mapping[str, Any]:
        return json_object(numbers=json_list(whole_number(1, n), most=n))

    def _score(self, query: str, candidates: Sequence[str]) -> npt.NDArray[np.float64]:
        ranking, unread = self._ranking(query, candidates)
        scores = np.zeros(len(candidates))
        scores[unread] = 0.5 / max(len(ranking), 1)
        scores[ranking] = np.arange(len(ranking), 0, -1) / max(len(ranking), 1)
        return scores

    def _ranking(self, query: str, candidates: Sequence[str]) -> tuple[list[int], list[int]]:
        """Return the indices chosen in the last round, best first, and those whose first reply could not be read."""
        choice, unread = self._choice(query, candidates, range(len(candidates)))
        for _ in range(1, self.rounds):
            if len(choice) < 2:  # nothing is left to choose from
                break
            refined, undecided = self._choice(query, candidates, sorted(choice))
            if not refined:
                break
            choice = refined + [i for i in choice if i in undecided]
        return choice, unread

    def _choice(self, query: str, candidates: Sequence[str], shown: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return the indices named in one round, best first, and those whose reply could not be read."""
        rankings, unread, named_none = list[list[int]](), list[int](), 0
        for batch, reply in self._replies(query, candidates, shown):
            numbers = read_numbers(reply, batch.texts)
            named_none += numbers == []
            unread += batch.indices if numbers is None else []
            rankings.append([batch.indices[number - 1] for number in numbers or []])
        if named_none:
            tally(calls_that_chose_none=named_none)
        return [i for places in zip_longest(*rankings) for i in places if i is not None], unread
