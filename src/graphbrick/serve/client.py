"""Ask a running server, as ``graphbrick ask --server`` does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from graphbrick.core.answer import NearReading
from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import (
    GraphbrickError,
    InputError,
    LinkError,
    PipelineError,
    UnavailableError,
    without_secrets,
)
from graphbrick.serve.tokens import check_token

_SECONDS = 60.0  # without any event; the server sends a comment every 15
_KINDS: dict[str, type[GraphbrickError]] = {
    "no_entity": LinkError,
    "recipe": PipelineError,
    "recipe_syntax": PipelineError,
}


class _NoRedirects(HTTPRedirectHandler):
    """Handler that refuses redirects, which would send the token to any host, and without the question."""

    def redirect_request(self, *_: Any) -> None:
        """Return nothing, so that the redirect becomes an error."""


def ask_server(
    server: str,
    body: Mapping[str, Any],
    *,
    token: str = "",
    on_token: Callable[[str], None] = lambda piece: None,
    on_progress: Progress = silent,
) -> dict[str, Any]:
    """Ask a question and return the run as JSON.

    Args:
        server: Address, such as "http://localhost:8000".
        body: The question and all else of ``/v1/ask``.
        token: The token of the server; empty for none.
        on_token: Called with what a language model writes, as it comes.
        on_progress: Told what the server does.

    Raises:
        InputError: The address is not one, or the token cannot be sent.
        UnavailableError: The server does not answer, or is not a server of graphbrick.
        GraphbrickError: It refuses the question, or the run failed; the same error as a run here raises.
    """
    content = json.dumps({**body, "stream": True}).encode()
    with _reply_of(server, "/v1/ask?evidence=all", token, content, accept="text/event-stream") as reply:
        for name, data in _events(reply):
            if name == "token":
                on_token(data["text"])
            elif name == "progress":
                on_progress(data["step"], data["done"], data["total"])
            elif name == "result":
                return dict(data)
            elif name == "error":
                raise _failure(data)
    raise UnavailableError(f"{server} ended without a result; its log has the reason", code="client.no_result")


def examples_of(server: str, graph: str, *, token: str = "") -> list[dict[str, Any]]:
    """Return the questions that a graph of a server can answer, as `graphbrick.learn.examples` gives them.

    Args:
        server: Address, such as "http://localhost:8000".
        graph: Name of the graph.
        token: The token of the server; empty for none.

    Raises:
        GraphbrickError: As for `ask_server`.
    """
    with _reply_of(server, f"/v1/graphs/{quote(graph, safe='')}", token, None, accept="application/json") as reply:
        return list(json.load(reply)["questions"])


@contextmanager
def _reply_of(server: str, path: str, token: str, content: bytes | None, *, accept: str) -> Iterator[Any]:
    """Give the reply to a request; raise the error that the server, or its absence, means."""
    if not _is_address(server):
        raise InputError(
            f"a server is named as in http://localhost:8000, got {without_secrets(server)!r}; --token takes its token",
            code="client.bad_address",
        )
    headers = {"content-type": "application/json", "accept": accept}
    if token:
        check_token(token)
        headers["authorization"] = f"Bearer {token}"
    request = Request(f"{server.rstrip('/')}{path}", content, headers)
    try:
        with build_opener(_NoRedirects).open(request, timeout=_SECONDS) as reply:
            yield reply
    except HTTPError as error:
        with error:
            raise _refusal(server, error) from error
    except (URLError, OSError, ValueError, HTTPException) as error:
        reason = " ".join(str(getattr(error, "reason", error)).split())
        raise UnavailableError(
            f"{server} does not answer ({reason}); start it with graphbrick serve", code="client.no_answer"
        ) from error


def _refusal(server: str, reply: HTTPError) -> GraphbrickError:
    """Return the error that a reply with a status other than 200 means."""
    if 300 <= reply.code < 400:
        place = without_secrets(reply.headers.get("location", "another address"))
        return UnavailableError(f"{server} sends to {place}; name that server if it is meant", code="client.redirected")
    try:
        return _failure(json.load(reply))
    except (ValueError, OSError, HTTPException):  # no JSON, or the connection ended before it
        return UnavailableError(
            f"{server} answered with status {reply.code}; is it a graphbrick server?",
            code="client.other_status",
            status=reply.code,
        )


def _is_address(server: str) -> bool:
    """Return whether a text can be the address of a server."""
    try:
        is_safe = without_secrets(server) == server and "?" not in server
        return is_safe and urlsplit(server).scheme in ("http", "https") and server.isprintable() and " " not in server
    except ValueError:  # such as a bracket that is not closed
        return False


def _events(reply: Any) -> Iterator[tuple[str, Any]]:
    """Yield the events of a reply: name and data."""
    name = ""
    for raw in reply:
        line = raw.decode().rstrip("\r\n")
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def _failure(data: Any) -> GraphbrickError:
    """Return the error that a server sent.

    Raises:
        ValueError: It has another form, so that it is of another server.
    """
    error = data.get("error") if isinstance(data, Mapping) else None
    if not isinstance(error, Mapping) or not isinstance(error.get("message"), str):
        raise ValueError("it sent an error that is none of graphbrick serve")
    failure = _KINDS.get(str(error.get("code")), GraphbrickError)(error["message"], code=str(error.get("code")))
    if isinstance(failure, LinkError):
        failure.readings = tuple(NearReading(**reading) for reading in error.get("readings", ()))
    return failure
