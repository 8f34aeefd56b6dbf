"""Faults of model servers: what they say in a status, a body or the middle of a stream, and what it means."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphbrick.core.errors import GraphbrickError

if TYPE_CHECKING:
    import openai

_KEYS = tuple(
    "message error detail details msg error_msg error_message errors Message reason title description".split()
)
_MOST = 5  # errors of a list
_DEEPEST = 6
_TAG = re.compile(r"<(?:style|script)\b.*?</(?:style|script)>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.DOTALL | re.IGNORECASE)
# What servers call a fault that they send with status 200, and the status that it means.
_NAMED = (
    (429, "rate.?limit|too.?many|throttl|quota|resource.?exhausted|overloaded|capacity"),
    (401, "auth|api.?key|permission"),
    (404, "not.?found"),
    (400, "invalid|bad.?request|context.?length|unsupported|not.?supported|content.?(?:filter|policy)|too.?long"),
)
_MIDWAY = 500  # status of a fault without a name: the server took the request, and then failed


class NotACompletionError(GraphbrickError):
    """A server sent something that is not a chat completion.

    Attributes:
        came: The beginning of what it sent.
    """

    def __init__(self, message: str, came: str = "") -> None:
        super().__init__(message)
        self.came = came


class NoChoicesError(NotACompletionError):
    """A server sent a chat completion without a reply, as some do where a filter or an upstream server failed."""


class ErrorReplyError(GraphbrickError):
    """A server sent an error with status 200, or in the middle of a stream.

    Attributes:
        status_code: The status that it means.
    """

    def __init__(self, error: object, whole: object = None) -> None:
        super().__init__(error_text(error) or "an error without a text")
        self.status_code = _status(error, whole)


class LostConnectionError(Exception):
    """The connection ended while a reply was read."""


class CutStreamError(Exception):
    """A stream failed after pieces of it were passed on, so that it cannot be tried again."""


def error_text(value: object, depth: int = 0) -> str:
    """Return the sentence in the body of an error, whatever its form; empty if there is none.

    >>> error_text({"error": {"message": "no such model", "code": 404}}), error_text({"detail": "not supported"})
    ('no such model', 'not supported')
    >>> error_text({"detail": [{"loc": ["body", "stop"], "msg": "Extra inputs are not permitted"}]})
    'stop: Extra inputs are not permitted'
    """
    if isinstance(value, str):
        return value.strip()
    if depth > _DEEPEST:
        return ""
    if isinstance(value, list):
        return "; ".join(dict.fromkeys(filter(None, (error_text(one, depth + 1) for one in value[:_MOST]))))
    if not isinstance(value, Mapping):
        return ""
    text = next(filter(None, (error_text(value.get(key), depth + 1) for key in _KEYS)), "")
    place, inner = value.get("loc", value.get("param")), value.get("metadata")
    if isinstance(place, list):
        place = ".".join(str(one) for one in place if one != "body")
    raw = error_text(inner.get("raw"), depth + 1) if isinstance(inner, Mapping) else ""
    named = f"{place}: {text}" if text and isinstance(place, str) and place and place not in text else text
    return f"{named}: {raw}" if raw and raw not in named else named


def body_text(body: str) -> str:
    """Return the sentence in the body of a response with an error status: JSON, a page, or plain text.

    >>> body_text('[{"error": {"message": "API key not valid"}}]'), body_text("no healthy upstream")
    ('API key not valid', 'no healthy upstream')
    """
    try:
        return error_text(json.loads(body))
    except (ValueError, RecursionError):
        pass
    if body.lstrip()[:1] == "<":
        title = _TITLE.search(body)
        body = title.group(1) if title and title.group(1).strip() else _TAG.sub(" ", body)
    return " ".join(body.split())


def refusal_text(error: openai.APIStatusError | ErrorReplyError) -> str:
    """Return what a server says about a request that it refuses."""
    if isinstance(error, ErrorReplyError):
        return str(error)
    try:
        text = body_text(error.response.text)
    except Exception:  # noqa: BLE001 - the body was not read, or is not text
        text = ""
    return text or error_text(error.body) or str(error.message)


def error_in(value: Mapping[str, object]) -> object:
    """Return the error in a body or in a piece of a stream; None if it has none."""
    error = value.get("error")
    if error:
        return error
    if value.get("object") == "error" or value.get("type") == "error":
        return value
    has_reply = value.get("choices") is not None
    return value if not has_reply and ("detail" in value or ("message" in value and "code" in value)) else None


def _status(error: object, whole: object) -> int:
    """Return the status that an error means, by its number or else by its name."""
    names = list[str]()
    for one in (error, whole):
        if not isinstance(one, Mapping):
            continue
        for key in ("code", "status_code", "status", "http_status", "type"):
            value = one.get(key)
            number = int(value) if isinstance(value, str) and value.isdecimal() and len(value) == 3 else value
            if isinstance(number, int) and not isinstance(number, bool) and 400 <= number < 600:
                return number
            names.append(str(value or ""))
    for text in (" ".join(names), error_text(error)):
        for status, pattern in _NAMED:
            if re.search(pattern, text, re.IGNORECASE):
                return status
    return _MIDWAY
