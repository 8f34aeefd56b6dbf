"""Ask a running server, as ``graphbrick ask --server`` does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from graphbrick.core.errors import GraphbrickError, InputError, LinkError, PipelineError, UnavailableError

_SECONDS = 60.0  # without any event; the server sends a comment every 15
_KINDS: dict[str, type[GraphbrickError]] = {
    "no_entity": LinkError,
    "recipe": PipelineError,
    "recipe_syntax": PipelineError,
}


def ask_server(
    server: str, body: Mapping[str, Any], *, token: str = "", on_token: Callable[[str], None] = lambda piece: None
) -> dict[str, Any]:
    """Ask a question and return the run as JSON.

    Args:
        server: Address, such as "http://localhost:8000".
        body: The question and all else of ``/v1/ask``.
        token: The token of the server; empty for none.
        on_token: Called with what a language model writes, as it comes.

    Raises:
        UnavailableError: The server does not answer.
        GraphbrickError: It refuses the question, or the run failed; as it would here.
    """
    if urlsplit(server).scheme not in ("http", "https"):
        raise InputError(f"a server is named as in http://localhost:8000, got {server!r}")
    headers = {"content-type": "application/json", "accept": "text/event-stream"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    content = json.dumps({**body, "stream": True}).encode()
    request = Request(f"{server.rstrip('/')}/v1/ask", content, headers)
    try:
        with urlopen(request, timeout=_SECONDS) as reply:
            for name, data in _events(reply):
                if name == "token":
                    on_token(data["text"])
                elif name == "result":
                    return dict(data)
                elif name == "error":
                    raise _failure(data)
    except HTTPError as error:
        try:
            failure = _failure(json.load(error))
        except (ValueError, KeyError, TypeError):
            failure = UnavailableError(f"{server} answered with status {error.code}; is it a graphbrick server?")
        raise failure from error
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise UnavailableError(f"{server} does not answer ({reason}); start it with graphbrick serve") from error
    raise UnavailableError(f"{server} ended without a result; its log has the reason")


def _events(reply: Any) -> Iterator[tuple[str, Any]]:
    """Yield the events of a reply: name and data."""
    name = ""
    for raw in reply:
        line = raw.decode().rstrip("\r\n")
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def _failure(data: Mapping[str, Any]) -> GraphbrickError:
    """Return the error that a server sent."""
    error = data["error"]
    return _KINDS.get(error.get("code"), GraphbrickError)(error["message"])
