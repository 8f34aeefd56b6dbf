"""Reading the replies of OpenAI-compatible servers: whole bodies and streams, and all that servers do with them.

Whatever is not a chat completion is an error that shows its beginning; a number or a text of the wrong kind never ends
more than the one call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphbrick.core.trace import Event
from graphbrick.models.llm.http.contents import Content, finish_reason, logprobs_of, usage_of
from graphbrick.models.llm.http.faults import (
    ErrorReplyError,
    LostConnectionError,
    NoChoicesError,
    NotACompletionError,
    error_in,
)
from graphbrick.models.llm.messages import (
    Choice,
    Message,
    Part,
    Reply,
    Request,
    Text,
    TokenLogprob,
    ToolCall,
    valid_text,
)
from graphbrick.models.llm.replies.thinking import ThoughtFilter

_LARGEST_LINE = 16_000_000  # bytes of one event of a stream
_WHOLE = 1 << 20  # characters of a reply in one body, which some servers send whatever they were asked for
_CHARACTERS_A_TOKEN = 128  # the longest tokens of the vocabularies in use are runs of that many spaces
_NOT_ONE = "gave a reply that is not a chat completion; is it the right address?"


@dataclass
class _Part:
    """One choice while it is being read."""

    text: ThoughtFilter
    refusal: list[str] = field(default_factory=list)
    calls: list[tuple[dict[str, str], list[str]]] = field(default_factory=list)  # id and name; arguments
    places: dict[int, int] = field(default_factory=dict)  # of the last call with each index
    finish_reason: str = ""
    logprobs: list[TokenLogprob] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)  # those that the server gives apart


class ReplyReader:
    """Reader of one reply, from a whole body (`add_body`) or from the pieces of a stream (`add_stream`).

    Args:
        model: The model's name, for notes.
        request: The request that it answers.
        max_tokens: Longest reply that it was asked for.
        hold: Whether the first choice may begin within thoughts, so that it is passed on only when they end.
    """

    def __init__(self, model: str, request: Request, max_tokens: int, *, hold: bool = False) -> None:
        self._model, self._request, self._max_tokens, self._hold = model, request, max_tokens, hold
        self._choices: dict[int, _Part] = {}
        self._usage: tuple[int, int] | None = None
        self._thought_tokens = 0
        self._length = 0  # characters of everything that the model wrote
        self._line = b""
        self._start = b""  # the beginning of what came last, for errors
        self._has_pieces = False
        self.ended = False

    @property
    def length(self) -> int:
        """Characters that the model wrote so far, in text, tool calls and thoughts."""
        return self._length

    @property
    def begins_within_thoughts(self) -> bool:
        """Whether the reply closed thoughts that it did not open."""
        return any(part.text.closed_alone for part in self._choices.values())

    def add_body(self, body: bytes) -> list[str]:
        """Read a whole reply.

        Returns:
            The text of the first choice.

        Raises:
            NotACompletionError: It is something else.
            ErrorReplyError: It is an error.
            LostConnectionError: It breaks off.
        """
        lines = [line for line in body.splitlines() if line.strip()]
        if len(lines) > 1 and all(line[:1] == b"{" and line.rstrip()[-1:] == b"}" for line in lines):
            return [text for line in lines for text in self._event(b"data:" + line)] + self.end_stream()  # bare lines
        self.ended = True
        return self._add(self._parse(body), "message") + self._end()

    def add_stream(self, data: bytes) -> list[str]:
        """Read the next bytes of a stream of server-sent events.

        Returns:
            The new pieces of text of the first choice.

        Raises:
            NotACompletionError: The stream holds something else, or does not stop.
            ErrorReplyError: It holds an error.
        """
        self._start = self._start or data[:1000]
        *lines, self._line = (self._line + data).replace(b"\r\n", b"\n").split(b"\n")
        if len(self._line) > _LARGEST_LINE:
            raise self._fault(f"sent more than {_LARGEST_LINE:,} bytes without the end of a line")
        return [text for line in lines for text in self._event(line)]

    def end_stream(self) -> list[str]:
        """Read the last line of a stream that has ended, and return the last pieces of text.

        Raises:
            NotACompletionError: No part of a reply came.
            ErrorReplyError: It is an error.
        """
        last = self._event(self._line)
        if not self._choices:
            raise self._no_choices() if self._has_pieces else self._fault()
        return last + self._end()

    def reply(self) -> Reply:
        """Return what was read, with notes about what is missing. The cost and the seconds are left open.

        Raises:
            NotACompletionError: There is neither a reply nor a reason why it ended.
        """
        notes: list[str] = []
        parts = [self._choices[i] for i in sorted(self._choices)]
        written = (part.finish_reason or part.text.text or part.text.thought or part.calls for part in parts)
        if not any(written) and not any(part.refusal or part.thoughts for part in parts):
            raise self._fault()
        choices = tuple(self._choice(part, notes) for part in parts)
        if len(choices) < self._request.n:
            n, gave = self._request.n, len(choices)
            notes.append(
                Event(f"{self._model} was asked for {n} replies and gave {gave}", "reply.too_few", n=n, gave=gave)
            )
        if self._usage is None:
            note = f"{self._model} did not report the tokens it used; they are estimated"
            notes.append(Event(note, "reply.tokens_estimated"))
        tokens_in, tokens_out = self._usage or (0, 0)
        estimated = self._usage is None
        return Reply(choices, tokens_in, tokens_out, estimated, notes=tuple(notes), longest=self._max_tokens)

    def _choice(self, part: _Part, notes: list[str]) -> Choice:
        model, refusal = self._model, valid_text("".join(part.refusal))
        text, thought = valid_text(part.text.text), part.text.thought + sum(map(len, part.thoughts))
        thought = thought or self._thought_tokens
        is_nothing = not (text.strip() or refusal or part.calls)
        if not part.finish_reason:
            note = f"the reply of {model} ended without a finish_reason: it may be cut, and is not recorded"
            notes.append(Event(note, "reply.no_finish_reason"))
        elif part.finish_reason == "length" and is_nothing and thought:
            pass  # told below
        elif part.finish_reason == "length" and not self._request.top_logprobs:  # there only the first word counts
            note = f"the reply of {model} was cut at {self._max_tokens} tokens"
            notes.append(Event(note, "reply.cut", tokens=self._max_tokens))
        elif part.finish_reason == "content_filter":
            notes.append(Event(f"the reply of {model} was cut by the server's content filter", "reply.filtered"))
        calls = [self._call(i, call, notes) for i, call in enumerate(part.calls)]
        if refusal:
            notes.append(Event(f"{model} refused: {refusal[:200]!r}", "reply.refusal", refusal=refusal))
        elif is_nothing:
            text = self._json_of(part)
            if not text and thought:
                cut = f" and was cut at {self._max_tokens} tokens" if part.finish_reason == "length" else ""
                notes.append(Event(f"{model} wrote thoughts alone{cut}", "reply.only_thoughts"))
            elif not text:
                notes.append(Event(f"{model} gave an empty reply", "reply.empty"))
        parts: list[Part] = [Text(text), *calls] if text or not calls else [*calls]
        return Choice(Message("assistant", tuple(parts)), part.finish_reason, tuple(part.logprobs), thought)

    def _json_of(self, part: _Part) -> str:
        """Return the reply that a server took for thoughts: JSON, as it was asked for; else an empty text."""
        thoughts = "".join(part.thoughts).strip()
        if self._request.schema is None or thoughts[:1] != "{":
            return ""
        try:
            return valid_text(thoughts) if isinstance(json.loads(thoughts), dict) else ""
        except (ValueError, RecursionError):
            return ""

    def _call(self, number: int, call: tuple[dict[str, str], list[str]], notes: list[str]) -> ToolCall:
        names, pieces = call
        name, written = names.get("name", ""), valid_text("".join(pieces))
        if self._request.tools and name not in {tool.name for tool in self._request.tools}:
            note = f"{self._model} called the tool {name!r}, which it was not offered"
            notes.append(Event(note, "reply.unknown_tool", tool=name))
        arguments: object = None
        try:
            arguments = json.loads(written or "{}", strict=False)
            if isinstance(arguments, str):  # some servers write the object as a text within the text
                arguments = json.loads(arguments, strict=False)
            arguments = _without_surrogates(arguments)  # a surrogate may also be written as an escape
        except (ValueError, RecursionError) as error:
            reason = str(error)
        else:
            reason = f"got {type(arguments).__name__}"
        identifier = names.get("id") or f"call_{number}"
        if isinstance(arguments, dict):
            return ToolCall(identifier, name, arguments)
        note = (
            f"{self._model} called the tool {name!r} with arguments that are not a JSON object ({reason[:80]}): "
            f"{written[:200]!r}"
        )
        notes.append(Event(note, "reply.bad_arguments", tool=name))
        return ToolCall(identifier, name, invalid=written)

    def _event(self, line: bytes) -> list[str]:
        """Read one line of a stream; return new texts of the first choice."""
        name, _, value = line.partition(b":")
        value = value.strip()
        if self.ended or not value:
            return []
        if name == b"error" or line[:1] == b"{":  # llama.cpp names an error so; others send it without a name
            self._parse_error(value if name == b"error" else line)
        if name != b"data":
            return []
        if value == b"[DONE]":
            self.ended = True
        if value in (b"[DONE]", b"null"):  # some servers send null between thoughts and text
            return []
        return self._add(self._parse(value), "delta")

    def _parse_error(self, data: bytes) -> None:
        """Raise if a line that is not an event of the stream is an error."""
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return
        error = error_in(value) if isinstance(value, dict) else None
        if error is not None or (isinstance(value, dict) and "message" in value):
            raise ErrorReplyError(error or value, value)

    def _parse(self, data: bytes) -> Mapping[str, Any]:
        self._start = data[:1000]
        try:
            value = json.loads(data.decode("utf-8-sig") if data[:3] == b"\xef\xbb\xbf" else data)
        except (ValueError, RecursionError) as error:  # ValueError: also bytes that are not UTF-8
            if isinstance(error, json.JSONDecodeError) and data.lstrip()[:2] == b'{"' and _breaks_off(error):
                raise LostConnectionError(f"its JSON breaks off after {len(data):,} bytes") from error
            raise self._fault() from error
        if isinstance(value, list) and len(value) == 1:
            value = value[0]  # as Google sends errors
        if not isinstance(value, dict):
            raise self._fault()
        return value

    def _add(self, value: Mapping[str, Any], key: str) -> list[str]:
        """Add a body ("message") or a piece of one ("delta"); return new texts of the first choice."""
        self._raise_error(value)
        choices, new = value.get("choices"), list[str]()
        if choices is None and ("choices" in value or (key == "delta" and ("usage" in value or "object" in value))):
            choices = []
        if not isinstance(choices, list):
            raise self._fault()
        if key == "message" and not choices:
            raise self._no_choices()
        self._has_pieces = True
        self._usage = usage_of(value.get("usage")) or self._usage
        self._note_thought_tokens(value.get("usage"))
        for place, choice in enumerate(choices):
            if not isinstance(choice, dict):
                raise self._fault()
            self._raise_error(choice)
            index = choice.get("index", place)
            index = index if isinstance(index, int) else place
            part = self._choices.setdefault(index, _Part(ThoughtFilter(hold=self._hold)))
            text = self._add_choice(part, choice, key)
            if text and part is self._choices.get(0):
                new.append(valid_text(text))
        self._check_length(whole=key != "delta")
        return new

    def _raise_error(self, value: Mapping[str, Any]) -> None:
        error = error_in(value)
        if error is not None:
            raise ErrorReplyError(error, value)

    def _note_thought_tokens(self, usage: object) -> None:
        details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
        tokens = details.get("reasoning_tokens") if isinstance(details, dict) else None
        if isinstance(tokens, int) and tokens > 0:
            self._thought_tokens = tokens

    def _add_choice(self, part: _Part, choice: Mapping[str, Any], key: str) -> str:
        """Add a choice or a piece of it; return what can be passed on of its text."""
        message = choice.get(key, choice.get("delta" if key == "message" else "message"))
        if message is None and isinstance(choice.get("text"), str):
            message = {"content": choice["text"]}  # of servers that know completions alone
        has_ended = key == "delta" or bool(choice.get("finish_reason"))  # a filter may leave no message
        if not isinstance(message, dict) and not (message is None and has_ended):
            raise self._fault()
        part.finish_reason = finish_reason(choice.get("finish_reason")) or part.finish_reason
        part.logprobs += logprobs_of(choice.get("logprobs"))
        if not message:
            return ""
        content = Content.of(message)
        if content is None:
            raise self._fault("gave a reply whose content is not a text")
        part.refusal += content.refusal
        part.thoughts += content.thoughts
        self._length += sum(map(len, (*content.texts, *content.refusal, *content.thoughts)))
        calls = message.get("tool_calls")
        if not calls and isinstance(message.get("function_call"), dict):
            calls = [{"index": 0, "function": message["function_call"]}]  # the name before there were tools
        self._add_calls(part, calls, is_whole=key == "message")
        return "".join(part.text.feed(text) for text in content.texts)

    def _end(self) -> list[str]:
        """Return what the first choice held back."""
        rest = {index: part.text.end() for index, part in self._choices.items()}.get(0)
        return [valid_text(rest)] if rest else []

    def _add_calls(self, part: _Part, calls: object, *, is_whole: bool) -> None:
        """Add calls or pieces of them; servers of Gemini and Ollama give all calls of a reply the index 0."""
        for place, call in enumerate(calls if isinstance(calls, list) else ()):
            function = call.get("function") if isinstance(call, dict) else None
            if not isinstance(function, dict):
                raise self._fault()
            index = call.get("index") if isinstance(call.get("index"), int) else place
            known = part.places.get(index)
            other = known is not None and call.get("id") not in (None, "", part.calls[known][0].get("id"))
            if known is None or is_whole or (other and function.get("name")):
                part.places[index] = len(part.calls)
                part.calls.append(({}, []))
            names, pieces = part.calls[part.places[index]]
            for name, value in (("id", call.get("id")), ("name", function.get("name"))):
                if isinstance(value, str) and value:
                    names.setdefault(name, valid_text(value))
            arguments = function.get("arguments")
            # Some servers send the arguments as an object.
            piece = arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else ""
            pieces.append(piece)
            self._length += len(piece)

    def _check_length(self, *, whole: bool) -> None:
        """Raise if a reply is longer than any of that many tokens: it never ends, or reading it takes minutes."""
        longest = (self._max_tokens + 8) * _CHARACTERS_A_TOKEN * self._request.n
        longest = max(longest, _WHOLE) if whole else longest
        if self._length > longest:
            raise self._fault(
                f"gave a reply that does not stop: it was asked for at most {self._max_tokens} tokens and sent "
                f"{self._length:,} characters"
            )

    def _came(self) -> str:
        return " ".join(self._start.decode("utf-8", "replace").split())

    def _no_choices(self) -> NoChoicesError:
        return NoChoicesError("gave no reply: its list of choices is empty", self._came())

    def _fault(self, what: str = _NOT_ONE) -> NotACompletionError:
        return NotACompletionError(what, self._came())


def _breaks_off(error: json.JSONDecodeError) -> bool:
    """Return whether JSON is right as far as it goes."""
    return error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")


def _without_surrogates(value: object) -> object:
    """Return a JSON value with the lone surrogates in its texts replaced; they may be written as escapes."""
    return json.loads(valid_text(json.dumps(value, ensure_ascii=False)))
