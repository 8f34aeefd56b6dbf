"""Errors as JSON: one form for all routes, which is also that of OpenAI's API.

Every error is ``{"error": {"message", "type", "code", ...}}``. ``type`` says who can help: ``invalid_request_error``
(the caller), ``authentication_error``, ``rate_limit_error``, ``server_error``. ``code`` names the fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from graphbrick.core.errors import (
    GraphbrickError,
    GraphFormatError,
    InputError,
    LinkError,
    ModelError,
    PipelineError,
    RecipeSyntaxError,
    UnavailableError,
)
from graphbrick.graphs.queries.guard import RefusedQueryError
from graphbrick.pipeline.budget import StoppedError


class ServeError(GraphbrickError):
    """A request that the server itself refuses.

    Args:
        status: HTTP status.
        code: Name of the fault.
        message: What is wrong and what to do.
        headers: Further headers of the reply.
    """

    def __init__(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.headers = status, code, headers or {}
        self.param: str | None = None  # the field of the request that is wrong


class ErrorReply(NamedTuple):
    """An error as it is sent.

    Attributes:
        status: HTTP status.
        body: The JSON document.
        headers: Further headers.
    """

    status: int
    body: dict[str, Any]
    headers: dict[str, str]


_CODES: tuple[tuple[type[GraphbrickError], int, str], ...] = (  # the first that fits
    (RecipeSyntaxError, 400, "recipe_syntax"),
    (PipelineError, 400, "recipe"),
    (LinkError, 422, "no_entity"),
    (RefusedQueryError, 403, "query_refused"),
    (InputError, 400, "input"),
    (StoppedError, 504, "stopped"),
    (UnavailableError, 503, "database_unavailable"),
    (ModelError, 502, "model"),
    (GraphFormatError, 500, "graph"),
    (GraphbrickError, 400, "refused"),
)


def not_found(what: str, name: str, there: list[str]) -> ServeError:
    """Return the error about something that the server does not have."""
    known = f"there are {', '.join(there[:20])}" if there else "there is none"
    return ServeError(404, f"no_{what}", f"there is no {what} {name[:80]!r}; {known}")


def error_reply(error: GraphbrickError) -> ErrorReply:
    """Return an error as it is sent.

    >>> error_reply(LinkError("no entity has the key 'x'")).body["error"]["code"]
    'no_entity'
    """
    if isinstance(error, ServeError):
        body = error_json(error.status, error.code, str(error))
        body["error"]["param"] = error.param
        return ErrorReply(error.status, body, error.headers)
    status, code = next((status, code) for kind, status, code in _CODES if isinstance(error, kind))
    body = error_json(status, code, str(error))
    if isinstance(error, PipelineError):
        body["error"] |= recipe_error(error)
    if isinstance(error, LinkError):
        body["error"]["readings"] = [asdict(reading) for reading in error.readings]
    return ErrorReply(status, body, {})


def error_json(status: int, code: str, message: str) -> dict[str, Any]:
    """Return the JSON document of an error."""
    if status in (401, 403) and code != "query_refused":
        kind = "authentication_error"
    elif status == 429:
        kind = "rate_limit_error"
    else:
        kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "code": code, "param": None}}


_KINDS = {
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "dict": "an object",
    "model": "an object",
}
_BOUNDS = {
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "below"),
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "above"),
}


def fault_in_words(fault: Mapping[str, Any]) -> str:
    """Return what is wrong with a field of a request, without a text that was sent.

    Args:
        fault: An error of pydantic.

    >>> fault_in_words({"type": "less_than_equal", "msg": "...", "ctx": {"le": 100}, "input": 500})
    'must be at most 100, got 500'
    """
    kind, values = str(fault["type"]), fault.get("ctx", {})
    told = fault.get("input")
    got = f", got {told}" if isinstance(told, int | float) else ""
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return "is not known; leave it out"
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"must be {words} {values[name]:,}{got}"
    if kind in ("string_too_long", "too_long"):
        unit = "characters" if kind == "string_too_long" else "entries"
        return f"may have at most {values['max_length']:,} {unit}"
    if kind in ("string_too_short", "too_short"):
        return "must not be empty" if values["min_length"] == 1 else f"must have at least {values['min_length']}"
    if kind == "literal_error":
        return f"must be {values['expected']}"
    if kind in ("finite_number", "int_from_float"):
        return f"must be a {'finite' if kind == 'finite_number' else 'whole'} number{got}"
    name = kind.partition("_")[0]
    return f"must be {_KINDS[name]}{got}" if kind.endswith(("_type", "_parsing")) and name in _KINDS else fault["msg"]


def recipe_error(error: PipelineError) -> dict[str, Any]:
    """Return where a recipe text is wrong, from 1, and the advice of the message; None for what is not known."""
    _, semicolon, fix = str(error).rpartition("; ")
    place = error.place
    return {
        "fix": fix if semicolon else None,
        "line": None if place is None else place.line,
        "column": None if place is None else place.column,
        "end_line": None if place is None else place.end_line,
        "end_column": None if place is None else place.end_column,
    }
