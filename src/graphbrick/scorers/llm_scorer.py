"""A language model as scorer: it names the candidates that bear on a question, or says of each how much it does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import PipelineError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import fact
from graphbrick.llm.chat import ChatModel
from graphbrick.llm.context_budget import cut_to_budget, line_tokens, pack
from graphbrick.llm.json_replies import json_list, json_object, whole_number
from graphbrick.llm.messages import Request
from graphbrick.llm.replies import lines_of, numbered, one_line, read_numbers, read_scores
from graphbrick.scorers.scorer import Scorer
from graphbrick.scorers.yes_no import LIKELIEST, LONGEST, probabilities

_MOST = 100  # the best score that a model can give
_CANDIDATES = (
    "You are given a question and numbered candidates from a knowledge graph: entities, relations, triples or paths. "
    "In a path, A -> r -> B means that A has the relation r to B, and A <- r <- B that B has the relation r to A.\n"
)
_CHOOSE = (
    "Choose the few candidates that answer the question or lead to its answer; leave out those that do not. Reply with "
)
_RATE = (
    f"Say how much each candidate helps to answer the question, as a whole number from 0 (not at all) to {_MOST} (it "
    "holds the answer or leads to it). Reply with "
)
# By the way of replying, and whether it is JSON.
_INSTRUCTIONS = {
    ("list", False): f"{_CHOOSE}their numbers only, the most useful first, separated by commas. If no candidate helps, "
    "reply NONE.",
    ("list", True): f"{_CHOOSE}JSON that holds their numbers, the most useful first, such as "
    '{"numbers": [3, 1]}. If no candidate helps, reply {"numbers": []}.',
    ("scores", False): f"{_RATE}one line for every candidate, its number, a colon and its score, such as\n"
    "1: 20\n2: 90\nand nothing else.",
    ("scores", True): f"{_RATE}JSON that holds the score of every candidate by its number, such as "
    '{"1": 20, "2": 90}.',
}
# The question stands on both sides: a small model else chooses by place.
_PROMPT = "Question: {question}\n\nCandidates:\n{candidates}\n\nQuestion: {question}\n{ending}:"
_ENDINGS = {"list": "Numbers", "scores": "Scores"}
_ONE = (
    _CANDIDATES.replace("numbered candidates", "a candidate").replace("entities, relations, triples or paths", "an "
    "entity, a relation, a triple or a path")
    + "Say whether the candidate helps to answer the question. Reply with one word: YES or NO."
)  # fmt: skip
_PROMPT_OF_ONE = "Question: {question}\nCandidate: {candidate}\nYES or NO:"


REPLIES = ("list", "scores", "yes_no")


@dataclass(frozen=True, repr=False)
class LLMScorer(Scorer):
    """What a language model thinks of each text, by a zero-shot prompt.

    By "list", the model names the numbers of the candidates that bear on the question, best first. Those it names get
    scores from 1 down to above 0 by their place, all others 0, so that a threshold of 0 keeps what the model chose.
    More candidates than fit one call are split over several, whose choices are merged by place: all first places before
    all second ones. With more than one round, what was chosen is then put to the model again, until it fits one call or
    the rounds are used up; what is chosen in a later round stands before what dropped out in it.

    By "scores", the model gives every candidate a whole number from 0 to 100, of which the score is a hundredth.

    By "yes_no", the model is asked of each candidate by itself whether it helps, and the score is the probability of
    yes among yes and no, from the log-probabilities of the first word in all spellings: a threshold of 0.5 keeps what
    it says yes to. It does not depend on the other candidates, so that scores of several calls compare. Where the
    server gives no log-probabilities, the score is 1 or 0 by the word, and where neither word is said, 0.5; both are
    events.

    The calls of one scoring are in flight together. The model is asked for JSON where it is ``structured``. Candidates
    are shared out so that every prompt fits the context of the model, and every reply by "scores" its ``max_tokens``;
    this is counted before the call. A candidate that does not fit by itself is cut, which is an event.

    A reply that cannot be read is an event. By "list", its candidates then score alike, below all that were chosen but
    above 0: nothing is known of them, so that a threshold of 0 keeps them; by "scores" they get 0. The order of the
    texts can change the scores: models favour what stands first.

    Args:
        llm: The language model, such as LLM().
        reply: "list" for the numbers of the useful candidates, "scores" for a score of each, "yes_no" for one call a
            candidate.
        per_call: Candidates put to the model at once, at least 2; by "yes_no" it is one.
        rounds: How often candidates are put to the model at most, at least 1; more than 1 only by "list".
        prefilter: A fast scorer that chooses the candidates for the model (EEMs-PF), which are shown best first; what
            it leaves out scores 0. None for none.
        prefilter_n: Candidates that the pre-filter leaves, at least 1; those of equal score go by their text.

    Returns:
        One score a text, in [0, 1]; by "list" and "scores" comparable within one call only.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time; or the question alone is too long.
        StoppedError: The budget does not hold the calls.
    """

    paper = (
        "Cao et al., LEGO-GraphRAG, VLDB 2025 (LLM as scorer; several rounds: M-LLMs, pre-filter: EEMs-PF of the "
        "technical report)"
    )

    llm: ChatModel = parameter(example="LLM()")
    reply: str = parameter("list", choices=REPLIES, search=REPLIES)
    per_call: int = parameter(64, at_least=2, search=(16, 32, 64))
    rounds: int = parameter(1, at_least=1, search=(1, 3))
    prefilter: Scorer | None = parameter(None, example="MiniLM()")
    prefilter_n: int = parameter(64, at_least=1, search=(16, 64))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rounds > 1 and self.reply != "list":
            raise PipelineError(
                f"LLMScorer rounds must be 1 where reply is {self.reply!r}, got {self.rounds}; try reply='list'"
            )
        if self.prefilter is None and self.prefilter_n != type(self).prefilter_n:
            raise PipelineError("LLMScorer prefilter_n says how many candidates prefilter leaves; give prefilter too")

    @property
    def comparable(self) -> bool:  # type: ignore[override]  # other scorers know it by their class alone
        """Whether scores of different calls can be compared: where each candidate is scored by itself."""
        return self.reply == "yes_no" and self.prefilter is None

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """What the model thinks of each text; see the class."""
        scores = np.zeros(len(texts))
        shown = self._shown(query, texts)
        candidates = lines_of(texts[i] for i in shown)
        ways = {"list": self._ranked, "scores": self._scored, "yes_no": self._asked_of_each}
        scores[shown] = ways[self.reply](query, candidates)
        return scores

    def asked(self, query: str, texts: Sequence[str]) -> list[tuple[list[int], Request]]:
        """The calls about some texts before there is any reply: the places of those in each, by number, and the call.

        Places of what the pre-filter leaves out are in none.
        """
        shown = self._shown(query, texts)
        candidates = lines_of(texts[i] for i in shown)
        if self.reply == "yes_no":
            return [([shown[i]], call) for i, call in enumerate(self._calls_of_each(query, candidates))]
        calls = self._calls(query, candidates, range(len(candidates)))
        return [([shown[i] for i in part], request) for part, _, request in calls]

    def reply_of(self, useful: Sequence[int], n: int) -> str:
        """What the model should reply where some of ``n`` candidates are useful, as it is asked to write it.

        Args:
            useful: Their numbers from 1, the most useful first.
            n: How many candidates are in the call.
        """
        if self.reply == "yes_no":
            return "YES" if useful else "NO"
        if self.reply == "list":
            listed = ", ".join(map(str, useful)) or "NONE"
            return json.dumps({"numbers": list(useful)}) if self.llm.structured else listed
        scores = {str(number): _MOST * (number in useful) for number in range(1, n + 1)}
        in_lines = "\n".join(f"{number}: {score}" for number, score in scores.items())
        return json.dumps(scores) if self.llm.structured else in_lines

    def _shown(self, query: str, texts: Sequence[str]) -> Sequence[int]:
        """The places of the texts that the model is to see, in the order in which it sees them."""
        if self.prefilter is None or len(texts) <= self.prefilter_n:
            return range(len(texts))
        fact(left_out_by_prefilter=len(texts) - self.prefilter_n)
        first = self.prefilter.rate(query, texts).tolist()
        return sorted(range(len(texts)), key=lambda i: (-first[i], texts[i]))[: self.prefilter_n]

    def _asked_of_each(self, query: str, candidates: Sequence[str]) -> npt.NDArray[np.float64]:
        """By "yes_no": how probable a yes is."""
        return probabilities(self.llm.ask_all(self._calls_of_each(query, candidates)))

    def _calls_of_each(self, query: str, candidates: Sequence[str]) -> list[Request]:
        lines, _ = cut_to_budget(self.llm, candidates, self.llm.context_budget(self._about_one(query, "")))
        return [Request(self._about_one(query, line), max_tokens=LONGEST, top_logprobs=LIKELIEST) for line in lines]

    def _scored(self, query: str, candidates: Sequence[str]) -> npt.NDArray[np.float64]:
        """By "scores": a hundredth of what the model gives."""
        scores = np.zeros(len(candidates))
        for part, _, reply in self._replies(query, candidates, range(len(candidates))):
            for number, score in read_scores(reply, len(part), most=_MOST).items():
                scores[part[number - 1]] = score / _MOST
        return scores

    def _ranked(self, query: str, candidates: Sequence[str]) -> npt.NDArray[np.float64]:
        """By "list": scores by place."""
        chosen, unread = self._chosen(query, candidates)
        scores = np.zeros(len(candidates))
        scores[unread] = 0.5 / max(len(chosen), 1)
        scores[chosen] = np.arange(len(chosen), 0, -1) / max(len(chosen), 1)
        return scores

    def _chosen(self, query: str, candidates: Sequence[str]) -> tuple[list[int], list[int]]:
        """By "list": the places of the candidates chosen, best first, and of those whose reply could not be read."""
        asked, ranking, unread, without = list(range(len(candidates))), list[int](), list[int](), 0
        for _ in range(self.rounds):
            choices = []
            for part, texts, reply in self._replies(query, candidates, asked):
                numbers = read_numbers(reply, texts)
                without += numbers == []
                unread += part if numbers is None else []
                choices.append([part[number - 1] for number in numbers or []])
            best = [i for places in zip_longest(*choices) for i in places if i is not None]
            ranking = list(dict.fromkeys(best + ranking))
            asked = sorted(best)
            if len(choices) <= 1 or not asked:
                break
        if without:
            fact(calls_that_chose_none=without)
        return ranking, unread

    def _replies(
        self, query: str, candidates: Sequence[str], asked: Sequence[int]
    ) -> list[tuple[list[int], list[str], str]]:
        """Put candidates to the model, in as many calls as it takes: the places of each part, its texts, the reply."""
        calls = self._calls(query, candidates, asked)
        replies = self.llm.ask_all([request for _, _, request in calls]) if calls else []
        return [(part, shown, reply.text) for (part, shown, _), reply in zip(calls, replies, strict=True)]

    def _calls(
        self, query: str, candidates: Sequence[str], asked: Sequence[int]
    ) -> list[tuple[list[int], list[str], Request]]:
        """The calls about some candidates: the places of those in each, their texts, the request."""
        room = self.llm.context_budget(self._messages(query, []))
        lines, sizes = cut_to_budget(self.llm, [candidates[i] for i in asked], room)
        some = pack(sizes, room, min(self.per_call, self._most_replied(len(lines))))
        texts = [[lines[i] for i in part] for part in some]
        requests = [Request(self._messages(query, part), self._schema(len(part))) for part in texts]
        places = [[asked[i] for i in part] for part in some]
        return list(zip(places, texts, requests, strict=True))

    def _most_replied(self, n: int) -> int:
        """The candidates whose replies fit the longest reply; a list is rarely as long as that of the candidates."""
        if self.reply != "scores":
            return self.per_call
        longest = f'"{min(n, self.per_call)}": {_MOST}, '
        return max(self.llm.max_tokens // line_tokens(self.llm, [longest])[0], 1)

    def _schema(self, n: int) -> Mapping[str, Any]:
        """What a reply about so many candidates looks like in JSON."""
        if self.reply == "list":
            return json_object(numbers=json_list(whole_number(1, n), most=n))
        return json_object(**{str(number): whole_number(0, _MOST) for number in range(1, n + 1)})

    def _messages(self, query: str, candidates: Sequence[str]) -> list[dict[str, str]]:
        """The prompt about some candidates."""
        rules = _CANDIDATES + _INSTRUCTIONS[self.reply, self.llm.structured]
        prompt = _PROMPT.format(candidates=numbered(candidates), question=one_line(query), ending=_ENDINGS[self.reply])
        return [{"role": "system", "content": rules}, {"role": "user", "content": prompt}]

    def _about_one(self, query: str, candidate: str) -> list[dict[str, str]]:
        """The prompt about one candidate, which stands last: servers keep what is equal before it."""
        prompt = _PROMPT_OF_ONE.format(question=one_line(query), candidate=candidate)
        return [{"role": "system", "content": _ONE}, {"role": "user", "content": prompt}]
