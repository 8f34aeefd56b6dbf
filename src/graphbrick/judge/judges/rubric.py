"""A language model as a judge, asked by a rubric for each label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from graphbrick.core.errors import ModelError
from graphbrick.core.trace import event
from graphbrick.judge.asking import UnreadableError, about, fitted, gathering, likeliest_at, object_of, prompts_digest
from graphbrick.judge.gold_answers.judgement import stated_verdict
from graphbrick.judge.verdicts import AskingJudge, Case, Label, Verdict
from graphbrick.language.folding import answer_form
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.conversations import each_whole_reply
from graphbrick.models.llm.messages import Choice, Message, Reply, Request
from graphbrick.models.llm.naming import name_of
from graphbrick.models.llm.replies.json_replies import json_object
from graphbrick.models.llm.replies.replies import shown
from graphbrick.models.llm.share_of_yes import share_of_yes

_TOP = 20  # likeliest tokens at a place; servers give no more
_WORD = 4  # tokens of a reply of one word; some models begin with an empty one
# A small model repeats an example of a reason word for word, so that there is none.
_REASONED = (
    "Reply with a JSON object and nothing else: reason, one short sentence about these texts; verdict, yes or no."
)
_ONE_WORD = "Reply with one word: yes or no."
_SCHEMA = json_object(reason={"type": "string", "maxLength": 300}, verdict={"type": "string", "enum": ["yes", "no"]})
_DATA = {
    Label.CONTEXT_RELEVANCE: ("question", "evidence"),
    Label.ANSWER_FAITHFULNESS: ("question", "evidence", "answer"),
    Label.ANSWER_RELEVANCE: ("question", "answer"),
    Label.CORRECTNESS: ("question", "correct_answers", "answer"),
}
_SAYS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True)
class RubricJudge(AskingJudge):
    """A language model that is told a rubric and says yes or no, after its reason.

    The probability is that of yes among yes and no, read from the log probabilities of the token of the verdict; where
    the server gives none, it is 1 or 0 by the stated verdict. With several samples it is the mean over those that could
    be read, which without log probabilities is the share of yes. A reply without a readable verdict has the probability
    None and the reason why.

    The model sees question, evidence, answer and correct answers as JSON data, and nothing else of a case. Prompts are
    files in ``judge/prompts``. No model is asked where the verdict is clear: without evidence there is no
    context relevance and no faithfulness, an empty answer holds by no label, and an answer that equals a correct one up
    to case, punctuation and articles is correct; a case without correct answers has no verdict of correctness.

    Args:
        llm: The model; best not the one that gave the answers, because models favour their own.
        reasons: Whether it gives a reason before its verdict. One word instead takes a third of the time
            with a small local model.
        samples: Verdicts of each case, at least 1; more than 1 needs a temperature above 0.
        tokens: Most tokens of evidence; what is over is cut, with an event.

    Raises:
        ValueError: A parameter is out of its range.

    Example:
        >>> from graphbrick import LLM
        >>> from graphbrick.testing import ScriptedLLM
        >>> case = Case("Who founded it?", ("It was founded by Ada Alm in 1901.",), "Ada Alm")
        >>> with ScriptedLLM(['{"reason": "The text names her.", "verdict": "yes"}']) as server:
        ...     RubricJudge(LLM(base_url=server.base_url)).rate(Label.ANSWER_FAITHFULNESS, [case])
        [Verdict(probability=1.0, reason='The text names her.')]
    """

    llm: ChatModel
    reasons: bool = True
    samples: int = 1
    tokens: int = 3000

    def __post_init__(self) -> None:
        if self.samples < 1 or self.tokens < 1:
            raise ValueError(f"samples and tokens must be at least 1, got {self.samples} and {self.tokens}")
        if self.samples > 1 and not self.llm.temperature:
            raise ValueError(
                f"{self.samples} samples at temperature 0 are the same one; give the model a temperature, such as 0.7"
            )

    @property
    def identity(self) -> str:
        """Settings that change verdicts, as text, with a checksum of the prompts."""
        prompts = prompts_digest(tuple(label.value for label in _DATA), _REASONED, _ONE_WORD)
        return (
            f"RubricJudge({name_of(self.llm)}, reasons={self.reasons}, samples={self.samples}, tokens={self.tokens}, "
            f"prompts={prompts})"
        )

    @property
    def labels(self) -> frozenset[Label]:
        """All labels."""
        return frozenset(_DATA)

    def rate_each(self, label: Label, cases: Sequence[Case]) -> Iterator[tuple[int, Verdict]]:
        """Yield the place and the verdict of each case as soon as its reply is there; errors as for `rate`."""
        open_ = []
        for place, case in enumerate(cases):
            if (known := without_asking(label, case)) is None:
                open_.append(place)
            else:
                yield place, known
        with gathering():
            requests = [self.request(label, cases[place]) for place in open_]
        unread = []
        try:
            for number, reply in each_whole_reply(self.llm, requests):
                verdict = self._verdict(reply)
                if verdict.probability is None:
                    unread.append(verdict.reason)
                yield open_[number], verdict
        finally:
            if unread:
                event(
                    f"{len(unread):,} of {len(cases):,} verdicts could not be read, such as: {unread[0]}",
                    "rubric.unread_verdicts",
                    unread=len(unread),
                    cases=len(cases),
                )

    def request(self, label: Label, case: Case) -> Request:
        """Return what the model is asked about a case."""
        texts: dict[str, Any] = {
            "question": case.question,
            "evidence": case.evidence,
            "correct_answers": list(case.gold),
            "answer": case.answer,
        }
        data = {name: texts[name] for name in _DATA[label]}
        empty = self._messages(label, {name: [] if name == "correct_answers" else "" for name in data})
        messages = self._messages(label, fitted(self.llm, data, empty, self.tokens))
        if self.reasons:
            return Request(messages, _SCHEMA, top_logprobs=_TOP, n=self.samples)
        return Request(messages, max_tokens=_WORD, top_logprobs=_TOP, n=self.samples)

    def _messages(self, label: Label, data: dict[str, Any]) -> list[Message]:
        return about(label.value, data, _REASONED if self.reasons else _ONE_WORD)

    def _verdict(self, reply: Reply | ModelError) -> Verdict:
        if isinstance(reply, ModelError):
            return Verdict(None, f"the model failed: {reply}")
        read = list[Verdict]()
        for choice in reply.choices:
            try:
                read.append(_reasoned(choice) if self.reasons else _one_word(choice))
            except UnreadableError as error:
                read.append(Verdict(None, str(error)))
        said = [verdict.probability for verdict in read if verdict.probability is not None]
        if not said:
            return read[0]
        if len(said) < self.samples:
            event(
                f"{len(said)} of {self.samples} samples of a verdict could be read",
                "rubric.unread_samples",
                read=len(said),
                samples=self.samples,
            )
        reason = next(verdict.reason for verdict in read if verdict.probability is not None)
        return Verdict(sum(said) / len(said), reason)


def without_asking(label: Label, case: Case) -> Verdict | None:
    """Return the verdict of a case that no model has to see; None if one has to."""
    needs = _DATA[label]
    if "answer" in needs and not case.answer.strip():
        return Verdict(0.0, "no answer")
    if "evidence" in needs and not any(text.strip() for text in case.evidence):
        return Verdict(0.0, "no evidence")
    if label is Label.CORRECTNESS:
        if not case.gold:
            return Verdict(None, "no correct answers to judge by")
        if answer_form(case.answer) in set(map(answer_form, case.gold)):
            return Verdict(1.0, "equal to a correct answer")
    return None


def _reasoned(choice: Choice) -> Verdict:
    """Return the verdict of a reply in JSON, or of one that begins with yes or no.

    Raises:
        UnreadableError: It says neither.
    """
    text = choice.message.text
    try:
        said = object_of(text, "verdict", partial=True)
    except UnreadableError:
        if "{" in text or (verdict := stated_verdict(text)) is None:
            raise
        return Verdict(float(verdict), text.strip())
    stated = _SAYS.get(str(said["verdict"]).strip().lower())
    if stated is None:
        raise UnreadableError(f"the verdict is neither yes nor no: {shown(text)}")
    return Verdict(_probability(stated, likeliest_at(choice, "verdict")[:1]), str(said.get("reason", "")))


def _one_word(choice: Choice) -> Verdict:
    """Return the verdict of a reply of one word.

    Raises:
        UnreadableError: It is another word.
    """
    text = choice.message.text
    stated = stated_verdict(text)
    if stated is None:
        raise UnreadableError(f"the reply is neither yes nor no: {shown(text)}")
    return Verdict(_probability(stated, [(token.token, token.top) for token in choice.logprobs]))


def _probability(stated: bool, tokens: Iterable[tuple[str, Sequence[tuple[str, float]]]]) -> float:
    """Return the probability of yes at the token of the verdict; 1 or 0 if no token says it.

    Args:
        stated: The verdict.
        tokens: Tokens of the reply among which that of the verdict is, each with the likeliest ones in its place.
    """
    for token, likeliest in tokens:
        if share_of_yes([(token, 0.0)]) == stated and (probability := share_of_yes(likeliest)) is not None:
            return probability
    return float(stated)
