"""The last message of a conversation as a question that stands alone, by a language model or by rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphbrick.bricks.link.labels import LinkLabels
from graphbrick.core.query import LONGEST_QUESTION
from graphbrick.core.trace import StageTrace, Trace, event, record
from graphbrick.language.small_talk import small_talk
from graphbrick.models.llm.chat import ChatModel
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.budget import StoppedError
from graphbrick.pipeline.composition import parts_within
from graphbrick.serve.conversation.answer_text import offered_question
from graphbrick.serve.conversation.earlier_questions import asker
from graphbrick.serve.conversation.focus import Completed
from graphbrick.serve.conversation.follow_ups import FollowUps
from graphbrick.serve.conversation.model import rewritten
from graphbrick.serve.conversation.names import names_in
from graphbrick.serve.conversation.turns import Conversation, Turn


@dataclass(frozen=True)
class Standalone:
    """A question that can be understood without its conversation.

    Attributes:
        question: The question.
        seeds: Keys of the entities to start from, if the question alone does not tell them; empty to link it.
        by: "rules", or the name of the language model that completed it; empty if it is as the user wrote it.
        stage: Trace of what was done, the first stage of the run; None if there was nothing to do.
    """

    question: str
    seeds: tuple[str, ...] = ()
    by: str = ""
    stage: StageTrace | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return question, seeds and what completed it, as JSON types."""
        return {"question": self.question, "by": self.by, "seeds": list(self.seeds)}


def standalone(graph: Any, pipeline: Pipeline, conversation: Conversation) -> Standalone:
    """Return the last message of a conversation as a question that stands alone.

    The first language model of the pipeline writes it, in one call. Without a model, or if its reply cannot be used,
    rules do (`graphbrick.serve.conversation.follow_ups`). A first message stays as it is.

    Args:
        graph: The graph.
        pipeline: The pipeline that is going to answer.
        conversation: The conversation.

    Raises:
        ModelError: The model's server cannot be reached, refuses the request, or does not answer in time.
    """
    last = conversation.turns[-1].reply if conversation.turns else ""
    is_talk = small_talk(conversation.question) and not offered_question(last, conversation.question)
    if is_talk or (not conversation.turns and not conversation.notes):
        return Standalone(conversation.question)
    trace = Trace()
    with record(trace, "conversation", "conversation") as stage:
        stage.counts_in = {"earlier turns": len(conversation.turns)}
        for note in conversation.notes:
            event(note)
        if not conversation.turns:
            return Standalone(conversation.question, stage=stage)
        return replace(_completed(graph, pipeline, conversation), stage=stage)


def _completed(graph: Any, pipeline: Pipeline, conversation: Conversation) -> Standalone:
    """Return the completed question, without a trace."""
    question = conversation.question
    turns = _with_chosen(conversation.turns)
    chosen = offered_question(turns[-1].reply, question)
    if chosen:
        event(f"the question was completed as {chosen!r}", "conversation.chosen_reading", question=chosen)
        return Standalone(chosen, by="rules")
    llm = next((part for part in parts_within(pipeline) if isinstance(part, ChatModel)), None)
    text = "" if llm is None else _by_model(llm, conversation)
    if llm is not None and text:
        if " ".join(question.split()) == text:
            return Standalone(question)
        event(f"{llm.model} completed the question: {text!r}", "conversation.read_by_model", question=text)
        return Standalone(text, by=llm.model)
    turns = [turn for turn in turns if not small_talk(turn.question)]  # its examples name what nobody asked about
    learned = next((part.words for part in parts_within(pipeline) if isinstance(part, LinkLabels)), None)
    completed = FollowUps(graph, turns, learned, asker(graph, pipeline)).completed(question)
    if completed is None:
        return Standalone(question)
    if len(completed.question) > LONGEST_QUESTION:
        event(
            f"the question was not completed, as it would have more than {LONGEST_QUESTION:,} characters",
            "conversation.too_long",
            longest=LONGEST_QUESTION,
        )
        return Standalone(question)
    event(
        f"the question was completed as {completed.question!r}: {completed.reason}",
        "conversation.completed",
        question=completed.question,
        reason=completed.reason,
    )
    return Standalone(completed.question, _seeds(graph, completed), "rules")


def _with_chosen(turns: Sequence[Turn]) -> list[Turn]:
    """Return turns in which a choice among offered readings is the question that it stands for."""
    replies = ["", *(turn.reply for turn in turns)]
    chosen = (offered_question(reply, turn.question) for reply, turn in zip(replies, turns, strict=False))
    return [replace(turn, question=text or turn.question) for turn, text in zip(turns, chosen, strict=True)]


def _by_model(llm: ChatModel, conversation: Conversation) -> str:
    """Return the question as a model completes it; empty if the budget does not hold the call."""
    try:
        return rewritten(llm, conversation.turns, conversation.question)
    except StoppedError as error:
        event(f"rules read the question, as {llm.model} was not asked: {error}", "conversation.model_not_asked")
        return ""


def _seeds(graph: Any, completed: Completed) -> tuple[str, ...]:
    """Return the keys of all entities of a question, if linking it might take others; else none."""
    names = names_in(graph, completed.question)
    told = {name.entity for name in names if name.unique}
    if told.issuperset(completed.entities):
        return ()
    meant = set(map(graph.label, completed.entities))
    others = (name.entity for name in names if graph.label(name.entity) not in meant)
    return tuple(dict.fromkeys(map(graph.key, (*completed.entities, *others))))
