"""Questions of templates in other words, by a language model, each checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import ModelError
from graphbrick.core.trace import Trace, record
from graphbrick.judge.gold_queries.generator import QueryQuestion
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.messages import Request, system, user
from graphbrick.models.llm.replies.replies import one_line
from graphbrick.pipeline.budget import StoppedError

UNCHANGED = "is the same question"
_INSTRUCTION = (
    "Rewrite a question in the words that a person would use. It was made by a program: names are in «», and the words "
    "for relations and classes are those of a database. Ask for exactly the same thing. Copy every name and every "
    "number letter by letter, without «». Reply with the rewritten question only, in one line.\n\n"
    "Question: Which river has the country «Peru» as flows through, but no sea as mouth?\n"
    "Rewritten: Which rivers that flow through Peru do not end in a sea?"
)
_LABEL = re.compile(r"(?:rewritten|question|answer)\s*:\s*", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LEAST_ANSWER = 3  # letters; shorter ones stand in many words by chance


@dataclass
class Paraphrases:
    """Summary of one paraphrasing of questions by a model.

    Attributes:
        model: Its name.
        changed: How many questions have other words now.
        refused: How many replies were not taken, by reason.
        stopped: Why the model was asked no further; empty if all questions were asked.
        calls: Calls of the model.
        cost: In US dollars.
    """

    model: str
    changed: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    stopped: str = ""
    calls: int = 0
    cost: float = 0.0

    def __str__(self) -> str:
        reasons = "".join(f"; {count:,} not taken: the reply {reason}" for reason, count in self.refused.most_common())
        stopped = f"; {self.model} was asked no further: {self.stopped}" if self.stopped else ""
        return f"{self.model} reworded {self.changed:,} questions in {self.calls:,} calls{reasons}{stopped}"


def paraphrased(
    questions: Sequence[QueryQuestion], llm: ChatModel, *, progress: Progress = silent
) -> tuple[list[QueryQuestion], Paraphrases]:
    """Return questions in other words, with the words of the template as `QueryQuestion.original`.

    A reply is taken only if it holds all names and numbers of the question, no answer, and is no other question's. Else
    the question stays as it is. If the model fails, or the budget is used up, so do the questions that are left.

    Args:
        questions: The questions.
        llm: The model; each question is one call.
        progress: Told how many questions are done.

    Raises:
        ModelError: The model gave no reply at all.
    """
    result, made = Paraphrases(llm.model), list[QueryQuestion]()
    taken = {question.question for question in questions}
    with record(Trace(), "questions", "words") as entry:
        try:
            for first in range(0, len(questions), llm.parallel):
                several = questions[first : first + llm.parallel]
                for question, reply in zip(several, llm.ask_all(list(map(_request, several))), strict=True):
                    text = _text(reply.text)
                    fault = _fault(text, question, taken)
                    made.append(question if fault else replace(question, question=text, original=question.question))
                    taken.add(made[-1].question)
                    result.changed += not fault
                    result.refused.update([fault] if fault else [])
                progress("", len(made), len(questions))
        except (ModelError, StoppedError) as error:
            if not made and isinstance(error, ModelError):
                raise
            result.stopped = str(error)
    result.calls, result.cost = entry.calls, entry.cost
    return [*made, *questions[len(made) :]], result


def _request(question: QueryQuestion) -> Request:
    return Request([system(_INSTRUCTION), user(f"Question: {one_line(question.question)}\nRewritten:")])


def _text(reply: str) -> str:
    """Return the question of a reply: its first line, without a label and quotes; empty if it has none."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    text = _LABEL.sub("", lines[0], count=1) if lines else ""
    return one_line(text.strip().strip('"“”').strip())


def _fault(text: str, question: QueryQuestion, taken: Collection[str]) -> str:
    """Return why a text cannot stand for a question; empty if it can."""
    original = question.question
    if not text:
        return "has no question"
    if _bare(text) == _bare(original):
        return UNCHANGED
    if any(name not in text for name in question.seeds):
        return "lacks a name of the question"
    if Counter(_numbers(original, question.seeds)) - Counter(_numbers(text, question.seeds)):
        return "lacks a number of the question"
    if any(len(answer) >= _LEAST_ANSWER and answer in text and answer not in original for answer in question.answers):
        return "tells an answer"
    if len(text) > 2 * len(original) + 100:
        return "is much longer than the question"
    return "is the question of another" if text in taken else ""


def _numbers(text: str, names: Iterable[str]) -> list[str]:
    """Return the numbers of a text that are not part of names."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, " ")
    return _NUMBER.findall(text)


def _bare(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
