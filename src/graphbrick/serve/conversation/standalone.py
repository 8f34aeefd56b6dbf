"""The last message of a conversation as a question that stands alone, by a language model or by rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphbrick.bricks.link.labels import LinkLabels
from graphbrick.core.query import LONGEST_QUESTION
from graphbrick.core.trace import StageTrace, Trace, event, record
from graphbrick.language.folding import nfc
from graphbrick.language.small_talk import small_talk
from graphbrick.language.stems import stems
from graphbrick.models.llm.chat import ChatModel
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.budget import StoppedError
from graphbrick.pipeline.composition import parts_within
from graphbrick.serve.conversation.answer_text import offered_question
from graphbrick.serve.conversation.earlier_questions import Ask, asker
from graphbrick.serve.conversation.focus import Completed
from graphbrick.serve.conversation.follow_ups import FollowUps
from graphbrick.serve.conversation.model import rewritten
from graphbrick.serve.conversation.names import names_in
from graphbrick.serve.conversation.own_references import (
    is_whole,
    may_choose,
    names_its_own,
    proper,
    speaks_of_others,
    without_names,
)
from graphbrick.serve.conversation.turns import Conversation, Turn, of_last_answer

_SURE = 0.5  # confidence of an answer from which on the rules are sure that they read its question


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

    Rules do it first (`graphbrick.serve.conversation.follow_ups`). What they are not sure of goes to the first language
    model of the pipeline, in one call. Without a model, or if its reply cannot be used, that of the rules counts.
    A first message stays as it is, and so does one that plainly speaks of nothing that was said before.

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
    again = of_last_answer(question, turns)
    if again:
        event(f"the question was completed as {again!r}", "conversation.of_last_answer", question=again)
        return Standalone(again, by="rules")
    llm = next((part for part in parts_within(pipeline) if isinstance(part, ChatModel)), None)
    turns = [turn for turn in turns if not small_talk(turn.question)]  # its examples name what nobody asked about
    learned = next((part.words for part in parts_within(pipeline) if isinstance(part, LinkLabels)), None)
    ask = asker(graph, pipeline)
    rules = FollowUps(graph, turns, learned, ask)
    completed = rules.completed(question)
    if llm is not None and not _is_read(graph, question, completed, turns, rules, ask):
        text = _by_model(llm, conversation)
        if " ".join(question.split()) == text:
            return Standalone(question)
        if text:
            event(f"{llm.model} completed the question: {text!r}", "conversation.read_by_model", question=text)
            return Standalone(text, by=llm.model)
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


def _is_read(
    graph: Any, question: str, completed: Completed | None, turns: Sequence[Turn], rules: FollowUps, ask: Ask | None
) -> bool:
    """Return whether the rules are sure of a question, so that a language model need not read it.

    They are if they answer it, completed by a rule that leaves nothing open, or as it is if it stands alone. Where only
    a model answers, such as over documents, they are sure of what stands alone and names something for the first time.
    """
    text = nfc(" ".join(question.split())) if completed is None else completed.question
    names = names_in(graph, text)
    classes = {word for label in getattr(graph, "type_labels", list)() for word in stems(label)}
    if ask is None:
        said = "\n".join(f"{turn.question} {turn.taken} {turn.reply}" for turn in turns)
        names = proper(text, names)
        is_open = completed is not None or not is_whole(text, names) or not proper(text, names, said)
        return not is_open and not speaks_of_others(text, names, classes)
    if len(text) > LONGEST_QUESTION or speaks_of_others(text, names, classes):
        return False
    if completed is None:
        last = turns[-1] if turns else Turn("", "")
        former = nfc(last.taken or last.question)
        if not is_whole(text, names) or not names_its_own(text, names, f"{former} {last.reply}"):
            return False
        if rules.is_after_list() and may_choose(text, names, without_names(former, names_in(graph, former)), classes):
            return False
    elif not completed.is_certain:
        return False
    result = ask(text)
    return result is not None and (result.confidence is None or result.confidence >= _SURE)


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
