"""Talking to OpenAI-compatible servers: addresses, keys, retries, and how faults are told."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import random
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from graphbrick.core.errors import ModelError, ModelTimeoutError, PipelineError, without_secrets
from graphbrick.core.trace import Event
from graphbrick.models.llm.http.runtime import ModelRuntime
from graphbrick.models.llm.http.wire import NotACompletionError, ReplyReader
from graphbrick.pipeline.brick import Brick

if TYPE_CHECKING:
    import openai

T = TypeVar("T")

_OPENAI = "https://api.openai.com/v1"
_RETRIED = frozenset({408, 409, 429})
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0  # seconds before a retry if the server does not say
_LONGEST_RETRY_AFTER = 60.0  # seconds that a server may ask to wait
_SHOWN = 200  # characters of what a server says in an error
_LARGEST_BODY = 256_000_000  # bytes


class LostConnectionError(Exception):
    """The connection was lost while a reply was read."""


class CutStreamError(Exception):
    """A stream failed after pieces of it were passed on, so that it cannot be tried again."""


def require_address(brick: Brick, base_url: str) -> None:
    """Raise `PipelineError` if the ``base_url`` of a brick holds a password or key."""
    if without_secrets(base_url) != base_url:
        raise PipelineError(
            f"{type(brick).__name__} base_url must not hold a name, password or key: recipes are shown; use "
            "GRAPHBRICK_API_KEYS or OPENAI_API_KEY",
            code="server.password",
        )


def server_address(base_url: str) -> str:
    """Return the address of a ``base_url`` without its secrets; empty means OPENAI_BASE_URL, or OpenAI.

    >>> server_address("http://localhost:8080/v1/")
    'http://localhost:8080/v1'
    """
    return without_secrets(_address(base_url)).rstrip("/")


def server_of(base_url: str) -> str:
    """Return host and port of the server that a ``base_url`` leads to now.

    >>> server_of("http://localhost:8080/v1")
    'localhost:8080'
    """
    return urlsplit(server_address(base_url)).netloc


def is_loopback(server: str) -> bool:
    """Return whether a server, as host and port, is this machine.

    >>> is_loopback("localhost:8080"), is_loopback("api.openai.com")
    (True, False)
    """
    host = urlsplit(f"//{server}").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def api_key(base_url: str) -> str:
    """Return the key for the server that a ``base_url`` leads to; empty if none is set for that server.

    OPENAI_API_KEY belongs to the server of OPENAI_BASE_URL, or to OpenAI if that is not set. Keys of other servers are
    in GRAPHBRICK_API_KEYS, such as ``https://api.example.com=KEY http://gpu-box:8000=KEY``. Two addresses are the same
    server if scheme, host and port are the same, so that a recipe cannot have a key sent elsewhere.

    Raises:
        ModelError: GRAPHBRICK_API_KEYS cannot be read, or a key holds characters that keys do not have.
    """
    origin = _origin(_address(base_url))
    keys = _configured_keys()
    if origin == _origin(_address("")):
        keys.setdefault(origin, os.environ.get("OPENAI_API_KEY", "").strip())
    key = keys.get(origin, "")
    if not (key.isascii() and key.isprintable()):
        name = "OPENAI_API_KEY" if origin == _origin(_address("")) else "GRAPHBRICK_API_KEYS"
        raise ModelError(
            f"{name} holds characters that no key has; copy the key again", code="server.bad_key", variable=name
        )
    return key


def key_advice(base_url: str) -> str:
    """Return what to set so that a server gets its key."""
    origin = _origin(_address(base_url))
    if origin == _origin(_address("")):
        return "check OPENAI_API_KEY"
    scheme, host, port = origin
    return (
        f"set GRAPHBRICK_API_KEYS='{scheme}://{host}{'' if port is None else f':{port}'}=KEY' (OPENAI_API_KEY is sent "
        "to the server of OPENAI_BASE_URL only)"
    )


def _configured_keys() -> dict[tuple[str, str, int | None], str]:
    keys = {}
    for entry in os.environ.get("GRAPHBRICK_API_KEYS", "").split():
        address, equals, key = entry.partition("=")
        if not equals or not key or urlsplit(address).scheme not in ("http", "https"):
            raise ModelError(  # without the entry: it may be a key
                "GRAPHBRICK_API_KEYS must hold entries such as https://api.example.com=KEY, with spaces between them",
                code="server.bad_keys",
            )
        keys[_origin(address)] = key
    return keys


def _address(base_url: str) -> str:
    return base_url or os.environ.get("OPENAI_BASE_URL", "") or _OPENAI


def _origin(address: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port; the port is None if it is that of the scheme."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return "", address, None  # it is refused when it is connected to
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", None if port == usual else port


@dataclass(frozen=True)
class Connection:
    """A server and how patient to be with it.

    Attributes:
        url: Its address.
        key: Its key; never shown.
        timeout: Seconds to wait for a reply, or for more text of a stream.
        retries: How often to try again.
        reuses_prompts: Whether to ask llama.cpp to go on from an earlier prompt with the same beginning.
    """

    url: str
    key: str = field(repr=False)
    timeout: float
    retries: int
    reuses_prompts: bool = False

    @property
    def address(self) -> str:
        """The address as it may be shown."""
        return without_secrets(self.url)

    async def retry(
        self, runtime: ModelRuntime, call: Callable[[openai.AsyncOpenAI], Awaitable[T]], notes: list[str]
    ) -> T:
        """Return the result of a call; repeat it after passing faults, with a note for each retry.

        The call keeps to ``timeout`` itself: it knows whether it waits for a whole reply or for a piece.

        Raises:
            ModelError: The server is away, refuses, does not answer in time, or sends something else.
        """
        import openai

        client, tries = self._client(runtime), 0
        while True:
            try:
                return await call(client)
            except (openai.APIConnectionError, LostConnectionError, TimeoutError) as error:
                fault, pause = self._fault(error), None
            except openai.APIStatusError as error:
                fault, pause = self._fault(error), _retry_after(error)
                if not (error.status_code in _RETRIED or error.status_code >= 500):
                    raise fault from error
            except (CutStreamError, NotACompletionError, openai.OpenAIError, ValueError, RecursionError) as error:
                raise self._fault(error) from error
            if tries == self.retries:
                raise fault
            if pause is not None and pause > _LONGEST_RETRY_AFTER:
                reason = f"{fault}; it asks to wait {pause:.0f} s, which is too long: try again later"
                raise ModelError(reason, code="server.asks_to_wait", seconds=pause)
            if pause is None:
                pause = min(_FIRST_PAUSE * 2**tries, _LONGEST_PAUSE) * random.uniform(0.75, 1.0)
            tries += 1
            note = f"{fault}; tried again after {pause:.1f} s ({tries} of {self.retries})"
            notes.append(Event(note, "server.tried_again", fault=fault.code, tries=tries, pause=pause))
            await asyncio.sleep(pause)

    async def read(
        self,
        client: openai.AsyncOpenAI,
        body: dict[str, Any],
        reader: ReplyReader,
        on_text: Callable[[str], None] | None,
    ) -> None:
        """Send one request for a chat completion and read the reply.

        Args:
            client: From `retry`.
            body: The request.
            reader: Reads the reply.
            on_text: Called with each new text if the body asks for a stream.
        """
        passed_on, whole, is_stream, is_first = False, bytearray(), on_text is not None, True
        pass_on = on_text or (lambda text: None)
        try:
            async with asyncio.timeout(self.timeout) as deadline:
                create = client.chat.completions.with_streaming_response.create
                async with create(**body) as response:
                    async for data in _bytes(response.iter_bytes()):
                        if is_first and data.lstrip()[:1] == b"{":
                            is_stream = False  # some servers ignore that a stream is wanted
                        is_first = False
                        if not is_stream:
                            whole += data
                            if len(whole) > _LARGEST_BODY:
                                raise NotACompletionError(f"sent more than {_LARGEST_BODY:,} bytes")
                            continue
                        before = reader.length
                        texts = reader.add_stream(data)
                        if reader.length > before:  # a server that sends nothing but empty pieces has stalled
                            deadline.reschedule(asyncio.get_running_loop().time() + self.timeout)
                        for text in texts:
                            pass_on(text)
                            passed_on = True
                        if reader.ended:
                            break
            if is_stream:
                reader.end_stream()
            else:
                pass_on("".join(reader.add_body(bytes(whole))))
        except (LostConnectionError, TimeoutError) as error:
            if not passed_on:
                raise
            stalled = f"no more text came for {self.timeout:g} s" if isinstance(error, TimeoutError) else str(error)
            raise CutStreamError(f"broke off in the middle of a reply: {stalled}") from error

    def refusal(self, error: openai.APIStatusError) -> str:
        """Return what a refusal says, on one line and without the key."""
        return self._hide_key(" ".join(str(error.message).encode("utf-8", "replace").decode().split()))[:_SHOWN]

    def _fault(self, error: Exception) -> ModelError:
        """Return an error that says what is wrong and what to do, without the key."""
        import openai

        if isinstance(error, openai.APITimeoutError | TimeoutError):
            return ModelTimeoutError(
                f"{self.address} did not answer within {self.timeout:g} s; raise timeout",
                code="server.timeout",
                seconds=self.timeout,
            )
        if isinstance(error, openai.APIConnectionError | LostConnectionError):
            return ModelError(
                f"cannot reach the model server at {self.address}; is it running? (base_url names it, or else "
                "OPENAI_BASE_URL)",
                code="server.unreachable",
                address=self.address,
            )
        if isinstance(error, openai.AuthenticationError):
            return ModelError(
                f"{self.address} {'refused the key' if self.key else 'asks for a key'}; {key_advice(self.url)}",
                code="server.key_refused",
                has_key=bool(self.key),
            )
        if isinstance(error, openai.APIStatusError) and error.status_code < 400:
            place = without_secrets(error.response.headers.get("location", "another address"))[:_SHOWN]
            reason = f"{self.address} sends on to {place} (status {error.status_code}), which was not asked"
            advice = "name that server in base_url or OPENAI_BASE_URL if it is meant"
            return ModelError(f"{reason}; {advice}", code="server.redirected", location=place)
        if isinstance(error, openai.APIStatusError):
            return ModelError(
                f"{self.address} refused with status {error.status_code}: {self.refusal(error)}",
                code="server.refused",
                status=error.status_code,
                reason=self.refusal(error),
            )
        if isinstance(error, NotACompletionError):
            came = self._hide_key(error.came)[:_SHOWN]
            return ModelError(
                f"{self.address} {error} (it sent {repr(came) if came else 'nothing'})",
                code="server.not_a_completion",
                sent=came,
            )
        if isinstance(error, CutStreamError):
            return ModelError(f"{self.address} {error}", code="server.broken_stream")
        return ModelError(
            f"{self.address} gave a reply that cannot be read ({type(error).__name__})", code="server.unreadable_reply"
        )

    def _hide_key(self, text: str) -> str:
        """Return a text of the server without keys, which some servers repeat."""
        for key in {self.key, os.environ.get("OPENAI_API_KEY", "").strip(), *_configured_keys().values()} - {""}:
            text = text.replace(key, "***")
        return text

    def _client(self, runtime: ModelRuntime) -> openai.AsyncOpenAI:
        """Return the client of the server."""
        import openai

        which = (self.url, self.key)
        if which not in runtime.clients:
            try:
                settings: dict[str, Any] = {"follow_redirects": False}  # another server gets no prompt, and no key
                if is_loopback(server_of(self.url)):
                    # A proxy cannot reach this machine's loopback. Certificates take 20 ms to load; http needs none.
                    bare = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if urlsplit(self.url).scheme == "http" else True
                    settings |= {"trust_env": False, "verify": bare}
                # Deadlines and retries are ours: the client's own would not show in the trace.
                http, key = openai.DefaultAsyncHttpxClient(**settings), self.key or "none"
                client = openai.AsyncOpenAI(
                    base_url=self.url, api_key=key, timeout=None, max_retries=0, http_client=http
                )
            except (ImportError, OSError, ValueError) as error:
                # Proxies and certificates are set by the environment (ALL_PROXY, SSL_CERT_FILE and others).
                raise ModelError(
                    f"the model client cannot start, check proxy and certificate settings: {error}",
                    code="server.client_cannot_start",
                ) from error
            if _origin(self.url) != _origin(_address("")):
                client.organization = client.project = None  # the client reads them from the environment, for OpenAI
            runtime.clients[which] = client
        return runtime.clients[which]


def connect(base_url: str, timeout: float, retries: int, *, kind: str, instead: str) -> Connection:
    """Return the connection that a brick and the environment name.

    Args:
        base_url: The server; empty for OPENAI_BASE_URL, or OpenAI.
        timeout: Seconds to wait for a reply.
        retries: How often to try again.
        kind: Kind of the model, for the error if there is no server.
        instead: An alternative without a server, for the same error.

    Raises:
        ModelError: There is no key for OpenAI, the address is not one, or the client is not installed.
    """
    url, key = _address(base_url), ""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise ModelError(
            f"{without_secrets(url)!r} is not an address of a server; try http://localhost:8080/v1",
            code="server.bad_address",
            address=without_secrets(url),
        )
    key = api_key(base_url)
    if not key and _origin(url) == _origin(_OPENAI):
        advice = f"set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own; {instead}"
        raise ModelError(
            f"no {kind}: {key_advice(base_url) if base_url else advice}", code="server.no_model", wanted=kind
        )
    try:
        import openai  # noqa: F401 - so that the error comes before anything is sent
    except ImportError as error:
        raise ModelError(
            "a model server needs the openai client: pip install 'graphbrick[llm]'", code="server.not_installed"
        ) from error
    return Connection(url, key, timeout, retries)


async def _bytes(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Pass on the bytes of a body; a lost connection is a `LostConnectionError`."""
    try:
        async for data in body:
            yield data
    except Exception as error:
        raise LostConnectionError(f"the connection was lost ({type(error).__name__})") from error


def _retry_after(error: openai.APIStatusError) -> float | None:
    """Return the seconds that a server asks to wait; None if it does not say."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(error.response.headers.get(name, "")) / unit
        except ValueError:
            continue  # no such header, or a date
        if seconds >= 0:
            return seconds
    return None
