"""Messages of a chat as turns: each is a question of the user with the reply to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graphbrick.core.query import check_question
from graphbrick.serve.conversation.answer_text import first_document, taken_as, without_sources
from graphbrick.serve.conversation.tasks import without_context
from graphbrick.serve.errors import ServeError
from graphbrick.serve.models import ChatMessage

TURNS = 8  # earlier turns that are read
_LONGEST_EARLIER = 1_000  # characters of an earlier question or reply
_NOWHERE = "not in these documents"  # what a reply says that refuses a question over documents
_IT = "(?:that|this|it|so)"
_DOCUMENT = "(?:page|document|file|text|section|chapter)"
# Questions about where the answer before stands, and for more of the document that it stands in.
_WHERE = re.compile(
    rf"(?:and |but |so )?(?:where|in (?:which|what) {_DOCUMENT}) (?:"
    rf"(?:does|do|did) (?:it|they|the \w+) (?:say|state)(?: {_IT})?|(?:is|was) {_IT} (?:written|said|stated|from|found)"
    rf"|(?:did|do) you (?:find|get|read|have|know) {_IT}(?: from)?|does {_IT} (?:stand|come from))"
    rf"|(?:what(?:'s| is) )?(?:the|your) (?:source|reference)s?(?: (?:of|for) {_IT})?|sources?"
    r"|(?:show|give|quote)(?: me)? (?:the|that|this|your) (?:source|passage|quotation|quote|reference|sentence)s?"
    r"|wo steht (?:das|es)(?: denn| genau)?|(?:zeige?|nenne)(?: mir)? die (?:stelle|quelle)n?"
    r"|où (?:est-ce|cela est-il|c'est) (?:écrit|dit)|d[oó]nde (?:dice|pone) eso|onde (?:diz|está escrito) isso"
    r"|dove (?:è|sta) scritto"
)
_MORE = re.compile(
    rf"(?:please )?(?:summari[sz]e|sum up|show|open|read)(?: me)? (?:that|this|the(?: same| whole)?) {_DOCUMENT}"
    r"|(?:and )?(?:(?:show|tell|give|read)(?: me)? )?more(?: of (?:that|this|it|them))?"
    rf"|what else does (?:it|that|this|the {_DOCUMENT}) say|(?:zeige?|sag)(?: mir)? mehr|fasse (?:das|die) \w+ zusammen"
)


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier turn of a conversation.

    Attributes:
        question: Message of the user.
        reply: The reply, without the list of sources; empty without one.
        taken: The complete question that the reply says it answers; empty if it says none.
        document: The document of the first source of the reply; empty if it names none.
    """

    question: str
    reply: str
    taken: str = field(default="", compare=False)
    document: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation up to the message that is to be answered.

    Attributes:
        question: The last message of the user.
        turns: The turns before, oldest first, at most eight.
        notes: Notes about parts of the conversation that were left out.
    """

    question: str
    turns: tuple[Turn, ...] = ()
    notes: tuple[str, ...] = ()


def read_conversation(messages: Sequence[ChatMessage]) -> Conversation:
    """Return the conversation that messages hold; only their texts are read.

    Messages of the system and of tools are instructions and data for a language model. A recipe has prompts of its own,
    so they are left out, which is noted.

    Raises:
        ServeError: 400, there is no message of the user, or the last one has no text.
        GraphbrickError: It is too long.
    """
    last = _place_of_last(messages)
    said = text_of(messages[last]).strip()
    question = without_context(said)
    if not question:
        raise ServeError(400, "empty_message", "the last message of the user has no text")
    check_question(question)
    turns = _turns(messages[:last])
    notes = [*_notes(messages[: last + 1], len(turns))]
    if question != said:
        notes.append("the context that the chat program found was left out: a recipe searches by itself")
    return Conversation(question, tuple(turns[-TURNS:]), tuple(notes))


def of_last_answer(question: str, turns: Sequence[Turn]) -> str:
    """Return the question that asks where the answer before stands, or for more of that document; empty for others.

    >>> turns = [Turn("When does it close?", "At noon.", "", "hours.md")]
    >>> of_last_answer("Where does it say that?", turns), of_last_answer("Summarise that page", turns)
    ('When does it close?', 'Summarise hours.md')

    Args:
        question: What the user writes.
        turns: The turns before, oldest first.
    """
    last = turns[-1] if turns else None
    plain = " ".join(question.lower().replace("’", "'").strip(" .!?¿¡\n").removesuffix("please").strip(" ,").split())
    if last is None or not (last.document or _NOWHERE in last.reply):
        return ""
    if _WHERE.fullmatch(plain):
        return last.taken or last.question
    return f"Summarise {last.document}" if last.document and _MORE.fullmatch(plain) else ""


def last_message(messages: Sequence[ChatMessage]) -> tuple[str, list[str]]:
    """Return the last message of the user, and those before.

    Raises:
        ServeError: 400, there is none.
    """
    last = _place_of_last(messages)
    return text_of(messages[last]), [text_of(one) for one in messages[:last] if one.role == "user"]


def _place_of_last(messages: Sequence[ChatMessage]) -> int:
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].role == "user":
            return place
    raise ServeError(400, "no_message", "there is no message of the user to answer")


def text_of(message: ChatMessage) -> str:
    """Return the text of a message; that of its parts is joined by line breaks."""
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    return "\n".join(part.text for part in message.content if part.type in ("text", "input_text") and part.text)


def _turns(messages: Iterable[ChatMessage]) -> list[Turn]:
    """Return a turn for each message of the user with text, each with the replies up to the next one."""
    turns: list[Turn] = []
    for message in messages:
        text = text_of(message).strip()
        if message.role == "user" and text:
            turns.append(Turn(text[:_LONGEST_EARLIER], ""))
        elif message.role == "assistant" and text and turns:
            reply = f"{turns[-1].reply}\n{without_sources(text)}".strip()
            last = turns[-1]
            taken, document = taken_as(text) or last.taken, last.document or first_document(text)
            turns[-1] = Turn(last.question, reply[:_LONGEST_EARLIER], taken, document)
    return turns


def _notes(messages: Sequence[ChatMessage], turns: int) -> Iterable[str]:
    rules = sum(message.role in ("system", "developer") for message in messages)
    if rules:
        yield f"{rules:,} system message{'s' * (rules > 1)} left out: a recipe has its own prompts"
    others = {part.type for message in messages if isinstance(message.content, list) for part in message.content}
    if others := others - {"text", "input_text", "refusal"}:
        yield f"parts that are no text left out: {', '.join(sorted(others))[:200]}"
    if turns > TURNS:
        yield f"only the last {TURNS} of {turns:,} earlier turns were read"
