"""Prompts that chat programs send beside a conversation: for its title, tags, further questions and search queries.

Open WebUI and LibreChat ask the model of the chat for them, in words for a language model. They are recognised by their
wording and answered from the text of the conversation, without a run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphbrick.language.small_talk import small_talk
from graphbrick.language.stop_words import FUNCTION_WORDS, INTERROGATIVES, QUESTION_WORDS, stop_words_of
from graphbrick.serve.conversation.answer_text import without_sources

_JSON_KEY = re.compile(r'"(title|tags|follow_ups|queries|prompt|text)"\s*:')
_HISTORY = re.compile(
    r"<chat_history>(.*)</chat_history>|^Conversation:\n(.*)|^Here is the query:\n(.*?)\n\n(?=Create )", re.S | re.M
)
_TITLE = re.compile(
    r"\A(?:Please |Here is the query:.*?\n\n)?(?:create|generate|provide) a concise\b.{0,80}\btitle\b", re.I | re.S
)
_EMOJI = re.compile(r"\AYour task is to reflect the speaker's likely facial expression through a fitting emoji\b")
_SAID = re.compile(r"^(USER|HUMAN|ASSISTANT|AI|SYSTEM|TOOL): ?", re.MULTILINE | re.IGNORECASE)
_CONTEXT = re.compile(r"\A### Task:\s+Respond to the user query using the provided context.*</context>", re.DOTALL)
_QUERY = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)
_WORDS, _LETTERS = 6, 40  # of a title
_MOST = 3  # tags, and further questions
_NAME = 60  # characters of an answer that may be a name


@dataclass(frozen=True)
class Task:
    """What a chat program wants to know of a conversation.

    Attributes:
        key: Key of the JSON that it reads: title, tags, follow_ups, queries, prompt, text or tool_calls; "emoji" for a
            sign.
        as_json: Whether the reply is JSON, not the text alone.
        questions: Messages of the user, oldest first.
        replies: Messages of the assistant.
    """

    key: str
    as_json: bool
    questions: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()


def read_task(prompt: str, earlier: Sequence[str] = (), rules: str = "") -> Task | None:
    """Return the task that a message is the prompt of; None for a message of a person.

    Args:
        prompt: The last message of the user.
        earlier: The messages of the user before, which tell the conversation if the prompt does not.
        rules: The messages of the system.

    >>> read_task('### Task:\\nGenerate 1-3 broad tags ... JSON format: { "tags": ["tag1"] }').key
    'tags'
    """
    prompt = prompt.strip()
    if _EMOJI.match(prompt):
        return Task("emoji", False)
    if rules.lstrip().startswith("Available Tools:") and '"tool_calls"' in rules:
        return Task("tool_calls", True)
    history = _HISTORY.search(prompt)
    instructions = prompt[: history.start()] + prompt[history.end() :] if history else prompt
    is_task = prompt.startswith("### Task:") or (prompt.startswith("#") and "<chat_history>" in prompt)  # translated
    key = _JSON_KEY.search(instructions) if is_task else None
    is_title = bool(_TITLE.match(prompt.removeprefix("### Task:").lstrip())) and (history or earlier or key)
    if key is None and not is_title:
        return None
    said = _said(next(filter(None, history.groups()), "") if history else "")
    questions = tuple(text for role, text in said if role in ("USER", "HUMAN")) or tuple(earlier)
    replies = tuple(text for role, text in said if role in ("ASSISTANT", "AI"))
    return Task("title" if key is None else key[1], key is not None, questions, replies)


def _said(history: str) -> list[tuple[str, str]]:
    """Return role and text of each message; a history without roles is one message of the user."""
    parts = _SAID.split(history)
    pairs = list(zip(map(str.upper, parts[1::2]), map(str.strip, parts[2::2]), strict=True))
    return pairs or ([("USER", history.strip())] if history.strip() else [])


def task_reply(task: Task, name: str, examples: Callable[[], Sequence[str]]) -> str:
    """Return the reply to a task, in the form that it asks for.

    Args:
        task: The task.
        name: Name of the graph.
        examples: Gives questions that the graph can answer.
    """
    asked = [question for question in task.questions if not small_talk(question)]
    if task.key == "title":
        title = title_of(asked[0]) if asked else name
        return json.dumps({"title": title}, ensure_ascii=False) if task.as_json else title
    if task.key == "emoji":
        return "🙂"
    values: dict[str, object] = {
        "tags": _tags(asked) or ["General"],
        "follow_ups": _follow_ups(task, asked, examples) if task.key == "follow_ups" else [],
        "queries": asked[-1:],
        "prompt": asked[-1] if asked else "",
        "tool_calls": [],  # a recipe calls no tools of the client
        "text": "",  # no continuation of what a person is writing
    }
    return json.dumps({task.key: values[task.key]}, ensure_ascii=False)


def title_of(question: str) -> str:
    """Return a title for a conversation that began with a question: its words after «what is the» and the like.

    >>> title_of("What is the capital of Kenya?"), title_of("肯尼亚的首都是哪里？")
    ('Capital of Kenya', '肯尼亚的首都是哪里')
    """
    words = " ".join(question.split()).strip(" ?？؟!.。").split(" ")
    common = _common(words)
    telling = [i for i, word in enumerate(words) if word.strip(",;:").lower() not in common]
    chosen = words[telling[0] : telling[0] + _WORDS] if telling else words[:_WORDS]
    while telling and chosen[-1].lower() in common:
        chosen.pop()
    title = " ".join(chosen).strip(",;: ")
    title = title if len(title) <= _LETTERS else title[:_LETTERS].rpartition(" ")[0] or title[:_LETTERS]
    return title[:1].upper() + title[1:]


def _tags(questions: Sequence[str]) -> list[str]:
    """Return the names in questions: words with capitals that are not common words."""
    tags: list[str] = []
    for question in questions:
        common, run = _common(question.split()), list[str]()
        for word in [*question.split(), ""]:
            bare = word.strip(".,;:!?？«»\"'()")
            if bare[:1].isupper() and bare.lower() not in common:
                run.append(bare)
            elif run:
                tags.append(" ".join(run))
                run = []
    return list(dict.fromkeys(tags))[:_MOST]


def _common(words: Sequence[str]) -> frozenset[str]:
    """Return words that say nothing of the subject of a question."""
    return stop_words_of(word.lower() for word in words).union(QUESTION_WORDS, INTERROGATIVES, FUNCTION_WORDS)


def _follow_ups(task: Task, asked: Sequence[str], examples: Callable[[], Sequence[str]]) -> list[str]:
    """Return questions to go on with: about the last answer if it is a name, then what the graph can answer."""
    last = re.sub(r"\s*\[\d+\]", "", without_sources(task.replies[-1])).strip() if task.replies else ""
    is_name = 0 < len(last) <= _NAME and "\n" not in last and last[:1].isupper() and not last.endswith((".", "!", "?"))
    about = [f"Tell me about {last}"] if is_name and "," not in last else []
    return [one for one in (*about, *examples()) if one not in asked][:_MOST]


def without_context(message: str) -> str:
    """Return the question of a message in which a chat program wrapped the results of its own search.

    >>> task = "### Task:\\nRespond to the user query using the provided context.\\n"
    >>> without_context(f"{task}<context>x</context>\\n\\nWho?")
    'Who?'
    """
    wrapped = _CONTEXT.match(message.strip())
    if wrapped is None:
        return message
    rest = message.strip()[wrapped.end() :]
    query = _QUERY.search(message)
    return query[1].strip() if query else rest.strip()
