"""The client of OpenAI-compatible servers, and what their faults are called."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from graphbrick.brick import Brick
from graphbrick.errors import ModelError, PipelineError

if TYPE_CHECKING:
    from openai import OpenAI

_OPENAI = "https://api.openai.com/v1"


def require_address(brick: Brick, base_url: str) -> None:
    """Raise unless the ``base_url`` of a brick is a text without a password in it."""
    brick.require_text("base_url", example="http://localhost:8080/v1", may_be_empty=True)
    if "@" in base_url:
        raise PipelineError(
            f"{type(brick).__name__} base_url must not hold a name and password: recipes are shown; use OPENAI_API_KEY"
        )


def server_of(base_url: str) -> str:
    """Host and port of the server that a ``base_url`` leads to now; the environment names it where that is empty.

    >>> server_of("http://localhost:8080/v1")
    'localhost:8080'
    """
    address = urlsplit(base_url or os.environ.get("OPENAI_BASE_URL", "") or _OPENAI).netloc
    return address.rpartition("@")[2]  # a password may stand in the environment


@contextmanager
def connection(base_url: str, timeout: float, retries: int, *, kind: str, instead: str) -> Iterator[OpenAI]:
    """A client of the server; what goes wrong while it is used becomes an error that says what to do.

    Args:
        base_url: The server; empty for OPENAI_BASE_URL, or OpenAI.
        timeout: Seconds to wait for a reply.
        retries: How often to try again.
        kind: What kind of model is wanted, for the error where there is no server.
        instead: What does without, for the same error.

    Raises:
        ModelError: No key, or the server is away, refuses, or does not answer in time.
    """
    url = base_url or os.environ.get("OPENAI_BASE_URL", "")
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not key and not url:
        raise ModelError(f"no {kind}: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own; {instead}")
    if not (key.isascii() and key.isprintable()):
        raise ModelError("OPENAI_API_KEY holds characters that no key has; copy the key again")
    client = _client(url, key or "none", timeout, retries)
    import openai

    try:
        yield client
    except openai.APITimeoutError as error:
        raise ModelError(f"{client.base_url} did not answer within {timeout:g} s; raise timeout") from error
    except openai.APIConnectionError as error:
        raise ModelError(
            f"cannot reach the model server at {client.base_url}; is it running? (OPENAI_BASE_URL names it)"
        ) from error
    except openai.AuthenticationError as error:
        raise ModelError(f"{client.base_url} refused the key; check OPENAI_API_KEY") from error
    except openai.APIStatusError as error:
        said = str(error.message).replace(key, "***")[:200] if key else str(error.message)[:200]
        raise ModelError(f"{client.base_url} refused with status {error.status_code}: {said}") from error
    except (openai.OpenAIError, ValueError) as error:
        raise ModelError(f"{client.base_url} gave a reply that cannot be read ({type(error).__name__})") from error


@lru_cache(maxsize=8)
def _client(url: str, key: str, timeout: float, retries: int) -> OpenAI:
    try:
        from openai import OpenAI
    except ImportError as error:
        raise ModelError("a model server needs the openai client: pip install 'graphbrick[llm]'") from error
    try:
        parts = urlsplit(url or _OPENAI)
        right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        right = False
    if not right:
        raise ModelError(f"{url!r} is no address of a server; try http://localhost:8080/v1")
    try:
        return OpenAI(base_url=url or None, api_key=key, timeout=timeout, max_retries=retries)
    except (ImportError, OSError, ValueError) as error:
        # Proxies and certificates are set by the environment (ALL_PROXY, SSL_CERT_FILE and others).
        raise ModelError(f"the model client cannot start, check proxy and certificate settings: {error}") from error
