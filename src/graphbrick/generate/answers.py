"""Answers as a language model writes them: in lines or JSON, each with the numbers of the paths that support it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from graphbrick.graphs.text import fold
from graphbrick.llm.json_replies import json_string
from graphbrick.llm.replies import opened

NOTHING = "NOT IN THE PATHS"
IN_LINES = (
    "Reply with the answers only, one a line, the most likely first, each written as in the paths and followed by the "
    "numbers of the paths that hold it, such as\nUganda [1, 4]\nwithout numbering and without explanation. If the "
    f"paths do not hold the answer, reply {NOTHING}."
)
IN_JSON = (
    'Reply with JSON such as {"answers": [{"answer": "Uganda", "paths": [1, 4]}]}: the answers, the most likely first, '
    "each written as in the paths, with the numbers of the paths that hold it. If the paths do not hold the answer, "
    'reply {"answers": []}.'
)
SCHEMA = {
    "type": "object",
    "properties": {
        "answers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "answer": {"type": "string"},
                    "paths": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["answer", "paths"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["answers"],
    "additionalProperties": False,
}
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_CITED = re.compile(r"^(.*\S)\s*\[\s*((?:paths?\s*)?\d{1,6}(?:\s*[,;&-]\s*\d{1,6})*)\s*\]\W*$", re.IGNORECASE)
_WHOLE = re.compile(r'"answer"\s*:\s*("(?:[^"\\]|\\.)*")', re.DOTALL)


class ReplyAnswer(NamedTuple):
    """One answer of a reply.

    Attributes:
        text: The answer.
        cited: The numbers of the items that the model names as support, from 1, as the model wrote them.
    """

    text: str
    cited: tuple[int, ...] = ()


def read_answers(reply: str) -> list[ReplyAnswer]:
    """Return the answers of a reply, each once whatever its case; none if the model found nothing.

    They are the lines of the reply without bullets and Markdown, or the entries of a JSON object or list; of JSON that
    was cut off, the complete entries.

    >>> read_answers("Uganda [1, 4]\\nKenya")
    [ReplyAnswer(text='Uganda', cited=(1, 4)), ReplyAnswer(text='Kenya', cited=())]
    """
    text, value = opened(reply)
    inner = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value
    if isinstance(inner, list):
        entries = [entry for item in inner if (entry := _item(item)) is not None]
    else:
        entries = [_line(line) for line in text.splitlines()]
    answers: dict[str, ReplyAnswer] = {}
    for entry in entries:
        bare = entry.text.strip().strip("`\"'*").strip()
        if bare:
            before = answers.setdefault(key(bare), ReplyAnswer(bare))
            answers[key(bare)] = ReplyAnswer(before.text, tuple(dict.fromkeys(before.cited + entry.cited)))
    nothing = fold(NOTHING) in answers or list(answers) == ["none"]
    return [] if nothing else list(answers.values())


def in_json(reply: str) -> str:
    """Return a reply in lines as the JSON that a server with structured output would give.

    >>> in_json("Uganda [1]")
    '{"answers": [{"answer": "Uganda", "paths": [1]}]}'
    """
    return write_answers(read_answers(reply), structured=True)


def write_answers(answers: Sequence[ReplyAnswer], *, structured: bool) -> str:
    """Write answers in the form that the prompt asks for: JSON or lines.

    >>> write_answers([ReplyAnswer("Uganda", (1, 4))], structured=False), write_answers([], structured=False)
    ('Uganda [1, 4]', 'NOT IN THE PATHS')
    """
    if structured:
        entries = [{"answer": answer.text, "paths": list(answer.cited)} for answer in answers]
        return json.dumps({"answers": entries}, ensure_ascii=False)
    lines = (
        f"{answer.text} [{', '.join(map(str, answer.cited))}]" if answer.cited else answer.text for answer in answers
    )
    return "\n".join(lines) or NOTHING


def key(text: str) -> str:
    """Return the form in which two spellings of one name are equal; a name without letters and digits as it is."""
    return fold(text) or text


def json_as_lines(on_token: Callable[[str], None]) -> Callable[[str], None]:
    """Return a token callback that reads JSON and passes on the answers in it, one a line, as soon as each is whole.

    A reply that does not begin as JSON is passed on as it comes: not every server keeps to a schema.
    """
    whole, passed = "", 0

    def read(piece: str) -> None:
        nonlocal whole, passed
        whole += piece
        begun = whole[:1000].lstrip()
        if begun and begun[0] not in "{`":
            on_token(whole[passed:])
            passed = len(whole)
        elif '"' in piece:
            for match in _WHOLE.finditer(whole, passed):
                on_token(f"{json_string(match.group(1))}\n")
                passed = match.end()

    return read


def _item(item: object) -> ReplyAnswer | None:
    """Return the answer in one entry of a JSON list; None if there is none."""
    if isinstance(item, dict):
        cited = item.get("paths")
        numbers = cited if isinstance(cited, list) else []
        text = item.get("answer")
        if text is None:
            return None
        return ReplyAnswer(str(text), tuple(n for n in numbers if isinstance(n, int) and not isinstance(n, bool)))
    return None if item is None else ReplyAnswer(str(item))


def _line(line: str) -> ReplyAnswer:
    bare = _BULLET.sub("", line).strip()
    cited = _CITED.match(bare)
    return ReplyAnswer(cited.group(1).rstrip(" -:"), _numbers(cited.group(2))) if cited else ReplyAnswer(bare)


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers that a text lists; ``2-4`` are three."""
    numbers: list[int] = []
    for first, last in re.findall(r"(\d+)(?:\s*-\s*(\d+))?", text):
        numbers += range(int(first), min(int(last or first), int(first) + 1000) + 1)
    return tuple(numbers)
