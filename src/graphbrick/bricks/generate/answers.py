"""Answers of a language model in lines or JSON, each with the numbers of supporting paths."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from graphbrick.bricks.generate.marks import marks_alone, numbers_in
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import fold
from graphbrick.models.llm.replies.json_replies import json_string, number_in, only_list
from graphbrick.models.llm.replies.replies import one_line, opened

NOTHING = "NOT IN THE PATHS"
# By whether the reply is JSON: how answers are written, and how the model says that there is none.
FORM = {
    False: "Reply with the answers only, one a line, the most likely first, each written as in the paths and followed "
    "by the numbers of the paths that hold it, such as\nUganda [1, 4]\nwithout numbering and without explanation.",
    True: 'Reply with JSON such as {"answers": [{"answer": "Uganda", "paths": [1, 4]}]}: the answers, the most likely '
    "first, each written as in the paths, with the numbers of the paths that hold it.",
}
REFUSAL = {
    False: f"If the paths do not hold the answer, reply {NOTHING}.",
    True: 'If the paths do not hold the answer, reply {"answers": []}.',
}
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
_BULLET = Expression(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_LABEL = Expression(r"^(?:the\s+)?(?:final\s+|correct\s+)?answers?(?:\s+(?:is|are)\b\s*:?|\s*:)[\s*]*", re.IGNORECASE)
_MARK = Expression(r"([\[(])\s*(paths?\s*)?(\d{1,6}(?:\s*[,;&–-]\s*\d{1,6})*)\s*[\])]", re.IGNORECASE)
_BETWEEN = Expression(r"^[\s*]*(?:[,;|&]\s*(?:and\s+)?|and\s+)", re.IGNORECASE)
_SPECIAL = Expression(r"[\[(:]")  # in a name that could be taken for a citation or a label
_TAIL = 5  # words after the last citation that may be a further answer; more are an explanation
_WHOLE = Expression(r'"answer"\s*:\s*("(?:[^"\\]|\\.)*")', re.DOTALL)


class ReplyAnswer(NamedTuple):
    """One answer of a reply.

    Attributes:
        text: The answer.
        cited: The numbers of the items that the model names as support, from 1, as the model wrote them.
    """

    text: str
    cited: tuple[int, ...] = ()


class _Known(NamedTuple):
    """The context in which a reply is read.

    Attributes:
        names: Known names, by `spellings`.
        special: Those with a colon or brackets.
        longest: Characters of the longest of these.
        items: How many items the model was shown; None if that is not known.
    """

    names: Collection[str]
    special: frozenset[str]
    longest: int
    items: int | None


def read_answers(reply: str, names: Collection[str] = (), items: int | None = None) -> list[ReplyAnswer]:
    """Return the answers of a reply, each once whatever its case; none if the model found nothing.

    They are the lines of the reply without bullets, labels and Markdown, the entries of a JSON object or list, or the
    one answer of a JSON object; of JSON that was cut off, the complete entries. A line with several citations has
    several answers (``Uganda [3], Kenya [2]``); a citation may also stand first (``[3] Uganda``). A reply that says
    that there is no answer, but cites paths for some, has those; without a citation the refusal counts.

    Args:
        reply: The reply.
        names: Known names, by `spellings`: numbers in brackets may be part of one, such as ``Weezer [1994]``.
        items: How many items the model was shown; then ``(3)`` cites the third, and ``[1994]`` within a line nothing.

    >>> read_answers("Uganda [1, 4]\\nKenya")
    [ReplyAnswer(text='Uganda', cited=(1, 4)), ReplyAnswer(text='Kenya', cited=())]
    """
    text, value = opened(reply)
    if marks_alone(text):
        return []
    listed = _listed(value)
    special = frozenset(name for name in names if _SPECIAL.search(name))
    known = _Known(names, special, max(map(len, special), default=0), items)
    if listed is not None:
        entries = [entry for item in listed for entry in _item(item, known)]
    else:
        entries = [entry for line in text.splitlines() for entry in _line(line, known)]
    answers: dict[str, ReplyAnswer] = {}
    for entry in entries:
        bare = entry.text.strip().strip("`\"'*").strip()
        if bare and not marks_alone(bare) and bare != ".":
            before = answers.setdefault(key(bare), ReplyAnswer(bare))
            answers[key(bare)] = ReplyAnswer(before.text, tuple(dict.fromkeys(before.cited + entry.cited)))
    refusals = [form for form in answers if f"{form} ".startswith(f"{fold(NOTHING)} ")]  # with its reason on one line
    if [answers.pop(form) for form in refusals]:
        return [answer for answer in answers.values() if answer.cited]
    return [] if list(answers) == ["none"] else list(answers.values())


def in_json(reply: str) -> str:
    """Convert a reply in lines to the JSON that a server with structured output would give.

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
    """Return the form that all spellings of a name share; a name without letters and digits as it is."""
    return fold(text) or text


def spellings(name: str) -> tuple[str, ...]:
    """Return the forms of a known name for `read_answers`: its `key`, and itself if it could be misread.

    >>> spellings("Kenya"), spellings("Weezer [1994]")
    (('kenya',), ('weezer 1994', 'weezer [1994]'))
    """
    exact = one_line(name).casefold()
    return (key(name), exact) if _SPECIAL.search(exact) else (key(name),)


