"""Talking to OpenAI-compatible servers: addresses, further tries, and what their faults are called."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.pipeline.brick import Brick

if TYPE_CHECKING:
    import openai

T = TypeVar("T")

_OPENAI = "https://api.openai.com/v1"
_AGAIN = frozenset({408, 409, 429})
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0  # seconds before a further try, where the server does not say
_LONGEST_ASKED = 60.0  # seconds that a server may ask to wait
_SHOWN = 200  # characters of what a server says in an error

_clients: dict[tuple[int, str, str], openai.AsyncOpenAI] = {}


class CutError(Exception):
    """A stream that ended before its end; there are pieces that somebody has heard already."""


def require_address(brick: Brick, base_url: str) -> None:
    """Raise where the ``base_url`` of a brick holds a password."""
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


def is_here(server: str) -> bool:
    """Whether a server, as host and port, is this machine.

    >>> is_here("localhost:8080"), is_here("api.openai.com")
    (True, False)
    """
    host = urlsplit(f"//{server}").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@dataclass(frozen=True)
class Connection:
    """A server and how patient to be with it.

    Attributes:
        url: Its address; empty for OpenAI.
        key: What it wants to see; never shown.
        timeout: Seconds to wait for a reply, or for the next piece of a stream.
        retries: How often to try again.
    """

    url: str
    key: str = field(repr=False)
    timeout: float
    retries: int

    @property
    def shown(self) -> str:
        """The address as it may be shown: without a password."""
        parts = urlsplit(self.url or _OPENAI)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()

    async def ask(self, call: Callable[[openai.AsyncOpenAI], Awaitable[T]], notes: list[str]) -> T:
        """What a call gives, tried again where that may help; each further try is noted.

        The call keeps to ``timeout`` itself: it knows whether it waits for a whole reply or for a piece.

        Raises:
            ModelError: The server is away, refuses, or does not answer in time.
        """
        import openai

        client, tries = _client(self.url, self.key), 0
        while True:
            try:
                return await call(client)
            except (openai.APIConnectionError, TimeoutError) as error:
                fault, wait = self._fault(error), None
            except openai.APIStatusError as error:
                fault, wait = self._fault(error), _asked_wait(error)
                if not (error.status_code in _AGAIN or error.status_code >= 500):
                    raise fault from error
            except CutError as error:
                raise ModelError(f"{self.shown} broke off in the middle of a reply: {error}") from error
            except (openai.OpenAIError, ValueError) as error:
                raise self._fault(error) from error
            if tries == self.retries:
                raise fault
            if wait is not None and wait > _LONGEST_ASKED:
                raise ModelError(f"{fault}; it asks to wait {wait:.0f} s")
            if wait is None:
                wait = min(_FIRST_WAIT * 2**tries, _LONGEST_WAIT) * random.uniform(0.75, 1.0)
            tries += 1
            notes.append(f"{fault}; tried again after {wait:.1f} s ({tries} of {self.retries})")
            await asyncio.sleep(wait)

    def _fault(self, error: Exception) -> ModelError:
        """What a fault is called, and what to do about it; never with the key in it."""
        import openai

        if isinstance(error, openai.APITimeoutError | TimeoutError):
            return ModelError(f"{self.shown} did not answer within {self.timeout:g} s; raise timeout")
        if isinstance(error, openai.APIConnectionError):
            return ModelError(
                f"cannot reach the model server at {self.shown}; is it running? (OPENAI_BASE_URL names it)"
            )
        if isinstance(error, openai.AuthenticationError):
            return ModelError(f"{self.shown} refused the key; check OPENAI_API_KEY")
        if isinstance(error, openai.APIStatusError):
            said = str(error.message).replace(self.key, "***") if self.key else str(error.message)
            return ModelError(f"{self.shown} refused with status {error.status_code}: {said[:_SHOWN]}")
        return ModelError(f"{self.shown} gave a reply that cannot be read ({type(error).__name__})")


def connect(base_url: str, timeout: float, retries: int, *, kind: str, instead: str) -> Connection:
    """The connection that a brick and the environment name.

    Args:
        base_url: The server; empty for OPENAI_BASE_URL, or OpenAI.
        timeout: Seconds to wait for a reply.
        retries: How often to try again.
        kind: What kind of model is wanted, for the error where there is no server.
        instead: What does without, for the same error.

    Raises:
        ModelError: There is no key, or no address, or the client is not installed.
    """
    url = base_url or os.environ.get("OPENAI_BASE_URL", "")
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not key and not url:
        raise ModelError(f"no {kind}: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own; {instead}")
    if not (key.isascii() and key.isprintable()):
        raise ModelError("OPENAI_API_KEY holds characters that no key has; copy the key again")
    try:
        import openai  # noqa: F401 - so that the error comes before anything is sent
    except ImportError as error:
        raise ModelError("a model server needs the openai client: pip install 'graphbrick[llm]'") from error
    try:
        parts = urlsplit(url or _OPENAI)
        right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        right = False
    if not right:
        raise ModelError(f"{url!r} is no address of a server; try http://localhost:8080/v1")
    return Connection(url, key, timeout, retries)


def _client(url: str, key: str) -> openai.AsyncOpenAI:
    """The client of a server, of this process's loop; its connections are kept open between calls."""
    import openai

    which = (os.getpid(), url, key)
    if which not in _clients:
        try:
            # A proxy cannot reach this machine's loopback.
            direct = openai.DefaultAsyncHttpxClient(trust_env=False) if is_here(server_of(url)) else None
            # Deadlines and further tries are ours: the client's own would not show in the trace.
            _clients[which] = openai.AsyncOpenAI(
                base_url=url or None, api_key=key or "none", timeout=None, max_retries=0, http_client=direct
            )
        except (ImportError, OSError, ValueError) as error:
            # Proxies and certificates are set by the environment (ALL_PROXY, SSL_CERT_FILE and others).
            raise ModelError(f"the model client cannot start, check proxy and certificate settings: {error}") from error
    return _clients[which]


def _asked_wait(error: openai.APIStatusError) -> float | None:
    """The seconds that a server asks to wait; None where it does not say."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            asked = float(error.response.headers.get(name, "")) / unit
        except ValueError:
            continue  # no such header, or a date
        if asked >= 0:
            return asked
    return None
