"""Comparison of two answers by a language model that sees both orders of every pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphbrick.judge.asking import UnreadableError, about, fitted, object_of, prompts_digest
from graphbrick.language.folding import answer_form
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.conversations import Conversation, Usage, ask_about
from graphbrick.models.llm.messages import Message, Request
from graphbrick.models.llm.naming import name_of
from graphbrick.models.llm.replies.json_replies import json_object
from graphbrick.models.llm.replies.replies import shown
from graphbrick.study.statistics.intervals import Interval, share_difference, wilson
from graphbrick.study.statistics.paired import mcnemar

FIRST, SECOND, TIE, INCONSISTENT = "first", "second", "tie", "inconsistent"
_REPLY = (
    "Reply with a JSON object and nothing else: reason, one short sentence about these answers; better, which is 1, 2 "
    "or tie."
)
_SCHEMA = json_object(reason={"type": "string", "maxLength": 300}, better={"type": "string", "enum": ["1", "2", "tie"]})
_SAYS = {"1": FIRST, "2": SECOND, "tie": TIE, "answer 1": FIRST, "answer 2": SECOND, "equal": TIE, "both": TIE}
_SWAPPED = {FIRST: SECOND, SECOND: FIRST, TIE: TIE}


@dataclass(frozen=True)
class Pair:
    """Two answers to the same question.

    Attributes:
        question: The question.
        first: The answer of the first system.
        second: The answer of the second system.
        reference: A correct answer; empty if none is known.
    """

    question: str
    first: str
    second: str
    reference: str = ""


class PairVerdict(NamedTuple):
    """The verdict on a pair of answers.

    Attributes:
        outcome: "first" or "second" if that one won in both orders, "tie" if both orders say so, "inconsistent" if the
            orders disagree, None if one of them could not be read.
        reason: Of the judge in the first order; "equal answers" or "no answer" where no model was asked; or what could
            not be read.
        places: For each order, which place won: "first", "second" or "tie"; empty if no model was asked.
    """

    outcome: str | None
    reason: str = ""
    places: tuple[str, ...] = ()


class PairSummary(NamedTuple):
    """Verdicts on many pairs.

    Attributes:
        pairs: Number of pairs.
        unreadable: Number of pairs of which an order could not be read; they count nowhere else.
        first: Share of pairs that the first system won in both orders, with Wilson's 95 % interval.
        second: The same of the second system.
        ties: Number of pairs that both orders call equal.
        inconsistent: Number of pairs on which the orders disagree; neither wins them.
        difference: Mean of win (1), loss (-1) and neither (0) of the first system, with Bonett and Price's interval.
        p: p-value of McNemar's exact test of wins against losses.
        consistency: Share of the pairs shown to a model on whose two orders it agrees with itself.
        shown_first: Share of decisions for the answer that was shown first; one half is without bias.
    """

    pairs: int
    unreadable: int
    first: Interval | None
    second: Interval | None
    ties: int
    inconsistent: int
    difference: Interval | None
    p: float | None
    consistency: Interval | None
    shown_first: Interval | None


@dataclass(frozen=True)
class PairJudge:
    """A language model that compares two answers in both orders; wins must survive the swap.

    Models prefer the answer that they read first, or last, the more so the closer the answers are (Zheng et al.,
    NeurIPS 2023). The model never learns which system gave an answer. It is not asked about answers that are equal up
    to case, punctuation and articles, which are a tie, nor where only one system answers, which wins.

    Args:
        llm: The model; best not of the family that gave an answer, because models favour their own.

    Example:
        >>> from graphbrick import LLM
        >>> from graphbrick.testing import ScriptedLLM
        >>> pair = Pair("Who founded it?", "Ada Alm, in 1901", "nobody")
        >>> with ScriptedLLM(['{"better": "1"}', '{"better": "2"}']) as server:
        ...     dict(PairJudge(LLM(base_url=server.base_url)).compare([pair]))[0].outcome
        'first'
    """

    llm: ChatModel

    @property
    def identity(self) -> str:
        """Settings that change verdicts, as text, with a checksum of the prompt."""
        return f"PairJudge({name_of(self.llm)}, prompts={prompts_digest(('pair',), _REPLY)})"

    @property
    def model(self) -> ChatModel:
        """The model that is asked."""
        return self.llm

    def compare(self, pairs: Iterable[Pair], usage: Usage | None = None) -> Iterator[tuple[int, PairVerdict]]:
        """Yield the verdict on each pair with its place, as soon as it is there.

        Args:
            pairs: The pairs.
            usage: The calls are added to it.

        Raises:
            ModelError: The model cannot be asked. A pair whose prompt the server refuses is unreadable.
            StoppedError: The budget is used up.
        """
        return ask_about(self, enumerate(pairs), usage=usage)

    def conversation(self, pair: Pair, /) -> Conversation[PairVerdict]:
        """Return what the model is asked about a pair."""
        clear = _without_asking(pair)
        if clear is not None:
            return clear
        said = []
        for swapped in (False, True):
            reply = yield Request(self._messages(pair, swapped=swapped), _SCHEMA)
            try:
                better, reason = _read(reply)
            except UnreadableError as error:
                return PairVerdict(None, str(error))
            said.append((better, reason))
        (one, reason), (two, _) = said
        return PairVerdict(one if one == _SWAPPED[two] else INCONSISTENT, reason, (one, two))

    def refused(self, reason: str) -> PairVerdict:
        """Return the verdict on a pair whose prompt a server refused."""
        return PairVerdict(None, reason)

    def _messages(self, pair: Pair, *, swapped: bool) -> list[Message]:
        data = {"question": pair.question, "answer_1": pair.first, "answer_2": pair.second}
        data |= {"correct_answer": pair.reference} if pair.reference.strip() else {}
        # Cut before the swap, so that both orders show the same texts.
        data = fitted(self.llm, data, about("pair", dict.fromkeys(data, ""), _REPLY), tokens=0)
        if swapped:
            data |= {"answer_1": data["answer_2"], "answer_2": data["answer_1"]}
        return about("pair", data, _REPLY)


def summarize_pairs(verdicts: Sequence[PairVerdict]) -> PairSummary:
    """Return shares with intervals; unreadable pairs are counted, and are part of no share.

    >>> summary = summarize_pairs([PairVerdict("first"), PairVerdict("tie"), PairVerdict(None)])
    >>> summary.first.mean, summary.ties, summary.unreadable
    (0.5, 1, 1)
    """
    outcomes = [verdict.outcome for verdict in verdicts if verdict.outcome is not None]
    counts, n = Counter(outcomes), len(outcomes)
    won = [float(outcome == FIRST) for outcome in outcomes]
    lost = [float(outcome == SECOND) for outcome in outcomes]
    judged = [one for one in verdicts if one.outcome is not None and one.places]
    agreed = sum(one.outcome != INCONSISTENT for one in judged)
    places = Counter(place for one in judged for place in one.places)
    decided = places[FIRST] + places[SECOND]
    return PairSummary(
        len(verdicts),
        len(verdicts) - n,
        wilson(counts[FIRST], n) if n else None,
        wilson(counts[SECOND], n) if n else None,
        counts[TIE],
        counts[INCONSISTENT],
        share_difference(counts[FIRST], counts[SECOND], n) if n else None,
        mcnemar(won, lost) if n else None,
        wilson(agreed, len(judged)) if judged else None,
        wilson(places[FIRST], decided) if decided else None,
    )


def _without_asking(pair: Pair) -> PairVerdict | None:
    """Return the verdict on a pair that no model has to see; None if one has to."""
    one, two = pair.first.strip(), pair.second.strip()
    if one == two or (answer_form(one) and answer_form(one) == answer_form(two)):
        return PairVerdict(TIE, "equal answers")
    if not one or not two:
        return PairVerdict(FIRST if one else SECOND, "no answer")
    return None


def _read(reply: str) -> tuple[str, str]:
    """Return which place won, and why.

    Raises:
        UnreadableError: The reply does not say it.
    """
    said = object_of(reply, "better", partial=True)
    place = _SAYS.get(str(said["better"]).strip().lower())
    if place is None:
        raise UnreadableError(f"the reply names neither answer nor a tie: {shown(reply)}")
    return place, str(said.get("reason", ""))