def json_as_lines(on_token: Callable[[str], None]) -> Callable[[str], None]:
    """Return a token callback that reads JSON and passes on each answer, one a line, once it is complete.

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


def _listed(value: object) -> list[Any] | None:
    """Return the entries of the JSON of a reply, whatever it says beside them; None if it holds none."""
    if value == {}:
        return []
    if isinstance(value, dict):
        inner = value.get("answers")
        if isinstance(inner, dict | str):
            return [inner]
        if inner is None and value.get("answer") is not None:
            return [value]
        return inner if isinstance(inner, list) else None if "paths" in value else only_list(value)
    return value if isinstance(value, list) else None


def _item(item: object, known: _Known) -> list[ReplyAnswer]:
    """Return the answers in one entry of a JSON list."""
    if isinstance(item, dict):
        answer, cited = item.get("answer"), _cited(item.get("paths"))
        texts = answer if isinstance(answer, list) else [answer]
        return [ReplyAnswer(str(text), cited) for text in texts if text is not None]
    return [] if item is None else _line(one_line(str(item)), known)


def _cited(value: object) -> tuple[int, ...]:
    """Return the numbers of the items that an entry cites: a list of numbers or texts, or a single number."""
    numbers = map(number_in, value if isinstance(value, list) else [value] if isinstance(value, int) else [])
    return tuple(int(number) for number in numbers if number is not None and number == int(number))


def _line(line: str, known: _Known) -> list[ReplyAnswer]:
    """Return the answers of one line, each with the numbers in the brackets after it, or else before it."""
    bare = _BULLET.sub("", line).lstrip("*\"' ").strip()
    if _named(bare, list(_MARK.finditer(bare)), known) is None:
        bare = _LABEL.sub("", bare).lstrip("*\"' ")
        first = _MARK.match(bare)
        leads = first is not None and (first.group(1) == "[" or _is_citation(first, known.items))
        if first and leads and _named(bare, list(_MARK.finditer(bare)), known) is None:
            return _after(first, known)
    return _followed(bare, known)


def _after(first: re.Match[str], known: _Known) -> list[ReplyAnswer]:
    """Return the answers of a line that begins with a number in brackets."""
    rest = first.string[first.end() :]
    entries = _followed(rest, known)
    if entries and all(entry.cited for entry in entries):
        return entries  # the first number is that of the line
    # Each number stands before its answer: move all behind.
    marks = [first.group(), *(mark.group() for mark in _MARK.finditer(rest))]
    texts = _MARK.sub("\n", rest).split("\n")
    behind = (f"{text.rstrip(' ,;')} {mark}" for text, mark in zip(texts, marks, strict=True))
    return [entry for part in behind for entry in _followed(part, known)]


def _followed(line: str, known: _Known) -> list[ReplyAnswer]:
    """Return the answers of a line in which citations follow them, and a last one without a citation."""
    entries: list[ReplyAnswer] = []
    marks, start = list(_MARK.finditer(line)), 0
    while marks:
        end = _named(line[start:], marks, known, start)
        mark = next((mark for mark in marks if end is None or mark.start() >= end), None)
        if mark is None:
            break  # the rest is a name
        marks = marks[marks.index(mark) + 1 :]
        if end is None and not _is_citation(mark, known.items):
            continue
        text, cited = _clean(line[start : mark.start()]), numbers_in(mark.group(3))
        start = mark.end()
        if text:
            entries.append(ReplyAnswer(text, cited))
        elif entries:
            entries[-1] = ReplyAnswer(entries[-1].text, entries[-1].cited + cited)
    tail = line[start:]
    last = _BETWEEN.sub("", tail).strip()
    follows = _BETWEEN.match(tail) and len(last.split()) <= _TAIL
    if last and (not entries or (re.search(r"\w", last) and (key(last) in known.names or follows))):
        entries.append(ReplyAnswer(last))
    return entries


def _named(text: str, marks: Sequence[re.Match[str]], known: _Known, start: int = 0) -> int | None:
    """Return the end of the longest name with a colon or brackets that a text begins with; None for none.

    Args:
        text: The text.
        marks: Numbers in brackets in the line that the text is the rest of: one of them follows the name, or nothing.
        known: Known names.
        start: Where the text begins in its line.
    """
    if not known.special:
        return None
    most = start + 2 * known.longest + 20  # with what is stripped
    ends = [mark.start() for mark in takewhile(lambda mark: mark.start() <= most, marks)]
    ends += [start + len(text)] if start + len(text) <= most else []
    cut = ((end, _clean(text[: end - start]).strip("`\"'*").casefold()) for end in reversed(ends))
    return next((end for end, name in cut if name in known.special), None)


def _clean(text: str) -> str:
    """Return the text of an answer without what separates it from its neighbours."""
    return _BETWEEN.sub("", text).strip().rstrip(" -:,;")


def _is_citation(mark: re.Match[str], items: int | None) -> bool:
    """Return whether numbers in brackets cite items."""
    shown = items is not None and any(0 < number <= items for number in numbers_in(mark.group(3)))
    if mark.group(1) == "(":
        return shown or bool(mark.group(2))
    return shown or items is None or not re.search(r"\w", mark.string[mark.end() :])
