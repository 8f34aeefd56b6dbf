"""Reading actions that a model wrote as text, ``Action: tool[arguments]``, also badly written ones."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphbrick.bricks.agents.agent_tool import AgentTool, Given
from graphbrick.core.trace import event
from graphbrick.language.expressions.expression import Expression
from graphbrick.models.llm.replies.json_replies import find_json
from graphbrick.models.llm.replies.replies import shown
from graphbrick.models.llm.replies.thinking import without_thoughts


@dataclass(frozen=True)
class Call:
    """A tool call that a model made.

    Attributes:
        name: The tool as the model named it.
        arguments: The arguments, by name or in order.
        id: Identifier of a native tool call; empty for one in text.
        invalid: What the model wrote if the arguments could not be read.
    """

    name: str
    arguments: Given = field(default_factory=dict)
    id: str = ""
    invalid: str = ""

    @property
    def text(self) -> str:
        """The call as it is written in traces, such as ``search(text='Kenya')``."""
        if isinstance(self.arguments, Mapping):
            return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in self.arguments.items())})"
        return f"{self.name}({', '.join(map(repr, self.arguments))})"


_LONGEST = 20_000  # characters of a reply that are read
_LABEL = Expression(
    r"^[\s>*_#`-]*(thought|action input|action|observation|question|answer)s?\s*\d*[*_`]*\s*:[*_` ]*", re.I | re.M
)
_NAME = Expression(r"[A-Za-z][\w-]*")
_OPEN = {"[": "]", "(": ")", "{": "}"}
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'"})
_NAME_KEYS, _ARGUMENT_KEYS = (
    ("name", "tool", "action", "function"),
    ("arguments", "parameters", "args", "action_input", "input"),
)
_DOUBLED = Expression(r"\{\s*(?=\{\s*\")")  # {{"name": ...}}, as small models copy it from the template of their chat
_TAG = Expression(r"</?tool_calls?>|^[ \t]*```.*$", re.M | re.I)


def read_actions(reply: str, tools: Mapping[str, AgentTool]) -> list[Call]:
    """Return the tool calls in a text, in order.

    It reads ``Action: tool[arguments]`` with brackets of any kind or none, several of them, ``Action Input:`` on the
    next line, JSON objects with the name and the arguments of a tool, and known tools that stand in the text with
    brackets. What the model imagines as the result is left out, with an event.

    Args:
        reply: The reply.
        tools: The tools by name.

    >>> from graphbrick.bricks.agents.tools.find import search
    >>> read_actions('Thought: look.\\nAction: Search["Kenya", n=3]', {"search": search})
    [Call(name='search', arguments={'text': 'Kenya', 'n': '3'}, id='', invalid='')]
    """
    text = without_thoughts(reply).translate(_QUOTES)[:_LONGEST]
    sections = _sections(text)
    imagined = next((i for i, (label, _) in enumerate(sections) if label in ("observation", "question") and i), None)
    if imagined is not None and any(label == "action" for label, _ in sections[:imagined]):
        event(f"the model imagined a result, which was left out: {shown(reply)}", "agent.imagined_result", once=True)
        sections = sections[:imagined]
    calls: list[Call] = []
    for i, (label, body) in enumerate(sections):
        if label == "action":
            following = sections[i + 1] if i + 1 < len(sections) else ("", "")
            inputs = following[1] if following[0] == "action input" else ""
            if body.strip()[:1] in ("{", "["):
                calls += _json_calls(body.strip(), tools)
                continue
            calls += _calls_in(f"{body.strip()}[{inputs.strip()}]" if inputs.strip() else body, tools, anywhere=False)
    if not calls:
        bare = "\n".join(body for label, body in sections if label != "observation")
        calls = _json_calls(_TAG.sub("", bare), tools) or _calls_in(bare, tools, anywhere=True)
    return calls


def _sections(text: str) -> list[tuple[str, str]]:
    """Return the parts of a reply by their labels, such as "thought"; the first has none."""
    labels = list(_LABEL.finditer(text))
    starts = [label.start() for label in labels]
    sections = [("", text[: starts[0]] if starts else text)]
    for label, end in zip(labels, [*starts[1:], len(text)][: len(labels)], strict=True):
        sections.append((label[1].lower(), text[label.end() : end]))
    return sections


def _json_calls(text: str, tools: Mapping[str, AgentTool]) -> list[Call]:
    """Return the calls that a text makes as JSON: one object, a list of them, or one on each line."""
    text = _DOUBLED.sub("", text)
    values = [find_json(text)[0]]
    if not isinstance(values[0], dict | list):
        values = [find_json(line)[0] for line in text.splitlines() if line.strip()[:1] in ("{", "[")]
    calls = []
    for value in values:
        for entry in value if isinstance(value, list) else [value]:
            call = _json_call(entry, tools)
            calls += [call] if call else []
    return calls


def _json_call(entry: Any, tools: Mapping[str, AgentTool]) -> Call | None:
    if not isinstance(entry, dict):
        return None
    inner = entry.get("function")
    if isinstance(inner, dict):
        entry = inner
    name = next((entry[key] for key in _NAME_KEYS if isinstance(entry.get(key), str)), None)
    arguments = next((entry[key] for key in _ARGUMENT_KEYS if key in entry), None)
    if name is None:
        only = next(iter(entry)) if len(entry) == 1 else None  # {"search": {"text": "Kenya"}}
        if only is None or only not in tools:
            return None
        name, arguments = only, entry[only]
    elif arguments is None and name not in tools:
        return None
    if isinstance(arguments, str):
        value, whole = find_json(arguments) if arguments.strip()[:1] in ("{", "[") else (None, False)
        arguments = value if whole and isinstance(value, dict | list) else [arguments]
    if not isinstance(arguments, dict | list):
        arguments = [] if arguments is None else [arguments]  # {"action": "finish", "action_input": 42}
    return Call(_right_name(name, tools), dict(arguments) if isinstance(arguments, dict) else list(arguments))


def _right_name(name: str, tools: Mapping[str, AgentTool]) -> str:
    """Return the name of a tool that differs only in case and underscores; else the name as written."""
    form = name.lower().replace("-", "").replace("_", "")
    return next((known for known in tools if known.replace("_", "") == form), name)


def _calls_in(text: str, tools: Mapping[str, AgentTool], *, anywhere: bool) -> list[Call]:
    """Return the calls in the text of an action, or the known tools with brackets in any text."""
    calls, at = list[Call](), 0
    while match := _NAME.search(text, at):
        name = _right_name(match[0], tools)
        opens = match.end()
        while opens < len(text) and text[opens] in " `*":
            opens += 1
        bracket = text[opens : opens + 1]
        is_known = name in tools
        if bracket in _OPEN and bracket and (is_known or (not anywhere and not calls)):
            end, body = _bracketed(text, opens)
            calls.append(_call(name, f"{{{body}}}" if bracket == "{" else body, tools))
            at = end
        elif not anywhere and not calls and (is_known or not any(c in text for c in "[({")):
            line = text[match.end() :].split("\n", 1)[0]  # "search Kenya", "search: Kenya", "finish"
            return [_call(name, line.strip(" :`*"), tools)]
        else:
            at = match.end()
    return calls


def _bracketed(text: str, start: int) -> tuple[int, str]:
    """Return where a bracket closes and what is in it; a bracket that is never closed ends with its line."""
    depth, quote = 0, ""
    for i in range(start, len(text)):
        char = text[i]
        if quote:
            if char == quote and text[i - 1] != "\\" and (quote == '"' or text[i + 1 : i + 2] in (*",]|)}: \n", "")):
                quote = ""
        elif char == '"' or (char == "'" and text[max(i - 4, 0) : i].rstrip()[-1:] in "[(,=:|{"):
            quote = char
        elif char in _OPEN:
            depth += 1
        elif char in _OPEN.values():
            depth -= 1
            if not depth:
                return i + 1, text[start + 1 : i]
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    return end, text[start + 1 : end].strip().rstrip("])}")


def _call(name: str, body: str, tools: Mapping[str, AgentTool]) -> Call:
    """Return a call with its arguments read."""
    body = body.strip()
    if not body:
        return Call(name)
    if body.startswith("{"):
        value, whole = find_json(body)
        if whole and isinstance(value, dict):
            return Call(name, dict(value))
    try:
        values = json.loads(f"[{body}]")
        if len(values) == 1 and isinstance(values[0], dict):
            return Call(name, values[0])
        return Call(name, values)
    except (ValueError, RecursionError):
        pass  # not JSON: names without quotes, or arguments by name
    return _named(name, _pieces(body), tools.get(name))


def _named(name: str, pieces: list[str], tool: AgentTool | None) -> Call:
    """Return a call whose pieces may begin with the name of an argument, as in ``n=3``."""
    known = {argument.name for argument in tool.arguments} if tool else set[str]()
    by_name: dict[str, Any] = {}
    in_order: list[str] = []
    for piece in pieces:
        match = re.match(r"[\"']?(\w+)[\"']?\s*[=:]\s*(.*)", piece, re.DOTALL)
        if match and match[1].lower() in known:
            value = _unquoted(match[2])
            listed = find_json(value)[0] if value.startswith("[") else None
            by_name[match[1].lower()] = listed if isinstance(listed, list) else value
        else:
            in_order.append(_unquoted(piece))
    if not by_name:
        return Call(name, in_order)
    rest = [argument.name for argument in tool.arguments if argument.name not in by_name] if tool else []
    return Call(name, dict(zip(rest, in_order, strict=False)) | by_name)


def _pieces(body: str) -> list[str]:
    """Return arguments without outer brackets, split at ``|``, or at commas outside quotes and brackets."""
    for separator in "|,":
        pieces, depth, quote, start = list[str](), 0, "", 0
        for i, char in enumerate(body):
            if quote:
                quote = "" if char == quote and body[i - 1] != "\\" else quote
            elif char == '"' or (char == "'" and body[max(i - 4, 0) : i].rstrip()[-1:] in ("", *"[(,=:|")):
                quote = char
            elif char in _OPEN:
                depth += 1
            elif char in _OPEN.values():
                depth = max(depth - 1, 0)
            elif char == separator and not depth:
                pieces.append(body[start:i])
                start = i + 1
        pieces.append(body[start:])
        if len(pieces) > 1:
            break
    return [piece.strip() for piece in pieces if piece.strip()]


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`":
        return text[1:-1].replace(f"\\{text[0]}", text[0]).strip()
    return text.strip('"`').strip()
